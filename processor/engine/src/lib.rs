//! Running a virtual CPU: SIE's contract, "run until something is not yours".
//!
//! [`run`] executes blocks: instructions decoded once. A block goes up to the first instruction that ends one, or to
//! the end of the page. A branch ends one, as does a change of what the PSW or control registers mean. Where a branch
//! on a condition is not taken, its block goes on. Blocks are found by absolute address, so address spaces share them.
//! Each remembers its frame's code version, so a store into code makes it stale.
//!
//! Blocks that are executed often are translated to host code ([`translator`]). It does what this loop does between
//! blocks, and comes back when something else is wanted.
//!
//! Between two blocks the engine looks at one word of attention bits. Nothing else is polled: the clock is read when
//! the budget of instructions that the caller gave is used up.

mod abort;
mod arms;
mod block;
mod cache;
mod choice;
mod compare;
mod exit;
mod extent;
mod index;
mod interruptions;
mod run;
mod shared_code;
mod shared_text;
mod spare;
mod step;
mod text;
mod trace;
mod transaction;
mod warm;

pub use cache::BlockCache;
pub use choice::{Engine, Notice, choose, engine, provide, statistics, take_notices, unavailable};
pub use exit::{Exit, Stop, complete};
pub use run::run;
pub use warm::{finish_code, keep_code_in};
