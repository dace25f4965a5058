//! Where each branch by a register has led last: such a branch goes there again without a look in the table of targets.
//!
//! A branch has a place of its own for that, of the table's kind ([`crate::emit::targets`]). It has the address, and is
//! good as long as an entry of the table is. If the program goes elsewhere, a routine looks at the return stack, since
//! a return may be by any register. Then it looks in the table and among all blocks with code. What it finds in these
//! is where the branch has led last from then on. So targets that share a place of the table do not drive out each
//! other as long as branches differ. The host foretells each branch by itself.
//!
//! What is stale by now says so when it is entered, and the branch forgets it ([`LATEST`] is how it is found).

use crate::emit::assembler::{Assembler, asm, near, scratch};
use crate::emit::branches::look;
use crate::emit::emitter::Emitter;
use crate::emit::relocations::{LATER, Value};
use crate::emit::return_stack;
use crate::emit::scratch::*;
use crate::emit::targets;
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

impl Emitter<'_> {
    /// Goes to the block at the state's `ia`. Everything else is in the state, too, so all registers are free.
    pub(crate) fn indirect(&mut self) {
        asm!(self, mov r14, [BYTE rbp + near(layout::IA)] ; mov rdx, QWORD LATER);
        self.relocate(Value::Latest);
        asm!(self, mov rsi, [rbp + scratch(ROWS)] ; mov rcx, [rbp + scratch(KEY)]
            ; cmp r14, [BYTE rdx + targets::IA] ; jne >other ; cmp rcx, [BYTE rdx + targets::KEY] ; jne >other
            ; mov ecx, [BYTE rdx + targets::ROW] ; mov ecx, [rsi + 4 * rcx]
            ; cmp ecx, [BYTE rdx + targets::FORGOTTEN] ; jne >other
            ; mov [rbp + scratch(LATEST)], rdx ; jmp QWORD [BYTE rdx + targets::CODE]
            ; other: ; jmp QWORD [rbp + scratch(ELSEWHERE)]);
    }
}

/// Emits the routine that a branch goes by which leads elsewhere than last: to r14, which is the state's `ia`. rdx is
/// its place.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let elsewhere = e.a.offset().0;
    asm!(e, mov rdi, rdx);
    return_stack::take(e.a);
    look(e.a);
    asm!(e, movups xmm0, [rdx] ; movups xmm1, [BYTE rdx + 16] ; movups [rdi], xmm0 ; movups [BYTE rdi + 16], xmm1
        ; mov [rbp + scratch(LATEST)], rdi ; jmp QWORD [BYTE rdx + targets::CODE]
        ; miss: ; mov rsi, rdi ; jmp QWORD [rbp + scratch(AT_LOOKUP_FOR)]);
    elsewhere
}
