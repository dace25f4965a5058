//! LOAD MULTIPLE and STORE MULTIPLE over the end of a page.
//!
//! A routine saves its caller's registers in a stack frame and loads them when it returns. One frame in forty lies over
//! the end of a page, and its routines are called as often as others. So these two get more than a site: the cold code
//! after the block calls a routine that finds both pages, and the registers go through a buffer in the `State`. Of what
//! `bench/real` leaves code for, that was more than half.
//!
//! What is not over the end of a page, or finds no entry in the TLB, is a site's as before.

use crate::emit::assembler::{Assembler, asm, field, gr, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Across, Cold, Stored};
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::passes::Pass;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::Width;

impl Emitter<'_> {
    /// As [`Emitter::reach`], for that many bytes of whole registers, and the label of the cold code for the end of a
    /// page. None: this access needs no such code.
    pub(crate) fn reach_across(&mut self, at: Word, len: i32, store: bool) -> Option<DynamicLabel> {
        let label = Pass::Across.is_on().then(|| self.a.new_dynamic_label());
        self.reach_or(at, Len::Bytes(len), store, label).then_some(label?)
    }

    /// The registers are loaded from here on, wherever rcx leads.
    pub(crate) fn load_across(&mut self, label: DynamicLabel, width: Width, len: i32) {
        let (back, site) = (self.a.new_dynamic_label(), self.site());
        asm!(self, =>back);
        self.across_later(Across { label, site, width, len, back, stores: None });
    }

    /// The registers have been stored.
    pub(crate) fn store_across(&mut self, label: DynamicLabel, width: Width, len: i32, stores: Vec<Stored>) {
        let (back, site) = (self.a.new_dynamic_label(), self.site());
        asm!(self, =>back);
        self.across_later(Across { label, site, width, len, back, stores: Some(stores) });
    }

    fn across_later(&mut self, across: Across) {
        self.cold.push(Cold::Across(Box::new(across)));
    }

    /// The cold code of one of them.
    pub(crate) fn across(&mut self, across: Across) {
        let Across { label, site, width, len, back, stores } = across;
        let wide = width == Width::W64;
        asm!(self, =>label);
        if self.plan.mask != u64::MAX {
            // Addresses begin anew after the last one, which no routine sees.
            asm!(self, lea rax, [rcx + len - 1] ; mov edx, self.plan.mask as i32 ; cmp rax, rdx ; ja =>site);
        }
        let routine = |first: usize| scratch(first + wide as usize);
        let Some(stores) = stores else {
            asm!(self, mov eax, len - 1 ; call QWORD [rbp + routine(FETCH_ACROSS)] ; jne =>site ; jmp =>back);
            return;
        };
        asm!(self, mov eax, len - 1 ; call QWORD [rbp + routine(FIND_ACROSS)] ; jne =>site);
        for stored in stores {
            self.store_register(wide, stored);
        }
        asm!(self, call QWORD [rbp + routine(STORE_ACROSS)] ; jmp =>back);
    }

    /// Stores a register at rcx and so many bytes. rax changes.
    pub(crate) fn store_register(&mut self, wide: bool, (at, r, host): Stored) {
        match (wide, host) {
            (true, Some(h)) => asm!(self, movbe [BYTE rcx + at], Rq(h)),
            (false, Some(h)) => asm!(self, movbe [BYTE rcx + at], Rd(h)),
            (true, None) => asm!(self, mov rax, [BYTE rbp + gr(r)] ; movbe [BYTE rcx + at], rax),
            (false, None) => asm!(self, mov eax, [BYTE rbp + gr(r)] ; movbe [BYTE rcx + at], eax),
        }
    }
}

// What the routines keep, where sites spill registers: nothing is spilled while they are at it.
/// The guest's address, and how far after it the last byte is.
const AT: usize = SPILL + 8;
const LAST: usize = SPILL + 9;
/// The host's addresses of the first byte and of the second page, and how much is in the first.
const FIRST: usize = SPILL + 10;
const SECOND: usize = SPILL + 11;
const IN_FIRST: usize = SPILL + 12;

/// The routines: each for words and for doublewords.
pub(crate) struct Routines {
    pub(crate) fetch: [usize; 2],
    pub(crate) find: [usize; 2],
    pub(crate) store: [usize; 2],
}

struct Routine<'a> {
    a: &'a mut Assembler,
    wide: bool,
}

