//! Instructions whose bodies are routines: what the routine comes to in the common case, as host code.
//!
//! Nothing here decides what an instruction means. Whatever is not the common case (a page boundary, operands that overlap, a
//! result that is not a normal number, a trap that is enabled) goes to the site, and the routine does it.

use crate::bytes::Bytes;
use crate::emitter::{Emitter, asm, field};
use crate::strings::Strings;
use crate::word::*;
use cpu::{At, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Instruction, Width, Width::*};

/// The longest operand that is moved inline.
const MAX_MOVE: i32 = 64;

/// What can be done inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    LoadMultiple(Width),
    StoreMultiple(Width),
    Move,
    Clear,
    Compare(Width),
    Many(Bytes),
    String(Strings),
    CompareAndSwap(Width),
    LeftmostOne,
    AddWithCarry(Width),
    SubtractWithBorrow(Width),
    MultiplyLogical,
    DivideLogical,
    DivideSingle { word: bool },
    LoadFloat { long: bool },
    StoreFloat { long: bool },
    CopyFloat { long: bool },
    ZeroFloat { long: bool },
    ToGeneral,
    FromGeneral,
    Arithmetic { op: Op, long: bool, storage: bool },
    CompareFloat { long: bool, storage: bool },
    TestFloat { long: bool },
    FromInteger { from: Width },
    Truncate { to: Width },
    Lengthen { storage: bool },
}

/// The operation of an arithmetic instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    MultiplyAdd,
    MultiplySubtract,
}

/// What to do inline for an instruction, if anything. `wide`: in the 64-bit addressing mode; `float`: all floating-point
/// registers may be used.
pub fn native(row: &Instruction, i: &Fields, wide: bool, float: bool) -> Option<Native> {
    use Native::*;
    let length = i.l as i32 + 1;
    let pair = i.r1 & 1 == 0;
    let always = match row.mnemonic {
        "LM" | "LMY" => LoadMultiple(W32),
        "LMG" => LoadMultiple(W64),
        "STM" | "STMY" => StoreMultiple(W32),
        "STMG" => StoreMultiple(W64),
        "MVC" if length <= MAX_MOVE => Move,
        "XC" if length <= MAX_MOVE && (i.b1, i.d1) == (i.b2, i.d2) => Clear,
        "CLC" if length == 1 => Compare(W8),
        "CLC" if length == 2 => Compare(W16),
        "CLC" if length == 4 => Compare(W32),
        "CLC" if length == 8 => Compare(W64),
        "MVC" => Many(Bytes::Move),
        "XC" if (i.b1, i.d1) == (i.b2, i.d2) => Many(Bytes::Clear),
        "CLC" => Many(Bytes::Compare),
        "SRST" if wide => String(Strings::Search),
        "CLST" if wide => String(Strings::Compare),
        "MVST" if wide => String(Strings::Move),
        "CS" | "CSY" => CompareAndSwap(W32),
        "CSG" => CompareAndSwap(W64),
        "ALCR" => AddWithCarry(W32),
        "ALCGR" => AddWithCarry(W64),
        "SLBR" => SubtractWithBorrow(W32),
        "SLBGR" => SubtractWithBorrow(W64),
        "FLOGR" if pair => LeftmostOne,
        "MLGR" if pair => MultiplyLogical,
        "DLGR" if pair => DivideLogical,
        "DSGR" if pair => DivideSingle { word: false },
        "DSGFR" if pair => DivideSingle { word: true },
        _ if !float => return None,
        "LE" | "LEY" => LoadFloat { long: false },
        "LD" | "LDY" => LoadFloat { long: true },
        "STE" | "STEY" => StoreFloat { long: false },
        "STD" | "STDY" => StoreFloat { long: true },
        "LER" => CopyFloat { long: false },
        "LDR" => CopyFloat { long: true },
        "LZER" => ZeroFloat { long: false },
        "LZDR" => ZeroFloat { long: true },
        "LGDR" => ToGeneral,
        "LDGR" => FromGeneral,
        "CEBR" => CompareFloat { long: false, storage: false },
        "CEB" => CompareFloat { long: false, storage: true },
        "CDBR" => CompareFloat { long: true, storage: false },
        "CDB" => CompareFloat { long: true, storage: true },
        "LTEBR" => TestFloat { long: false },
        "LTDBR" => TestFloat { long: true },
        // The modifiers change rounding and what is signalled.
        "CDFBR" if i.m3 | i.m4 == 0 => FromInteger { from: W32 },
        "CDGBR" if i.m3 | i.m4 == 0 => FromInteger { from: W64 },
        "CFDBR" if (i.m3, i.m4) == (5, 0) => Truncate { to: W32 },
        "CGDBR" if (i.m3, i.m4) == (5, 0) => Truncate { to: W64 },
        "LDEBR" => Lengthen { storage: false },
        "LDEB" => Lengthen { storage: true },
        mnemonic => {
            let (name, storage) = match mnemonic.strip_suffix("BR") {
                Some(name) => (name, false),
                None => (mnemonic.strip_suffix('B')?, true),
            };
            let (op, long) = match name {
                "AE" => (Op::Add, false),
                "AD" => (Op::Add, true),
                "SE" => (Op::Subtract, false),
                "SD" => (Op::Subtract, true),
                "MEE" => (Op::Multiply, false),
                "MD" => (Op::Multiply, true),
                "DE" => (Op::Divide, false),
                "DD" => (Op::Divide, true),
                "SQE" => (Op::SquareRoot, false),
                "SQD" => (Op::SquareRoot, true),
                "MAE" => (Op::MultiplyAdd, false),
                "MAD" => (Op::MultiplyAdd, true),
                "MSE" => (Op::MultiplySubtract, false),
                "MSD" => (Op::MultiplySubtract, true),
                _ => return None,
            };
            if matches!(op, Op::MultiplyAdd | Op::MultiplySubtract) && !is_x86_feature_detected!("fma") {
                return None;
            }
            Arithmetic { op, long, storage }
        }
    };
    Some(always)
}

