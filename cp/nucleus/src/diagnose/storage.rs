//! DIAGNOSE X'10', X'258': pages.

use super::Call;
use arch::{Absolute, PAGE, Program};
use cpu::Interruption;

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

/// `DIAGNOSE X'258'`: the page fault handshake.
///
/// Rx: the address of a doubleword that says what is wanted (0 token, 1 cancel). Pages of a virtual machine are always there, so that nobody has
/// anything to wait for: Ry gets 8, not available.
pub fn page_fault_handshake(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, 8);
    Ok(())
}
