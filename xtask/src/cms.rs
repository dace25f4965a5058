//! CMS: `guest/cms` compiled for ESA/390 into `cache/cms`, and the minidisks that `endicott sample` puts on a system.
//!
//! The nucleus is one program without a library; its loader goes into the IPL records of MAINT's 190. Its tables of
//! commands and messages, and what HELP types, are made from `guest/cms/help` (crate `description`). The files of the
//! disks are in `guest/cms/disks`, a folder a disk, called NAME.TYPE.MODE.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use description::Description;

use crate::host::{self, Outcome, at, make_folder, run};
use crate::{ddr, lua};

/// What is wrong in C's sources fails.
const STRICT: [&str; 4] = [
    "-Wall",
    "-Wextra",
    // The PSA is at address 0.
    "-Wno-array-bounds",
    "-Werror",
];

/// Files of the nucleus, the file system and REXX that few commands need.
const RARE: [&str; 33] = [
    "edf/check.c",
    "edf/kept.c",
    "lib/members.c",
    "lib/pack.c",
    "nucleus/abend.c",
    "nucleus/channel.c",
    "nucleus/diag.c",
    "nucleus/exec1.c",
    "nucleus/exec1var.c",
    "nucleus/exec2fn.c",
    "nucleus/execcomm.c",
    "nucleus/extension.c",
    "nucleus/function.c",
    "nucleus/immcmd.c",
    "nucleus/installed.c",
    "nucleus/iucv.c",
    "nucleus/library.c",
    "nucleus/linedit.c",
    "nucleus/link.c",
    "nucleus/module.c",
    "nucleus/part.c",
    "nucleus/path.c",
    "nucleus/routine.c",
    "nucleus/saved.c",
    "nucleus/segment.c",
    "nucleus/streamio.c",
    "nucleus/synonym.c",
    "nucleus/vmcf.c",
    "rexx/datetime.c",
    "rexx/embed.c",
    "rexx/error.c",
    "rexx/inform.c",
    "rexx/trace.c",
];

/// Files of a part that work on each record of a pipeline: these are quick rather than small.
const EACH: [&str; 9] = [
    "pipe/arguments.c",
    "pipe/basic.c",
    "pipe/dispatch.c",
    "pipe/drive_file.c",
    "pipe/drive_variable.c",
    "pipe/line.c",
    "pipe/select.c",
    "pipe/specs.c",
    "pipe/stream.c",
];

/// Files whose code lies in low storage, below what programs have: between the nucleus's save areas and the transient
/// area, and between that and the user area (`nucleus.ld`). There a machine of 2M has room that nothing else wants.
///
/// An object, how it is compiled, and its files: what works on each line of a file and of the screen is quick.
const LOW: [(&str, &str, &[&str]); 3] = [
    (
        "lower.o",
        "-Os",
        &[
            "xedit/facts.c",
            "xedit/filetype.c",
            "xedit/load.c",
            "xedit/macro.c",
            "xedit/option.c",
            "xedit/save.c",
            "xedit/setscreen.c",
            "xedit/setsession.c",
            "xedit/setterm.c",
            "xedit/setview.c",
            "xedit/typewriter.c",
        ],
    ),
    (
        "quick.low.o",
        "-O2",
        &[
            "xedit/display.c",
            "xedit/lines.c",
            "xedit/match.c",
            "xedit/screen.c",
            "xedit/target.c",
            "xedit/text.c",
            "xedit/words.c",
        ],
    ),
    (
        "low.o",
        "-Os",
        &[
            "xedit/change.c",
            "xedit/linecmd.c",
            "xedit/misc.c",
            "xedit/pointer.c",
            "xedit/prefix.c",
            "xedit/ring.c",
            "xedit/subcommand.c",
            "xedit/transaction.c",
        ],
    ),
];

/// Where in the nucleus's image its stamp is (`start.S`).
const STAMP: usize = 0x20;

/// Parts of the nucleus that are loaded when they are wanted (`part.c`): the folders, and how the file is called.
const PARTS: [(&[&str], &str); 4] =
    [(&["window"], "DMSWIN"), (&["pipe", "net"], "PIPES"), (&["csl"], "CMSVMLIB"), (&["volume"], "DMSLDS")];

