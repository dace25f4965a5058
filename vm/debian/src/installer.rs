//! The RAM disk of a guest that installs Debian on a disk: busybox, `init.sh`, the kernel's modules for disks, and all
//! packages. It runs by itself, tells its steps on the console ([`Step`]) and powers off.

use crate::apt::Apt;
use crate::cpio::Archive;
use crate::kernel::{Kernel, tar};
use crate::{Scratch, at};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is to be installed.
pub struct Plan {
    /// The disk's device number in the guest: `0.0.0200`.
    pub device: String,
    /// Whether the disk is to be formatted by dasdfmt first, with this volume serial.
    pub format: Option<String>,
    /// The host name of the installed system.
    pub hostname: String,
    /// A user to add beside root.
    pub user: Option<String>,
    /// Root's and the user's password.
    pub password: String,
    /// Public keys that may log in, one a line, as ssh has them.
    pub authorized_keys: Option<String>,
    /// A script that runs when the system starts for the first time.
    pub first_boot: Option<Vec<u8>>,
    /// Packages beyond those that a bootable system with a shell, a network and sshd needs.
    pub packages: Vec<String>,
    /// More for the kernel's command line.
    pub append: String,
}

/// What makes a system of Debian's required packages one that starts from a disk and can be logged on to at its
/// console.
const SYSTEM: [&str; 9] = [
    "apt",
    "linux-image-s390x",
    "s390-tools",
    "initramfs-tools",
    "systemd-sysv",
    "dbus",
    "udev",
    "e2fsprogs",
    "debian-archive-keyring",
];

/// What gives it a network: an address by DHCP, names, users who come by ssh, and servers that can be trusted: the
/// sources of packages may be one. systemd itself has the first.
const NETWORK: [&str; 4] = ["systemd-resolved", "iproute2", "openssh-server", "ca-certificates"];

/// Where a release has them as packages of their own, these belong to a network, too.
const SPLIT: [&str; 1] = ["systemd-networkd"];

/// What the programs that format a disk need, unpacked in the RAM disk.
const TOOLS: [&str; 8] =
    ["libc6", "s390-tools", "e2fsprogs", "libext2fs2", "libcom-err2", "libss2", "libblkid1", "libuuid1"];

/// Modules in the order in which they are loaded; one that the kernel has built in is not there.
const MODULES: [&str; 9] = [
    "crc32c_generic",
    "crc16",
    "mbcache",
    "jbd2",
    "ext4",
    "dasd_mod",
    "dasd_diag_mod",
    "dasd_eckd_mod",
    "dasd_fba_mod",
];

/// The installing guest.
pub struct Installer {
    /// The kernel's image.
    pub kernel: Vec<u8>,
    /// The RAM disk that the kernel begins with.
    pub initrd: Vec<u8>,
    /// How many packages are installed.
    pub packages: usize,
}

