//! The TOD clock, the clock comparator and the CPU timer.

use super::privileged_operand;
use crate::prelude::*;
use arch::timing::TodOffset;
use std::sync::atomic::Ordering::SeqCst;
use zerocopy::IntoBytes;

/// SCK. CC 0: the clock is set.
pub(crate) fn set_clock(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let value = s.load_u64(at)?;
    let host = s.host_now().0;
    s.shared().tod_offset.store(value.wrapping_sub(host), SeqCst);
    s.timers_changed();
    s.cc = 0;
    Ok(())
}

/// SCKPF: bits 48-63 of general register 0; bits 32-47 must be zero.
pub(crate) fn set_clock_programmable_field(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    if s.gr[0] & 0xffff_0000 != 0 {
        return Err(Program::Specification.into());
    }
    s.tod_programmable = s.gr[0] as u16 as u32;
    Ok(())
}

/// SCKC.
pub(crate) fn set_clock_comparator(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let value = s.load_u64(at)?;
    s.set_clock_comparator(value);
    Ok(())
}

/// STCKC.
pub(crate) fn store_clock_comparator(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.store_u64(at, s.clock_comparator)
}

/// SPT.
pub(crate) fn set_cpu_timer(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let value = s.load_u64(at)?;
    s.set_cpu_timer(value);
    Ok(())
}

/// STPT.
pub(crate) fn store_cpu_timer(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let value = s.cpu_timer();
    s.store_u64(at, value)
}

/// PTFF: the query functions that need no steering. CC 3: the function is not installed.
pub(crate) fn perform_timing_facility_function(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    const QUERY_AVAILABLE: u64 = 0;
    const QUERY_OFFSET: u64 = 1;
    if s.gr[0] & 0x80 != 0 {
        return Err(Program::Specification.into());
    }
    // The control functions are privileged.
    if s.gr[0] & 0x40 != 0 {
        s.supervisor_only()?;
    }
    let at = Cpu::address_in(s, 1);
    let function = s.gr[0] & 0x7f;
    s.cc = match function {
        QUERY_AVAILABLE => {
            let mut installed = [0; 16];
            installed[0] = 0xc0;
            s.write_bytes(at, &installed)?;
            0
        }
        QUERY_OFFSET => {
            let offset = s.shared().tod_offset.load(SeqCst).into();
            let physical_clock = s.host_now().0.into();
            let block = TodOffset { physical_clock, offset, logical_offset: offset, epoch_difference: offset };
            s.write_bytes(at, block.as_bytes())?;
            0
        }
        _ => 3,
    };
    Ok(())
}
