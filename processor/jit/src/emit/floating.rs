//! Binary floating point: the guest's floating-point registers in the host's, and the host's arithmetic as the guest's.
//!
//! The host's arithmetic gives the guest's result as long as results round to nearest and nothing traps. That is
//! checked once ([`Emitter::check_fpc`]). The flags then stay in the host's MXCSR, where they are as sticky as in the
//! floating-point-control register. They get into that when it is needed: at a site, a call, or the way out
//! ([`take_flags`]). Two results go to the site. One is a NaN, since the host makes others of them. The other is the
//! least normal number where it may have been tiny before it was rounded. The guest takes that for underflow and the
//! host does not. So "invalid" never comes from the host.
//!
//! A guest register stays in a host register from its first use to the end of the block, or around a loop
//! ([`crate::emit::loop_carried`]). The result of arithmetic gets a host register of its own as long as there are any.
//! Otherwise, and unlike general registers, the register is changed in place. That is always the last thing that an
//! instruction does: a later jump to one of its sites takes the change back first. A copy shares the host register
//! until one of the two is changed.
//!
//! Mostly the exponent tells that a result is neither of the two. The others are looked at in cold code after the
//! block.
//!
//! All instructions are in their VEX form. The older ones leave the left half of a 256-bit register as it is, and so
//! may wait for it.

use crate::emit::assembler::{asm, field, scratch};
use crate::emit::emitter::Emitter;
use crate::emit::exits::{Again, Cold, Unusual};
use crate::emit::float_flags::MODEST;
use crate::emit::loop_carried::in_turn;
use crate::emit::map::{COUNT, FIRST, Floats};
use crate::emit::recipes::{Number, Recipe};
use crate::emit::scratch::*;
use crate::emit::words::*;
use crate::plan::float_forms;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::form::{Arithmetic as Op, Float, Sign};
use isa::{Cc, Cpu, Fields, Width, Width::*};

/// The displacement from rbp of a floating-point register; a short number is in its left half.
fn fpr(r: u8, long: bool) -> i32 {
    field(layout::FPR) + 16 * (r & 15) as i32 + if long { 0 } else { 4 }
}

/// The displacement from rbp of one of the words of `State::scratch` from `n` on: two for long numbers, and two for
/// short ones.
fn of_length(n: usize, long: bool) -> i32 {
    scratch(n + if long { 0 } else { 2 })
}

/// That of the order of a number's bytes in storage.
fn order(long: bool) -> i32 {
    of_length(ORDER, long)
}

