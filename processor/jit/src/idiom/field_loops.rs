//! Loops that move or clear field after field, as C libraries and kernels do with what is long. All rounds up to the
//! end of a page are done at once.
//!
//! A loop of one MVC, or of one XC of a field with itself, is recognized by [`Stretch::of`]. Besides, it has only the
//! steps of its bases by the field's length, and a count. At the start of its second copy
//! ([`crate::emit::loop_carried`]) stands code that does many rounds at once. It does as many as the count, the budget
//! and the pages of both fields have room for. Where fields overlap it goes byte after byte from left to right, as MVC
//! does. A field that is moved may go over the end of a page. Or its page may not be the one that the slot says
//! ([`crate::plan::spans`]). Then a [routine](emit) moves it in pieces, if all its pages are there, and the slots are
//! for the pages after it. All else, and the last round, is left to the copy itself. No such round sets the condition
//! code to anything but what the one before it did.

use crate::emit::assembler::{Assembler, asm, displaced, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::scratch::*;
use crate::emit::slots::{self, slot, store_slot};
use crate::emit::words::*;
use crate::plan::natives::wide_fills;
use crate::plan::stretches::{Field, Stretch};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// Fewer rounds than this are left to the copy.
const FEWEST: i32 = 2;

impl Emitter<'_> {
    /// Emits the rounds that are done at once, at the start of the second copy of a loop. The loop must be such a one,
    /// with its registers where they must be. They are changed in place: only the code after it relies on them.
    pub(crate) fn stretch(&mut self) {
        let plan = self.plan;
        let there = plan.beside.is_none() || self.map.crossed;
        let Some(stretch) = plan.stretch.filter(|stretch| there && self.stretch_fits(stretch)) else { return };
        let Stretch { to, from, log, count, long_count } = stretch;
        let host = self.map.host;
        let host = |r: u8| host[r as usize];
        let (length, log) = (1 << log, log as i8);
        let [done, over] = [0; 2].map(|_| self.a.new_dynamic_label());
        let otherwise = if from.is_some() { over } else { done };
        // So many rounds as the count has, but for one, as the budget allows at least, and as are in both pages.
        let counter = host(count);
        if long_count {
            asm!(self, lea rax, [BYTE Rq(counter) - 1])
        } else {
            asm!(self, lea eax, [BYTE Rq(counter) - 1])
        }
        let n = plan.count as i32;
        let bits = (n as u32).next_power_of_two().trailing_zeros() as i8;
        asm!(self, mov rcx, r15 ; shr rcx, bits ; cmp rcx, rax ; cmovb rax, rcx);
        for Field { base, at } in stretch.fields() {
            let most = 4096 - length;
            asm!(self, mov ecx, most ; sub rcx, Rq(host(base)) ; sub rcx, at ; add rcx, [rsp + slots::page(base)]
                ; cmp rcx, most ; ja =>otherwise ; shr ecx, log ; add ecx, 1 ; cmp rcx, rax ; cmovb rax, rcx);
        }
        asm!(self, cmp rax, FEWEST ; jb =>done ; mov rcx, [rsp + store_slot(to.base)] ; test rcx, rcx ; je =>done);
        displaced!(self, to.at, (lea rcx,) [rcx + Rq(host(to.base))] ());
        if let Some(Field { base, at }) = from {
            asm!(self, mov rdx, [rsp + slot(base)] ; test rdx, rdx ; je =>done);
            displaced!(self, at, (lea rdx,) [rdx + Rq(host(base))] ());
        }
        let [source, target] = [6, 7].map(|h| scratch(SPILL + h));
        asm!(self, shl eax, log ; mov [rbp + source], rsi ; mov [rbp + target], rdi ; mov rdi, rcx ; mov ecx, eax);
        self.at_once(from.is_some());
        asm!(self, mov rsi, [rbp + source] ; mov rdi, [rbp + target]);
        for Field { base, .. } in stretch.fields() {
            asm!(self, add Rq(host(base)), rax);
        }
        asm!(self, shr eax, log);
        if long_count {
            asm!(self, sub Rq(counter), rax)
        } else {
            asm!(self, sub Rd(counter), eax)
        }
        asm!(self, imul eax, eax, n ; sub r15, rax);
        if let (Some(from), Some(carried)) = (from, self.carried) {
            asm!(self, =>over);
            if long_count {
                asm!(self, cmp Rq(counter), 2)
            } else {
                asm!(self, cmp Rd(counter), 2)
            }
            asm!(self, jb =>done);
            displaced!(self, to.at, (lea rcx,) [Rq(host(to.base))] ());
            displaced!(self, from.at, (lea rdx,) [Rq(host(from.base))] ());
            asm!(self, mov [rbp + source], rsi ; mov [rbp + target], rdi ; mov eax, length
                ; call QWORD [rbp + scratch(MOVE_FIELD)]
                ; mov rsi, [rbp + source] ; mov rdi, [rbp + target] ; jne =>done
                ; mov rcx, [rbp + scratch(TO_LAST)] ; mov [rsp + slot(to.base)], rcx
                ; mov [rsp + store_slot(to.base)], rcx
                ; mov rcx, [rbp + scratch(FROM_LAST)] ; mov [rsp + slot(from.base)], rcx
                ; and QWORD [rsp + store_slot(from.base)], 0);
            // The slots are for the pages in which the fields end, and so are mostly the ones that come next.
            for Field { base, at } in stretch.fields() {
                asm!(self, lea rcx, [Rq(host(base)) + at + length - 1] ; and rcx, -4096
                    ; mov [rsp + slots::page(base)], rcx
                    ; add Rq(host(base)), length);
            }
            if long_count {
                asm!(self, sub Rq(counter), 1)
            } else {
                asm!(self, sub Rd(counter), 1)
            }
            asm!(self, jmp =>carried.label);
        }
        asm!(self, =>done);
    }

    /// As many bytes as ecx says, a multiple of 128, go from rdx to rdi, or are cleared there; rax stays.
    fn at_once(&mut self, moves: bool) {
        match (moves, wide_fills()) {
            (true, true) => {
                asm!(self, mov rsi, rdx ; mov rdx, rdi ; sub rdx, rsi ; sub rdx, 1 ; cmp rdx, rcx ; jb >slowly
                ; each: ; vmovups ymm0, [rsi] ; vmovups ymm1, [rsi + 32] ; vmovups [rdi], ymm0
                ; vmovups [rdi + 32], ymm1
                ; vmovups ymm0, [rsi + 64] ; vmovups ymm1, [rsi + 96] ; vmovups [rdi + 64], ymm0
                ; vmovups [rdi + 96], ymm1
                ; sub rsi, -128 ; sub rdi, -128 ; sub ecx, 128 ; jne <each ; vzeroupper ; jmp >moved
                // A destination that begins within the source sees what was moved before.
                ; slowly: ; rep movsb ; moved:)
            }
            (true, false) => asm!(self, mov rsi, rdx ; rep movsb),
            (false, true) => asm!(self, vxorps ymm0, ymm0, ymm0
                ; each: ; vmovups [rdi], ymm0 ; vmovups [rdi + 32], ymm0 ; vmovups [rdi + 64], ymm0
                ; vmovups [rdi + 96], ymm0
                ; sub rdi, -128 ; sub ecx, 128 ; jne <each ; vzeroupper),
            (false, false) => asm!(self, mov edx, eax ; xor eax, eax ; rep stosb ; mov eax, edx),
        }
    }

    fn stretch_fits(&self, stretch: &Stretch) -> bool {
        let (map, spans) = (&self.map, &self.plan.spans);
        let held = |r: u8| map.host[r as usize] != NONE && map.dirty >> r & 1 == 1;
        let whole = |r: u8| held(r) && map.full >> r & 1 == 1 && map.clear >> r & 1 == 0;
        let counted = if stretch.long_count {
            whole(stretch.count)
        } else {
            held(stretch.count) && map.full >> stretch.count & 1 == 0
        };
        let bases = stretch.fields().all(|field| {
            let open = if field == stretch.to { map.spans.write } else { map.spans.read };
            whole(field.base) && spans.reaches(open[field.base as usize], field.base, field.at, 1 << stretch.log)
        });
        // Nor is the condition code made of what is changed.
        let changed = stretch.fields().map(|field| field.base).chain([stretch.count]);
        let code = self.cc.hosts();
        counted && bases && changed.into_iter().all(|r| code >> map.host[r as usize] & 1 == 0)
    }
}