/// Tables of a part whose strings are not loaded with it (`part.c`, `part_text`).
const TABLES: [&str; 3] = ["pipe/table.c", "pipe/filters.c", "pipe/drivers.c"];

/// A CMS disk of the sample system.
struct Disk {
    /// The image that is made of it, as `endicott sample` knows it.
    image: &'static str,
    /// Whose minidisk it is, in [`DIRECTORY`].
    of: (&'static str, &'static str),
    label: &'static str,
    /// The folders of its files in `guest/cms/disks`; of two files of one name the later one is meant.
    folders: &'static [&'static str],
    /// Decks and libraries: how they are called, and the mode number.
    decks: &'static [(&'static str, &'static str)],
    /// MODULE files that are made here.
    modules: &'static [&'static str],
}

const DISKS: [Disk; 9] = [
    Disk {
        image: SYSTEM,
        of: ("MAINT", "190"),
        label: "MNT190",
        folders: &["system"],
        decks: &[("CMSENTRY.TEXT", "A2"), ("DMSCSL.TEXT", "A2"), ("DMSGPI.MACLIB", "A2"), ("OSMACRO.MACLIB", "A2")],
        modules: &[],
    },
    Disk { image: HELP, of: ("MAINT", "19D"), label: "MNT19D", folders: &[], decks: &[], modules: &[] },
    Disk {
        image: "tools",
        of: ("MAINT", "19E"),
        label: "MNT19E",
        folders: &["tools"],
        decks: &[("IPL.DDR", "A2")],
        modules: &["DDR", "LUA"],
    },
    Disk {
        image: "maint",
        of: ("MAINT", "191"),
        label: "MNT191",
        folders: &["each", "maint"],
        decks: &[],
        modules: &[],
    },
    Disk {
        image: "demo",
        of: ("MAINT", "1DE"),
        label: "DEMO",
        folders: &["demo"],
        decks: &[("GREET.TEXT", "A1"), ("TALLY.TEXT", "A1"), ("CLICKS.TEXT", "A1"), ("RXCKSUM.TEXT", "A1")],
        modules: &[],
    },
    Disk {
        image: "operator",
        of: ("OPERATOR", "191"),
        label: "OPR191",
        folders: &["each", "operator"],
        decks: &[],
        modules: &[],
    },
    Disk {
        image: "account",
        of: ("DISKACNT", "191"),
        label: "ACT191",
        folders: &["each", "account"],
        decks: &[],
        modules: &[],
    },
    Disk {
        image: "linux",
        of: ("LINUX1", "191"),
        label: "LIN191",
        folders: &["each", "linux"],
        decks: &[],
        modules: &[],
    },
    // The last one: where it is newer than the sources, all are.
    Disk {
        image: "user",
        of: ("CMSUSER", "191"),
        label: "CMS191",
        folders: &["each", "user"],
        decks: &[],
        modules: &[],
    },
];

/// The directory that says how large the disks are.
const DIRECTORY: &str = "cp/directory/src/sample.direct";

/// The disk that has the nucleus, in so many blocks after the file system.
const SYSTEM: &str = "system";
/// The disk that has what HELP tells.
const HELP: &str = "help";
const RESERVED: u32 = 2 * BLOCKS_OF_CYLINDER;

/// Blocks of 4096 bytes on a cylinder of a 3390.
const BLOCKS_OF_CYLINDER: u32 = 15 * 12;

/// The folder of what is made here.
pub(crate) fn folder() -> PathBuf {
    host::cache().join("cms")
}

fn source() -> PathBuf {
    host::root().join("guest/cms")
}

/// The cross compiler, if it is there.
pub(crate) fn compiler() -> Option<String> {
    let compiler = deck::compiler();
    host::has(&compiler).then_some(compiler)
}

