//! The return stack: where the latest calls come back to. A branch by a register's address looks here first.
//!
//! An entry has the address after the call, and a link to the code of what stands there. The link leads to the engine
//! until that has been translated. So a return needs no entry of the table of targets, which the host mostly has in no
//! near cache. That saves 4 % of gcc's time (`make bench ARGS="real cc"`, with and without). An entry is good as long
//! as the space, the mode and all translations are as they were.
//!
//! The stack is a ring. A call that does not return leaves an entry. So a return looks at the latest two.

use crate::emit::assembler::{Assembler, asm, near, scratch};
use crate::emit::branches::find;
use crate::emit::emitter::Emitter;
use crate::emit::exits::Cold;
use crate::emit::scratch::*;
use crate::plan::passes::Pass;
use cpu::{State, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// Entries of the ring, and words of each: the address, what must be valid, the code, and one that is not used.
const ENTRIES: usize = 16;
const WORDS: usize = 4;
const SIZE: i32 = 8 * WORDS as i32;
const MASK: i32 = SIZE * ENTRIES as i32 - 1;

const _: () = assert!(RETURNS + ENTRIES * WORDS <= cpu::SCRATCH);

/// Forgets all entries: no address and no validity is all ones.
pub(crate) fn clear(s: &mut State) {
    s.scratch[RETURNS..][..ENTRIES * WORDS].fill(u64::MAX);
    s.scratch[RETURN_TOP] = 0;
}

impl Emitter<'_> {
    /// A call is left, after which the program comes back to what stands at `next`. Changes rax, rcx and rdx.
    pub(crate) fn push_return(&mut self, next: i64, crossed: bool) {
        if !Pass::Returns.is_on() {
            return;
        }
        // What stands across two pages has no code that a link could lead to.
        let Some(page) = self.page_at(next, crossed).filter(|_| !self.crosses(next, crossed)) else { return };
        let label = self.a.new_dynamic_label();
        self.lea_near(0, next as i32);
        // As the state's `ia` is when it is taken: without what a link address has to the left of the address.
        self.mask(0);
        asm!(self, lea rcx, [=>label]);
        let patch = self.here() - 4;
        self.cold.push(Cold::Exit { label, patch, page, outer: true });
        asm!(self, call QWORD [rbp + scratch(PUSH_RETURN)]);
    }

    /// Goes to the block at the state's `ia`, which a call may have named.
    pub(crate) fn take_return(&mut self) {
        asm!(self, jmp QWORD [rbp + scratch(TAKE_RETURN)]);
    }
}

/// Emits the two routines. The first makes an entry of the address in rax and of the code in rcx. The second goes to
/// the block at the state's `ia`; one that no entry leads to is looked for among the targets.
pub(crate) fn emit(a: &mut Assembler) -> [usize; 2] {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let (top, valid) = (scratch(RETURN_TOP), scratch(RETURN_VALID));
    let [ia, is_valid, code] = [0, 1, 2].map(|word| scratch(RETURNS + word));
    let push = e.a.offset().0;
    asm!(e, mov edx, [rbp + top] ; add edx, SIZE ; and edx, MASK ; mov [rbp + top], edx
        ; mov [rbp + rdx + ia], rax ; mov [rbp + rdx + code], rcx
        ; mov rax, [rbp + valid] ; mov [rbp + rdx + is_valid], rax ; ret);
    let by_stack = e.a.offset().0;
    asm!(e, mov r14, [BYTE rbp + near(layout::IA)]);
    take(e.a);
    find(e.a);
    [push, by_stack]
}

/// Goes to the block at r14, which is the state's `ia`, if one of the latest two calls comes back there. Changes rax,
/// rcx and rdx.
pub(crate) fn take(a: &mut Assembler) {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let (top, valid) = (scratch(RETURN_TOP), scratch(RETURN_VALID));
    let [ia, is_valid, code] = [0, 1, 2].map(|word| scratch(RETURNS + word));
    asm!(e, mov eax, [rbp + top]
        ; cmp r14, [rbp + rax + ia] ; jne >second
        ; found: ; mov rcx, [rbp + valid] ; cmp rcx, [rbp + rax + is_valid] ; jne >other
        ; mov rdx, [rbp + rax + code] ; sub eax, SIZE ; and eax, MASK ; mov [rbp + top], eax ; jmp rdx
        ; second: ; sub eax, SIZE ; and eax, MASK ; cmp r14, [rbp + rax + ia] ; je <found
        ; other:);
}
