//! The translator: hot blocks become x86-64 code, from the same bodies that the interpreter runs.
//!
//! This is a [`translator::Translator`]. [`translate`](translator::Translator::translate) makes one pass over a decoded
//! block. Each body is run on an [`isa::Cpu`] that has host registers for words, and emits code for each operation.
//! What a body cannot say that way is a call of the instruction's handler. [`enter`](translator::Translator::enter)
//! runs code until the engine is needed. The code counts and leaves exactly as the engine does between its own blocks.
//! It checks the attention bits every few thousand instructions.
//!
//! - A block's code is entered from outside through a check of its frame's code version. Blocks of its own page are
//!   stale when it is, so they enter it without the check.
//! - Registers are cached from first use to the end of the block; the condition code is a recipe until something needs
//!   it.
//! - Storage operands probe the TLB inline. Unusual is: no entry, a page boundary, code in the frame, a protected page.
//!   Then the instruction begins again in the interpreter, on the exact state.
//! - Generated code is never writable where it is executable.
//!
//! The rooms, each of which knows those before it. `plan` is what is known of a block. `emit` is the emitter. `idiom`
//! has loops and fields that are done many bytes at a time. `translate` drives the emission of one block. `runtime` has
//! what lasts from one block to the next.
//!
//! Each virtual CPU has its own cache, so nothing is locked. Hosts other than x86-64 Linux have no translator
//! (`build.rs`): [`translator()`] says so.

// The assembler's macro converts register numbers, whatever they are.
#![allow(clippy::useless_conversion)]

#[cfg(translator)]
mod emit;
#[cfg(translator)]
mod idiom;
#[cfg(translator)]
mod plan;
#[cfg(translator)]
mod runtime;
#[cfg(translator)]
mod translate;

#[cfg(translator)]
pub use runtime::{room::allow, saved::kind, translator::translator};

#[cfg(not(translator))]
mod absent;
#[cfg(not(translator))]
pub use absent::{allow, kind, translator};
