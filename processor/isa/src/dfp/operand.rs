//! When decimal operands may be used, and what an instruction finds beside them (POP, chapter 20).

use super::value::{Decimal, Environment, Rounding};
use crate::bfp::operand::{Done, finish, finish_first};
use crate::bfp::value::{Fpc, Outcome};
use crate::prelude::*;

/// The data-exception code of a DFP instruction without the AFP-register control.
const DFP_INSTRUCTION: u8 = 3;

/// The facility that gave rounding modifiers to instructions that did not have them, and the quantum exception.
const FLOATING_POINT_EXTENSION: u32 = 37;

/// A decimal format as registers have it.
pub(crate) trait Operand: Decimal + crate::bfp::operand::Operand {}

impl<T: Decimal + crate::bfp::operand::Operand> Operand for T {}

/// A DFP instruction needs the AFP-register control on.
#[inline(always)]
pub(super) fn dfp_allowed(cpu: &State) -> Done {
    if cpu.afp_enabled() { Ok(()) } else { Err(Interruption::Data(DFP_INSTRUCTION)) }
}

/// A general register that is the first of a pair.
pub(super) fn even(r: u8) -> Done {
    if r & 1 == 0 { Ok(()) } else { Err(Program::Specification.into()) }
}

/// Which instructions always had their modifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifiers {
    /// They came with the decimal-floating-point facility.
    Always,
    /// They came with the floating-point extension, and are ignored without it.
    Extension,
}

/// The environment of an instruction without modifiers.
#[inline(always)]
pub(super) fn current(cpu: &State) -> Environment {
    modified(cpu, 0, 0, Modifiers::Always)
}

/// The environment of an instruction with the rounding modifier `method` and, in bit 1 of its last modifier, XxC.
#[inline(always)]
pub(super) fn modified(cpu: &State, method: u8, xxc: u8, modifiers: Modifiers) -> Environment {
    let fpc = Fpc(cpu.fpc);
    let extension = cpu.has(FLOATING_POINT_EXTENSION);
    let (method, xxc) = if extension || modifiers == Modifiers::Always { (method, xxc) } else { (0, 0) };
    let rounding = Rounding::from_modifier(method, fpc, extension);
    Environment { fpc, rounding, suppress_inexact: xxc & 4 != 0, extension }
}

/// Runs an operation in an environment and keeps the flags.
#[inline(always)]
pub(super) fn within<T>(cpu: &mut State, mut env: Environment, operation: impl FnOnce(&mut Environment) -> T) -> T {
    let result = operation(&mut env);
    cpu.fpc = env.fpc.0;
    result
}

/// Runs an operation in an environment, and puts its result into the register that R1 designates.
#[inline(always)]
pub(super) fn first<D: Operand>(
    cpu: &mut State,
    i: &Fields,
    env: Environment,
    operation: impl FnOnce(&mut Environment) -> Outcome<D>,
) -> Done {
    let result = within(cpu, env, operation);
    finish_first(cpu, i, result)
}

/// As [`first`], and sets the condition code by the result.
#[inline(always)]
pub(super) fn first_with_code<D: Operand>(
    cpu: &mut State,
    i: &Fields,
    env: Environment,
    operation: impl FnOnce(&mut Environment) -> Outcome<D>,
) -> Done {
    let result = within(cpu, env, operation);
    finish(cpu, result, |cpu, value| {
        value.set(cpu, i.r1);
        cpu.cc = super::value::condition(value);
    })
}
