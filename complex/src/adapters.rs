//! What a configuration answers if its channel subsystem has no QDIO subchannels, no PCI functions and no adjunct
//! processors.

use crate::Configuration;
use arch::Program;
use arch::io::SubsystemId;
use cpu::{At, Interruption, IoInstruction, State};

/// CALL LOGICAL PROCESSOR: response codes, commands, and the sizes of blocks.
mod clp {
    pub const DONE: u16 = 0x0010;
    pub const NO_SUCH_COMMAND: u16 = 0x0020;
    pub const WRONG_LENGTH: u16 = 0x0050;
    pub const RESERVED_NOT_ZERO: u16 = 0x0070;
    pub const NO_SUCH_FUNCTION: u16 = 0x0101;
    pub const BAD_TOKEN: u16 = 0x010a;

    pub const LIST_FUNCTIONS: u16 = 2;
    pub const QUERY_FUNCTION: u16 = 3;
    pub const QUERY_GROUP: u16 = 4;
    pub const SET_FUNCTION: u16 = 5;

    /// Header of a request or a response.
    pub const HEADER: usize = 16;
    /// Request and response together.
    pub const BLOCK: usize = 8192;
    /// An entry of the list of functions.
    pub const ENTRY: u8 = 32;
    /// The processors there are, as a mask: PCI is number 2.
    pub const PROCESSORS: u64 = 1 << 61;
    pub const PCI: u8 = 2;
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
                if function & 0x80 == 0 {
                    SubsystemId::decode(state.gr[1] as u32)?;
                }
                state.cc = 3;
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
        let mut header = [0; clp::HEADER];
        state.read_bytes(at, &mut header)?;
        let half = |bytes: &[u8], n: usize| u16::from_be_bytes([bytes[n], bytes[n + 1]]);
        let (length, command) = (half(&header, 0) as usize, half(&header, 2));
        if !(clp::HEADER..=clp::BLOCK - 8).contains(&length) {
            return Err(Program::Operand.into());
        }
        let to = state.further(at, length as u64);
        let mut size = [0; 2];
        state.read_bytes(to, &mut size)?;
        let room = u16::from_be_bytes(size) as usize;
        if room < 8 || length + room > clp::BLOCK {
            return Err(Program::Operand.into());
        }
        let mut request = vec![0; length];
        state.read_bytes(at, &mut request)?;
        let code = match command {
            _ if request[4..8] != [0; 4] => clp::RESERVED_NOT_ZERO,
            clp::LIST_FUNCTIONS if length != 32 || room < 32 => clp::WRONG_LENGTH,
            // A list that is empty never has to be gone on with.
            clp::LIST_FUNCTIONS if request[16..24] != [0; 8] => clp::BAD_TOKEN,
            clp::LIST_FUNCTIONS => clp::DONE,
            clp::QUERY_FUNCTION | clp::QUERY_GROUP | clp::SET_FUNCTION if length != 32 => clp::WRONG_LENGTH,
            clp::QUERY_FUNCTION | clp::QUERY_GROUP | clp::SET_FUNCTION => clp::NO_SUCH_FUNCTION,
            _ => clp::NO_SUCH_COMMAND,
        };
        let mut response = [0; 32];
        response[..2].copy_from_slice(&(room as u16).to_be_bytes());
        response[2..4].copy_from_slice(&code.to_be_bytes());
        let mut end = 8;
        if code == clp::DONE {
            // No resume token, no functions.
            response[..2].copy_from_slice(&32u16.to_be_bytes());
            response[31] = clp::ENTRY;
            end = 32;
        }
        state.write_bytes(to, &response[..end])?;
        state.cc = 0;
        Ok(())
    }
}
