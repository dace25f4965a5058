//! The machine around the CPU: identification, signaling, DIAGNOSE, SERVICE CALL.

use super::privileged_operand;
use crate::prelude::*;
use arch::interpretation::StateDescription;
use arch::{Absolute, lowcore};

/// STIDP.
pub(crate) fn store_cpu_id(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let id = s.shared().cpu_id;
    s.store_u64(at, id)
}

/// STAP.
pub(crate) fn store_cpu_address(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 2)?;
    s.store_u16(at, s.address)
}

/// STFL: the first word of the facility list, at its assigned location.
pub(crate) fn store_facility_list(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let list = (s.facilities().0[0] >> 32) as u32;
    s.store_real_u32(lowcore::z::FACILITIES, list);
    Ok(())
}

/// STSI.
pub(crate) fn store_system_information(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, 0, i.b2, i.d2);
    s.intercept(Intercepted::StoreSystemInformation(at))
}

/// SIGP.
pub(crate) fn signal_processor(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let order = Cpu::address(s, 0, i.b2, i.d2).address as u8;
    s.intercept(Intercepted::SignalProcessor { r1: i.r1, r3: i.r3, order })
}

/// DIAG.
pub(crate) fn diagnose(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let code = Cpu::address(s, 0, i.b2, i.d2).address as u16;
    s.intercept(Intercepted::Diagnose { r1: i.r1, r3: i.r3, code })
}

/// SERVC.
pub(crate) fn service_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.intercept(Intercepted::ServiceCall { r1: i.r1, r2: i.r2 })
}

/// SIE: the state description is at an absolute address.
pub(crate) fn start_interpretive_execution(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Absolute(Cpu::address(s, 0, i.b2, i.d2).address);
    if at.0 % StateDescription::SIZE as u64 != 0 {
        return Err(Program::Specification.into());
    }
    if s.storage().key(at).is_err() {
        return Err(Program::Addressing.into());
    }
    s.intercept(Intercepted::StartInterpretiveExecution(at))
}

/// IUCV: CP's own operation code; a program in the problem state has no such instruction.
pub(crate) fn iucv(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    if s.problem_state() {
        return Err(Program::Operation.into());
    }
    s.intercept(Intercepted::Iucv)
}

/// LPP: there is no sampling, so the program parameter is fetched and not used.
pub(crate) fn load_program_parameter(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.load_u64(at).map(drop)
}
