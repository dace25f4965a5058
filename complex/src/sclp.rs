//! The service element: SERVICE CALL and its events (memory size, load parameter, the operator's line-mode console,
//! the integrated ASCII console, SIGNAL SHUTDOWN). What Linux asks of it is the specification.
//!
//! A call with condition code 0 always ends in a service-signal interruption with the address of the control block as
//! its parameter. Events for the guest wait here until it reads them.

use crate::Configuration;
use arch::{Program, Real};
use base::{Held, ebcdic};
use cpu::{External, Interruption, State};
use std::collections::VecDeque;
use std::iter;

/// Interruption-parameter bits beside the block's address: an event is waiting.
pub(crate) const EVENT_PENDING: u32 = 3;

/// Command words.
mod command {
    pub const READ_SCP_INFO: u32 = 0x0002_0001;
    pub const READ_SCP_INFO_FORCED: u32 = 0x0012_0001;
    pub const READ_CPU_INFO: u32 = 0x0001_0001;
    pub const WRITE_EVENT_MASK: u32 = 0x0078_0005;
    pub const WRITE_EVENT_DATA: u32 = 0x0076_0005;
    pub const READ_EVENT_DATA: u32 = 0x0077_0005;
}

/// Response codes.
mod response {
    pub const INFORMATION: u16 = 0x0010;
    pub const DONE: u16 = 0x0020;
    pub const MORE: u16 = 0x0220;
    pub const INVALID_COMMAND: u16 = 0x01f0;
    pub const INSUFFICIENT_LENGTH: u16 = 0x0300;
    pub const BOUNDARY: u16 = 0x0100;
    pub const NO_EVENTS: u16 = 0x60f0;
    pub const INVALID_MASK_LENGTH: u16 = 0x74f0;
    pub const INVALID_FUNCTION: u16 = 0x40f0;
    /// The event is not of a type that we receive.
    pub const INVALID_EVENT: u16 = 0x70f0;
}

/// Event types as mask bits: type 1 is the leftmost.
const OPERATOR_COMMAND: u32 = 1 << 31;
const MESSAGE: u32 = 1 << 30;
const PRIORITY_MESSAGE: u32 = 1 << 23;
const QUIESCE: u32 = 1 << (32 - 0x1d);
/// Bytes to and from the integrated ASCII console, a VT220, if the host has one for this machine.
const ASCII: u32 = 1 << (32 - ASCII_TYPE);
const ASCII_TYPE: u8 = 0x1a;
/// The first byte of what the ASCII console sends: what follows has been typed.
const ASCII_DATA: u8 = 0;
/// In byte 85 of what READ SCP INFO gives: enhanced suppression on protection. KVM relies on it for pages that its
/// guest and others share until one of them stores.
const ENHANCED_SUPPRESSION: u8 = 0x02;
/// In the third byte of a CPU's entry: interpretive execution, format 2.
const INTERPRETIVE_EXECUTION: u8 = 0x08;
/// What the guest may send us, and what it may receive.
const WE_RECEIVE: u32 = MESSAGE | PRIORITY_MESSAGE;
const WE_SEND: u32 = OPERATOR_COMMAND | QUIESCE;

/// Events a guest that never reads them may leave here.
const MAX_EVENTS: usize = 256;
/// Bytes typed at the ASCII console that a guest may leave here, and that one event brings it at most.
const MAX_TYPED: usize = 4096;
const PIECE: usize = 1024;

#[derive(Default)]
pub struct ServiceElement {
    /// What the guest listens to.
    receive_mask: u32,
    /// Event buffers, header included, not yet read.
    events: VecDeque<Vec<u8>>,
    /// What was typed at the ASCII console and not yet read; a guest that does not listen yet may do so later.
    typed: VecDeque<u8>,
}

impl ServiceElement {
    /// Queues the quiesce event; false if the guest does not listen.
    pub fn quiesce(&mut self) -> bool {
        // Unit seconds, no time limit.
        self.event(QUIESCE, 0x1d, &[1, 0, 0, 0, 0, 0])
    }

    /// Queues a line for the guest's operator console; false if the guest does not listen.
    pub fn command(&mut self, line: &str) -> bool {
        let text: Vec<u8> = ebcdic::from_str(line).into_iter().take(200).collect();
        // GDS vectors, each within the other: MDS-MU, CP-MSU, text command, self-defining text message, text.
        let sub = |key: u8, data: &[u8]| [&[data.len() as u8 + 2, key], data].concat();
        let vector =
            |id: u16, data: &[u8]| [&(data.len() as u16 + 4).to_be_bytes()[..], &id.to_be_bytes(), data].concat();
        let message = sub(0x31, &sub(0x30, &text));
        let buffer = vector(0x1310, &vector(0x1212, &vector(0x1320, &message)));
        self.event(OPERATOR_COMMAND, 1, &buffer)
    }

