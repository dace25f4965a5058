//! `endicott cms`: what the host does for CMS's users.

use crate::program;
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// What is to be done.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Makes TEXT decks for CMS's LOAD of objects of the s390 cross compiler (-m31 -mesa -march=z900 -fno-pic -c).
    ///
    /// guest/cms/sdk has a C library and macros, and says how programs are compiled. `endicott punch USER FILE` puts a
    /// deck into a user's reader, READCARD NAME TEXT takes it from there.
    Text {
        /// The objects; each becomes NAME.TEXT here.
        #[arg(value_name = "OBJECT", required = true)]
        objects: Vec<PathBuf>,
        /// The file of the deck, if there is one object.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The control section's name, if there is one object; else the file's.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Compiles a program in C for CMS and runs it in a user's machine, its console on standard output.
    ///
    /// It becomes a MODULE on the user's disk A, in a system that does not run. guest/cms/sdk/cmslib.h says what a
    /// program has; it is what `#include "cmslib.h"` gets.
    #[command(after_help = program::EXIT_CODES)]
    Run(program::Options),
}

/// More than any object has: a deck is to fit into a virtual machine.
const LARGEST: u64 = 1 << 30;

pub(crate) fn cms(command: &Command) -> Result<u8, String> {
    let (objects, output, name) = match command {
        Command::Text { objects, output, name } => (objects, output, name),
        Command::Run(options) => return program::run(options),
    };
    if objects.len() > 1 && (output.is_some() || name.is_some()) {
        return Err("--output and --name are for one object".into());
    }
    objects.iter().try_for_each(|object| text(object, output.as_deref(), name.as_deref())).map(|()| 0)
}

fn text(object: &Path, output: Option<&Path>, name: Option<&str>) -> Result<(), String> {
    let fail = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let stem = object.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.unwrap_or(&stem).to_uppercase();
    let bytes = base::file::read(object, LARGEST).map_err(|error| fail(object, &error))?;
    let cards = deck::deck(&name, &bytes).map_err(|why| fail(object, &why))?;
    let path = output.map_or_else(|| PathBuf::from(&name).with_extension("TEXT"), Path::to_path_buf);
    base::file::write(&path, &cards).map_err(|error| fail(&path, &error))?;
    say!("{}: {} cards", path.display(), cards.len() / 80);
    Ok(())
}
