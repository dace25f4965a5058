//! What depends on a condition other than branching: LOAD and STORE ON CONDITION, COMPARE AND TRAP, LOAD AND TRAP; and
//! COMPARE AND BRANCH, whose condition is not the condition code.

use super::misc::trap;
use crate::prelude::*;

/// LOCR: 32 bits.
pub(crate) fn load_register_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr(W32, i.r1), cpu.gr(W32, i.r2));
    let v = cpu.select(yes, new, old);
    cpu.set_gr(W32, i.r1, v);
    Ok(())
}

/// LOCGR: 64 bits.
pub(crate) fn load_register_on_condition_long<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr(W64, i.r1), cpu.gr(W64, i.r2));
    let v = cpu.select(yes, new, old);
    cpu.set_gr(W64, i.r1, v);
    Ok(())
}

/// LOCFHR: bits 0-31.
pub(crate) fn load_register_on_condition_high<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr_high(i.r1), cpu.gr_high(i.r2));
    let v = cpu.select(yes, new, old);
    cpu.set_gr_high(i.r1, v);
    Ok(())
}

/// SELR: R2 if the condition holds, else R3; 32 bits.
pub(crate) fn select<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, a, b) = (cpu.cc_in(i.m4), cpu.gr(W32, i.r2), cpu.gr(W32, i.r3));
    let v = cpu.select(yes, a, b);
    cpu.set_gr(W32, i.r1, v);
    Ok(())
}

/// SELGR: 64 bits.
pub(crate) fn select_long<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, a, b) = (cpu.cc_in(i.m4), cpu.gr(W64, i.r2), cpu.gr(W64, i.r3));
    let v = cpu.select(yes, a, b);
    cpu.set_gr(W64, i.r1, v);
    Ok(())
}

/// SELFHR: bits 0-31.
pub(crate) fn select_high<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, a, b) = (cpu.cc_in(i.m4), cpu.gr_high(i.r2), cpu.gr_high(i.r3));
    let v = cpu.select(yes, a, b);
    cpu.set_gr_high(i.r1, v);
    Ok(())
}

/// LOCHI.
pub(crate) fn load_immediate_on_condition<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr(W32, i.r1), cpu.imm(i.imm as u32 as u64));
    let v = cpu.select(yes, new, old);
    cpu.set_gr(W32, i.r1, v);
    Ok(())
}

/// LOCGHI.
pub(crate) fn load_immediate_on_condition_long<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr(W64, i.r1), cpu.imm(i.imm as u64));
    let v = cpu.select(yes, new, old);
    cpu.set_gr(W64, i.r1, v);
    Ok(())
}

/// LOCHHI.
pub(crate) fn load_immediate_on_condition_high<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let (yes, old, new) = (cpu.cc_in(i.m3), cpu.gr_high(i.r1), cpu.imm(i.imm as u32 as u64));
    let v = cpu.select(yes, new, old);
    cpu.set_gr_high(i.r1, v);
    Ok(())
}

/// Storage is touched only if the condition holds.
macro_rules! storage_on_condition {
    ($(#[$doc:meta] $name:ident $routine:ident |$s:ident, $i:ident, $at:ident| $body:expr;)*) => { $(
        #[$doc]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let yes = cpu.cc_in(i.m3);
            cpu.call_if(yes, $routine, i, |_| Ok(()))
        }

        fn $routine($s: &mut State, $i: &Fields) -> Result<(), Interruption> {
            let $at = Cpu::address($s, 0, $i.b2, $i.d2);
            $body
        }
    )* };
}