    fn event(&mut self, mask: u32, kind: u8, data: &[u8]) -> bool {
        if self.receive_mask & mask == 0 || self.events.len() >= MAX_EVENTS {
            return false;
        }
        self.events.push_back(event_buffer(kind, data));
        true
    }

    /// Keeps what was typed at the ASCII console for the guest; false if there is no room for all of it.
    pub fn typed(&mut self, bytes: &[u8]) -> bool {
        let room = self.typed.len() + bytes.len() <= MAX_TYPED;
        if room {
            self.typed.extend(bytes);
        }
        room
    }

    /// Whether something waits that the guest would read.
    pub fn waits(&self) -> bool {
        !self.events.is_empty() || self.receive_mask & ASCII != 0 && !self.typed.is_empty()
    }

    /// The next event buffer for the guest.
    fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        let count = self.typed.len().min(PIECE);
        let data = self.waits().then(|| iter::once(ASCII_DATA).chain(self.typed.drain(..count)).collect::<Vec<u8>>());
        data.map(|data| event_buffer(ASCII_TYPE, &data))
    }

    /// A reset of the configuration.
    pub fn reset(&mut self) {
        *self = ServiceElement::default();
    }
}

/// An event buffer: length, type, flags, a halfword that is not used, data.
fn event_buffer(kind: u8, data: &[u8]) -> Vec<u8> {
    let [high, low] = (data.len() as u16 + 6).to_be_bytes();
    [&[high, low, kind, 0, 0, 0], data].concat()
}

impl Configuration {
    pub(crate) fn service_call(&self, state: &mut State, r1: u8, r2: u8) -> Result<(), Interruption> {
        let command = state.gr[r1 as usize] as u32;
        let address = state.gr[r2 as usize] & 0x7fff_ffff;
        if address % 8 != 0 {
            return Err(Program::Specification.into());
        }
        let at = state.absolute(Real(address));
        let length = self.storage().read_u16(at).map_err(|_| Program::Addressing)? as usize;
        if length < 8 {
            return Err(Program::Specification.into());
        }
        let mut block = vec![0; length];
        self.storage().read(at, &mut block).map_err(|_| Program::Addressing)?;
        let code = if address % 4096 + length as u64 > 4096 && command & 0xffff != 1 {
            response::BOUNDARY
        } else {
            self.serve(command, &mut block)
        };
        block[6..8].copy_from_slice(&code.to_be_bytes());
        self.storage().write(at, &block).map_err(|_| Program::Addressing)?;
        let more = self.service.lock().held().waits();
        self.external(External {
            code: arch::interruption::external::SERVICE_SIGNAL,
            subcode: 0,
            parameter: Some(address as u32 | if more { EVENT_PENDING } else { 0 }),
            parameter64: None,
        });
        state.cc = 0;
        Ok(())
    }

    /// Carries out a command on a copy of its block and gives the response code.
    fn serve(&self, command: u32, block: &mut [u8]) -> u16 {
        match command {
            command::READ_SCP_INFO | command::READ_SCP_INFO_FORCED => self.read_scp_info(block),
            command::READ_CPU_INFO => self.read_cpu_info(block),
            command::WRITE_EVENT_MASK => self.write_event_mask(block),
            command::WRITE_EVENT_DATA => self.write_event_data(block),
            command::READ_EVENT_DATA => self.read_event_data(block),
            _ => response::INVALID_COMMAND,
        }
    }

    fn read_scp_info(&self, block: &mut [u8]) -> u16 {
        let cpus: Vec<u16> = self.cpus().collect();
        let entries = 144;
        if block.len() < entries + 16 * cpus.len() {
            return response::INSUFFICIENT_LENGTH;
        }
        block[8..].fill(0);
        // Increments of whole megabytes, so few that their number fits a halfword.
        let megabytes = self.storage().size() >> 20;
        let mut increment = 1;
        while megabytes / increment > 0xffff {
            increment *= 2;
        }
        block[8..10].copy_from_slice(&((megabytes / increment) as u16).to_be_bytes());
        block[10] = if increment < 256 { increment as u8 } else { 0 };
        block[16..18].copy_from_slice(&(cpus.len() as u16).to_be_bytes());
        block[18..20].copy_from_slice(&(entries as u16).to_be_bytes());
        block[24..32].copy_from_slice(&self.ipl.lock().held().load_parameter());
        block[85] = ENHANCED_SUPPRESSION;
        if increment >= 256 {
            block[100..104].copy_from_slice(&(increment as u32).to_be_bytes());
        }
        for (n, cpu) in cpus.iter().enumerate() {
            block[entries + 16 * n] = *cpu as u8;
            block[entries + 16 * n + 2] = INTERPRETIVE_EXECUTION;
        }
        response::INFORMATION
    }

