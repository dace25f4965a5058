//! The guest that tests, benches and people IPL: Debian's kernel for s390x as it comes, and an initramfs around
//! Debian's static busybox.
//!
//! The packages are taken as those of a foreign architecture through a private apt state in `cache/apt`: the host's
//! dpkg configuration, its package lists and its installed packages stay as they are, and no privilege is needed.

use std::cmp::Ordering;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cpio::Archive;
use crate::host::{self, Outcome, at, make_folder, output, run, write_whole};

/// The guest's files.
pub struct Guest {
    /// The kernel, as the package has it: a raw image whose entry point is in its first bytes.
    pub kernel: PathBuf,
    /// The initramfs with a shell (`guest/init` says what it understands).
    pub initrd: PathBuf,
}

/// The folder of the finished images.
pub fn folder() -> PathBuf {
    host::cache().join("guest")
}

/// Makes sure kernel and initramfs are in [`folder`]; fetches only what is not there.
pub fn prepare() -> Outcome<Guest> {
    let folder = folder();
    let guest = Guest { kernel: folder.join("kernel.img"), initrd: folder.join("initrd.img") };
    let init = host::root().join("guest/init");
    if !guest.kernel.exists() || newer(&init, &guest.initrd) {
        let packages = packages()?;
        make_folder(&folder)?;
        let unpacked = unpack(&packages)?;
        let kernel = host::files(&unpacked.join("boot"), |name| name.starts_with("vmlinuz-"));
        let kernel = kernel.last().ok_or("The kernel's package has no boot/vmlinuz.")?;
        write_whole(&guest.kernel, &at(kernel, fs::read(kernel))?)?;
        write_whole(&guest.initrd, &gzip(&initramfs(&unpacked, &[])?)?)?;
        println!("The guest is ready: {} and {}.", guest.kernel.display(), guest.initrd.display());
    }
    Ok(guest)
}

/// The programs of the benches' initramfs and the C sources of each, in `benches/guest`.
const BENCHES: [(&str, &[&str]); 3] = [
    ("bench", &["main.c", "cpu.c", "mem.c", "fp.c", "str.c", "sys.c"]),
    ("tiny", &["tiny.c"]),
    ("probe", &["probe.c"]),
];

/// Makes sure the benches' initramfs is there too and returns it; this one needs the cross compiler.
pub fn prepare_benches() -> Outcome<PathBuf> {
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
        // The probe tests single instructions: an optimizer that moves them about helps nobody.
        let optimize = if name == "probe" { "-O1" } else { "-O2" };
        let mut compile = Command::new(&compiler);
        compile.args([optimize, "-Wall", "-Wextra", "-fno-math-errno", "-static", "-s", "-march=z10", "-o"]);
        run(compile.arg(&program).args(files.iter().map(|file| sources.join(file))))?;
        programs.push((format!("bin/{name}"), at(&program, fs::read(&program))?));
    }
    let unpacked = unpack(&packages()?)?;
    write_whole(&image, &gzip(&initramfs(&unpacked, &programs)?)?)?;
    println!("The benches' guest is ready: {}.", image.display());
    Ok(image)
}

/// Whether `source` changed after `made` was made; also when `made` is not there.
fn newer(source: &Path, made: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    match (time(source), time(made)) {
        (_, None) => true,
        (source, made) => source > made,
    }
}

fn initramfs(unpacked: &Path, programs: &[(String, Vec<u8>)]) -> Outcome<Vec<u8>> {
    let busybox = ["bin/busybox", "usr/bin/busybox"].map(|name| unpacked.join(name));
    let busybox = busybox.iter().find(|path| path.exists()).ok_or("busybox-static's package has no bin/busybox.")?;
    let init = host::root().join("guest/init");
    let mut archive = Archive::default();
    archive.directory("bin");
    archive.directory("dev");
    // The kernel opens its console before init has mounted anything.
    archive.character_device("dev/console", 5, 1);
    archive.program("bin/busybox", &at(busybox, fs::read(busybox))?);
    for (name, content) in programs {
        archive.program(name, content);
    }
    archive.directory("modules");
    for module in host::files(&unpacked.join("modules"), |name| name.ends_with(".ko")) {
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
    let folder = host::cache().join("guest/unpacked");
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
        unpack_modules(package, &folder.join("modules"))?;
    }
    Ok(folder)
}

/// Modules of the kernel that tests load: networks between guests over IUCV, and disks.
const MODULES: [&str; 8] = [
    "fsm.ko",
    "netiucv.ko",
    "af_iucv.ko",
    "smsgiucv_app.ko",
    "dasd_mod.ko",
    "dasd_eckd_mod.ko",
    "dasd_fba_mod.ko",
    "dasd_diag_mod.ko",
];

/// Unpacks the modules that `package` has of [`MODULES`] into `folder`. A kernel may have them built in, or no longer.
fn unpack_modules(package: &Path, folder: &Path) -> Outcome {
    make_folder(folder)?;
    let mut stream = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
    let stream = stream.as_mut().map_err(|error| format!("dpkg-deb could not be started: {error}."))?;
    let archive = stream.stdout.take().expect("the output is piped");
    let mut tar = Command::new("tar");
    tar.args(["-x", "--wildcards", "--transform=s,.*/,,", "-C"]).arg(folder).stdin(archive).stderr(Stdio::null());
    tar.args(MODULES.map(|module| format!("*/{module}")));
    // What the package does not have, tar calls a failure.
    let _ = tar.status().map_err(|error| format!("tar could not be started: {error}."))?;
    stream.wait().map_err(|error| format!("dpkg-deb: {error}."))?;
    Ok(())
}

