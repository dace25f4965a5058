//! Operands in storage that have a TLB probe of their own: from the guest's address to the host's.

use crate::emit::assembler::{Assembler, asm, displaced, field, near, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::scratch::*;
use crate::emit::words::*;
use arch::{PAGE, PAGE_MASK};
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

/// rax becomes where the TLB has the page at rcx, if it has it, and rdx the tag of its entry for instructions.
pub(crate) fn instruction_entry(a: &mut Assembler) {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    asm!(e, mov rdx, [rbp + scratch(KEY)] ; rorx eax, ecx, 7 ; shr edx, 4 ; and eax, layout::PLACES as i32
        ; and edx, 0xfff ; add rax, [rbp + field(layout::FETCH_WINDOW)] ; or rdx, rcx);
}

impl Emitter<'_> {
    /// rcx becomes the host's address of `len` bytes of the guest's at `at`.
    pub(crate) fn reach(&mut self, at: Word, len: impl Into<Len>, store: bool) {
        self.reach_or(at, len.into(), store, None);
    }

    /// The same. What may lie over the end of a page goes on at `across`, with the guest's address in rcx. Answers
    /// whether anything does.
    pub(crate) fn reach_or(&mut self, at: Word, len: Len, store: bool, across: Option<DynamicLabel>) -> bool {
        if let Len::Bytes(bytes) = len
            && let Some((base, disp)) = self.share_or(at, bytes, store, across)
        {
            displaced!(self, disp, (lea rcx,) [rcx + Rq(base)] ());
            // A firm block is left where its spans cannot be opened.
            return self.plan.loose && across.is_some();
        }
        if let (true, Word::Const(at), Len::Bytes(bytes)) = (store, at, len)
            && at < 2 * PAGE
            && (512..=PAGE - bytes as u64).contains(&(at % PAGE))
        {
            self.reach_low(at);
            return false;
        }
        self.lea(1, at);
        let site = self.site();
        let miss = across.unwrap_or(site);
        asm!(self, rorx eax, ecx, 7 ; and eax, layout::PLACES as i32 ; add rax, [BYTE rbp + near(layout::DATA_WINDOW)]);
        self.last_byte(2, len);
        let tag = if store { layout::ENTRY_WRITE } else { layout::ENTRY_READ } as i8;
        asm!(self, and rdx, -4096 ; or rdx, [BYTE rbp + near(layout::DATA_SPACE)]
            ; cmp rdx, [BYTE rax + tag] ; jne =>miss);
        if store {
            let marked = storage::Code::MARKED_AT as i8;
            asm!(self, mov rdx, [BYTE rax + layout::ENTRY_CODE as i8] ; cmp BYTE [BYTE rdx + marked], 0 ; jne =>site)
        }
        asm!(self, add rcx, [BYTE rax + layout::ENTRY_HOST as i8]);
        across.is_some()
    }

    /// rcx becomes the host's address of what is to be stored at `at`, in page 0 or 1 after the bytes that low-address
    /// protection covers.
    fn reach_low(&mut self, at: u64) {
        let site = self.site();
        let (page, marked) = (at & PAGE_MASK, storage::Code::MARKED_AT as i8);
        let entry = |field: usize| (layout::LOW + at / PAGE * layout::ENTRY_SIZE) as i32 + field as i32;
        asm!(self, mov rax, [BYTE rbp + near(layout::DATA_WINDOW)] ; mov rdx, [BYTE rbp + near(layout::DATA_SPACE)]);
        if page != 0 {
            asm!(self, or rdx, page as i32);
        }
        asm!(self, cmp rdx, [rax + entry(layout::ENTRY_WRITE)] ; jne =>site ; mov rdx, [rax + entry(layout::ENTRY_CODE)]
            ; cmp BYTE [BYTE rdx + marked], 0 ; jne =>site
            ; mov rcx, [rax + entry(layout::ENTRY_HOST)] ; add rcx, at as i32);
    }

    /// rcx + rax becomes the host's address of `len` bytes of the guest's at `at`, to be fetched; changes `t` and rdx.
    /// Between the guest's address and the host's are as few operations as can be: a program that follows pointers
    /// waits for each.
    pub(crate) fn reach_fast(&mut self, at: Word, len: i32, t: u8) {
        self.lea(1, at);
        let site = self.site();
        asm!(self, mov rdx, [BYTE rbp + near(layout::DATA_WINDOW)] ; rorx eax, ecx, 7 ; and eax, layout::PLACES as i32);
        self.last_byte(t, Len::Bytes(len));
        asm!(self, and Rq(t), -4096 ; or Rq(t), [BYTE rbp + near(layout::DATA_SPACE)]
            ; cmp Rq(t), [BYTE rdx + rax + layout::ENTRY_READ as i8] ; jne =>site
            ; mov rax, [BYTE rdx + rax + layout::ENTRY_HOST as i8]);
    }

    /// `to` becomes the guest's address of the last of `len` bytes at rcx.
    fn last_byte(&mut self, to: u8, len: Len) {
        match len {
            Len::Bytes(1) => asm!(self, mov Rq(to), rcx),
            Len::Bytes(len @ 2..=128) => asm!(self, lea Rq(to), [BYTE rcx + (len - 1) as i8]),
            Len::Bytes(len) => asm!(self, lea Rq(to), [rcx + len - 1]),
            Len::Register(h) => asm!(self, lea Rq(to), [rcx + Rq(h)]),
        }
    }
}