storage_on_condition! {
    /// LOC.
    load_on_condition load_word |s, i, at| { let v = s.load_u32(at)?; s.set_gr(W32, i.r1, v as u64); Ok(()) };
    /// LOCG.
    load_on_condition_long load_doubleword |s, i, at| { s.gr[i.r1 as usize] = s.load_u64(at)?; Ok(()) };
    /// LOCFH.
    load_on_condition_high load_high |s, i, at| { let v = s.load_u32(at)?; s.set_gr_high(i.r1, v as u64); Ok(()) };
    /// STOC.
    store_on_condition store_word |s, i, at| s.store_u32(at, s.gr[i.r1 as usize] as u32);
    /// STOCG.
    store_on_condition_long store_doubleword |s, i, at| s.store_u64(at, s.gr[i.r1 as usize]);
    /// STOCFH.
    store_on_condition_high store_high |s, i, at| s.store_u32(at, (s.gr[i.r1 as usize] >> 32) as u32);
}

/// Whether `a` compares with `b` as a mask says: 8 equal, 4 low, 2 high.
#[inline(always)]
fn compares<C: Cpu>(cpu: &mut C, width: Width, signed: bool, mask: u8, a: C::Word, b: C::Word) -> C::Word {
    let low = |cpu: &mut C, a, b| if signed { cpu.less(width, a, b) } else { cpu.below(width, a, b) };
    let one = cpu.imm(1);
    match mask & 14 {
        0 => cpu.imm(0),
        8 => cpu.equal(width, a, b),
        6 => {
            let v = cpu.equal(width, a, b);
            cpu.xor(v, one)
        }
        4 => low(cpu, a, b),
        10 => {
            let v = low(cpu, a, b);
            cpu.xor(v, one)
        }
        2 => low(cpu, b, a),
        12 => {
            let v = low(cpu, b, a);
            cpu.xor(v, one)
        }
        _ => one,
    }
}

macro_rules! compare {
    ($(($width:ident $signed:literal)
        #[$j:meta] $jump:ident #[$b:meta] $branch:ident #[$ji:meta] $jump_imm:ident #[$bi:meta] $branch_imm:ident
        #[$t:meta] $trap:ident #[$ti:meta] $trap_imm:ident;)*) => { $(
        #[$j]
        #[inline(always)]
        pub(crate) fn $jump<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let (a, b) = (cpu.gr($width, i.r1), cpu.gr($width, i.r2));
            let target = cpu.relative(i).address;
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.branch_if(i, yes, target);
            Ok(())
        }

        #[$b]
        #[inline(always)]
        pub(crate) fn $branch<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let (a, b) = (cpu.gr($width, i.r1), cpu.gr($width, i.r2));
            let target = cpu.address(0, i.b2, i.d2).address;
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.branch_if(i, yes, target);
            Ok(())
        }

        #[$ji]
        #[inline(always)]
        pub(crate) fn $jump_imm<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let (a, b) = (cpu.gr($width, i.r1), cpu.imm(immediate_byte(i, $signed)));
            let target = cpu.relative(i).address;
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.branch_if(i, yes, target);
            Ok(())
        }

        #[$bi]
        #[inline(always)]
        pub(crate) fn $branch_imm<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let (a, b) = (cpu.gr($width, i.r1), cpu.imm(immediate_byte(i, $signed)));
            let target = cpu.address(0, i.b2, i.d2).address;
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.branch_if(i, yes, target);
            Ok(())
        }

        #[$t]
        pub(crate) fn $trap<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let (a, b) = (cpu.gr($width, i.r1), cpu.gr($width, i.r2));
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.call_if(yes, trap, i, |_| Ok(()))
        }

        #[$ti]
        pub(crate) fn $trap_imm<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
            let b = if $signed { i.imm as u64 } else { i.imm as u16 as u64 };
            let (a, b) = (cpu.gr($width, i.r1), cpu.imm(b));
            let yes = compares(cpu, $width, $signed, i.m3, a, b);
            cpu.call_if(yes, trap, i, |_| Ok(()))
        }
    )* };
}

fn immediate_byte(i: &Fields, signed: bool) -> u64 {
    if signed { i.i3 as i8 as u64 } else { i.i3 as u64 }
}

