//! Branches, EXECUTE, and addresses.

use crate::prelude::*;

/// BCR. With R2 0 there is no branch: masks 15 and 14 then serialize, which the host's own ordering gives us.
pub(crate) fn branch_on_condition_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    if i.r2 == 0 || i.r1 == 0 {
        return Ok(());
    }
    let target = cpu.address_in(i.r2).address;
    if i.r1 == 15 {
        cpu.jump(i, target);
    } else {
        let taken = cpu.cc_in(i.r1);
        cpu.branch_if(i, taken, target);
    }
    Ok(())
}

/// BC.
pub(crate) fn branch_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    let taken = cpu.cc_in(i.r1);
    cpu.branch_if(i, taken, target);
    Ok(())
}

/// BRC, BRCL.
pub(crate) fn branch_relative_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.relative(i).address;
    if i.r1 == 15 {
        cpu.jump(i, target);
    } else {
        let taken = cpu.cc_in(i.r1);
        cpu.branch_if(i, taken, target);
    }
    Ok(())
}

/// BCTR: the branch address is formed before the count changes.
pub(crate) fn branch_on_count_register_32<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address_in(i.r2).address;
    let (count, one) = (cpu.gr(W32, i.r1), cpu.imm(1));
    let count = cpu.sub(W32, count, one);
    cpu.set_gr(W32, i.r1, count);
    if i.r2 != 0 {
        cpu.branch_if(i, count, target);
    }
    Ok(())
}

/// BASR.
pub(crate) fn branch_and_save_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address_in(i.r2).address;
    if i.r2 != 0 {
        cpu.trace_branch(target)?;
    }
    link(cpu, i)?;
    if i.r2 != 0 {
        cpu.jump(i, target);
    }
    Ok(())
}

/// Puts the link information of BASR, BAS, BRAS and BRASL into the first register.
#[inline(always)]
fn link<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    if cpu.is_64_bit_mode() {
        let next = cpu.next_address(i);
        cpu.set_gr(W64, i.r1, next);
    } else if cpu.is_31_bit_mode() {
        let (next, mode) = (cpu.next_address(i), cpu.imm(0x8000_0000));
        let link = cpu.or(next, mode);
        cpu.set_gr(W32, i.r1, link);
    } else {
        return cpu.call(link_of_save, i);
    }
    Ok(())
}

/// The link information of BAS and BRAS: the next address, with the addressing mode in bit 32 when it is 31 bits.
pub(crate) fn link_of_save(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let next = s.next_address(i);
    match s.address_mask {
        u64::MAX => s.gr[i.r1 as usize] = next,
        0x7fff_ffff => Cpu::set_gr(s, W32, i.r1, next | 0x8000_0000),
        _ => Cpu::set_gr(s, W32, i.r1, next),
    }
    Ok(())
}

/// LA, LAY: an address as an operand. In the 24- and 31-bit modes the left half of the register stays.
pub(crate) fn load_address<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.address(i.x2, i.b2, i.d2);
    set_address(cpu, i.r1, at)
}

/// LARL.
pub(crate) fn load_address_relative<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.relative(i);
    set_address(cpu, i.r1, at)
}

/// Puts an address into a register: all of it in the 64-bit mode, else the low word.
pub(crate) fn set_address<C: Cpu>(cpu: &mut C, r: u8, at: At<C::Word>) -> Step<C> {
    let wide = cpu.is_64_bit_mode();
    cpu.set_gr(if wide { W64 } else { W32 }, r, at.address);
    Ok(())
}

/// EX: the instruction at the second-operand address, its second byte ORed with the low byte of R1 (unless R1 is 0),
/// as if it stood here.
pub(crate) fn execute(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = Cpu::address(s, i.x2, i.b2, i.d2).address;
    execute_at(s, i, target)
}

/// EXRL.
pub(crate) fn execute_relative(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = Cpu::relative(s, i).address;
    execute_at(s, i, target)
}

