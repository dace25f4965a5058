//! DIAGNOSE X'68': VMCF, messages between virtual machines.
//!
//! What the subfunctions do is in the crate `vmcf`; here the parameter list is fetched, and storage has its keys.

use super::{Call, iucv};
use crate::vmdbk::Receive;
use ::iucv::area;
use ::vmcf::{Space, Unusable, code};
use arch::vmcf::{Parameters, function, option};
use arch::PAGE;
use cpu::Interruption;
use zerocopy::{FromZeros, IntoBytes};

/// Storage of a program, and the key of its PSW.
#[derive(Clone)]
pub struct Memory {
    space: area::Space,
    key: u8,
}

/// The parts of an area that lie in one page each: address and length.
fn pages(at: u32, length: u32) -> impl Iterator<Item = (u64, usize)> {
    let (mut at, end) = (u64::from(at), u64::from(at) + u64::from(length));
    std::iter::from_fn(move || {
        let piece = (at, (end - at).min(PAGE - at % PAGE) as usize);
        at += piece.1 as u64;
        (piece.1 > 0).then_some(piece)
    })
}

impl Memory {
    /// Whether the page at `real` may be read, and if `store` written.
    fn allows(&self, real: u64, store: bool) -> Result<(), Unusable> {
        const FETCH: u8 = 0x08;
        let absolute = self.space.absolute(real);
        let storage = &self.space.storage;
        let key = storage.key(absolute).map_err(|_| Unusable::Addressing)?;
        let fits = self.key == 0 || key >> 4 == self.key || !store && key & FETCH == 0;
        if fits && !(store && storage.is_read_only(absolute)) { Ok(()) } else { Err(Unusable::Protection) }
    }
}

impl Space for Memory {
    fn fetch(&self, at: u32, to: &mut [u8]) -> Result<(), Unusable> {
        let mut rest = to;
        for (real, length) in pages(at, rest.len() as u32) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            self.space.read(real, part).map_err(|_| Unusable::Addressing)?;
        }
        Ok(())
    }

    fn store(&self, at: u32, from: &[u8]) -> Result<(), Unusable> {
        let mut rest = from;
        for (real, length) in pages(at, from.len() as u32) {
            let part;
            (part, rest) = rest.split_at(length);
            self.space.write(real, part).map_err(|_| Unusable::Addressing)?;
        }
        Ok(())
    }

    fn check(&self, at: u32, length: u32, store: bool) -> Result<(), Unusable> {
        let end = u64::from(at) + u64::from(length);
        if length > 0 && end > self.space.storage.size() {
            return Err(Unusable::Addressing);
        }
        pages(at, length).try_for_each(|(real, _)| self.allows(real, store))
    }
}

/// `DIAGNOSE X'68'`: performs a subfunction of VMCF.
///
/// Rx: the address of VMCPARM, 40 bytes on a doubleword: options and the subfunction, the number of the message, the
/// other user, addresses and lengths of data and of the reply, and a doubleword for the other program. AUTHORIZE names
/// the buffer, at least 40 bytes on a doubleword, where an external interruption X'4001' stores what has come; bit 31
/// of control register 0 lets it in. Ry gets the return code. 0: done, or begun; 1: wrong address or length; 2: no such
/// subfunction; 3: not in this protocol; 4: not authorized; 5: the user is not available; 6: protection; 7: too long
/// for SENDX; 8: the number is in use; 9: the user has said QUIESCE; 10: 50 messages are active; 11: only the reply was
/// canceled; 12: no such message; 13: its interruption has not come; 14: too late for CANCEL; 16: lengths differ; 17:
/// areas overlap; 18: no priority messages; 19: the buffer for the reply cannot be used.
pub fn communicate(call: &Call<'_>) -> Result<(), Interruption> {
    let at = call.address(call.r1);
    call.specification(at.0.is_multiple_of(8))?;
    let mut list = Parameters::new_zeroed();
    call.read(at, list.as_mut_bytes())?;
    let key = (call.core().state.psw_mask() >> 52 & 15) as u8;
    let memory = Memory { space: iucv::space(call), key };
    let answer = call.vmdbk.vmcf().perform(call.vmdbk.id, &list, memory);
    let authorizes = list.function.get() == function::AUTHORIZE && answer == code::DONE;
    if authorizes && list.flags & option::SPECIAL != 0 {
        call.vmdbk.lock().settings.special_messages = Receive::On;
    }
    call.set_gr(call.r3, answer.into());
    Ok(())
}
