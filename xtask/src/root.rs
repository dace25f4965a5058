//! The root file system that tests put on disks: Debian's libc, dpkg, compiler and s390-tools around busybox, small
//! enough to be copied to a disk in a second, and the initramfs of the guest that copies it (`guest/install-roots`).
//!
//! The file system is made here, without privilege: packages are unpacked, dpkg's status says that they are installed,
//! and mke2fs takes the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::guest::{self, Guest};
use crate::host::{self, Outcome, at, make_folder, output, run, write_whole};
use debian::apt::Apt;
use debian::cpio::Archive;

/// What the system consists of, beside busybox; their dependencies are taken, too.
const PACKAGES: [&str; 6] = ["bash", "dpkg", "findutils", "gcc", "libc6-dev", "s390-tools"];
/// Dependencies that nothing in it uses: beginnings of names of packages.
const UNUSED: [&str; 19] = [
    "perl",
    "libperl",
    "libdb",
    "libgdbm",
    "libncurses",
    "libstdc++",
    "libfuse",
    "libasan",
    "libubsan",
    "libitm",
    "libatomic",
    "libgomp",
    "libcc1",
    "rpcsvc",
    "libnsl",
    "libtirpc",
    "libcrypt-dev",
    "debconf",
    "debianutils",
];
/// What of the packages is not unpacked: patterns of tar.
const LEFT: [&str; 16] = [
    "./usr/share/[cdilmpz]*",
    "*/gconv/*",
    "*/lto1",
    "*/lto-wrapper",
    "*lto-dump*",
    "*/g++-mapper-server",
    "*/libc.a",
    "*/libm-*.a",
    "*/libgcov*",
    "./usr/include/drm*",
    "./usr/include/rdma*",
    "./usr/include/scsi*",
    "./usr/include/sound*",
    "./usr/include/video*",
    "./usr/include/linux/netfilter*",
    "./usr/include/xen*",
];
/// Packages that tests install, in the folder /packages of the system.
const LOCAL: [&str; 1] = ["hello"];
/// Programs for disks that the guest which prepares disks needs before there is a root file system.
const TOOLS: [&str; 2] = ["dasdfmt", "fdasd"];

/// Makes sure that `root-initrd.img` is beside the guest's other files; fetches only what is not there.
pub(crate) fn prepare(guest: &Guest) -> Outcome {
    let image = guest::folder().join("root-initrd.img");
    let sources = ["guest/install-roots", "guest/root-init"].map(|name| host::root().join(name));
    let made_of = sources.iter().chain([&guest.kernel, &guest.initrd]);
    if !made_of.into_iter().any(|source| guest::newer(source, &image)) {
        return Ok(());
    }
    let Some(mke2fs) = ["mke2fs", "/sbin/mke2fs", "/usr/sbin/mke2fs"].into_iter().find(|name| is_there(name)) else {
        println!("No root file system for tests of disks: mke2fs is not on this machine (apt-get install e2fsprogs).");
        return Ok(());
    };
    let (system, local) = packages()?;
    let folder = guest::folder().join("root");
    if folder.exists() {
        at(&folder, fs::remove_dir_all(&folder))?;
    }
    lay_out(&folder, &system, &local, guest)?;
    let file_system = guest::folder().join("root.ext4");
    let _ = fs::remove_file(&file_system);
    // Room for what tests write, and a small journal.
    let blocks = (usage(&folder)? + (24 << 20)) / 4096;
    run(Command::new(mke2fs)
        .args(["-q", "-F", "-t", "ext4", "-b", "4096", "-L", "root", "-m", "0", "-N", "12000", "-J", "size=4"])
        .args(["-O", "^resize_inode", "-E", "root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0", "-d"])
        .arg(&folder)
        .arg(&file_system)
        .arg(blocks.to_string())
        .stdout(Stdio::null()))?;
    let archive = initramfs(&folder, &file_system)?;
    write_whole(&image, &archive)?;
    at(&file_system, fs::remove_file(&file_system))?;
    at(&folder, fs::remove_dir_all(&folder))?;
    println!("The root file system for tests of disks is ready: {}.", image.display());
    Ok(())
}

fn is_there(program: &str) -> bool {
    if program.starts_with('/') { Path::new(program).exists() } else { host::has(program) }
}

