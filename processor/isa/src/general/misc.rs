//! Control of the program's own state, clocks, and what fits nowhere else in POP chapter 7.

use super::registers::{pair, set_length};
use crate::prelude::*;
use arch::timing::ExtendedClock;
use base::layout::{U32, U64};
use zerocopy::IntoBytes;

/// SPM: condition code and program mask from bits 34-39 of a register.
pub(crate) fn set_program_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let v = s.gr[i.r1 as usize] >> 24;
    s.cc = (v >> 4 & 3) as u8;
    s.program_mask = (v & 15) as u8;
    Ok(())
}

/// IPM: the opposite of SPM.
pub(crate) fn insert_program_mask<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (code, mask, four) = (cpu.cc(), cpu.program_mask(), cpu.imm(4));
    let code = cpu.shift_left(W32, code, four);
    let byte = cpu.or(code, mask);
    let place = cpu.imm(24);
    let byte = cpu.shift_left(W32, byte, place);
    let (old, rest) = (cpu.gr(W32, i.r1), cpu.imm(0x00ff_ffff));
    let rest = cpu.and(old, rest);
    let word = cpu.or(rest, byte);
    cpu.set_gr(W32, i.r1, word);
    Ok(())
}

/// SVC: the interruption happens here, so that it costs no more than a branch.
pub(crate) fn supervisor_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.ia = s.next_address(i);
    s.svc_interruption(i.imm as u8, i.len)
}

/// MC: a monitor event if the class is enabled in control register 8.
pub(crate) fn monitor_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if i.imm & 0xf0 != 0 {
        return Err(Program::Specification.into());
    }
    let code = s.address(0, i.b1, i.d1).address;
    let class = i.imm as u8;
    if s.cr[8] as u16 & 0x8000 >> class == 0 {
        return Ok(());
    }
    s.monitor_class = class;
    s.monitor_code = code;
    Err(Program::MonitorEvent.into())
}

/// STCK, STCKF. CC 0: the clock is running.
pub(crate) fn store_clock(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let tod = s.tod();
    s.store_u64(at, tod)?;
    s.cc = 0;
    Ok(())
}

/// STCKE: the epoch index, the clock, and the programmable field. Bits to the right of what STCK shows are never all
/// zero, and differ between CPUs.
pub(crate) fn store_clock_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let mut clock = ExtendedClock::default();
    clock.tod = s.tod().into();
    clock.distinct = (s.address + 1).into();
    clock.programmable = (s.tod_programmable as u16).into();
    s.write_bytes(at, clock.as_bytes())?;
    s.cc = 0;
    Ok(())
}

/// STFLE: as many doublewords of the facility list as bits 56-63 of register 0 ask for. CC: 0 all of it, 3 there is
/// more; register 0 says how many there are.
pub(crate) fn store_facility_list_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    s.aligned(at, 8)?;
    let list = s.facilities().0;
    let there = list.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
    let want = s.gr[0] as u8 as usize + 1;
    s.write_bytes(at, list.map(U64::new)[..want.min(there)].as_bytes())?;
    s.set_gr(W8, 0, there as u64 - 1);
    s.cc = if want >= there { 0 } else { 3 };
    Ok(())
}

/// ECAG: what there is of caches. Level 1 has a data and an instruction cache of each CPU, level 2 one for both.
pub(crate) fn extract_cpu_attribute(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let what = s.address(0, i.b2, i.d2).address;
    let (attribute, level, instructions) = (what >> 4 & 15, what >> 1 & 7, what & 1);
    s.gr[i.r1 as usize] = match (attribute, level) {
        _ if what & 0x00ff_ff00 != 0 => u64::MAX,
        // A byte for each level: private, with separate caches; private, one cache.
        (0, _) => 0x0407_0000_0000_0000,
        (1, 0 | 1) => 256,
        (2, 0) => {
            if instructions == 1 {
                64 << 10
            } else {
                128 << 10
            }
        }
        (2, 1) => 1 << 20,
        (3, 0 | 1) => 8,
        _ => u64::MAX,
    };
    Ok(())
}

