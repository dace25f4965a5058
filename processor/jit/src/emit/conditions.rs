//! Conditions: the condition code as a recipe, and what is asked about it.

use crate::emit::assembler::{asm, field, scratch};
use crate::emit::body::is_short;
use crate::emit::emitter::Emitter;
use crate::emit::exits::Cold;
use crate::emit::map::Floats;
use crate::emit::recipes::{Number, Recipe};
use crate::emit::scratch::*;
use crate::emit::words::*;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Width, Width::*};

/// The bits 0-3 of which the one is on that is numbered as a condition code in the mask is.
fn table(mask: u8) -> i32 {
    (0..4).filter(|cc| mask << cc >> 3 & 1 == 1).map(|cc| 1 << cc).sum()
}

macro_rules! conditional {
    ($e:ident $cond:expr, jump $label:ident; $($variant:ident $op:ident),*) => {
        match $cond { $(Cond::$variant => asm!($e, $op =>$label),)* }
    };
    ($e:ident $cond:expr, byte; $($variant:ident $op:ident),*) => {
        match $cond { $(Cond::$variant => asm!($e, $op al),)* }
    };
    ($e:ident $cond:expr, move $to:ident $from:ident; $($variant:ident $op:ident),*) => {
        match $cond { $(Cond::$variant => asm!($e, $op Rq($to), Rq($from)),)* }
    };
}

