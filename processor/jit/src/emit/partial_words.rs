//! Words of storage that are changed where they are (ASI and its kind). And parts of a register that a mask selects
//! (ICM, CLM, STCM), where the mask selects one run of bytes.

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::words::*;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Width, Width::*};

/// The run of bytes of a word that a mask selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// How many there are, 1 to 4.
    bytes: u8,
    /// Bits to the right of them.
    shift: u8,
}

impl Run {
    /// What `mask` selects, if that is one run.
    pub fn of(mask: u8) -> Option<Run> {
        let low = mask.trailing_zeros();
        let run = mask.checked_shr(low).unwrap_or(0);
        (mask < 16 && run != 0 && run & (run + 1) == 0)
            .then_some(Run { bytes: run.count_ones() as u8, shift: 8 * low as u8 })
    }

    /// The bits of as many bytes on the right.
    fn ones(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes)
    }

    fn width(self) -> Width {
        match self.bytes {
            1 => W8,
            2 => W16,
            _ => W32,
        }
    }
}

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
    pub fn insert_under_mask(&mut self, run: Run, i: &Fields) {
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
    pub fn compare_under_mask(&mut self, run: Run, i: &Fields) {
        let b = self.run_in_storage(run, i);
        let a = self.run_in_register(run, i);
        self.name_code(Cc::CompareLogical { width: W32, a, b });
    }

    /// STCM.
    pub fn store_under_mask(&mut self, run: Run, i: &Fields) {
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
    pub fn add_in_storage(&mut self, width: Width, logical: bool, i: &Fields) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_of_bytes_is_told_from_none_and_from_several() {
        let runs: Vec<_> = (0..16).filter_map(|mask| Run::of(mask).map(|run| (mask, run.bytes, run.shift))).collect();
        let expected = [
            (1, 1, 0),
            (2, 1, 8),
            (3, 2, 0),
            (4, 1, 16),
            (6, 2, 8),
            (7, 3, 0),
            (8, 1, 24),
            (12, 2, 16),
            (14, 3, 8),
            (15, 4, 0),
        ];
        assert_eq!(runs, expected);
    }
}
