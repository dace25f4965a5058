//! `impl Cpu for Emitter`: what a body asks for becomes code.

use crate::emit::assembler::{asm, displaced, field};
use crate::emit::emitter::Emitter;
use crate::emit::recipes::Recipe;
use crate::emit::words::*;
use cpu::{At, Interruption, cr0, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use isa::{Bitwise, Cc, Cpu, Fields, Routine, Step, Width, Width::*};
use std::convert::Infallible;

fn sign(width: Width, v: u64) -> i64 {
    let unused = 64 - width.bits();
    (v << unused) as i64 >> unused
}

fn to_truth(e: &mut Emitter, w: Word) -> Truth {
    match w {
        Word::Truth(t) => t,
        Word::Const(c) => Truth::Known(c != 0),
        Word::Reg { left, .. } => {
            let width = if left == Left::Valid { W64 } else { W32 };
            Truth::Compare { width, cond: Cond::NotEqual, a: e.operand(w, width), b: Operand::Const(0) }
        }
        Word::Sum { .. } => {
            Truth::Compare { width: W64, cond: Cond::NotEqual, a: e.operand(w, W64), b: Operand::Const(0) }
        }
    }
}

pub(crate) fn not(t: Truth) -> Truth {
    match t {
        Truth::Known(v) => Truth::Known(!v),
        Truth::Code(mask) => Truth::Code(15 - mask),
        Truth::Compare { width, cond, a, b } => Truth::Compare { width, cond: cond.not(), a, b },
    }
}

/// Whether the right half of a constant is that of a byte, sign-extended: the host has short forms for those.
pub(crate) fn is_short(c: u64) -> bool {
    c as i8 as i32 == c as i32
}

#[derive(Clone, Copy, PartialEq)]
enum Logical {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq)]
enum Shift {
    Left,
    Right,
    Signed,
}

/// The displacement from rbp of half `n` of a vector register; the left halves of 16 are the floating-point registers.
pub(crate) fn half(r: u8, n: usize) -> i32 {
    field(layout::FPR) + 16 * (r & 31) as i32 + 8 * n as i32
}

fn left_of(w: Word) -> Left {
    match w {
        Word::Reg { left, .. } => left,
        Word::Const(c) if c >> 32 == 0 => Left::Zero,
        Word::Truth(_) => Left::Zero,
        _ => Left::Valid,
    }
}

