//! DDR (`guest/cms/ddr`): DDR MODULE for CMS, and the cards of IPL DDR for a machine of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::{self, Outcome, at, run};

/// What both forms are made of.
const COMMON: [&str; 7] = ["dump.c", "main.c", "move.c", "say.c", "show.c", "statement.c", "volume.c"];
/// Parts of CMS's own library.
const LIBRARY: [&str; 4] = ["string.c", "text.c", "format.c", "divide.c"];

/// The cards of the loader (`ipl.S`), whose last word is how many cards it reads.
const LOADER: usize = 240;
const CARD: usize = 80;

/// Compiles the files into one object with undefined names, or with `link` into a program.
fn compile(compiler: &str, strict: &[&str], folder: &Path, files: &[PathBuf], link: &[&str], out: &Path) -> Outcome {
    let cms = host::root().join("guest/cms");
    let mut command = Command::new(compiler);
    command.args(deck::COMPILED).args(strict).arg("-Os").arg("-I").arg(cms.join("lib/include")).arg("-I").arg(folder);
    command.arg("-Wl,-m,elf_s390,--build-id=none,-z,noexecstack").args(link);
    run(command.args(files).arg("-o").arg(out))
}

/// Makes DDR.MODULE and IPL.DDR in `folder`, where `ddrmsgs.h` is. `strict` are options for the C compiler.
pub(crate) fn programs(compiler: &str, strict: &[&str], cms: &Path, folder: &Path) -> Outcome {
    let common = COMMON.iter().map(|name| cms.join("ddr").join(name));
    let common: Vec<PathBuf> = common.chain(LIBRARY.map(|name| cms.join("lib").join(name))).collect();
    let with = |more: &[&str]| [more.iter().map(|name| cms.join(name)).collect(), common.clone()].concat();
    let whole = folder.join("ddr.all.o");
    let of_cms = with(&["sdk/start.S", "sdk/library.c", "nucleus/channel.c", "ddr/cms.c"]);
    compile(compiler, strict, folder, &of_cms, &["-r"], &whole)?;
    let records = deck::module(deck::ENTRY, &at(&whole, fs::read(&whole))?)
        .map_err(|why| format!("{}: {why}", whole.display()))?;
    let module = folder.join("DDR.MODULE");
    at(&module, fs::write(&module, deck::records(&records)?))?;

    let layout = format!("-Wl,-T,{}", cms.join("ddr/bare.ld").display());
    let bare = folder.join("ddr.elf");
    compile(compiler, strict, folder, &with(&["ddr/bare.S", "ddr/bare.c"]), &["-static", "-no-pie", &layout], &bare)?;
    let loader = folder.join("ddr.ipl.o");
    run(Command::new(compiler)
        .args(["-m31", "-mesa", "-march=z900", "-c"])
        .arg(cms.join("ddr/ipl.S"))
        .arg("-o")
        .arg(&loader))?;
    let copier = compiler.replace("gcc", "objcopy");
    for (from, to) in [(&bare, "ddr.bin"), (&loader, "ddr.ipl.bin")] {
        run(Command::new(&copier).args(["-O", "binary"]).arg(from).arg(folder.join(to)))?;
    }
    let read = |name: &str| at(&folder.join(name), fs::read(folder.join(name)));
    let (mut cards, mut image) = (read("ddr.ipl.bin")?, read("ddr.bin")?);
    if cards.len() != LOADER {
        return Err(format!("the loader of IPL DDR has {} bytes, not {LOADER}", cards.len()).into());
    }
    image.resize(image.len().next_multiple_of(CARD), 0);
    let count = (image.len() / CARD) as u32;
    cards[LOADER - 4..].copy_from_slice(&count.to_be_bytes());
    cards.extend(image);
    let path = folder.join("IPL.DDR");
    at(&path, fs::write(&path, cards))
}
