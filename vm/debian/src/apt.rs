//! Packages of a foreign architecture through an apt state of our own: the host's dpkg configuration, its package lists
//! and its installed packages stay as they are, and no privilege is needed.

use crate::{Failed, MISSING, at, output};
use std::cmp::Ordering;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// apt with a state of its own, in which nothing is installed.
pub struct Apt {
    folder: PathBuf,
    options: Vec<String>,
    suite: Option<String>,
}

impl Apt {
    /// The state lies in `folder`. The packages are those of the host's own Debian release, on other hosts of Debian's
    /// stable release, or of `suite` if one is named.
    pub fn new(folder: &Path, suite: Option<&str>) -> Result<Apt, String> {
        for part in ["lists/partial", "cache/archives/partial"] {
            let part = folder.join(part);
            at(&part, fs::create_dir_all(&part))?;
        }
        // apt wants absolute names.
        let folder = at(folder, fs::canonicalize(folder))?;
        let here = folder.display();
        // Nothing is installed. apt locks the folder that the file is in, so it is not /dev/null.
        let status = folder.join("status");
        at(&status, fs::write(&status, ""))?;
        let mut options = vec![
            "APT::Architecture=s390x".to_owned(),
            "APT::Architectures=s390x".to_owned(),
            format!("Dir::State::Lists={here}/lists"),
            format!("Dir::Cache={here}/cache"),
            format!("Dir::State::status={}", status.display()),
            // The folder may not be readable for apt's own user.
            "APT::Sandbox::User=root".to_owned(),
            "APT::Install-Recommends=no".to_owned(),
            "Acquire::Languages=none".to_owned(),
        ];
        if suite.is_some() || !is_debian() {
            let list = folder.join("debian.list");
            at(&list, fs::write(&list, source(suite.unwrap_or("stable"))?))?;
            options.push(format!("Dir::Etc::sourcelist={}", list.display()));
            options.push("Dir::Etc::sourceparts=/dev/null".to_owned());
        }
        Ok(Apt { folder, options, suite: suite.map(str::to_owned) })
    }

    /// Fetches the lists of packages. If they cannot be had and those of an earlier time have to do: why.
    pub fn update(&self) -> Result<Option<String>, String> {
        // What cannot be fetched is an error, not a warning.
        let Err(failed) = self.run("apt-get", &["-qq", "-o", "APT::Update::Error-Mode=any", "update"]) else {
            return Ok(None);
        };
        if failed.why == MISSING {
            return Err(format!("{failed}."));
        }
        if failed.why.contains("does not have a Release file") {
            let suite = self.suite.as_deref().unwrap_or("of this name");
            return Err(format!(
                "There is no Debian release {suite}: there are bookworm, trixie, stable and others. ({})",
                failed.why
            ));
        }
        let why = match unverified(&failed.said) {
            Some(why) => {
                let suite = self.suite.as_ref().map_or_else(String::new, |suite| format!(" release {suite}"));
                format!("The index of Debian{suite} does not verify: {why}")
            }
            None => format!(
                "Debian's lists of packages cannot be fetched: they need the network, and Debian's archive or a \
                 mirror that \
                 DEBIAN_MIRROR names. ({failed})"
            ),
        };
        if self.required().is_ok() { Ok(Some(why)) } else { Err(why) }
    }

    /// The newest kernel; flavours, debug symbols and meta packages are passed over.
    pub fn newest_kernel(&self) -> Result<String, String> {
        let names = self.text("apt-cache", &["pkgnames", "linux-image-"])?;
        newest_kernel(&names).ok_or_else(|| "Debian's list of packages for s390x has no kernel.".into())
    }

    /// Fetches these packages, without what they depend on, into the folder.
    pub fn download(&self, packages: &[&str]) -> Result<(), String> {
        let words: Vec<&str> = ["-q", "download"].iter().chain(packages).copied().collect();
        self.run("apt-get", &words).map(drop).map_err(|why| not_fetched(&why))
    }

    /// The packages that every system has: those of priority "required".
    pub fn required(&self) -> Result<Vec<String>, String> {
        let all = self.text("apt-cache", &["dumpavail"])?;
        let of = |paragraph: &str| {
            let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
            (field("Priority: ") == Some("required")).then(|| field("Package: ").map(str::to_owned)).flatten()
        };
        let mut names: Vec<String> = all.split("\n\n").filter_map(of).collect();
        names.sort();
        names.dedup();
        match names.is_empty() {
            true => Err("Debian's list of packages for s390x is empty: it needs the network once.".into()),
            false => Ok(names),
        }
    }

    /// Those of the names that packages of this release have.
    pub fn known(&self, names: &[&str]) -> Result<Vec<String>, String> {
        let all = self.text("apt-cache", &["pkgnames"])?;
        Ok(names.iter().filter(|name| all.lines().any(|line| line == **name)).map(|&name| name.to_owned()).collect())
    }

