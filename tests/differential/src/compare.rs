//! Whether two outcomes of a test are the same, as far as signals can show it.

use crate::image::{Ending, Outcome as Theirs};
use crate::ours::Outcome as Ours;
use std::fmt::Write;
use vectors::machine::Event;
use vectors::{Registers, SCRATCH};

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Both came to the same.
    Same,
    /// The oracle is known to be silent or wrong here.
    NotComparable,
    /// Different; what, in one line.
    Different(String),
}

const SIGILL: u8 = 4;
const SIGFPE: u8 = 8;
const SIGSEGV: u8 = 11;

/// Whether a signal is what Linux makes of a program interruption.
fn matches(code: u16, dxc: u8, signal: u8, signal_code: i32) -> bool {
    match signal {
        // ILL_ILLOPC: operation and privileged operation. ILL_ILLOPN: specification, execute, and the rest.
        SIGILL if signal_code == 1 => code == 1 || code == 2,
        SIGILL => matches!(code, 3 | 6 | 7 | 0x13 | 0x15),
        SIGSEGV => matches!(code, 4 | 5 | 0x10 | 0x11 | 0x38..=0x3b),
        SIGFPE => match signal_code {
            1 => code == 9,                               // FPE_INTDIV
            2 => code == 8,                               // FPE_INTOVF
            3 => code == 7 && dxc & 0x40 != 0,            // FPE_FLTDIV
            4 => code == 7 && dxc & 0x20 != 0,            // FPE_FLTOVF
            5 => code == 7 && dxc & 0x10 != 0,            // FPE_FLTUND
            6 => code == 7 && matches!(dxc, 0x08 | 0x0c), // FPE_FLTRES
            7 => code == 7 && dxc & 0x80 != 0,            // FPE_FLTINV
            _ => code == 7,
        },
        _ => false,
    }
}

/// Compares what a test with these instructions at `address` left.
pub fn compare(theirs: &Theirs, ours: &Ours, address: u64, text: &[u8]) -> Verdict {
    let verdict = plainly(theirs, ours, address, text.len());
    if matches!(verdict, Verdict::Different(_)) && wrong_there(theirs, ours, text) {
        return Verdict::NotComparable;
    }
    verdict
}

