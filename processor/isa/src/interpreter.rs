//! `impl Cpu for State`: a word is a `u64`, and everything happens at once.

use crate::cpu_trait::{Bitwise, Cc, Cpu, Routine, Step, Width};
use crate::fields::Fields;
use arch::Program;
use cpu::{At, Interruption, State};

/// The data-exception code of vector instructions that are not enabled.
const VECTOR_INSTRUCTION: u8 = 0xfe;

#[inline(always)]
fn sign(width: Width, v: u64) -> i64 {
    match width {
        Width::W8 => v as i8 as i64,
        Width::W16 => v as i16 as i64,
        Width::W32 => v as i32 as i64,
        Width::W64 => v as i64,
    }
}

#[inline(always)]
fn low(width: Width, v: u64) -> u64 {
    match width {
        Width::W8 => v as u8 as u64,
        Width::W16 => v as u16 as u64,
        Width::W32 => v as u32 as u64,
        Width::W64 => v,
    }
}

/// 0 equal, 1 low, 2 high.
#[inline(always)]
fn order<T: Ord>(a: T, b: T) -> u8 {
    (a > b) as u8 * 2 + (a < b) as u8
}

impl Cpu for State {
    type Word = u64;
    type Stop = Interruption;

    #[inline(always)]
    fn imm(&mut self, v: u64) -> u64 {
        v
    }
    #[inline(always)]
    fn gr(&mut self, width: Width, r: u8) -> u64 {
        low(width, self.gr[(r & 15) as usize])
    }
    #[inline(always)]
    fn set_gr(&mut self, width: Width, r: u8, v: u64) {
        let register = &mut self.gr[(r & 15) as usize];
        *register = match width {
            Width::W64 => v,
            _ => *register & !width.mask() | v & width.mask(),
        };
    }
    #[inline(always)]
    fn gr_high(&mut self, r: u8) -> u64 {
        self.gr[(r & 15) as usize] >> 32
    }
    #[inline(always)]
    fn set_gr_high(&mut self, r: u8, v: u64) {
        let register = &mut self.gr[(r & 15) as usize];
        *register = v << 32 | *register & 0xffff_ffff;
    }
    #[inline(always)]
    fn fpr(&mut self, r: u8) -> u64 {
        self.fpr[(r & 15) as usize]
    }
    #[inline(always)]
    fn set_fpr(&mut self, r: u8, v: u64) {
        self.fpr[(r & 15) as usize] = v;
    }
    #[inline(always)]
    fn vector(&mut self, r: u8) -> [u64; 2] {
        self.fpr.0[(r & 31) as usize]
    }
    #[inline(always)]
    fn set_vector(&mut self, r: u8, v: [u64; 2]) {
        self.fpr.0[(r & 31) as usize] = v;
    }
    #[inline(always)]
    fn vector_allowed(&mut self) -> Step<Self> {
        if self.vector_enabled() { Ok(()) } else { Err(Interruption::Data(VECTOR_INSTRUCTION)) }
    }
    #[inline(always)]
    fn ar(&mut self, r: u8) -> u64 {
        self.ar[(r & 15) as usize] as u64
    }
    #[inline(always)]
    fn set_ar(&mut self, r: u8, v: u64) {
        self.ar[(r & 15) as usize] = v as u32;
    }