    /// These packages and all that they depend on.
    pub fn with_dependencies(&self, packages: &[String]) -> Result<Vec<String>, String> {
        let words = ["-s", "-q", "-y", "install"].into_iter().chain(packages.iter().map(String::as_str));
        let plan = self.text("apt-get", &words.collect::<Vec<&str>>())?;
        let mut names: Vec<String> = plan
            .lines()
            .filter_map(|line| line.strip_prefix("Inst ")?.split_whitespace().next())
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Fetches these packages and all that they depend on; their files, by name of package.
    pub fn fetch(&self, packages: &[String]) -> Result<Vec<(String, PathBuf)>, String> {
        let words = ["-q", "-y", "-d", "install"].into_iter().chain(packages.iter().map(String::as_str));
        let mut command = self.command("apt-get", &words.collect::<Vec<&str>>());
        output(&mut command).map_err(|why| not_fetched(&why))?;
        let archives = self.folder.join("cache/archives");
        let wanted = self.with_dependencies(packages)?;
        let mut files: Vec<PathBuf> =
            at(&archives, fs::read_dir(&archives))?.flatten().map(|entry| entry.path()).collect();
        // Of several versions the newest comes last.
        files.sort_by(|a, b| by_version(&a.to_string_lossy(), &b.to_string_lossy()));
        wanted
            .into_iter()
            .map(|package| {
                let is_it = |path: &&PathBuf| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    name.ends_with(".deb") && name.split('_').next() == Some(&package)
                };
                let file = files.iter().rfind(is_it).cloned();
                file.map(|file| (package.clone(), file)).ok_or_else(|| format!("apt-get did not fetch {package}."))
            })
            .collect()
    }

    /// The line for the installed system's `sources.list`.
    pub fn source_line(&self) -> Result<String, String> {
        let text = match &self.suite {
            Some(suite) => source(suite)?,
            None => source(&host_suite().unwrap_or_else(|| "stable".to_owned()))?,
        };
        // The guest has the keys where apt looks by itself.
        let words: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with("[signed-by")).collect();
        Ok(words.join(" "))
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

    fn run(&self, program: &str, arguments: &[&str]) -> Result<Vec<u8>, Failed> {
        output(&mut self.command(program, arguments))
    }

    fn text(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let said = self.run(program, arguments).map_err(|why| not_fetched(&why))?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }
}

/// What apt-get says if a release's index, or a list that it names, is not what it should be; with the remedy.
fn unverified(said: &str) -> Option<String> {
    let line = |part: &str| said.lines().find(|line| line.contains(part));
    // After the address, which has colons itself, apt-get says what is wrong.
    let signature = line("The following signatures").and_then(|line| line.find("The following").map(|at| &line[at..]));
    let signature = signature.or_else(|| line("Clearsigned").and_then(|line| Some(&line[line.find("Clearsigned")?..])));
    if let Some(what) = signature {
        return Some(format!(
            "{}. Another mirror (DEBIAN_MIRROR names one) or a newer debian-archive-keyring on this host may help.",
            what.trim().trim_end_matches('.')
        ));
    }
    if line("is not signed").is_some() {
        return Some("it is not signed. Another mirror may help: DEBIAN_MIRROR names one.".into());
    }
    if let Some(line) = line("is expired").or_else(|| line("is not valid yet")) {
        let what = line.find('(').map_or(line, |at| &line[at..]);
        let what = what.split_inclusive(')').next().unwrap_or(what);
        return Some(format!(
            "its time is not now {what}. This host's clock is wrong, or the mirror is old: DEBIAN_MIRROR names another."
        ));
    }
    let line = line("Hash Sum mismatch").or_else(|| line("File has unexpected size"))?;
    let what = line.trim().trim_start_matches("E: ").trim_start_matches("Failed to fetch ");
    Some(format!(
        "it promises another file than there is. Try again later, when the mirror has all files, or name another one \
         in \
         DEBIAN_MIRROR. ({what})"
    ))
}

/// Why packages are not there, in one sentence with the remedy.
fn not_fetched(failed: &Failed) -> String {
    let why = &failed.why;
    if let Some(package) = why.strip_prefix("Unable to locate package ") {
        return format!("Debian has no package {package} for s390x in this release; \"apt-cache search\" finds names.");
    }
    if why.contains("has no installation candidate") {
        return format!("Debian lists a package but does not have it in this release: {}.", why.trim_end_matches('.'));
    }
    if ["No space left", "enough free space", "not enough space"].iter().any(|text| why.contains(text)) {
        return format!("There is no room for packages: {why} Make room, or name another folder with --cache.");
    }
    if ["Failed to fetch", "Unable to fetch", "Temporary failure"].iter().any(|text| why.contains(text)) {
        return format!("Packages cannot be fetched: they need the network once. ({failed})");
    }
    format!("{failed}.")
}

/// The newest kernel by version among names of packages.
fn newest_kernel(names: &str) -> Option<String> {
    let versioned = |name: &&str| {
        let middle = name.strip_prefix("linux-image-").and_then(|rest| rest.strip_suffix("-s390x"));
        middle.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    names.lines().map(str::trim).filter(versioned).max_by(|a, b| by_version(a, b)).map(str::to_owned)
}

/// Orders names as a person would: runs of digits by their value, everything else by its letters.
pub fn by_version(a: &str, b: &str) -> Ordering {
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

fn os_release(field: &str) -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix('='))?;
    Some(value.trim_matches('"').to_owned())
}

