//! `endicott package`: what a package of this program has, written by the program itself: a copy with CMS aboard, its
//! manual pages, and completions for shells.

use crate::sample;
use clap::CommandFactory;
use clap_complete::Shell;
use std::fs;
use std::path::{Path, PathBuf};
use tools::aboard;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder, which is made: bin/endicott, share/man/man1 and completions are in it afterwards.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder with CMS, as "make cms" builds it.
    #[arg(long, value_name = "DIR")]
    cms: PathBuf,
}

const NAME: &str = "endicott";

/// Completions where Debian's shells look for them, below `share`.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/endicott"),
    (Shell::Zsh, "share/zsh/vendor-completions/_endicott"),
    (Shell::Fish, "share/fish/vendor_completions.d/endicott.fish"),
];

pub(crate) fn package(options: &Options) -> Result<(), String> {
    let folder = &options.folder;
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let images = sample::images(&options.cms)?;
    let program = folder.join("bin").join(NAME);
    make_above(&program)?;
    let own = aboard::program().ok_or("it is not known where this program lies")?;
    aboard::embed(&own, &images, &program).map_err(fail)?;
    for (shell, place) in SHELLS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut crate::Arguments::command(), NAME, &mut text);
        write(&folder.join(place), &text)?;
    }
    let mut command = crate::Arguments::command().disable_help_subcommand(true);
    command.build();
    pages(&command, NAME, &folder.join("share/man/man1"))?;
    say!("{}: {NAME} with CMS, manual pages, completions", folder.display());
    Ok(())
}

/// The manual page of a command and those of its subcommands.
fn pages(command: &clap::Command, name: &str, folder: &Path) -> Result<(), String> {
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command.clone().bin_name(name.replace('-', " ")).display_name(name));
    page.render(&mut text).map_err(|error| format!("{name}: {error}"))?;
    write(&folder.join(format!("{name}.1")), &text)?;
    let mut shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    shown.try_for_each(|below| pages(below, &format!("{name}-{}", below.get_name()), folder))
}

fn make_above(path: &Path) -> Result<(), String> {
    let above = path.parent().unwrap_or(path);
    fs::create_dir_all(above).map_err(|error| format!("{}: {error}", above.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    make_above(path)?;
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