impl Emitter<'_> {
    fn logical(&mut self, op: Logical, a: Word, b: Word) -> Word {
        let (a, b) = match (a, b) {
            (Word::Const(x), Word::Const(y)) => {
                return Word::Const(match op {
                    Logical::And => x & y,
                    Logical::Or => x | y,
                    Logical::Xor => x ^ y,
                });
            }
            (Word::Truth(t), Word::Const(1)) | (Word::Const(1), Word::Truth(t)) if op == Logical::Xor => {
                return Word::Truth(not(t));
            }
            (Word::Const(_), _) => (b, a),
            _ => (a, b),
        };
        match (op, b) {
            (Logical::Or | Logical::Xor, Word::Const(0)) => return a,
            (Logical::And, Word::Const(0)) => return b,
            (Logical::And, Word::Const(u64::MAX)) => return a,
            (Logical::And, Word::Const(0xff)) if !matches!(a, Word::Truth(_)) => {
                let h = self.host(a, W32);
                let t = self.temp();
                asm!(self, movzx Rd(t), Rb(h));
                return self.reg(t, Left::Zero);
            }
            (Logical::And, Word::Const(0xffff)) if !matches!(a, Word::Truth(_)) => {
                let h = self.host(a, W32);
                let t = self.temp();
                asm!(self, movzx Rd(t), Rw(h));
                return self.reg(t, Left::Zero);
            }
            (Logical::And, Word::Const(0xffff_ffff)) if left_of(a) == Left::Zero => return a,
            (Logical::And, Word::Const(0xffff_ffff)) => {
                let h = self.host(a, W32);
                let t = self.temp();
                asm!(self, mov Rd(t), Rd(h));
                return self.reg(t, Left::Zero);
            }
            _ => {}
        }
        let narrow = |w| left_of(w) != Left::Valid;
        let short = match op {
            Logical::And => narrow(a) || narrow(b),
            _ => narrow(a) && narrow(b),
        };
        if short {
            let x = self.host(a, W32);
            let y = self.operand(b, W32);
            let t = self.changeable(x, W32);
            match (op, y) {
                (Logical::And, Operand::Const(c)) if is_short(c) => asm!(self, and Rd(t), BYTE c as i8),
                (Logical::And, Operand::Const(c)) => asm!(self, and Rd(t), c as i32),
                (Logical::Or, Operand::Const(c)) if is_short(c) => asm!(self, or Rd(t), BYTE c as i8),
                (Logical::Or, Operand::Const(c)) => asm!(self, or Rd(t), c as i32),
                (Logical::Xor, Operand::Const(c)) if is_short(c) => asm!(self, xor Rd(t), BYTE c as i8),
                (Logical::Xor, Operand::Const(c)) => asm!(self, xor Rd(t), c as i32),
                (Logical::And, Operand::Host(y)) => asm!(self, and Rd(t), Rd(y)),
                (Logical::Or, Operand::Host(y)) => asm!(self, or Rd(t), Rd(y)),
                (Logical::Xor, Operand::Host(y)) => asm!(self, xor Rd(t), Rd(y)),
            }
            self.sets_flags(t, W32, true);
            return self.reg(t, Left::Zero);
        }
        let x = self.host(a, W64);
        let y = match b {
            Word::Const(c) if c as i32 as u64 == c => Operand::Const(c),
            Word::Const(_) => Operand::Host(0),
            b => Operand::Host(self.host(b, W64)),
        };
        let t = self.changeable(x, W64);
        if y == Operand::Host(0) {
            self.lea(0, b);
        }
        match (op, y) {
            (Logical::And, Operand::Const(c)) if is_short(c) => asm!(self, and Rq(t), BYTE c as i8),
            (Logical::And, Operand::Const(c)) => asm!(self, and Rq(t), c as i32),
            (Logical::Or, Operand::Const(c)) if is_short(c) => asm!(self, or Rq(t), BYTE c as i8),
            (Logical::Or, Operand::Const(c)) => asm!(self, or Rq(t), c as i32),
            (Logical::Xor, Operand::Const(c)) if is_short(c) => asm!(self, xor Rq(t), BYTE c as i8),
            (Logical::Xor, Operand::Const(c)) => asm!(self, xor Rq(t), c as i32),
            (Logical::And, Operand::Host(y)) => asm!(self, and Rq(t), Rq(y)),
            (Logical::Or, Operand::Host(y)) => asm!(self, or Rq(t), Rq(y)),
            (Logical::Xor, Operand::Host(y)) => asm!(self, xor Rq(t), Rq(y)),
        }
        self.sets_flags(t, W64, true);
        self.reg(t, Left::Valid)
    }

    fn shift(&mut self, kind: Shift, width: Width, a: Word, n: Word) -> Word {
        let bits = width.bits() as u64;
        let (a, width) = match width {
            // Short values have zeros on the left: shifts to the right are those of a word.
            W8 | W16 => (a, W32),
            _ => (a, width),
        };
        match (a, n) {
            (Word::Const(v), Word::Const(n)) => {
                let n = n & 63;
                let v = v & width.mask();
                return Word::Const(
                    width.mask()
                        & match kind {
                            Shift::Left => v << n,
                            Shift::Right => v >> n,
                            Shift::Signed => (sign(width, v) >> n) as u64,
                        },
                );
            }
            (_, Word::Const(n)) => {
                let n = n & 63;
                if n >= bits && kind != Shift::Signed {
                    return Word::Const(0);
                }
                if n == 0 && (width == W64 || left_of(a) != Left::Valid) {
                    return a;
                }
                let n = n.min(bits - 1) as i8;
                let h = self.host(a, width);
                let t = self.changeable(h, width);
                if width == W64 {
                    match kind {
                        Shift::Left => asm!(self, shl Rq(t), n),
                        Shift::Right => asm!(self, shr Rq(t), n),
                        Shift::Signed => asm!(self, sar Rq(t), n),
                    }
                    return self.reg(t, if kind == Shift::Right && n >= 32 { Left::Zero } else { Left::Valid });
                }
                match kind {
                    Shift::Left => asm!(self, shl Rd(t), n),
                    Shift::Right => asm!(self, shr Rd(t), n),
                    Shift::Signed => asm!(self, sar Rd(t), n),
                }
                return self.reg(t, Left::Zero);
            }
            _ => {}
        }
        let n = self.host(n, W32);
        if width == W64 {
            let h = self.host(a, W64);
            let t = self.temp();
            match kind {
                Shift::Left => asm!(self, shlx Rq(t), Rq(h), Rq(n)),
                Shift::Right => asm!(self, shrx Rq(t), Rq(h), Rq(n)),
                Shift::Signed => asm!(self, sarx Rq(t), Rq(h), Rq(n)),
            }
            return self.reg(t, Left::Valid);
        }
        let h = self.host(a, W32);
        let t = self.temp();
        // In 64 bits, since amounts up to 63 mean what they say.
        match kind {
            Shift::Left => asm!(self, shlx Rq(t), Rq(h), Rq(n) ; mov Rd(t), Rd(t)),
            Shift::Right => asm!(self, mov eax, Rd(h) ; shrx Rq(t), rax, Rq(n)),
            Shift::Signed => asm!(self, movsxd rax, Rd(h) ; sarx Rq(t), rax, Rq(n) ; mov Rd(t), Rd(t)),
        }
        self.reg(t, Left::Zero)
    }

    fn truth(&mut self, width: Width, cond: Cond, a: Word, b: Word) -> Word {
        if let (Word::Const(x), Word::Const(y)) = (a, b) {
            let (x, y) = (x & width.mask(), y & width.mask());
            let (sx, sy) = (sign(width, x), sign(width, y));
            return Word::Const(match cond {
                Cond::Equal => x == y,
                Cond::Below => x < y,
                _ => sx < sy,
            } as u64);
        }
        let (a, b) = (self.operand(a, width), self.operand(b, width));
        // The host compares with a constant, not the other way round.
        let (cond, a, b) = match (cond, a) {
            (Cond::Equal, Operand::Const(_)) => (cond, b, a),
            (Cond::Below, Operand::Const(_)) => (Cond::Above, b, a),
            (Cond::Less, Operand::Const(_)) => (Cond::Greater, b, a),
            _ => (cond, a, b),
        };
        Word::Truth(Truth::Compare { width, cond, a, b })
    }

    fn base(&mut self, r: u8) -> (u8, u32) {
        if self.waiting.is_some_and(|waiting| waiting.is(r)) {
            self.copy_now();
        }
        let width = if self.plan.mask == u64::MAX { W64 } else { W32 };
        match self.general(width, r) {
            Word::Reg { host, age, .. } => (host, age),
            _ => unreachable!("general registers are in registers"),
        }
    }
}

