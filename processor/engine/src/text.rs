//! The text that code may be made of: that of the page that a block begins in, and of one other.

use arch::{Absolute, PAGE, PAGE_MASK};
use cpu::State;
use translator::Beside;

/// How many pages the other page may be away: so far that all of a program is within reach.
pub(crate) const FAR: i64 = 1 << 17;

/// What a trace may be made of.
pub(crate) struct Text<'a> {
    pub(crate) s: &'a State,
    /// How far after the start of its page the block begins.
    offset: i64,
    /// The frame of that page. And the other page, if one has been looked for: how many pages after that it is, and its
    /// frame.
    own: (Absolute, u32),
    pub(crate) beside: Option<(i64, Absolute, u32)>,
}

impl Text<'_> {
    pub(crate) fn of(s: &State, start: Absolute, version: u32) -> Text<'_> {
        let own = (Absolute(start.0 & PAGE_MASK), version);
        Text { s, offset: (start.0 % PAGE) as i64, own, beside: None }
    }

    /// The absolute address of the block.
    pub(crate) fn start(&self) -> u64 {
        self.own.0.0 + self.offset as u64
    }

    /// Which page the byte `at` from the start of the block is in, and where there.
    pub(crate) fn place(&self, at: i64) -> (i64, usize) {
        ((self.offset + at).div_euclid(PAGE as i64), (self.offset + at).rem_euclid(PAGE as i64) as usize)
    }

    /// The frame of that page and its code's version, if a trace may have text of it.
    pub(crate) fn frame(&mut self, page: i64) -> Option<(Absolute, u32)> {
        match self.beside {
            _ if page == 0 => return Some(self.own),
            Some((beside, frame, version)) => return (page == beside).then_some((frame, version)),
            None if page.abs() > FAR || self.s.address_mask != u64::MAX => return None,
            None => {}
        }
        let address = (self.s.ia & PAGE_MASK).checked_add_signed(page * PAGE as i64)?;
        let frame = self.s.find_instruction(address)?;
        let version = self.s.storage().code_version(frame);
        // A frame without marks would need the other CPUs to be met first ([`storage::Watched::first`]).
        if !self.s.storage().code(frame).is_marked() {
            return None;
        }
        self.beside = Some((page, frame, version));
        Some((frame, version))
    }

    /// The absolute address of a byte, and the version of its frame's code.
    pub(crate) fn absolute(&mut self, at: i64) -> Option<(Absolute, u32)> {
        let (page, place) = self.place(at);
        self.frame(page).map(|(frame, version)| (Absolute(frame.0 + place as u64), version))
    }

    /// The instruction there, as it is now, and how long it is.
    pub(crate) fn instruction(&mut self, at: i64) -> Option<([u8; 6], usize)> {
        let mut bytes = [0; 6];
        let (from, _) = self.absolute(at)?;
        let (here, after) = bytes.split_at_mut((PAGE - from.0 % PAGE).min(6) as usize);
        self.s.storage().load(from, here).expect("instructions were decoded from there");
        let length = isa::length(here[0]) as usize;
        if let Some(rest) = length.checked_sub(here.len()).filter(|&rest| rest > 0) {
            let (next, _) = self.absolute(at + here.len() as i64)?;
            self.s.storage().load(next, &mut after[..rest]).expect("as above");
        }
        bytes[length..].fill(0);
        Some((bytes, length))
    }

    /// Whether that is in a page that a trace has text of so far.
    pub(crate) fn has(&self, at: i64) -> bool {
        let (page, _) = self.place(at);
        page == 0 || self.beside.is_some_and(|(beside, ..)| beside == page)
    }

    /// The instruction there stands in two pages.
    pub(crate) fn is_between(&mut self, at: i64) -> bool {
        self.instruction(at).is_some_and(|(_, length)| self.place(at).0 != self.place(at + length as i64 - 1).0)
    }

    /// Whether the text there is this. `None`: some of it is in a page that is not known, or that no other text is in.
    pub(crate) fn is(&mut self, mut at: i64, mut piece: &[u8]) -> Option<bool> {
        let mut now = [0; PAGE as usize];
        while !piece.is_empty() {
            let (from, _) = self.absolute(at)?;
            let len = piece.len().min((PAGE - from.0 % PAGE) as usize);
            let (here, rest) = piece.split_at(len);
            if self.s.storage().load(from, &mut now[..len]).is_err() || now[..len] != *here {
                return Some(false);
            }
            (at, piece) = (at + len as i64, rest);
        }
        Some(true)
    }

    /// The page that has been looked for beside the block's own.
    pub(crate) fn beside(&self) -> Option<Beside> {
        let at = |page: i64| page * PAGE as i64 - self.offset;
        self.beside.map(|(page, frame, version)| Beside { at: at(page), frame, version })
    }

    /// Has the text between these places watched; `false`: that is not enough, or its frame has another version by now.
    pub(crate) fn watch(&mut self, from: i64, to: i64) -> bool {
        let mut at = from;
        while at < to {
            let (page, place) = self.place(at);
            let len = ((to - at) as usize).min(PAGE as usize - place);
            let Some((frame, version)) = self.frame(page) else { return false };
            let watched = self.s.storage().mark_code(Absolute(frame.0 + place as u64), len);
            if watched.first || watched.version != version {
                return false;
            }
            at += len as i64;
        }
        true
    }
}