    #[inline(always)]
    fn add(&mut self, width: Width, a: u64, b: u64) -> u64 {
        low(width, a.wrapping_add(b))
    }
    #[inline(always)]
    fn sub(&mut self, width: Width, a: u64, b: u64) -> u64 {
        low(width, a.wrapping_sub(b))
    }
    #[inline(always)]
    fn mul(&mut self, width: Width, a: u64, b: u64) -> u64 {
        low(width, a.wrapping_mul(b))
    }
    #[inline(always)]
    fn and(&mut self, a: u64, b: u64) -> u64 {
        a & b
    }
    #[inline(always)]
    fn or(&mut self, a: u64, b: u64) -> u64 {
        a | b
    }
    #[inline(always)]
    fn xor(&mut self, a: u64, b: u64) -> u64 {
        a ^ b
    }
    #[inline(always)]
    fn shift_left(&mut self, width: Width, a: u64, amount: u64) -> u64 {
        low(width, a << (amount & 63))
    }
    #[inline(always)]
    fn shift_right(&mut self, width: Width, a: u64, amount: u64) -> u64 {
        low(width, a) >> (amount & 63)
    }
    #[inline(always)]
    fn shift_right_signed(&mut self, width: Width, a: u64, amount: u64) -> u64 {
        low(width, (sign(width, a) >> (amount & 63)) as u64)
    }
    #[inline(always)]
    fn rotate_left(&mut self, width: Width, a: u64, amount: u64) -> u64 {
        match width {
            Width::W32 => (a as u32).rotate_left(amount as u32 & 31) as u64,
            _ => a.rotate_left(amount as u32 & 63),
        }
    }
    #[inline(always)]
    fn sign_extend(&mut self, width: Width, a: u64) -> u64 {
        sign(width, a) as u64
    }
    #[inline(always)]
    fn reverse(&mut self, width: Width, a: u64) -> u64 {
        a.swap_bytes() >> (64 - width.bits())
    }

    #[inline(always)]
    fn equal(&mut self, width: Width, a: u64, b: u64) -> u64 {
        (low(width, a) == low(width, b)) as u64
    }
    #[inline(always)]
    fn less(&mut self, width: Width, a: u64, b: u64) -> u64 {
        (sign(width, a) < sign(width, b)) as u64
    }
    #[inline(always)]
    fn below(&mut self, width: Width, a: u64, b: u64) -> u64 {
        (low(width, a) < low(width, b)) as u64
    }
    #[inline(always)]
    fn cc_in(&mut self, mask: u8) -> u64 {
        (mask << self.cc >> 3 & 1) as u64
    }
    #[inline(always)]
    fn cc(&mut self) -> u64 {
        self.cc as u64
    }
    #[inline(always)]
    fn program_mask(&mut self) -> u64 {
        self.program_mask as u64
    }
    #[inline(always)]
    fn select(&mut self, condition: u64, a: u64, b: u64) -> u64 {
        if condition != 0 { a } else { b }
    }

    #[inline(always)]
    fn address(&mut self, x: u8, b: u8, d: i32) -> At {
        let mut address = d as i64 as u64;
        if x != 0 {
            address = address.wrapping_add(self.gr[(x & 15) as usize]);
        }
        if b != 0 {
            address = address.wrapping_add(self.gr[(b & 15) as usize]);
        }
        At { address: address & self.address_mask, ar: b }
    }
    #[inline(always)]
    fn address_in(&mut self, r: u8) -> At {
        At { address: self.gr[(r & 15) as usize] & self.address_mask, ar: r }
    }
    #[inline(always)]
    fn wrap(&mut self, a: u64) -> u64 {
        a & self.address_mask
    }
    #[inline(always)]
    fn is_64_bit_mode(&mut self) -> bool {
        self.address_mask == u64::MAX
    }
    #[inline(always)]
    fn is_31_bit_mode(&mut self) -> bool {
        self.address_mask == 0x7fff_ffff
    }
    #[inline(always)]
    fn relative(&mut self, i: &Fields) -> At {
        // Operands named relative to the instruction are in the instruction's space; ALET 0 says the same.
        At { address: i.address(self).wrapping_add(i.imm as u64) & self.address_mask, ar: 0 }
    }
    #[inline(always)]
    fn load(&mut self, width: Width, at: At) -> Step<Self, u64> {
        match width {
            Width::W8 => self.load_u8(at).map(u64::from),
            Width::W16 => self.load_u16(at).map(u64::from),
            Width::W32 => self.load_u32(at).map(u64::from),
            Width::W64 => self.load_u64(at),
        }
    }
    #[inline(always)]
    fn store(&mut self, width: Width, at: At, v: u64) -> Step<Self> {
        match width {
            Width::W8 => self.store_u8(at, v as u8),
            Width::W16 => self.store_u16(at, v as u16),
            Width::W32 => self.store_u32(at, v as u32),
            Width::W64 => self.store_u64(at, v),
        }
    }
    #[inline(always)]
    fn load_vector(&mut self, at: At) -> Step<Self, [u64; 2]> {
        self.load_u128(at).map(|v| [(v >> 64) as u64, v as u64])
    }
    #[inline(always)]
    fn store_vector(&mut self, at: At, [left, right]: [u64; 2]) -> Step<Self> {
        self.store_u128(at, u128::from(left) << 64 | u128::from(right))
    }
    #[inline(always)]
    fn update_byte(&mut self, how: Bitwise, at: At, mask: u8) -> Step<Self, u64> {
        if self.shared().alone {
            let new = how.of(self.load_for_update_u8(at)?, mask);
            self.store_u8(at, new)?;
            return Ok(new.into());
        }
        let old = self.update_u8(at, |old| how.of(old, mask))?;
        Ok(how.of(old, mask).into())
    }
    #[inline(always)]
    fn aligned(&mut self, at: At, n: u64) -> Step<Self> {
        if at.address & (n - 1) != 0 { Err(Program::Specification.into()) } else { Ok(()) }
    }

