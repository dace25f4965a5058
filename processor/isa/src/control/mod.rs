//! Bodies of control and I/O instructions (POP, chapters 10 and 14).
//!
//! All are routines on the exact state. What belongs to the configuration (SIGP, I/O, SERVICE CALL) is checked here and
//! ends as an interception.

mod adapters;
mod io;
mod keys;
mod linkage;
mod machine;
mod measurement;
mod psw;
mod registers;
mod resume;
mod spaces;
mod subspaces;
mod timing;
mod tracing;
mod translation;

pub(crate) use adapters::*;
pub(crate) use io::*;
pub(crate) use keys::*;
pub(crate) use linkage::*;
pub(crate) use machine::*;
pub(crate) use measurement::*;
pub(crate) use psw::*;
pub(crate) use registers::*;
pub(crate) use resume::*;
pub(crate) use spaces::*;
pub(crate) use subspaces::*;
pub(crate) use timing::*;
pub(crate) use tracing::*;
pub(crate) use translation::*;

use crate::prelude::*;
use registers::extraction_allowed;

/// The operand of an S-format instruction that must be privileged and on a boundary of `n` bytes.
fn privileged_operand(s: &mut State, i: &Fields, n: u64) -> Result<At, Interruption> {
    s.supervisor_only()?;
    operand(s, i, n)
}

/// The operand of an S- or RS-format instruction, on a boundary of `n` bytes.
fn operand(s: &mut State, i: &Fields, n: u64) -> Result<At, Interruption> {
    let at = Cpu::address(s, 0, i.b2, i.d2);
    Cpu::aligned(s, at, n)?;
    Ok(at)
}
