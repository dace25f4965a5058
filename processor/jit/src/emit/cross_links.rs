//! Links to blocks of other pages. A branch by an address in the text leads to a block that is known when the branch is
//! translated. That holds as long as the TLB leads from the page of the program's own address to the same frame.
//!
//! So there is a guard before the link: it looks in the TLB, as the one of [`crate::emit::second_page`]. The block's
//! outer entry looks at the version of its text. If the guard fails, the block is looked for among the targets.
//!
//! The TLB's entry is the same for all branches to a page. So the host mostly has it in a near cache. It seldom has the
//! places of the table of targets, one for each block. Links save 5 % of gcc's time (`make bench ARGS="real cc"`, with
//! and without). They save 5 % of its code, too: a look among the targets is longer than a link.

use crate::emit::assembler::{Assembler, asm, near, scratch};
use crate::emit::branches::find;
use crate::emit::emitter::Emitter;
use crate::emit::relocations::{LATER, Value};
use crate::emit::scratch::*;
use crate::emit::tlb_probes::instruction_entry;
use crate::plan::block::Other;
use arch::Absolute;
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

impl Emitter<'_> {
    /// Goes to the block so far from the start of this one, in `page`. The state has its address in `ia`.
    pub(crate) fn cross_link(&mut self, at: i64, page: &Other) {
        let offset = (at - page.at) as u64;
        let absolute = page.absolute() + offset;
        if self.stands_across(Absolute(absolute)) {
            // What stands across two pages has no code that a link could lead to.
            return asm!(self, jmp QWORD [rbp + scratch(AT_LOOKUP)]);
        }
        asm!(self, mov rsi, QWORD LATER);
        let number = self.page_number(page);
        self.relocate(Value::Host { page: number, offset: offset as u16 });
        asm!(self, call QWORD [rbp + scratch(AT_CROSS)]);
        self.link(number, true);
    }
}

/// Emits the guard, a routine. It comes back if the state's `ia` is at the host's address in rsi. If not, it goes to
/// the block at `ia` in another way.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let guard = e.a.offset().0;
    asm!(e, mov r14, [BYTE rbp + near(layout::IA)] ; mov rcx, r14 ; and rcx, -4096);
    instruction_entry(e.a);
    asm!(e, cmp rdx, [BYTE rax + layout::ENTRY_READ as i8] ; jne >other
        ; mov rcx, [BYTE rax + layout::ENTRY_HOST as i8] ; add rcx, r14 ; cmp rcx, rsi ; jne >other ; ret
        ; other: ; add rsp, 8);
    find(e.a);
    guard
}
