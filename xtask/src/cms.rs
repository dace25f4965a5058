//! CMS: `guest/cms` compiled for ESA/390 into `cache/cms`, and the minidisks that the sample system gets with it.
//!
//! The nucleus is one program without a library; its loader goes into the IPL records of MAINT's 190. Its tables of
//! commands and messages, and what HELP types, are made from `guest/cms/help` (crate `description`). The files of the
//! disks are in `guest/cms/disks`, a folder a disk, called NAME.TYPE.MODE.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use description::Description;

use crate::host::{self, Outcome, at, make_folder, run};

/// How the nucleus is compiled: 31-bit, EBCDIC, and nothing that needs a library or a kernel.
const FLAGS: [&str; 20] = [
    "-m31",
    "-mesa",
    "-march=z900",
    "-std=gnu11",
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-fno-pic",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-delete-null-pointer-checks",
    "-fno-tree-loop-distribute-patterns",
    "-msoft-float",
    "-fexec-charset=IBM037",
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
    "nucleus/csl.c",
    "nucleus/cslexec.c",
    "nucleus/cslfile.c",
    "nucleus/cslrexx.c",
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
    "nucleus/routine.c",
    "nucleus/saved.c",
    "nucleus/segment.c",
    "nucleus/synonym.c",
    "nucleus/vmcf.c",
    "rexx/datetime.c",
    "rexx/embed.c",
    "rexx/error.c",
    "rexx/inform.c",
    "rexx/trace.c",
];

/// Files that work on each record of a pipeline.
const EACH: [&str; 2] = ["pipe/dispatch.c", "pipe/stream.c"];

/// Files whose code lies in low storage, below what programs have: between the nucleus's save areas and the transient
/// area, and between that and the user area (`nucleus.ld`). There a machine of 2M has room that nothing else wants.
///
/// An object, how it is compiled, and its files: what works on each line of a file and of the screen is quick.
const LOW: [(&str, &str, &[&str]); 3] = [
    (
        "lower.o",
        "-Os",
        &[
            "xedit/columns.c",
            "xedit/facts.c",
            "xedit/filetype.c",
            "xedit/keys.c",
            "xedit/load.c",
            "xedit/macro.c",
            "xedit/option.c",
            "xedit/save.c",
            "xedit/setscreen.c",
            "xedit/setsession.c",
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
            "xedit/note.c",
            "xedit/pointer.c",
            "xedit/prefix.c",
            "xedit/prefixcmd.c",
            "xedit/ring.c",
            "xedit/subcommand.c",
            "xedit/transaction.c",
        ],
    ),
];

/// Blocks of 4096 bytes of MAINT's 190 and CMSUSER's 191 (`cp/directory/src/sample.direct`), and those of 190 that the
/// nucleus lies in.
const SYSTEM: u32 = 100 * 180;
const USER: u32 = 20 * 180;
const RESERVED: u32 = 2 * 180;

/// The folder of what is made here.
pub(crate) fn folder() -> PathBuf {
    host::cache().join("cms")
}

fn source() -> PathBuf {
    host::root().join("guest/cms")
}

/// The cross compiler, if it is there.
pub(crate) fn compiler() -> Option<String> {
    let compiler = env::var("S390X_CC").unwrap_or_else(|_| "s390x-linux-gnu-gcc".into());
    host::has(&compiler).then_some(compiler)
}

/// Makes sure that nucleus and disks are in [`folder`] and newer than their sources.
pub(crate) fn prepare() -> Outcome {
    let compiler = compiler().ok_or(
        "CMS needs a C compiler for s390x: apt-get install gcc-s390x-linux-gnu, or name one in S390X_CC.".to_owned(),
    )?;
    let folder = folder();
    make_folder(&folder)?;
    let newest = newest(&source()).into_iter().chain(modified(&host::root().join("xtask/src/cms.rs"))).max();
    if modified(&folder.join("user.img")).is_some_and(|made| Some(made) > newest) {
        return Ok(());
    }
    let description = Description::read(&source())?;
    at(&folder, description.write_tables(&folder))?;
    nucleus(&compiler, &folder)?;
    programs(&compiler, &folder)?;
    disks(&description, &folder)?;
    println!("CMS is ready: {}.", folder.display());
    Ok(())
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
        command.args(FLAGS).arg(&level).arg("-I").arg(source().join("lib/include")).arg("-I").arg(folder);
        command.arg("-Wl,-m,elf_s390,--build-id=none,-z,noexecstack").args(options);
        run(command.args(sources).arg("-o").arg(out))
    };
    // Small rather than quick, for machines of 2M: what is not on every command's path, nor on every record's.
    let large = folder.join("large.o");
    let each_record = |file: &PathBuf| EACH.iter().any(|name| file.ends_with(name));
    let (quick, mut small): (Vec<_>, Vec<_>) =
        of(&["command", "pipe", "assemble", "xedit"]).into_iter().partition(each_record);
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
    sources.extend(quick);
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
    Ok(())
}

