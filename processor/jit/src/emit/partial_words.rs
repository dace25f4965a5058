//! Words of storage that are changed where they are (ASI and its kind). And parts of a register that a mask selects
//! (ICM, CLM, STCM), where the mask selects one run of bytes.

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::words::*;
use crate::plan::natives::Run;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Width, Width::*};

impl Emitter<'_> {
    /// The bytes at the second operand, as a number.
    fn run_in_storage(&mut self, run: Run, i: &Fields) -> Word {
        let at = self.address(0, i.b2, i.d2);
        if run.bytes != 3 {
            let Ok(v) = self.load(run.width(), at);
            return v;
        }
        let t = self.temp();
        self.reach(at.address, 3, false);
        asm!(self, movzx Rd(t), WORD [rcx] ; bswap Rd(t) ; shr Rd(t), 8 ; movzx eax, BYTE [BYTE rcx + 2] ; or Rd(t), eax);
        self.reg(t, Left::Zero)
    }

    fn run_in_register(&mut self, run: Run, i: &Fields) -> Word {
        let whole = self.general(W32, i.r1);
        let right = self.shift_right(W32, whole, Word::Const(run.shift.into()));
        self.and(right, Word::Const(run.ones()))
    }

    /// ICM.
    pub(crate) fn insert_under_mask(&mut self, run: Run, i: &Fields) {
        let v = self.run_in_storage(run, i);
        // The leftmost bit inserted decides like a sign.
        let value = if run.bytes == 3 { self.shift_left(W32, v, Word::Const(8)) } else { v };
        let old = self.general(W32, i.r1);
        let mask = u64::from(u32::MAX) & !(run.ones() << run.shift);
        let old = self.and(old, Word::Const(mask));
        let moved = self.shift_left(W32, v, Word::Const(run.shift.into()));
        let new = self.or(old, moved);
        self.name_code(Cc::Sign { width: run.width(), value });
        self.set_general(W32, i.r1, new);
    }

    /// CLM.
    pub(crate) fn compare_under_mask(&mut self, run: Run, i: &Fields) {
        let b = self.run_in_storage(run, i);
        let a = self.run_in_register(run, i);
        self.name_code(Cc::CompareLogical { width: W32, a, b });
    }

    /// STCM.
    pub(crate) fn store_under_mask(&mut self, run: Run, i: &Fields) {
        let v = self.run_in_register(run, i);
        let at = self.address(0, i.b2, i.d2);
        if run.bytes != 3 {
            let Ok(()) = self.store(run.width(), at, v);
            return;
        }
        let h = self.host(v, W32);
        self.reach(at.address, 3, true);
        asm!(self, mov eax, Rd(h) ; bswap eax ; shr eax, 8 ; mov [rcx], ax ; shr eax, 16 ; mov [BYTE rcx + 2], al);
    }

    /// ASI, AGSI, ALSI, ALGSI: interlocked where there is another CPU to lock out.
    pub(crate) fn add_in_storage(&mut self, width: Width, logical: bool, i: &Fields) {
        let immediate = i.imm as i8;
        let at = self.address(0, i.b1, i.d1);
        let (old, sum) = (self.temp(), self.temp());
        let bytes = (width.bits() / 8) as i32;
        if self.plan.alone {
            self.reach(at.address, bytes, true);
            if width == W64 {
                asm!(self, movbe Rq(old), [rcx] ; lea Rq(sum), [BYTE Rq(old) + immediate] ; movbe [rcx], Rq(sum))
            } else {
                asm!(self, movbe Rd(old), [rcx] ; lea Rd(sum), [BYTE Rq(old) + immediate] ; movbe [rcx], Rd(sum))
            }
        } else {
            let Ok(()) = self.aligned(at, bytes as u64);
            self.reach(at.address, bytes, true);
            let site = self.site();
            if width == W64 {
                asm!(self, mov rax, [rcx] ; mov Rq(old), rax ; bswap Rq(old) ; lea Rq(sum), [BYTE Rq(old) + immediate]
                    ; mov rdx, Rq(sum) ; bswap rdx ; lock cmpxchg [rcx], rdx ; jne =>site)
            } else {
                asm!(self, mov eax, [rcx] ; mov Rd(old), eax ; bswap Rd(old) ; lea Rd(sum), [BYTE Rq(old) + immediate]
                    ; mov edx, Rd(sum) ; bswap edx ; lock cmpxchg [rcx], edx ; jne =>site)
            }
        }
        let left = if width == W64 { Left::Valid } else { Left::Zero };
        let (a, sum) = (self.reg(old, left), self.reg(sum, left));
        self.name_code(if logical {
            Cc::AddLogical { width, a, sum }
        } else {
            Cc::Add { width, a, b: Word::Const(immediate as i64 as u64), sum }
        });
    }
}