// ---- registers
impl Emitter<'_> {
    fn load_float(&mut self, x: u8, r: u8, long: bool) {
        if long {
            asm!(self, vmovsd Rx(x), QWORD [rbp + fpr(r, true)])
        } else {
            asm!(self, vmovss Rx(x), DWORD [rbp + fpr(r, false)])
        }
    }

    fn store_float(&mut self, x: u8, r: u8, long: bool) {
        if long {
            asm!(self, vmovsd QWORD [rbp + fpr(r, true)], Rx(x))
        } else {
            asm!(self, vmovss DWORD [rbp + fpr(r, false)], Rx(x))
        }
    }

    /// Stores the floating-point registers that are newer than the state. The host's flags stay.
    pub(crate) fn write_back_floats(&mut self, floats: &Floats) {
        for (r, x, dirty, long) in floats.held() {
            if dirty {
                self.store_float(x, r, long);
            }
        }
    }

    /// The state is as new as the host register.
    fn settle_float(&mut self, r: u8) {
        let floats = self.map.floats;
        if floats.dirty >> r & 1 == 1 {
            self.store_float(floats.host[r as usize], r, floats.long >> r & 1 == 1);
            self.map.floats.dirty &= !(1 << r);
        }
    }

    /// The state has, or gets, a newer value of `r` than its host register.
    fn forget_float(&mut self, r: u8) {
        self.map.floats.host[r as usize] = NONE;
        self.map.floats.dirty &= !(1 << r);
    }

    /// Whether the host register of `r` is another's, too.
    fn is_shared(&self, r: u8) -> bool {
        let host = &self.map.floats.host;
        let x = host[r as usize];
        x != NONE && host.iter().filter(|&&other| other == x).count() > 1
    }

    /// No two registers share a host register any more; what the state has not got yet it gets.
    pub(crate) fn part_floats(&mut self) {
        for r in 0..16 {
            if self.is_shared(r) {
                self.settle_float(r);
                self.forget_float(r);
            }
        }
    }

    /// `r` is going to have another number: what the condition code is of its number now is kept elsewhere.
    fn keep_code(&mut self, r: u8) {
        let Recipe::Float { long, number: Number::Register(of) } = self.cc else { return };
        if of == r & 15 {
            let t = self.temp();
            let floats = self.map.floats;
            self.number_bits(t, r & 15, long, &floats);
            self.cc = Recipe::Float { long, number: Number::Bits(Operand::Host(t)) };
            self.hold_code();
        }
    }

    /// `h` becomes the bits of the number in `r`. The host's flags stay.
    pub(crate) fn number_bits(&mut self, h: u8, r: u8, long: bool, floats: &Floats) {
        // One of the other length is as the state has it.
        let x = if (floats.long >> r & 1 == 1) == long { floats.host[r as usize] } else { NONE };
        match (x, long) {
            (NONE, true) => asm!(self, mov Rq(h), [rbp + fpr(r, true)]),
            (NONE, false) => asm!(self, mov Rd(h), [rbp + fpr(r, false)]),
            (x, true) => asm!(self, vmovq Rq(h), Rx(x)),
            (x, false) => asm!(self, vmovd Rd(h), Rx(x)),
        }
    }

    /// A host register for `r`, which has none: the same each time, if it is free.
    fn place_float(&mut self, r: u8) -> u8 {
        let taken = |e: &Self, x: u8| e.map.floats.host.iter().position(|&host| host == x);
        let order = || (0..COUNT as u8).map(|n| FIRST + (r + n) % COUNT as u8);
        let x = match order().find(|&x| taken(self, x).is_none()) {
            Some(x) => x,
            None => {
                // The one with the number that is needed last. Of those not needed any more, one that need not be
                // stored.
                let late = |&x: &u8| {
                    let r = taken(self, x).expect("all are taken") as u8;
                    (self.plan.ahead.distance_of_float(self.index, r), self.map.floats.dirty >> r & 1 == 0)
                };
                let free = order().filter(|&x| self.floats_touched >> x & 1 == 0);
                let x = free.max_by_key(late).expect("an instruction has three operands");
                while let Some(other) = taken(self, x) {
                    self.settle_float(other as u8);
                    self.forget_float(other as u8);
                }
                x
            }
        };
        self.map.floats.host[r as usize] = x;
        self.floats_touched |= 1 << x;
        x
    }

    /// The host register that has the number in `r`. Must not come between the making of a site and the jump to it.
    fn float(&mut self, r: u8, long: bool) -> u8 {
        let r = r & 15;
        let bit = 1 << r;
        let x = self.map.floats.host[r as usize];
        if x != NONE && (self.map.floats.long & bit != 0) == long {
            self.floats_touched |= 1 << x;
            return x;
        }
        if x != NONE {
            self.settle_float(r);
        }
        let x = match x {
            NONE => self.place_float(r),
            _ if self.is_shared(r) => self.place_float(r),
            x => x,
        };
        self.floats_touched |= 1 << x;
        self.load_float(x, r, long);
        self.map.floats.dirty &= !bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
        x
    }

    /// The host register that is going to have a new number in `r`; what it has now may be another's. The last of an
    /// instruction.
    fn new_float(&mut self, r: u8, long: bool) -> u8 {
        let r = r & 15;
        let bit = 1 << r;
        self.keep_code(r);
        self.settle_rest(r, long);
        let x = match self.map.floats.host[r as usize] {
            NONE => self.place_float(r),
            _ if self.is_shared(r) => self.place_float(r),
            x => x,
        };
        self.map.floats.dirty |= bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
        x
    }

    /// `r` is going to have a new number: if that is short and what the host has is long, the right half must be in the
    /// state.
    fn settle_rest(&mut self, r: u8, long: bool) {
        if !long && self.map.floats.host[r as usize] != NONE && self.map.floats.long >> r & 1 == 1 {
            self.settle_float(r);
        }
    }

    /// A host register for a result that is not sure yet: one that holds no guest register, or xmm0.
    fn free_float(&mut self) -> u8 {
        let held = self.map.floats.held().fold(self.floats_touched, |all, (_, x, ..)| all | 1 << x);
        (FIRST..FIRST + COUNT as u8).find(|&x| held >> x & 1 == 0).unwrap_or(0)
    }

    /// `r` becomes the number in `x`, which [`Emitter::free_float`] found. The last of an instruction.
    fn set_float(&mut self, r: u8, x: u8, long: bool) {
        if x == 0 {
            let x = self.new_float(r, long);
            return asm!(self, vmovaps Rx(x), xmm0);
        }
        self.point_float(r, x, long);
    }

    /// `r` becomes the number in `x`, which may be another's, too.
    fn point_float(&mut self, r: u8, x: u8, long: bool) {
        let r = r & 15;
        let bit = 1 << r;
        self.keep_code(r);
        self.settle_rest(r, long);
        self.map.floats.host[r as usize] = x;
        self.map.floats.dirty |= bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
    }

    /// All 64 bits of a floating-point register as a word.
    pub(crate) fn float_bits(&mut self, r: u8) -> Word {
        let t = self.temp();
        let (r, floats) = (r & 15, self.map.floats);
        if floats.host[r as usize] != NONE && floats.long >> r & 1 == 1 {
            asm!(self, vmovq Rq(t), Rx(floats.host[r as usize]))
        } else {
            self.settle_float(r);
            asm!(self, mov Rq(t), [rbp + fpr(r, true)])
        }
        self.reg(t, Left::Valid)
    }

    pub(crate) fn set_float_bits(&mut self, r: u8, v: Word) {
        let h = self.host(v, W64);
        let x = self.new_float(r, true);
        asm!(self, vmovq Rx(x), Rq(h));
    }

    /// The left half of a vector register is going to be looked for in the state.
    pub(crate) fn settle_vector(&mut self, r: u8) {
        if r < 16 {
            self.settle_float(r);
        }
    }

    /// The state is going to get a newer left half of a vector register.
    pub(crate) fn forget_vector(&mut self, r: u8) {
        if r < 16 {
            self.keep_code(r);
            self.forget_float(r);
        }
    }

    /// Brings the floating-point registers from where they are to where others have them; `false`: that cannot be.
    pub(crate) fn floats_go(&mut self, from: &Floats, to: &Floats) -> bool {
        if to.checked && !from.checked {
            return false;
        }
        let same = |r: u8| {
            let bit = 1 << r;
            from.host[r as usize] != NONE && to.host[r as usize] != NONE && from.long & bit == to.long & bit
        };
        for (r, x, dirty, long) in from.held() {
            if dirty && !(same(r) && to.dirty >> r & 1 == 1) {
                self.store_float(x, r, long);
            }
        }
        let moves = to.held().filter(|&(r, ..)| same(r)).map(|(r, x, ..)| (x, from.host[r as usize])).collect();
        for (to, from) in in_turn(moves) {
            asm!(self, vmovaps Rx(to), Rx(from));
        }
        for (r, x, _, long) in to.held().filter(|&(r, ..)| !same(r)) {
            self.load_float(x, r, long);
        }
        true
    }
}

