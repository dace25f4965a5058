//! DIAGNOSE X'10', X'214', X'258': pages.

use super::Call;
use arch::{Absolute, PAGE, PAGE_MASK, Program};
use cpu::Interruption;

/// `DIAGNOSE X'10'`: releases pages.
///
/// Rx and Ry: the addresses of the first and the last page. Their contents are zero afterwards, and the host has its
/// storage back.
pub fn release_pages(call: &Call<'_>) -> Result<(), Interruption> {
    let (first, last) = (call.address(call.r1).0, call.address(call.r3).0);
    call.specification(first.is_multiple_of(PAGE) && last.is_multiple_of(PAGE) && first <= last)?;
    let storage = call.machine.configuration.storage();
    storage.discard(Absolute(first), Absolute(last)).map_err(|_| Program::Addressing)?;
    Ok(())
}

/// `DIAGNOSE X'214'`: pending page release.
///
/// Rx, an even register, is the address of the first page, Rx+1 that of the last, with the function in its last byte.
/// X'00' establishes: the program does not need what is in the pages any more, and the host gets their storage back;
/// they are zero from then on. X'01' and X'03' cancel: the pages are wanted again, and if Ry is not register 0, its
/// bits 24 to 28 become their access key and fetch protection. X'02' cancels all. To refer to a page cancels, too.
pub fn pending_page_release(call: &Call<'_>) -> Result<(), Interruption> {
    const ESTABLISH: u8 = 0;
    const CANCEL_ALL: u8 = 2;
    call.specification(call.r1.is_multiple_of(2))?;
    let function = call.gr(call.r1 + 1) as u8;
    if function == CANCEL_ALL {
        return Ok(());
    }
    let (first, last) = (call.address(call.r1).0 & PAGE_MASK, call.address(call.r1 + 1).0 & PAGE_MASK);
    let storage = call.machine.configuration.storage();
    call.specification(function <= 3 && first <= last && storage.key(Absolute(last)).is_ok())?;
    if function == ESTABLISH {
        storage.discard(Absolute(first), Absolute(last)).map_err(|_| Program::Specification)?;
        return Ok(());
    }
    if call.r3 == 0 {
        return Ok(());
    }
    let key = call.gr(call.r3) as u8 & 0xf8;
    let mut changed = false;
    for page in (first..=last).step_by(PAGE as usize) {
        let old = storage.key(Absolute(page)).map_err(|_| Program::Specification)?;
        if old & 0xf8 != key {
            storage.set_key(Absolute(page), key | old & 0x07).map_err(|_| Program::Specification)?;
            changed = true;
        }
    }
    // CPUs remember which pages their keys give them access to.
    if changed {
        call.machine.configuration.purge();
    }
    Ok(())
}

/// `DIAGNOSE X'258'`: the page fault handshake.
///
/// Rx: the address of a doubleword that says what is wanted (0 token, 1 cancel). Pages of a virtual machine are always
/// there, so that no program has anything to wait for: Ry gets 8, not available.
pub fn page_fault_handshake(call: &Call<'_>) -> Result<(), Interruption> {
    call.set_gr(call.r3, 8);
    Ok(())
}
