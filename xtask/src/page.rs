//! The page for browsers: `vm/web/page/dist` is what the TypeScript compiler makes of `vm/web/page/src`.
//!
//! The compiled files are committed, so that a build needs no node. The compiler's version is in `package-lock.json`.

use crate::host::{self, Outcome, at, has, make_folder, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The files that `npm` and the compiler read, beside the sources.
const SETTINGS: [&str; 3] = ["package.json", "package-lock.json", "tsconfig.json"];

/// Compiles the page, and with `check` only compares.
pub(crate) fn page(check: bool) -> Outcome {
    if !has("npm") {
        return Err("npm is not on this machine: the Debian package npm has it.".into());
    }
    let page = host::root().join("vm/web/page");
    let work = host::cache().join("page");
    for folder in ["src", "dist"] {
        let folder = work.join(folder);
        if folder.exists() {
            at(&folder, fs::remove_dir_all(&folder))?;
        }
        make_folder(&folder)?;
    }
    for name in SETTINGS {
        let from = page.join(name);
        at(&from, fs::copy(&from, work.join(name)))?;
    }
    for name in names(&page.join("src"))? {
        let from = page.join("src").join(&name);
        at(&from, fs::copy(&from, work.join("src").join(&name)))?;
    }
    run(Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&work))?;
    run(Command::new("node").args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(&work))?;
    let (made, kept) = (work.join("dist"), page.join("dist"));
    let mut differs = names(&made)? != names(&kept)?;
    for name in names(&made)? {
        let text = at(&made, fs::read(made.join(&name)))?;
        differs |= fs::read(kept.join(&name)).is_ok_and(|old| old != text);
        if !check {
            at(&kept, fs::write(kept.join(&name), text))?;
        }
    }
    match check && differs {
        true => Err("vm/web/page/dist is not what vm/web/page/src gives: run cargo x page.".into()),
        false => Ok(()),
    }
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Outcome<Vec<String>> {
    let entries = at(folder, fs::read_dir(folder))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}
