//! Which binary-floating-point instructions are done inline; [`crate::emit::floating`] emits them.

use isa::Fields;
use isa::form::{Arithmetic, Float};

/// The bits of the floating-point-control register that must be off so that the host may do the arithmetic: results
/// round to nearest, and nothing traps.
pub(crate) const DECIDE: u32 = 0xf800_0007;

/// Whether the host may do the arithmetic for a program with this floating-point-control register.
pub(crate) fn ready(fpc: u32) -> bool {
    fpc & DECIDE == 0
}

/// Whether the host can do this for an instruction with these fields.
pub(crate) fn inline(form: Float, i: &Fields) -> bool {
    // The modifiers change rounding and what is signalled.
    let plain = i.m3 | i.m4 == 0;
    let host = match form {
        Float::FromInteger { .. } | Float::Shorten => plain,
        Float::ToInteger { .. } => truncates(i).is_some(),
        Float::Round { .. } => rounding(i).is_some() && is_x86_feature_detected!("sse4.1"),
        Float::Arithmetic { op: Arithmetic::MultiplyAdd | Arithmetic::MultiplySubtract, .. } => {
            is_x86_feature_detected!("fma")
        }
        _ => true,
    };
    host && is_x86_feature_detected!("avx")
}

/// Whether a number is made an integer toward zero (`true`) or to nearest, if it is one of these. 5 is toward zero. 4
/// is to nearest, and so is 0 as long as the FPC says so.
pub(crate) fn truncates(i: &Fields) -> Option<bool> {
    (i.m4 == 0 && matches!(i.m3, 0 | 4 | 5)).then_some(i.m3 == 5)
}

/// The host's number of the rounding method, if it has that.
pub(crate) fn rounding(i: &Fields) -> Option<i8> {
    match i.m3 {
        _ if i.m4 != 0 => None,
        0 | 4 => Some(0),
        5 => Some(3),
        6 => Some(2),
        7 => Some(1),
        _ => None,
    }
}
