//! Accesses off one base: one look into the TLB for all of them.
//!
//! [`Spans::of`] finds, before a block is emitted, runs of accesses whose base register does not change in between, and how far
//! they reach. The first of a run looks whether all of that lies in one page that the TLB has, and leaves the distance from the
//! guest's addresses to the host's in a *slot* of the host's stack; the others take it from there. A slot of 0 says that it
//! cannot be so: then each looks for itself, in code behind the block. Stores have a word of their own beside it, which leads to
//! what the storage keeps about code in the frame, and look at that each time.
//!
//! A slot holds until its base register is set, or somebody else does an instruction: a call closes all of them, and a site comes
//! back with all of them 0. The plan may be wrong about a block: what counts is what [`Map`] says is open.

use crate::ahead::{Access, Footprint, again};
use crate::emitter::{Emitter, asm, near, scratch};
use crate::word::*;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::Op;

/// A run of accesses off one base.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: i32,
    to: i32,
    loads: u16,
    stores: u16,
}

/// What is known of a block's accesses.
#[derive(Default, Debug)]
pub struct Spans {
    list: Vec<Span>,
    /// For each instruction, the bases of its accesses and their spans.
    of: Vec<Vec<(u8, u8)>>,
    /// Registers that nothing in the block sets.
    fixed: u16,
    /// Somebody else does an instruction of the block.
    calls: bool,
    /// The block branches to its own start.
    again: bool,
}

/// No span.
pub const CLOSED: u8 = 0xff;
/// How far the first and the last byte of a span may be from each other: the farther, the more often a page ends in between.
const REACH: i32 = 1024;

/// Where on the stack the slot of a base register is.
pub fn slot(r: u8) -> i32 {
    16 * (15 - r as i32)
}

/// Bytes of all slots.
pub const SLOTS: i32 = 256;

impl Spans {
    pub fn of(ops: &[Op], footprints: &[Footprint]) -> Spans {
        let again = again(ops);
        let written = footprints.iter().fold(0, |all, print| all | print.written);
        let calls = footprints.iter().any(|print| print.called);
        let mut spans = Spans { fixed: !written, calls, again, ..Spans::default() };
        let mut open = [CLOSED; 16];
        for print in footprints {
            let mut of = Vec::new();
            for access in print.accesses.iter().filter(|_| !print.called) {
                let (from, to) = (access.disp, access.disp + access.len);
                let place = &mut open[access.base as usize];
                let fits = |span: &Span| span.to.max(to) - span.from.min(from) <= REACH;
                if *place == CLOSED || !fits(&spans.list[*place as usize]) {
                    if spans.list.len() >= CLOSED as usize || to - from > REACH {
                        continue;
                    }
                    *place = spans.list.len() as u8;
                    spans.list.push(Span { from, to, loads: 0, stores: 0 });
                }
                let span = &mut spans.list[*place as usize];
                (span.from, span.to) = (span.from.min(from), span.to.max(to));
                if access.store {
                    span.stores += 1
                } else {
                    span.loads += 1
                }
                of.push((access.base, *place));
            }
            spans.of.push(of);
            for (r, place) in open.iter_mut().enumerate() {
                if print.called || print.written >> r & 1 == 1 {
                    *place = CLOSED;
                }
            }
        }
        spans
    }

    /// The span of an access of instruction `index`.
    fn find(&self, index: usize, access: &Access) -> Option<(u8, &Span)> {
        let spans = self.of.get(index)?.iter().filter(|(base, _)| *base == access.base);
        spans.map(|&(_, n)| (n, &self.list[n as usize])).find(|(_, span)| span.covers(access))
    }

    /// What is still open in `map` when a loop's second copy begins.
    pub fn carry(&self, map: &mut Map) {
        for r in 0..16 {
            if self.calls || self.fixed >> r & 1 == 0 {
                (map.read[r], map.write[r]) = (CLOSED, CLOSED);
            }
        }
    }

    fn covers(&self, n: u8, access: &Access) -> bool {
        self.list.get(n as usize).is_some_and(|span| span.covers(access))
    }
}

impl Span {
    fn covers(&self, access: &Access) -> bool {
        (self.from..=self.to - access.len).contains(&access.disp)
    }
}

