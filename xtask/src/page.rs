//! The page for browsers: `vm/web/page/dist` is what the TypeScript compiler makes of `vm/web/page/src`.
//!
//! The compiled files are committed, so that a build needs no node. So is `SHA256SUMS`: what they were made from, and
//! what was made. With it a machine without node and network sees whether the two belong together. The compiler's
//! version is in `package-lock.json`.

use crate::host::{self, Outcome, SUMS, at, has, make_folder, run, write_whole};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that `npm` and the compiler read, beside the sources.
const SETTINGS: [&str; 3] = ["package.json", "package-lock.json", "tsconfig.json"];

fn folder() -> PathBuf {
    host::root().join("vm/web/page")
}

/// Compiles the page.
pub(crate) fn page() -> Outcome {
    if !has("npm") {
        return Err("npm is not on this machine: make page installs it, from the Debian package npm.".into());
    }
    let page = folder();
    let work = host::cache().join("page");
    for folder in ["src", "dist"] {
        let folder = work.join(folder);
        if folder.exists() {
            at(&folder, fs::remove_dir_all(&folder))?;
        }
        make_folder(&folder)?;
    }
    for name in SETTINGS {
        copy(&page.join(name), &work.join(name))?;
    }
    for name in names(&page.join("src"))? {
        copy(&page.join("src").join(&name), &work.join("src").join(&name))?;
    }
    run(Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&work))?;
    run(Command::new("node").args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(&work))?;
    let (made, kept) = (work.join("dist"), page.join("dist"));
    for name in names(&kept)? {
        let old = kept.join(name);
        at(&old, fs::remove_file(&old))?;
    }
    for name in names(&made)? {
        copy(&made.join(&name), &kept.join(&name))?;
    }
    write_whole(&page.join(SUMS), sums(&page)?.as_bytes())
}

/// Fails where the compiled page is not what its source gave.
pub(crate) fn check() -> Outcome {
    let page = folder();
    let kept = page.join(SUMS);
    match at(&kept, fs::read_to_string(&kept))? == sums(&page)? {
        true => Ok(()),
        false => Err("vm/web/page/dist was not made of this vm/web/page/src: run make page.".into()),
    }
}

/// The sums of what the page is made from, and of what is made of it.
fn sums(page: &Path) -> Outcome<String> {
    let mut files: Vec<String> = SETTINGS.map(String::from).into();
    for folder in ["src", "dist"] {
        files.extend(names(&page.join(folder))?.into_iter().map(|name| format!("{folder}/{name}")));
    }
    host::sums(page, files)
}

fn copy(from: &Path, to: &Path) -> Outcome {
    at(from, fs::copy(from, to)).map(drop)
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Outcome<Vec<String>> {
    let entries = at(folder, fs::read_dir(folder))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}
