//! The guest of `cargo x bench real`: programs that people run, as Debian packages them for s390x, in one initramfs
//! that is not compressed, so that unpacking it is a copy. `benches/real` has its init and the tests.
//!
//! Maintainer scripts of the packages do not run; what the tests need of what they would make is made here.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::guest;
use crate::host::{self, Outcome, at, make_folder, write_whole};
use crate::root;
use debian::apt::Apt;
use debian::cpio::Archive;

/// What the tests run; their dependencies are taken, too.
const PACKAGES: [&str; 26] = [
    "bash",
    "binutils",
    "busybox-static",
    "coreutils",
    "dash",
    "diffutils",
    "findutils",
    "gcc",
    "git",
    "grep",
    "gzip",
    "jq",
    "libc6-dev",
    "lua5.4",
    "mawk",
    "nodejs",
    "openjdk-17-jre-headless",
    "openssl",
    "perl",
    "postgresql-15",
    "python3",
    "sed",
    "sqlite3",
    "xz-utils",
    "zstd",
    "libgcc-s1",
];
/// Dependencies that no test uses: beginnings of names of packages.
const UNUSED: [&str; 60] = [
    "adduser",
    "ca-certificates",
    "debconf",
    "dpkg",
    "fontconfig",
    "fonts-",
    "git-man",
    "init-system",
    "java-common",
    "libasan",
    "libasound",
    "libavahi",
    "libcommon-sense",
    "libcups",
    "libdbus",
    "libdebconf",
    "liberror-",
    "libfontconfig",
    "libfreetype",
    "libgraphite2",
    "libharfbuzz",
    "libjpeg62",
    "libjson-perl",
    "libjson-xs",
    "liblcms2",
    "libllvm",
    "libnspr4",
    "libnss3",
    "libpam-modules-bin",
    "libpam-runtime",
    "libpcsclite1",
    "libpng16",
    "libsemanage",
    "libsepol",
    "libtypes-serialiser",
    "libubsan",
    "linux-libc-dev-",
    "locales",
    "login",
    "libc-l10n",
    "media-types",
    "mount",
    "netbase",
    "node-undici-",
    "passwd",
    "postgresql-client-common",
    "postgresql-common",
    "readline-common",
    "sensible",
    "ssl-cert",
    "sysvinit",
    "tar",
    "ucf",
    "util-linux",
    "xz-utils-",
    "libgl",
    "libx11",
    "libxcb",
    "x11-common",
    "libgif",
];
/// What of the packages is not unpacked: patterns of tar.
const LEFT: [&str; 36] = [
    "./usr/share/doc",
    "./usr/share/man",
    "./usr/share/locale",
    "./usr/share/info",
    "./usr/share/lintian",
    "./usr/share/icons",
    "./usr/share/bash-completion",
    "./usr/share/nodejs/@types",
    "./usr/share/gdb",
    "./usr/share/i18n",
    "./usr/share/gitweb",
    "./usr/share/perl/*/unicore/Name.pl",
    "./usr/share/perl/*/pod",
    "*/Unicode/Collate*",
    "./usr/share/zoneinfo/[A-Zpr]*",
    "*lto-dump*",
    "./usr/bin/*-gold",
    "./usr/bin/*-dwp",
    "./usr/bin/*gp-*",
    "*gprof*",
    "./usr/bin/*gcov*",
    "*/lto1",
    "*/gconv/*",
    "*/lib*.a",
    "*/perl/*/CORE",
    "*/auto/Encode/[CEJKST]*",
    "*/git-http-*",
    "*/git-imap-send",
    "*/git-daemon",
    "*/scalar",
    "*/bitcode",
    "*/llvmjit*",
    "*/lib/ct.sym",
    "*/classes_nocoops.jsa",
    "*/python3.11/test",
    "*/__pycache__",
];
/// Archives that the linker wants all the same.
const WANTED: &str = "libc_nonshared.a";