// ---- instructions
impl Emitter<'_> {
    /// Emits one of these instructions.
    pub(crate) fn floating(&mut self, what: Float, i: &Fields) {
        match what {
            Float::Load { long } => {
                let place = self.float_operand(long, i);
                let x = self.new_float(i.r1, long);
                self.fetch_float(x, place, long);
            }
            Float::Store { long } => self.store_number(long, i),
            Float::Copy { long } => {
                let from = self.float(i.r2, long);
                self.copy_float(from, long, i);
            }
            Float::Zero { long } => {
                let x = self.new_float(i.r1, long);
                asm!(self, vxorps Rx(x), Rx(x), Rx(x));
            }
            Float::ToGeneral => {
                let w = self.float_bits(i.r2);
                self.set_general(W64, i.r1, w);
            }
            Float::FromGeneral => {
                let w = self.general(W64, i.r2);
                self.set_float_bits(i.r1, w);
            }
            Float::Arithmetic { op, long, storage } => self.arithmetic(op, long, storage, i),
            Float::Compare { long, storage } => {
                let b = self.second_float(long, storage, i);
                let a = self.float(i.r1, long);
                self.compare_float(a, b, long);
            }
            Float::Test { long } => {
                let b = self.float(i.r2, long);
                asm!(self, vpxor xmm1, xmm1, xmm1);
                self.compare_float(b, 1, long);
                self.copy_float(b, long, i);
            }
            Float::Sign { how, long, code } => self.sign_of_float(how, long, code, i),
            Float::FromInteger { from, long } => self.convert_integer(from, long, i),
            Float::ToInteger { to, long } => self.make_integer(to, long, i),
            Float::Round { long } => self.round_float(long, i),
            Float::Lengthen { storage } => {
                let x = self.second_float(false, storage, i);
                let site = self.site();
                let to = self.free_float();
                asm!(self, vucomiss Rx(x), Rx(x) ; jp =>site ; vxorps Rx(to), Rx(to), Rx(to) ; vcvtss2sd Rx(to), Rx(to), Rx(x));
                self.set_float(i.r1, to, true);
            }
            Float::Shorten => {
                self.check_fpc();
                let from = self.float(i.r2, true);
                let x = self.free_float();
                asm!(self, vxorps Rx(x), Rx(x), Rx(x) ; vcvtsd2ss Rx(x), Rx(x), Rx(from));
                let site = self.site();
                self.not_extreme(x, false, site, false);
                self.set_float(i.r1, x, false);
            }
        }
    }

    /// The first operand becomes the number in `from`, which is the second's.
    fn copy_float(&mut self, from: u8, long: bool, i: &Fields) {
        if i.r1 & 15 != i.r2 & 15 {
            self.point_float(i.r1, from, long);
        }
    }

    /// The second operand, in storage, becomes the number in the first.
    fn store_number(&mut self, long: bool, i: &Fields) {
        let x = self.float(i.r1, long);
        let at = self.address(i.x2, i.b2, i.d2).address;
        let len = if long { 8 } else { 4 };
        let (base, disp) = match self.share(at, len, true) {
            Some(place) => place,
            None => {
                self.reach(at, len, true);
                (NONE, 0)
            }
        };
        asm!(self, vpshufb xmm0, Rx(x), [rbp + order(long)]);
        match (base, long) {
            (NONE, true) => asm!(self, vmovsd QWORD [rcx], xmm0),
            (NONE, false) => asm!(self, vmovss DWORD [rcx], xmm0),
            (base, true) => asm!(self, vmovsd QWORD [rcx + Rq(base) + disp], xmm0),
            (base, false) => asm!(self, vmovss DWORD [rcx + Rq(base) + disp], xmm0),
        }
    }

    fn convert_integer(&mut self, from: Width, long: bool, i: &Fields) {
        let w = self.general(from, i.r2);
        let h = self.host(w, from);
        // The others are exact.
        if from == W64 || !long {
            self.check_fpc();
        }
        let x = self.free_float();
        asm!(self, vxorps Rx(x), Rx(x), Rx(x));
        match (from == W64, long) {
            (true, true) => asm!(self, vcvtsi2sd Rx(x), Rx(x), Rq(h)),
            (false, true) => asm!(self, vcvtsi2sd Rx(x), Rx(x), Rd(h)),
            (true, false) => asm!(self, vcvtsi2ss Rx(x), Rx(x), Rq(h)),
            (false, false) => asm!(self, vcvtsi2ss Rx(x), Rx(x), Rd(h)),
        }
        self.set_float(i.r1, x, long);
    }

    fn make_integer(&mut self, to: Width, long: bool, i: &Fields) {
        let truncate = float_forms::truncates(i) == Some(true);
        self.check_fpc();
        let x = self.float(i.r2, long);
        let t = self.temp();
        let site = self.site();
        match (to == W64, long, truncate) {
            (true, true, true) => asm!(self, vcvttsd2si Rq(t), Rx(x)),
            (true, true, false) => asm!(self, vcvtsd2si Rq(t), Rx(x)),
            (true, false, true) => asm!(self, vcvttss2si Rq(t), Rx(x)),
            (true, false, false) => asm!(self, vcvtss2si Rq(t), Rx(x)),
            (false, true, true) => asm!(self, vcvttsd2si Rd(t), Rx(x)),
            (false, true, false) => asm!(self, vcvtsd2si Rd(t), Rx(x)),
            (false, false, true) => asm!(self, vcvttss2si Rd(t), Rx(x)),
            (false, false, false) => asm!(self, vcvtss2si Rd(t), Rx(x)),
        }
        // What is out of range gives the least integer, and only that less 1 overflows.
        if to == W64 {
            asm!(self, cmp Rq(t), 1 ; jo =>site ; vpxor xmm1, xmm1, xmm1)
        } else {
            asm!(self, cmp Rd(t), 1 ; jo =>site ; vpxor xmm1, xmm1, xmm1)
        }
        self.compare_float(x, 1, long);
        let w = self.reg(t, if to == W64 { Left::Valid } else { Left::Zero });
        self.set_general(to, i.r1, w);
    }

    fn round_float(&mut self, long: bool, i: &Fields) {
        let host = float_forms::rounding(i).expect("only then is it inline");
        self.check_fpc();
        let x = self.float(i.r2, long);
        let site = self.site();
        if long {
            asm!(self, vucomisd Rx(x), Rx(x) ; jp =>site ; vpxor xmm0, xmm0, xmm0 ; vroundsd xmm0, xmm0, Rx(x), host)
        } else {
            asm!(self, vucomiss Rx(x), Rx(x) ; jp =>site ; vpxor xmm0, xmm0, xmm0 ; vroundss xmm0, xmm0, Rx(x), host)
        }
        self.set_float(i.r1, 0, long);
    }

    /// Where an operand in storage is: the two registers and the displacement that make the host's address of it.
    fn float_operand(&mut self, long: bool, i: &Fields) -> (u8, u8, i32) {
        let at = self.address(i.x2, i.b2, i.d2).address;
        let len = if long { 8 } else { 4 };
        if let Some((base, disp)) = self.share(at, len, false) {
            return (1, base, disp);
        }
        let t = self.temp();
        self.reach_fast(at, len, t);
        (1, 0, 0)
    }

    /// `x` becomes the number there; the rest of it becomes zeros.
    fn fetch_float(&mut self, x: u8, (a, b, disp): (u8, u8, i32), long: bool) {
        if long {
            asm!(self, vmovsd Rx(x), QWORD [Rq(a) + Rq(b) + disp])
        } else {
            asm!(self, vmovss Rx(x), DWORD [Rq(a) + Rq(b) + disp])
        }
        asm!(self, vpshufb Rx(x), Rx(x), [rbp + order(long)]);
    }

    /// The second operand: a register's, or from storage in xmm1.
    fn second_float(&mut self, long: bool, storage: bool, i: &Fields) -> u8 {
        if !storage {
            return self.float(i.r2, long);
        }
        let place = self.float_operand(long, i);
        self.fetch_float(1, place, long);
        1
    }

    /// The condition code of the comparison of two numbers, which must not be NaNs.
    fn compare_float(&mut self, a: u8, b: u8, long: bool) {
        let t = self.temp();
        let site = self.site();
        if long {
            asm!(self, vucomisd Rx(a), Rx(b))
        } else {
            asm!(self, vucomiss Rx(a), Rx(b))
        }
        asm!(self, jp =>site ; seta al ; setb cl ; movzx eax, al ; movzx ecx, cl ; lea Rd(t), [rcx + rax * 2]);
        let w = self.reg(t, Left::Zero);
        self.name_code(Cc::Value(w));
    }

    fn sign_of_float(&mut self, how: Sign, long: bool, code: bool, i: &Fields) {
        let from = self.float(i.r2, long);
        let x = self.free_float();
        let sign = scratch(SIGN);
        let magnitude = scratch(if long { MAGNITUDE } else { SHORT_LEAST });
        match (how, long) {
            (Sign::Complement, true) => asm!(self, vxorpd Rx(x), Rx(from), [rbp + sign]),
            (Sign::Negative, true) => asm!(self, vorpd Rx(x), Rx(from), [rbp + sign]),
            (Sign::Positive, true) => asm!(self, vandpd Rx(x), Rx(from), [rbp + magnitude]),
            (Sign::Complement, false) => asm!(self, vxorps Rx(x), Rx(from), [rbp + sign + 4]),
            (Sign::Negative, false) => asm!(self, vorps Rx(x), Rx(from), [rbp + sign + 4]),
            (Sign::Positive, false) => asm!(self, vandps Rx(x), Rx(from), [rbp + magnitude]),
        }
        self.set_result(i.r1, x, long, code);
    }

    /// `r` becomes the number in `x`, as [`Emitter::set_float`] has it, and the condition code that of this number if
    /// there is one. The last of an instruction.
    fn set_result(&mut self, r: u8, x: u8, long: bool, code: bool) {
        if code {
            // That of another number is not wanted any more.
            self.cc = Recipe::Stored;
        }
        self.set_float(r, x, long);
        if code {
            self.cc = Recipe::Float { long, number: Number::Register(r & 15) };
        }
    }

    /// Cold code after the block.
    fn again(&mut self, what: Again, site: DynamicLabel, (x, long, changed): (u8, bool, bool)) -> Unusual {
        let [label, back] = [0; 2].map(|_| self.a.new_dynamic_label());
        let unusual = Unusual { label, back, site, what, x, long, changed };
        self.cold.push(Cold::Unusual(unusual));
        unusual
    }

    /// Makes sure that the host may do the arithmetic. Only instructions that are called change that, but for the flag.
    /// If it may when the block is translated, one check is enough for the block: where it fails, the block is left.
    fn check_fpc(&mut self) {
        if self.map.floats.checked {
            return;
        }
        let site = self.site();
        let again = self.again(Again::Control, site, (0, true, false));
        asm!(self, cmp BYTE [rbp + scratch(FLOATED)], 1 ; jne =>again.label ; =>again.back);
        if self.plan.float_ready {
            self.last_site().quits = true;
            self.map.floats.checked = true;
        }
    }

    /// Makes sure that `x` is no NaN and has not been rounded to the least normal number: most have other exponents.
    /// What was in `x` before is in xmm0 if it was changed.
    fn not_extreme(&mut self, x: u8, long: bool, site: DynamicLabel, changed: bool) {
        let again = self.again(Again::Extreme, site, (x, long, changed));
        asm!(self, vptest Rx(x), [rbp + of_length(EXTREME, long)] ; jbe =>again.label ; =>again.back);
    }

    /// Makes sure that a sum is no NaN.
    fn not_endless(&mut self, x: u8, long: bool, site: DynamicLabel) {
        let again = self.again(Again::Endless, site, (x, long, false));
        asm!(self, vptest Rx(x), [rbp + of_length(ENDLESS, long)] ; jb =>again.label ; =>again.back);
    }

    fn arithmetic(&mut self, op: Op, long: bool, storage: bool, i: &Fields) {
        self.check_fpc();
        let b = self.second_float(long, storage, i);
        // MULTIPLY AND ADD has its sum in the first operand and multiplies the third.
        let first = if op == Op::SquareRoot { b } else { self.float(i.r1, long) };
        let third = match op {
            Op::MultiplyAdd | Op::MultiplySubtract => self.float(i.r3, long),
            _ => first,
        };
        let x = self.free_float();
        let fused = matches!(op, Op::MultiplyAdd | Op::MultiplySubtract);
        if x == 0 && fused && !self.is_shared(i.r1 & 15) && b != first && third != first {
            // The sum takes the place of what was added to, which waits in xmm0 to be sure.
            asm!(self, vmovaps xmm0, Rx(first));
            self.multiply_add(op, long, (first, b, third));
            let site = self.site();
            self.not_extreme(first, long, site, true);
            self.new_float(i.r1, long);
            return;
        }
        match (op, long) {
            (Op::Add, true) => asm!(self, vaddsd Rx(x), Rx(first), Rx(b)),
            (Op::Subtract, true) => asm!(self, vsubsd Rx(x), Rx(first), Rx(b)),
            (Op::Multiply, true) => asm!(self, vmulsd Rx(x), Rx(first), Rx(b)),
            (Op::Divide, true) => asm!(self, vdivsd Rx(x), Rx(first), Rx(b)),
            (Op::SquareRoot, true) => asm!(self, vsqrtsd Rx(x), Rx(b), Rx(b)),
            (Op::MultiplyAdd | Op::MultiplySubtract, _) => {
                asm!(self, vmovaps Rx(x), Rx(first));
                self.multiply_add(op, long, (x, b, third));
            }
            (Op::Add, false) => asm!(self, vaddss Rx(x), Rx(first), Rx(b)),
            (Op::Subtract, false) => asm!(self, vsubss Rx(x), Rx(first), Rx(b)),
            (Op::Multiply, false) => asm!(self, vmulss Rx(x), Rx(first), Rx(b)),
            (Op::Divide, false) => asm!(self, vdivss Rx(x), Rx(first), Rx(b)),
            (Op::SquareRoot, false) => asm!(self, vsqrtss Rx(x), Rx(b), Rx(b)),
        }
        let site = self.site();
        match op {
            // What is tiny is exact.
            Op::Add | Op::Subtract => self.not_endless(x, long, site),
            // A root is never tiny.
            Op::SquareRoot => {
                if long {
                    asm!(self, vucomisd Rx(x), Rx(x) ; jp =>site)
                } else {
                    asm!(self, vucomiss Rx(x), Rx(x) ; jp =>site)
                }
            }
            _ => self.not_extreme(x, long, site, false),
        }
        self.set_result(i.r1, x, long, matches!(op, Op::Add | Op::Subtract));
    }

    /// `x` becomes the product of the others with `x` added or subtracted.
    fn multiply_add(&mut self, op: Op, long: bool, (x, b, c): (u8, u8, u8)) {
        match (op == Op::MultiplyAdd, long) {
            (true, true) => asm!(self, vfmadd231sd Rx(x), Rx(b), Rx(c)),
            (false, true) => asm!(self, vfmsub231sd Rx(x), Rx(b), Rx(c)),
            (true, false) => asm!(self, vfmadd231ss Rx(x), Rx(b), Rx(c)),
            (false, false) => asm!(self, vfmsub231ss Rx(x), Rx(b), Rx(c)),
        }
    }

    /// Emits the cold code for a result that is to be looked at again.
    pub(crate) fn unusual(&mut self, u: &Unusual) {
        let Unusual { label, back, site, what, x, long, changed } = *u;
        let no = if changed { self.a.new_dynamic_label() } else { site };
        asm!(self, =>label);
        match what {
            Again::Control => asm!(self, call QWORD [rbp + scratch(FLOATS_READY)] ; jne =>no ; jmp =>back),
            Again::Endless if long => asm!(self, vucomisd Rx(x), Rx(x) ; jp =>no),
            Again::Endless => asm!(self, vucomiss Rx(x), Rx(x) ; jp =>no),
            Again::Extreme if long => asm!(self, vandpd xmm2, Rx(x), [rbp + scratch(MAGNITUDE)]
                ; vucomisd xmm2, QWORD [rbp + scratch(LEAST)] ; jp =>no ; je =>no),
            Again::Extreme => asm!(self, vandps xmm2, Rx(x), [rbp + scratch(SHORT_LEAST)]
                ; vucomiss xmm2, DWORD [rbp + scratch(SHORT_LEAST) + 4] ; jp =>no ; je =>no),
        }
        // It may have signalled more than "inexact".
        if what != Again::Control {
            asm!(self, mov BYTE [rbp + MODEST], 0 ; jmp =>back);
        }
        if changed {
            asm!(self, =>no ; vmovaps Rx(x), xmm0 ; jmp =>site);
        }
    }
}
