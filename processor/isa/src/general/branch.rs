//! Branches, EXECUTE, and addresses.

use crate::prelude::*;

/// BCR. With R2 0 there is no branch: masks 15 and 14 then serialize, which the host's own ordering gives us.
pub fn branch_on_condition_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
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
pub fn branch_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address(i.x2, i.b2, i.d2).address;
    let taken = cpu.cc_in(i.r1);
    cpu.branch_if(i, taken, target);
    Ok(())
}

/// BRC, BRCL.
pub fn branch_relative_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
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
pub fn branch_on_count_register_32<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
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
pub fn branch_and_save_register<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let target = cpu.address_in(i.r2).address;
    cpu.call(link_of_save, i)?;
    if i.r2 != 0 {
        cpu.jump(i, target);
    }
    Ok(())
}

/// The link information of BAS and BRAS: the next address, with the addressing mode in bit 32 when it is 31 bits.
pub fn link_of_save(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let next = s.next_address(i);
    match s.address_mask {
        u64::MAX => s.gr[i.r1 as usize] = next,
        0x7fff_ffff => Cpu::set_gr(s, W32, i.r1, next | 0x8000_0000),
        _ => Cpu::set_gr(s, W32, i.r1, next),
    }
    Ok(())
}

/// LA, LAY: an address as an operand. In the 24- and 31-bit modes the left half of the register stays.
pub fn load_address<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.address(i.x2, i.b2, i.d2);
    set_address(cpu, i.r1, at)
}

/// LARL.
pub fn load_address_relative<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
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
pub fn execute(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let target = Cpu::address(s, i.x2, i.b2, i.d2).address;
    execute_at(s, i, target)
}

/// EXRL.
pub fn execute_relative(s: &mut State, i: &Fields) -> Result<(), Interruption> {
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
    let facilities = s.shared().facilities;
    let Some((row, run)) =
        crate::decode(text, s.architecture(), &facilities).and_then(|row| row.run.map(|run| (row, run)))
    else {
        return Err(Program::Operation.into());
    };
    // Relative operands count from the target; the next instruction is the one behind EXECUTE.
    let mut fields = Fields::extract(row.format, text);
    fields.at = target.wrapping_sub(s.ia) as i64;
    fields.next = i.next;
    fields.len = i.len;
    run(s, &fields)
}
