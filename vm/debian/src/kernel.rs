//! Debian's kernel among its packages, by what the packages say that they contain.
//!
//! Up to Debian 13 the package linux-image-RELEASE has all of it: `boot/vmlinuz-RELEASE` and the modules. Later the
//! kernel lies beside its modules, as `usr/lib/modules/RELEASE/vmlinuz`, in a package of its own
//! (linux-binary-RELEASE), and the modules are in a third (linux-modules-RELEASE). So nothing here goes by the names of
//! packages.

use crate::apt::by_version;
use crate::{Scratch, at};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A kernel and the packages in which it lies.
pub struct Kernel<'a> {
    image: Place<'a>,
    modules: Vec<Place<'a>>,
}

/// A file of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place<'a> {
    package: &'a Path,
    /// As the package's list has it: `./boot/vmlinuz-6.1.0-50-s390x`.
    member: String,
}

/// What a package contains, file by file.
struct List<'a> {
    package: &'a Path,
    members: Vec<String>,
}

/// How modules are compressed that a guest's busybox unpacks: the ends of their names.
const UNPACKED: [&str; 3] = ["", ".xz", ".gz"];

impl<'a> Kernel<'a> {
    /// The newest kernel in these packages.
    pub fn find(packages: &'a [PathBuf]) -> Result<Kernel<'a>, String> {
        let lists = packages.iter().map(|package| {
            let tar = members(package)?;
            Ok(List { package, members: tar })
        });
        Kernel::among(&lists.collect::<Result<Vec<_>, String>>()?)
    }

    fn among(lists: &[List<'a>]) -> Result<Kernel<'a>, String> {
        let all = || lists.iter().flat_map(|list| list.members.iter().map(|member| (list.package, member)));
        let images = all().filter_map(|(package, member)| Some((release_of_image(member)?, package, member)));
        let Some((release, package, member)) = images.max_by(|a, b| by_version(a.0, b.0)) else {
            let name = |list: &List| list.package.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(format!(
                "No package of the kernel contains one (boot/vmlinuz-* or usr/lib/modules/*/vmlinuz): looked into {}.",
                lists.iter().map(name).collect::<Vec<_>>().join(", ")
            ));
        };
        let module = |member: &&String| release_of_module(member) == Some(release);
        let place = |package: &'a Path, member: &String| Place { package, member: member.clone() };
        let modules = all().filter(|(_, member)| module(member)).map(|(package, member)| place(package, member));
        Ok(Kernel { image: place(package, member), modules: modules.collect() })
    }

    /// The kernel as a loader takes it.
    pub fn image(&self) -> Result<Vec<u8>, String> {
        let mut files = unpack(self.image.package, &[&self.image.member])?;
        files.pop().map(|(_, content)| content).ok_or_else(|| format!("{} is damaged.", self.image.package.display()))
    }

    /// Those of the modules with these names that are not built in: each one's file name and content. They may be
    /// compressed, in a way that busybox knows.
    pub fn modules(&self, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let mut packages: Vec<&Path> = Vec::new();
        let wanted: Vec<&Place> = self.wanted(names)?;
        for place in &wanted {
            if !packages.contains(&place.package) {
                packages.push(place.package);
            }
        }
        let mut modules = Vec::new();
        for package in packages {
            let here = wanted.iter().filter(|place| place.package == package);
            modules.extend(unpack(package, &here.map(|place| place.member.as_str()).collect::<Vec<_>>())?);
        }
        Ok(modules)
    }

    fn wanted(&self, names: &[&str]) -> Result<Vec<&Place<'a>>, String> {
        let mut wanted = Vec::new();
        for place in &self.modules {
            let Some((module, compressed)) = file_name(&place.member).split_once(".ko") else { continue };
            if !names.contains(&module) {
                continue;
            }
            if !UNPACKED.contains(&compressed) {
                return Err(format!(
                    "{}: the module {module} is compressed as {compressed}, which the installing guest cannot unpack: \
                     name another release with --suite.",
                    place.package.display()
                ));
            }
            wanted.push(place);
        }
        Ok(wanted)
    }
}

fn file_name(member: &str) -> &str {
    member.rsplit('/').next().unwrap_or(member)
}

/// The release of the kernel that this file of a package is, if it is one.
fn release_of_image(member: &str) -> Option<&str> {
    let member = member.trim_start_matches("./");
    let boot = member.strip_prefix("boot/vmlinuz-").filter(|release| !release.contains('/'));
    boot.or_else(|| below_modules(member)?.strip_suffix("/vmlinuz").filter(|release| !release.contains('/')))
        .filter(|release| !release.is_empty())
}

/// The release of the kernel to which this file of a package is a module.
fn release_of_module(member: &str) -> Option<&str> {
    let (release, rest) = below_modules(member.trim_start_matches("./"))?.split_once('/')?;
    let end = file_name(rest).split_once(".ko")?.1;
    (end.is_empty() || end.starts_with('.')).then_some(release)
}

fn below_modules(member: &str) -> Option<&str> {
    member.strip_prefix("usr/").unwrap_or(member).strip_prefix("lib/modules/")
}

/// What a package contains: names of files and links, no folders.
fn members(package: &Path) -> Result<Vec<String>, String> {
    let list = tar(package, Command::new("tar").arg("-t"))?;
    let list = String::from_utf8_lossy(&list);
    Ok(list.lines().filter(|member| !member.ends_with('/')).map(str::to_owned).collect())
}

/// These files of a package, each by its file name. One that the package does not have is left out.
fn unpack(package: &Path, members: &[&str]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let scratch = Scratch::new(&std::env::temp_dir().join(format!("endicott-kernel-{}", std::process::id())))?;
    tar(package, Command::new("tar").args(["-x", "--no-same-owner", "-C"]).arg(scratch.path()).args(members))?;
    let mut files = Vec::new();
    for member in members {
        let path = scratch.path().join(member);
        if path.is_file() {
            files.push((file_name(member).to_owned(), at(&path, fs::read(&path))?));
        }
    }
    Ok(files)
}

/// Gives the files of a package to `tar`; what that writes to its standard output.
pub(crate) fn tar(package: &Path, tar: &mut Command) -> Result<Vec<u8>, String> {
    let mut stream = Command::new("dpkg-deb");
    stream.arg("--fsys-tarfile").arg(package).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut stream = stream.spawn().map_err(|error| format!("dpkg-deb cannot be started: {error}."))?;
    let archive = stream.stdout.take().expect("the output is piped");
    // tar's own complaints are those of a file that is not there, which is no error, or follow from dpkg-deb's.
    let written = tar.stdin(archive).stderr(Stdio::null()).output();
    let written = written.map_err(|error| format!("tar cannot be started: {error}."))?;
    let ended = stream.wait_with_output().map_err(|error| format!("dpkg-deb: {error}."))?;
    if ended.status.success() {
        return Ok(written.stdout);
    }
    let why = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    Err(format!("{} cannot be unpacked: {why}. When the file is gone, it is fetched again.", package.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packages of a kernel by their names and what they contain.
    type Packages<'a> = &'a [(&'a str, &'a [&'a str])];

    fn among(packages: Packages<'_>, look: impl FnOnce(Result<Kernel<'_>, String>)) {
        let paths: Vec<PathBuf> = packages.iter().map(|(name, _)| PathBuf::from(name)).collect();
        let lists = packages.iter().zip(&paths).map(|((_, members), package)| List {
            package,
            members: members.iter().map(|&member| member.to_owned()).collect(),
        });
        look(Kernel::among(&lists.collect::<Vec<_>>()));
    }

    fn image(packages: Packages<'_>) -> Result<String, String> {
        let mut found = Err(String::new());
        among(packages, |kernel| {
            found = kernel.map(|kernel| format!("{}:{}", kernel.image.package.display(), kernel.image.member));
        });
        found
    }

    const OLD: (&str, &[&str]) = (
        "linux-image-6.1.0-50-s390x.deb",
        &[
            "./boot/System.map-6.1.0-50-s390x",
            "./boot/config-6.1.0-50-s390x",
            "./boot/vmlinuz-6.1.0-50-s390x",
            "./lib/modules/6.1.0-50-s390x/kernel/fs/ext4/ext4.ko",
            "./lib/modules/6.1.0-50-s390x/modules.order",
        ],
    );
    const BASE: (&str, &[&str]) = (
        "linux-base-7.2.12+deb14-s390x.deb",
        &[
            "./usr/lib/modules/7.2.12+deb14-s390x/System.map",
            "./usr/lib/modules/7.2.12+deb14-s390x/config",
            "./usr/share/kernel/postinst.d/00-legacy-boot",
        ],
    );
    const BINARY: (&str, &[&str]) =
        ("linux-binary-7.2.12+deb14-s390x.deb", &["./usr/lib/modules/7.2.12+deb14-s390x/vmlinuz"]);
    const IMAGE: (&str, &[&str]) = ("linux-image-7.2.12+deb14-s390x.deb", &["./usr/share/bug/linux-image/control"]);
    const MODULES: (&str, &[&str]) = (
        "linux-modules-7.2.12+deb14-s390x.deb",
        &[
            "./usr/lib/modules/7.2.12+deb14-s390x/kernel/fs/ext4/ext4.ko.xz",
            "./usr/lib/modules/7.2.12+deb14-s390x/kernel/drivers/vmlinuz.ko.xz",
            "./usr/lib/modules/7.2.12+deb14-s390x/modules.builtin",
        ],
    );

    #[test]
    fn the_kernel_is_where_the_packages_say_that_it_is() {
        let old = "linux-image-6.1.0-50-s390x.deb:./boot/vmlinuz-6.1.0-50-s390x";
        let split = "linux-binary-7.2.12+deb14-s390x.deb:./usr/lib/modules/7.2.12+deb14-s390x/vmlinuz";
        assert_eq!(image(&[OLD]).as_deref(), Ok(old));
        assert_eq!(image(&[BASE, BINARY, IMAGE, MODULES]).as_deref(), Ok(split));
        // A package that was made before /lib became a link, and names without the leading dot.
        let plain = ("a.deb", &["lib/modules/6.19-s390x/vmlinuz"][..]);
        assert_eq!(image(&[plain]).as_deref(), Ok("a.deb:lib/modules/6.19-s390x/vmlinuz"));
        // Of several the newest, in whatever order and layout they come.
        assert_eq!(image(&[OLD, BINARY]).as_deref(), Ok(split));
        assert_eq!(image(&[BINARY, OLD]).as_deref(), Ok(split));
        let next = ("new.deb", &["./boot/vmlinuz-7.10.1+deb14-s390x", "./boot/vmlinuz-7.9.1+deb14-s390x"][..]);
        assert_eq!(image(&[BINARY, next, OLD]).as_deref(), Ok("new.deb:./boot/vmlinuz-7.10.1+deb14-s390x"));
    }

    #[test]
    fn packages_without_a_kernel_are_named() {
        let why = image(&[IMAGE, MODULES, BASE]).expect_err("there is none");
        for part in ["linux-image-7.2.12+deb14-s390x.deb", "linux-modules-", "linux-base-", "boot/vmlinuz-*"] {
            assert!(why.contains(part), "no {part}: {why}");
        }
        assert!(image(&[]).is_err());
        let no_kernel = ["./boot/vmlinuz-", "./boot/vmlinuz-6.1/x", "./usr/lib/modules/vmlinuz", "./boot/vmlinuz"];
        for member in no_kernel.into_iter().chain(["./usr/lib/modules/6.1/kernel/vmlinuz", "./x/boot/vmlinuz-6.1"]) {
            assert!(image(&[("x.deb", &[member])]).is_err(), "{member}");
        }
    }

    #[test]
    fn modules_are_those_of_the_kernel_and_may_be_compressed() {
        let wanted = |packages: Packages<'_>| {
            let mut found = Vec::new();
            among(packages, |kernel| {
                let kernel = kernel.expect("there is a kernel");
                let wanted = kernel.wanted(&["ext4", "jbd2"]).expect("they can be unpacked");
                found = wanted.iter().map(|place| file_name(&place.member).to_owned()).collect();
            });
            found
        };
        assert_eq!(wanted(&[OLD]), ["ext4.ko"]);
        assert_eq!(wanted(&[MODULES, BINARY, OLD]), ["ext4.ko.xz"]);
        assert_eq!(wanted(&[BINARY, OLD]), [""; 0], "those of another kernel do not fit");
        let strange = ("m.deb", &["./usr/lib/modules/7.2.12+deb14-s390x/kernel/fs/ext4/ext4.ko.zst"][..]);
        among(&[BINARY, strange], |kernel| {
            let why = kernel.expect("there is a kernel").wanted(&["ext4"]).expect_err("nothing unpacks it");
            assert!(why.contains("m.deb: the module ext4 is compressed as .zst"), "{why}");
        });
    }
}
