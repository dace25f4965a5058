//! `endicott tape`: tapes in host files.

use std::path::PathBuf;
use tape::{Tape, check};

/// What is to be done.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Makes empty tapes: compressed ones (HET) if the name ends in .het, else AWSTAPE.
    Create {
        /// The tapes.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Lists what is on tapes: their files, blocks, standard labels, and the files that CMS has dumped there.
    List {
        /// The tapes.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Reads tapes from end to end; what is wrong is told, and the exit code is 1 then.
    Check {
        /// The tapes.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

/// Does it; `false`: a check found something.
pub fn tape(command: &Command) -> Result<bool, String> {
    let mut good = true;
    match command {
        Command::Create { files } => {
            for file in files {
                Tape::create(file).map_err(|error| format!("{}: {error}", file.display()))?;
                say!("{}: an empty tape", file.display());
            }
        }
        Command::List { files } | Command::Check { files } => {
            for file in files {
                let report = check(file).map_err(|error| format!("{}: {error}", file.display()))?;
                let blocks: u64 = report.sections.iter().map(|section| u64::from(section.blocks)).sum();
                let bytes: u64 = report.sections.iter().map(|section| section.bytes).sum();
                let files = report.sections.len();
                say!(
                    "{}: {files} files, {blocks} blocks, {bytes} bytes in {} of the host",
                    file.display(),
                    report.size
                );
                if matches!(command, Command::List { .. }) {
                    for (n, section) in report.sections.iter().enumerate() {
                        let end = if section.marked { "" } else { ", no tape mark after it" };
                        say!(
                            "  file {}: {} blocks, {} bytes, at most {} in a block{end}",
                            n + 1,
                            section.blocks,
                            section.bytes,
                            section.longest
                        );
                        section.labels.iter().for_each(|label| say!("    {label}"));
                        section.dumped.iter().for_each(|file| say!("    {file}"));
                    }
                } else if report.wrong.is_empty() {
                    say!("Nothing is wrong.");
                }
                report.wrong.iter().for_each(|wrong| say!("  {wrong}"));
                good &= report.wrong.is_empty();
            }
        }
    }
    Ok(good)
}