/// Makes sure that nucleus and disks are in [`folder`] and newer than their sources.
pub(crate) fn prepare() -> Outcome {
    let compiler = compiler().ok_or(
        "CMS needs a C compiler for s390x: apt-get install gcc-s390x-linux-gnu, or name one in S390X_CC.".to_owned(),
    )?;
    let folder = folder();
    make_folder(&folder)?;
    let others = ["xtask/src/cms.rs", "xtask/src/ddr.rs", "xtask/src/lua.rs", "Cargo.lock", DIRECTORY]
        .map(|path| host::root().join(path));
    let newest = newest(&source()).into_iter().chain(others.iter().filter_map(|path| modified(path))).max();
    if modified(&folder.join("user.img")).is_some_and(|made| Some(made) > newest) {
        return Ok(());
    }
    let description = Description::read(&source())?;
    at(&folder, description.write_tables(&folder))?;
    nucleus(&compiler, &folder)?;
    programs(&compiler, &folder)?;
    lua::module(&compiler, &STRICT, &source(), &folder)?;
    ddr::programs(&compiler, &STRICT, &source(), &folder)?;
    disks(&description, &folder, None)?;
    println!("CMS is ready: {}.", folder.display());
    Ok(())
}

/// [`prepare`], and the disks and their files are as if made at this time, in seconds since 1970.
pub(crate) fn prepare_dated(time: &str) -> Outcome {
    prepare()?;
    disks(&Description::read(&source())?, &folder(), Some(time))
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// When the newest file in and below `folder` changed.
fn newest(folder: &Path) -> Option<std::time::SystemTime> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter_map(|path| if path.is_dir() { newest(&path) } else { modified(&path) }).max()
}

fn nucleus(compiler: &str, folder: &Path) -> Outcome {
    let level = format!("-DCMS_LEVEL=\"{}\"", env!("CARGO_PKG_VERSION"));
    let elf = folder.join("nucleus.elf");
    // What gives a part a main program on this host is none of CMS's.
    let of = |parts: &[&str]| -> Vec<PathBuf> {
        let folders = parts.iter().map(|part| source().join(part));
        folders.flat_map(|part| host::files(&part, |name| name.ends_with(".c") && name != "host.c")).collect()
    };
    let compile = |sources: &[PathBuf], options: &[&str], out: &Path| {
        let mut command = Command::new(compiler);
        command
            .args(deck::COMPILED)
            .args(STRICT)
            .arg(&level)
            .arg("-I")
            .arg(source().join("lib/include"))
            .arg("-I")
            .arg(folder);
        command.arg("-Wl,-m,elf_s390,--build-id=none,-z,noexecstack").args(options);
        run(command.args(sources).arg("-o").arg(out))
    };
    // Small rather than quick, for machines of 2M: what is not on every command's path, nor on every record's.
    let large = folder.join("large.o");
    let mut small = of(&["command", "os", "assemble", "xedit"]);
    let rare = |file: &PathBuf| RARE.iter().any(|name| file.ends_with(name));
    let (seldom, often): (Vec<_>, Vec<_>) = of(&["nucleus", "lib", "edf", "rexx"]).into_iter().partition(rare);
    small.extend(seldom);
    let mut sources = vec![source().join("nucleus/start.S"), large.clone()];
    for (name, how, files) in LOW {
        let low = folder.join(name);
        compile(&files.iter().map(|file| source().join(file)).collect::<Vec<_>>(), &[how, "-r"], &low)?;
        small.retain(|file| !files.iter().any(|name| file.ends_with(name)));
        sources.push(low);
    }
    compile(&small, &["-Os", "-r"], &large)?;
    sources.extend(often);
    let layout = format!("-Wl,-T,{}", source().join("nucleus.ld").display());
    compile(&sources, &["-static", "-no-pie", &layout], &elf)?;
    let object = folder.join("loader.o");
    run(Command::new(compiler)
        .args(["-m31", "-mesa", "-march=z900", "-c"])
        .arg(source().join("loader.S"))
        .arg("-o")
        .arg(&object))?;
    let copier = compiler.replace("gcc", "objcopy");
    for (from, to) in [(&elf, "nucleus.bin"), (&object, "loader.bin")] {
        run(Command::new(&copier).args(["-O", "binary"]).arg(from).arg(folder.join(to)))?;
    }
    let image = folder.join("nucleus.bin");
    let mut bytes = at(&image, fs::read(&image))?;
    let stamp = stamp(&bytes);
    bytes[STAMP..STAMP + stamp.len()].copy_from_slice(&stamp);
    at(&image, fs::write(&image, bytes))?;
    let layout = format!("-Wl,-T,{}", source().join("nucleus/part.ld").display());
    let symbols = format!("-Wl,--just-symbols={},--emit-relocs", elf.display());
    for (folders, name) in PARTS {
        let part = folders[0];
        let linked = folder.join(part).with_extension("elf");
        let each_record = |file: &PathBuf| EACH.iter().any(|name| file.ends_with(name));
        let (mut quick, small): (Vec<_>, Vec<_>) = of(folders).into_iter().partition(each_record);
        let is_table = |file: &PathBuf| TABLES.iter().any(|name| file.ends_with(name));
        let (tables, rest): (Vec<_>, Vec<_>) = small.into_iter().partition(is_table);
        for (files, name) in [(tables, "tables.o"), (rest, "small.o")] {
            if !files.is_empty() {
                quick.push(folder.join(part).with_extension(name));
                compile(&files, &["-Os", "-r"], &quick[quick.len() - 1])?;
            }
        }
        compile(&quick, &["-static", "-no-pie", &layout, &symbols], &linked)?;
        let file = deck::part::part(&at(&linked, fs::read(&linked))?, stamp)
            .map_err(|why| format!("{}: {why}", linked.display()))?;
        let path = folder.join(name).with_extension("PART");
        at(&path, fs::write(&path, file))?;
    }
    Ok(())
}