/// Emits them. `fetch` and `find` take the guest's address in rcx and in eax how far after it the last byte is. "Not
/// equal": it is no access over the end of a page whose halves are found; nothing has been done. Otherwise rcx leads to
/// the buffer, which `fetch` has filled, and from which `store` stores to where `find` has found. All change rax, rcx
/// and rdx. Each register is one access to storage, since the end of the page is between two.
pub(crate) fn emit(a: &mut Assembler) -> Routines {
    let mut both =
        |emit: &dyn Fn(&mut Routine<'_>) -> usize| [false, true].map(|wide| emit(&mut Routine { a: &mut *a, wide }));
    Routines { fetch: both(&|it| it.fetch()), find: both(&|it| it.find()), store: both(&|it| it.store()) }
}

impl Routine<'_> {
    fn here(&self) -> usize {
        self.a.offset().0
    }

    fn fetch(&mut self) -> usize {
        let at = self.here();
        self.look(FETCH_ALONE);
        self.move_pieces(true);
        asm!(self, lea rcx, [rbp + scratch(BUFFER)] ; cmp eax, eax ; ret);
        at
    }

    fn find(&mut self) -> usize {
        let at = self.here();
        self.look(STORE_ALONE);
        asm!(self, lea rcx, [rbp + scratch(BUFFER)] ; cmp eax, eax ; ret);
        at
    }

    fn store(&mut self) -> usize {
        let at = self.here();
        self.move_pieces(false);
        asm!(self, ret);
        at
    }

    /// Finds both pages by a probe of the first and of the last byte. Returns "not equal" if that cannot be.
    fn look(&mut self, probe: usize) {
        let unit = if self.wide { 8 } else { 4 };
        let (found, out) = (self.a.new_dynamic_label(), self.a.new_dynamic_label());
        asm!(self, mov [rbp + scratch(AT)], rcx ; mov [rbp + scratch(LAST)], rax
            ; lea rdx, [rcx + rax] ; xor rdx, rcx ; and rdx, -4096 ; je >same
            ; xor eax, eax ; call QWORD [rbp + scratch(probe)] ; jne =>out
            ; add rcx, [rbp + scratch(AT)] ; mov [rbp + scratch(FIRST)], rcx
            ; mov rcx, [rbp + scratch(AT)] ; add rcx, [rbp + scratch(LAST)]
            ; xor eax, eax ; call QWORD [rbp + scratch(probe)] ; jne =>out
            ; mov rdx, [rbp + scratch(AT)] ; mov eax, edx ; or eax, -4096 ; neg eax ; mov [rbp + scratch(IN_FIRST)], rax
            ; add rcx, rdx ; add rcx, rax ; mov [rbp + scratch(SECOND)], rcx
            ; test eax, unit - 1 ; je =>found
            ; same: ; test rsp, rsp
            ; =>out ; ret
            ; =>found);
    }

    /// Moves both pieces to the buffer, or from there.
    fn move_pieces(&mut self, fetched: bool) {
        asm!(self, push rsi ; push rdi ; mov rsi, [rbp + scratch(FIRST)] ; lea rdi, [rbp + scratch(BUFFER)]
            ; mov eax, [rbp + scratch(IN_FIRST)]);
        self.move_piece(fetched);
        asm!(self, mov ecx, [rbp + scratch(IN_FIRST)] ; mov rsi, [rbp + scratch(SECOND)] ; add rdi, rcx
            ; mov eax, [rbp + scratch(LAST)] ; sub eax, ecx ; add eax, 1);
        self.move_piece(fetched);
        asm!(self, pop rdi ; pop rsi);
    }

    /// So many bytes as eax says go from rsi to rdi, or from there; the last ones first.
    fn move_piece(&mut self, fetched: bool) {
        match (self.wide, fetched) {
            (true, true) => {
                asm!(self, each: ; mov rdx, [rsi + rax - 8] ; mov [rdi + rax - 8], rdx ; sub eax, 8 ; jne <each)
            }
            (true, false) => {
                asm!(self, each: ; mov rdx, [rdi + rax - 8] ; mov [rsi + rax - 8], rdx ; sub eax, 8 ; jne <each)
            }
            (false, true) => {
                asm!(self, each: ; mov edx, [rsi + rax - 4] ; mov [rdi + rax - 4], edx ; sub eax, 4 ; jne <each)
            }
            (false, false) => {
                asm!(self, each: ; mov edx, [rdi + rax - 4] ; mov [rsi + rax - 4], edx ; sub eax, 4 ; jne <each)
            }
        }
    }
}

const _: () = assert!(BUFFER + 16 <= cpu::SCRATCH && field(layout::SCRATCH) > 0);
