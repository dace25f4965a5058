//! Instructions of control programs that have nothing to do but a few loads and stores: masks of interruptions, the
//! breaking-event address. A program in the problem state gets the exception from the handler.

use crate::emit::assembler::{asm, field, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::control::{Control, INTERRUPTIONS};
use arch::mask;
use cpu::layout;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cpu, Fields, Width::*};

impl Emitter<'_> {
    /// If an attention bit is on that is open now, as eax says, the portion of the budget ends with this block.
    fn end_portion(&mut self) {
        // What the block gives back when it is left is less than that.
        const LEAST: i32 = -64;
        asm!(self, mov rcx, [rbp + field(layout::ATTENTION)] ; test [rcx], eax ; je >none
            ; lea rcx, [r15 - LEAST] ; add [rbp + scratch(RESERVE)], rcx ; mov r15, LEAST ; none:);
    }

    pub(crate) fn control(&mut self, what: Control, i: &Fields) {
        let psw = field(layout::PSW_MASK);
        // The system mask is the leftmost byte.
        let (system, problem) = (psw + 7, psw + mask::PROBLEM.trailing_zeros() as i32 / 8);
        let site = self.site();
        asm!(self, test BYTE [rbp + problem], (1 << (mask::PROBLEM.trailing_zeros() % 8)) as i8 ; jne =>site);
        if matches!(what, Control::LoadBreakingEvent | Control::StoreBreakingEvent) {
            self.settle_break();
        }
        let (base, disp, ..) = what.access(i);
        let at = self.address(0, base, disp);
        match what {
            Control::Close(bits) | Control::Open(bits) => {
                let old = self.temp();
                asm!(self, movzx Rd(old), BYTE [rbp + system]);
                let word = self.reg(old, Left::Zero);
                let Ok(()) = self.store(W8, at, word);
                match what {
                    Control::Close(_) => asm!(self, mov eax, Rd(old) ; and eax, bits as i32),
                    _ => asm!(self, mov eax, Rd(old) ; or eax, bits as i32),
                }
                asm!(self, mov [rbp + system], al ; and eax, INTERRUPTIONS as i32
                    ; mov eax, [rbp + 4 * rax + field(layout::OPEN_FOR)] ; mov [rbp + field(layout::OPEN)], eax);
                if matches!(what, Control::Open(_)) {
                    self.end_portion();
                }
            }
            Control::LoadBreakingEvent => {
                let Ok(()) = self.aligned(at, 8);
                let Ok(v) = self.load(W64, at);
                let v = self.host(v, W64);
                asm!(self, mov[rbp + field(layout::BREAKING_EVENT)], Rq(v));
            }
            Control::StoreBreakingEvent => {
                let Ok(()) = self.aligned(at, 8);
                let v = self.temp();
                asm!(self, mov Rq(v), [rbp + field(layout::BREAKING_EVENT)]);
                let v = self.reg(v, Left::Valid);
                let Ok(()) = self.store(W64, at, v);
            }
        }
    }
}