/// By which a part knows the nucleus that it was linked with: a check sum (FNV-1a).
fn stamp(nucleus: &[u8]) -> [u8; 8] {
    let sum = nucleus
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    sum.to_be_bytes()
}

/// The C library for programs, and the worked examples, as TEXT decks.
fn programs(compiler: &str, folder: &Path) -> Outcome {
    let sdk = source().join("sdk");
    let compile = |file: &Path| {
        let object = folder.join(file.file_name().unwrap_or_default()).with_extension("o");
        let mut command = Command::new(compiler);
        command.args(deck::COMPILED).args(STRICT).arg("-I").arg(&sdk).arg("-I").arg(source().join("lib/include"));
        run(command.arg("-c").arg(file).arg("-o").arg(&object)).map(|()| object)
    };
    // Its beginning is where programs begin.
    let mut objects = vec![compile(&sdk.join("start.S"))?, compile(&sdk.join("library.c"))?];
    for name in ["string.c", "text.c", "format.c", "divide.c"] {
        objects.push(compile(&source().join("lib").join(name))?);
    }
    let library = folder.join("library.all.o");
    let mut link = Command::new(compiler);
    link.args(["-m31", "-r", "-nostdlib", "-Wl,-m,elf_s390,-z,noexecstack"]);
    run(link.args(&objects).arg("-o").arg(&library))?;
    deck(&library, deck::ENTRY, folder)?;
    deck(&compile(&sdk.join("dmscsl.S"))?, "DMSCSL", folder)?;
    for example in host::files(&sdk.join("examples"), |_| true) {
        let name = example.file_stem().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        deck(&compile(&example)?, &name, folder)?;
    }
    Ok(())
}

fn deck(object: &Path, name: &str, folder: &Path) -> Outcome {
    let bytes = at(object, fs::read(object))?;
    let cards = deck::deck(name, &bytes).map_err(|why| format!("{}: {why}", object.display()))?;
    let path = folder.join(name).with_extension("TEXT");
    at(&path, fs::write(&path, cards))
}

/// `edfdisk`, and with it the images of the disks.
fn disks(description: &Description, folder: &Path, time: Option<&str>) -> Outcome {
    let edfdisk = folder.join("edfdisk");
    // How libraries lie on a disk is CMS's own.
    let members = source().join("lib/members.c");
    let parts = ["edf", "host"].map(|part| host::files(&source().join(part), |name| name.ends_with(".c")));
    let sources = parts.iter().flatten().chain([&members]);
    let host_compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    run(Command::new(host_compiler).args(["-std=c11", "-O2", "-o"]).arg(&edfdisk).args(sources))?;
    for library in ["DMSGPI", "OSMACRO"] {
        let macros = host::files(&source().join("sdk/macros").join(library), |_| true);
        run(Command::new(&edfdisk).arg("maclib").arg(folder.join(library).with_extension("MACLIB")).args(macros))?;
    }
    DISKS.iter().try_for_each(|disk| image(disk, &edfdisk, description, folder, time))
}

