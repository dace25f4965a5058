//! `cargo x dist`: what is given away, in `cache/dist`: a static executable with CMS aboard, a Debian package, an OCI
//! image, a list of what it is made of, and check sums of all.
//!
//! All times are that of the last commit, or SOURCE_DATE_EPOCH. All owners are root, all lists are sorted, and no path
//! of this machine is in the executable: the same sources and compilers give the same bytes. `--twice` makes everything
//! once more from a copy of the sources in another folder, CMS too, and compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::cms;
use crate::host::{self, EPOCH, Failure, Outcome, SUMS, at, cargo, output, run};

/// The profile it is built with.
const PROFILE: &str = "dist";
/// Debian's name for this machine's architecture, OCI's, and Rust's target.
const ARCHITECTURES: [(&str, &str, &str, &str); 2] = [
    ("x86_64", "amd64", "amd64", "x86_64-unknown-linux-gnu"),
    ("aarch64", "arm64", "arm64", "aarch64-unknown-linux-gnu"),
];

/// What is the same for all that is made.
struct Dist {
    debian: &'static str,
    oci: &'static str,
    target: &'static str,
    version: String,
    /// Seconds since 1970.
    time: String,
}

pub(crate) fn dist(words: &[&str]) -> Outcome {
    let twice = match words {
        [] => false,
        ["--twice"] => true,
        _ => return Err("dist takes --twice, or nothing.".into()),
    };
    let architecture = std::env::consts::ARCH;
    let known = ARCHITECTURES.iter().find(|(name, ..)| *name == architecture);
    let &(_, debian, oci, target) = known.ok_or("There is no package for this host's architecture.")?;
    let time = match std::env::var(EPOCH) {
        Ok(time) => time,
        Err(_) => output(Command::new("git").current_dir(host::root()).args(["log", "-1", "--format=%ct"]))?,
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let dist = Dist { debian, oci, target, version, time: time.trim().to_owned() };
    cms::prepare_dated(&dist.time)?;
    let folder = host::cache().join("dist");
    let sums = dist.make(&folder, &host::target(""))?;
    if twice {
        let (again, others) = dist.again()?;
        let differing = differing(&sums, &others);
        if !differing.is_empty() {
            let (folder, again, names) = (folder.display(), again.display(), differing.join(", "));
            return Err(format!("{folder} and {again} differ in {names}; diffoscope shows where.").into());
        }
        println!("Built twice: the same bytes.");
    }
    println!("{}:\n{sums}", folder.display());
    Ok(())
}

impl Dist {
    /// Makes everything from a copy of the sources in another folder; where it is, and the check sums.
    fn again(&self) -> Outcome<(PathBuf, String)> {
        let copy = host::cache().join("dist-again");
        if copy.exists() {
            at(&copy, fs::remove_dir_all(&copy))?;
        }
        let words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let names = output(Command::new("git").current_dir(host::root()).args(words))?;
        for name in names.split_terminator('\0') {
            let (from, to) = (host::root().join(name), copy.join(name));
            // One that was removed is still listed until that is committed.
            if from.is_file() {
                host::make_folder(to.parent().unwrap_or(&copy))?;
                at(&to, fs::copy(&from, &to)).map(drop)?;
            }
        }
        let mut dist = cargo(&["run", "--quiet", "--package", "xtask", "--", "dist"]);
        dist.current_dir(&copy).env(EPOCH, &self.time).env_remove("ENDICOTT_CACHE").env_remove("CARGO_TARGET_DIR");
        run(dist.stdout(Stdio::null()))?;
        let made = copy.join("cache/dist");
        let sums = at(&made, fs::read_to_string(made.join(SUMS)))?;
        Ok((made, sums))
    }

    /// Makes everything in `folder`; the check sums.
    fn make(&self, folder: &Path, target: &Path) -> Outcome<String> {
        if folder.exists() {
            for old in ["root", "oci"] {
                let _ = fs::remove_dir_all(folder.join(old));
            }
        }
        host::make_folder(folder)?;
        let built = self.build(target)?;
        let root = folder.join("root");
        run(Command::new(built).arg("package").arg(root.join("usr")).arg("--cms").arg(cms::folder()))?;
        starts_alone(&root)?;
        self.add_files(&root)?;
        let name = |what: &str| format!("endicott_{}_{what}", self.version);
        at(folder, fs::copy(root.join("usr/bin/endicott"), folder.join("endicott"))).map(drop)?;
        self.debian(&root, &folder.join(name(&format!("{}.deb", self.debian))))?;
        self.oci(&root, folder, &folder.join(name("oci.tar")))?;
        host::write_whole(&folder.join(name("sbom.json")), self.materials()?.as_bytes())?;
        let wanted = |name: &str| name == "endicott" || name.starts_with("endicott_");
        let files = host::files(folder, wanted);
        let names = files.iter().filter_map(|path| path.file_name());
        let sums = host::sums(folder, names)?;
        host::write_whole(&folder.join(SUMS), sums.as_bytes())?;
        Ok(sums)
    }

    /// Builds the static executable; where it is.
    fn build(&self, target: &Path) -> Outcome<PathBuf> {
        let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"));
        let sources = home.map_err(|_| Failure::from("HOME is not set."))?;
        let own = host::root().display().to_string();
        // Of several that fit, the last counts: the folder of outputs may lie in that of sources.
        let outputs = target.display().to_string();
        let renamed = [(own, "endicott"), (format!("{sources}/registry/src"), "registry"), (outputs, "target")];
        let renamed = renamed.map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
        // In a static executable the crate getrandom does not find the C library's function by its name, and would read
        // /dev/urandom, which a container root may lack: it is linked instead.
        const RANDOM: &str = "--cfg=getrandom_backend=\"linux_getrandom\"";
        let flags = format!("-C target-feature=+crt-static {RANDOM} {}", renamed.join(" "));
        let words = ["build", "--locked", "--profile", PROFILE, "--bin", "endicott", "--target", self.target];
        run(cargo(&words).arg("--target-dir").arg(target).env("RUSTFLAGS", flags))?;
        Ok(target.join(self.target).join(PROFILE).join("endicott"))
    }

    /// What belongs into a package beside what the program writes itself.
    fn add_files(&self, root: &Path) -> Outcome {
        let put = |from: &str, to: &str| -> Outcome {
            let to = root.join(to);
            host::make_folder(to.parent().unwrap_or(root))?;
            at(&to, fs::copy(host::root().join(from), &to)).map(drop)
        };
        put("packaging/endicott.service", "usr/lib/systemd/system/endicott.service")?;
        put("README.md", "usr/share/doc/endicott/README.md")?;
        for page in ["guests", "networks", "shares", "disks", "tapes", "cms", "gdb", "web"] {
            put(&format!("docs/{page}.md"), &format!("usr/share/doc/endicott/{page}.md"))?;
        }
        let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| fs::read_to_string(host::root().join(name)));
        let [apache, mit] = licences;
        let text = format!(
            "Endicott is licensed under either of the Apache License, Version 2.0, or the MIT License, as you \
             choose.\n\n{}\n\n{}",
            at(root, apache)?,
            at(root, mit)?
        );
        host::write_whole(&root.join("usr/share/doc/endicott/copyright"), text.as_bytes())?;
        for page in host::files(&root.join("usr/share/man/man1"), |name| name.ends_with(".1")) {
            run(Command::new("gzip").args(["-9nf"]).arg(page))?;
        }
        // Whatever this machine's mask is.
        run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(root))
    }

    fn debian(&self, root: &Path, to: &Path) -> Outcome {
        let control = at(root, fs::read_to_string(host::root().join("packaging/control")))?;
        let control = control.replace("VERSION", &self.version).replace("ARCHITECTURE", self.debian);
        let folder = root.join("DEBIAN");
        host::make_folder(&folder)?;
        host::write_whole(&folder.join("control"), control.as_bytes())?;
        let built = run(Command::new("dpkg-deb")
            .args(["--root-owner-group", "-Zxz", "--build"])
            .arg(root)
            .arg(to)
            .env(EPOCH, &self.time)
            .stdout(Stdio::null()));
        at(&folder, fs::remove_dir_all(&folder))?;
        built
    }

    /// An image of one layer, in OCI's layout.
    fn oci(&self, root: &Path, folder: &Path, to: &Path) -> Outcome {
        let layout = folder.join("oci");
        let blobs = layout.join("blobs/sha256");
        host::make_folder(&blobs)?;
        let part = layout.join("layer");
        self.tar(root, &["usr"], &part)?;
        let (layer, layer_size) = blob(&blobs, &part)?;
        let config = json!({
            "architecture": self.oci,
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/endicott"],
                "User": "1000:1000",
                "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        });
        at(&part, fs::write(&part, config.to_string()))?;
        let (config, config_size) = blob(&blobs, &part)?;
        let described = |kind: &str, digest: &str, size: u64| {
            json!({
                "mediaType": format!("application/vnd.oci.image.{kind}"),
                "digest": format!("sha256:{digest}"),
                "size": size,
            })
        };
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": described("config.v1+json", &config, config_size),
            "layers": [described("layer.v1.tar", &layer, layer_size)],
        });
        at(&part, fs::write(&part, manifest.to_string()))?;
        let (manifest, manifest_size) = blob(&blobs, &part)?;
        let mut named = described("manifest.v1+json", &manifest, manifest_size);
        named["annotations"] = json!({ "org.opencontainers.image.ref.name": format!("endicott:{}", self.version) });
        let index = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": [named],
        });
        host::write_whole(&layout.join("index.json"), index.to_string().as_bytes())?;
        let version = json!({ "imageLayoutVersion": "1.0.0" });
        host::write_whole(&layout.join("oci-layout"), version.to_string().as_bytes())?;
        self.tar(&layout, &["blobs", "index.json", "oci-layout"], to)
    }

    /// A tar of these names in `folder` that has nothing of this machine in it.
    fn tar(&self, folder: &Path, names: &[&str], to: &Path) -> Outcome {
        let time = format!("--mtime=@{}", self.time);
        let words = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu", &time, "-C"];
        run(Command::new("tar").args(words).arg(folder).arg("-cf").arg(to).args(names))
    }

    /// What the executable is made of, as CycloneDX.
    fn materials(&self) -> Outcome<String> {
        let words =
            ["tree", "--locked", "--package", "endicott", "--edges", "normal,no-proc-macro", "--prefix", "none"];
        let tree = output(cargo(&words).args(["--format", "{p}|{l}", "--target", self.target]))?;
        Ok(cyclone(&self.version, &tree))
    }
}

