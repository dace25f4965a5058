//! The guest that tests, benches and people IPL: Debian's kernel for s390x as it comes, and an initramfs around
//! Debian's static busybox.
//!
//! The packages are taken as those of a foreign architecture through a private apt state in `cache/apt`: the host's
//! dpkg configuration, its package lists and its installed packages stay as they are, and no privilege is needed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::host::{self, Outcome, at, make_folder, run, write_whole};
use debian::apt::{Apt, by_version};
use debian::cpio::Archive;

/// The guest's files.
pub(crate) struct Guest {
    /// The kernel, as the package has it: a raw image whose entry point is in its first bytes.
    pub kernel: PathBuf,
    /// The initramfs with a shell (`guest/init` says what it understands).
    pub initrd: PathBuf,
}

/// The folder of the finished images.
pub(crate) fn folder() -> PathBuf {
    host::cache().join("guest")
}

/// Makes sure kernel and initramfs are in [`folder`]; fetches only what is not there.
pub(crate) fn prepare() -> Outcome<Guest> {
    let folder = folder();
    let guest = Guest { kernel: folder.join("kernel.img"), initrd: folder.join("initrd.img") };
    // What goes into it: the first process, and the modules that are named here.
    let parts = ["guest/init", "xtask/src/guest.rs"].map(|name| host::root().join(name));
    if !guest.kernel.exists() || parts.iter().any(|part| newer(part, &guest.initrd)) {
        let packages = packages()?;
        make_folder(&folder)?;
        let unpacked = unpack(&packages)?;
        let kernel = host::files(&unpacked.join("boot"), |name| name.starts_with("vmlinuz-"));
        let kernel = kernel.last().ok_or("The kernel's package has no boot/vmlinuz.")?;
        write_whole(&guest.kernel, &at(kernel, fs::read(kernel))?)?;
        write_whole(&guest.initrd, &gzip(&initramfs(&[])?)?)?;
        println!("The guest is ready: {} and {}.", guest.kernel.display(), guest.initrd.display());
    }
    Ok(guest)
}

/// The programs of the benches' initramfs and the C sources of each, in `benches/guest`.
const BENCHES: [(&str, &[&str]); 5] = [
    ("bench", &["main.c", "cpu.c", "mem.c", "fp.c", "str.c", "dec.c", "sys.c", "job.c"]),
    ("tiny", &["tiny.c"]),
    ("probe", &["probe.c"]),
    ("disk", &["disk.c"]),
    ("net", &["net.c"]),
];

/// Makes sure the benches' initramfs is there too and returns it; this one needs the cross compiler.
pub(crate) fn prepare_benches() -> Outcome<PathBuf> {
    prepare()?;
    let image = folder().join("bench-initrd.img");
    let sources = host::root().join("benches/guest");
    let sources_newer = host::files(&sources, |_| true).iter().any(|source| newer(source, &image));
    if !sources_newer && !newer(&host::root().join("guest/init"), &image) {
        return Ok(image);
    }
    let compiler = env::var("S390X_CC").unwrap_or_else(|_| "s390x-linux-gnu-gcc".into());
    if !host::has(&compiler) {
        return Err(
            "The benchmarks need a C compiler for s390x: apt-get install gcc-s390x-linux-gnu libc6-dev-s390x-cross, \
                    or name one in S390X_CC."
                .into(),
        );
    }
    let built = folder().join("programs");
    make_folder(&built)?;
    let mut programs = Vec::new();
    for (name, files) in BENCHES {
        let program = built.join(name);
        // The probe tests single instructions: an optimizer that moves them about is of no use.
        let optimize = if name == "probe" { "-O1" } else { "-O2" };
        let mut compile = Command::new(&compiler);
        compile.args([optimize, "-Wall", "-Wextra", "-fno-math-errno", "-static", "-s", "-march=z10", "-o"]);
        run(compile.arg(&program).args(files.iter().map(|file| sources.join(file))))?;
        programs.push((format!("bin/{name}"), at(&program, fs::read(&program))?));
    }
    unpack(&packages()?)?;
    write_whole(&image, &gzip(&initramfs(&programs)?)?)?;
    println!("The benches' guest is ready: {}.", image.display());
    Ok(image)
}