    fn read_cpu_info(&self, block: &mut [u8]) -> u16 {
        let cpus: Vec<u16> = self.cpus().collect();
        let entries = 24;
        if block.len() < entries + 16 * cpus.len() {
            return response::INSUFFICIENT_LENGTH;
        }
        block[8..].fill(0);
        block[8..10].copy_from_slice(&(cpus.len() as u16).to_be_bytes());
        block[10..12].copy_from_slice(&(entries as u16).to_be_bytes());
        block[14..16].copy_from_slice(&((entries + 16 * cpus.len()) as u16).to_be_bytes());
        for (n, cpu) in cpus.iter().enumerate() {
            block[entries + 16 * n] = *cpu as u8;
            block[entries + 16 * n + 2] = INTERPRETIVE_EXECUTION;
        }
        response::INFORMATION
    }

    /// The guest says what it listens to and sends; masks of 4 or 8 bytes: its receive and send masks, then ours.
    fn write_event_mask(&self, block: &mut [u8]) -> u16 {
        if block.len() < 12 {
            return response::INSUFFICIENT_LENGTH;
        }
        let length = u16::from_be_bytes([block[10], block[11]]) as usize;
        if !matches!(length, 4 | 8) || block.len() < 12 + 4 * length {
            return response::INVALID_MASK_LENGTH;
        }
        let word = |n: usize| {
            let at = 12 + n * length;
            u32::from_be_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
        };
        let ascii = if self.host.has_ascii_console() { ASCII } else { 0 };
        self.service.lock().held().receive_mask = word(0) & (WE_SEND | ascii);
        for (n, mask) in [(2, WE_RECEIVE | ascii), (3, WE_SEND | ascii)] {
            let at = 12 + n * length;
            block[at..at + length].fill(0);
            block[at..at + 4].copy_from_slice(&mask.to_be_bytes());
        }
        response::DONE
    }

    /// Messages of the guest: buffers with message-data blocks, in which each text object is a line, or with bytes for
    /// the ASCII console.
    fn write_event_data(&self, block: &mut [u8]) -> u16 {
        let mut at = 8;
        while at + 6 <= block.len() {
            let length = u16::from_be_bytes([block[at], block[at + 1]]) as usize;
            if length < 6 || at + length > block.len() {
                return if at == 8 { response::INVALID_FUNCTION } else { response::DONE };
            }
            let data = &block[at + 6..at + length];
            match block[at + 2] {
                2 | 9 => text_lines(data).iter().for_each(|line| self.host.service_message(line)),
                ASCII_TYPE if self.host.has_ascii_console() => self.host.ascii_console(data),
                _ => return response::INVALID_EVENT,
            }
            block[at + 3] |= 0x80;
            at += length;
        }
        response::DONE
    }

    fn read_event_data(&self, block: &mut [u8]) -> u16 {
        let mut service = self.service.lock().held();
        let Some(event) = service.next() else { return response::NO_EVENTS };
        if block.len() < 8 + event.len() {
            service.events.push_front(event);
            return response::INSUFFICIENT_LENGTH;
        }
        block[8..8 + event.len()].copy_from_slice(&event);
        block[8 + event.len()..].fill(0);
        let length = (8 + event.len()) as u16;
        block[..2].copy_from_slice(&length.to_be_bytes());
        if service.waits() { response::MORE } else { response::DONE }
    }
}

/// The lines of a message-data block: the text in objects of type 4.
fn text_lines(mdb: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    // Header: length, type, tag "MDB ", revision; objects follow.
    let mut at = 12;
    while at + 4 <= mdb.len() {
        let length = u16::from_be_bytes([mdb[at], mdb[at + 1]]) as usize;
        let kind = u16::from_be_bytes([mdb[at + 2], mdb[at + 3]]);
        if length < 4 || at + length > mdb.len() {
            break;
        }
        if kind == 4 && length >= 6 {
            let text = ebcdic::to_string(&mdb[at + 6..at + length]);
            lines.push(text.trim_end_matches(['\0', '\n']).to_string());
        }
        at += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_command_waits_only_for_who_listens() {
        let mut service = ServiceElement::default();
        assert!(!service.command("reboot"));
        service.receive_mask = OPERATOR_COMMAND;
        assert!(service.command("HI"));
        let event = &service.events[0];
        assert_eq!(event[2], 1);
        assert_eq!(&event[event.len() - 2..], &[0xc8, 0xc9]);
        assert_eq!(event[1] as usize, event.len());
    }

    #[test]
    fn a_reset_forgets_what_was_typed_and_who_listened() {
        let mut service = ServiceElement { receive_mask: ASCII, ..ServiceElement::default() };
        assert!(service.typed(b"lost") && service.waits());
        service.reset();
        assert!(!service.waits());
        service.receive_mask = ASCII;
        assert!(!service.waits());
    }

    #[test]
    fn text_objects_are_lines() {
        let mut mdb = vec![0; 12];
        mdb.extend_from_slice(&[0, 8, 0, 4, 0x10, 0, 0xc8, 0xc9]);
        mdb.extend_from_slice(&[0, 99, 0, 4]);
        assert_eq!(text_lines(&mdb), ["HI"]);
    }
}
