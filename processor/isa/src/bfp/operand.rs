//! Where floating-point operands are, when they may be used, and where results go (POP, chapter 9, "Registers and
//! Controls").

use super::value::{Binary, Fpc, Outcome, Trap, condition};
use crate::prelude::*;
use cpu::Architecture;

/// Data-exception codes of the AFP-register control.
const AFP_REGISTER: u8 = 1;
const BFP_INSTRUCTION: u8 = 2;

/// What routines return.
pub(crate) type Done = Result<(), Interruption>;

/// A BFP instruction, or one that touches the FPC, needs the AFP-register control on.
#[inline(always)]
pub(super) fn bfp_allowed(cpu: &State) -> Done {
    if cpu.afp_enabled() { Ok(()) } else { Err(Interruption::Data(BFP_INSTRUCTION)) }
}

/// Registers 0, 2, 4 and 6 are always there, the others with the AFP-register control; System/370 has none.
#[inline(always)]
pub(crate) fn register_allowed(cpu: &State, r: u8) -> Done {
    if r & !6 == 0 || cpu.afp_enabled() { Ok(()) } else { Err(no_register(cpu)) }
}

#[cold]
fn no_register(cpu: &State) -> Interruption {
    if cpu.architecture() == Architecture::S370 {
        Program::Specification.into()
    } else {
        Interruption::Data(AFP_REGISTER)
    }
}

/// A format as operands have it.
pub(crate) trait Operand: Binary {
    /// Whether the register can hold the format: extended numbers need a pair.
    fn check(r: u8) -> Done;
    fn get(cpu: &State, r: u8) -> Self;
    /// Replaces the number; in a register, what lies to the right of it stays.
    fn set(self, cpu: &mut State, r: u8);
    /// The second operand in storage.
    fn fetch(cpu: &mut State, i: &Fields) -> Result<Self, Interruption>;
}

impl Operand for u32 {
    #[inline(always)]
    fn check(_: u8) -> Done {
        Ok(())
    }
    #[inline(always)]
    fn get(cpu: &State, r: u8) -> u32 {
        (cpu.fpr[(r & 15) as usize] >> 32) as u32
    }
    #[inline(always)]
    fn set(self, cpu: &mut State, r: u8) {
        let register = &mut cpu.fpr[(r & 15) as usize];
        *register = u64::from(self) << 32 | *register & 0xffff_ffff;
    }
    #[inline(always)]
    fn fetch(cpu: &mut State, i: &Fields) -> Result<u32, Interruption> {
        let at = cpu.address(i.x2, i.b2, i.d2);
        cpu.load_u32(at)
    }
}

impl Operand for u64 {
    #[inline(always)]
    fn check(_: u8) -> Done {
        Ok(())
    }
    #[inline(always)]
    fn get(cpu: &State, r: u8) -> u64 {
        cpu.fpr[(r & 15) as usize]
    }
    #[inline(always)]
    fn set(self, cpu: &mut State, r: u8) {
        cpu.fpr[(r & 15) as usize] = self;
    }
    #[inline(always)]
    fn fetch(cpu: &mut State, i: &Fields) -> Result<u64, Interruption> {
        let at = cpu.address(i.x2, i.b2, i.d2);
        cpu.load_u64(at)
    }
}

impl Operand for u128 {
    #[inline(always)]
    fn check(r: u8) -> Done {
        if r & 2 == 0 { Ok(()) } else { Err(Program::Specification.into()) }
    }
    #[inline(always)]
    fn get(cpu: &State, r: u8) -> u128 {
        u128::from(cpu.fpr[(r & 13) as usize]) << 64 | u128::from(cpu.fpr[(r & 13 | 2) as usize])
    }
    #[inline(always)]
    fn set(self, cpu: &mut State, r: u8) {
        cpu.fpr[(r & 13) as usize] = (self >> 64) as u64;
        cpu.fpr[(r & 13 | 2) as usize] = self as u64;
    }
    fn fetch(cpu: &mut State, i: &Fields) -> Result<u128, Interruption> {
        // No instruction has an extended operand in storage; two doublewords is what one would be.
        let at = cpu.address(i.x2, i.b2, i.d2);
        let high = cpu.load_u64(at)?;
        let address = cpu.wrap(at.address.wrapping_add(8));
        Ok(u128::from(high) << 64 | u128::from(cpu.load_u64(At { address, ar: at.ar })?))
    }
}

/// Where the second operand is.
pub(crate) trait Source {
    const IN_REGISTER: bool;
    fn second<B: Operand>(cpu: &mut State, i: &Fields) -> Result<B, Interruption>;
}

/// In the register that R2 designates.
pub(crate) struct Register;

/// At the second-operand address.
pub(crate) struct Storage;

impl Source for Register {
    const IN_REGISTER: bool = true;
    #[inline(always)]
    fn second<B: Operand>(cpu: &mut State, i: &Fields) -> Result<B, Interruption> {
        B::check(i.r2)?;
        Ok(B::get(cpu, i.r2))
    }
}

impl Source for Storage {
    const IN_REGISTER: bool = false;
    #[inline(always)]
    fn second<B: Operand>(cpu: &mut State, i: &Fields) -> Result<B, Interruption> {
        B::fetch(cpu, i)
    }
}

/// Runs an operation on values with the FPC, which it may flag.
#[inline(always)]
pub(super) fn with_fpc<T>(cpu: &mut State, operation: impl FnOnce(&mut Fpc) -> T) -> T {
    let mut fpc = Fpc(cpu.fpc);
    let result = operation(&mut fpc);
    cpu.fpc = fpc.0;
    result
}

/// Applies a result, or takes the interruption that an enabled exception is: before anything changes, or after.
#[inline(always)]
pub(crate) fn finish<T>(cpu: &mut State, outcome: Outcome<T>, put: impl FnOnce(&mut State, T)) -> Done {
    match outcome {
        Ok(value) => {
            put(cpu, value);
            Ok(())
        }
        Err(Trap::Suppress(dxc)) => Err(Interruption::Data(dxc)),
        Err(Trap::Complete(value, dxc)) => {
            put(cpu, value);
            Err(Interruption::Data(dxc))
        }
    }
}

/// Puts a result into the register that R1 designates.
#[inline(always)]
pub(crate) fn finish_first<B: Operand>(cpu: &mut State, i: &Fields, outcome: Outcome<B>) -> Done {
    finish(cpu, outcome, |cpu, value| value.set(cpu, i.r1))
}

/// As [`finish_first`], and sets the condition code by the result.
#[inline(always)]
pub(super) fn finish_with_cc<B: Operand>(cpu: &mut State, i: &Fields, outcome: Outcome<B>) -> Done {
    finish(cpu, outcome, |cpu, value| {
        value.set(cpu, i.r1);
        cpu.cc = condition(value);
    })
}