/// ECTG: how long this task ran. The first operand less the CPU timer, and the second operand, go to registers 0 and
/// 1; the third operand's doubleword to R3.
pub(crate) fn extract_cpu_time(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let first = s.address(0, i.b1, i.d1);
    let second = s.address(0, i.b2, i.d2);
    let third = s.address_in(i.r3);
    let a = s.load_u64(first)?;
    let b = s.load_u64(second)?;
    let c = s.load_u64(third)?;
    let timer = s.cpu_timer();
    s.gr[0] = a.wrapping_sub(timer);
    s.gr[1] = b;
    s.gr[i.r3 as usize] = c;
    Ok(())
}

/// LAE, LAEY: an address with its space.
pub(crate) fn load_address_extended(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let address = s.address(i.x2, i.b2, i.d2).address;
    let alet = match s.psw_mask() >> 46 & 3 {
        0 => 0,
        1 if i.b2 == 0 => 0,
        1 => s.ar[i.b2 as usize],
        2 => 1,
        _ => 2,
    };
    set_length(s, i.r1, address);
    s.ar[i.r1 as usize] = alet;
    Ok(())
}

/// TAM: the addressing mode as a condition code: 0 24 bits, 1 31 bits, 3 64 bits.
pub(crate) fn test_addressing_mode(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.cc = match s.address_mask {
        u64::MAX => 3,
        0x7fff_ffff => 1,
        _ => 0,
    };
    Ok(())
}

/// SAM24: the instruction must lie where the mode reaches.
pub(crate) fn set_addressing_mode_24(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    set_mode(s, i, 24, 0x00ff_ffff)
}

/// SAM31.
pub(crate) fn set_addressing_mode_31(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    set_mode(s, i, 31, 0x7fff_ffff)
}

/// SAM64.
pub(crate) fn set_addressing_mode_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    set_mode(s, i, 64, u64::MAX)
}

fn set_mode(s: &mut State, i: &Fields, bits: u32, reach: u64) -> Result<(), Interruption> {
    let next = s.ia.wrapping_add(i.next as u64);
    if next.wrapping_sub(i.len as u64) & s.address_mask & !reach != 0 {
        return Err(Program::Specification.into());
    }
    crate::control::record_mode(s, i, bits, 0, false)?;
    s.set_addressing_mode(bits);
    s.next_ia = next & s.address_mask;
    Ok(())
}

/// LCBB: how many bytes, up to 16, lie before the next boundary of 64 to 4096 bytes. CC: 0 all 16, 3 fewer.
pub(crate) fn load_count_to_block_boundary<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    if i.m3 > 6 {
        return cpu.stop(Program::Specification.into());
    }
    let at = cpu.address(i.x2, i.b2, i.d2);
    let [block, offsets, most] = [64 << i.m3, (64 << i.m3) - 1, 16].map(|v| cpu.imm(v));
    let offset = cpu.and(at.address, offsets);
    let rest = cpu.sub(W64, block, offset);
    let fewer = cpu.below(W64, rest, most);
    let count = cpu.select(fewer, rest, most);
    // Of a mask of one bit the code is 0 or 3.
    let mask = cpu.imm(1);
    cpu.set_cc(Cc::TestMask { value: fewer, mask });
    cpu.set_gr(W32, i.r1, count);
    Ok(())
}

/// CRT, CGIT, LAT and their kin when the condition holds: a data exception with code FF.
pub(crate) fn trap(_: &mut State, _: &Fields) -> Result<(), Interruption> {
    Err(Interruption::Data(0xff))
}

/// What does nothing here: prefetches and hints.
pub(crate) fn hint<C: Cpu>(_: &mut C, _: &Fields) -> Step<C> {
    Ok(())
}

