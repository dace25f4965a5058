//! What a guest needs to look at CMS disks and tapes with the clients that Linux has for them: `cmsfs-fuse` of
//! s390-tools with its libraries, and modules of Debian's kernel, in an archive that is laid after the guest's
//! initramfs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::guest;
use crate::host::{self, Outcome, at, make_folder, run, write_whole};
use crate::root::fetched;
use debian::apt::Apt;
use debian::cpio::Archive;

const PACKAGES: [&str; 5] = ["s390-tools", "libfuse2", "libc6", "attr", "libattr1"];

/// What is taken of them: programs by their place, the rest by the beginnings of names.
const PROGRAMS: [&str; 2] = ["usr/bin/cmsfs-fuse", "usr/bin/setfattr"];
const LIBRARIES: [&str; 5] = ["ld64.so.", "libc.so.", "libpthread.so.", "libfuse.so.2", "libattr.so."];
/// What the kernel wants for file systems of programs, and for tapes.
const MODULES: [&str; 4] = ["fuse.ko", "tape_class.ko", "tape.ko", "tape_34xx.ko"];
const TABLES: [&str; 2] = ["IBM1047.so", "ISO8859-1.so"];
/// What the library is told of these two.
const NAMES: &str = "\
alias CP1047// IBM1047//
alias ISO8859-1// ISO-8859-1//
module IBM1047// INTERNAL IBM1047 1
module INTERNAL IBM1047// IBM1047 1
module ISO-8859-1// INTERNAL ISO8859-1 1
module INTERNAL ISO-8859-1// ISO8859-1 1
";

/// Makes sure that `clients.img` is beside the guest's other files; fetches only what is not there.
pub(crate) fn prepare() -> Outcome {
    let image = guest::folder().join("clients.img");
    if image.exists() {
        return Ok(());
    }
    let apt = Apt::new(&host::cache().join("apt"), None)?;
    let packages = match fetched(&apt, &PACKAGES, "tests of disks") {
        Ok(packages) => packages,
        Err(_) => {
            apt.update()?;
            fetched(&apt, &PACKAGES, "tests of disks")?
        }
    };
    let folder = guest::folder().join("clients");
    if folder.exists() {
        at(&folder, fs::remove_dir_all(&folder))?;
    }
    make_folder(&folder)?;
    for package in &packages {
        let mut stream = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
        let stream = stream.as_mut().map_err(|error| format!("dpkg-deb could not be started: {error}."))?;
        let archive = stream.stdout.take().expect("the output is piped");
        run(Command::new("tar")
            .args(["-x", "--no-same-owner", "--exclude=./usr/share/*", "-C"])
            .arg(&folder)
            .stdin(archive))?;
        at(package, stream.wait())?;
    }
    let kernel = guest::packages()?.swap_remove(0);
    guest::unpack_modules(&kernel, &folder.join("modules"), &MODULES)?;
    let mut archive = Archive::default();
    ["lib", "usr", "usr/bin", "usr/lib", "usr/lib/s390x-linux-gnu", "usr/lib/s390x-linux-gnu/gconv", "modules"]
        .iter()
        .for_each(|name| archive.directory(name));
    for program in PROGRAMS {
        let path = folder.join(program);
        archive.program(program, &at(&path, fs::read(&path))?);
    }
    // Debian moves libraries from /lib to /usr/lib as time goes by.
    for place in ["lib", "usr/lib", "lib/s390x-linux-gnu", "usr/lib/s390x-linux-gnu"] {
        add(&mut archive, &folder.join(place), "lib", &LIBRARIES)?;
    }
    let tables = "usr/lib/s390x-linux-gnu/gconv";
    for place in ["lib/s390x-linux-gnu/gconv", tables] {
        add(&mut archive, &folder.join(place), tables, &TABLES)?;
    }
    archive.program(&format!("{tables}/gconv-modules"), NAMES.as_bytes());
    add(&mut archive, &folder.join("modules"), "modules", &MODULES)?;
    write_whole(&image, &archive.finish())?;
    at(&folder, fs::remove_dir_all(&folder))?;
    println!("What reads CMS disks and tapes in a guest is ready: {}.", image.display());
    Ok(())
}

/// Puts those files of a folder into one of the archive whose names begin so.
fn add(archive: &mut Archive, folder: &Path, to: &str, names: &[&str]) -> Outcome {
    for path in host::files(folder, |file| names.iter().any(|name| file.starts_with(name))) {
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        archive.program(&format!("{to}/{name}"), &at(&path, fs::read(&path))?);
    }
    Ok(())
}