impl Cpu for Emitter<'_> {
    type Word = Word;
    type Stop = Infallible;

    fn imm(&mut self, v: u64) -> Word {
        Word::Const(v)
    }
    fn gr(&mut self, width: Width, r: u8) -> Word {
        if let (W32 | W64, Some(known)) = (width, self.known[r as usize & 15]) {
            return Word::Const(known & width.mask());
        }
        self.general(width, r & 15)
    }
    fn set_gr(&mut self, width: Width, r: u8, v: Word) {
        self.set_general(width, r & 15, v);
    }
    fn gr_high(&mut self, r: u8) -> Word {
        let w = self.general(W64, r & 15);
        self.shift(Shift::Right, W64, w, Word::Const(32))
    }
    fn set_gr_high(&mut self, r: u8, v: Word) {
        if let Word::Const(0) = v {
            let low = self.general(W32, r & 15);
            let h = self.host(low, W32);
            let t = self.temp();
            asm!(self, mov Rd(t), Rd(h));
            let w = self.reg(t, Left::Zero);
            return self.set_general(W64, r & 15, w);
        }
        let v = self.host(v, W32);
        let Word::Reg { host, .. } = self.general(W32, r & 15) else { return };
        let t = self.temp();
        asm!(self, mov Rd(t), Rd(host) ; mov eax, Rd(v) ; shl rax, 32 ; or Rq(t), rax);
        let w = self.reg(t, Left::Valid);
        self.set_general(W64, r & 15, w);
    }
    fn fpr(&mut self, r: u8) -> Word {
        self.float_bits(r)
    }
    fn set_fpr(&mut self, r: u8, v: Word) {
        self.set_float_bits(r, v);
    }
    fn vector(&mut self, r: u8) -> [Word; 2] {
        self.settle_vector(r);
        [0, 1].map(|n| {
            let t = self.temp();
            asm!(self, mov Rq(t), [rbp + half(r, n)]);
            self.reg(t, Left::Valid)
        })
    }
    fn set_vector(&mut self, r: u8, v: [Word; 2]) {
        self.forget_vector(r);
        for (n, v) in v.into_iter().enumerate() {
            let h = self.host(v, W64);
            asm!(self, mov[rbp + half(r, n)], Rq(h));
        }
    }
    fn vector_allowed(&mut self) -> Step<Self> {
        // Within a block only a handler that is called changes the control register.
        if self.map.vectors {
            return Ok(());
        }
        const BOTH: i32 = (cr0::AFP | cr0::VECTOR) as i32;
        let site = self.site();
        asm!(self, mov eax, [rbp + field(layout::CR)] ; and eax, BOTH ; cmp eax, BOTH ; jne =>site);
        self.map.vectors = true;
        Ok(())
    }
    fn ar(&mut self, r: u8) -> Word {
        let t = self.temp();
        asm!(self, mov Rd(t), [rbp + field(layout::AR) + 4 * (r & 15) as i32]);
        self.reg(t, Left::Zero)
    }
    fn set_ar(&mut self, r: u8, v: Word) {
        let h = self.host(v, W32);
        asm!(self, mov[rbp + field(layout::AR) + 4 * (r & 15) as i32], Rd(h));
    }

    fn add(&mut self, width: Width, a: Word, b: Word) -> Word {
        let (a, b) = match (a, b) {
            (Word::Const(x), Word::Const(y)) => return Word::Const(x.wrapping_add(y) & width.mask()),
            (Word::Const(_), _) => (b, a),
            _ => (a, b),
        };
        let long = width == W64;
        let x = self.host(a, width);
        let y = match b {
            Word::Const(c) if !long || c as i32 as u64 == c => Operand::Const(c),
            b => Operand::Host(self.host(b, width)),
        };
        let t = self.temp();
        match (long, y) {
            (true, Operand::Const(c)) if is_short(c) => asm!(self, lea Rq(t), [BYTE Rq(x) + c as i8]),
            (true, Operand::Const(c)) => asm!(self, lea Rq(t), [Rq(x) + c as i32]),
            (true, Operand::Host(y)) => asm!(self, lea Rq(t), [Rq(x) + Rq(y)]),
            (false, Operand::Const(c)) if is_short(c) => asm!(self, lea Rd(t), [BYTE Rq(x) + c as i8]),
            (false, Operand::Const(c)) => asm!(self, lea Rd(t), [Rq(x) + c as i32]),
            (false, Operand::Host(y)) => asm!(self, lea Rd(t), [Rq(x) + Rq(y)]),
        }
        match width {
            W8 => asm!(self, movzx Rd(t), Rb(t)),
            W16 => asm!(self, movzx Rd(t), Rw(t)),
            _ => {}
        }
        self.reg(t, if long { Left::Valid } else { Left::Zero })
    }
    fn sub(&mut self, width: Width, a: Word, b: Word) -> Word {
        if let (Word::Const(x), Word::Const(y)) = (a, b) {
            return Word::Const(x.wrapping_sub(y) & width.mask());
        }
        let long = width == W64;
        let y = match b {
            Word::Const(c) if !long || c as i32 as u64 == c => Operand::Const(c),
            b => Operand::Host(self.host(b, width)),
        };
        let x = if let Word::Const(_) = a { NONE } else { self.host(a, width) };
        let t = self.temp();
        match (x, long) {
            (NONE, _) => self.lea(t, a),
            (_, true) => asm!(self, mov Rq(t), Rq(x)),
            (_, false) => asm!(self, mov Rd(t), Rd(x)),
        }
        match (long, y) {
            (true, Operand::Const(c)) if is_short(c) => asm!(self, sub Rq(t), BYTE c as i8),
            (true, Operand::Const(c)) => asm!(self, sub Rq(t), c as i32),
            (true, Operand::Host(y)) => asm!(self, sub Rq(t), Rq(y)),
            (false, Operand::Const(c)) if is_short(c) => asm!(self, sub Rd(t), BYTE c as i8),
            (false, Operand::Const(c)) => asm!(self, sub Rd(t), c as i32),
            (false, Operand::Host(y)) => asm!(self, sub Rd(t), Rd(y)),
        }
        self.sets_flags(t, width, false);
        match width {
            W8 => asm!(self, movzx Rd(t), Rb(t)),
            W16 => asm!(self, movzx Rd(t), Rw(t)),
            _ => {}
        }
        self.reg(t, if long { Left::Valid } else { Left::Zero })
    }
    fn mul(&mut self, width: Width, a: Word, b: Word) -> Word {
        if let (Word::Const(x), Word::Const(y)) = (a, b) {
            return Word::Const(x.wrapping_mul(y) & width.mask());
        }
        let (x, y) = (self.host(a, width), self.host(b, width));
        let t = self.temp();
        if width == W64 {
            asm!(self, mov Rq(t), Rq(x) ; imul Rq(t), Rq(y));
            return self.reg(t, Left::Valid);
        }
        asm!(self, mov Rd(t), Rd(x) ; imul Rd(t), Rd(y));
        match width {
            W8 => asm!(self, movzx Rd(t), Rb(t)),
            W16 => asm!(self, movzx Rd(t), Rw(t)),
            _ => {}
        }
        self.reg(t, Left::Zero)
    }
    fn and(&mut self, a: Word, b: Word) -> Word {
        self.logical(Logical::And, a, b)
    }
    fn or(&mut self, a: Word, b: Word) -> Word {
        self.logical(Logical::Or, a, b)
    }
    fn xor(&mut self, a: Word, b: Word) -> Word {
        self.logical(Logical::Xor, a, b)
    }
    fn shift_left(&mut self, width: Width, a: Word, amount: Word) -> Word {
        self.shift(Shift::Left, width, a, amount)
    }
    fn shift_right(&mut self, width: Width, a: Word, amount: Word) -> Word {
        self.shift(Shift::Right, width, a, amount)
    }
    fn shift_right_signed(&mut self, width: Width, a: Word, amount: Word) -> Word {
        self.shift(Shift::Signed, width, a, amount)
    }
    fn rotate_left(&mut self, width: Width, a: Word, amount: Word) -> Word {
        let long = width == W64;
        let h = self.host(a, width);
        let n = match amount {
            Word::Const(n) => Operand::Const(n),
            n => Operand::Host(self.host(n, W32)),
        };
        let t = self.temp();
        match (long, n) {
            (true, Operand::Const(n)) => asm!(self, rorx Rq(t), Rq(h), (n.wrapping_neg() & 63) as i8),
            (true, Operand::Host(n)) => asm!(self, mov ecx, Rd(n) ; mov Rq(t), Rq(h) ; rol Rq(t), cl),
            (false, Operand::Const(n)) => asm!(self, rorx Rd(t), Rd(h), (n.wrapping_neg() & 31) as i8),
            (false, Operand::Host(n)) => asm!(self, mov ecx, Rd(n) ; mov Rd(t), Rd(h) ; rol Rd(t), cl),
        }
        self.reg(t, if long { Left::Valid } else { Left::Zero })
    }
    fn sign_extend(&mut self, width: Width, a: Word) -> Word {
        if let Word::Const(v) = a {
            return Word::Const(sign(width, v) as u64);
        }
        if width == W64 {
            return a;
        }
        let h = self.host(a, W32);
        let t = self.temp();
        match width {
            W8 => asm!(self, movsx Rq(t), Rb(h)),
            W16 => asm!(self, movsx Rq(t), Rw(h)),
            _ => asm!(self, movsxd Rq(t), Rd(h)),
        }
        self.reg(t, Left::Valid)
    }
    fn reverse(&mut self, width: Width, a: Word) -> Word {
        let h = self.host(a, width);
        let t = self.temp();
        match width {
            W64 => asm!(self, mov Rq(t), Rq(h) ; bswap Rq(t)),
            W32 => asm!(self, mov Rd(t), Rd(h) ; bswap Rd(t)),
            W16 => asm!(self, mov Rd(t), Rd(h) ; bswap Rd(t) ; shr Rd(t), 16),
            W8 => asm!(self, movzx Rd(t), Rb(h)),
        }
        self.reg(t, if width == W64 { Left::Valid } else { Left::Zero })
    }

    fn equal(&mut self, width: Width, a: Word, b: Word) -> Word {
        self.truth(width, Cond::Equal, a, b)
    }
    fn less(&mut self, width: Width, a: Word, b: Word) -> Word {
        self.truth(width, Cond::Less, a, b)
    }
    fn below(&mut self, width: Width, a: Word, b: Word) -> Word {
        self.truth(width, Cond::Below, a, b)
    }
    fn cc_in(&mut self, mask: u8) -> Word {
        match mask & 15 {
            0 => Word::Const(0),
            15 => Word::Const(1),
            mask => Word::Truth(Truth::Code(mask)),
        }
    }
    fn program_mask(&mut self) -> Word {
        let t = self.temp();
        asm!(self, movzx Rd(t), BYTE [rbp + field(layout::PROGRAM_MASK)]);
        self.reg(t, Left::Zero)
    }
    fn cc(&mut self) -> Word {
        let (recipe, floats) = (self.cc, self.map.floats);
        self.store_code(&recipe, &floats);
        self.cc = Recipe::Stored;
        self.load_code();
        let t = self.temp();
        asm!(self, mov Rd(t), ecx);
        self.reg(t, Left::Zero)
    }
    fn select(&mut self, condition: Word, a: Word, b: Word) -> Word {
        let truth = to_truth(self, condition);
        if let Truth::Known(v) = truth {
            return if v { a } else { b };
        }
        let (x, y) = (self.host(a, W32), self.host(b, W32));
        let t = self.temp();
        asm!(self, mov Rq(t), Rq(y));
        match self.test(truth) {
            Ok(cond) => self.move_if(cond, t, x),
            Err(known) => {
                if known {
                    asm!(self, mov Rq(t), Rq(x))
                }
            }
        }
        // A register's left half says most if one says least.
        let left = match (left_of(a), left_of(b)) {
            (Left::Zero, Left::Zero) => Left::Zero,
            (Left::Garbage, _) | (_, Left::Garbage) => Left::Garbage,
            _ => Left::Valid,
        };
        self.reg(t, left)
    }

    fn address(&mut self, x: u8, b: u8, d: i32) -> At<Word> {
        let index = (x != 0).then(|| self.base(x & 15));
        let base = (b != 0).then(|| self.base(b & 15));
        let address = match (base, index) {
            (None, None) => Word::Const(d as i64 as u64 & self.plan.mask),
            _ => Word::Sum { base: base.or(index), index: base.and(index), disp: d as i64, own: false },
        };
        At { address, ar: b }
    }
    fn address_in(&mut self, r: u8) -> At<Word> {
        let base = self.base(r & 15);
        At { address: Word::Sum { base: Some(base), index: None, disp: 0, own: false }, ar: r }
    }
    fn wrap(&mut self, a: Word) -> Word {
        let mask = self.plan.mask;
        self.logical(Logical::And, a, Word::Const(mask))
    }
    fn is_64_bit_mode(&mut self) -> bool {
        self.plan.mask == u64::MAX
    }
    fn is_31_bit_mode(&mut self) -> bool {
        self.plan.mask == 0x7fff_ffff
    }
    fn relative(&mut self, i: &Fields) -> At<Word> {
        At { address: Word::Sum { base: None, index: None, disp: i.at() + i.imm, own: true }, ar: 0 }
    }
    fn load(&mut self, width: Width, at: At<Word>) -> Step<Self, Word> {
        Ok(self.load_as(width, false, at.address))
    }
    fn load_signed(&mut self, width: Width, at: At<Word>) -> Step<Self, Word> {
        Ok(self.load_as(width, true, at.address))
    }
    fn store(&mut self, width: Width, at: At<Word>, v: Word) -> Step<Self> {
        let v = match v {
            Word::Const(c) => Operand::Const(c),
            v => Operand::Host(self.host(v, width)),
        };
        let len = (width.bits() / 8) as i32;
        if let Some((base, disp)) = self.share(at.address, len, true) {
            match (width, v) {
                (W8, Operand::Const(c)) => displaced!(self, disp, (mov BYTE) [rcx + Rq(base)] (, c as i8)),
                (W16, Operand::Const(c)) => {
                    displaced!(self, disp, (mov WORD) [rcx + Rq(base)] (, (c as u16).swap_bytes() as i16))
                }
                (W32, Operand::Const(c)) => {
                    displaced!(self, disp, (mov DWORD) [rcx + Rq(base)] (, (c as u32).swap_bytes() as i32))
                }
                (W64, Operand::Const(c)) => {
                    asm!(self, mov rax, QWORD c.swap_bytes() as i64);
                    displaced!(self, disp, (mov) [rcx + Rq(base)] (, rax))
                }
                (W8, Operand::Host(h)) => displaced!(self, disp, (mov) [rcx + Rq(base)] (, Rb(h))),
                (W16, Operand::Host(h)) => displaced!(self, disp, (movbe) [rcx + Rq(base)] (, Rw(h))),
                (W32, Operand::Host(h)) => displaced!(self, disp, (movbe) [rcx + Rq(base)] (, Rd(h))),
                (W64, Operand::Host(h)) => displaced!(self, disp, (movbe) [rcx + Rq(base)] (, Rq(h))),
            }
            self.keep_distance();
            return Ok(());
        }
        self.reach(at.address, len, true);
        match (width, v) {
            (W8, Operand::Const(c)) => asm!(self, mov BYTE [rcx], c as i8),
            (W16, Operand::Const(c)) => asm!(self, mov WORD [rcx], (c as u16).swap_bytes() as i16),
            (W32, Operand::Const(c)) => asm!(self, mov DWORD [rcx], (c as u32).swap_bytes() as i32),
            (W64, Operand::Const(c)) => {
                asm!(self, mov rax, QWORD c.swap_bytes() as i64 ; mov [rcx], rax)
            }
            (W8, Operand::Host(h)) => asm!(self, mov[rcx], Rb(h)),
            (W16, Operand::Host(h)) => asm!(self, movbe[rcx], Rw(h)),
            (W32, Operand::Host(h)) => asm!(self, movbe[rcx], Rd(h)),
            (W64, Operand::Host(h)) => asm!(self, movbe[rcx], Rq(h)),
        }
        Ok(())
    }
    fn load_vector(&mut self, at: At<Word>) -> Step<Self, [Word; 2]> {
        let halves = [self.temp(), self.temp()];
        self.reach(at.address, 16, false);
        asm!(self, movbe Rq(halves[0]), [rcx] ; movbe Rq(halves[1]), [rcx + 8]);
        Ok(halves.map(|t| self.reg(t, Left::Valid)))
    }
    fn store_vector(&mut self, at: At<Word>, v: [Word; 2]) -> Step<Self> {
        let halves = v.map(|v| self.host(v, W64));
        self.reach(at.address, 16, true);
        asm!(self, movbe [rcx], Rq(halves[0]) ; movbe [rcx + 8], Rq(halves[1]));
        Ok(())
    }
    fn update_byte(&mut self, how: Bitwise, at: At<Word>, mask: u8) -> Step<Self, Word> {
        let t = self.temp();
        let bits = mask as i8;
        if self.plan.alone {
            let place = self.temp();
            self.reach(at.address, 1, true);
            asm!(self, mov Rq(place), rcx ; movzx Rd(t), BYTE [rcx]);
            let (old, mask) = (self.reg(t, Left::Zero), Word::Const(mask.into()));
            let new = match how {
                Bitwise::And => self.and(old, mask),
                Bitwise::Or => self.or(old, mask),
                Bitwise::ExclusiveOr => self.xor(old, mask),
            };
            match new {
                Word::Const(c) => asm!(self, mov BYTE [Rq(place)], c as i8),
                new => {
                    let h = self.host(new, W8);
                    asm!(self, mov[Rq(place)], Rb(h));
                }
            }
            return Ok(new);
        }
        // Whether the byte is zero now is all that the condition code tells.
        self.reach(at.address, 1, true);
        match how {
            Bitwise::And => asm!(self, lock and BYTE [rcx], bits),
            Bitwise::Or => asm!(self, lock or BYTE [rcx], bits),
            Bitwise::ExclusiveOr => asm!(self, lock xor BYTE [rcx], bits),
        }
        asm!(self, setne Rb(t) ; movzx Rd(t), Rb(t));
        Ok(self.reg(t, Left::Zero))
    }
    fn aligned(&mut self, at: At<Word>, n: u64) -> Step<Self> {
        if n > 1 {
            self.lea(1, at.address);
            let site = self.site();
            asm!(self, test cl, (n - 1) as i8 ; jne =>site);
        }
        Ok(())
    }

    fn set_cc(&mut self, cc: Cc<Word>) {
        self.name_code(cc);
    }
    fn check_overflow(&mut self) -> Step<Self> {
        // Blocks of programs that want the interruption call what could overflow.
        Ok(())
    }
    fn stop(&mut self, _: Interruption) -> Step<Self> {
        unreachable!("the scout sends such instructions to their handlers")
    }

    fn branch_if(&mut self, i: &Fields, condition: Word, target: Word) {
        let truth = to_truth(self, condition);
        self.branch(truth, target, i.at());
    }
    fn jump(&mut self, i: &Fields, target: Word) {
        let goal = self.goal(target);
        self.jump_to(goal, Some(i.at()));
    }
    fn next_address(&mut self, i: &Fields) -> Word {
        Word::Sum { base: None, index: None, disp: i.next as i64, own: true }
    }

    fn call(&mut self, _: Routine, _: &Fields) -> Step<Self> {
        unreachable!("the scout sends such instructions to their handlers")
    }
    fn call_if(
        &mut self,
        condition: Word,
        _: Routine,
        _: &Fields,
        otherwise: impl FnOnce(&mut Self) -> Step<Self>,
    ) -> Step<Self> {
        // The routine may change registers that the recipe is made of.
        let (recipe, floats) = (self.cc, self.map.floats);
        self.store_code(&recipe, &floats);
        self.cc = Recipe::Stored;
        match to_truth(self, condition) {
            Truth::Known(false) => otherwise(self),
            truth => {
                let site = self.site();
                if let Some(true) = self.jump_if(truth, site) {
                    asm!(self, jmp =>site)
                }
                otherwise(self)?;
                // What registers have is known of one way only.
                self.map.clear &= !self.map.full;
                self.forget_values();
                Ok(())
            }
        }
    }
}

