//! IUCV: messages between virtual machines and CP's services.
//!
//! A program asks how many paths it may have, declares its buffer, sets its masks, and connects. That far it comes here: Linux
//! does all of it while it starts, and does not survive an IUCV that cannot even be queried. There is nobody to connect to
//! yet: CONNECT is answered as for a user who is not logged on, or a system service that does not exist.

use super::Call;
use arch::{Program, Real};
use base::ebcdic;
use cpu::Interruption;
use std::sync::atomic::Ordering;

/// The length of a parameter list and of the buffer.
const LENGTH: u64 = 40;
/// Where the return code is in the parameter list.
const RETURN_CODE: u64 = 3;

mod function {
    pub const QUERY: u32 = 0x00;
    pub const RETRIEVE_BUFFER: u32 = 0x02;
    pub const CONNECT: u32 = 0x0b;
    pub const DECLARE_BUFFER: u32 = 0x0c;
    pub const SET_MASK: u32 = 0x10;
    pub const SET_CONTROL_MASK: u32 = 0x11;
}

/// Return codes (IPRCODE).
mod answer {
    pub const NO_PATH: u8 = 0x01;
    pub const NOT_LOGGED_ON: u8 = 0x0b;
    pub const NO_SERVICE: u8 = 0x10;
    pub const BUFFER_EXISTS: u8 = 0x13;
    pub const NO_BUFFER: u8 = 0x0c;
}

/// Performs the IUCV function in general register 0 with the parameter list that general register 1 points to.
pub fn perform(call: &Call<'_>) -> Result<(), Interruption> {
    let code = call.gr(0) as u32;
    if code == function::QUERY {
        call.set_gr(0, LENGTH);
        call.set_gr(1, call.vmdbk.user.options.max_connections.into());
        call.set_cc(0);
        return Ok(());
    }
    let list = call.address(1);
    call.specification(list.0.is_multiple_of(8))?;
    let mut parameters = [0; LENGTH as usize];
    call.read(list, &mut parameters)?;
    let own = 1 << call.cpu;
    let buffers = &call.vmdbk.iucv_buffers;
    let declared = buffers.load(Ordering::Acquire) & own != 0;
    let refused = match code {
        function::DECLARE_BUFFER if declared => Some(answer::BUFFER_EXISTS),
        function::DECLARE_BUFFER => {
            let buffer = u32::from_be_bytes([parameters[12], parameters[13], parameters[14], parameters[15]]);
            call.read(Real(buffer.into()), &mut [0; LENGTH as usize])?;
            buffers.fetch_or(own, Ordering::AcqRel);
            None
        }
        function::RETRIEVE_BUFFER if declared => {
            buffers.fetch_and(!own, Ordering::AcqRel);
            None
        }
        function::SET_MASK | function::SET_CONTROL_MASK if declared => None,
        function::CONNECT if declared => {
            let service = ebcdic::TO_LATIN1[usize::from(parameters[8])] == b'*';
            Some(if service { answer::NO_SERVICE } else { answer::NOT_LOGGED_ON })
        }
        function::RETRIEVE_BUFFER | function::SET_MASK | function::SET_CONTROL_MASK | function::CONNECT => {
            Some(answer::NO_BUFFER)
        }
        0x01..=0x0f => Some(answer::NO_PATH),
        _ => return Err(Program::Specification.into()),
    };
    if let Some(code) = refused {
        call.write(Real(list.0 + RETURN_CODE), &[code])?;
    }
    call.set_cc(refused.is_some().into());
    Ok(())
}
