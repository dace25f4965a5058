//! The CPU timer (POP, chapter 4, "CPU Timer").

use base::Tod;

/// The CPU timer. It only counts while the CPU is being run, so that CP's time is not the guest's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CpuTimer {
    /// The value when it was last set, stopped or started.
    pub(crate) value: u64,
    /// The host's clock then, while it counts.
    pub(crate) since: Option<Tod>,
    /// Clock units the CPU had been run until then, in all.
    pub(crate) ran: u64,
}
