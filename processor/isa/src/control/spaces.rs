//! Moves between address spaces and with other keys.

use crate::prelude::*;
use arch::{PAGE, mask};
use cpu::cr0;

/// One side of a move.
#[derive(Clone, Copy)]
struct Side {
    address: u64,
    space: Space,
    key: u8,
}

/// Moves `len` bytes, at most a page, after both sides have been checked: nothing changes if anything is wrong.
fn move_between(s: &mut State, to: Side, from: Side, len: usize) -> Result<(), Interruption> {
    let mut buffer = [0; PAGE as usize];
    let bytes = &mut buffer[..len];
    s.read_in(from.address, from.space, from.key, bytes)?;
    s.write_in(to.address, to.space, to.key, bytes)
}

/// An operand-access control of MVCOS: key and space, each either given or the PSW's.
fn side(s: &State, control: u16, address: u64, ar: u8) -> Result<Side, Interruption> {
    let key = if control & 2 != 0 { (control >> 12) as u8 } else { s.key };
    let space = match (control & 1 != 0, control >> 6 & 3) {
        (false, _) => Space::Mode { ar },
        (true, 0) => Space::Primary,
        (true, 1) => Space::Register(ar),
        (true, 2) => Space::Secondary,
        (true, _) => Space::Home,
    };
    if s.problem_state() && s.cr[3] >> (31 - key) & 1 == 0 && control & 2 != 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    Ok(Side { address, space, key })
}

/// MVCOS: general register 0 holds the operand-access controls, R3 the length. At most 4096 bytes; CC 3 if there are
/// more, else 0.
pub(crate) fn move_with_optional_specifications(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.psw_mask() & mask::DAT == 0 {
        return Err(Program::SpecialOperation.into());
    }
    let to = Cpu::address(s, 0, i.b1, i.d1).address;
    let from = Cpu::address(s, 0, i.b2, i.d2).address;
    let (first, second) = ((s.gr[0] >> 16) as u16, s.gr[0] as u16);
    let to = side(s, first, to, i.b1)?;
    let from = side(s, second, from, i.b2)?;
    // A program in the problem state may fetch from the home space, but not store there.
    if s.problem_state() && to.space == Space::Home {
        return Err(Program::SpecialOperation.into());
    }
    let secondary = |side: Side| side.space == Space::Secondary;
    if (secondary(to) || secondary(from)) && s.cr[0] & cr0::SECONDARY_SPACE == 0 {
        return Err(Program::SpecialOperation.into());
    }
    let length = if Cpu::is_64_bit_mode(s) { s.gr[i.r3 as usize] } else { s.gr[i.r3 as usize] & 0xffff_ffff };
    move_between(s, to, from, length.min(PAGE) as usize)?;
    s.cc = if length > PAGE { 3 } else { 0 };
    Ok(())
}

/// TAR. CC 0: the ALET in access register R1 is 0; 1: it leads to a space through the dispatchable unit's access list;
/// 2: through the primary space's; 3: it is 1, or an access would end in an exception. R2 holds the authorization
/// index.
pub(crate) fn test_access(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let alet = s.ar[i.r1 as usize];
    let index = (s.gr[i.r2 as usize] >> 16) as u16;
    s.cc = match alet {
        0 => 0,
        1 => 3,
        _ => match s.test_alet(alet, index)? {
            true if alet & 0x0100_0000 == 0 => 1,
            true => 2,
            false => 3,
        },
    };
    Ok(())
}

/// The true length in R1 for MVCP, MVCS, MVCK: at most 256 bytes move.
fn true_length(s: &mut State, i: &Fields) -> u64 {
    let length = s.gr[i.r1 as usize];
    if Cpu::is_64_bit_mode(s) { length } else { length & 0xffff_ffff }
}

/// The key in R3 (or another register): in the problem state the PSW-key mask must allow it.
fn key_in(s: &State, r: u8) -> Result<u8, Interruption> {
    let key = (s.gr[r as usize] >> 4 & 15) as u8;
    if s.problem_state() && s.cr[3] >> (31 - key) & 1 == 0 {
        return Err(Program::PrivilegedOperation.into());
    }
    Ok(key)
}

fn with_true_length(s: &mut State, i: &Fields, to: (Space, u8), from: (Space, u8)) -> Result<(), Interruption> {
    let length = true_length(s, i);
    let to = Side { address: Cpu::address(s, 0, i.b1, i.d1).address, space: to.0, key: to.1 };
    let from = Side { address: Cpu::address(s, 0, i.b2, i.d2).address, space: from.0, key: from.1 };
    move_between(s, to, from, length.min(256) as usize)?;
    s.cc = if length > 256 { 3 } else { 0 };
    Ok(())
}

fn cross_space_allowed(s: &State) -> Result<(), Interruption> {
    let space = s.psw().space() as u8;
    if s.psw_mask() & mask::DAT == 0 || s.cr[0] & cr0::SECONDARY_SPACE == 0 || space & 1 != 0 {
        return Err(Program::SpecialOperation.into());
    }
    Ok(())
}

/// MVCP: from the secondary space, with the key in R3, to the primary.
pub(crate) fn move_to_primary(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    cross_space_allowed(s)?;
    let key = key_in(s, i.r3)?;
    with_true_length(s, i, (Space::Primary, s.key), (Space::Secondary, key))
}

/// MVCS: from the primary space to the secondary, with the key in R3.
pub(crate) fn move_to_secondary(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    cross_space_allowed(s)?;
    let key = key_in(s, i.r3)?;
    with_true_length(s, i, (Space::Secondary, key), (Space::Primary, s.key))
}

/// MVCK: the source is fetched with the key in R3.
pub(crate) fn move_with_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let key = key_in(s, i.r3)?;
    with_true_length(s, i, (Space::Mode { ar: i.b1 }, s.key), (Space::Mode { ar: i.b2 }, key))
}

/// MVCSK and MVCDK: general register 0 holds the length less one, 1 the key of one side.
fn with_register_key(s: &mut State, i: &Fields, to_key: u8, from_key: u8) -> Result<(), Interruption> {
    let len = s.gr[0] as u8 as usize + 1;
    let to = Cpu::address(s, 0, i.b1, i.d1).address;
    let from = Cpu::address(s, 0, i.b2, i.d2).address;
    let to = Side { address: to, space: Space::Mode { ar: i.b1 }, key: to_key };
    let from = Side { address: from, space: Space::Mode { ar: i.b2 }, key: from_key };
    move_between(s, to, from, len)
}

/// MVCSK: the source's key is in general register 1.
pub(crate) fn move_with_source_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let key = key_in(s, 1)?;
    with_register_key(s, i, s.key, key)
}

/// MVCDK: the destination's key is in general register 1.
pub(crate) fn move_with_destination_key(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let key = key_in(s, 1)?;
    with_register_key(s, i, key, s.key)
}