/// The displacement from rbp of a floating-point register; a short number is in its left half.
fn fpr(r: u8, long: bool) -> i32 {
    field(layout::FPR) + 16 * (r & 15) as i32 + if long { 0 } else { 4 }
}

impl Emitter<'_> {
    /// Emits what [`native`] chose.
    pub fn native(&mut self, what: Native, i: &Fields) {
        match what {
            Native::LoadMultiple(width) => self.load_multiple(width, i),
            Native::StoreMultiple(width) => self.store_multiple(width, i),
            Native::Move => self.move_bytes(i),
            Native::Clear => self.clear_bytes(i),
            Native::Compare(width) => {
                let first = self.address(0, i.b1, i.d1);
                let Ok(a) = self.load(width, first);
                let second = self.address(0, i.b2, i.d2);
                let Ok(b) = self.load(width, second);
                self.name_code(Cc::CompareLogical { width, a, b });
            }
            Native::Many(what) => self.bytes(what, Word::Const(i.l as u64), i),
            Native::String(what) => self.strings(what, i),
            Native::CompareAndSwap(width) => self.compare_and_swap(width, i),
            Native::LeftmostOne => self.leftmost_one(i),
            Native::AddWithCarry(width) => self.with_carry(width, true, i),
            Native::SubtractWithBorrow(width) => self.with_carry(width, false, i),
            Native::MultiplyLogical => {
                let (a, b) = (self.general(W64, i.r1 + 1), self.general(W64, i.r2));
                let (a, b) = (self.host(a, W64), self.host(b, W64));
                let (high, low) = (self.temp(), self.temp());
                asm!(self, mov rdx, Rq(a) ; mulx Rq(high), Rq(low), Rq(b));
                let (high, low) = (self.reg(high, Left::Valid), self.reg(low, Left::Valid));
                self.set_general(W64, i.r1, high);
                self.set_general(W64, i.r1 + 1, low);
            }
            Native::DivideLogical => {
                let (high, low) = (self.general(W64, i.r1), self.general(W64, i.r1 + 1));
                let divisor = self.general(W64, i.r2);
                let (high, low, divisor) = (self.host(high, W64), self.host(low, W64), self.host(divisor, W64));
                let site = self.site();
                // Otherwise the quotient needs more than 64 bits.
                asm!(self, cmp Rq(high), Rq(divisor) ; jae =>site
                    ; mov rdx, Rq(high) ; mov rax, Rq(low) ; div Rq(divisor));
                self.quotient(i);
            }
            Native::DivideSingle { word } => {
                let dividend = self.general(W64, i.r1 + 1);
                let divisor = self.general(if word { W32 } else { W64 }, i.r2);
                let (a, b) = (self.host(dividend, W64), self.host(divisor, if word { W32 } else { W64 }));
                let site = self.site();
                if word {
                    asm!(self, movsxd rcx, Rd(b))
                } else {
                    asm!(self, mov rcx, Rq(b))
                }
                // Not by 0, and not by -1, which may overflow.
                asm!(self, lea rax, [BYTE rcx + 1] ; cmp rax, 1 ; jbe =>site ; mov rax, Rq(a) ; cqo ; idiv rcx);
                self.quotient(i);
            }
            Native::LoadFloat { long } => {
                let at = self.address(i.x2, i.b2, i.d2);
                let t = self.temp();
                self.reach(at.address, if long { 8 } else { 4 }, false);
                if long {
                    asm!(self, movbe Rq(t), [rcx] ; mov [rbp + fpr(i.r1, true)], Rq(t))
                } else {
                    asm!(self, movbe Rd(t), [rcx] ; mov [rbp + fpr(i.r1, false)], Rd(t))
                }
            }
            Native::StoreFloat { long } => {
                let at = self.address(i.x2, i.b2, i.d2);
                self.reach(at.address, if long { 8 } else { 4 }, true);
                if long {
                    asm!(self, mov rax, [rbp + fpr(i.r1, true)] ; movbe [rcx], rax)
                } else {
                    asm!(self, mov eax, [rbp + fpr(i.r1, false)] ; movbe [rcx], eax)
                }
            }
            Native::CopyFloat { long: true } => {
                asm!(self, mov rax, [rbp + fpr(i.r2, true)] ; mov [rbp + fpr(i.r1, true)], rax)
            }
            Native::CopyFloat { long: false } => {
                asm!(self, mov eax, [rbp + fpr(i.r2, false)] ; mov [rbp + fpr(i.r1, false)], eax)
            }
            Native::ZeroFloat { long: true } => asm!(self, xor eax, eax ; mov [rbp + fpr(i.r1, true)], rax),
            Native::ZeroFloat { long: false } => asm!(self, xor eax, eax ; mov [rbp + fpr(i.r1, false)], eax),
            Native::ToGeneral => {
                let w = self.fpr(i.r2);
                self.set_general(W64, i.r1, w);
            }
            Native::FromGeneral => {
                let w = self.general(W64, i.r2);
                self.set_fpr(i.r1, w);
            }
            Native::Arithmetic { op, long, storage } => self.arithmetic(op, long, storage, i),
            Native::CompareFloat { long, storage } => {
                self.second_float(long, storage, i);
                if long {
                    asm!(self, movsd xmm0, [rbp + fpr(i.r1, true)])
                } else {
                    asm!(self, movss xmm0, [rbp + fpr(i.r1, false)])
                }
                self.compare_float(long);
            }
            Native::TestFloat { long } => {
                asm!(self, pxor xmm1, xmm1);
                if long {
                    asm!(self, movsd xmm0, [rbp + fpr(i.r2, true)])
                } else {
                    asm!(self, movss xmm0, [rbp + fpr(i.r2, false)])
                }
                self.compare_float(long);
                if long {
                    asm!(self, movsd[rbp + fpr(i.r1, true)], xmm0)
                } else {
                    asm!(self, movss[rbp + fpr(i.r1, false)], xmm0)
                }
            }
            Native::FromInteger { from } => {
                let w = self.general(from, i.r2);
                let h = self.host(w, from);
                if from == W64 {
                    self.check_fpc();
                    asm!(self, pxor xmm0, xmm0 ; cvtsi2sd xmm0, Rq(h))
                } else {
                    asm!(self, pxor xmm0, xmm0 ; cvtsi2sd xmm0, Rd(h))
                }
                asm!(self, movsd[rbp + fpr(i.r1, true)], xmm0);
            }
            Native::Truncate { to } => {
                let t = self.temp();
                self.check_fpc();
                let site = self.site();
                // What is out of range gives the least integer, and only that less 1 overflows.
                asm!(self, movsd xmm0, [rbp + fpr(i.r2, true)] ; pxor xmm1, xmm1);
                if to == W64 {
                    asm!(self, cvttsd2si Rq(t), xmm0 ; cmp Rq(t), 1 ; jo =>site)
                } else {
                    asm!(self, cvttsd2si Rd(t), xmm0 ; cmp Rd(t), 1 ; jo =>site)
                }
                self.compare_float(true);
                let w = self.reg(t, if to == W64 { Left::Valid } else { Left::Zero });
                self.set_general(to, i.r1, w);
            }
            Native::Lengthen { storage } => {
                self.second_float(false, storage, i);
                let site = self.site();
                asm!(self, ucomiss xmm1, xmm1 ; jp =>site ; cvtss2sd xmm1, xmm1 ; movsd [rbp + fpr(i.r1, true)], xmm1);
            }
        }
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

    fn load_multiple(&mut self, width: Width, i: &Fields) {
        let size = (width.bits() / 8) as i32;
        let count = Self::registers(i).count() as i32;
        let At { address, .. } = self.address(0, i.b2, i.d2);
        // Where a left half stays, it must be in the state.
        if width == W32 {
            self.settle(Self::registers(i).map(|(_, r)| 1 << r).sum());
        }
        self.reach(address, size * count, false);
        for (k, r) in Self::registers(i) {
            let at = (k as i32 * size) as i8;
            if width == W64 {
                asm!(self, movbe rax, [BYTE rcx + at] ; mov [BYTE rbp + crate::emitter::gr(r)], rax)
            } else {
                asm!(self, movbe eax, [BYTE rcx + at] ; mov [BYTE rbp + crate::emitter::gr(r)], eax)
            }
            self.forget(r);
        }
    }

    fn store_multiple(&mut self, width: Width, i: &Fields) {
        let size = (width.bits() / 8) as i32;
        let count = Self::registers(i).count() as i32;
        let At { address, .. } = self.address(0, i.b2, i.d2);
        if width == W64 {
            // Halves that are cached alone go home first.
            let halves = Self::registers(i).map(|(_, r)| 1u16 << r).sum::<u16>() & !self.map.full;
            self.settle(halves);
        }
        self.reach(address, size * count, true);
        for (k, r) in Self::registers(i) {
            let at = (k as i32 * size) as i8;
            let h = self.map.host[r as usize];
            let cached = h != NONE && (width == W32 || self.map.full >> r & 1 == 1);
            match (width == W64, cached) {
                (true, true) => asm!(self, movbe [BYTE rcx + at], Rq(h)),
                (false, true) => asm!(self, movbe [BYTE rcx + at], Rd(h)),
                (true, false) => {
                    asm!(self, mov rax, [BYTE rbp + crate::emitter::gr(r)] ; movbe [BYTE rcx + at], rax)
                }
                (false, false) => {
                    asm!(self, mov eax, [BYTE rbp + crate::emitter::gr(r)] ; movbe [BYTE rcx + at], eax)
                }
            }
        }
    }

    fn move_bytes(&mut self, i: &Fields) {
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

    fn clear_bytes(&mut self, i: &Fields) {
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

    fn compare_and_swap(&mut self, width: Width, i: &Fields) {
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
    fn with_carry(&mut self, width: Width, add: bool, i: &Fields) {
        let (a, b) = (self.general(width, i.r1), self.general(width, i.r2));
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
        if width == W64 {
            asm!(self, test Rq(t), Rq(t))
        } else {
            asm!(self, test Rd(t), Rd(t))
        }
        asm!(self, setne cl ; movzx eax, al ; movzx ecx, cl ; lea Rd(code), [rcx + rax * 2]);
        let w = self.reg(code, Left::Zero);
        self.name_code(Cc::Value(w));
        let w = self.reg(t, if width == W64 { Left::Valid } else { Left::Zero });
        self.set_general(width, i.r1, w);
    }

    fn leftmost_one(&mut self, i: &Fields) {
        let v = self.general(W64, i.r2);
        let v = self.host(v, W64);
        let (n, rest) = (self.temp(), self.temp());
        // The bit found goes out of the rest; of nothing nothing goes.
        asm!(self, bsr rax, Rq(v) ; mov Rd(n), 127 ; cmove eax, Rd(n) ; xor eax, 63 ; mov Rd(n), eax
            ; mov rax, QWORD i64::MIN ; shrx rax, rax, Rq(n) ; test Rq(v), Rq(v) ; cmove rax, Rq(v) ; mov Rq(rest), Rq(v)
            ; xor Rq(rest), rax);
        let (n, rest, value) = (self.reg(n, Left::Zero), self.reg(rest, Left::Valid), self.reg(v, Left::Valid));
        // 0: no one found; 2: found.
        let zero = Word::Const(0);
        let none = Cpu::equal(self, W64, value, zero);
        let code = Cpu::select(self, none, zero, Word::Const(2));
        self.name_code(Cc::Value(code));
        self.set_general(W64, i.r1, n);
        self.set_general(W64, i.r1 + 1, rest);
    }

    /// xmm1 becomes the second operand.
    fn second_float(&mut self, long: bool, storage: bool, i: &Fields) {
        match (long, storage) {
            (true, false) => asm!(self, movsd xmm1, [rbp + fpr(i.r2, true)]),
            (false, false) => asm!(self, movss xmm1, [rbp + fpr(i.r2, false)]),
            (true, true) => {
                let at = self.address(i.x2, i.b2, i.d2);
                self.reach(at.address, 8, false);
                asm!(self, movbe rax, [rcx] ; movq xmm1, rax)
            }
            (false, true) => {
                let at = self.address(i.x2, i.b2, i.d2);
                self.reach(at.address, 4, false);
                asm!(self, movbe eax, [rcx] ; movd xmm1, eax)
            }
        }
    }

    /// The condition code of the comparison of xmm0 with xmm1, which must not be NaNs.
    fn compare_float(&mut self, long: bool) {
        let t = self.temp();
        let site = self.site();
        if long {
            asm!(self, ucomisd xmm0, xmm1)
        } else {
            asm!(self, ucomiss xmm0, xmm1)
        }
        asm!(self, jp =>site ; seta al ; setb cl ; movzx eax, al ; movzx ecx, cl ; lea Rd(t), [rcx + rax * 2]);
        let w = self.reg(t, Left::Zero);
        self.name_code(Cc::Value(w));
    }

    /// The host's arithmetic is the guest's as long as results round to nearest, nothing traps, and "inexact" has been
    /// signalled already, so that it need not be again.
    fn check_fpc(&mut self) {
        let site = self.site();
        asm!(self, mov eax, [rbp + field(layout::FPC)] ; and eax, 0xf808_0007u32 as i32 ; cmp eax, 0x0008_0000 ; jne =>site);
    }

    fn arithmetic(&mut self, op: Op, long: bool, storage: bool, i: &Fields) {
        let t = self.temp();
        self.check_fpc();
        self.second_float(long, storage, i);
        let site = self.site();
        // MULTIPLY AND ADD has its sum in the first operand and multiplies the third.
        let first = i.r1;
        if long {
            asm!(self, movsd xmm0, [rbp + fpr(first, true)]);
            match op {
                Op::Add => asm!(self, addsd xmm0, xmm1),
                Op::Subtract => asm!(self, subsd xmm0, xmm1),
                Op::Multiply => asm!(self, mulsd xmm0, xmm1),
                Op::Divide => asm!(self, divsd xmm0, xmm1),
                Op::SquareRoot => asm!(self, sqrtsd xmm0, xmm1),
                Op::MultiplyAdd => asm!(self, movsd xmm2, [rbp + fpr(i.r3, true)] ; vfmadd231sd xmm0, xmm1, xmm2),
                Op::MultiplySubtract => asm!(self, movsd xmm2, [rbp + fpr(i.r3, true)] ; vfmsub231sd xmm0, xmm1, xmm2),
            }
            // The least exponent of normal numbers is left out, too: it may be the result of rounding.
            asm!(self, movq Rq(t), xmm0 ; mov rcx, Rq(t) ; shr rcx, 52 ; and ecx, 0x7ff ; sub ecx, 2 ; cmp ecx, 0x7fc ; jae =>site
                ; movsd [rbp + fpr(i.r1, true)], xmm0);
        } else {
            asm!(self, movss xmm0, [rbp + fpr(first, false)]);
            match op {
                Op::Add => asm!(self, addss xmm0, xmm1),
                Op::Subtract => asm!(self, subss xmm0, xmm1),
                Op::Multiply => asm!(self, mulss xmm0, xmm1),
                Op::Divide => asm!(self, divss xmm0, xmm1),
                Op::SquareRoot => asm!(self, sqrtss xmm0, xmm1),
                Op::MultiplyAdd => asm!(self, movss xmm2, [rbp + fpr(i.r3, false)] ; vfmadd231ss xmm0, xmm1, xmm2),
                Op::MultiplySubtract => asm!(self, movss xmm2, [rbp + fpr(i.r3, false)] ; vfmsub231ss xmm0, xmm1, xmm2),
            }
            asm!(self, movd Rd(t), xmm0 ; mov ecx, Rd(t) ; shr ecx, 23 ; and ecx, 0xff ; sub ecx, 2 ; cmp ecx, 0xfc ; jae =>site
                ; movss [rbp + fpr(i.r1, false)], xmm0);
        }
        if matches!(op, Op::Add | Op::Subtract) {
            // A normal number is not zero, and its sign is where an integer's is.
            let width = if long { W64 } else { W32 };
            let value = self.reg(t, if long { Left::Valid } else { Left::Zero });
            self.name_code(Cc::Sign { width, value });
        }
    }
}
