//! A first look at an instruction: what its body will ask of a CPU. It runs the body on a CPU that has no values.
//!
//! The emitter leaves an instruction in its middle by beginning it again on the exact state. So a body that may leave
//! after it has changed something, or that calls a routine among other things, is not for the emitter.

use crate::plan::footprints::Access;
use cpu::{At, Interruption};
use isa::{Bitwise, Cc, Cpu, Fields, Routine, Step, Width};
use std::convert::Infallible;

/// What the body of one instruction did.
#[derive(Default)]
pub(crate) struct Scout {
    /// Bits of the addressing mode, as `State::address_mask`.
    pub address_mask: u64,
    /// Fixed-point overflow interrupts.
    pub overflow: bool,
    changed: bool,
    named_code: bool,
    wants_code: bool,
    leaves: bool,
    /// It must be called.
    pub unfit: bool,
    /// Bases without an index, and displacements, of the addresses made.
    made: Vec<(u8, i32)>,
    pub accesses: Vec<Access>,
    /// General registers that it needs, and those that it sets.
    pub read: u16,
    pub written: u16,
}

impl Scout {
    /// For a program in this addressing mode.
    pub(crate) fn new(address_mask: u64, overflow: bool) -> Scout {
        Scout { address_mask, overflow, ..Scout::default() }
    }
    fn change(&mut self) {
        self.changed = true;
    }
    fn access(&mut self, at: At<()>, len: u32, store: bool) {
        if let Some(&(base, disp)) = self.made.iter().rev().find(|&&(base, _)| base == at.ar) {
            self.accesses.push(Access { base, disp, len: len as i32, store });
        }
    }
    /// It sets the condition code without having looked at it, and is always done to its end.
    pub(crate) fn only_sets_code(&self) -> bool {
        self.named_code && !self.wants_code && !self.leaves && !self.unfit
    }
    fn may_leave(&mut self) {
        self.leaves = true;
        self.unfit |= self.changed | self.named_code;
    }
}

macro_rules! nothing {
    ($(fn $name:ident($($arg:ident: $type:ty),*);)*) => { $(
        fn $name(&mut self $(, _: $type)*) {}
    )* };
}

macro_rules! changes {
    ($(fn $name:ident($($arg:ident: $type:ty),*);)*) => { $(
        fn $name(&mut self $(, _: $type)*) {
            self.change();
        }
    )* };
}

impl Cpu for Scout {
    type Word = ();
    type Stop = Infallible;

    nothing! {
        fn imm(v: u64);
        fn fpr(r: u8);
        fn ar(r: u8);
        fn add(width: Width, a: (), b: ());
        fn sub(width: Width, a: (), b: ());
        fn mul(width: Width, a: (), b: ());
        fn and(a: (), b: ());
        fn or(a: (), b: ());
        fn xor(a: (), b: ());
        fn shift_left(width: Width, a: (), n: ());
        fn shift_right(width: Width, a: (), n: ());
        fn shift_right_signed(width: Width, a: (), n: ());
        fn rotate_left(width: Width, a: (), n: ());
        fn sign_extend(width: Width, a: ());
        fn reverse(width: Width, a: ());
        fn equal(width: Width, a: (), b: ());
        fn less(width: Width, a: (), b: ());
        fn below(width: Width, a: (), b: ());
        fn program_mask();
        fn select(c: (), a: (), b: ());
        fn wrap(a: ());
        fn next_address(i: &Fields);
    }
    changes! {
        fn set_fpr(r: u8, v: ());
        fn set_vector(r: u8, v: [(); 2]);
        fn set_ar(r: u8, v: ());
        fn branch_if(i: &Fields, condition: (), target: ());
        fn jump(i: &Fields, target: ());
    }
    fn cc_in(&mut self, _: u8) {
        self.wants_code = true;
    }
    fn cc(&mut self) {
        self.wants_code = true;
    }
    fn gr(&mut self, _: Width, r: u8) {
        self.read |= 1 << (r & 15);
    }
    fn gr_high(&mut self, r: u8) {
        self.read |= 1 << (r & 15);
    }
    fn set_gr(&mut self, _: Width, r: u8, _: ()) {
        self.written |= 1 << (r & 15);
        self.change();
    }
    fn set_gr_high(&mut self, r: u8, _: ()) {
        self.written |= 1 << (r & 15);
        self.change();
    }
    fn vector(&mut self, _: u8) -> [(); 2] {
        [(); 2]
    }
    fn vector_allowed(&mut self) -> Step<Self> {
        self.may_leave();
        Ok(())
    }
    fn load_vector(&mut self, at: At<()>) -> Step<Self, [(); 2]> {
        self.access(at, 16, false);
        self.may_leave();
        Ok([(); 2])
    }
    fn store_vector(&mut self, at: At<()>, _: [(); 2]) -> Step<Self> {
        self.access(at, 16, true);
        self.leaves = true;
        self.unfit |= self.changed;
        Ok(())
    }
    fn set_cc(&mut self, _: Cc<()>) {
        self.named_code = true;
    }
    fn address(&mut self, x: u8, b: u8, d: i32) -> At<()> {
        for r in [x, b].into_iter().filter(|&r| r != 0) {
            self.read |= 1 << (r & 15);
        }
        if x == 0 && b != 0 {
            self.made.push((b, d));
        }
        At { address: (), ar: b }
    }
    fn address_in(&mut self, r: u8) -> At<()> {
        self.read |= 1 << (r & 15);
        self.made.push((r & 15, 0));
        At { address: (), ar: r }
    }
    fn relative(&mut self, _: &Fields) -> At<()> {
        At { address: (), ar: 0 }
    }
    fn is_64_bit_mode(&mut self) -> bool {
        self.address_mask == u64::MAX
    }
    fn is_31_bit_mode(&mut self) -> bool {
        self.address_mask == 0x7fff_ffff
    }
    fn load(&mut self, width: Width, at: At<()>) -> Step<Self> {
        self.access(at, width.bits() / 8, false);
        self.may_leave();
        Ok(())
    }
    fn store(&mut self, width: Width, at: At<()>, _: ()) -> Step<Self> {
        self.access(at, width.bits() / 8, true);
        self.leaves = true;
        self.unfit |= self.changed;
        Ok(())
    }
    fn update_byte(&mut self, _: Bitwise, at: At<()>, _: u8) -> Step<Self> {
        self.access(at, 1, true);
        self.may_leave();
        Ok(())
    }
    fn aligned(&mut self, _: At<()>, _: u64) -> Step<Self> {
        self.may_leave();
        Ok(())
    }
    fn check_overflow(&mut self) -> Step<Self> {
        self.unfit |= self.overflow;
        Ok(())
    }
    fn stop(&mut self, _: Interruption) -> Step<Self> {
        self.unfit = true;
        Ok(())
    }
    fn call(&mut self, _: Routine, _: &Fields) -> Step<Self> {
        self.unfit = true;
        Ok(())
    }
    fn call_if(
        &mut self,
        _: (),
        _: Routine,
        _: &Fields,
        otherwise: impl FnOnce(&mut Self) -> Step<Self>,
    ) -> Step<Self> {
        self.may_leave();
        otherwise(self)
    }
}
