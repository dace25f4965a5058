//! The targets, one file each.

use crate::chance::Chance;

mod channel;
mod command;
mod decoder;
mod directory;
mod disk;
mod monitor_data;
mod network;
mod program;
mod share;
mod terminal;

/// Something that must never panic and never hang.
pub struct Target {
    /// The name by which it is chosen, as `decoder`.
    pub name: &'static str,
    /// What is tried, for the report.
    pub about: &'static str,
    /// Makes one input and tries it.
    pub run: fn(&mut Chance),
}

/// All of them.
pub static TARGETS: &[Target] = &[
    directory::TARGET,
    command::TARGET,
    terminal::TARGET,
    channel::TARGET,
    decoder::TARGET,
    program::TARGET,
    disk::TARGET,
    monitor_data::TARGET,
    network::TARGET,
    share::TARGET,
];

#[cfg(test)]
mod tests {
    use super::TARGETS;
    use crate::{Extent, run};

    /// A short run of each, the same every time; `cargo x fuzz` is the long one.
    #[test]
    fn every_target_is_clean_on_its_first_inputs() {
        for target in TARGETS {
            if let Err(failed) = run(target, 1, 0, Extent::Inputs(300)) {
                panic!("{}: {failed:?}; repeat it: cargo x fuzz {} 1 1 {}", target.name, target.name, failed.number);
            }
        }
    }
}