impl Emitter<'_> {
    /// What is at that address, zero-extended or sign-extended.
    fn load_as(&mut self, width: Width, signed: bool, at: Word) -> Word {
        let t = self.temp();
        let len = (width.bits() / 8) as i32;
        if let Some((base, disp)) = self.share(at, len, false) {
            match (width, signed) {
                (W8, false) => displaced!(self, disp, (movzx Rd(t), BYTE) [rcx + Rq(base)] ()),
                (W8, true) => displaced!(self, disp, (movsx Rq(t), BYTE) [rcx + Rq(base)] ()),
                (W16, _) => displaced!(self, disp, (movbe Rw(t),) [rcx + Rq(base)] ()),
                (W32, _) => displaced!(self, disp, (movbe Rd(t),) [rcx + Rq(base)] ()),
                (W64, _) => displaced!(self, disp, (movbe Rq(t),) [rcx + Rq(base)] ()),
            }
            self.keep_distance();
            return self.extended(t, width, signed);
        }
        self.reach_fast(at, len, t);
        match (width, signed) {
            (W8, false) => asm!(self, movzx Rd(t), BYTE [rcx + rax]),
            (W8, true) => asm!(self, movsx Rq(t), BYTE [rcx + rax]),
            (W16, _) => asm!(self, movbe Rw(t), [rcx + rax]),
            (W32, _) => asm!(self, movbe Rd(t), [rcx + rax]),
            (W64, _) => asm!(self, movbe Rq(t), [rcx + rax]),
        }
        self.extended(t, width, signed)
    }

    /// `t` has been fetched; what is left of its bits is set as it is to be, where a fetch does not do that.
    fn extended(&mut self, t: u8, width: Width, signed: bool) -> Word {
        match (width, signed) {
            (W16, false) => asm!(self, movzx Rd(t), Rw(t)),
            (W16, true) => asm!(self, movsx Rq(t), Rw(t)),
            (W32, true) => asm!(self, movsxd Rq(t), Rd(t)),
            _ => {}
        }
        self.reg(t, if width == W64 || signed { Left::Valid } else { Left::Zero })
    }
}