/// The files of the packages that make up the system, and of those that tests install.
fn packages() -> Outcome<(Vec<PathBuf>, Vec<PathBuf>)> {
    let folder = host::cache().join("apt");
    let apt = Apt::new(&folder, None)?;
    let closure =
        |names: &[&str]| apt.with_dependencies(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    let mut names = closure(&PACKAGES)?;
    if names.is_empty() {
        apt.update()?;
        names = closure(&PACKAGES)?;
    }
    names.retain(|name| !UNUSED.iter().any(|unused| name.starts_with(unused)));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    const WHAT: &str = "tests of disks";
    Ok((fetched(&apt, &names, WHAT)?, fetched(&apt, &LOCAL, WHAT)?))
}

/// The files of these packages in `cache/apt`, downloaded if they are not there.
pub(crate) fn fetched(apt: &Apt, names: &[&str], what: &str) -> Outcome<Vec<PathBuf>> {
    let folder = host::cache().join("apt");
    let file = |name: &str| {
        let prefix = format!("{name}_");
        host::files(&folder, |file| file.starts_with(&prefix) && file.ends_with(".deb")).pop()
    };
    let missing: Vec<&str> = names.iter().copied().filter(|name| file(name).is_none()).collect();
    if !missing.is_empty() {
        println!("Fetching {} packages for {what} into {}.", missing.len(), folder.display());
        apt.download(&missing)?;
    }
    let missing = |name: &str| format!("apt-get did not download {name}.");
    names.iter().map(|name| file(name).ok_or_else(|| missing(name).into())).collect()
}

/// Fills `folder` with the system's files.
fn lay_out(folder: &Path, system: &[PathBuf], local: &[PathBuf], guest: &Guest) -> Outcome {
    let folders = [
        "usr/bin", "usr/sbin", "usr/lib", "boot", "dev", "etc", "mnt", "proc", "root", "run", "sys", "tmp", "packages",
    ];
    folders.iter().try_for_each(|name| make_folder(&folder.join(name)))?;
    for name in ["bin", "sbin", "lib"] {
        let link = folder.join(name);
        at(&link, std::os::unix::fs::symlink(format!("usr/{name}"), &link))?;
    }
    let info = folder.join("var/lib/dpkg/info");
    make_folder(&info)?;
    make_folder(&folder.join("var/lib/dpkg/updates"))?;
    let mut status = String::new();
    let known = Apt::new(&host::cache().join("apt"), None)?.with_dependencies(&LOCAL.map(str::to_owned))?;
    for package in system {
        unpack(package, folder, &LEFT)?;
        let about = output(Command::new("dpkg-deb").arg("-f").arg(package))?;
        let field = |name: &str| about.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let name = field("Package:").ok_or_else(|| format!("{} has no name.", package.display()))?;
        // What the packages to be installed depend on; of the rest dependencies are missing, and dpkg would mind.
        if !known.iter().any(|known| known == name) {
            continue;
        }
        let qualified = if field("Multi-Arch:") == Some("same") { format!("{name}:s390x") } else { name.to_owned() };
        let list = info.join(format!("{qualified}.list"));
        at(&list, fs::write(&list, ""))?;
        status += &about.replacen('\n', "\nStatus: install ok installed\n", 1);
        status.push('\n');
    }
    let put = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        at(&path, fs::write(&path, content))
    };
    put("var/lib/dpkg/status", status.as_bytes())?;
    put("var/lib/dpkg/available", b"")?;
    put("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")?;
    put("etc/group", b"root:x:0:\n")?;
    put("boot/vmlinuz", &at(&guest.kernel, fs::read(&guest.kernel))?)?;
    put("boot/initrd.img", &at(&guest.initrd, fs::read(&guest.initrd))?)?;
    for package in local {
        let name = package.file_name().expect("a file has a name").to_string_lossy();
        put(&format!("packages/{name}"), &at(package, fs::read(package))?)?;
    }
    // The shell and all small tools are busybox.
    let busybox = guest::busybox()?;
    put("usr/bin/busybox", &at(&busybox, fs::read(&busybox))?)?;
    let init = host::root().join("guest/root-init");
    put("usr/sbin/init", &at(&init, fs::read(&init))?)?;
    for program in ["usr/bin/busybox", "usr/sbin/init"] {
        let path = folder.join(program);
        at(&path, fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)))?;
    }
    // What Debian's alternatives would make.
    let awk = folder.join("usr/bin/awk");
    at(&awk, std::os::unix::fs::symlink("gawk", &awk))?;
    for tool in SMALL_TOOLS {
        let link = folder.join("usr/bin").join(tool);
        if fs::symlink_metadata(&link).is_err() {
            at(&link, std::os::unix::fs::symlink("busybox", &link))?;
        }
    }
    Ok(())
}