fn execute_at(s: &mut State, i: &Fields, target: u64) -> Result<(), Interruption> {
    if target & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let mut text = [0; 6];
    s.read_in(target, Space::Instruction, s.key, &mut text[..2])?;
    let len = crate::length(text[0]) as usize;
    if len > 2 {
        s.read_in(target.wrapping_add(2), Space::Instruction, s.key, &mut text[2..len])?;
    }
    if i.r1 != 0 {
        text[1] |= s.gr[i.r1 as usize] as u8;
    }
    if text[0] == 0x44 || text[0] == 0xc6 && text[1] & 15 == 0 {
        return Err(Program::Execute.into());
    }
    let Some((row, run)) = crate::decode_for(s, text) else {
        return Err(crate::interpretive::no_such_instruction(s, text, i.len));
    };
    // Relative operands count from the target; the next instruction is the one after EXECUTE.
    let mut fields = Fields::extract(row.format, text);
    fields.next = i.next;
    fields.len = i.len;
    s.executed = target.wrapping_sub(i.address(s)) as i64;
    let done = match s.interpretation {
        Some(_) => crate::interpretive::execute(s, &fields, text, i.len),
        None => crate::perform(run, s, &fields),
    };
    s.executed = 0;
    done
}

/// BAS.
pub(crate) fn branch_and_save<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    link(cpu, i)?;
    cpu.jump(i, target);
    Ok(())
}

/// BRAS, BRASL.
pub(crate) fn branch_relative_and_save<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.relative(i).address;
    link(cpu, i)?;
    cpu.jump(i, target);
    Ok(())
}

/// The link information of BAL: as BAS, but in the 24-bit mode instruction length, condition code and program mask
/// stand on the left of the address.
fn link_of_link(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    if s.address_mask != 0x00ff_ffff {
        return link_of_save(s, i);
    }
    let ilc = (i.len / 2) as u64;
    let left = ilc << 6 | (s.cc as u64) << 4 | s.program_mask as u64;
    let next = s.next_address(i);
    s.set_gr(W32, i.r1, left << 24 | next);
    Ok(())
}

/// BALR.
pub(crate) fn branch_and_link_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address_in(i.r2).address;
    if i.r2 != 0 {
        cpu.trace_branch(target)?;
    }
    cpu.call(link_of_link, i)?;
    if i.r2 != 0 {
        cpu.jump(i, target);
    }
    Ok(())
}

/// BAL.
pub(crate) fn branch_and_link<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    cpu.call(link_of_link, i)?;
    cpu.jump(i, target);
    Ok(())
}

/// BSM: the addressing mode goes into the first register and comes out of the second, with the address.
pub(crate) fn branch_and_set_mode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = s.gr[i.r2 as usize];
    trace_mode(s, i, target, false)?;
    if i.r1 != 0 {
        let register = &mut s.gr[i.r1 as usize];
        match s.address_mask {
            u64::MAX => *register |= 1,
            0x7fff_ffff => *register |= 0x8000_0000,
            _ => *register &= !0x8000_0000,
        }
    }
    if i.r2 != 0 {
        branch_with_mode(s, i, target);
    }
    Ok(())
}

/// BASSM: link information with the addressing mode, then BSM.
pub(crate) fn branch_and_save_and_set_mode(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = s.gr[i.r2 as usize];
    trace_mode(s, i, target, true)?;
    link_of_save(s, i)?;
    if s.address_mask == u64::MAX {
        s.gr[i.r1 as usize] |= 1;
    }
    if i.r2 != 0 {
        branch_with_mode(s, i, target);
    }
    Ok(())
}

/// The addressing mode and the address that a register designates. Bit 63 on: 64-bit mode (in z/Architecture);
/// otherwise bit 32 says 31 or 24 bits.
fn mode_and_address(s: &State, target: u64) -> (u32, u64) {
    match target {
        _ if target & 1 != 0 && s.architecture() == cpu::Architecture::Z => (64, target & !1),
        _ if target & 0x8000_0000 != 0 => (31, target & 0x7fff_ffff),
        _ => (24, target & 0x00ff_ffff),
    }
}

fn branch_with_mode(s: &mut State, i: &Fields, target: u64) {
    let (bits, address) = mode_and_address(s, target);
    s.set_addressing_mode(bits);
    s.jump(i, address);
}

/// What BASSM and BSM leave in the trace table, before they change anything.
fn trace_mode(s: &mut State, i: &Fields, target: u64, links: bool) -> Result<(), Interruption> {
    if i.r2 == 0 {
        return Ok(());
    }
    let (bits, address) = mode_and_address(s, target);
    crate::control::record_mode(s, i, bits, address, links)
}

/// Takes one from a count and branches unless it is 0.
#[inline(always)]
fn count<C: Cpu>(cpu: &mut C, i: &Fields, width: Width, target: C::Word) -> Step<C> {
    let (count, one) = (cpu.gr(width, i.r1), cpu.imm(1));
    let count = cpu.sub(width, count, one);
    cpu.set_gr(width, i.r1, count);
    cpu.branch_if(i, count, target);
    Ok(())
}

