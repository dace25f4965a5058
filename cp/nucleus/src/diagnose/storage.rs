//! DIAGNOSE X'10', X'64', X'258': pages and segments.

use super::Call;
use arch::{Absolute, PAGE, Program};
use cpu::Interruption;

/// The saved segment does not exist.
const NO_SEGMENT: u64 = 44;

/// `DIAGNOSE X'10'`: releases pages.
///
/// Rx and Ry: the addresses of the first and the last page. Their contents are zero afterwards, and the host has its storage back.
pub fn release_pages(call: &Call<'_>) -> Result<(), Interruption> {
    let (first, last) = (call.address(call.r1).0, call.address(call.r3).0);
    call.specification(first.is_multiple_of(PAGE) && last.is_multiple_of(PAGE) && first <= last)?;
    let storage = call.machine.configuration.storage();
    storage.discard(Absolute(first), Absolute(last)).map_err(|_| Program::Addressing)?;
    Ok(())
}

/// `DIAGNOSE X'64'`: saved segments.
///
/// Rx: the address of an eight-character name, Ry: the subcode. There are no saved segments: condition code 2 and 44 in Ry, as for a name
/// that does not exist.
pub fn saved_segments(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, NO_SEGMENT);
    call.set_cc(2);
    Ok(())
}

/// `DIAGNOSE X'258'`: the page fault handshake.
///
/// Rx: the address of a doubleword that says what is wanted (0 token, 1 cancel). Pages of a virtual machine are always there, so that nobody has
/// anything to wait for: Ry gets 8, not available.
pub fn page_fault_handshake(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, 8);
    Ok(())
}