/// What the scripts of s390-tools, dpkg and the system's own init use of busybox.
const SMALL_TOOLS: [&str; 45] = [
    "sh", "[", "basename", "cat", "chmod", "cp", "cut", "date", "dd", "diff", "dirname", "echo", "egrep", "env",
    "expr", "false", "grep", "head", "ln", "ls", "mkdir", "mknod", "mount", "mv", "poweroff", "printf", "readlink",
    "realpath", "rm", "sed", "seq", "sleep", "sort", "stat", "sync", "tail", "test", "touch", "tr", "true", "umount",
    "uname", "uniq", "wc", "yes",
];

/// Unpacks the files of a package but for those of these patterns.
pub(crate) fn unpack(package: &Path, folder: &Path, left: &[&str]) -> Outcome {
    extract(package, folder, &left.iter().map(|pattern| format!("--exclude={pattern}")).collect::<Vec<_>>())
}

/// Unpacks the files of a package that these patterns name.
pub(crate) fn unpack_only(package: &Path, folder: &Path, wanted: &[&str]) -> Outcome {
    let wanted = wanted.iter().map(|&pattern| pattern.to_owned());
    extract(package, folder, &["--wildcards".to_owned()].into_iter().chain(wanted).collect::<Vec<_>>())
}

fn extract(package: &Path, folder: &Path, what: &[String]) -> Outcome {
    let mut stream = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
    let stream = stream.as_mut().map_err(|error| format!("dpkg-deb could not be started: {error}."))?;
    let archive = stream.stdout.take().expect("the output is piped");
    let mut tar = Command::new("tar");
    tar.args(["-x", "--no-same-owner", "--keep-directory-symlink", "-C"]).arg(folder);
    run(tar.args(what).stdin(archive))?;
    at(package, stream.wait())?;
    Ok(())
}

/// Bytes that the files below `folder` take in blocks of 4096.
fn usage(folder: &Path) -> Outcome<u64> {
    let mut sum = 4096;
    for entry in at(folder, fs::read_dir(folder))?.flatten() {
        let path = entry.path();
        let data = at(&path, fs::symlink_metadata(&path))?;
        sum += if data.is_dir() { usage(&path)? } else { data.len().next_multiple_of(4096) };
    }
    Ok(sum)
}

/// The initramfs of the guest that prepares disks.
fn initramfs(folder: &Path, file_system: &Path) -> Outcome<Vec<u8>> {
    let mut archive = Archive::default();
    ["bin", "dev", "lib", "proc", "sbin", "sys", "modules"].iter().for_each(|name| archive.directory(name));
    // The kernel opens its console before init has mounted anything.
    archive.character_device("dev/console", 5, 1);
    let mut program = |name: &str, path: &Path| -> Outcome {
        archive.program(name, &at(path, fs::read(path))?);
        Ok(())
    };
    program("init", &host::root().join("guest/install-roots"))?;
    program("bin/busybox", &folder.join("usr/bin/busybox"))?;
    for tool in TOOLS {
        program(&format!("sbin/{tool}"), &folder.join("usr/sbin").join(tool))?;
    }
    let libraries = folder.join("usr/lib/s390x-linux-gnu");
    program("lib/ld64.so.1", &libraries.join("ld64.so.1"))?;
    program("lib/libc.so.6", &libraries.join("libc.so.6"))?;
    for module in guest::modules() {
        let name = module.file_name().expect("a file has a name").to_string_lossy();
        program(&format!("modules/{name}"), &module)?;
    }
    program("root.ext4", file_system)?;
    Ok(archive.finish())
}
