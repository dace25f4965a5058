//! The host's MXCSR for the guest's floating-point-control register: when the host may do the arithmetic, and where the
//! flags are. [`crate::emit::floating`] says why.

use crate::emit::assembler::{Assembler, asm, field, scratch};
use crate::emit::map::{COUNT, FIRST};
use crate::emit::scratch::*;
use crate::plan::float_forms::{DECIDE, ready};
use cpu::{State, layout};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// The host's MXCSR with every exception masked, rounding to nearest, and no flag on.
const MXCSR: u32 = 0x1f80;
/// Its flags that are the guest's, too, and where the guest has them (POP, chapter 9): division by zero, overflow,
/// underflow, inexact.
const FLAGS: [(u32, u32); 4] = [(4, 0x0040_0000), (8, 0x0020_0000), (16, 0x0010_0000), (32, 0x0008_0000)];

/// The displacement from rbp of a byte that is 1 if of the guest's flags the MXCSR is known to have "inexact" alone.
/// [`crate::idiom::side_by_side`] finds that out; an operation that may signal more resets it.
pub(crate) const MODEST: i32 = scratch(FLOATED) + 1;

/// Whether flags of the guest are in the MXCSR.
pub(crate) fn owes_flags(s: &State) -> bool {
    s.scratch[FLOATED] as u8 != 0
}

/// What generated code needs to find in `State::scratch` when it is entered; `routine` is what [`emit`] made.
pub(crate) fn prepare(s: &mut State, routine: u64) {
    s.scratch[FLOATED] = u64::from(MXCSR) << 32;
    s.scratch[FLOATS_READY] = routine;
    s.scratch[SIGN] = 1 << 63;
    s.scratch[MAGNITUDE] = u64::MAX >> 1;
    s.scratch[SHORT_LEAST] = 0x0080_0000_7fff_ffff;
    s.scratch[LEAST] = 0x0010_0000_0000_0000;
    s.scratch[EXTREME..EXTREME + 4].copy_from_slice(&[0x7fe0_0000_0000_0000, 0, 0x7f00_0000, 0]);
    s.scratch[ENDLESS..ENDLESS + 4].copy_from_slice(&[0x7ff0_0000_0000_0000, 0, 0x7f80_0000, 0]);
    s.scratch[ORDER..ORDER + 4].copy_from_slice(&[0x0001_0203_0405_0607, NO_BYTES, 0x8080_8080_0001_0203, NO_BYTES]);
}

/// Places of bytes for VPSHUFB that make zeros.
const NO_BYTES: u64 = 0x8080_8080_8080_8080;

/// The flags that are in the MXCSR go into the floating-point-control register, and stay there alone.
pub(crate) fn take_flags(s: &mut State) {
    let mut mxcsr = 0u32;
    // SAFETY: four bytes are stored into a variable of four.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    for (host, guest) in FLAGS {
        if mxcsr & host != 0 {
            s.fpc |= guest;
        }
    }
    s.scratch[FLOATED] = u64::from(MXCSR) << 32;
}

/// The host may go on as it did before [`take_flags`], unless that is no longer so.
pub(crate) fn give_flags(s: &mut State) {
    if ready(s.fpc) {
        let mxcsr = MXCSR;
        // SAFETY: that is how Rust has it, but for the flags, which mean nothing there.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags, readonly))
        };
        s.scratch[FLOATED] |= 1;
    }
}

/// Emits what finds out whether the host may do the arithmetic, and prepares for it: "not equal": it may not.
pub(crate) fn emit(a: &mut Assembler) -> usize {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    let at = e.a.offset().0;
    asm!(e, test DWORD [rbp + field(layout::FPC)], DECIDE as i32 ; jne >no
        ; ldmxcsr [rbp + scratch(FLOATED) + 4] ; mov BYTE [rbp + scratch(FLOATED)], 1 ; no: ; ret);
    at
}

/// Stores or loads the host registers that may have floating-point registers, where sites look for them.
pub(crate) fn spill(a: &mut Assembler, store: bool) {
    struct E<'a> {
        a: &'a mut Assembler,
    }
    let e = E { a };
    for n in 0..COUNT {
        let (x, at) = (FIRST + n as u8, scratch(SPILL_FLOATS + n));
        if store { asm!(e, vmovsd QWORD [rbp + at], Rx(x)) } else { asm!(e, vmovsd Rx(x), QWORD [rbp + at]) }
    }
}
