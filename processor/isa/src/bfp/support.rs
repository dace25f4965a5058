//! The floating-point support instructions (POP, chapter 9): moving numbers without looking at them, signs, and the
//! floating-point-control register.

use super::operand::{Done, Operand, bfp_allowed, register_allowed};
use super::value::Fpc;
use crate::prelude::*;

/// LER, LDR, LXR. LOAD from a register.
pub(crate) fn load_register<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    register_allowed(cpu, i.r2)?;
    B::check(i.r1)?;
    B::check(i.r2)?;
    B::get(cpu, i.r2).set(cpu, i.r1);
    Ok(())
}

/// LE, LEY, LD, LDY. LOAD from storage.
pub(crate) fn load<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    B::fetch(cpu, i)?.set(cpu, i.r1);
    Ok(())
}

/// STE, STEY. STORE a short number.
pub(crate) fn store_short(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    let at = cpu.address(i.x2, i.b2, i.d2);
    cpu.store_u32(at, u32::get(cpu, i.r1))
}

/// STD, STDY. STORE a long number.
pub(crate) fn store_long(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    let at = cpu.address(i.x2, i.b2, i.d2);
    cpu.store_u64(at, u64::get(cpu, i.r1))
}

/// LZER, LZDR, LZXR. LOAD ZERO, plus zero.
pub(crate) fn load_zero<B: Operand>(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    B::check(i.r1)?;
    B::zero(false).set(cpu, i.r1);
    Ok(())
}

/// LGDR. LOAD GR FROM FPR.
pub(crate) fn load_gr_from_fpr(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r2)?;
    cpu.gr[(i.r1 & 15) as usize] = cpu.fpr[(i.r2 & 15) as usize];
    Ok(())
}

/// LDGR. LOAD FPR FROM GR.
pub(crate) fn load_fpr_from_gr(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r1)?;
    cpu.fpr[(i.r1 & 15) as usize] = cpu.gr[(i.r2 & 15) as usize];
    Ok(())
}

const SIGN: u64 = 1 << 63;

#[inline(always)]
fn sign(cpu: &mut State, i: &Fields, change: impl FnOnce(u64) -> u64) -> Done {
    register_allowed(cpu, i.r1)?;
    register_allowed(cpu, i.r2)?;
    change(u64::get(cpu, i.r2)).set(cpu, i.r1);
    Ok(())
}

/// LPDFR. LOAD POSITIVE, the condition code unchanged.
pub(crate) fn load_positive(cpu: &mut State, i: &Fields) -> Done {
    sign(cpu, i, |number| number & !SIGN)
}

/// LNDFR. LOAD NEGATIVE, the condition code unchanged.
pub(crate) fn load_negative(cpu: &mut State, i: &Fields) -> Done {
    sign(cpu, i, |number| number | SIGN)
}

/// LCDFR. LOAD COMPLEMENT, the condition code unchanged.
pub(crate) fn load_complement(cpu: &mut State, i: &Fields) -> Done {
    sign(cpu, i, |number| number ^ SIGN)
}

/// CPSDR. COPY SIGN: the second operand with the sign of the third.
pub(crate) fn copy_sign(cpu: &mut State, i: &Fields) -> Done {
    register_allowed(cpu, i.r3)?;
    let from = u64::get(cpu, i.r3) & SIGN;
    sign(cpu, i, |number| number & !SIGN | from)
}

/// EFPC. EXTRACT FPC.
pub(crate) fn extract_fpc(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    cpu.set_gr(W32, i.r1, cpu.fpc.into());
    Ok(())
}

/// STFPC. STORE FPC.
pub(crate) fn store_fpc(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    let at = cpu.address(0, i.b2, i.d2);
    cpu.store_u32(at, cpu.fpc)
}

/// What is loaded into the FPC, unless it has an unassigned bit or rounding mode.
fn valid(fpc: u32) -> Result<u32, Interruption> {
    if Fpc(fpc).is_valid() { Ok(fpc) } else { Err(Program::Specification.into()) }
}

/// SFPC. SET FPC.
pub(crate) fn set_fpc(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    cpu.fpc = valid(cpu.gr[(i.r1 & 15) as usize] as u32)?;
    Ok(())
}

/// LFPC. LOAD FPC.
pub(crate) fn load_fpc(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    let at = cpu.address(0, i.b2, i.d2);
    cpu.fpc = valid(cpu.load_u32(at)?)?;
    Ok(())
}

/// Loads the FPC, keeps the flags that were on, and simulates the exception which one of these is, if the new masks
/// enable it.
fn signal(cpu: &mut State, new: u32) -> Done {
    let new = valid(new)?;
    let old = cpu.fpc;
    cpu.fpc = new | old & 0x00ff_0000;
    match simulated(old & new >> 8, old) {
        Some(dxc) => Err(Interruption::Data(dxc)),
        None => Ok(()),
    }
}

/// The data-exception code of a simulated IEEE exception: the most serious of the enabled ones (POP, chapter 9, *LOAD
/// FPC AND SIGNAL*).
fn simulated(enabled: u32, flags: u32) -> Option<u8> {
    let inexact = if flags & Fpc::INEXACT != 0 { 0x08 } else { 0 };
    [
        (Fpc::INVALID, 0x83),
        (Fpc::DIVISION_BY_ZERO, 0x43),
        (Fpc::OVERFLOW, 0x23 | inexact),
        (Fpc::UNDERFLOW, 0x13 | inexact),
        (Fpc::INEXACT, 0x0b),
        (Fpc::QUANTUM, 0x07),
    ]
    .into_iter()
    .find(|(flag, _)| enabled & flag != 0)
    .map(|(_, dxc)| dxc)
}

/// SFASR. SET FPC AND SIGNAL.
pub(crate) fn set_fpc_and_signal(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    signal(cpu, cpu.gr[(i.r1 & 15) as usize] as u32)
}

/// LFAS. LOAD FPC AND SIGNAL.
pub(crate) fn load_fpc_and_signal(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    let at = cpu.address(0, i.b2, i.d2);
    let new = cpu.load_u32(at)?;
    signal(cpu, new)
}

/// SRNM. SET BFP ROUNDING MODE from the two low bits of the second-operand address.
pub(crate) fn set_rounding_mode_2(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    let address = cpu.address(0, i.b2, i.d2).address;
    cpu.fpc = cpu.fpc & !7 | address as u32 & 3;
    Ok(())
}

/// SRNMB. SET BFP ROUNDING MODE from the eight low bits of the second-operand address.
pub(crate) fn set_rounding_mode_3(cpu: &mut State, i: &Fields) -> Done {
    bfp_allowed(cpu)?;
    let mode = cpu.address(0, i.b2, i.d2).address as u32 & 0xff;
    if mode > 7 {
        return Err(Program::Specification.into());
    }
    cpu.fpc = valid(cpu.fpc & !7 | mode)?;
    Ok(())
}

/// SRNMT. SET DFP ROUNDING MODE.
pub(crate) fn set_decimal_rounding_mode(cpu: &mut State, i: &Fields) -> Done {
    const DFP_INSTRUCTION: u8 = 3;
    if !cpu.afp_enabled() {
        return Err(Interruption::Data(DFP_INSTRUCTION));
    }
    let mode = cpu.address(0, i.b2, i.d2).address as u32 & 7;
    cpu.fpc = cpu.fpc & !0x70 | mode << 4;
    Ok(())
}