impl Installer {
    /// Fetches what `plan` needs through `apt` and puts the guest together.
    pub fn new(apt: &Apt, plan: &Plan) -> Result<Installer, String> {
        let required = apt.required()?;
        let base: BTreeSet<String> = apt.with_dependencies(&required)?.into_iter().collect();
        let mut wanted = required;
        wanted.extend(SYSTEM.map(str::to_owned));
        wanted.extend(NETWORK.map(str::to_owned));
        wanted.extend(apt.known(&SPLIT)?);
        wanted.extend(plan.packages.iter().cloned());
        let mut fetched = apt.fetch(&wanted)?;
        let busybox = apt.fetch(&["busybox-static".to_owned()])?;
        let busybox = busybox.into_iter().find(|(name, _)| name == "busybox-static");
        let (_, busybox) = busybox.ok_or("apt-get did not fetch busybox-static.")?;
        fetched.sort();
        let file = |package: &str| fetched.iter().find(|(name, _)| name == package).map(|(_, file)| file.as_path());
        // Which of them has the kernel differs: the meta package linux-image-s390x only depends on it.
        let kernel: Vec<PathBuf> =
            fetched.iter().filter(|(name, _)| name.starts_with("linux-")).map(|(_, file)| file.clone()).collect();
        let kernel = Kernel::find(&kernel)?;
        let scratch = Scratch::new(&std::env::temp_dir().join(format!("endicott-debian-{}", std::process::id())))?;
        let scratch = scratch.path();
        tar(&busybox, Command::new("tar").args(["-x", "--wildcards", "-C"]).arg(scratch).arg("*/bin/busybox"))?;
        let shell = find(scratch, &|name| name == "busybox").ok_or("busybox-static has no busybox.")?;

        let mut archive = Archive::default();
        for folder in ["bin", "dev", "proc", "sys", "modules", "packages"] {
            archive.directory(folder);
        }
        // The kernel opens its console before init has mounted anything.
        archive.character_device("dev/console", 5, 1);
        archive.program("bin/busybox", &at(&shell, fs::read(&shell))?);
        archive.program("init", include_bytes!("init.sh"));
        for (file, content) in kernel.modules(&MODULES)? {
            archive.program(&format!("modules/{file}"), &content);
        }
        for (name, path) in &fetched {
            archive.program(&format!("packages/{name}_.deb"), &at(path, fs::read(path))?);
        }
        if let Some(keys) = &plan.authorized_keys {
            archive.program("authorized_keys", keys.as_bytes());
        }
        if let Some(script) = &plan.first_boot {
            archive.program("first-boot", script);
        }
        let missing = TOOLS.iter().find(|&&tool| file(tool).is_none() && file(&format!("{tool}t64")).is_none());
        if let Some(tool) = missing {
            return Err(format!("Debian has no package {tool} any more: this release is not known to the installer."));
        }
        let tools = TOOLS.map(|tool| if file(tool).is_some() { tool.to_owned() } else { format!("{tool}t64") });
        let (base, rest): (Vec<&str>, Vec<&str>) =
            fetched.iter().map(|(name, _)| name.as_str()).partition(|&name| base.contains(name));
        let settings = [
            ("TOOLS", tools.join(" ")),
            ("BASE", base.join(" ")),
            ("REST", rest.join(" ")),
            ("DEVICE", plan.device.clone()),
            ("FORMAT", if plan.format.is_some() { "yes" } else { "no" }.into()),
            ("LABEL", plan.format.clone().unwrap_or_default()),
            ("HOSTNAME", plan.hostname.clone()),
            ("USERNAME", plan.user.clone().unwrap_or_default()),
            ("PASSWORD", plan.password.clone()),
            ("APPEND", plan.append.clone()),
            ("SOURCES", apt.source_line()?),
        ];
        let settings: String = settings.iter().map(|(name, value)| format!("{name}={}\n", quoted(value))).collect();
        archive.program("wanted.sh", settings.as_bytes());
        Ok(Installer { kernel: kernel.image()?, initrd: archive.finish(), packages: fetched.len() })
    }
}

/// A line of the installing guest's console that says how far it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Step `number` of `of` begins.
    Begins {
        /// The step's number, from 1.
        number: u32,
        /// How many steps there are.
        of: u32,
        /// What the step does, for the user.
        what: String,
    },
    /// So often a package has been unpacked or set up: twice each, at the end.
    Packages(usize),
    /// Debian is installed.
    Installed,
    /// It gave up.
    Failed(String),
}

impl Step {
    /// What this line of the console says, if it says anything.
    pub fn parse(line: &str) -> Option<Step> {
        let line = line.trim();
        if line == "INSTALLED" {
            return Some(Step::Installed);
        }
        if let Some(why) = line.strip_prefix("FAILED ") {
            return Some(Step::Failed(why.to_owned()));
        }
        if let Some(count) = line.strip_prefix("PACKAGES ") {
            return count.parse().ok().map(Step::Packages);
        }
        let (count, what) = line.strip_prefix("STEP ")?.split_once(' ')?;
        let (number, of) = count.split_once('/')?;
        Some(Step::Begins { number: number.parse().ok()?, of: of.parse().ok()?, what: what.to_owned() })
    }
}

