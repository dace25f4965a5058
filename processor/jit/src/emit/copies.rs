//! Copies of registers that wait, and registers that are changed in place, where the plan says so
//! ([`crate::plan::copies`]).

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::notes::Waiting;
use crate::emit::words::*;
use dynasmrt::{DynasmApi, dynasm};
use isa::{Width, Width::*};

impl Emitter<'_> {
    /// If `r` need not have this value yet, as the next instruction changes it, it waits.
    pub(crate) fn put_off(&mut self, width: Width, r: u8, v: Word) -> bool {
        let original = match v {
            Word::Reg { host, .. } => matches!(self.owner(host), Owner::Guest(_)),
            Word::Const(_) => true,
            _ => false,
        };
        let waits = original && self.plan.copies.waits(self.index) && self.waiting.is_none();
        if waits {
            self.waiting = Some(Waiting { index: self.index, r, width, value: v });
        }
        waits
    }

    /// The value of `r`, if a copy that would have it waits.
    pub(crate) fn original(&mut self, width: Width, r: u8) -> Option<Word> {
        let waiting = self.waiting.filter(|waiting| waiting.r == r)?;
        if matches!(width, W8 | W16) || width == W64 && waiting.width == W32 {
            self.copy_now();
            return None;
        }
        Some(match waiting.value {
            Word::Const(c) => Word::Const(c & width.mask()),
            Word::Reg { host, age, left } => {
                let left = if width == W32 && left == Left::Valid { Left::Garbage } else { left };
                Word::Reg { host: self.fresh(host, age), age, left }
            }
            _ => unreachable!("nothing else waits"),
        })
    }

    /// So many bits of `r` are set: a copy that waits is either not wanted any more, or made.
    pub(crate) fn overwrites(&mut self, width: Width, r: u8) {
        match self.waiting {
            Some(waiting) if waiting.r == r && width.bits() >= waiting.width.bits() => self.waiting = None,
            Some(_) => self.copy_now(),
            None => {}
        }
    }

    /// Makes the copy that waits, if there is one.
    pub(crate) fn copy_now(&mut self) {
        if let Some(Waiting { r, width, value, .. }) = self.waiting.take() {
            self.put_general(width, r, value);
        }
    }

    /// An instruction begins: what waits for it is not to be lost.
    pub(crate) fn keep_original(&mut self) {
        if let Some(Waiting { value: Word::Reg { host, age, .. }, .. }) = self.waiting {
            self.fresh(host, age);
        }
    }

    /// An instruction ends: what has waited for it waits no longer.
    pub(crate) fn end_waiting(&mut self) {
        if self.waiting.is_some_and(|waiting| waiting.index != self.index) {
            self.copy_now();
        }
    }

    /// A register with the value of `h`, to be changed: `h` itself, if the instruction changes it and nothing else
    /// wants it.
    pub(crate) fn changeable(&mut self, h: u8, width: Width) -> u8 {
        let changes = self.plan.copies.changes(self.index).filter(|&r| self.owner(h) == Owner::Guest(r));
        if let Some(r) = changes {
            let (full, clear) = (self.map.full >> r & 1 == 1, self.map.clear >> r & 1 == 1);
            // What is on the left of it would be lost.
            let fits = if width == W64 { full } else { !full || clear };
            if fits && self.map.host[r as usize] == h && self.cc.hosts() >> h & 1 == 0 && self.waiting.is_none() {
                self.own(h, Owner::Temp);
                return h;
            }
        }
        let t = self.temp();
        if width == W64 {
            asm!(self, mov Rq(t), Rq(h))
        } else {
            asm!(self, mov Rd(t), Rd(h))
        }
        t
    }
}
