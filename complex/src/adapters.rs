//! Instructions for QDIO, PCI and adjunct processors, in a configuration that has no PCI functions and no adjunct
//! processors. Queues of QDIO belong to devices of the channel subsystem.

use crate::Configuration;
use arch::Program;
use arch::adapter::{ClpListRequest, ClpListResponse, ClpRequest, ClpResponse};
use arch::io::SubsystemId;
use cpu::{At, Interruption, IoInstruction, State};
use zerocopy::{FromBytes, IntoBytes};

/// CALL LOGICAL PROCESSOR: response codes, commands, and the sizes of blocks.
mod clp {
    pub(super) const DONE: u16 = 0x0010;
    pub(super) const NO_SUCH_COMMAND: u16 = 0x0020;
    pub(super) const WRONG_LENGTH: u16 = 0x0050;
    pub(super) const RESERVED_NOT_ZERO: u16 = 0x0070;
    pub(super) const NO_SUCH_FUNCTION: u16 = 0x0101;
    pub(super) const BAD_TOKEN: u16 = 0x010a;

    pub(super) const LIST_FUNCTIONS: u16 = 2;
    pub(super) const QUERY_FUNCTION: u16 = 3;
    pub(super) const QUERY_GROUP: u16 = 4;
    pub(super) const SET_FUNCTION: u16 = 5;

    /// Request and response together.
    pub(super) const BLOCK: usize = 8192;
    /// An entry of the list of functions.
    pub(super) const ENTRY: u8 = 32;
    /// The processors there are, as a mask: PCI is number 2.
    pub(super) const PROCESSORS: u64 = 1 << 61;
    pub(super) const PCI: u8 = 2;
}

impl Configuration {
    pub(crate) fn perform_adapter(&self, state: &mut State, io: IoInstruction) -> Result<(), Interruption> {
        match io {
            IoInstruction::SignalAdapter => {
                // Function codes 0 to 4; with bit 56 on, register 1 holds a token and no subchannel has one.
                let function = state.gr[0] as u32;
                if function & 0x7f > 4 || function >> 8 != 0 {
                    return Err(Program::Operand.into());
                }
                state.cc = match function & 0x80 {
                    0 => {
                        let id = SubsystemId::decode(state.gr[1] as u32)?;
                        self.css().signal_adapter(id, function as u8, state.gr[2] as u32)
                    }
                    _ => 3,
                };
            }
            IoInstruction::BufferState { r3 } => {
                // The condition code of these two is in bits 24-31 of R3: no queue has this token.
                let register = &mut state.gr[r3 as usize];
                *register = *register & !(0xff << 32) | 3 << 32;
            }
            IoInstruction::CallLogicalProcessor { r1, list: true, .. } => {
                state.gr[r1 as usize] = clp::PROCESSORS;
                state.cc = 0;
            }
            IoInstruction::CallLogicalProcessor { r2, processor, .. } => {
                self.call_logical_processor(state, r2, processor)?
            }
            IoInstruction::PciFunction { status, .. } => {
                let register = &mut state.gr[status as usize];
                *register &= !0xff00_0000;
                state.cc = 3;
            }
            IoInstruction::AdjunctProcessor => {
                // Response code 01: no such queue.
                state.gr[1] = state.gr[1] & !0xffff_ffff | 0x0001_0000;
                state.cc = 3;
            }
            other => unreachable!("{other:?} is the channel subsystem's"),
        }
        Ok(())
    }

    /// A request block, with the place of the response after it. CC 0: the response says how it went; 3: there is no
    /// such logical processor.
    fn call_logical_processor(&self, state: &mut State, r2: u8, processor: u8) -> Result<(), Interruption> {
        let at = At { address: state.gr[r2 as usize] & state.address_mask, ar: r2 };
        if processor != clp::PCI {
            state.cc = 3;
            return Ok(());
        }
        let header: ClpRequest = state.read_layout(at)?;
        let length = usize::from(header.length.get());
        if !(size_of::<ClpRequest>()..=clp::BLOCK - size_of::<ClpResponse>()).contains(&length) {
            return Err(Program::Operand.into());
        }
        let to = state.further(at, length as u64);
        let mut response = ClpResponse::default();
        state.read_bytes(to, response.length.as_mut_bytes())?;
        let room = usize::from(response.length.get());
        if room < size_of::<ClpResponse>() || length + room > clp::BLOCK {
            return Err(Program::Operand.into());
        }
        let mut request = vec![0; length];
        state.read_bytes(at, &mut request)?;
        let list = ClpListRequest::ref_from_bytes(&request).ok();
        let code = match header.command.get() {
            _ if header.zeros != [0; 4] => clp::RESERVED_NOT_ZERO,
            clp::LIST_FUNCTIONS if list.is_none() || room < size_of::<ClpListResponse>() => clp::WRONG_LENGTH,
            // The list is empty, so no answer has a resume token.
            clp::LIST_FUNCTIONS if list.is_some_and(|list| list.resume_token != 0) => clp::BAD_TOKEN,
            clp::LIST_FUNCTIONS => clp::DONE,
            clp::QUERY_FUNCTION | clp::QUERY_GROUP | clp::SET_FUNCTION if length != 32 => clp::WRONG_LENGTH,
            clp::QUERY_FUNCTION | clp::QUERY_GROUP | clp::SET_FUNCTION => clp::NO_SUCH_FUNCTION,
            _ => clp::NO_SUCH_COMMAND,
        };
        response.code.set(code);
        if code == clp::DONE {
            // No resume token, no functions.
            response.length.set(size_of::<ClpListResponse>() as u16);
            let list = ClpListResponse { header: response, entry_length: clp::ENTRY, ..ClpListResponse::default() };
            state.write_bytes(to, list.as_bytes())?;
        } else {
            state.write_bytes(to, response.as_bytes())?;
        }
        state.cc = 0;
        Ok(())
    }
}