/// Names that Debian takes: what they may not be is told before anything is fetched.
pub fn check(plan: &Plan) -> Result<(), String> {
    let name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= 32
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    if !name(&plan.hostname) {
        let host = &plan.hostname;
        return Err(format!("{host} is no host name: a small letter, then small letters, digits and hyphens."));
    }
    if let Some(user) = plan.user.as_deref().filter(|user| !name(user)) {
        return Err(format!("{user} is no user name: a small letter, then small letters, digits and hyphens."));
    }
    let package = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c))
    };
    if let Some(name) = plan.packages.iter().find(|name| !package(name)) {
        return Err(format!("{name} is no name of a package: small letters, digits, and + - . between them."));
    }
    if plan.password.is_empty() || plan.password.contains([':', '\n']) {
        return Err("A password has at least one character, and neither a colon nor a new line.".into());
    }
    Ok(())
}

/// A word that the shell takes as it stands.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A file somewhere below `folder`.
fn find(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let mut folders = Vec::new();
    for path in fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            folders.push(path);
        } else if path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())) {
            return Some(path);
        }
    }
    folders.iter().find_map(|folder| find(folder, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output;

    fn plan() -> Plan {
        Plan {
            device: "0.0.0200".into(),
            format: None,
            hostname: "debian".into(),
            user: None,
            password: "secret".into(),
            authorized_keys: None,
            first_boot: None,
            packages: Vec::new(),
            append: String::new(),
        }
    }

    #[test]
    fn a_line_of_the_console_says_how_far_it_is() {
        let begins = Step::Begins { number: 3, of: 9, what: "Installing the essential packages".into() };
        assert_eq!(Step::parse("STEP 3/9 Installing the essential packages\r"), Some(begins));
        assert_eq!(Step::parse("PACKAGES 17"), Some(Step::Packages(17)));
        assert_eq!(Step::parse("INSTALLED"), Some(Step::Installed));
        assert_eq!(Step::parse("FAILED no room"), Some(Step::Failed("no room".into())));
        assert_eq!(Step::parse("STEP by step"), None);
        assert_eq!(Step::parse("[    0.1] Linux version 6.1"), None);
    }

    #[test]
    fn the_script_announces_as_many_steps_as_it_has() {
        let script = include_str!("init.sh");
        let steps = script.lines().filter(|line| line.starts_with("say ")).count();
        assert!(script.contains(&format!("\nsteps={steps}\n")), "{steps}");
    }

    #[test]
    fn settings_reach_the_shell_as_they_are() {
        let shell = |text: &str| {
            let script = format!("value={}\nprintf %s \"$value\"", quoted(text));
            String::from_utf8(output(Command::new("sh").args(["-c", &script])).expect("there is a shell"))
                .expect("UTF-8")
        };
        for text in ["", "a b", "it's $HOME `id` \\ \"x\"", "two\nlines"] {
            assert_eq!(shell(text), text);
        }
    }

    #[test]
    fn names_that_debian_refuses_are_refused_first() {
        assert_eq!(check(&plan()), Ok(()));
        assert!(check(&Plan { hostname: "My Host".into(), ..plan() }).is_err());
        assert!(check(&Plan { user: Some("Root".into()), ..plan() }).is_err());
        assert!(check(&Plan { password: String::new(), ..plan() }).is_err());
        assert!(check(&Plan { password: "a:b".into(), ..plan() }).is_err());
        assert!(check(&Plan { packages: vec!["-o".into()], ..plan() }).is_err());
        assert_eq!(check(&Plan { packages: vec!["g++-12".into()], ..plan() }), Ok(()));
    }
}
