//! The translator: hot blocks become x86-64 code, from the same bodies that the interpreter runs.
//!
//! [`Translator::translate`] makes one pass over a decoded block. Each body is run on an [`isa::Cpu`] that has host
//! registers for words, and emits code for each operation. What a body cannot say that way is a call of the
//! instruction's handler. [`Translator::enter`] runs code until the engine is needed. The code counts and leaves
//! exactly as the engine does between its own blocks. It checks the attention bits every few thousand instructions.
//!
//! - A block's code is entered from outside through a check of its frame's code version. Blocks of its own page are
//!   stale when it is, so they enter it without the check.
//! - Registers are cached from first use to the end of the block; the condition code is a recipe until something needs
//!   it.
//! - Storage operands probe the TLB inline. If anything is unusual (no entry, a page boundary, code in the frame, a
//!   protected page), the instruction begins again in the interpreter, on the exact state.
//! - Generated code is never writable where it is executable.
//!
//! The rooms, each of which knows those before it: `plan`, what is known of a block; `emit`, the emitter; `idiom`, loops
//! and fields that are done many bytes at a time; `translate`, which drives the emission of one block; `runtime`, what
//! lasts from one block to the next.
//!
//! Each virtual CPU has its own cache, so nothing is locked. Hosts other than x86-64 Linux have no translator
//! (`build.rs`): `new` says so.

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
pub use runtime::{room::allow, translator::Translator};

use arch::Absolute;

#[cfg(not(translator))]
mod absent;
#[cfg(not(translator))]
pub use absent::{Translator, allow};

/// An exit of a block, until the code cache is emptied.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(translator), expect(dead_code, reason = "there are none"))]
pub struct Link {
    number: u32,
    /// How often the cache had been emptied.
    era: u64,
}

/// The page beside the one that a block begins in, where its trace goes on there.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Where it begins, from the start of the block.
    pub at: i64,
    /// Its frame, and the version of that frame's code.
    pub frame: Absolute,
    pub version: u32,
}

/// Instructions that the program executes in place of some of a block, and then goes on in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arm {
    /// The number of the branch that it comes from.
    pub from: usize,
    /// Those of its own instructions: this one, and those up to this one, which is not its own.
    pub first: usize,
    pub end: usize,
    /// The number of the block's instruction to which it leads back.
    pub to: usize,
}

/// What a block's code is made of.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    /// The instructions that the program executes one after another as far as can be told, and after them those of
    /// arms.
    pub ops: &'a [isa::Op],
    /// The text of each, and its row, if it has a body.
    pub texts: &'a [[u8; 6]],
    pub rows: &'a [Option<&'static isa::Instruction>],
    /// So many of them are the block's.
    pub count: usize,
    /// The number of the instruction that the loop to be quick in begins with.
    pub first: usize,
    pub arms: &'a [Arm],
}

/// Why generated code was left.
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    /// Another block of the same page is wanted, the one at `State::ia`. [`Translator::connect`] makes that a jump.
    Link(Link),
    /// The block at `State::ia` is wanted. [`Translator::remember`] saves the way back here.
    Lookup,
    /// Look at what is pending, the budget and the block's version; execution goes on at `State::ia`.
    Look,
    /// `State::failed` says why the instruction was left. `State::ia` is its block's address; the instruction ends this
    /// far after it, and so long it is.
    Fault { next: i32, len: u8 },
}

macro_rules! statistics {
    ($($(#[doc = $text:literal])+ $name:ident)*) => {
        /// What an operator may want to know, counted.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Statistics {
            $($(#[doc = $text])+ pub $name: u64,)*
        }

        impl Statistics {
            /// Nothing has been done.
            pub const NONE: Statistics = Statistics { $($name: 0),* };

            /// Adds what another has counted.
            pub fn add(&mut self, other: &Statistics) {
                $(self.$name += other.$name;)*
            }

            /// All of it by name, for programs that watch.
            pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }
        }
    };
}

statistics! {
    /// Blocks translated.
    blocks
    /// Instructions in them.
    instructions
    /// Of these, those that call their handler.
    calls
    /// Ways out of blocks that lead back into them.
    arms
    /// Bytes of code made.
    bytes
    /// Times that code was entered. It was left as often:
    entries
    /// for another block of the page that was not linked yet,
    links
    /// for a target that was not known,
    lookups
    /// because something was pending, the budget used up, or an instruction changed what the engine keeps,
    looks
    /// and because an instruction ended in an interruption or interception.
    faults
    /// Targets that were not remembered, but known: code was not left.
    found
    /// Times that an instruction within code was done by the interpreter, since it was not the usual case.
    sites
    /// Times that code called the handler of an instruction.
    called
    /// Instructions executed by generated code.
    executed
    /// Instructions executed by whatever means.
    total
    /// Translated blocks that were found with their text stored into, when they were wanted again.
    invalidated
    /// Times a code cache was full of code worth keeping, and got more room,
    grown
    /// and times that it was emptied.
    emptied
    /// Nanoseconds spent translating.
    time
}