/// The benchmarks compiled for the host itself; returns the program, beside which the one stands that it starts.
pub(crate) fn prepare_native() -> Outcome<PathBuf> {
    let built = folder().join("native");
    make_folder(&built)?;
    let sources = host::root().join("benches/guest");
    let program = built.join("bench");
    if host::files(&sources, |_| true).iter().any(|source| newer(source, &program)) {
        // What is last is what says that all are there.
        for (name, files) in BENCHES.iter().rev().filter(|(name, _)| *name != "probe") {
            let mut compile = Command::new("cc");
            compile.args(["-O2", "-Wall", "-Wextra", "-fno-math-errno", "-static", "-s", "-o"]).arg(built.join(name));
            run(compile.args(files.iter().map(|file| sources.join(file))))?;
        }
    }
    Ok(program)
}

/// Whether `source` changed after `made` was made; also when `made` is not there.
pub(crate) fn newer(source: &Path, made: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    match (time(source), time(made)) {
        (_, None) => true,
        (source, made) => source > made,
    }
}

/// Where the packages are unpacked.
fn unpacked() -> PathBuf {
    folder().join("unpacked")
}

/// The unpacked busybox.
pub(crate) fn busybox() -> Outcome<PathBuf> {
    let places = ["bin/busybox", "usr/bin/busybox"].map(|name| unpacked().join(name));
    places.into_iter().find(|path| path.exists()).ok_or_else(|| "busybox-static's package has no bin/busybox.".into())
}

/// The unpacked modules of the kernel.
pub(crate) fn modules() -> Vec<PathBuf> {
    host::files(&unpacked().join("modules"), |name| name.ends_with(".ko"))
}

fn initramfs(programs: &[(String, Vec<u8>)]) -> Outcome<Vec<u8>> {
    let busybox = busybox()?;
    let init = host::root().join("guest/init");
    let mut archive = Archive::default();
    archive.directory("bin");
    archive.directory("dev");
    // The kernel opens its console before init has mounted anything.
    archive.character_device("dev/console", 5, 1);
    archive.program("bin/busybox", &at(&busybox, fs::read(&busybox))?);
    for (name, content) in programs {
        archive.program(name, content);
    }
    archive.directory("modules");
    for module in modules() {
        let name = module.file_name().expect("a file has a name").to_string_lossy();
        archive.program(&format!("modules/{name}"), &at(&module, fs::read(&module))?);
    }
    archive.program("init", &at(&init, fs::read(&init))?);
    Ok(archive.finish())
}

fn gzip(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let raw = folder().join("initramfs.cpio");
    write_whole(&raw, bytes)?;
    let mut command = Command::new("gzip");
    let result = command.args(["-9", "-n", "-c"]).arg(&raw).stderr(Stdio::inherit()).output();
    let result = result.map_err(|error| format!("gzip could not be started: {error}."))?;
    at(&raw, fs::remove_file(&raw))?;
    if result.status.success() { Ok(result.stdout) } else { Err("gzip could not pack the initramfs.".into()) }
}

/// Unpacks the packages' files into one folder and returns it.
fn unpack(packages: &[PathBuf]) -> Outcome<PathBuf> {
    let folder = unpacked();
    if folder.exists() {
        at(&folder, fs::remove_dir_all(&folder))?;
    }
    make_folder(&folder)?;
    for package in packages {
        // The modules are most of the kernel's package, and of those only a few are loaded by a test.
        let mut stream = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
        let stream = stream.as_mut().map_err(|error| format!("dpkg-deb could not be started: {error}."))?;
        let archive = stream.stdout.take().expect("the output is piped");
        let mut tar = Command::new("tar");
        run(tar
            .args(["-x", "-C"])
            .arg(&folder)
            .args(["--exclude=./lib/modules", "--exclude=./usr/lib/modules"])
            .stdin(archive))?;
        stream.wait().map_err(|error| format!("dpkg-deb: {error}."))?;
        unpack_modules(package, &folder.join("modules"), &MODULES)?;
    }
    Ok(folder)
}