compare! {
    (W32 true)
    /// CRJ.
    compare_and_branch_relative
    /// CRB.
    compare_and_branch
    /// CIJ.
    compare_immediate_and_branch_relative
    /// CIB.
    compare_immediate_and_branch
    /// CRT.
    compare_and_trap
    /// CIT.
    compare_immediate_and_trap;
    (W64 true)
    /// CGRJ.
    compare_and_branch_relative_long
    /// CGRB.
    compare_and_branch_long
    /// CGIJ.
    compare_immediate_and_branch_relative_long
    /// CGIB.
    compare_immediate_and_branch_long
    /// CGRT.
    compare_and_trap_long
    /// CGIT.
    compare_immediate_and_trap_long;
    (W32 false)
    /// CLRJ.
    compare_logical_and_branch_relative
    /// CLRB.
    compare_logical_and_branch
    /// CLIJ.
    compare_logical_immediate_and_branch_relative
    /// CLIB.
    compare_logical_immediate_and_branch
    /// CLRT.
    compare_logical_and_trap
    /// CLFIT.
    compare_logical_immediate_and_trap;
    (W64 false)
    /// CLGRJ.
    compare_logical_and_branch_relative_long
    /// CLGRB.
    compare_logical_and_branch_long
    /// CLGIJ.
    compare_logical_immediate_and_branch_relative_long
    /// CLGIB.
    compare_logical_immediate_and_branch_long
    /// CLGRT.
    compare_logical_and_trap_long
    /// CLGIT.
    compare_logical_immediate_and_trap_long;
}

/// CLT: a register against storage, unsigned.
pub(crate) fn compare_logical_storage_and_trap<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.address(0, i.b2, i.d2);
    let b = cpu.load(W32, at)?;
    let a = cpu.gr(W32, i.r1);
    let yes = compares(cpu, W32, false, i.m3, a, b);
    cpu.call_if(yes, trap, i, |_| Ok(()))
}

/// CLGT.
pub(crate) fn compare_logical_storage_and_trap_long<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C> {
    let at = cpu.address(0, i.b2, i.d2);
    let b = cpu.load(W64, at)?;
    let a = cpu.gr(W64, i.r1);
    let yes = compares(cpu, W64, false, i.m3, a, b);
    cpu.call_if(yes, trap, i, |_| Ok(()))
}

/// The result is in place before a zero traps.
macro_rules! load_and_trap {
    ($(#[$doc:meta] $name:ident $width:ident $mask:literal |$cpu:ident, $i:ident, $v:ident| $set:expr;)*) => { $(
        #[$doc]
        pub(crate) fn $name<C: Cpu>($cpu: &mut C, $i: &Fields) -> Step<C> {
            let at = $cpu.address($i.x2, $i.b2, $i.d2);
            let v = $cpu.load($width, at)?;
            let mask = $cpu.imm($mask);
            let $v = $cpu.and(v, mask);
            let zero = $cpu.imm(0);
            let none = $cpu.equal(W64, $v, zero);
            $set;
            $cpu.call_if(none, trap, $i, |_| Ok(()))
        }
    )* };
}

load_and_trap! {
    /// LAT.
    load_and_trap W32 0xffff_ffff |cpu, i, v| cpu.set_gr(W32, i.r1, v);
    /// LGAT.
    load_and_trap_long W64 0xffff_ffff_ffff_ffff |cpu, i, v| cpu.set_gr(W64, i.r1, v);
    /// LFHAT.
    load_and_trap_high W32 0xffff_ffff |cpu, i, v| cpu.set_gr_high(i.r1, v);
    /// LLGFAT.
    load_logical_and_trap W32 0xffff_ffff |cpu, i, v| cpu.set_gr(W64, i.r1, v);
    /// LLGTAT.
    load_logical_thirty_one_bits_and_trap W32 0x7fff_ffff |cpu, i, v| cpu.set_gr(W64, i.r1, v);
}
