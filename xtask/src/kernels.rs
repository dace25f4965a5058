//! `cargo x kernels`: Debian's `linux-source`, built with a small configuration for each machine since the z13 that
//! Linux can be built for, starts on the model of that name and not on the one before.
//!
//! It takes a quarter of an hour of two processors, so no other task runs it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::guest::{self, Guest};
use crate::host::{self, Outcome, at, cargo, make_folder, run};
use debian::apt::{Apt, by_version};

/// Machines by name, each with the model before it; and whether a kernel for it starts there, too: Linux looks for
/// nothing on a z16 that a z15 lacks.
const MACHINES: [(&str, &str, bool); 4] =
    [("z13", "zEC12", false), ("z14", "z13", false), ("z15", "z14", false), ("z16", "z15", true)];

/// What the guest's init wants of a kernel: all else is off.
const OPTIONS: &str = "SMP BLK_DEV_INITRD RD_GZIP BINFMT_ELF BINFMT_SCRIPT PRINTK TTY UNIX98_PTYS PROC_FS SYSFS SHMEM \
                       TMPFS DEVTMPFS FUTEX EPOLL POSIX_TIMERS MULTIUSER CCW SCLP_TTY SCLP_CONSOLE SCLP_VT220_TTY \
                       SCLP_VT220_CONSOLE KERNEL_GZIP CC_OPTIMIZE_FOR_SIZE";

/// What a kernel says before it stops on a machine that lacks something, and what we say then.
const REFUSAL: &str = "Missing facilities";
const REMEDY: &str = "A later --cpu-model, or none";

/// `kernels [MACHINE...]`: all of them, or those named.
pub(crate) fn kernels(words: &[&str]) -> Outcome {
    let unknown = words.iter().find(|word| MACHINES.iter().all(|(name, ..)| name != *word));
    if let Some(word) = unknown {
        let names = MACHINES.map(|(name, ..)| name).join(", ");
        return Err(format!("kernels knows {names}, not {word}.").into());
    }
    for program in ["s390x-linux-gnu-gcc", "flex", "bison", "bc", "xz"] {
        if !host::has(program) {
            return Err(format!("A kernel is built with {program}, which is not installed.").into());
        }
    }
    run(&mut cargo(&["build", "--release", "--package", "endicott"]))?;
    let (guest, folder) = (guest::prepare()?, host::cache().join("kernels"));
    let source = source(&folder)?;
    for (name, before, both) in MACHINES {
        if !words.is_empty() && !words.contains(&name) {
            continue;
        }
        let began = Instant::now();
        let kernel = build(&source, &folder.join(name), name)?;
        println!("{name}: built in {} s", began.elapsed().as_secs());
        starts(&folder, &Guest { kernel: kernel.clone(), initrd: guest.initrd.clone() }, name, true)?;
        starts(&folder, &Guest { kernel, initrd: guest.initrd.clone() }, before, both)?;
    }
    Ok(())
}

/// The unpacked source.
fn source(folder: &Path) -> Outcome<PathBuf> {
    make_folder(folder)?;
    let unpacked = |prefix: &str, end: &str| {
        let mut found: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        found.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(prefix) && name.ends_with(end)
        });
        found.sort_by(|a, b| by_version(&a.to_string_lossy(), &b.to_string_lossy()));
        found.pop()
    };
    let finished = folder.join("unpacked");
    if let (true, Some(source)) = (finished.exists(), unpacked("linux-source-", "").filter(|path| path.is_dir())) {
        return Ok(source);
    }
    let apt = Apt::new(folder, None)?;
    apt.update()?;
    let packages = apt.with_dependencies(&["linux-source".to_owned()])?;
    let package = packages.iter().find(|name| name.starts_with("linux-source-"));
    let package = package.ok_or("Debian's list of packages has no linux-source.")?;
    println!("Fetching {package} (about 140 MB).");
    apt.download(&[package])?;
    let deb = unpacked(&format!("{package}_"), ".deb").ok_or("apt-get downloaded something else.")?;
    let mut unpack = Command::new("dpkg-deb");
    run(unpack.arg("--extract").arg(&deb).arg(folder.join("package")))?;
    let mut tar = Command::new("tar");
    run(tar.arg("-xf").arg(folder.join(format!("package/usr/src/{package}.tar.xz"))).arg("-C").arg(folder))?;
    at(&finished, File::create(&finished))?;
    Ok(folder.join(package))
}

/// Builds the kernel for a machine in `folder`; where it is.
fn build(source: &Path, folder: &Path, machine: &str) -> Outcome<PathBuf> {
    make_folder(folder)?;
    let options = folder.join("options");
    let march = format!("MARCH_{}", machine.to_uppercase());
    let lines: String = OPTIONS.split(' ').chain([&*march]).map(|name| format!("CONFIG_{name}=y\n")).collect();
    at(&options, fs::write(&options, lines))?;
    let make = |what: &[&str]| {
        let mut command = Command::new("make");
        command.current_dir(source).args(["-s", "ARCH=s390", "CROSS_COMPILE=s390x-linux-gnu-"]);
        command.arg(format!("O={}", folder.display())).arg(format!("KCONFIG_ALLCONFIG={}", options.display()));
        run(command.args(what))
    };
    make(&["allnoconfig"])?;
    let configuration = folder.join(".config");
    if !at(&configuration, fs::read_to_string(&configuration))?.contains(&format!("CONFIG_{march}=y")) {
        return Err(format!("This Linux cannot be built for a {machine}.").into());
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    make(&[&format!("-j{jobs}"), "bzImage"])?;
    Ok(folder.join("arch/s390/boot/bzImage"))
}

/// Starts it on a model: it comes to its init and powers off, or it says what it misses.
fn starts(folder: &Path, guest: &Guest, model: &str, expected: bool) -> Outcome {
    let (console, errors) = (folder.join("console.log"), folder.join("errors.log"));
    let mut command = Command::new(host::target("release").join("endicott"));
    command.args(["linux", "--cpu-model", model, "--memory", "512M", "--append", "vmb.mode=boot"]);
    command.arg("--kernel").arg(&guest.kernel).arg("--initrd").arg(&guest.initrd).stdin(Stdio::null());
    command.stdout(at(&console, File::create(&console))?).stderr(at(&errors, File::create(&errors))?);
    let status = command.status().map_err(|error| format!("endicott could not be started: {error}."))?;
    let said = String::from_utf8_lossy(&at(&console, fs::read(&console))?).into_owned()
        + &String::from_utf8_lossy(&at(&errors, fs::read(&errors))?);
    let (started, refused) =
        (status.success() && said.contains("INIT-START"), said.contains(REFUSAL) && said.contains(REMEDY));
    let line = |word: &str| said.lines().find(|line| line.contains(word)).unwrap_or_default().trim().to_owned();
    match (started, refused) {
        (true, false) if expected => println!("  on a {model}: it starts"),
        (false, true) if !expected => println!("  on a {model}: {}", line(REFUSAL)),
        _ => return Err(format!("on a {model} it ended with {status}.\n{said}").into()),
    }
    Ok(())
}