/// The names of files whose lines of check sums are not in both lists.
fn differing<'a>(some: &'a str, others: &'a str) -> Vec<&'a str> {
    let only = |some: &'a str, others: &str| -> Vec<&'a str> {
        let unlike = some.lines().filter(|line| !others.lines().any(|other| other == *line));
        unlike.filter_map(|line| line.split_whitespace().nth(1)).collect()
    };
    let mut names = [only(some, others), only(others, some)].concat();
    names.sort_unstable();
    names.dedup();
    names
}

/// The list of materials: `tree` has a line `name vN (...)|licence` for each.
fn cyclone(version: &str, tree: &str) -> String {
    let mut rows: Vec<(&str, &str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let (package, licence) = line.split_once('|')?;
            let mut words = package.split_whitespace();
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            // Crates of this tree have a path after their version.
            let own = words.any(|word| word.starts_with("(/"));
            (!own).then(|| (name, version, licence.trim_end_matches(" (*)").trim()))
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    let component = |(name, version, licence): &(&str, &str, &str)| {
        json!({
            "type": "library",
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            "licenses": [{ "expression": licence }],
        })
    };
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "endicott", "version": version } },
        "components": rows.iter().map(component).collect::<Vec<_>>(),
    });
    format!("{list:#}\n")
}

