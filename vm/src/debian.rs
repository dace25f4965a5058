//! `endicott debian`: a Debian that starts from a disk, made by [`making`], and run.

use crate::linux;
use guests::making::{self, Made};
use hostside::network;
use std::path::PathBuf;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The system's name: the disk is the file NAME.3390, and the host name is NAME too unless --hostname is given.
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
    /// Start it, with its console here, as "endicott linux NAME" does. It is made first if there is no such disk yet.
    #[arg(long)]
    pub run: bool,
    /// The virtual machine's storage when it runs.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = guests::options::size)]
    pub memory: u64,
    /// How many virtual CPUs it has when it runs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cpus: u16,
    /// The network that it has when it runs.
    #[command(flatten)]
    pub network: network::Options,
    #[command(flatten)]
    pub making: making::Options,
}

/// Makes the system if it is not there, and runs it if that is wanted; the exit code.
pub(crate) fn debian(options: &Options) -> Result<u8, String> {
    options.network.check(true)?;
    if let Some(word) = options.network.word().filter(|_| !options.run) {
        return Err(format!("{word} is for a system that runs: --run"));
    }
    if options.run {
        return linux::linux(&guests::options::Options {
            network: options.network.clone(),
            making: options.making.clone(),
            ..guests::options::Options::of_system(&options.name, options.memory, options.cpus)
        });
    }
    let disk = making::disk(&options.name);
    if disk.exists() {
        return Err(format!("{} exists already: \"--run\" starts it, another name makes another", disk.display()));
    }
    if making::make(&options.name, &options.making)? == Made::Stopped {
        return Ok(tools::signals::STOPPED);
    }
    say!("{} is ready: endicott linux {}", disk.display(), options.name.display());
    Ok(0)
}