/// The C library for programs, and the worked examples, as TEXT decks.
fn programs(compiler: &str, folder: &Path) -> Outcome {
    let sdk = source().join("sdk");
    let compile = |file: &Path| {
        let object = folder.join(file.file_name().unwrap_or_default()).with_extension("o");
        let mut command = Command::new(compiler);
        command.args(FLAGS).arg("-I").arg(&sdk).arg("-I").arg(source().join("lib/include"));
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

/// `edfdisk`, and with it the images of the two disks.
fn disks(description: &Description, folder: &Path) -> Outcome {
    let edfdisk = folder.join("edfdisk");
    // How libraries lie on a disk is CMS's own.
    let members = source().join("lib/members.c");
    let parts = ["edf", "host"].map(|part| host::files(&source().join(part), |name| name.ends_with(".c")));
    let sources = parts.iter().flatten().chain([&members]);
    let host_compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    run(Command::new(host_compiler).args(["-std=c11", "-O2", "-o"]).arg(&edfdisk).args(sources))?;
    for (name, label, blocks, reserved) in [("system", "MNT190", SYSTEM, RESERVED), ("user", "CMS191", USER, 0)] {
        let image = folder.join(format!("{name}.img"));
        let numbers = [blocks, 4096, reserved].map(|n| n.to_string());
        let [blocks, size, reserved] = &numbers;
        run(Command::new(&edfdisk).arg("format").arg(&image).args([blocks, size, label, reserved]))?;
        for file in host::files(&source().join("disks").join(name), |_| true) {
            let id = file.file_name().map(|id| id.to_string_lossy().into_owned()).unwrap_or_default();
            let words: Vec<&str> = id.split('.').collect();
            run(Command::new(&edfdisk).arg("put").arg(&image).args(words).arg(&file).arg("V"))?;
        }
        let decks: &[(&str, &str)] = match name {
            "system" => &[(deck::ENTRY, "A2"), ("DMSCSL", "A2")],
            _ => &[("GREET", "A1"), ("TALLY", "A1"), ("CLICKS", "A1"), ("RXCKSUM", "A1")],
        };
        for library in if name == "system" { &["DMSGPI", "OSMACRO"][..] } else { &[] } {
            let cards = folder.join(library).with_extension("MACLIB");
            let macros = host::files(&source().join("sdk/macros").join(library), |_| true);
            run(Command::new(&edfdisk).arg("maclib").arg(&cards).args(macros))?;
            let file = [library, "MACLIB", "A2"];
            run(Command::new(&edfdisk).arg("bin").arg(&image).args(file).arg(cards).args(["F", "80"]))?;
        }
        for (deck, mode) in decks {
            let cards = folder.join(deck).with_extension("TEXT");
            run(Command::new(&edfdisk).arg("bin").arg(&image).args([deck, "TEXT", mode]).arg(cards).args(["F", "80"]))?;
        }
        if name == "system" {
            for (topic, text) in description.help() {
                let help = folder.join(topic).with_extension("HELP");
                at(&help, fs::write(&help, text))?;
                run(Command::new(&edfdisk).arg("put").arg(&image).args([topic, "HELP", "A2"]).arg(&help).arg("V"))?;
            }
            run(Command::new(&edfdisk)
                .arg("ipl")
                .arg(&image)
                .args(["loader.bin", "nucleus.bin"].map(|n| folder.join(n))))?;
        }
    }
    Ok(())
}

/// Puts CMS on the sample system's disks, and has CMSUSER start it at logon.
pub(crate) fn install(endicott: impl Fn() -> Command, system: &Path) -> Outcome {
    for (disk, image) in [("MAINT.190", "system.img"), ("CMSUSER.191", "user.img")] {
        let mut put = endicott();
        put.args(["dasd", "minidisk"])
            .arg(system.join("volumes/vmres.3390"))
            .args(["--of", disk, "--system"])
            .arg(system);
        run(put.arg("--format").arg("--put").arg(folder().join(image)))?;
    }
    // CMS as a saved system: IPL CMS starts it.
    let mut save = endicott();
    save.arg("script").arg("--system").arg(system).args(["MAINT", "ipl 190 clear parm savesys cms"]);
    run(&mut save)?;
    let path = system.join("USER DIRECT");
    let directory = at(&path, fs::read_to_string(&path))?;
    at(&path, fs::write(&path, starting_cms(&directory)))
}

/// The directory in which CMSUSER's machine starts CMS at logon.
fn starting_cms(directory: &str) -> String {
    let mut text = String::new();
    let mut user = "";
    for line in directory.lines() {
        text += line;
        text.push('\n');
        user = line.strip_prefix("USER ").and_then(|rest| rest.split(' ').next()).unwrap_or(user);
        if user == "CMSUSER" && line.trim_start().starts_with("MACHINE ") {
            text += " IPL CMS PARM AUTOCR\n";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::starting_cms;

    #[test]
    fn only_cmsuser_starts_cms() {
        let before =
            "USER MAINT M 1M 1M G\n MACHINE ESA\nUSER CMSUSER C 1M 1M G\n MACHINE ESA\n LINK MAINT 190 190 RR\n";
        let after = "USER MAINT M 1M 1M G\n MACHINE ESA\nUSER CMSUSER C 1M 1M G\n MACHINE ESA\n IPL CMS PARM AUTOCR\n \
            LINK MAINT 190 190 RR\n";
        assert_eq!(starting_cms(before), after);
    }
}