/// The image of a disk: formatted, and filled with its files, at this time or now.
fn image(disk: &Disk, edfdisk: &Path, description: &Description, folder: &Path, time: Option<&str>) -> Outcome {
    let image = folder.join(disk.image).with_extension("img");
    let tool = |what: &str| {
        let mut command = Command::new(edfdisk);
        command.arg(what).arg(&image).envs(time.map(|time| (host::EPOCH, time)));
        command
    };
    let reserved = if disk.image == SYSTEM { RESERVED } else { 0 };
    let (user, vdev) = disk.of;
    let direct = host::root().join(DIRECTORY);
    let cylinders = cylinders(&at(&direct, fs::read_to_string(&direct))?, user, vdev)
        .ok_or_else(|| format!("{} has no minidisk {vdev} of {user}.", direct.display()))?;
    let blocks = cylinders * BLOCKS_OF_CYLINDER;
    run(tool("format").args([&blocks.to_string(), "4096", disk.label, &reserved.to_string()]))?;
    for (id, file) in files_of(disk) {
        let words: Vec<&str> = id.split('.').collect();
        // What the assembler reads is cards; the rest are lines.
        let format: &[&str] = if words.get(1) == Some(&"ASSEMBLE") { &["F", "80"] } else { &["V"] };
        run(tool("put").args(&words).arg(&file).args(format))?;
    }
    for (deck, mode) in disk.decks {
        run(tool("bin").args(deck.split('.')).arg(mode).arg(folder.join(deck)).args(["F", "80"]))?;
    }
    for module in disk.modules {
        run(tool("bin").args([module, "MODULE", "A2"]).arg(folder.join(module).with_extension("MODULE")).arg("V"))?;
    }
    if disk.image == HELP {
        for (topic, text) in description.help() {
            let help = folder.join(topic).with_extension("HELP");
            at(&help, fs::write(&help, text))?;
            run(tool("put").args([topic, "HELP", "A2"]).arg(&help).arg("V"))?;
        }
    }
    if disk.image == SYSTEM {
        for (_, name) in PARTS {
            let file = folder.join(name).with_extension("PART");
            let record = deck::part::RECORD.to_string();
            run(tool("bin").args([name, "PART", "A2"]).arg(&file).args(["F", &record]))?;
        }
        run(tool("ipl").args(["loader.bin", "nucleus.bin"].map(|n| folder.join(n))))?;
    }
    Ok(())
}

/// The files of a disk by NAME.TYPE.MODE.
fn files_of(disk: &Disk) -> BTreeMap<String, PathBuf> {
    let folders = disk.folders.iter().map(|folder| source().join("disks").join(folder));
    let files = folders.flat_map(|folder| host::files(&folder, |_| true));
    files.map(|file| (file.file_name().unwrap_or_default().to_string_lossy().into_owned(), file)).collect()
}

/// How many cylinders a directory gives to a user's minidisk.
fn cylinders(directory: &str, user: &str, vdev: &str) -> Option<u32> {
    let of_user = directory.lines().skip_while(|line| !line.starts_with(&format!("USER {user} ")));
    let mut words = of_user.map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.find_map(|words| match words[..] {
        ["MDISK", number, "3390", _, cylinders, ..] if number == vdev => cylinders.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::cylinders;

    #[test]
    fn a_minidisk_is_as_large_as_the_directory_says() {
        let text = "USER A A 1M 1M G\n MDISK 191 3390 1 20 V MR\nUSER B B 1M 1M G\n* x\n MDISK 191 3390 21 5 V MR\n";
        assert_eq!(["A", "B", "C"].map(|user| cylinders(text, user, "191")), [Some(20), Some(5), None]);
    }
}