/// The two packages' files in `cache/apt`, downloaded if they are not there.
fn packages() -> Outcome<Vec<PathBuf>> {
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
            "This machine has no apt-get and dpkg-deb to fetch the guest's packages with: put a kernel.img and an initrd.img \
             for s390x into {} by hand.",
            self::folder().display()
        )
        .into());
    }
    let apt = Apt::new(&folder)?;
    println!("Fetching Debian's kernel and busybox for s390x into {} (about 35 MB).", folder.display());
    apt.run("apt-get", &["-qq", "update"])?;
    let kernel = newest_kernel(&apt.output("apt-cache", &["pkgnames", "linux-image-"])?).ok_or_else(|| {
        format!(
            "Debian's list of packages for s390x could not be fetched: this needs the network once, or the two packages \
             linux-image-*_s390x.deb and busybox-static_*_s390x.deb laid into {}.",
            folder.display()
        )
    })?;
    apt.run("apt-get", &["-q", "download", &kernel, "busybox-static"])?;
    both().ok_or_else(|| "apt-get downloaded something else than the guest's packages.".into())
}

/// The newest kernel by version among names of packages; flavours, debug symbols and meta packages are passed over.
fn newest_kernel(names: &str) -> Option<String> {
    let versioned = |name: &&str| {
        let middle = name.strip_prefix("linux-image-").and_then(|rest| rest.strip_suffix("-s390x"));
        middle.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    names.lines().map(str::trim).filter(versioned).max_by(|a, b| by_version(a, b)).map(str::to_owned)
}

/// Orders names as a person would: runs of digits by their value, everything else by its letters.
fn by_version(a: &str, b: &str) -> Ordering {
    fn parts(text: &str) -> Vec<(&str, u64)> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            let digits = rest[letters..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| letters + n);
            parts.push((&rest[..letters], rest[letters..digits].parse().unwrap_or(0)));
            rest = &rest[digits..];
        }
        parts
    }
    parts(a).cmp(&parts(b))
}

/// apt with a state of its own.
struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    fn new(folder: &Path) -> Outcome<Apt> {
        for part in ["lists/partial", "cache/archives/partial"] {
            make_folder(&folder.join(part))?;
        }
        // apt wants absolute names.
        let folder = at(folder, fs::canonicalize(folder))?;
        let here = folder.display();
        let mut options = vec![
            "APT::Architecture=s390x".to_owned(),
            "APT::Architectures=s390x".to_owned(),
            format!("Dir::State::Lists={here}/lists"),
            format!("Dir::Cache={here}/cache"),
            "Dir::State::status=/dev/null".to_owned(),
            // Nothing is installed, and the folder may not be readable for apt's own user.
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Languages=none".to_owned(),
        ];
        if !is_debian() {
            let list = folder.join("debian.list");
            write_whole(&list, debian_source()?.as_bytes())?;
            options.push(format!("Dir::Etc::sourcelist={}", list.display()));
            options.push("Dir::Etc::sourceparts=/dev/null".to_owned());
        }
        Ok(Apt { folder, options })
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        for option in &self.options {
            command.args(["-o", option]);
        }
        command.args(arguments);
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Outcome {
        run(&mut self.command(program, arguments)).map_err(|failure| {
            format!("{} Fetching the guest's packages needs the network and Debian's archive once.", failure.0).into()
        })
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Outcome<String> {
        output(&mut self.command(program, arguments))
    }
}

fn is_debian() -> bool {
    fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=debian"))
}

/// On other Debian-like hosts the archive is Debian's stable release, at the address their own apt templates give for
/// it, or the one in `DEBIAN_MIRROR`.
fn debian_source() -> Outcome<String> {
    const TEMPLATE: &str = "/usr/share/python-apt/templates/Debian.info";
    const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let missing = "Fetching Debian's packages on this host needs two of its own: \
                   apt-get install debian-archive-keyring python-apt-common.";
    if !Path::new(KEYS).exists() {
        return Err(missing.into());
    }
    let mirror = match env::var("DEBIAN_MIRROR") {
        Ok(mirror) => mirror,
        Err(_) => fs::read_to_string(TEMPLATE)
            .ok()
            .and_then(|text| text.lines().find_map(|line| line.strip_prefix("BaseURI: ").map(str::to_owned)))
            .ok_or(missing)?,
    };
    Ok(format!("deb [signed-by={KEYS}] {} stable main\n", mirror.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_kernel_is_chosen_by_number_and_flavours_are_passed_over() {
        let names = "linux-image-6.1.0-9-s390x\nlinux-image-6.1.0-50-s390x\nlinux-image-6.1.0-51-s390x-dbg\n\
                     linux-image-s390x\nlinux-image-6.1.0-49-s390x\n";
        assert_eq!(newest_kernel(names).as_deref(), Some("linux-image-6.1.0-50-s390x"));
        assert_eq!(newest_kernel("linux-image-s390x\n"), None);
        assert_eq!(
            newest_kernel("linux-image-6.12.9+deb13-s390x\nlinux-image-6.12.48+deb13-s390x").as_deref(),
            Some("linux-image-6.12.48+deb13-s390x")
        );
    }
}
