//! What a CPU is: its registers, its access path to storage, and how it is interrupted.
//!
//! [`State`] is one CPU as a plain value: run it on any thread, one at a time. What other CPUs and the channel
//! subsystem want of it while it runs arrives through [`Signals`] (this CPU alone) and [`Floating`] (any CPU of the
//! configuration). Both are atomics that the engine looks at between blocks.
//!
//! This crate knows no opcode. `isa` does things to a `State`; `engine` decides what comes next; `complex` and CP
//! complete what an [`Intercepted`] instruction asked for.

#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod access;
mod access_register;
#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod bulk;
mod dat;
mod guarded;
mod intercept;
#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod interlocked;
mod interpretation;
mod interrupt;
mod lockstep;
mod measurement;
mod mode;
mod signals;
#[allow(unsafe_code, reason = "the attention bits' own address, for translated code")]
mod state;
mod timing;
#[allow(unsafe_code, reason = "an entry holds host addresses")]
mod tlb;
pub mod transaction;

pub use access::{Access, At, Space, Translation};
pub use guarded::Guarded;
pub use intercept::{Intercepted, IoInstruction};
pub use interpretation::{HostFault, HostSpace, Interpretation};
pub use interrupt::{Interruption, PerEvent};
pub use lockstep::{Snapshot, Stored};
pub use measurement::{CYCLES_PER_MICROSECOND, CounterSet, Counters};
pub use mode::Architecture;
pub use signals::{External, Floating, Order, Signals, attention};
pub use state::{Facilities, SCRATCH, Shared, State, VectorRegisters, cr0, cr2, cr14, layout, local};
pub use timing::{CpuTimer, FOREVER};
