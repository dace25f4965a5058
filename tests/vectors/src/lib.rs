//! Test vectors: lines that test decoding, disassembly and effect of one instruction at once.
//!
//! The lines are in `.vec` files in folders named after the chapters of the manual; [`file`] describes them. `cargo test
//! -p vectors` runs them all; with `BLESS=1` in the environment (`cargo x bless`) it writes what the processor really
//! does into the right-hand sides, to be read with care before it is committed.

#![forbid(unsafe_code)]

pub mod coverage;
pub mod encode;
pub mod file;
pub mod machine;
pub mod mechanical;
mod registers;
pub mod run;
mod setting;

pub use registers::{Registers, SCRATCH, SCRATCH_LEN};
pub use setting::Setting;

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
