//! TRACE, and the entries that branches, changes of the addressing mode and of address spaces leave in the trace table
//! (POP, chapter 4, "Trace entries").

use super::operand;
use crate::prelude::*;
use arch::mask;
use cpu::Traced;

/// An entry under construction; none of those that are implicit is longer than 16 bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    bytes: [u8; 16],
    length: usize,
}

impl Entry {
    fn with(mut self, more: &[u8]) -> Entry {
        self.bytes[self.length..][..more.len()].copy_from_slice(more);
        self.length += more.len();
        self
    }

    fn word(self, word: u32) -> Entry {
        self.with(&word.to_be_bytes())
    }

    fn long(self, long: u64) -> Entry {
        self.with(&long.to_be_bytes())
    }

    pub(super) fn len(&self) -> u64 {
        self.length as u64
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

fn is_64_bits(psw_mask: u64) -> bool {
    psw_mask & mask::EXTENDED_ADDRESSING != 0
}

/// An address with the 31-bit mode in bit 0, of a PSW of the 24- or 31-bit mode.
fn with_mode(psw_mask: u64, address: u64) -> u32 {
    address as u32 | if psw_mask & mask::BASIC_ADDRESSING != 0 { 0x8000_0000 } else { 0 }
}

/// A branch, in the mode that it leads to.
pub(super) fn branch_entry(psw_mask: u64, target: u64) -> Entry {
    match () {
        _ if !is_64_bits(psw_mask) => Entry::default().word(with_mode(psw_mask, target)),
        _ if target >> 31 == 0 => Entry::default().word(target as u32 | 0x8000_0000),
        _ => Entry::default().word(0x52c0_0000).long(target),
    }
}

/// BSG.
pub(super) fn subspace_entry(psw_mask: u64, alet: u32, target: u64) -> Entry {
    // P, and bits 9-31 of the ALET.
    let space = alet >> 1 & 0x80_0000 | alet & 0x7f_ffff;
    match is_64_bits(psw_mask) {
        true => Entry::default().word(0x4200_0000 | space).long(target),
        false => Entry::default().word(0x4100_0000 | space).word(with_mode(psw_mask, target)),
    }
}

fn key(s: &State) -> u32 {
    u32::from(s.key) << 20
}

/// PC, from where `link` says, with the problem-state bit.
pub(super) fn program_call_entry(s: &State, number: u32, link: u64) -> Entry {
    let wide = is_64_bits(s.psw_mask());
    if s.reuses_numbers() {
        let number = if number & 0x8_0000 != 0 { number } else { number & 0xf_ffff };
        return match wide {
            true => Entry::default().word(0x2300_0000 | key(s)).long(link).word(number),
            false => Entry::default().word(0x2200_0000 | key(s)).word(link as u32).word(number),
        };
    }
    let number = number & 0xf_ffff;
    match wide {
        true => Entry::default().word(0x2200_0000 | key(s) | number).long(link),
        false => Entry::default().word(0x2100_0000 | key(s) | number).word(link as u32),
    }
}

/// PT and PTI.
pub(super) fn program_transfer_entry(s: &State, asn: u16, target: u64, instance: bool) -> Entry {
    let common = key(s) | u32::from(instance) << 16 | u32::from(asn);
    match () {
        _ if !is_64_bits(s.psw_mask()) => Entry::default().word(0x3100_0000 | common).word(target as u32),
        _ if target >> 32 == 0 => Entry::default().word(0x3108_0000 | common).word(target as u32),
        _ => Entry::default().word(0x320c_0000 | common).long(target),
    }
}

/// A change to or from the 64-bit mode, `old` and `new` being the PSW's left halves: where the next instruction would
/// have been; or where a traced branch leads to that changes the mode.
fn mode_entry(old: u64, new: u64, address: u64, branches: bool) -> Entry {
    let (to_64, branch) = (u32::from(is_64_bits(new)), u32::from(branches));
    let shown = if branches { new } else { old };
    let kind = branch << 23 | 0x20_0000 | to_64 << 20;
    if !is_64_bits(shown) {
        return Entry::default().word(0x5100_0000 | kind).word(with_mode(shown, address));
    }
    match address >> 32 {
        0 => Entry::default().word(0x5100_0000 | kind).word(address as u32),
        _ => Entry::default().word(0x5240_0000 | kind).long(address),
    }
}

/// What a branch to `target` with this PSW is to leave: `links` says whether branch tracing looks at it. `next` is the
/// address after the instruction.
pub(super) fn entry_of_branch(s: &State, new: u64, target: u64, next: u64, links: bool) -> Option<Entry> {
    let old = s.psw_mask();
    let switches = s.traces(Traced::Modes) && is_64_bits(old ^ new);
    match links && s.traces(Traced::Branches) {
        true if switches => Some(mode_entry(old, new, target, true)),
        true => Some(branch_entry(new, target)),
        false if switches => Some(mode_entry(old, new, next, false)),
        false => None,
    }
}

/// Makes an entry, if there is one.
pub(super) fn record(s: &mut State, entry: Option<Entry>) -> Result<(), Interruption> {
    if let Some(entry) = entry {
        let slot = s.trace_slot(entry.len())?;
        s.trace(slot, entry.bytes());
    }
    Ok(())
}

/// BALR and BASR, before they change anything.
#[cold]
pub(crate) fn record_branch(s: &mut State, target: u64) -> Result<(), Interruption> {
    let entry = entry_of_branch(s, s.psw_mask(), target, 0, true);
    record(s, entry)
}

/// BSM, BASSM and SAM before they change anything: the addressing mode becomes that of `bits`. `links` is BASSM.
pub(crate) fn record_mode(s: &mut State, i: &Fields, bits: u32, target: u64, links: bool) -> Result<(), Interruption> {
    if s.local & cpu::local::TRACE == 0 {
        return Ok(());
    }
    let rest = s.psw_mask() & !(mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING);
    let new = match bits {
        64 => rest | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING,
        31 => rest | mask::BASIC_ADDRESSING,
        _ => rest,
    };
    let next = Cpu::next_address(s, i);
    let entry = entry_of_branch(s, new, target, next, links);
    record(s, entry)
}

/// Registers that TRACE may store, at most; the room for an entry is that of so many.
const REGISTERS: u64 = 16;

/// TRACE: the clock, the second operand and the registers from R1 to R3 go to the trace table, if explicit tracing is
/// on and bit 0 of the operand is off.
pub(crate) fn trace(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    explicit(s, i, 4)
}

/// TRACG: the same with whole registers, and with the clock as STORE CLOCK EXTENDED has it.
pub(crate) fn trace_64(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    explicit(s, i, 8)
}

fn explicit(s: &mut State, i: &Fields, width: usize) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 4)?;
    if !s.traces(Traced::Explicit) {
        return Ok(());
    }
    let word = s.load_u32(at)?;
    if word & 0x8000_0000 != 0 {
        return Ok(());
    }
    let head = if width == 4 { 12 } else { 16 };
    let slot = s.trace_slot(head as u64 + REGISTERS * width as u64)?;
    let count = (i.r3.wrapping_sub(i.r1) & 15) as usize;
    let mut entry = [0; 16 + 16 * 8];
    entry[0] = 0x70 | count as u8;
    let clock = s.tod();
    if width == 4 {
        entry[2..8].copy_from_slice(&clock.to_be_bytes()[2..]);
        entry[8..12].copy_from_slice(&word.to_be_bytes());
    } else {
        // An epoch index of zero, the clock, and eight bits that it does not have.
        entry[1] = 0x80;
        entry[3..11].copy_from_slice(&clock.to_be_bytes());
        entry[12..16].copy_from_slice(&word.to_be_bytes());
    }
    for n in 0..=count {
        let value = s.gr[(usize::from(i.r1) + n) & 15].to_be_bytes();
        entry[head + n * width..][..width].copy_from_slice(&value[8 - width..]);
    }
    s.trace(slot, &entry[..head + (count + 1) * width]);
    Ok(())
}
