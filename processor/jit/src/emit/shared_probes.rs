//! Accesses that share a TLB probe: the first opens the span, the others take the distance from its slot
//! ([`crate::plan::spans`]).

use crate::emit::assembler::{Assembler, asm, displaced, near, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Alone, Closes, InTable};
use crate::emit::scratch::*;
use crate::emit::slots::{LASTING, page, slot, store_slot};
use crate::emit::words::*;
use crate::plan::footprints::Access;
use crate::plan::spans::CLOSED;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

/// An access off a base register.
struct Shared {
    access: Access,
    /// The host register with the base, and the place in a table.
    base: u8,
    place: Option<InTable>,
    /// How far the base has been stepped, and the access as seen from its value at the start of the block.
    by: i32,
    seen: Access,
    /// Where it goes on if it may lie over the end of a page.
    across: Option<DynamicLabel>,
}

impl Emitter<'_> {
    /// The access off a base register that is meant, if this address is one.
    fn access(&mut self, at: Word, len: i32, store: bool) -> Option<Shared> {
        let Word::Sum { base: Some(base), index, disp, own: false } = at else { return None };
        let disp = i32::try_from(disp).ok().filter(|_| self.plan.mask == u64::MAX)?;
        let (base, len, place) = match index {
            None => (base, len, None),
            Some(index) => {
                let table = self.plan.tables.get(self.index).filter(|_| !store)?;
                let owner = Owner::Guest(table.base);
                let (base, index) = match [base, index].map(|(h, _)| self.owner(h) == owner) {
                    [true, false] => (base, index),
                    [false, true] => (index, base),
                    _ => return None,
                };
                (base, table.most + len, Some((self.fresh(index.0, index.1), len)))
            }
        };
        let Owner::Guest(guest) = self.owner(base.0) else { return None };
        let access = Access { base: guest, disp, len, store };
        let by = self.plan.spans.stepped(self.position(), guest);
        let seen = Access { disp: disp + by, ..access };
        Some(Shared { access, base: self.fresh(base.0, base.1), place, by, seen, across: None })
    }

    /// If this access shares its TLB probe with others: rcx + that register + that displacement becomes the host's
    /// address. rax and rdx change.
    pub(crate) fn share(&mut self, at: Word, len: i32, store: bool) -> Option<(u8, i32)> {
        self.share_or(at, len, store, None)
    }

    /// The same. What may lie over the end of a page goes on at `across`.
    pub(crate) fn share_or(
        &mut self,
        at: Word,
        len: i32,
        store: bool,
        across: Option<DynamicLabel>,
    ) -> Option<(u8, i32)> {
        let shared = Shared { across, ..self.access(at, len, store)? };
        if shared.access.base == LASTING && self.open_for(&shared).is_none() {
            self.try_lasting(&shared)?;
        }
        match self.open_for(&shared) {
            Some(n) => self.take_distance(&shared, n),
            None => self.open_span(&shared)?,
        }
        Some((self.placed(&shared), shared.access.disp))
    }

    /// The span that is open for this access.
    fn open_for(&self, Shared { access, seen, .. }: &Shared) -> Option<u8> {
        let open = if access.store { &self.map.spans.write } else { &self.map.spans.read };
        let n = open[access.base as usize];
        self.plan.spans.covers(n, seen).then_some(n)
    }

    /// What the lasting slot has is of another span, but perhaps of the same page: the access compares that.
    fn try_lasting(&mut self, Shared { access, seen, .. }: &Shared) -> Option<()> {
        let (n, span) = self.plan.spans.find(self.index, seen)?;
        // What lies below the stack frame shares no probe. Java looks there, page by page, whether the stack has room,
        // and what was never stored into cannot be opened for stores.
        if span.to <= 0 && span.stores == 0 {
            return None;
        }
        let (r, spans) = (access.base as usize, &mut self.map.spans);
        (spans.read[r], spans.write[r]) = (n, n);
        spans.moved |= 1 << r;
        Some(())
    }

    /// Takes the distance from the slot of span `n`, which is open; rcx becomes the distance.
    fn take_distance(&mut self, &Shared { access, base, place, by, across, .. }: &Shared, n: u8) {
        let (r, plan) = (access.base as usize, self.plan);
        let (fetches, stores_at) = (slot(access.base), store_slot(access.base));
        let (firm, lasting, store) = (!plan.loose, access.base == LASTING, access.store);
        let span = plan.spans.get(n).expect("it is open");
        let (from, last) = (span.from - by, span.to - span.from - 1);
        let moved = self.map.spans.moved >> r & 1 == 1;
        if firm && !moved {
            if self.distance != Some((self.a.offset().0, access.base)) {
                displaced!(self, fetches, (mov rcx,) [rsp] ());
            }
            return;
        }
        let [label, resume] = [0; 2].map(|_| self.a.new_dynamic_label());
        let site = self.site();
        if moved {
            self.lea_off(0, base, from);
            asm!(self, sub rax, [rsp + page(access.base)] ; cmp rax, 4095 - last ; ja =>label);
            self.map.spans.moved &= !(1 << r);
        }
        // Firm blocks open the lasting slot for stores, too, or not at all: another block may have left it with one
        // word.
        let from_slot = if lasting && firm || store && !firm { stores_at } else { fetches };
        displaced!(self, from_slot, (mov rcx,) [rsp] ());
        if !firm || lasting {
            asm!(self, test rcx, rcx ; je =>label);
        }
        asm!(self, =>resume);
        let moves = plan.spans.moves(access.base);
        let repeated = plan.spans.repeats(access.base);
        let looping = repeated && self.carried.is_some_and(|carried| carried.map.spans.read[r] == n);
        let again = (firm || looping && (moved || !moves) || lasting && moved).then_some((from, last));
        // What was found for another page is of no use here.
        let closes = if moved { Closes::All } else { Closes::Nothing };
        let stores = store || moved && self.map.spans.write[r] == n;
        let page = moves || lasting;
        let marked = None;
        let alone = Alone { label, resume, site, base, access, place, closes, again, stores, page, marked, across };
        self.alone_later(alone);
    }

    /// Probes the TLB for all of the span that the access belongs to, if others share the probe; rcx becomes the
    /// distance.
    fn open_span(&mut self, &Shared { access, base, place, by, ref seen, across }: &Shared) -> Option<()> {
        let (r, plan) = (access.base as usize, self.plan);
        let (firm, store, read) = (!plan.loose, access.store, self.map.spans.read[r]);
        let (n, span) = plan.spans.find(self.index, seen)?;
        let users = match store {
            // A first store opens the span for what is fetched, too.
            true if read == n => span.stores,
            true => span.stores + span.loads,
            // A store after the fetch in the same span shares this probe.
            false => span.loads + span.stores,
        };
        if users < 2 && !plan.spans.repeats(access.base) {
            return None;
        }
        // If the span is stored into later, it is opened for stores now.
        let stores = store || span.stores > 0;
        let moves = plan.spans.moves(access.base);
        let resume = self.a.new_dynamic_label();
        let site = self.site();
        let label = if firm { site } else { self.a.new_dynamic_label() };
        self.look_for_span(access.base, base, (span.from - by, span.to - span.from - 1));
        let marked = self.fill_slot(access.base, stores, (label, resume, site));
        // What may be fetched may be so still if stores must not.
        let closes = if store && read == n { Closes::Stores } else { Closes::All };
        let (again, page) = (None, moves);
        if !firm {
            let alone = Alone { label, resume, site, base, access, place, closes, again, stores, page, marked, across };
            self.alone_later(alone);
        }
        let spans = &mut self.map.spans;
        (spans.read[r], spans.write[r]) = (n, if stores { n } else { CLOSED });
        spans.moved &= !(1 << r);
        Some(())
    }

    /// rcx + rax becomes the place in the TLB of a span that begins `from` bytes after the register `base`, and ends
    /// `last` bytes after that. rdx becomes the tag that an entry for it has. A base that steps keeps its page.
    fn look_for_span(&mut self, r: u8, base: u8, (from, last): (i32, i32)) {
        // A program that follows pointers waits for each operation between the register and the operand.
        if from == 0 {
            asm!(self, rorx eax, Rd(base), 7)
        } else {
            self.lea_off(1, base, from);
            asm!(self, rorx eax, ecx, 7);
        }
        asm!(self, mov rcx, [BYTE rbp + near(layout::DATA_WINDOW)]);
        self.lea_off(2, base, from + last);
        asm!(self, and eax, layout::PLACES as i32 ; and rdx, -4096);
        if self.plan.spans.moves(r) {
            asm!(self, mov[rsp + page(r)], rdx);
        }
        asm!(self, or rdx, [BYTE rbp + near(layout::DATA_SPACE)]);
    }

    /// The slot of `r` gets the distance of the entry that [`Emitter::look_for_span`] leads to, if its tag is that one;
    /// else execution goes on at `label`. The answer is where it goes on if stores are wanted and the frame has code.
    fn fill_slot(
        &mut self,
        r: u8,
        stores: bool,
        (label, resume, site): (DynamicLabel, DynamicLabel, DynamicLabel),
    ) -> Option<DynamicLabel> {
        let (fetches, stores_at) = (slot(r), store_slot(r));
        if !stores {
            asm!(self, cmp rdx, [BYTE rcx + rax + layout::ENTRY_READ as i8] ; jne =>label
                ; mov rcx, [BYTE rcx + rax + layout::ENTRY_HOST as i8]);
            displaced!(self, fetches, (mov) [rsp] (, rcx ; =>resume));
            return None;
        }
        let (firm, marked) = (!self.plan.loose, storage::Code::MARKED_AT as i8);
        let there = if firm { site } else { self.a.new_dynamic_label() };
        asm!(self, cmp rdx, [BYTE rcx + rax + layout::ENTRY_WRITE as i8] ; jne =>label
            ; mov rdx, [BYTE rcx + rax + layout::ENTRY_CODE as i8]
            ; mov rcx, [BYTE rcx + rax + layout::ENTRY_HOST as i8]);
        displaced!(self, fetches, (mov) [rsp] (, rcx ; cmp BYTE [BYTE rdx + marked], 0 ; jne =>there));
        if !firm {
            displaced!(self, stores_at, (mov) [rsp] (, rcx));
        }
        asm!(self, =>resume);
        Some(there)
    }

    /// The register that is to be added to rcx. With a place in a table it is the index, so that what waits for the
    /// index comes last.
    fn placed(&mut self, &Shared { access, base, place, .. }: &Shared) -> u8 {
        self.shared = (place.is_none() && !self.plan.loose).then_some(access.base);
        let Some((index, _)) = place else { return base };
        asm!(self, add rcx, Rq(base));
        index
    }

    /// The access that [`Emitter::share`] has prepared is emitted: as long as nothing else is, what it took from a slot
    /// is still in rcx.
    pub(crate) fn keep_distance(&mut self) {
        self.distance = self.shared.take().map(|r| (self.a.offset().0, r));
    }

    /// A word of a slot becomes 0. The host's flags change.
    fn close_slot(&mut self, at: i32) {
        displaced!(self, at, (and QWORD) [rsp] (, BYTE 0))
    }

    /// Emits an access with a TLB probe of its own.
    pub(crate) fn alone(&mut self, alone: &Alone) {
        let Alone { label, resume, site, base, access, place, closes, again, stores, page: keeps, marked, across } =
            *alone;
        let firm = !self.plan.loose;
        let (fetches, stores_at) = (slot(access.base), store_slot(access.base));
        if let Some(marked) = marked {
            asm!(self, =>marked);
            self.close_slot(stores_at);
            if access.store { asm!(self, jmp =>site) } else { asm!(self, jmp =>resume) }
        }
        asm!(self, =>label);
        // Firm, it opens its span, or is a site's.
        let closes = if firm { Closes::Nothing } else { closes };
        if closes != Closes::Nothing {
            self.close_slot(stores_at);
        }
        if closes == Closes::All {
            self.close_slot(fetches);
        }
        let routine = |stores: bool| scratch(if stores { STORE_ALONE } else { FETCH_ALONE });
        if let Some((from, last)) = again {
            let no = if firm { site } else { self.a.new_dynamic_label() };
            displaced!(self, from, (lea rcx,) [Rq(base)] (; mov eax, last ; call QWORD [rbp + routine(stores)]
                ; jne =>no));
            displaced!(self, fetches, (mov) [rsp] (, rcx));
            if stores && (!firm || access.base == LASTING) {
                displaced!(self, stores_at, (mov) [rsp] (, rcx));
            }
            if keeps {
                displaced!(self, from, (lea rax,) [Rq(base)] (; and rax, -4096 ; mov [rsp + page(access.base)], rax));
            }
            asm!(self, jmp =>resume);
            if firm {
                return;
            }
            asm!(self, =>no);
        }
        let len = match place {
            Some((index, len)) => {
                displaced!(self, access.disp, (lea rcx,) [Rq(base) + Rq(index)] ());
                len
            }
            None => {
                displaced!(self, access.disp, (lea rcx,) [Rq(base)] ());
                access.len
            }
        };
        asm!(self, mov eax, len - 1 ; call QWORD [rbp + routine(access.store)]);
        match across {
            Some(across) => {
                asm!(self, je =>resume);
                displaced!(self, access.disp, (lea rcx,) [Rq(base)] (; jmp =>across));
            }
            None => asm!(self, jne =>site ; jmp =>resume),
        }
    }
}

