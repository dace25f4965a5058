//! DIAGNOSE X'68': VMCF, messages between virtual machines.
//!
//! What the subfunctions do is in the crate `vmcf`; here the parameter list is fetched.

use crate::{Call, iucv};
use virtualmachine::vmcf_memory::Memory;
use virtualmachine::vmdbk::Receive;
use ::vmcf::code;
use arch::vmcf::{Parameters, function, option};
use cpu::Interruption;
use zerocopy::{FromZeros, IntoBytes};

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