/// BCT.
pub(crate) fn branch_on_count_32<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    count(cpu, i, W32, target)
}

/// BCTG.
pub(crate) fn branch_on_count_64<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    count(cpu, i, W64, target)
}

/// BRCT.
pub(crate) fn branch_relative_on_count_32<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.relative(i).address;
    count(cpu, i, W32, target)
}

/// BRCTG.
pub(crate) fn branch_relative_on_count_64<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.relative(i).address;
    count(cpu, i, W64, target)
}

/// BRCTH: the count is in bits 0-31.
pub(crate) fn branch_relative_on_count_high<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.relative(i).address;
    let (count, one) = (cpu.gr_high(i.r1), cpu.imm(1));
    let count = cpu.sub(W32, count, one);
    cpu.set_gr_high(i.r1, count);
    cpu.branch_if(i, count, target);
    Ok(())
}

/// BCTGR: as BCTR.
pub(crate) fn branch_on_count_register_64<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address_in(i.r2).address;
    let (count, one) = (cpu.gr(W64, i.r1), cpu.imm(1));
    let count = cpu.sub(W64, count, one);
    cpu.set_gr(W64, i.r1, count);
    if i.r2 != 0 {
        cpu.branch_if(i, count, target);
    }
    Ok(())
}

/// Adds the increment in R3 to R1 and branches as the sum compares with the register beside R3 (R3 itself if odd) as
/// it was before.
#[inline(always)]
fn index<C: Cpu>(cpu: &mut C, i: &Fields, width: Width, high: bool, target: C::Word) -> Step<C> {
    let (a, b) = (cpu.gr(width, i.r1), cpu.gr(width, i.r3));
    let comparand = cpu.gr(width, i.r3 | 1);
    let sum = cpu.add(width, a, b);
    let above = cpu.less(width, comparand, sum);
    let taken = if high {
        above
    } else {
        let one = cpu.imm(1);
        cpu.xor(above, one)
    };
    cpu.set_gr(width, i.r1, sum);
    cpu.branch_if(i, taken, target);
    Ok(())
}

macro_rules! on_index {
    ($(#[$doc:meta] $name:ident $width:ident $high:literal $place:ident;)*) => { $(
        #[$doc]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let target = on_index!(@$place cpu i);
            index(cpu, i, $width, $high, target)
        }
    )* };
    (@base $cpu:ident $i:ident) => { $cpu.address(0, $i.b2, $i.d2).address };
    (@relative $cpu:ident $i:ident) => { $cpu.relative($i).address };
}

on_index! {
    /// BXH.
    branch_on_index_high W32 true base;
    /// BXLE.
    branch_on_index_low_or_equal W32 false base;
    /// BXHG.
    branch_on_index_high_long W64 true base;
    /// BXLEG.
    branch_on_index_low_or_equal_long W64 false base;
    /// BRXH.
    branch_relative_on_index_high W32 true relative;
    /// BRXLE.
    branch_relative_on_index_low_or_equal W32 false relative;
    /// BRXHG.
    branch_relative_on_index_high_long W64 true relative;
    /// BRXLG.
    branch_relative_on_index_low_or_equal_long W64 false relative;
}

/// BIC: branches to the address that is in storage.
pub(crate) fn branch_indirect_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.address(i.x2, i.b2, i.d2);
    let target = cpu.load(W64, at)?;
    let target = cpu.wrap(target);
    let taken = cpu.cc_in(i.r1);
    cpu.branch_if(i, taken, target);
    Ok(())
}

/// ICM with all four bytes is LT with another name; otherwise a routine picks them.
pub(crate) fn insert_under_mask_or_word<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    if i.m3 != 15 {
        return cpu.call(super::insert_characters_under_mask, i);
    }
    let at = cpu.address(0, i.b2, i.d2);
    let value = cpu.load(W32, at)?;
    cpu.set_cc(Cc::Sign { width: W32, value });
    cpu.set_gr(W32, i.r1, value);
    Ok(())
}

/// STCM of the rightmost bytes is a store; otherwise a routine picks them.
pub(crate) fn store_under_mask_or_part<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let width = match i.m3 {
        1 => W8,
        3 => W16,
        15 => W32,
        _ => return cpu.call(super::store_characters_under_mask, i),
    };
    let at = cpu.address(0, i.b2, i.d2);
    let v = cpu.gr(width, i.r1);
    cpu.store(width, at, v)
}