/// The names of the tests, in the order in which they run.
pub(crate) fn tests() -> Outcome<Vec<String>> {
    let list = host::root().join("benches/real/tests/LIST");
    let text = at(&list, fs::read_to_string(&list))?;
    Ok(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

/// Makes sure that the initramfs is there, and returns it; fetches only what is not there.
pub(crate) fn prepare() -> Outcome<PathBuf> {
    let image = guest::folder().join("real-initrd.img");
    let sources = host::root().join("benches/real");
    let tests = host::files(&sources.join("tests"), |_| true);
    if !tests.iter().chain([&sources.join("init")]).any(|source| guest::newer(source, &image)) {
        return Ok(image);
    }
    let packages = packages()?;
    let folder = guest::folder().join("real");
    if folder.exists() {
        at(&folder, fs::remove_dir_all(&folder))?;
    }
    println!("Unpacking {} packages into {}.", packages.len(), folder.display());
    lay_out(&folder, &packages, &tests, &sources.join("init"))?;
    let mut archive = Archive::default();
    archive.character_device("dev/console", 5, 1);
    add(&mut archive, &folder, Path::new(""), &mut HashMap::new())?;
    write_whole(&image, &archive.finish())?;
    at(&folder, fs::remove_dir_all(&folder))?;
    println!("The guest with real programs is ready: {}.", image.display());
    Ok(image)
}

/// The files of the packages.
fn packages() -> Outcome<Vec<PathBuf>> {
    let apt = Apt::new(&host::cache().join("apt"), None)?;
    let wanted = PACKAGES.map(str::to_owned);
    let mut names = apt.with_dependencies(&wanted)?;
    if names.is_empty() {
        apt.update()?;
        names = apt.with_dependencies(&wanted)?;
    }
    names.retain(|name| !UNUSED.iter().any(|unused| name.starts_with(unused)) || wanted.contains(name));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    root::fetched(&apt, &names, "real programs")
}

/// Fills `folder` with the guest's files.
fn lay_out(folder: &Path, packages: &[PathBuf], tests: &[PathBuf], init: &Path) -> Outcome {
    for name in [
        "usr/bin",
        "usr/sbin",
        "usr/lib",
        "usr/lib64",
        "dev",
        "proc",
        "sys",
        "tmp",
        "run",
        "etc/ld.so.conf.d",
        "var/tmp",
        "tests",
    ] {
        make_folder(&folder.join(name))?;
    }
    let link = |name: &str, target: &str| {
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        at(&path, symlink(target, &path))
    };
    for name in ["bin", "sbin", "lib", "lib64"] {
        link(name, &format!("usr/{name}"))?;
    }
    for package in packages {
        root::unpack(package, folder, &LEFT)?;
        if package.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libc6-dev_")) {
            root::unpack_only(package, folder, &[&format!("*/{WANTED}")])?;
        }
    }
    link("usr/bin/sh", "dash")?;
    link("usr/bin/awk", "mawk")?;
    link("usr/bin/java", "/usr/lib/jvm/java-17-openjdk-s390x/bin/java")?;
    let put = |name: &str, content: &str| {
        let path = folder.join(name);
        at(&path, fs::write(&path, content))
    };
    put(
        "etc/passwd",
        "root:x:0:0:root:/tmp:/bin/sh\npostgres:x:101:101::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    )?;
    put("etc/group", "root:x:0:\npostgres:x:101:\nnogroup:x:65534:\n")?;
    put("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")?;
    put("etc/hosts", "127.0.0.1 localhost\n")?;
    put("etc/ld.so.conf", "/usr/lib/s390x-linux-gnu\n")?;
    for (source, name) in tests.iter().map(|test| (test, "tests")).chain([(&init.to_path_buf(), "")]) {
        let to = folder.join(name).join(source.file_name().expect("a file has a name"));
        at(&to, fs::copy(source, &to))?;
        at(&to, fs::set_permissions(&to, fs::Permissions::from_mode(0o755)))?;
    }
    Ok(())
}

/// Adds what is in a folder, in the order of names. A file that has several names costs its size once: the others are
/// links to it.
fn add(archive: &mut Archive, root: &Path, within: &Path, known: &mut HashMap<u64, String>) -> Outcome {
    let folder = root.join(within);
    let mut entries: Vec<_> = at(&folder, fs::read_dir(&folder))?.flatten().map(|entry| entry.file_name()).collect();
    entries.sort();
    for name in entries {
        let inner = within.join(name);
        let (path, name) = (root.join(&inner), inner.to_string_lossy());
        let about = at(&path, fs::symlink_metadata(&path))?;
        if about.is_dir() {
            archive.directory(&name);
            add(archive, root, &inner, known)?;
        } else if about.is_symlink() {
            archive.link(&name, &at(&path, fs::read_link(&path))?.to_string_lossy());
        } else if let Some(first) = known.get(&about.ino()) {
            archive.link(&name, &format!("/{first}"));
        } else {
            archive.file(&name, about.mode() & 0o111 != 0, &at(&path, fs::read(&path))?);
            if about.nlink() > 1 {
                known.insert(about.ino(), name.into_owned());
            }
        }
    }
    Ok(())
}
