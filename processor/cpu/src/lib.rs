//! What a CPU is: its registers, its access path to storage, and how it is interrupted.
//!
//! [`State`] is one CPU as a plain value: run it on any thread, one at a time. What other CPUs and the channel
//! subsystem want of it while it runs arrives through [`Signals`] (this CPU alone) and [`Floating`] (any CPU of the
//! configuration). Both are atomics that the engine looks at between blocks.
//!
//! What a `State` is made of lies in `state/`, as values that know no `State`. What is done to a whole one (access,
//! translation, interruption, timing) is an `impl State` in a file of its own beside it, and uses those values.
//!
//! This crate knows no opcode. `isa` does things to a `State`; `engine` decides what comes next; `complex` and CP
//! complete what an [`Intercepted`] instruction asked for.

#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod access;
mod access_register;
mod asn;
#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod bulk;
pub mod checkpoint;
mod dat;
mod exception_id;
mod guarded;
mod handshake;
#[allow(unsafe_code, reason = "an entry of the TLB is a host address")]
mod interlocked;
mod interpretation;
mod interrupt;
mod lockstep;
mod measurement;
mod mode;
mod notices;
mod signals;
mod state;
mod tables;
mod timing;
mod trace;
pub mod transaction;

pub use access::{PageTableEntry, Translation};
pub use asn::{EntryPoint, SecondTableEntry};
pub use dat::{HostFault, Place};
pub use lockstep::{Snapshot, Stored};
pub use notices::{Handshake, Notice};
pub use signals::{External, Floating, Order, Signals, attention};
pub use state::{
    Access, Architecture, Area, At, CYCLES_PER_MICROSECOND, CounterSet, Counters, CpuTimer, Expanded, Facilities,
    Guarded, HostSpace, Intercepted, Interpretation, Interruption, IoInstruction, PerEvent, SCRATCH, Shared, Space,
    State, Stops, Touched, VectorRegisters, Wrapping, WrappingKeys, cr0, cr2, cr12, cr14, layout, local,
};
pub use timing::FOREVER;
pub use trace::{TraceSlot, Traced};