/// A 64-bit quantity of an even-odd pair of low words.
fn double(s: &State, r: u8) -> u64 {
    s.gr[r as usize] << 32 | s.gr[r as usize + 1] & 0xffff_ffff
}

fn set_double(s: &mut State, r: u8, v: u64) {
    s.set_gr(W32, r, v >> 32);
    s.set_gr(W32, r + 1, v);
}

/// SLDL.
pub(crate) fn shift_left_double_logical(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let n = s.address(0, i.b2, i.d2).address & 63;
    set_double(s, i.r1, double(s, i.r1) << n);
    Ok(())
}

/// SRDL.
pub(crate) fn shift_right_double_logical(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let n = s.address(0, i.b2, i.d2).address & 63;
    set_double(s, i.r1, double(s, i.r1) >> n);
    Ok(())
}

/// SLDA. CC: 0 zero, 1 negative, 2 positive, 3 a bit unlike the sign was shifted out.
pub(crate) fn shift_left_double(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let n = s.address(0, i.b2, i.d2).address & 63;
    let v = double(s, i.r1);
    let sign = v & 1 << 63;
    let result = v << n & !(1 << 63) | sign;
    set_double(s, i.r1, result);
    s.set_cc(Cc::Sign { width: W64, value: result });
    if result as i64 >> n != v as i64 {
        s.cc = 3;
    }
    s.check_overflow()
}

/// SRDA.
pub(crate) fn shift_right_double(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    let n = s.address(0, i.b2, i.d2).address & 63;
    let value = (double(s, i.r1) as i64 >> n) as u64;
    set_double(s, i.r1, value);
    s.set_cc(Cc::Sign { width: W64, value });
    Ok(())
}

/// ICM, ICMY: bytes from storage into the register bytes that the mask selects. CC: 0 all zero or none selected, 1 the
/// leftmost bit is one, 2 it is zero.
pub(crate) fn insert_characters_under_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let register = s.gr[i.r1 as usize] as u32;
    let v = insert_under_mask(s, i, register)?;
    s.set_gr(W32, i.r1, v as u64);
    Ok(())
}

/// ICMH: bits 0-31 of the register.
pub(crate) fn insert_characters_under_mask_high(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let register = (s.gr[i.r1 as usize] >> 32) as u32;
    let v = insert_under_mask(s, i, register)?;
    s.set_gr_high(i.r1, v as u64);
    Ok(())
}

fn insert_under_mask(s: &mut State, i: &Fields, register: u32) -> Result<u32, Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let n = i.m3.count_ones() as usize;
    let mut bytes = [0; 4];
    // With no byte selected an access exception is still possible for the first byte.
    s.read_bytes(at, &mut bytes[..n.max(1)])?;
    let mut next = bytes[..n].iter();
    let mut result = U32::new(register);
    for (k, byte) in result.as_mut_bytes().iter_mut().enumerate() {
        if i.m3 & 8 >> k != 0 {
            *byte = *next.next().expect("there is a byte for each mask bit");
        }
    }
    s.cc = match bytes[..n].iter().any(|&byte| byte != 0) {
        false => 0,
        true => {
            if bytes[0] >> 7 != 0 {
                1
            } else {
                2
            }
        }
    };
    Ok(result.get())
}

/// STCM, STCMY.
pub(crate) fn store_characters_under_mask(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    store_under_mask(s, i, s.gr[i.r1 as usize] as u32)
}

/// STCMH: bits 0-31 of the register.
pub(crate) fn store_characters_under_mask_high(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    store_under_mask(s, i, (s.gr[i.r1 as usize] >> 32) as u32)
}

fn store_under_mask(s: &mut State, i: &Fields, register: u32) -> Result<(), Interruption> {
    let at = s.address(0, i.b2, i.d2);
    let (bytes, n) = super::selected(register, i.m3);
    s.write_bytes(at, &bytes[..n])
}