/// Moves a file to where its check sum says; the sum and its length.
fn blob(blobs: &Path, part: &Path) -> Outcome<(String, u64)> {
    let sum = output(Command::new("sha256sum").arg(part))?;
    let sum = sum.split_whitespace().next().unwrap_or_default().to_owned();
    let length = at(part, fs::metadata(part))?.len();
    at(part, fs::rename(part, blobs.join(&sum)))?;
    Ok((sum, length))
}

/// The executable makes a system with CMS where there is nothing but itself: no shared library, no device, no `/proc`,
/// no folder of ours.
fn starts_alone(root: &Path) -> Outcome {
    let temporary = root.join("tmp");
    host::make_folder(&temporary)?;
    let mut alone = Command::new("unshare");
    alone.args(["--map-root-user", "--user", "chroot"]).arg(root).args(["/usr/bin/endicott", "sample", "/tmp/system"]);
    let made = run(alone.stdout(Stdio::null()));
    at(&temporary, fs::remove_dir_all(&temporary))?;
    made.map_err(|why| Failure(format!("Alone, the executable does not make a system: {}", why.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_differ_are_named_once() {
        let some = "11  endicott\n22  endicott_1.deb\n33  endicott_1_sbom.json\n";
        assert!(differing(some, some).is_empty());
        let others = "11  endicott\n23  endicott_1.deb\n44  endicott_oci.tar\n";
        let names = ["endicott_1.deb", "endicott_1_sbom.json", "endicott_oci.tar"];
        assert_eq!(differing(some, others), names);
    }

    #[test]
    fn materials_are_listed_once_without_our_own_crates() {
        let tree = "endicott v0.1.0 (/home/me/vm)|MIT\nb v2.0.0|MIT\na v1.0.0|MIT OR Apache-2.0\nb v2.0.0|MIT (*)\n";
        let list: serde_json::Value = serde_json::from_str(&cyclone("0.1.0", tree)).expect("it is JSON");
        let components = list["components"].as_array().expect("a list");
        let names: Vec<&str> = components.iter().filter_map(|one| one["purl"].as_str()).collect();
        assert_eq!(names, ["pkg:cargo/a@1.0.0", "pkg:cargo/b@2.0.0"]);
    }
}