/// Whether a test uses what QEMU 7.2 is known to do otherwise than the manual says:
///
/// - LOAD AND TEST of a signaling NaN is an invalid operation; QEMU just loads it.
/// - A fused multiplication and addition of several NaNs yields a signaling one first; QEMU takes them in order. That
///   of infinity, zero and a NaN is invalid; QEMU yields the NaN.
/// - CDSG with an odd register, and LPD and LPDG of operands not on a boundary of their own, end in a specification
///   exception; QEMU does not look.
/// - LOAD ROUNDED from extended wants a pair of registers for its result too; QEMU takes any register.
/// - COMPARE of a signaling NaN is an invalid operation even if the next instruction sets the condition code anew; QEMU
///   drops the comparison then.
/// - LOAD ADDRESS in the 24-bit and 31-bit modes leaves the left half of the register as it is; QEMU zeroes it.
/// - TRANSLATE leaves the condition code; QEMU goes back to an older one than the last instruction's.
/// - STORE CHARACTERS UNDER MASK with a mask of zero accesses a byte all the same; QEMU does not.
/// - LOAD ACCESS MULTIPLE loads nothing if it cannot access all of its operand; QEMU may have loaded some.
/// - COMPARE LOGICAL (CLC) leaves the condition code when an operand cannot be accessed; QEMU may have lost it by then.
/// - UNPKA and UNPKU may or may not look at digits that their result has no place for; QEMU does not.
/// - LOAD ON CONDITION may or may not access storage when the condition is not met; QEMU does.
/// - The vector conversions flag an inexact result even if XxC forbids it.
/// - VFNMA and VFNMS negate the rounded sum; QEMU rounds the negated one, which with a directed rounding is another.
/// - VGEF, VGEG, VSCEF and VSCEG may reach what belongs to the oracle's own program; here that is protected.
/// - VFMAX and VFMIN as fmax() make a signaling NaN quiet if both operands are NaNs; QEMU does not.
/// - VFPSO, VFTCI and VFLR leave the elements that take no part as they like.
/// - An exact subnormal result is an underflow if that is enabled; QEMU has it only for an inexact one.
/// - COMPARE AND TRAP after TEST AND SET: QEMU 8.2 (not 7.2) loses the data-exception code of the trap.
fn wrong_there(theirs: &Theirs, ours: &Ours, text: &[u8]) -> bool {
    let instructions = || {
        let mut at = 0;
        std::iter::from_fn(move || {
            let length = isa::length(*text.get(at)?) as usize;
            let one = text.get(at..at + length);
            at += length;
            one
        })
    };
    let second = |one: &[u8]| if matches!(one[0], 0xe3 | 0xeb | 0xec | 0xed) { one[5] } else { one[1] };
    let uses = |codes: &[(u8, u8)]| instructions().any(|one| codes.contains(&(one[0], second(one))));
    let uses_first = |codes: &[u8]| instructions().any(|one| codes.contains(&one[0]));
    let uses_vector = |codes: &[u8]| instructions().any(|one| one[0] == 0xe7 && codes.contains(&one[5]));
    let access = matches!(theirs.ending, Ending::Signal { number: SIGSEGV, .. });
    let is_nan = |v: u64| v & 0x7f80_0000_0000_0000 == 0x7f80_0000_0000_0000 || v >> 48 & 0x7fff == 0x7fff;
    let invalid = (ours.after.fpc | ours.after.fpc << 8) & 0x0080_0000 != 0;
    let nans = || {
        let (theirs, ours) = (theirs.after.fpr.0.as_flattened(), ours.after.fpr.0.as_flattened());
        theirs.iter().zip(ours).any(|(theirs, ours)| theirs != ours && is_nan(*theirs) && is_nan(*ours))
    };
    // A vector instruction of these last bytes with a modifier (bits of its fourth byte) on.
    let vector = |codes: &[u8], modifier: u8| {
        instructions().any(|one| one[0] == 0xe7 && codes.contains(&one[5]) && one[3] & modifier != 0)
    };
    let directed = (ours.after.fpc | theirs.after.fpc) & 7 != 0;
    match ours.event {
        _ if vector(&[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc7], 4) && theirs.after.fpc & 0x0008_0000 != 0 => true,
        _ if vector(&[0xcc, 0x4a], 8) || uses_vector(&[0xc5]) => true,
        Event::Program { code: 4, .. } if uses_vector(&[0x12, 0x13, 0x1a, 0x1b]) => true,
        _ if uses_vector(&[0xee, 0xef]) && nans() => true,
        _ if uses_vector(&[0x8e, 0x8f, 0x9e, 0x9f]) && (nans() || instructions().count() > 1) => true,
        _ if uses_vector(&[0x9e, 0x9f]) && directed => true,
        Event::Program { code: 7, dxc: 0x10, .. } => true,
        Event::Program { code: 7, dxc: 0xff, .. } if uses_first(&[0x93]) => true,
        Event::Program { code: 6, .. } if uses(&[(0xb3, 0x45), (0xb3, 0x46), (0xeb, 0x3e)]) => true,
        Event::Program { code: 6, .. } if uses_first(&[0xc8]) => true,
        _ if uses(&[(0xb3, 0x02), (0xb3, 0x12), (0xb3, 0x42)]) && invalid => true,
        _ if uses(&[0x08, 0x09, 0x18, 0x19, 0x48, 0x49].map(|c| (0xb3, c))) && invalid => true,
        _ if uses(&[0x08, 0x09, 0x18, 0x19].map(|c| (0xed, c))) && invalid => true,
        _ if text[0] == 0x01 && uses_first(&[0x41, 0x51, 0xc0]) => true,
        _ if text[0] == 0x01 && uses(&[(0xe3, 0x71), (0xe3, 0x75)]) => true,
        _ if uses_first(&[0xdc]) && text.len() > 6 => true,
        Event::Program { code: 4 | 5, .. } if uses_first(&[0xea, 0xe2]) => true,
        Event::Program { code: 4 | 5, .. } if uses_first(&[0xbe]) || uses(&[(0xeb, 0x2d), (0xeb, 0x2c)]) => true,
        _ if access && (uses_first(&[0xd5, 0x9a]) || uses(&[(0xeb, 0x9a)])) => true,
        _ if access && uses(&[0xf2, 0xe2, 0xe0, 0xf3, 0xe3, 0xe1].map(|c| (0xeb, c))) => true,
        _ => {
            let fused = [0x0e, 0x0f, 0x1e, 0x1f];
            // With more instructions after it, the result may have become something else.
            (uses(&fused.map(|c| (0xb3, c))) || uses(&fused.map(|c| (0xed, c))))
                && (nans() || instructions().count() > 1)
        }
    }
}