/// An access that looks for itself, and where it stands.
#[derive(Clone, Copy)]
pub struct Alone {
    label: DynamicLabel,
    resume: DynamicLabel,
    site: DynamicLabel,
    base: u8,
    access: Access,
    /// It was to open its span: the words of the slot that are 0 now.
    closes: Closes,
    /// Where the span begins, and how far behind that it ends, if it may be opened again: in a loop, which would have to do
    /// without it for long.
    again: Option<(i32, i32)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closes {
    Nothing,
    Stores,
    All,
}

impl Emitter<'_> {
    /// The access off a base register that is meant, if this address is one, and where the base is.
    fn access(&mut self, at: Word, len: i32, store: bool) -> Option<(Access, u8)> {
        let Word::Sum { base: Some((h, age)), index: None, disp, own: false } = at else { return None };
        let Owner::Guest(base) = self.owner(h) else { return None };
        let disp = i32::try_from(disp).ok().filter(|_| self.plan.mask == u64::MAX)?;
        Some((Access { base, disp, len, store }, self.fresh(h, age)))
    }

    /// If this is an access that shares its look with others: rcx + that register + that displacement becomes the host's
    /// address. rax and rdx change.
    pub fn share(&mut self, at: Word, len: i32, store: bool) -> Option<(u8, i32)> {
        let (access, base) = self.access(at, len, store)?;
        let (r, plan) = (access.base as usize, self.plan);
        let (read, write) = (self.map.read[r], self.map.write[r]);
        let (delta, code) = (slot(access.base), slot(access.base) + 8);
        let marked = storage::Code::MARKED_AT as i8;
        if plan.spans.covers(if store { write } else { read }, &access) {
            let [label, resume] = [0; 2].map(|_| self.a.new_dynamic_label());
            let site = self.site();
            if store {
                asm!(self, mov rdx, [rsp + code] ; test rdx, rdx ; je =>label ; mov rcx, [rsp + delta] ; =>resume
                    ; cmp BYTE [BYTE rdx + marked], 0 ; jne =>site)
            } else {
                asm!(self, mov rcx, [rsp + delta] ; test rcx, rcx ; je =>label ; =>resume)
            }
            let n = if store { write } else { read };
            let looping = self.carried.is_some_and(|carried| carried.map.read[r] == n);
            let span = &plan.spans.list[n as usize];
            let again = looping.then_some((span.from, span.to - span.from - 1));
            self.alone_later(Alone { label, resume, site, base, access, closes: Closes::Nothing, again });
            return Some((base, access.disp));
        }
        let (n, span) = plan.spans.find(self.index, &access)?;
        let repeated = plan.spans.again && plan.spans.fixed >> r & 1 == 1;
        let users = match store {
            // A first store opens the span for what is fetched, too.
            true if read == n => span.stores,
            true => span.stores + span.loads,
            false => span.loads,
        };
        if users < 2 && !repeated {
            return None;
        }
        let (from, last) = (span.from, span.to - span.from - 1);
        let [label, resume] = [0; 2].map(|_| self.a.new_dynamic_label());
        let site = self.site();
        asm!(self, lea rcx, [Rq(base) + from] ; mov eax, ecx ; shr eax, 7 ; and eax, layout::PLACES as i32
            ; add rax, [BYTE rbp + near(layout::DATA_WINDOW)] ; lea rdx, [rcx + last] ; and rdx, -4096
            ; or rdx, [BYTE rbp + near(layout::DATA_SPACE)]);
        if store {
            asm!(self, cmp rdx, [BYTE rax + layout::ENTRY_WRITE as i8] ; jne =>label
                ; mov rdx, [BYTE rax + layout::ENTRY_CODE as i8] ; mov [rsp + code], rdx)
        } else {
            asm!(self, cmp rdx, [BYTE rax + layout::ENTRY_READ as i8] ; jne =>label)
        }
        asm!(self, mov rcx, [BYTE rax + layout::ENTRY_HOST as i8] ; mov [rsp + delta], rcx ; =>resume);
        if store {
            asm!(self, cmp BYTE [BYTE rdx + marked], 0 ; jne =>site)
        }
        // What may be fetched may be so still if stores must not.
        let closes = if store && read == n { Closes::Stores } else { Closes::All };
        self.alone_later(Alone { label, resume, site, base, access, closes, again: None });
        self.map.read[r] = n;
        self.map.write[r] = if store { n } else { CLOSED };
        Some((base, access.disp))
    }

