//! The CPU-measurement facilities: counters that count, sampling that no program is authorized for, and
//! processor-activity instrumentation without counters.

use super::privileged_operand;
use crate::prelude::*;
use arch::measurement::{CounterInformation, SamplingInformation};
use base::layout::U64;
use cpu::{CYCLES_PER_MICROSECOND, CounterSet, Counters, cr0};
use zerocopy::IntoBytes;

/// QCTRI: what counters there are. Version 1 of the first sets' layout, version 2 of the others'.
pub(crate) fn query_counter_information(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let mut block = CounterInformation::default();
    block.first_version = 1.into();
    block.second_version = 2.into();
    block.authorized = Counters::AUTHORIZED.into();
    block.enabled = s.counters.enabled.into();
    block.active = s.counters.active().into();
    s.write_bytes(at, block.as_bytes())?;
    s.cc = 0;
    Ok(())
}

/// LCCTL: enable controls in bits 32-47 of the operand, activation controls in bits 48-63. CC 3: a set is not
/// authorized, and nothing changed.
pub(crate) fn load_counter_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let controls = s.load_u64(at)?;
    if controls >> 32 != 0 {
        return Err(Program::Specification.into());
    }
    let (enabled, active) = ((controls >> 16) as u16, controls as u16);
    if (enabled | active) & !Counters::AUTHORIZED != 0 {
        s.cc = 3;
        return Ok(());
    }
    s.set_counter_controls(enabled, active);
    s.cc = 0;
    Ok(())
}

/// LPCTL: no peripheral counter is authorized. CC 3 if one is asked for.
pub(crate) fn load_peripheral_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.cc = if s.load_u64(at)? == 0 { 0 } else { 3 };
    Ok(())
}

/// ECCTR: the counter whose number is in R2, into R1. In the problem state only if control register 0 allows it. CC 3:
/// there is no such counter, or its set is not enabled.
pub(crate) fn extract_cpu_counter(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.problem_state() && s.cr[0] & cr0::COUNTER_EXTRACTION == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    match s.counter(s.gr[i.r2 as usize]) {
        Some(v) => {
            s.gr[i.r1 as usize] = v;
            s.cc = 0;
        }
        None => s.cc = 3,
    }
    Ok(())
}

/// SCCTR: R1 into the counter whose number is in R2. CC as ECCTR.
pub(crate) fn set_cpu_counter(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.cc = if s.set_counter(s.gr[i.r2 as usize], s.gr[i.r1 as usize]) { 0 } else { 3 };
    Ok(())
}

/// EPCTR, SPCTR, ECPGA: there are no peripheral counters and no coprocessor groups.
pub(crate) fn no_peripheral_counter(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.cc = 3;
    Ok(())
}

/// STCCTM: as many counters as R1 says, from the beginning of the set that M3 names (1 basic, 2 problem state). CC: 0
/// they are stored, 1 the set has fewer, 3 the set is not enabled.
pub(crate) fn store_cpu_counter_multiple(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let set = match i.m3 {
        1 => CounterSet::Basic,
        2 => CounterSet::ProblemState,
        _ => {
            s.cc = 3;
            return Ok(());
        }
    };
    if s.counters.enabled & set.control() == 0 {
        s.cc = 3;
        return Ok(());
    }
    let wanted = s.gr[i.r1 as usize];
    let count = wanted.min(CounterSet::COUNTERS);
    let counters: [U64; CounterSet::COUNTERS as usize] =
        std::array::from_fn(|n| s.counter(set.first() + n as u64).unwrap_or(0).into());
    s.write_bytes(at, counters[..count as usize].as_bytes())?;
    s.cc = (wanted > count) as u8;
    Ok(())
}

/// QSI: sampling is there, and not authorized.
pub(crate) fn query_sampling_information(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let mut block = SamplingInformation::default();
    block.basic_entry = 32.into();
    block.speed = (CYCLES_PER_MICROSECOND as u32).into();
    s.write_bytes(at, block.as_bytes())?;
    s.cc = 0;
    Ok(())
}

/// LSCTL: CC 0 if sampling is to stay off, 3 as it is not authorized.
pub(crate) fn load_sampling_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let mut block = [0; 64];
    s.read_bytes(at, &mut block)?;
    // Enable and activation controls of basic and diagnostic sampling: bits 54, 55, 62 and 63.
    s.cc = if block[6] & 3 | block[7] & 3 == 0 { 0 } else { 3 };
    Ok(())
}

/// QPACI: two doublewords say how many processor-activity counters of which kind there are: none. Bits 56-63 of
/// register 0 are one less than the doublewords of the operand, and become one less than those of the block. CC 3: it
/// did not fit.
pub(crate) fn query_processor_activity_counters(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let room = 8 * (s.gr[0] as u8 as usize + 1);
    s.write_bytes(at, &[0; 16][..room.min(16)])?;
    s.gr[0] = s.gr[0] & !0xff | 1;
    s.cc = if room >= 16 { 0 } else { 3 };
    Ok(())
}
