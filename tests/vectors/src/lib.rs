//! Test vectors: lines that test decoding, disassembly and effect of one instruction at once.
//!
//! The lines are in `.vec` files in folders named after the chapters of the manual; [`file`] describes them. `cargo
//! test
//! -p vectors` runs them all; with `BLESS=1` in the environment (`cargo x bless`) it writes what the processor really
//! does into the right-hand sides, to be read with care before it is committed.

mod assemble;
pub mod coverage;
pub mod encode;
pub mod file;
pub mod machine;
pub mod mechanical;
mod registers;
pub mod run;
mod setting;

pub use assemble::assemble;
pub use registers::{Registers, SCRATCH, SCRATCH_LEN};
pub use setting::Setting;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All `.vec` files, in order.
pub fn files() -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for folder in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")))? {
        let folder = folder?.path();
        if folder.is_dir() {
            for file in std::fs::read_dir(folder)? {
                let file = file?.path();
                if file.extension().is_some_and(|e| e == "vec") {
                    all.push(file);
                }
            }
        }
    }
    all.sort();
    Ok(all)
}

/// All vectors with the files they are in, by mnemonic. Files that cannot be read or parsed are a fault of the tests.
pub fn all_vectors() -> BTreeMap<String, Vec<(PathBuf, file::Vector)>> {
    let mut all: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for path in files().expect("the vectors can be listed") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for item in file::parse(&text).unwrap_or_else(|why| panic!("{}, {why}", path.display())) {
            if let file::Item::Vector(vector) = item {
                all.entry(vector.mnemonic.clone()).or_default().push((path.clone(), vector));
            }
        }
    }
    all
}