/// Emits the TLB probes that [`Emitter::alone`] calls, for fetches and for stores. rcx has the guest's address, eax how
/// far after it the last byte is. rcx becomes the distance from the guest's address to the host's. rdx leads to what is
/// kept about code in the frame. "Not equal": the access is a site's. For stores that is so where there is code, too.
pub(crate) fn emit(a: &mut Assembler) -> [usize; 2] {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let marked = storage::Code::MARKED_AT as i8;
    [(layout::ENTRY_READ, false), (layout::ENTRY_WRITE, true)].map(|(tag, store)| {
        let (at, other) = (e.a.offset().0, e.a.new_dynamic_label());
        asm!(e, lea rdx, [rcx + rax] ; mov eax, ecx ; shr eax, 7 ; and eax, layout::PLACES as i32
            ; add rax, [BYTE rbp + near(layout::DATA_WINDOW)] ; and rdx, -4096
            ; or rdx, [BYTE rbp + near(layout::DATA_SPACE)]
            ; cmp rdx, [BYTE rax + tag as i8] ; mov rcx, [BYTE rax + layout::ENTRY_HOST as i8]
            ; mov rdx, [BYTE rax + layout::ENTRY_CODE as i8]);
        if store {
            asm!(e, jne =>other ; cmp BYTE [BYTE rdx + marked], 0);
        }
        asm!(e, =>other ; ret);
        at
    })
}
