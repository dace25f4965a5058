//! Instructions with routines for bodies: what the routine comes to in the common case, as host code.
//!
//! Nothing here decides what an instruction means. What is not the common case goes to the site, and the routine does
//! it. Such are a page boundary, operands that overlap, a result that is not a normal number, a trap that is enabled.

use crate::emit::assembler::asm;
use crate::emit::emitter::Emitter;
use crate::emit::exits::Stored;
use crate::emit::words::*;
use cpu::At;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Width, Width::*};

impl Emitter<'_> {
    /// One, two, four or eight bytes.
    pub(crate) fn compare_bytes(&mut self, width: Width, i: &Fields) {
        let first = self.address(0, i.b1, i.d1);
        let Ok(a) = self.load(width, first);
        let second = self.address(0, i.b2, i.d2);
        let Ok(b) = self.load(width, second);
        self.name_code(Cc::CompareLogical { width, a, b });
    }

    /// The second operand: a register, or what is in storage. That is the only access, and comes first.
    fn second(&mut self, width: Width, storage: bool, i: &Fields) -> Word {
        if !storage {
            return self.general(width, i.r2);
        }
        let at = self.address(i.x2, i.b2, i.d2);
        let Ok(operand) = self.load(width, at);
        operand
    }

    pub(crate) fn multiply_logical(&mut self, storage: bool, i: &Fields) {
        let b = self.second(W64, storage, i);
        let a = self.general(W64, i.r1 + 1);
        let (a, b) = (self.host(a, W64), self.host(b, W64));
        let (high, low) = (self.temp(), self.temp());
        asm!(self, mov rdx, Rq(a) ; mulx Rq(high), Rq(low), Rq(b));
        let (high, low) = (self.reg(high, Left::Valid), self.reg(low, Left::Valid));
        self.set_general(W64, i.r1, high);
        self.set_general(W64, i.r1 + 1, low);
    }

    pub(crate) fn multiply_single(&mut self, width: Width, storage: bool, i: &Fields) {
        let (a, b) = match storage {
            true => {
                let b = self.second(width, true, i);
                (self.general(width, i.r1), b)
            }
            false => (self.general(width, i.r2), self.general(width, i.r3)),
        };
        let (a, b) = (self.host(a, width), self.host(b, width));
        let t = self.temp();
        let site = self.site();
        let long = width == W64;
        match long {
            true => asm!(self, mov Rq(t), Rq(a) ; imul Rq(t), Rq(b) ; jo =>site),
            false => asm!(self, mov Rd(t), Rd(a) ; imul Rd(t), Rd(b) ; jo =>site),
        }
        let value = self.reg(t, if long { Left::Valid } else { Left::Zero });
        self.name_code(Cc::Sign { width, value });
        self.set_general(width, i.r1, value);
    }

    pub(crate) fn divide_logical(&mut self, storage: bool, i: &Fields) {
        let divisor = self.second(W64, storage, i);
        let (high, low) = (self.general(W64, i.r1), self.general(W64, i.r1 + 1));
        let (high, low, divisor) = (self.host(high, W64), self.host(low, W64), self.host(divisor, W64));
        let site = self.site();
        // Otherwise the quotient needs more than 64 bits.
        asm!(self, cmp Rq(high), Rq(divisor) ; jae =>site
            ; mov rdx, Rq(high) ; mov rax, Rq(low) ; div Rq(divisor));
        self.quotient(i);
    }

    pub(crate) fn divide_single(&mut self, width: Width, i: &Fields) {
        let dividend = self.general(W64, i.r1 + 1);
        let divisor = self.general(width, i.r2);
        let (a, b) = (self.host(dividend, W64), self.host(divisor, width));
        let site = self.site();
        if width == W32 {
            asm!(self, movsxd rcx, Rd(b))
        } else {
            asm!(self, mov rcx, Rq(b))
        }
        // Not by 0, and not by -1, which may overflow.
        asm!(self, lea rax, [BYTE rcx + 1] ; cmp rax, 1 ; jbe =>site ; mov rax, Rq(a) ; cqo ; idiv rcx);
        self.quotient(i);
    }

    /// rdx is the remainder and goes into the first register, rax the quotient.
    fn quotient(&mut self, i: &Fields) {
        let (r, q) = (self.temp(), self.temp());
        asm!(self, mov Rq(r), rdx ; mov Rq(q), rax);
        let (r, q) = (self.reg(r, Left::Valid), self.reg(q, Left::Valid));
        self.set_general(W64, i.r1, r);
        self.set_general(W64, i.r1 + 1, q);
    }

    fn registers(i: &Fields) -> impl Iterator<Item = (usize, u8)> {
        let (first, last) = (i.r1, i.r3);
        (0..=(last.wrapping_sub(first) & 15)).map(move |k| (k as usize, (first + k) & 15))
    }

    pub(crate) fn load_multiple(&mut self, width: Width, i: &Fields) {
        let size = (width.bits() / 8) as i32;
        let count = Self::registers(i).count() as i32;
        let At { address, .. } = self.address(0, i.b2, i.d2);
        // Where a left half stays, it must be in the state.
        if width == W32 {
            self.settle(Self::registers(i).map(|(_, r)| 1 << r).sum());
        }
        if let Some(label) = self.reach_across(address, size * count, false) {
            self.load_across(label, width, size * count);
        }
        for (k, r) in Self::registers(i) {
            let at = (k as i32 * size) as i8;
            if width == W64 {
                asm!(self, movbe rax, [BYTE rcx + at] ; mov [BYTE rbp + crate::emit::assembler::gr(r)], rax)
            } else {
                asm!(self, movbe eax, [BYTE rcx + at] ; mov [BYTE rbp + crate::emit::assembler::gr(r)], eax)
            }
            self.forget(r);
        }
    }

    pub(crate) fn store_multiple(&mut self, width: Width, i: &Fields) {
        let size = (width.bits() / 8) as i32;
        let count = Self::registers(i).count() as i32;
        let At { address, .. } = self.address(0, i.b2, i.d2);
        if width == W64 {
            // Halves that are cached alone go home first.
            let halves = Self::registers(i).map(|(_, r)| 1u16 << r).sum::<u16>() & !self.map.full;
            self.settle(halves);
        }
        let label = self.reach_across(address, size * count, true);
        let map = &self.map;
        let stored = |(k, r): (usize, u8)| {
            let h = map.host[r as usize];
            let cached = h != NONE && (width == W32 || map.full >> r & 1 == 1);
            ((k as i32 * size) as i8, r, cached.then_some(h))
        };
        let stores: Vec<Stored> = Self::registers(i).map(stored).collect();
        for &register in &stores {
            self.store_register(width == W64, register);
        }
        if let Some(label) = label {
            self.store_across(label, width, size * count, stores);
        }
    }

    pub(crate) fn move_bytes(&mut self, i: &Fields) {
        let length = i.l as i32 + 1;
        let (to, from) = (self.address(0, i.b1, i.d1), self.address(0, i.b2, i.d2));
        let u = self.temp();
        self.reach(to.address, length, true);
        asm!(self, mov Rq(u), rcx);
        self.reach(from.address, length, false);
        if length > 1 {
            // A destination that begins within the source sees what was moved before.
            let site = self.site();
            asm!(self, mov rax, Rq(u) ; sub rax, rcx ; sub rax, 1 ; cmp rax, length - 1 ; jb =>site);
        }
        let mut done = 0;
        while done < length {
            let at = done as i8;
            done += match length - done {
                16.. => {
                    asm!(self, movups xmm0, [BYTE rcx + at] ; movups [BYTE Rq(u) + at], xmm0);
                    16
                }
                8.. => {
                    asm!(self, mov rax, [BYTE rcx + at] ; mov [BYTE Rq(u) + at], rax);
                    8
                }
                4.. => {
                    asm!(self, mov eax, [BYTE rcx + at] ; mov [BYTE Rq(u) + at], eax);
                    4
                }
                2.. => {
                    asm!(self, mov ax, [BYTE rcx + at] ; mov [BYTE Rq(u) + at], ax);
                    2
                }
                _ => {
                    asm!(self, mov al, [BYTE rcx + at] ; mov [BYTE Rq(u) + at], al);
                    1
                }
            };
        }
    }

    pub(crate) fn clear_bytes(&mut self, i: &Fields) {
        let length = i.l as i32 + 1;
        let at = self.address(0, i.b1, i.d1);
        self.reach(at.address, length, true);
        asm!(self, pxor xmm0, xmm0 ; xor eax, eax);
        let mut done = 0;
        while done < length {
            let at = done as i8;
            done += match length - done {
                16.. => {
                    asm!(self, movups [BYTE rcx + at], xmm0);
                    16
                }
                8.. => {
                    asm!(self, mov [BYTE rcx + at], rax);
                    8
                }
                4.. => {
                    asm!(self, mov [BYTE rcx + at], eax);
                    4
                }
                2.. => {
                    asm!(self, mov [BYTE rcx + at], ax);
                    2
                }
                _ => {
                    asm!(self, mov [BYTE rcx + at], al);
                    1
                }
            };
        }
        self.name_code(Cc::Set(0));
    }

    pub(crate) fn compare_and_swap(&mut self, width: Width, i: &Fields) {
        let size = (width.bits() / 8) as i32;
        let (old, new) = (self.general(width, i.r1), self.general(width, i.r3));
        let (old, new) = (self.host(old, width), self.host(new, width));
        let at = self.address(0, i.b2, i.d2);
        let (t, different) = (self.temp(), self.temp());
        let Ok(()) = self.aligned(at, size as u64);
        self.reach(at.address, size, true);
        if width == W64 {
            asm!(self, mov rax, Rq(old) ; bswap rax ; mov Rq(t), Rq(new) ; bswap Rq(t) ; lock cmpxchg [rcx], Rq(t)
                ; setne dl ; movzx Rd(different), dl ; bswap rax ; mov Rq(t), rax)
        } else {
            asm!(self, mov eax, Rd(old) ; bswap eax ; mov Rd(t), Rd(new) ; bswap Rd(t) ; lock cmpxchg [rcx], Rd(t)
                ; setne dl ; movzx Rd(different), dl ; bswap eax ; mov Rd(t), eax)
        }
        let value = self.reg(different, Left::Zero);
        self.name_code(Cc::Zero { width: W32, value });
        // What was there is the first operand, or replaces it.
        let w = self.reg(t, if width == W64 { Left::Valid } else { Left::Zero });
        self.set_general(width, i.r1, w);
    }

    /// ADD LOGICAL WITH CARRY, SUBTRACT LOGICAL WITH BORROW: the carry is in the codes 2 and 3, the borrow in 0 and 1.
    pub(crate) fn with_carry(&mut self, width: Width, add: bool, storage: bool, i: &Fields) {
        let b = self.second(width, storage, i);
        let a = self.general(width, i.r1);
        let (a, b) = (self.host(a, width), self.host(b, width));
        let (t, code) = (self.temp(), self.temp());
        asm!(self, mov Rq(t), Rq(a));
        match self.test(Truth::Code(if add { 3 } else { 12 })) {
            // An addition of -1 carries exactly if there is something.
            Ok(cond) => {
                self.set_byte(cond);
                asm!(self, add al, -1)
            }
            Err(true) => asm!(self, stc),
            Err(false) => asm!(self, clc),
        }
        match (add, width == W64) {
            (true, true) => asm!(self, adc Rq(t), Rq(b) ; setc al),
            (true, false) => asm!(self, adc Rd(t), Rd(b) ; setc al),
            (false, true) => asm!(self, sbb Rq(t), Rq(b) ; setnc al),
            (false, false) => asm!(self, sbb Rd(t), Rd(b) ; setnc al),
        }
        let result = self.reg(t, if width == W64 { Left::Valid } else { Left::Zero });
        // The next of a chain looks at the carry.
        if self.code_is_unwanted() {
            return self.set_general(width, i.r1, result);
        }
        if width == W64 {
            asm!(self, test Rq(t), Rq(t))
        } else {
            asm!(self, test Rd(t), Rd(t))
        }
        asm!(self, setne cl ; movzx eax, al ; movzx ecx, cl ; lea Rd(code), [rcx + rax * 2]);
        let w = self.reg(code, Left::Zero);
        self.name_code(Cc::Value(w));
        self.set_general(width, i.r1, result);
    }

    /// Whether the condition code of this instruction is not wanted. An arm may leave after it, so in one it is wanted.
    fn code_is_unwanted(&self) -> bool {
        !self.branched_off.now && self.index < self.plan.count && self.plan.unwanted >> self.index & 1 == 1
    }

    pub(crate) fn leftmost_one(&mut self, i: &Fields) {
        let v = self.general(W64, i.r2);
        let v = self.host(v, W64);
        let (n, rest) = (self.temp(), self.temp());
        // The bit found goes out of the rest; of nothing nothing goes.
        asm!(self, bsr rax, Rq(v) ; mov Rd(n), 127 ; cmove eax, Rd(n) ; xor eax, 63 ; mov Rd(n), eax
            ; mov rax, QWORD i64::MIN ; shrx rax, rax, Rq(n) ; test Rq(v), Rq(v) ; cmove rax, Rq(v) ; mov Rq(rest), Rq(v)
            ; xor Rq(rest), rax);
        let (n, rest, value) = (self.reg(n, Left::Zero), self.reg(rest, Left::Valid), self.reg(v, Left::Valid));
        // 0: no bit of one found; 2: found.
        let zero = Word::Const(0);
        let none = Cpu::equal(self, W64, value, zero);
        let code = Cpu::select(self, none, zero, Word::Const(2));
        self.name_code(Cc::Value(code));
        self.set_general(W64, i.r1, n);
        self.set_general(W64, i.r1 + 1, rest);
    }
}
