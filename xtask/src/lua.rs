//! Lua for CMS: its sources, which cargo fetches, and our port of them (`guest/cms/lua`), as LUA MODULE.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::host::{self, Outcome, at, run};

/// The package that has the sources; Cargo.lock has its version and sum.
const PACKAGE: &str = "lua-src";
/// The folder of the sources in it.
const SOURCES: &str = "lua-5.4.8";

/// Numbers of Lua are in binary floating point, which the rest of CMS does without.
const FLOATING: [&str; 3] = ["-mhard-float", "-ffp-contract=off", "-w"];

/// Files that are quick rather than small.
const QUICK: [&str; 6] = ["lvm.c", "lapi.c", "ldo.c", "lgc.c", "ltable.c", "lstring.c"];

/// Parts of CMS's own library.
const SHARED: [&str; 2] = ["string.c", "divide.c"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
}

/// Where Lua's sources are.
fn sources() -> Outcome<PathBuf> {
    // What other hosts want would be fetched, too.
    let rustc = host::output(Command::new("rustc").arg("-vV"))?;
    let here = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", here];
    let said = host::output(&mut host::cargo(&words))?;
    let metadata: Metadata = serde_json::from_str(&said).map_err(|error| format!("cargo metadata: {error}."))?;
    let package = metadata.packages.into_iter().find(|package| package.name == PACKAGE);
    let folder = package.and_then(|package| Some(package.manifest_path.parent()?.join(SOURCES)));
    folder.filter(|folder| folder.join("lvm.c").is_file()).ok_or_else(|| {
        format!("cargo has fetched no {PACKAGE} with {SOURCES}: `cargo fetch --locked` does, with the network up.")
            .into()
    })
}

/// Makes LUA.MODULE in `folder`: records with their lengths before them. `strict` are options for sources of ours.
pub(crate) fn module(compiler: &str, strict: &[&str], cms: &Path, folder: &Path) -> Outcome {
    let (port, theirs) = (cms.join("lua"), sources()?);
    let built = folder.join("lua");
    host::make_folder(&built)?;
    let mut objects = Vec::new();
    let mut compile = |file: &Path, options: &[&str]| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let object = built.join(format!("{name}.o"));
        let mut command = Command::new(compiler);
        command.args(deck::COMPILED.iter().filter(|option| **option != "-msoft-float")).args(options);
        command.arg("-I").arg(port.join("include")).arg("-I").arg(&port).arg("-I").arg(&theirs);
        objects.push(object.clone());
        run(command.arg("-c").arg(file).arg("-o").arg(&object))
    };
    let config = port.join("port_config.h").display().to_string();
    for file in host::files(&theirs, |name| name.ends_with(".c")) {
        let speed = if QUICK.iter().any(|name| file.ends_with(name)) { "-O2" } else { "-Os" };
        let mut options = FLOATING.to_vec();
        options.extend([speed, "-include", &config]);
        if file.ends_with("lbaselib.c") {
            options.push("-DLETTERS_SIDE_BY_SIDE");
        }
        compile(&file, &options)?;
    }
    let ours = host::files(&port, |name| name.ends_with(".c") || name.ends_with(".S"));
    for file in ours.into_iter().chain(SHARED.map(|name| cms.join("lib").join(name))) {
        compile(&file, &[&FLOATING[..2], strict, &["-Os", "-include", &config]].concat())?;
    }
    let whole = folder.join("lua.all.o");
    let mut link = Command::new(compiler);
    link.args(["-m31", "-r", "-nostdlib", "-Wl,-m,elf_s390,-z,noexecstack"]);
    run(link.args(&objects).arg("-o").arg(&whole))?;
    let bytes = at(&whole, fs::read(&whole))?;
    let records = deck::module("lua_start", &bytes).map_err(|why| format!("{}: {why}", whole.display()))?;
    let path = folder.join("LUA.MODULE");
    at(&path, fs::write(&path, deck::records(&records)?))
}
