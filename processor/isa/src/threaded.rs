//! How the interpreter gets from one instruction to the next.
//!
//! A decoded block is a row of [`Op`]s, and each [`Handler`] ends by calling the next one's: a call in the last
//! position, which the compiler makes a jump, so a block runs without coming back to the engine in between. (Where it
//! stays a call, a block's length bounds the depth.)
//!
//! Every body is compiled twice for it. Over [`Fast`] it finds storage operands in the TLB or gives up before anything
//! has changed, so that it needs no calls and no stack; what gave up is done again over [`State`], which can do
//! everything.

use crate::cpu_trait::{Bitwise, Cc, Cpu, Routine, Step, Width};
use crate::fields::Fields;
use cpu::{At, Interruption, State};

/// The interpreter's entry for an instruction: does it, and then those after it in the block. Nothing comes back, so
/// that the call of the next can be a jump: how many instructions were not reached is in `State::left`, and if the last
/// one was left early, why is in `State::failed`.
pub type Handler = fn(&mut State, &Fields, rest: &[Op]);

/// A decoded instruction: what to do, with which operands.
#[derive(Clone, Copy)]
pub struct Op {
    /// What does it.
    pub run: Handler,
    /// Its operand fields.
    pub fields: Fields,
}

/// A CPU whose storage operands have to be in the TLB.
pub(crate) struct Fast<'a> {
    state: &'a mut State,
    /// A routine was called; it may have stored into instructions.
    called: bool,
    /// A branch was taken: what follows it in the block is not executed.
    branched: bool,
}

/// One instruction and what follows it: the fast body, and if that gives up, the exact one.
#[inline(always)]
pub(crate) fn run(
    s: &mut State,
    i: &Fields,
    rest: &[Op],
    fast: impl Fn(&mut Fast, &Fields) -> Result<(), Option<Interruption>>,
    exact: Routine,
) {
    let mut cpu = Fast { state: s, called: false, branched: false };
    match fast(&mut cpu, i) {
        Ok(()) if cpu.branched => s.left = rest.len(),
        Ok(()) => {
            let called = cpu.called;
            go_on(s, rest, called)
        }
        Err(None) => again(s, i, rest, exact),
        Err(Some(why)) => leave(s, rest, why),
    }
}

/// One instruction by itself: under EXECUTE, in single steps, in tests.
pub fn perform(run: Handler, s: &mut State, i: &Fields) -> Result<(), Interruption> {
    run(s, i, &[]);
    s.failed.take().map_or(Ok(()), Err)
}

/// The next instruction of the block, unless this one may have changed it.
#[inline(always)]
pub(crate) fn go_on(s: &mut State, rest: &[Op], called: bool) {
    match rest.split_first() {
        Some((next, rest)) if !called || !s.block_stale => (next.run)(s, &next.fields, rest),
        _ => s.left = rest.len(),
    }
}

