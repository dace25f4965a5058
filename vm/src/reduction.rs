//! `endicott reduce`: reports from what CP's monitor has recorded.

use base::file;
use reduce::{Choice, Name, Source, Which};
use std::path::PathBuf;

/// The most bytes of a file: what a pipe gives may have no end.
const MOST: u64 = 4 << 30;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which reports: system, user, dasd, paging, states, records [default: all].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub report: Vec<Name>,
    /// Whose lines in reports of users [default: all].
    #[arg(long, value_name = "USER", value_delimiter = ',')]
    pub user: Vec<String>,
    /// Which intervals: by numbers as system has them, 3 or 2-5, or by the local time of day of their ends, 14:30-14:45
    /// [default: all].
    #[arg(long, value_name = "FROM-TO")]
    pub interval: Option<Which>,
    /// Tables of users, disks and states for each interval, too, and not only for all together.
    #[arg(long)]
    pub each: bool,
    /// JSON, for programs.
    #[arg(long)]
    pub json: bool,
    /// What "cat /dev/monreader" gave, or MONWRITE wrote; several files are put into the order of their times.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

pub(crate) fn reduction(options: &Options) -> Result<(), String> {
    let mut read = Vec::new();
    for path in &options.files {
        let name = path.display().to_string();
        let all = file::source(path).and_then(|file| file::all_of(file, MOST));
        read.push((all.map_err(|error| format!("{name}: {error}"))?, name));
    }
    let sources: Vec<Source<'_>> = read.iter().map(|(bytes, name)| Source { name, bytes }).collect();
    let choice = Choice {
        reports: options.report.clone(),
        users: options.user.iter().map(|user| user.to_uppercase()).collect(),
        each: options.each,
        which: options.interval.unwrap_or_default(),
    };
    let report = reduce::reduce(&sources, &choice).map_err(|error| error.to_string())?;
    match options.json {
        true => say!("{}", say::json(&report)),
        false => say::print(format_args!("{}", report.text())),
    }
    Ok(())
}
