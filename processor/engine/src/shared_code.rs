//! Code that virtual machines have in common. One CPU's translator has made it of a block of a saved system or segment.
//! The CPUs of other machines take it over as soon as they come there. None of it waits to become hot.
//!
//! The code is each machine's own copy, with its addresses, versions and numbers. So nothing that one machine does to
//! its pages or its code touches another's. A block is taken over only where all text that its code is made of is what
//! it was. That text is watched from then on.
//!
//! Few blocks become hot in a machine that rests after each command. So machines hand on what they know of blocks that
//! have no code yet ([`Profile`]). It is all their executions that make such a block hot.

use crate::block::Profile;
use crate::text::Text;
use arch::Absolute;
use cpu::State;
use translator::{Beside, Relocatable};

/// What code follows from, beside its text and what that means ([`crate::shared_text::Context`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Purpose {
    /// The mode of the CPU.
    mode: u8,
    /// It has no other CPU beside it.
    alone: bool,
    /// The engines are compared: some instructions are not translated then.
    comparing: bool,
}

impl Purpose {
    pub(crate) fn of(s: &State, comparing: bool) -> Purpose {
        Purpose { mode: translator::mode(s), alone: s.shared().alone, comparing }
    }

    pub(crate) fn bytes(&self) -> [u8; 3] {
        [self.mode, self.alone.into(), self.comparing.into()]
    }
}

/// All text that the code of a block is made of.
pub(crate) struct Source {
    /// Pieces of text, from the start of the block on.
    pub(crate) text: Vec<(i64, Box<[u8]>)>,
    /// Some of it is in another page than the block's own.
    pub(crate) beside: bool,
}

/// The code of a block, and what it is made of.
pub(crate) struct SharedCode {
    pub(crate) purpose: Purpose,
    pub(crate) source: Source,
    /// Instructions that the code is made of.
    pub(crate) count: u16,
    /// What was known of the block.
    pub(crate) profile: Profile,
    pub(crate) code: Relocatable,
}

/// What is known of a machine's text beside that of code that is to be taken over.
pub(crate) enum Same {
    /// It is the same, and is watched from now on. Some of it may be in a page beside the block's own.
    Yes(Option<Beside>),
    No,
    /// Some of it is in a page that is not known here yet.
    Unknown,
}

impl Source {
    /// Has all of its text watched, from the block at `start` on, the one at `s.ia`, if it is the same there. The
    /// frame's code must have this version still.
    pub(crate) fn watch(&self, s: &State, start: Absolute, version: u32) -> Same {
        let mut there = Text::of(s, start, version);
        let same = |there: &mut Text| {
            let pieces = self.text.iter().map(|(at, piece)| there.is(*at, piece));
            pieces.into_iter().find(|same| *same != Some(true)).unwrap_or(Some(true))
        };
        match same(&mut there) {
            Some(true) => {}
            Some(false) => return Same::No,
            None => return Same::Unknown,
        }
        // The text is read again once it is watched: what is stored from then on raises the version.
        let watched = self.text.iter().all(|(at, piece)| there.watch(*at, at + piece.len() as i64));
        match watched && same(&mut there) == Some(true) {
            true => Same::Yes(there.beside().filter(|_| self.beside)),
            false => Same::No,
        }
    }
}

#[cfg(test)]
impl Purpose {
    pub(crate) fn for_test(comparing: bool) -> Purpose {
        Purpose { mode: 0, alone: true, comparing }
    }
}

#[cfg(test)]
impl SharedCode {
    /// Code of no text.
    pub(crate) fn for_test(purpose: Purpose, count: u16) -> SharedCode {
        let source = Source { text: Vec::new(), beside: false };
        SharedCode { purpose, source, count, profile: Profile::default(), code: std::sync::Arc::new(()) }
    }
}
