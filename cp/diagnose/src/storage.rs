//! DIAGNOSE X'10', X'214', X'258': pages.

use crate::Call;
use arch::diagnose::{HANDSHAKE_VERSION, HANDSHAKE_WORDS, PageFaultHandshake};
use arch::{Absolute, PAGE, PAGE_MASK, Program, Real};
use cpu::{Handshake, Interruption};
use zerocopy::{FromZeros, IntoBytes};

/// Where the pages lie that programs may release: the assigned storage locations are below.
const RELEASABLE: u64 = 0x2000;

/// The absolute addresses of the first and the last page of each stretch of a range of real pages: prefixing moves the
/// prefix area and what it changes places with.
fn stretches(call: &Call<'_>, first: u64, last: u64) -> Vec<(Absolute, Absolute)> {
    let core = call.core();
    let (prefix, area) = (core.state.prefix, core.state.architecture().prefix_area());
    let mut starts = vec![first];
    starts.extend([area, prefix, prefix + area].into_iter().filter(|&at| at > first && at <= last));
    starts.sort_unstable();
    starts.dedup();
    let ends = starts[1..].iter().map(|&next| next - PAGE).chain([last]);
    let absolute = |real| core.state.absolute(Real(real));
    starts.iter().zip(ends).map(|(&from, to)| (absolute(from), absolute(to))).collect()
}

/// Makes a range of real pages zero, if all of them exist.
fn discard(call: &Call<'_>, first: u64, last: u64, missing: Program) -> Result<(), Interruption> {
    let storage = call.machine.configuration.storage();
    let stretches = stretches(call, first, last);
    if stretches.iter().any(|&(_, last)| storage.key(last).is_err()) {
        return Err(missing.into());
    }
    stretches.into_iter().try_for_each(|(first, last)| storage.discard(first, last)).map_err(|_| missing)?;
    Ok(())
}

/// `DIAGNOSE X'10'`: releases pages.
///
/// Rx and Ry: the real addresses of the first and the last page, X'2000' or higher. Their contents are zero afterwards,
/// and the host has its storage back.
pub fn release_pages(call: &Call<'_>) -> Result<(), Interruption> {
    let (first, last) = (call.address(call.r1).0, call.address(call.r3).0);
    let pages = first.is_multiple_of(PAGE) && last.is_multiple_of(PAGE);
    call.specification(pages && (RELEASABLE..=last).contains(&first))?;
    discard(call, first, last, Program::Addressing)
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
        return discard(call, first, last, Program::Specification);
    }
    if call.r3 == 0 {
        return Ok(());
    }
    let key = call.gr(call.r3) as u8 & 0xf8;
    let mut changed = false;
    for (first, last) in stretches(call, first, last) {
        for page in (first.0..=last.0).step_by(PAGE as usize) {
            let old = storage.key(Absolute(page)).map_err(|_| Program::Specification)?;
            if old & 0xf8 != key {
                storage.set_key(Absolute(page), key | old & 0x07).map_err(|_| Program::Specification)?;
                changed = true;
            }
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
/// Rx: the real address of a block of five doublewords, version 2. Function 0 establishes the handshake for this
/// virtual CPU, with the real address of a token and two masks; 1 cancels it, and has neither. From then on a page that
/// has to be read from page space stops the program only if it cannot be told. It can where the bits of the PSW that
/// the first mask selects are as in the second, and external interruptions of the service-signal subclass are let in.
/// It gets external interruption X'2603' with X'0600' at X'84' and the token, and executes the instruction again later.
/// The same with X'0680' says that the page has come, to any virtual CPU. In ESA/390 it is X'0200' and X'0280', and the
/// token is a word.
///
/// Ry gets 0; 8 where the handshake is established already, or CP takes no pages away; 4 where there is none to cancel.
/// A reset cancels it, too. What has not been told by then is not told any more.
pub fn page_fault_handshake(call: &Call<'_>) -> Result<(), Interruption> {
    let mut block = PageFaultHandshake::new_zeroed();
    call.read(call.address(call.r1), block.as_mut_bytes())?;
    let PageFaultHandshake { code, function, words, version, token, select, compare, .. } = block;
    call.specification(code == 0x258 && words.get() >= HANDSHAKE_WORDS && version == HANDSHAKE_VERSION)?;
    let (token, select, compare) = (token.get(), select.get(), compare.get());
    let answer = match function.get() {
        0 => {
            call.specification(token.is_multiple_of(8) && compare & !select == 0)?;
            call.read(Real(token), &mut [0; 8])?;
            let state = &mut call.core().state;
            match state.handshake().is_none() && call.machine.pages.is_some() {
                true => {
                    state.set_handshake(Some(Handshake { token, select, compare }));
                    0
                }
                false => 8,
            }
        }
        1 => {
            call.specification(token == 0 && select == 0 && compare == 0)?;
            let state = &mut call.core().state;
            match state.handshake() {
                Some(_) => {
                    state.set_handshake(None);
                    0
                }
                None => 4,
            }
        }
        _ => return Err(Program::Specification.into()),
    };
    call.set_gr(call.r3, answer);
    Ok(())
}