/// Modules of the kernel that tests load: networks between guests, over IUCV, with cards and channels; random numbers;
/// disks, what is on them, and machines of a guest's own; folders of the host, and other devices of virtio; records of
/// CP's monitor, and data for them.
const MODULES: [&str; 42] = [
    "fsm.ko",
    "netiucv.ko",
    "af_iucv.ko",
    "smsgiucv_app.ko",
    "dasd_mod.ko",
    "dasd_eckd_mod.ko",
    "dasd_fba_mod.ko",
    "dasd_diag_mod.ko",
    "kvm.ko",
    "crc32c_generic.ko",
    "crc16.ko",
    "mbcache.ko",
    "jbd2.ko",
    "ext4.ko",
    "virtio_blk.ko",
    "failover.ko",
    "net_failover.ko",
    "virtio_net.ko",
    "virtio-rng.ko",
    "ccwgroup.ko",
    "ctcm.ko",
    "lcs.ko",
    "llc.ko",
    "stp.ko",
    "bridge.ko",
    "qeth.ko",
    "qeth_l2.ko",
    "qeth_l3.ko",
    "netfs.ko",
    "fscache.ko",
    "9pnet.ko",
    "9pnet_virtio.ko",
    "9p.ko",
    "virtio_console.ko",
    "vsock.ko",
    "vmw_vsock_virtio_transport_common.ko",
    "vmw_vsock_virtio_transport.ko",
    "virtio_balloon.ko",
    "monreader.ko",
    "monwriter.ko",
    "appldata_mem.ko",
    "appldata_os.ko",
];

/// Unpacks those of these modules that `package` has into `folder`. A kernel may have them built in, or no longer.
pub(crate) fn unpack_modules(package: &Path, folder: &Path, names: &[&str]) -> Outcome {
    make_folder(folder)?;
    let mut stream = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
    let stream = stream.as_mut().map_err(|error| format!("dpkg-deb could not be started: {error}."))?;
    let archive = stream.stdout.take().expect("the output is piped");
    let mut tar = Command::new("tar");
    tar.args(["-x", "--wildcards", "--transform=s,.*/,,", "-C"]).arg(folder).stdin(archive).stderr(Stdio::null());
    tar.args(names.iter().map(|module| format!("*/{module}")));
    // What the package does not have, tar calls a failure.
    let _ = tar.status().map_err(|error| format!("tar could not be started: {error}."))?;
    stream.wait().map_err(|error| format!("dpkg-deb: {error}."))?;
    Ok(())
}

/// The two packages' files in `cache/apt`, downloaded if they are not there: the kernel's, and busybox's.
pub(crate) fn packages() -> Outcome<Vec<PathBuf>> {
    let folder = host::cache().join("apt");
    let cached = |prefix: &'static str| {
        let mut found = host::files(&folder, |name| name.starts_with(prefix) && name.ends_with("_s390x.deb"));
        found.sort_by(|a, b| by_version(&a.to_string_lossy(), &b.to_string_lossy()));
        found.pop()
    };
    let both = || Some(vec![cached("linux-image-")?, cached("busybox-static_")?]);
    if let Some(files) = both() {
        return Ok(files);
    }
    if !host::has("apt-get") || !host::has("dpkg-deb") {
        return Err(format!(
            "This machine has no apt-get and dpkg-deb to fetch the guest's packages with: put a kernel.img and an \
             initrd.img \
             for s390x into {} by hand.",
            self::folder().display()
        )
        .into());
    }
    let apt = Apt::new(&folder, None)?;
    println!("Fetching Debian's kernel and busybox for s390x into {} (about 35 MB).", folder.display());
    let by_hand = |why: String| {
        let lay = "Or lay the two packages linux-image-*_s390x.deb and busybox-static_*_s390x.deb into";
        format!("{why} {lay} {}.", folder.display())
    };
    apt.update().map_err(by_hand)?;
    let kernel = apt.newest_kernel().map_err(by_hand)?;
    apt.download(&[&kernel, "busybox-static"]).map_err(by_hand)?;
    both().ok_or_else(|| "apt-get downloaded something else than the guest's packages.".into())
}