fn plainly(theirs: &Theirs, ours: &Ours, address: u64, length: usize) -> Verdict {
    let end = address + length as u64;
    match (&theirs.ending, &ours.event) {
        (Ending::NotReached, _) => Verdict::NotComparable,
        // QEMU has no fixed-point-overflow interruption, whatever the program mask says.
        (_, Event::Program { code: 8, .. }) => Verdict::NotComparable,
        (Ending::Completed, Event::Program { code: 1, .. }) if ours.address == end + 2 => {
            registers(&theirs.after, &ours.after)
        }
        (
            Ending::Signal { number: 0, code, dxc: their_dxc, address: at, .. },
            Event::Program { code: pgm, ilc, dxc },
        ) => {
            let theirs_dxc = if *code as u16 == 7 { *their_dxc } else { 0 };
            if (*code as u32 >> 17, *code as u16, theirs_dxc, *at) != (u32::from(*ilc), *pgm, *dxc, ours.address) {
                return Verdict::Different(format!(
                    "interruption {code:08X} data {theirs_dxc:02X} at {at:X}, here {:?} at {:X}",
                    ours.event, ours.address
                ));
            }
            registers(&theirs.after, &ours.after)
        }
        (Ending::Signal { number, code, address: at, .. }, Event::Program { code: pgm, dxc, .. }) => {
            if !matches(*pgm, *dxc, *number, *code) {
                return Verdict::Different(format!("signal {number} code {code}, here {:?}", ours.event));
            }
            // Where the PSW points after an access exception is up to Linux, which nullifies.
            if *number == SIGSEGV {
                return registers(&theirs.after, &ours.after);
            }
            // QEMU does not deliver the result of an instruction that an IEEE exception interrupts, as it must for
            // overflow, underflow and inexact; it never says "incremented", and adds "inexact" to the code of an
            // invalid operation.
            if *pgm == 7 && dxc & 0x3c != 0 && dxc & 0xc0 == 0 {
                return Verdict::Same;
            }
            if *pgm == 7 && *dxc == 0x80 && theirs.after.fpc & 0xff00 == 0x8800 {
                let mut corrected = theirs.after.clone();
                corrected.fpc &= !0x0800;
                return registers(&corrected, &ours.after);
            }
            if *at != ours.address {
                return Verdict::Different(format!("old PSW at {at:X}, here {:X}", ours.address));
            }
            registers(&theirs.after, &ours.after)
        }
        (ending, event) => {
            let ending = match ending {
                Ending::Completed => "completed".to_string(),
                Ending::Signal { number, code, address, .. } => format!("signal {number} code {code} at {address:X}"),
                Ending::NotReached => unreachable!("handled above"),
            };
            Verdict::Different(format!("{ending}, here {event:?} at {:X}", ours.address))
        }
    }
}

/// Compares registers and storage: theirs against ours.
fn registers(theirs: &Registers, ours: &Registers) -> Verdict {
    if theirs == ours {
        return Verdict::Same;
    }
    let mut text = String::new();
    for n in 0..16 {
        if theirs.gr[n] != ours.gr[n] {
            let _ = write!(text, "r{n} {:016X}, here {:016X}; ", theirs.gr[n], ours.gr[n]);
        }
        if theirs.ar[n] != ours.ar[n] {
            let _ = write!(text, "a{n} {:08X}, here {:08X}; ", theirs.ar[n], ours.ar[n]);
        }
    }
    for n in 0..32 {
        let ([left, right], [l, r]) = (theirs.fpr.0[n], ours.fpr.0[n]);
        if [left, right] != [l, r] {
            let _ = write!(text, "v{n} {left:016X}{right:016X}, here {l:016X}{r:016X}; ");
        }
    }
    if theirs.fpc != ours.fpc {
        let _ = write!(text, "fpc {:08X}, here {:08X}; ", theirs.fpc, ours.fpc);
    }
    if theirs.cc != ours.cc {
        let _ = write!(text, "cc {}, here {}; ", theirs.cc, ours.cc);
    }
    if theirs.program_mask != ours.program_mask {
        let _ = write!(text, "program mask {:X}, here {:X}; ", theirs.program_mask, ours.program_mask);
    }
    if let Some(first) = (0..theirs.scratch.len()).find(|n| theirs.scratch[*n] != ours.scratch[*n]) {
        let last = (0..theirs.scratch.len()).rfind(|n| theirs.scratch[*n] != ours.scratch[*n]).unwrap_or(first);
        let end = (last + 1).min(first + 16);
        let hex = |r: &Registers| r.scratch[first..end].iter().map(|b| format!("{b:02X}")).collect::<String>();
        let at = SCRATCH + first as u64;
        let _ = write!(text, "@{at:X} {}, here {} ({} bytes); ", hex(theirs), hex(ours), last + 1 - first);
    }
    Verdict::Different(text.trim_end_matches("; ").to_string())
}
