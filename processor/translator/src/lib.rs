//! What the engine and a translator know of each other.
//!
//! The engine finds hot blocks and hands a translator the path that the program takes through them ([`Path`]). It runs
//! the code that it gets, by an address, until that is left ([`Exit`]). The program that builds a system hands the
//! engine what makes translators ([`Make`]), so the engine names none.

use arch::Absolute;
use cpu::State;
use isa::Instruction;
use std::any::Any;
use std::io;
use std::sync::Arc;

/// An exit of a block, until the code cache is emptied. Only the translator that made it looks into it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Which exit it is.
    pub number: u32,
    /// How often the cache had been emptied.
    pub era: u64,
}

/// The page beside the one that a block begins in, where its trace goes on there.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Where it begins, from the start of the block.
    pub at: i64,
    /// Its frame, and the version of that frame's code.
    pub frame: Absolute,
    /// The version of that frame's code.
    pub version: u32,
}

/// Instructions that the program executes in place of some of a block, and then goes on in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arm {
    /// The number of the branch that it comes from.
    pub from: usize,
    /// Those of its own instructions: this one, and those up to this one, which is not its own.
    pub first: usize,
    /// The number of the first instruction that is not its own.
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
    /// The row of each in the table; none if it has no body.
    pub rows: &'a [Option<&'static Instruction>],
    /// So many of them are the block's.
    pub count: usize,
    /// The number of the instruction that the loop to be quick in begins with.
    pub first: usize,
    /// Its arms, in the order of their instructions.
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
    Fault {
        /// Where the instruction ends, from its block's address.
        next: i32,
        /// Its length in bytes.
        len: u8,
    },
}

/// The code of a block as each translator of the process can take it over. Only translators look into it.
pub type Relocatable = Arc<dyn Any + Send + Sync>;

/// What becomes of code that is to be taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Adoption {
    /// It has these entries, as [`Translator::translate`] answers.
    Done((u64, u64)),
    /// Not yet: it leads to a page that is not known here.
    Later,
    /// It is not for this CPU.
    Not,
}

/// What is wanted of a translator beside the usual: by tests, and by a comparison of the engines.
#[derive(Clone, Copy, Default)]
pub struct Wishes {
    /// Bytes of code that may be kept, if not as many as it likes: they are used up soon.
    pub room: Option<usize>,
    /// Instructions with this first byte are translated as if it were the other. A comparison of the engines must find
    /// the difference.
    pub mistake: Option<(u8, u8)>,
    /// Instructions that stand across the end of a page are left to the engine where this says so.
    pub refuses: Option<fn(&Instruction) -> bool>,
}

/// Makes the translator of one virtual CPU, or says why the host can have none.
pub type Make = fn(Wishes) -> io::Result<Box<dyn Translator>>;

/// The hot blocks of one virtual CPU as host code.
pub trait Translator: Send {
    /// Whether there is room for another block; if not, [`Translator::grow`], or [`Translator::clear`] and forget all
    /// code.
    fn has_room(&self) -> bool;

    /// Makes room beside the code that there is, if more than half of it is worth keeping: blocks of `useful`
    /// instructions have it still. `false`: there is no more room to be had, or it would mostly keep what is useless.
    fn grow(&mut self, useful: u64) -> bool;

    /// Code has filled more than the first room.
    fn has_grown(&self) -> bool;

    /// Forgets all code.
    fn clear(&mut self);

    /// Forgets all code, and keeps its room for another CPU that wants nothing beside the usual. `false`: it is too
    /// much to be kept.
    fn reuse(&mut self) -> bool;

    /// Translates the block at `absolute`, with its text of this version, all of it in one page and the one `beside`
    /// it. Where an instruction does not follow the one before it in storage, that one branches to it. Returns where
    /// the code is entered from outside, and from its own page. It is good in the [`mode`] of `s`.
    fn translate(&mut self, s: &State, place: (Absolute, u32), beside: Option<Beside>, path: Path<'_>) -> (u64, u64);

    /// The code that was translated last, for the translators of other CPUs. `None`: it is for this one alone.
    fn relocatable(&self) -> Option<Relocatable>;

    /// Appends the code that was translated last, for [`Translator::load`] of another process. `false`: it is for this
    /// CPU alone.
    fn save(&self, to: &mut Vec<u8>) -> bool;

    /// The code that [`Translator::save`] has written, in a process of the same build on the same kind of host.
    /// `None`: it is none. The instructions are decoded as this CPU has them.
    fn load(&self, s: &State, saved: &[u8]) -> Option<Relocatable>;

    /// Takes over the code of the block at `place`, the one at `s.ia`, with its text of this version and that
    /// `beside` it. Another translator has made it of the same text in the [`mode`] of `s`. `whole`: only if the pages
    /// that it leads to are known here.
    fn adopt(
        &mut self,
        s: &State,
        place: (Absolute, u32),
        beside: Option<Beside>,
        code: &Relocatable,
        whole: bool,
    ) -> Adoption;

    /// From now on, the exit `link` is a jump to one of these, the outer and the inner entry of the block at
    /// `absolute`, if the link was made for the same version of the same frame.
    fn connect(&mut self, link: Link, absolute: Absolute, version: u32, entries: (u64, u64));

    /// Notes that the block at `s.ia` begins with `code`, its outer entry.
    fn remember(&mut self, s: &State, code: u64);

    /// Runs the code of the block at `s.ia`, and the code that it leads to, until the engine is needed.
    fn enter(&mut self, s: &mut State, code: u64) -> Exit;

    /// A block that has to be translated again, and the code that it had.
    fn take_loosened(&mut self) -> Option<(Absolute, u64)>;

    /// What has been done since this was asked last.
    fn take_statistics(&mut self) -> Statistics;
}

/// The mode that code would be translated for now: code is good only in the mode it was translated for. It is what
/// decides how a program's text is translated beside the text: the addressing mode, whether fixed-point overflow
/// interrupts, and whether all floating-point registers may be used.
#[inline]
pub fn mode(s: &State) -> u8 {
    let bits = match s.address_mask {
        u64::MAX => 2,
        0x7fff_ffff => 1,
        _ => 0,
    };
    (s.afp_enabled() as u8) << 3 | bits << 1 | s.program_mask >> 3 & 1
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
    /// Blocks whose code another CPU had made of the same text.
    adopted
    /// Of these, those that came from a folder, where an earlier process had put their code or this one,
    restored
    /// and blocks whose code was put there.
    saved
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
    /// Nanoseconds spent translating, and putting that into the folder,
    time
    /// and taking over what came from there.
    restoring
}
