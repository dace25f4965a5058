//! What stands around a block's instructions: before the first, between two, after the last, and all cold code.

use crate::emit::assembler::{asm, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Cold, Goal, OUT, STALE, Way};
use crate::emit::relocations::{LATER, LATER_HALF, OWN, Value};
use crate::emit::scratch::*;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

impl Emitter<'_> {
    /// What stands before the first instruction.
    pub(crate) fn prologue(&mut self) {
        let n = self.plan.count as i8;
        self.compare_version(OWN);
        asm!(self, jne >stale ; =>self.head);
        self.head_offset = self.a.offset().0 as u64;
        asm!(self, sub r15, BYTE n ; js =>self.over);
    }

    /// The host's flags compare the version of a page's code with what it was. Changes rax.
    pub(crate) fn compare_version(&mut self, page: u8) {
        asm!(self, mov rax, QWORD LATER);
        self.relocate(Value::VersionAt(page));
        asm!(self, cmp DWORD [rax], LATER_HALF);
        self.relocate(Value::Version(page));
    }

    pub(crate) fn begin(&mut self, index: usize) {
        self.index = index;
        self.led = false;
        if !self.branched_off.now {
            self.join(self.plan.ops[index].fields.at());
            self.mark_place();
        }
        self.first_site = self.sites.len();
        self.code_set = false;
        self.keep_original();
        self.cross();
    }

    pub(crate) fn end(&mut self) {
        self.end_waiting();
        self.release();
        if self.sites.len() > self.first_site {
            // A way back from a site has other flags.
            self.tested = None;
        }
        let offset = self.a.offset().0;
        let distance = self.distance.filter(|(at, _)| *at == offset).map(|(_, r)| r);
        let (resume, map, leave) = (self.here(), self.map, self.code_set || !self.open);
        for site in &mut self.sites[self.first_site..] {
            (site.resume, site.after, site.distance, site.leave) = (resume, map, distance, leave || site.quits);
        }
    }

    /// The end of a copy of the block, after the instruction that was emitted last.
    pub(crate) fn finish(&mut self) {
        if self.open {
            self.jump_to(Goal::Near(self.plan.ops[self.index].fields.next as i64), None);
        }
    }

    /// The instruction emitted next is what the program goes on with: it follows this one in storage, or a branch leads
    /// there.
    pub(crate) fn goes_on(&self) -> bool {
        self.open && (self.led || self.follows(Goal::Near(self.plan.ops[self.index].fields.next as i64)))
    }

    /// All cold code.
    pub(crate) fn epilogue(&mut self) {
        let mut k = 0;
        while k < self.cold.len() {
            match self.cold[k] {
                Cold::Alone(alone) => self.alone(&alone),
                Cold::Across(_) => {
                    if let Cold::Across(across) = std::mem::replace(&mut self.cold[k], Cold::Done) {
                        self.across(*across);
                    }
                }
                Cold::Settle { label, resume, floats } => {
                    let routine = scratch(SETTLE_CODE + floats as usize);
                    asm!(self, =>label ; call QWORD [rbp + routine] ; jmp =>resume)
                }
                Cold::Join { start, away, to, to_cc, label } => {
                    asm!(self, =>start);
                    self.taken(away.refund, away.at);
                    self.joins((&away.map, &away.cc), (&to, &to_cc), label);
                }
                Cold::Site(label, id) => {
                    let at = if self.sites[id].holds_floats() { AT_FLOAT_SITE } else { AT_SITE };
                    asm!(self, =>label ; mov eax, LATER_HALF);
                    self.relocate(Value::Site(id as u32));
                    asm!(self, jmp QWORD [rbp + scratch(at)])
                }
                Cold::Done => {}
                Cold::Unusual(unusual) => self.unusual(&unusual),
                Cold::Edge { label, away, goal } => {
                    asm!(self, =>label);
                    self.edge(&away, goal);
                }
                Cold::Exit { label, patch, page, outer } => {
                    let id = self.links.len() as u32;
                    self.links.push(Way { patch, page, outer });
                    asm!(self, =>label ; mov eax, LATER_HALF);
                    self.relocate(Value::Link(id));
                    asm!(self, jmp QWORD [rbp + scratch(LEAVE)]);
                }
            }
            k += 1;
        }
        self.second_out();
        // The code is stale: what remembers this entry is to remember another.
        asm!(self, stale:);
        self.leave(STALE);
        asm!(self, =>self.over ; add r15, BYTE self.plan.count as i8 ; call QWORD [rbp + scratch(REFILL)] ; jne =>self.head);
        self.leave(OUT);
    }
}