// What the routine keeps for itself and for its caller, where sites spill registers that it does not use.
/// The guest's addresses of both fields, and their length.
const TO: usize = SPILL + 8;
const FROM: usize = SPILL + 9;
const LENGTH: usize = SPILL + 10;
/// How far the host's address of each field's first byte is from the guest's, and the same of its last byte.
const TO_FIRST: usize = SPILL + 11;
const FROM_FIRST: usize = SPILL + 12;
const TO_LAST: usize = SPILL + 13;
const FROM_LAST: usize = SPILL + 14;
/// How much of each field is in its first page.
const FIRSTS: usize = SPILL + 1;

/// Emits the routine that moves a field, byte after byte from left to right, over the ends of pages. rcx has the
/// guest's address of the destination, rdx that of the source, eax the length, 4096 at most. These, rsi, rdi and xmm0
/// to xmm2 change. "Not equal": a page is not there, or has code, and nothing has been moved.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let at = e.a.offset().0;
    let [out, third, source, piece] = [0; 4].map(|_| e.a.new_dynamic_label());
    asm!(e, mov [rbp + scratch(TO)], rcx ; mov [rbp + scratch(FROM)], rdx ; mov [rbp + scratch(LENGTH)], rax
        ; xor eax, eax ; call QWORD [rbp + scratch(STORE_ALONE)] ; jne =>out ; mov [rbp + scratch(TO_FIRST)], rcx);
    for (start, last, routine) in [(TO, TO_LAST, STORE_ALONE), (FROM, FROM_LAST, FETCH_ALONE)] {
        asm!(e, mov rcx, [rbp + scratch(start)] ; add rcx, [rbp + scratch(LENGTH)] ; sub rcx, 1 ; xor eax, eax
            ; call QWORD [rbp + scratch(routine)] ; jne =>out ; mov [rbp + scratch(last)], rcx);
    }
    asm!(e, mov rcx, [rbp + scratch(FROM)] ; xor eax, eax ; call QWORD [rbp + scratch(FETCH_ALONE)] ; jne =>out
        ; mov [rbp + scratch(FROM_FIRST)], rcx
        // How much of each is in its first page.
        ; mov ecx, [rbp + scratch(LENGTH)] ; mov eax, [rbp + scratch(TO)] ; or eax, -4096 ; neg eax ; cmp eax, ecx
        ; cmova eax, ecx
        ; mov edx, [rbp + scratch(FROM)] ; or edx, -4096 ; neg edx ; cmp edx, ecx ; cmova edx, ecx
        ; mov rdi, [rbp + scratch(TO)] ; add rdi, [rbp + scratch(TO_FIRST)]
        ; mov rsi, [rbp + scratch(FROM)] ; add rsi, [rbp + scratch(FROM_FIRST)]
        ; mov ecx, eax ; cmp ecx, edx ; cmova ecx, edx ; call =>piece
        // One goes on in its second page, the other in its first, which it may not have come to the end of.
        ; cmp eax, edx ; je =>third ; ja =>source
        ; mov rdi, [rbp + scratch(TO)] ; add rdi, [rbp + scratch(TO_LAST)] ; add rdi, rax ; mov ecx, edx ; sub ecx, eax
        ; call =>piece ; mov eax, edx ; jmp =>third
        ; =>source ; mov rsi, [rbp + scratch(FROM)] ; add rsi, [rbp + scratch(FROM_LAST)] ; add rsi, rdx
        ; mov ecx, eax ; sub ecx, edx
        ; call =>piece
        ; =>third ; mov rdi, [rbp + scratch(TO)] ; add rdi, [rbp + scratch(TO_LAST)] ; add rdi, rax
        ; mov rsi, [rbp + scratch(FROM)] ; add rsi, [rbp + scratch(FROM_LAST)] ; add rsi, rax
        ; mov ecx, [rbp + scratch(LENGTH)] ; sub ecx, eax ; call =>piece ; cmp eax, eax
        ; =>out ; ret
        // So many bytes as ecx says go from rsi to rdi, which move on past them; eax and edx stay.
        ; =>piece ; test ecx, ecx ; je >nothing ; mov [rbp + scratch(FIRSTS)], eax
        ; mov [rbp + scratch(FIRSTS) + 4], edx
        ; mov rdx, rdi ; sub rdx, rsi ; sub rdx, 1 ; cmp rdx, rcx ; jb >slowly
        ; mov eax, ecx ; mov rcx, rdi ; mov rdx, rsi ; add rdi, rax ; add rsi, rax
        ; call QWORD [rbp + scratch(MOVE_BYTES)] ; jmp >moved
        ; slowly: ; rep movsb ; moved: ; mov eax, [rbp + scratch(FIRSTS)] ; mov edx, [rbp + scratch(FIRSTS) + 4]
        ; nothing: ; ret);
    at
}