fn is_debian() -> bool {
    os_release("ID").as_deref() == Some("debian")
}

fn host_suite() -> Option<String> {
    os_release("VERSION_CODENAME").filter(|_| is_debian())
}

/// The archive's address as the host's own apt templates have it, or the one in `DEBIAN_MIRROR`.
fn source(suite: &str) -> Result<String, String> {
    const TEMPLATE: &str = "/usr/share/python-apt/templates/Debian.info";
    const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let missing = "Fetching Debian's packages on this host needs two of its own: \
                   apt-get install debian-archive-keyring python-apt-common.";
    if !Path::new(KEYS).exists() {
        return Err(missing.into());
    }
    let mirror = env::var("DEBIAN_MIRROR").ok().or_else(|| template(TEMPLATE)).or_else(own_mirror).ok_or(missing)?;
    Ok(format!("deb [signed-by={KEYS}] {} {suite} main\n", mirror.trim()))
}

fn template(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix("BaseURI: ").map(str::to_owned))
}

/// The mirror that a Debian host itself uses.
fn own_mirror() -> Option<String> {
    if !is_debian() {
        return None;
    }
    let parts = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let lists: Vec<PathBuf> = [PathBuf::from("/etc/apt/sources.list")].into_iter().chain(parts).collect();
    let text: String = lists.iter().filter_map(|list| fs::read_to_string(list).ok()).collect();
    let words = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("URIs:").or_else(|| line.strip_prefix("deb "))?;
        rest.split_whitespace().find(|word| word.contains("://")).map(str::to_owned)
    };
    text.lines().filter_map(words).find(|mirror| !mirror.contains("security"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_the_remedy() {
        let failed =
            |why: &str| not_fetched(&Failed { program: "apt-get".into(), why: why.into(), said: String::new() });
        assert!(
            failed("Unable to locate package frobnicate").starts_with("Debian has no package frobnicate for s390x")
        );
        assert!(failed("You don't have enough free space in /x/archives/.").contains("--cache"));
        assert!(failed("Unable to fetch some archives, maybe run apt-get update").contains("the network"));
        assert_eq!(failed("Broken packages."), "apt-get: Broken packages.");
    }

    #[test]
    fn an_index_that_does_not_verify_is_told_as_that() {
        // As apt-get 2.6 says it.
        let cases = [
            (
                "W: GPG error: http://mirror sid InRelease: The following signatures were invalid: BADSIG 6ED0 Debian\n\
                 E: The repository 'http://mirror sid InRelease' is not signed.",
                "The following signatures were invalid: BADSIG 6ED0 Debian. Another mirror",
            ),
            (
                "W: GPG error: http://mirror sid InRelease: The following signatures couldn't be verified because the \
                 public key is not available: NO_PUBKEY FA41\n\
                 E: The repository 'http://mirror sid InRelease' is not signed.",
                "NO_PUBKEY FA41. Another mirror",
            ),
            (
                "E: Failed to fetch http://mirror/dists/sid/InRelease  Clearsigned file isn't valid, got 'NOSPLIT' \
                 (does \
                 the network require authentication?)\nE: The repository 'http://mirror sid InRelease' is not signed.",
                "Clearsigned file isn't valid, got 'NOSPLIT' (does the network require authentication?). Another",
            ),
            ("E: The repository 'http://mirror sid Release' is not signed.", "it is not signed. Another mirror"),
            (
                "E: Failed to fetch http://mirror/dists/trixie/main/binary-s390x/Packages.xz  File has unexpected size \
                 (9330644 != 9332140). Mirror sync in progress? [IP: 192.0.2.1 80]\n   Hashes of expected file:\n\
                 E: Some index files failed to download. They have been ignored, or old ones used instead.",
                "it promises another file than there is. Try again later",
            ),
            ("E: Failed to fetch http://mirror/dists/sid/main/binary-s390x/Packages.xz  Hash Sum mismatch", "promises"),
            (
                "E: Release file for http://mirror/dists/sid/InRelease is expired (invalid since 3d 1h 5min 10s). \
                 Updates \
                 for this repository will not be applied.",
                "its time is not now (invalid since 3d 1h 5min 10s). This host's clock",
            ),
            (
                "E: Release file for http://mirror/dists/sid/InRelease is not valid yet (invalid for another 2h 1min \
                 4s). \
                 Updates for this repository will not be applied.",
                "its time is not now (invalid for another 2h 1min 4s). This host's clock",
            ),
        ];
        for (said, expected) in cases {
            let why = unverified(said).unwrap_or_default();
            assert!(why.contains(expected), "{said}\n{why}");
        }
        let fine = "E: Failed to fetch http://127.0.0.1:9/dists/sid/InRelease  Could not connect to 127.0.0.1:9";
        assert_eq!(unverified(fine), None);
    }

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
