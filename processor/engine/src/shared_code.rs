//! Code that virtual machines have in common: what one CPU's translator has made of a block of a saved system or
//! segment the CPUs of other machines take over as soon as they come to the block. None of it waits to become hot.
//!
//! The code is each machine's own copy, with its addresses, versions and numbers. So nothing that one machine does to
//! its pages or its code touches another's. A block is taken over only where all text that its code is made of is what
//! it was, and that text is watched from then on.
//!
//! Few blocks become hot in a machine that rests after each command. So machines hand on what they know of blocks that
//! have no code yet ([`Profile`]), and it is all their executions that make such a block hot.

use crate::block::Profile;
use arch::{Absolute, PAGE};
use cpu::State;
use translator::Relocatable;

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
        Purpose { mode: translator::mode(s), alone: s.shared().signals.len() == 1, comparing }
    }
}

/// The code of a block, and all text that it is made of.
pub(crate) struct SharedCode {
    pub(crate) purpose: Purpose,
    /// Pieces of text, from the start of the block on.
    text: Box<[(i64, Box<[u8]>)]>,
    /// Instructions that the code is made of.
    pub(crate) count: u16,
    /// What was known of the block.
    pub(crate) profile: Profile,
    pub(crate) code: Relocatable,
}

impl SharedCode {
    /// The code of the block at `start` that has been made of `count` instructions with this text. `None`: some of it
    /// is of another page, which other machines may have elsewhere.
    pub(crate) fn of(
        purpose: Purpose,
        start: Absolute,
        text: Vec<(i64, Box<[u8]>)>,
        count: u16,
        profile: Profile,
        code: Relocatable,
    ) -> Option<SharedCode> {
        let within = |at: i64| start.0.checked_add_signed(at).is_some_and(|a| a / PAGE == start.0 / PAGE);
        let all = text.iter().all(|(at, piece)| within(*at) && within(at + piece.len() as i64 - 1));
        all.then(|| SharedCode { purpose, text: text.into(), count, profile, code })
    }

    /// Has all of its text watched, from the block at `start` on. `false`: some of it is another, or the frame's code
    /// has no longer this version.
    pub(crate) fn watch(&self, s: &State, start: Absolute, version: u32) -> bool {
        let mut now = [0; PAGE as usize];
        self.text.iter().all(|(at, piece)| {
            let (from, now) = (Absolute(start.0.wrapping_add_signed(*at)), &mut now[..piece.len()]);
            // The text is read once it is watched: what is stored from then on raises the version.
            let watched = s.storage().mark_code(from, piece.len());
            !watched.first && watched.version == version && s.storage().load(from, now).is_ok() && *now == **piece
        })
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
        let (text, profile) = Default::default();
        SharedCode { purpose, text, count, profile, code: std::sync::Arc::new(()) }
    }
}