    /// Emits an access that looks for itself.
    pub fn alone(&mut self, alone: &Alone) {
        let Alone { label, resume, site, base, access, closes, again } = *alone;
        asm!(self, =>label);
        if closes != Closes::Nothing {
            asm!(self, mov QWORD [rsp + slot(access.base) + 8], 0);
        }
        if closes == Closes::All {
            asm!(self, mov QWORD [rsp + slot(access.base)], 0);
        }
        let routine = if access.store { STORE_ALONE } else { FETCH_ALONE };
        if let Some((from, last)) = again {
            let no = self.a.new_dynamic_label();
            asm!(self, lea rcx, [Rq(base) + from] ; mov eax, last ; call QWORD [rbp + scratch(routine)] ; jne =>no
                ; mov [rsp + slot(access.base)], rcx);
            if access.store {
                asm!(self, mov[rsp + slot(access.base) + 8], rdx);
            }
            asm!(self, jmp =>resume ; =>no);
        }
        asm!(self, lea rcx, [Rq(base) + access.disp] ; mov eax, access.len - 1 ; call QWORD [rbp + scratch(routine)] ; jne =>site
            ; jmp =>resume);
    }
}

/// Emits what [`Emitter::alone`] calls, for fetches and for stores: rcx has the guest's address, eax how far behind it the last
/// byte is. rcx becomes the distance to the host's and rdx leads to what is kept about code; "not equal": it is a site's.
pub fn emit(a: &mut crate::emitter::Assembler) -> [usize; 2] {
    struct E<'a> {
        a: &'a mut crate::emitter::Assembler,
    }
    let e = E { a };
    [layout::ENTRY_READ, layout::ENTRY_WRITE].map(|tag| {
        let at = e.a.offset().0;
        asm!(e, lea rdx, [rcx + rax] ; mov eax, ecx ; shr eax, 7 ; and eax, layout::PLACES as i32
            ; add rax, [BYTE rbp + near(layout::DATA_WINDOW)] ; and rdx, -4096 ; or rdx, [BYTE rbp + near(layout::DATA_SPACE)]
            ; cmp rdx, [BYTE rax + tag as i8] ; mov rcx, [BYTE rax + layout::ENTRY_HOST as i8]
            ; mov rdx, [BYTE rax + layout::ENTRY_CODE as i8] ; ret);
        at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(accesses: &[(u8, i32, i32, bool)], written: u16) -> Footprint {
        let accesses = accesses.iter().map(|&(base, disp, len, store)| Access { base, disp, len, store }).collect();
        Footprint { accesses, written, ..Footprint::default() }
    }

    #[test]
    fn a_span_reaches_until_its_base_is_set_or_somebody_else_is_called() {
        let call = Footprint { called: true, ..Footprint::default() };
        let prints = [
            print(&[(15, 160, 8, true)], 0),
            print(&[(15, 200, 4, false), (3, 0, 8, false)], 1 << 3),
            print(&[(3, 8, 8, false)], 0),
            call,
            print(&[(15, 160, 8, false)], 0),
            print(&[(15, 160 + REACH, 8, false)], 0),
        ];
        let spans = Spans::of(&[], &prints);
        let at = |index: usize, base, disp, len| {
            let access = Access { base, disp, len, store: false };
            spans.find(index, &access).map(|(n, span)| (n, span.from, span.to, span.loads, span.stores))
        };
        assert_eq!(at(0, 15, 160, 8), Some((0, 160, 204, 1, 1)));
        assert_eq!(at(1, 15, 200, 4), Some((0, 160, 204, 1, 1)));
        assert_eq!(at(1, 3, 0, 8), Some((1, 0, 8, 1, 0)));
        assert_eq!(at(2, 3, 8, 8), Some((2, 8, 16, 1, 0)));
        assert_eq!(at(4, 15, 160, 8), Some((3, 160, 168, 1, 0)));
        // Too far from the others.
        assert_eq!(at(5, 15, 160 + REACH, 8), Some((4, 160 + REACH, 168 + REACH, 1, 0)));
        // What the plan knows nothing of, and what sticks out.
        assert_eq!(at(2, 15, 160, 8), None);
        assert_eq!(at(1, 15, 200, 8), None);
        assert!(spans.calls && spans.fixed == !(1 << 3));
    }
}