/// The instruction again from its beginning, with everything that can be the matter. Branches on a condition, the only
/// ones that others may follow in a block, have no operand in storage and never come here.
#[cold]
#[inline(never)]
fn again(s: &mut State, i: &Fields, rest: &[Op], exact: Routine) {
    match exact(s, i) {
        Ok(()) => go_on(s, rest, true),
        Err(why) => leave(s, rest, why),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn leave(s: &mut State, rest: &[Op], why: Interruption) {
    s.left = rest.len();
    s.failed = Some(why);
}

/// Has the compiler branch to what hardly ever happens, rather than compute with it.
#[cold]
#[inline(never)]
fn rare(why: Interruption) -> Option<Interruption> {
    Some(why)
}

/// What is the same for both.
macro_rules! as_state {
    ($(fn $name:ident(&mut self $(, $arg:ident: $type:ty)*) $(-> $result:ty)?;)*) => { $(
        #[inline(always)]
        fn $name(&mut self $(, $arg: $type)*) $(-> $result)? {
            Cpu::$name(&mut *self.state $(, $arg)*)
        }
    )* };
}

impl Cpu for Fast<'_> {
    type Word = u64;
    /// `None`: a storage operand is not in the TLB.
    type Stop = Option<Interruption>;

    as_state! {
        fn imm(&mut self, v: u64) -> u64;
        fn gr(&mut self, width: Width, r: u8) -> u64;
        fn set_gr(&mut self, width: Width, r: u8, v: u64);
        fn gr_high(&mut self, r: u8) -> u64;
        fn set_gr_high(&mut self, r: u8, v: u64);
        fn fpr(&mut self, r: u8) -> u64;
        fn set_fpr(&mut self, r: u8, v: u64);
        fn vector(&mut self, r: u8) -> [u64; 2];
        fn set_vector(&mut self, r: u8, v: [u64; 2]);
        fn ar(&mut self, r: u8) -> u64;
        fn set_ar(&mut self, r: u8, v: u64);
        fn add(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn sub(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn mul(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn and(&mut self, a: u64, b: u64) -> u64;
        fn or(&mut self, a: u64, b: u64) -> u64;
        fn xor(&mut self, a: u64, b: u64) -> u64;
        fn shift_left(&mut self, width: Width, a: u64, amount: u64) -> u64;
        fn shift_right(&mut self, width: Width, a: u64, amount: u64) -> u64;
        fn shift_right_signed(&mut self, width: Width, a: u64, amount: u64) -> u64;
        fn rotate_left(&mut self, width: Width, a: u64, amount: u64) -> u64;
        fn sign_extend(&mut self, width: Width, a: u64) -> u64;
        fn reverse(&mut self, width: Width, a: u64) -> u64;
        fn equal(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn less(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn below(&mut self, width: Width, a: u64, b: u64) -> u64;
        fn cc_in(&mut self, mask: u8) -> u64;
        fn cc(&mut self) -> u64;
        fn program_mask(&mut self) -> u64;
        fn select(&mut self, condition: u64, a: u64, b: u64) -> u64;
        fn address(&mut self, x: u8, b: u8, d: i32) -> At;
        fn address_in(&mut self, r: u8) -> At;
        fn wrap(&mut self, a: u64) -> u64;
        fn is_64_bit_mode(&mut self) -> bool;
        fn is_31_bit_mode(&mut self) -> bool;
        fn relative(&mut self, i: &Fields) -> At;
        fn set_cc(&mut self, cc: Cc<u64>);
        fn next_address(&mut self, i: &Fields) -> u64;
    }

    #[inline(always)]
    fn branch_if(&mut self, i: &Fields, condition: u64, target: u64) {
        if condition != 0 {
            self.jump(i, target);
        }
    }
    #[inline(always)]
    fn jump(&mut self, i: &Fields, target: u64) {
        self.state.jump(i, target);
        self.branched = true;
    }
    #[inline(always)]
    fn trace_branch(&mut self, _: u64) -> Step<Self> {
        // The exact body makes the entry.
        if self.state.local & cpu::local::TRACE != 0 { Err(None) } else { Ok(()) }
    }
    #[inline(always)]
    fn load(&mut self, width: Width, at: At) -> Step<Self, u64> {
        match width {
            Width::W8 => self.state.find_u8(at).map(u64::from),
            Width::W16 => self.state.find_u16(at).map(u64::from),
            Width::W32 => self.state.find_u32(at).map(u64::from),
            Width::W64 => self.state.find_u64(at),
        }
        .ok_or(None)
    }
    #[inline(always)]
    fn store(&mut self, width: Width, at: At, v: u64) -> Step<Self> {
        match width {
            Width::W8 => self.state.put_u8(at, v as u8),
            Width::W16 => self.state.put_u16(at, v as u16),
            Width::W32 => self.state.put_u32(at, v as u32),
            Width::W64 => self.state.put_u64(at, v),
        }
        .ok_or(None)
    }
    #[inline(always)]
    fn vector_allowed(&mut self) -> Step<Self> {
        if self.state.vector_enabled() { Ok(()) } else { Err(None) }
    }
    #[inline(always)]
    fn load_vector(&mut self, at: At) -> Step<Self, [u64; 2]> {
        self.state.find_u128(at).map(|v| [(v >> 64) as u64, v as u64]).ok_or(None)
    }
    #[inline(always)]
    fn store_vector(&mut self, at: At, [left, right]: [u64; 2]) -> Step<Self> {
        self.state.put_u128(at, u128::from(left) << 64 | u128::from(right)).ok_or(None)
    }
    #[inline(always)]
    fn update_byte(&mut self, how: Bitwise, at: At, mask: u8) -> Step<Self, u64> {
        if !self.state.shared().alone {
            // The exact body locks others out.
            return Err(None);
        }
        let new = how.of(self.state.find_for_update_u8(at).ok_or(None)?, mask);
        self.state.put_u8(at, new).ok_or(None)?;
        Ok(new.into())
    }
    #[inline(always)]
    fn aligned(&mut self, at: At, n: u64) -> Step<Self> {
        // The exact body says what is the matter.
        if at.address & (n - 1) != 0 { Err(None) } else { Ok(()) }
    }
    #[inline(always)]
    fn check_overflow(&mut self) -> Step<Self> {
        match self.state.check_overflow() {
            Ok(()) => Ok(()),
            Err(why) => Err(rare(why)),
        }
    }
    #[inline(always)]
    fn stop(&mut self, why: Interruption) -> Step<Self> {
        Err(Some(why))
    }
    #[inline(always)]
    fn call(&mut self, f: Routine, i: &Fields) -> Step<Self> {
        self.called = true;
        f(self.state, i).map_err(Some)
    }
    #[inline(always)]
    fn call_if(
        &mut self,
        condition: u64,
        f: Routine,
        i: &Fields,
        otherwise: impl FnOnce(&mut Self) -> Step<Self>,
    ) -> Step<Self> {
        if condition != 0 { self.call(f, i) } else { otherwise(self) }
    }
}