impl Emitter<'_> {
    /// Names the condition code.
    pub(crate) fn name_code(&mut self, cc: Cc<Word>) {
        let mut take = |w: Word, width: Width| self.operand(w, width);
        let unused = Operand::Const(0);
        let cc = match cc {
            Cc::Set(code) => Cc::Set(code),
            Cc::Value(v) => Cc::Value(take(v, W32)),
            Cc::Zero { width, value } => Cc::Zero { width, value: take(value, width) },
            Cc::Sign { width, value } => Cc::Sign { width, value: take(value, width) },
            Cc::Compare { width, a, b } => Cc::Compare { width, a: take(a, width), b: take(b, width) },
            Cc::CompareLogical { width, a, b } => Cc::CompareLogical { width, a: take(a, width), b: take(b, width) },
            Cc::Add { width, b, sum, .. } => Cc::Add { width, a: unused, b: take(b, width), sum: take(sum, width) },
            Cc::Subtract { width, b, difference, .. } => {
                Cc::Subtract { width, a: unused, b: take(b, width), difference: take(difference, width) }
            }
            Cc::AddLogical { width, a, sum } => Cc::AddLogical { width, a: take(a, width), sum: take(sum, width) },
            Cc::SubtractLogical { width, a, b, .. } => {
                Cc::SubtractLogical { width, a: take(a, width), b: take(b, width), difference: unused }
            }
            Cc::TestMask { value, mask } => Cc::TestMask { value: take(value, W32), mask: take(mask, W32) },
            Cc::TestMaskHalf { value, mask } => Cc::TestMaskHalf { value: take(value, W32), mask: take(mask, W32) },
        };
        self.cc = Recipe::Named(cc);
        self.hold_code();
    }

    pub(crate) fn jump(&mut self, cond: Cond, label: DynamicLabel) {
        conditional!(self cond, jump label; Overflow jo, NoOverflow jno, Below jb, AboveEqual jae, Equal je, NotEqual jne, BelowEqual jbe,
            Above ja, Sign js, NoSign jns, Less jl, GreaterEqual jge, LessEqual jle, Greater jg)
    }

    /// al becomes 1 or 0.
    pub(crate) fn set_byte(&mut self, cond: Cond) {
        conditional!(self cond, byte; Overflow seto, NoOverflow setno, Below setb, AboveEqual setae, Equal sete, NotEqual setne,
            BelowEqual setbe, Above seta, Sign sets, NoSign setns, Less setl, GreaterEqual setge, LessEqual setle, Greater setg)
    }

    pub(crate) fn move_if(&mut self, cond: Cond, to: u8, from: u8) {
        conditional!(self cond, move to from; Overflow cmovo, NoOverflow cmovno, Below cmovb, AboveEqual cmovae, Equal cmove, NotEqual cmovne,
            BelowEqual cmovbe, Above cmova, Sign cmovs, NoSign cmovns, Less cmovl, GreaterEqual cmovge, LessEqual cmovle,
            Greater cmovg)
    }

    /// An operand in a register; constants go into rax.
    fn in_register(&mut self, v: Operand) -> u8 {
        match v {
            Operand::Host(h) => h,
            Operand::Const(c) => {
                self.lea(0, Word::Const(c));
                0
            }
        }
    }

    /// Sets the host's flags by `a - b`.
    fn compare(&mut self, width: Width, a: Operand, b: Operand) {
        let long = width == W64;
        if let (Operand::Host(h), Operand::Const(0)) = (a, b) {
            if self.has_flags(h, width, true) {
                return;
            }
            return if long { asm!(self, test Rq(h), Rq(h)) } else { asm!(self, test Rd(h), Rd(h)) };
        }
        let a = self.in_register(a);
        match b {
            // CMP with a byte, which the assembler has no short form of.
            Operand::Const(c) if is_short(c) && (!long || c as i32 as u64 == c) => {
                let rex = 0x40 | (long as u8) << 3 | a >> 3;
                asm!(self, .u8 rex ; .u8 0x83 ; .u8 0xf8 | a & 7 ; .u8 c as u8)
            }
            Operand::Const(c) if !long => asm!(self, cmp Rd(a), c as i32),
            Operand::Const(c) if c as i32 as u64 == c => asm!(self, cmp Rq(a), c as i32),
            Operand::Const(c) => asm!(self, mov rcx, QWORD c as i64 ; cmp Rq(a), rcx),
            Operand::Host(b) if long => asm!(self, cmp Rq(a), Rq(b)),
            Operand::Host(b) => asm!(self, cmp Rd(a), Rd(b)),
        }
    }

    /// As [`Emitter::compare`], if only equality matters.
    fn compare_zero(&mut self, width: Width, a: Operand, b: Operand) {
        match (a, b) {
            (Operand::Host(h), Operand::Const(0)) if self.has_flags(h, width, false) => {}
            _ => self.compare(width, a, b),
        }
    }

    /// Sets the host's flags as a signed comparison has them, of short operands too.
    fn compare_signed(&mut self, width: Width, a: Operand, b: Operand) {
        if !matches!(width, W8 | W16) {
            return self.compare(width, a, b);
        }
        for (to, v) in [(1, b), (0, a)] {
            let h = match v {
                Operand::Const(c) => {
                    asm!(self, mov Rd(to), c as i32);
                    to
                }
                Operand::Host(h) => h,
            };
            if width == W8 { asm!(self, movsx Rd(to), Rb(h)) } else { asm!(self, movsx Rd(to), Rw(h)) }
        }
        asm!(self, cmp eax, ecx);
    }

    /// Emits a test. What comes back holds afterwards exactly if the truth does, unless that is known already.
    pub(crate) fn test(&mut self, truth: Truth) -> Result<Cond, bool> {
        match truth {
            Truth::Known(v) => Err(v),
            Truth::Code(mask) => self.test_code(mask),
            Truth::Compare { width, cond, a, b } => {
                match cond {
                    Cond::Equal | Cond::NotEqual => self.compare_zero(width, a, b),
                    Cond::Less | Cond::GreaterEqual | Cond::Greater | Cond::LessEqual => {
                        self.compare_signed(width, a, b)
                    }
                    _ => self.compare(width, a, b),
                }
                Ok(cond)
            }
        }
    }

    /// Jumps if the truth holds, or says that it is known.
    pub(crate) fn jump_if(&mut self, truth: Truth, label: DynamicLabel) -> Option<bool> {
        // The flags of the host's own addition have everything but "overflow" in the right place.
        if let (Truth::Code(mask), Recipe::Named(cc @ (Cc::Add { .. } | Cc::Subtract { .. }))) = (truth, self.cc)
            && !matches!(mask, 0 | 1 | 14 | 15)
        {
            self.sum_flags(&cc);
            let skip = self.a.new_dynamic_label();
            self.jump(Cond::Overflow, if mask & 1 != 0 { label } else { skip });
            match order(mask, Cond::Less, Cond::Greater, Cond::LessEqual, Cond::GreaterEqual) {
                Ok(cond) => self.jump(cond, label),
                Err(true) => asm!(self, jmp =>label),
                Err(false) => {}
            }
            asm!(self, =>skip);
            return None;
        }
        match self.test(truth) {
            Ok(cond) => {
                self.jump(cond, label);
                None
            }
            Err(known) => Some(known),
        }
    }

    /// Sets the host's flags as the addition or subtraction had them; less and greater are those of the result if there
    /// is no overflow.
    fn sum_flags(&mut self, cc: &Cc<Operand>) {
        let (width, b, result, add) = match *cc {
            Cc::Add { width, b, sum, .. } => (width, b, sum, true),
            Cc::Subtract { width, b, difference, .. } => (width, b, difference, false),
            _ => unreachable!("only sums have these flags"),
        };
        let b = match b {
            Operand::Host(h) => h,
            Operand::Const(c) => {
                self.lea(1, Word::Const(if width == W64 { c } else { c & 0xffff_ffff }));
                1
            }
        };
        match result {
            Operand::Const(c) => self.lea(2, Word::Const(c)),
            Operand::Host(h) => asm!(self, mov rdx, Rq(h)),
        }
        match (width == W64, add) {
            (true, true) => asm!(self, sub rdx, Rq(b) ; add rdx, Rq(b)),
            (true, false) => asm!(self, add rdx, Rq(b) ; sub rdx, Rq(b)),
            (false, true) => asm!(self, sub edx, Rd(b) ; add edx, Rd(b)),
            (false, false) => asm!(self, add edx, Rd(b) ; sub edx, Rd(b)),
        }
    }

    fn test_code(&mut self, mask: u8) -> Result<Cond, bool> {
        if mask == 0 || mask == 15 {
            return Err(mask == 15);
        }
        self.decide_float();
        let Recipe::Named(cc) = self.cc else {
            self.load_code();
            asm!(self, mov eax, table(mask) ; bt eax, ecx);
            return Ok(Cond::Below);
        };
        let zero = Operand::Const(0);
        match cc {
            Cc::Set(code) => Err(mask << code >> 3 & 1 == 1),
            Cc::Value(Operand::Const(code)) => Err(mask << code >> 3 & 1 == 1),
            Cc::Value(Operand::Host(h)) => {
                asm!(self, mov eax, table(mask) ; bt eax, Rd(h));
                Ok(Cond::Below)
            }
            Cc::Zero { width, value } => {
                let cond = match mask & 12 {
                    8 => Cond::Equal,
                    4 => Cond::NotEqual,
                    all => return Err(all != 0),
                };
                self.compare_zero(width, value, zero);
                Ok(cond)
            }
            Cc::Sign { width, value } => {
                let cond = order(mask, Cond::Less, Cond::Greater, Cond::LessEqual, Cond::GreaterEqual)?;
                self.compare_signed(width, value, zero);
                Ok(cond)
            }
            Cc::Compare { width, a, b } => {
                let cond = order(mask, Cond::Less, Cond::Greater, Cond::LessEqual, Cond::GreaterEqual)?;
                self.compare_signed(width, a, b);
                Ok(cond)
            }
            Cc::CompareLogical { width, a, b } => {
                let cond = order(mask, Cond::Below, Cond::Above, Cond::BelowEqual, Cond::AboveEqual)?;
                self.compare(width, a, b);
                Ok(cond)
            }
            Cc::SubtractLogical { width, a, b, .. } => {
                // 1 low, 2 equal, 3 high.
                let order_mask = (mask & 2) << 2 | mask & 4 | (mask & 1) << 1;
                let cond = order(order_mask, Cond::Below, Cond::Above, Cond::BelowEqual, Cond::AboveEqual)?;
                self.compare(width, a, b);
                Ok(cond)
            }
            Cc::AddLogical { width, a, sum } => match mask {
                12 | 3 => {
                    self.compare(width, sum, a);
                    Ok(if mask == 3 { Cond::Below } else { Cond::AboveEqual })
                }
                10 | 5 => {
                    self.compare(width, sum, zero);
                    Ok(if mask == 10 { Cond::Equal } else { Cond::NotEqual })
                }
                _ => Ok(self.look_up(&cc, mask)),
            },
            Cc::Add { .. } | Cc::Subtract { .. } if mask == 1 || mask == 14 => {
                self.sum_flags(&cc);
                Ok(if mask == 1 { Cond::Overflow } else { Cond::NoOverflow })
            }
            Cc::TestMask { value, mask: bits } | Cc::TestMaskHalf { value, mask: bits } => {
                let one_bit = matches!(bits, Operand::Const(c) if c.is_power_of_two());
                let byte = matches!(cc, Cc::TestMask { .. });
                // What cannot be the code does not matter.
                match (mask, one_bit) {
                    _ if bits == zero => Err(mask & 8 != 0),
                    (m, true) if matches!(m & 9, 0 | 9) => Err(m & 9 == 9),
                    (m, true) => {
                        self.select_bits(value, bits);
                        Ok(if m & 8 != 0 { Cond::Equal } else { Cond::NotEqual })
                    }
                    (8 | 7, _) => {
                        self.select_bits(value, bits);
                        Ok(if mask == 8 { Cond::Equal } else { Cond::NotEqual })
                    }
                    (1 | 14, _) => {
                        self.select_bits(value, bits);
                        let bits = self.in_register(bits);
                        asm!(self, cmp edx, Rd(bits));
                        Ok(if mask == 1 { Cond::Equal } else { Cond::NotEqual })
                    }
                    (10, _) if byte => {
                        self.select_bits(value, bits);
                        Ok(Cond::Equal)
                    }
                    (5, _) if byte => {
                        self.select_bits(value, bits);
                        Ok(Cond::NotEqual)
                    }
                    _ => Ok(self.look_up(&cc, mask)),
                }
            }
            _ => Ok(self.look_up(&cc, mask)),
        }
    }

    /// edx becomes the selected bits; the zero flag tells whether there are any.
    fn select_bits(&mut self, value: Operand, bits: Operand) {
        match value {
            Operand::Const(c) => asm!(self, mov edx, c as i32),
            Operand::Host(h) => asm!(self, mov edx, Rd(h)),
        }
        match bits {
            Operand::Const(c) => asm!(self, and edx, c as i32),
            Operand::Host(h) => asm!(self, and edx, Rd(h)),
        }
    }

    /// The code itself, and then whether it is in the mask.
    fn look_up(&mut self, cc: &Cc<Operand>, mask: u8) -> Cond {
        self.work_out(cc);
        asm!(self, mov ecx, table(mask) ; bt ecx, eax);
        Cond::Below
    }

    /// eax becomes the condition code. Changes rcx and rdx too.
    fn work_out(&mut self, cc: &Cc<Operand>) {
        let zero = Operand::Const(0);
        match *cc {
            Cc::Set(code) => asm!(self, mov eax, code as i32),
            Cc::Value(Operand::Const(code)) => asm!(self, mov eax, code as i32),
            Cc::Value(Operand::Host(h)) => asm!(self, mov eax, Rd(h)),
            Cc::Zero { width, value } => {
                self.compare(width, value, zero);
                asm!(self, setne al ; movzx eax, al)
            }
            Cc::Sign { width, value } => {
                self.compare_signed(width, value, zero);
                asm!(self, setg al ; setl cl);
                self.two_bits();
            }
            Cc::Compare { width, a, b } => {
                self.compare_signed(width, a, b);
                asm!(self, setg al ; setl cl);
                self.two_bits();
            }
            Cc::CompareLogical { width, a, b } => {
                self.compare(width, a, b);
                asm!(self, seta al ; setb cl);
                self.two_bits();
            }
            Cc::SubtractLogical { width, a, b, .. } => {
                self.compare(width, a, b);
                asm!(self, setae al ; setne cl);
                self.two_bits();
            }
            Cc::AddLogical { width, a, sum } => {
                self.compare(width, sum, a);
                asm!(self, setb dl);
                self.compare(width, sum, zero);
                asm!(self, setne cl ; mov eax, edx);
                self.two_bits();
            }
            Cc::Add { .. } | Cc::Subtract { .. } => {
                self.sum_flags(cc);
                asm!(self, seto dl ; setg al ; setl cl);
                self.two_bits();
                asm!(self, mov ecx, 3 ; test dl, dl ; cmovne eax, ecx)
            }
            Cc::TestMask { value, mask } => {
                self.select_bits(value, mask);
                asm!(self, setne cl);
                let mask = self.in_register(mask);
                // With nothing selected the first answer holds.
                asm!(self, cmp edx, Rd(mask) ; sete al ; and al, cl);
                self.two_bits();
            }
            Cc::TestMaskHalf { value, mask } => {
                self.select_bits(value, mask);
                let mask = self.in_register(mask);
                let done = self.a.new_dynamic_label();
                asm!(self, mov ecx, Rd(mask) ; mov eax, 0 ; test edx, edx ; je =>done ; mov eax, 3 ; cmp edx, ecx ; je =>done
                    // The leftmost bit of the mask is among them exactly if they are more than the rest.
                    ; xor ecx, edx ; mov eax, 1 ; cmp edx, ecx ; jb =>done ; mov eax, 2 ; =>done)
            }
        }
    }

    /// eax = 2 * al + cl.
    fn two_bits(&mut self) {
        asm!(self, movzx eax, al ; movzx ecx, cl ; lea eax, [rcx + rax * 2])
    }

    /// The condition code into the state, which is to have that in the end; `floats` says where floating-point
    /// registers are.
    pub(crate) fn store_code(&mut self, recipe: &Recipe, floats: &Floats) {
        let at = field(layout::CC) as i8;
        let cc = match recipe {
            Recipe::Stored => return,
            Recipe::Float { long, number } => {
                let bits = Number::Bits(Operand::Host(0));
                let recipe = Recipe::Float { long: *long, number: bits };
                self.float_bits_in(0, *long, *number, floats);
                return asm!(self, mov [rbp + scratch(CODE_OPERANDS)], rax ; mov BYTE [BYTE rbp + at], recipe.byte() as i8);
            }
            Recipe::Named(cc) => cc,
        };
        match *cc {
            Cc::Set(code) => asm!(self, mov BYTE [BYTE rbp + at], code as i8),
            Cc::Zero { width, value } => {
                self.compare(width, value, Operand::Const(0));
                asm!(self, setne BYTE [BYTE rbp + at])
            }
            Cc::Value(_) => self.settle_code(recipe, floats),
            // The first that wants it works it out: mostly it is set anew before.
            _ => {
                for (n, operand) in recipe.parts().2.into_iter().enumerate() {
                    let to = scratch(CODE_OPERANDS + n);
                    match operand {
                        Operand::Host(h) => asm!(self, mov[rbp + to], Rq(h)),
                        Operand::Const(c) if c as i32 as u64 == c => asm!(self, mov QWORD [rbp + to], c as i32),
                        Operand::Const(c) => asm!(self, mov rax, QWORD c as i64 ; mov [rbp + to], rax),
                    }
                }
                asm!(self, mov BYTE [BYTE rbp + at], recipe.byte() as i8)
            }
        }
    }

    /// Works the condition code out and stores it.
    pub(crate) fn settle_code(&mut self, recipe: &Recipe, floats: &Floats) {
        match recipe {
            Recipe::Stored | Recipe::Named(Cc::Set(_) | Cc::Zero { .. }) => return self.store_code(recipe, floats),
            Recipe::Named(cc) => self.work_out(cc),
            Recipe::Float { long, number } => self.work_out_float(*long, *number, floats),
        }
        asm!(self, mov [BYTE rbp + field(layout::CC) as i8], al);
    }

    /// The condition code is asked for: if it is a number's it is worked out.
    fn decide_float(&mut self) {
        let Recipe::Float { long, number } = self.cc else { return };
        let floats = self.map.floats;
        let t = self.temp();
        self.work_out_float(long, number, &floats);
        asm!(self, mov Rd(t), eax);
        let code = self.reg(t, Left::Zero);
        self.name_code(Cc::Value(code));
    }

    /// `h` becomes the bits of a number.
    fn float_bits_in(&mut self, h: u8, long: bool, number: Number, floats: &Floats) {
        match number {
            Number::Register(r) => self.number_bits(h, r, long, floats),
            Number::Bits(Operand::Host(from)) => asm!(self, mov Rq(h), Rq(from)),
            Number::Bits(Operand::Const(bits)) => self.lea(h, Word::Const(bits)),
        }
    }

    /// eax becomes the condition code of a number. Changes rcx, too.
    fn work_out_float(&mut self, long: bool, number: Number, floats: &Floats) {
        self.float_bits_in(0, long, number, floats);
        asm!(self, vxorps xmm2, xmm2, xmm2);
        if long {
            asm!(self, vmovq xmm1, rax ; vucomisd xmm1, xmm2)
        } else {
            asm!(self, vmovd xmm1, eax ; vucomiss xmm1, xmm2)
        }
        asm!(self, mov eax, 3 ; jp >done ; seta al ; setb cl);
        self.two_bits();
        asm!(self, done:);
    }

    /// ecx becomes the condition code that is in the state.
    pub(crate) fn load_code(&mut self) {
        let [label, resume] = [0; 2].map(|_| self.a.new_dynamic_label());
        asm!(self, movzx ecx, BYTE [BYTE rbp + field(layout::CC) as i8] ; cmp ecx, BYTE 3 ; ja =>label ; =>resume);
        let floats = self.map.floats.held().next().is_some();
        self.cold.push(Cold::Settle { label, resume, floats });
    }
}

/// The condition for a mask of the codes 0 equal, 1 low, 2 high, if it is not a foregone conclusion.
fn order(mask: u8, less: Cond, greater: Cond, less_equal: Cond, greater_equal: Cond) -> Result<Cond, bool> {
    match mask & 14 {
        8 => Ok(Cond::Equal),
        6 => Ok(Cond::NotEqual),
        4 => Ok(less),
        2 => Ok(greater),
        12 => Ok(less_equal),
        10 => Ok(greater_equal),
        all => Err(all != 0),
    }
}