    #[inline(always)]
    fn set_cc(&mut self, cc: Cc<u64>) {
        self.cc = match cc {
            Cc::Set(code) => code,
            Cc::Value(v) => v as u8,
            Cc::Zero { width, value } => (low(width, value) != 0) as u8,
            Cc::Sign { width, value } => order(sign(width, value), 0),
            Cc::Compare { width, a, b } => order(sign(width, a), sign(width, b)),
            Cc::CompareLogical { width, a, b } => order(low(width, a), low(width, b)),
            Cc::Add { width, a, b, sum } => {
                let (a, b, sum) = (sign(width, a), sign(width, b), sign(width, sum));
                if (a ^ sum) & (b ^ sum) < 0 { 3 } else { order(sum, 0) }
            }
            Cc::Subtract { width, a, b, difference } => {
                let (a, b, difference) = (sign(width, a), sign(width, b), sign(width, difference));
                if (a ^ b) & (a ^ difference) < 0 { 3 } else { order(difference, 0) }
            }
            Cc::AddLogical { width, a, sum } => {
                let (a, sum) = (low(width, a), low(width, sum));
                (sum < a) as u8 * 2 + (sum != 0) as u8
            }
            Cc::SubtractLogical { width, a, b, difference } => {
                let (a, b) = (low(width, a), low(width, b));
                (a >= b) as u8 * 2 + (low(width, difference) != 0) as u8
            }
            Cc::TestMask { value, mask } => match value & mask {
                0 => 0,
                all if all == mask => 3,
                _ => 1,
            },
            Cc::TestMaskHalf { value, mask } => match value & mask {
                0 => 0,
                all if all == mask => 3,
                some if some << mask.leading_zeros() >> 63 != 0 => 2,
                _ => 1,
            },
        };
    }
    #[inline(always)]
    fn check_overflow(&mut self) -> Step<Self> {
        if self.cc == 3 && self.program_mask & 8 != 0 { Err(Program::FixedPointOverflow.into()) } else { Ok(()) }
    }
    #[inline(always)]
    fn stop(&mut self, why: Interruption) -> Step<Self> {
        Err(why)
    }

    #[inline(always)]
    fn branch_if(&mut self, i: &Fields, condition: u64, target: u64) {
        if condition != 0 {
            self.jump(i, target);
        }
    }
    #[inline(always)]
    fn jump(&mut self, i: &Fields, target: u64) {
        self.breaking_event = i.address(self);
        self.next_ia = target;
    }
    #[inline(always)]
    fn trace_branch(&mut self, target: u64) -> Step<Self> {
        if self.local & cpu::local::TRACE != 0 { crate::control::record_branch(self, target) } else { Ok(()) }
    }
    #[inline(always)]
    fn next_address(&mut self, i: &Fields) -> u64 {
        self.ia.wrapping_add(i.next as u64) & self.address_mask
    }

    #[inline(always)]
    fn call(&mut self, f: Routine, i: &Fields) -> Step<Self> {
        f(self, i)
    }
    #[inline(always)]
    fn call_if(
        &mut self,
        condition: u64,
        f: Routine,
        i: &Fields,
        otherwise: impl FnOnce(&mut Self) -> Step<Self>,
    ) -> Step<Self> {
        if condition != 0 { f(self, i) } else { otherwise(self) }
    }
}
