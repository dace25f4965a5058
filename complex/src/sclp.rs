//! The service element: SERVICE CALL and its events (memory size, load parameter, the operator's line-mode console,
//! the integrated ASCII console, SIGNAL SHUTDOWN). What Linux asks of it is the specification.
//!
//! A call with condition code 0 always ends in a service-signal interruption with the address of the control block as
//! its parameter. Events for the guest wait here until it reads them.

use crate::Configuration;
use arch::service::{
    CpuEntry, CpuInfo, ENHANCED_SUPPRESSION, EVENT_ACCEPTED, EventBuffer, EventMasks, GdsVector,
    INTERPRETIVE_EXECUTION, MessageHeader, MessageObject, STORAGE_LIMIT_SUPPRESSION, SccbHeader, ScpInfo, TEXT_OBJECT,
};
use arch::{Program, Real};
use base::layout::{U16, U32};
use base::{Held, ebcdic};
use cpu::{External, Interruption, State};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::iter;
use zerocopy::{FromBytes, IntoBytes};

/// Interruption-parameter bits beside the block's address: an event is waiting.
pub(crate) const EVENT_PENDING: u32 = 3;

/// Command words.
mod command {
    pub(super) const READ_SCP_INFO: u32 = 0x0002_0001;
    pub(super) const READ_SCP_INFO_FORCED: u32 = 0x0012_0001;
    pub(super) const READ_CPU_INFO: u32 = 0x0001_0001;
    pub(super) const WRITE_EVENT_MASK: u32 = 0x0078_0005;
    pub(super) const WRITE_EVENT_DATA: u32 = 0x0076_0005;
    pub(super) const READ_EVENT_DATA: u32 = 0x0077_0005;
}

/// Response codes.
mod response {
    pub(super) const INFORMATION: u16 = 0x0010;
    pub(super) const DONE: u16 = 0x0020;
    pub(super) const MORE: u16 = 0x0220;
    pub(super) const INVALID_COMMAND: u16 = 0x01f0;
    pub(super) const INSUFFICIENT_LENGTH: u16 = 0x0300;
    pub(super) const BOUNDARY: u16 = 0x0100;
    pub(super) const NO_EVENTS: u16 = 0x60f0;
    pub(super) const INVALID_MASK_LENGTH: u16 = 0x74f0;
    pub(super) const INVALID_FUNCTION: u16 = 0x40f0;
    /// The event is not of a type that we receive.
    pub(super) const INVALID_EVENT: u16 = 0x70f0;
}

/// Event types as mask bits: type 1 is the leftmost bit.
const OPERATOR_COMMAND: u32 = 1 << 31;
const MESSAGE: u32 = 1 << 30;
const PRIORITY_MESSAGE: u32 = 1 << 23;
const QUIESCE: u32 = 1 << (32 - 0x1d);
/// Bytes to and from the integrated ASCII console, a VT220, if the host has one for this machine.
const ASCII: u32 = 1 << (32 - ASCII_TYPE);
const ASCII_TYPE: u8 = 0x1a;
/// The first byte of what the ASCII console sends: what follows has been typed.
const ASCII_DATA: u8 = 0;
/// Event types that the service element receives from the guest, and those that it sends.
const WE_RECEIVE: u32 = MESSAGE | PRIORITY_MESSAGE;
const WE_SEND: u32 = OPERATOR_COMMAND | QUIESCE;

/// The most events that are kept for a guest that does not read them.
const MAX_EVENTS: usize = 256;
/// Bytes typed at the ASCII console that are kept for a guest, and the most that one event brings it.
const MAX_TYPED: usize = 4096;
const PIECE: usize = 1024;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ServiceElement {
    /// What the guest listens to.
    receive_mask: u32,
    /// Event buffers, header included, not yet read.
    events: VecDeque<Vec<u8>>,
    /// What was typed at the ASCII console and not yet read; a guest that does not listen yet may do so later.
    typed: VecDeque<u8>,
}

impl ServiceElement {
    /// Queues the quiesce event; false if the guest does not listen.
    pub(crate) fn quiesce(&mut self) -> bool {
        // Unit seconds, no time limit.
        self.event(QUIESCE, 0x1d, &[1, 0, 0, 0, 0, 0])
    }

    /// Queues a line for the guest's operator console; false if the guest does not listen.
    pub(crate) fn command(&mut self, line: &str) -> bool {
        let text: Vec<u8> = ebcdic::from_str(line).into_iter().take(200).collect();
        // GDS vectors, each within the other: MDS-MU, CP-MSU, text command, self-defining text message, text.
        let sub = |key: u8, data: &[u8]| [&[data.len() as u8 + 2, key], data].concat();
        let vector = |id: u16, data: &[u8]| {
            let length = U16::new((size_of::<GdsVector>() + data.len()) as u16);
            [GdsVector { length, id: U16::new(id) }.as_bytes(), data].concat()
        };
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
    pub(crate) fn typed(&mut self, bytes: &[u8]) -> bool {
        let room = self.typed.len() + bytes.len() <= MAX_TYPED;
        if room {
            self.typed.extend(bytes);
        }
        room
    }

    /// Whether an event waits that the guest listens to.
    pub(crate) fn waits(&self) -> bool {
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
    pub(crate) fn reset(&mut self) {
        *self = ServiceElement::default();
    }
}

/// An event buffer with its data.
fn event_buffer(kind: u8, data: &[u8]) -> Vec<u8> {
    let length = U16::new((size_of::<EventBuffer>() + data.len()) as u16);
    [EventBuffer { length, kind, ..EventBuffer::default() }.as_bytes(), data].concat()
}

/// The header of a control block, which has at least eight bytes.
fn header(block: &mut [u8]) -> &mut SccbHeader {
    SccbHeader::mut_from_prefix(block).expect("shorter blocks are refused").0
}

/// Writes an entry for each CPU, as many as `to` has room for.
fn put_cpus(cpus: &[u16], to: &mut [u8]) {
    for (entry, &cpu) in to.chunks_exact_mut(size_of::<CpuEntry>()).zip(cpus) {
        let facilities = INTERPRETIVE_EXECUTION;
        entry.copy_from_slice(CpuEntry { address: cpu as u8, facilities, ..CpuEntry::default() }.as_bytes());
    }
}

impl Configuration {
    /// SERVICE CALL: the command word in R1, the real address of the control block (SCCB) in R2.
    pub(crate) fn service_call(&self, state: &mut State, r1: u8, r2: u8) -> Result<(), Interruption> {
        let command = state.gr[r1 as usize] as u32;
        let register = state.gr[r2 as usize];
        let address = register & 0x7fff_ffff;
        // Bits on the left of a 31-bit address do not count, except in the 64-bit mode, where they must be zero.
        let too_long = state.address_mask == u64::MAX && register != address;
        // Not among the assigned storage locations, those of another prefix either.
        let area = state.architecture().prefix_area();
        let assigned = address < area || address & !(area - 1) == state.prefix;
        if too_long || assigned || address % 8 != 0 {
            return Err(Program::Specification.into());
        }
        let at = state.absolute(Real(address));
        let length = self.storage().read_u16(at).map_err(|_| Program::Addressing)? as usize;
        if length < size_of::<SccbHeader>() {
            return Err(Program::Specification.into());
        }
        let mut block = vec![0; length];
        self.storage().read(at, &mut block).map_err(|_| Program::Addressing)?;
        let code = if address % 4096 + length as u64 > 4096 && command & 0xffff != 1 {
            response::BOUNDARY
        } else {
            self.serve(command, &mut block)
        };
        header(&mut block).response.set(code);
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

    /// Carries out a command on a copy of its control block, and returns the response code.
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
        let entries = size_of::<ScpInfo>();
        if block.len() < entries + size_of::<CpuEntry>() * cpus.len() {
            return response::INSUFFICIENT_LENGTH;
        }
        block[size_of::<SccbHeader>()..].fill(0);
        let (info, rest) = ScpInfo::mut_from_prefix(block).expect("the length was compared");
        // Increments are whole megabytes, large enough that their number fits a halfword.
        let megabytes = self.storage().size() >> 20;
        let mut increment = 1;
        while megabytes / increment > 0xffff {
            increment *= 2;
        }
        info.increments.set((megabytes / increment) as u16);
        match u8::try_from(increment) {
            Ok(increment) => info.increment_size = increment,
            Err(_) => info.increment_size_2.set(increment as u32),
        }
        info.cpus.set(cpus.len() as u16);
        info.cpu_offset.set(entries as u16);
        info.load_parameter = self.ipl.lock().held().load_parameter();
        info.facilities_85 = ENHANCED_SUPPRESSION | STORAGE_LIMIT_SUPPRESSION;
        put_cpus(&cpus, rest);
        response::INFORMATION
    }

    fn read_cpu_info(&self, block: &mut [u8]) -> u16 {
        let cpus: Vec<u16> = self.cpus().collect();
        let entries = size_of::<CpuInfo>();
        let end = entries + size_of::<CpuEntry>() * cpus.len();
        if block.len() < end {
            return response::INSUFFICIENT_LENGTH;
        }
        block[size_of::<SccbHeader>()..].fill(0);
        let (info, rest) = CpuInfo::mut_from_prefix(block).expect("the length was compared");
        info.configured.set(cpus.len() as u16);
        info.configured_offset.set(entries as u16);
        info.standby_offset.set(end as u16);
        put_cpus(&cpus, rest);
        response::INFORMATION
    }

    /// WRITE EVENT MASK: the guest says which events it receives and sends. The block has four masks of 4 or 8 bytes:
    /// the guest's receive and send masks, then those of the service element.
    fn write_event_mask(&self, block: &mut [u8]) -> u16 {
        let Ok((head, masks)) = EventMasks::mut_from_prefix(block) else { return response::INSUFFICIENT_LENGTH };
        let length = usize::from(head.mask_length.get());
        if !matches!(length, 4 | 8) || masks.len() < 4 * length {
            return response::INVALID_MASK_LENGTH;
        }
        let (receives, _) = U32::read_from_prefix(masks).expect("the length was compared");
        let ascii = if self.host.has_ascii_console() { ASCII } else { 0 };
        self.service.lock().held().receive_mask = receives.get() & (WE_SEND | ascii);
        for (n, mask) in [(2, WE_RECEIVE | ascii), (3, WE_SEND | ascii)] {
            let ours = &mut masks[n * length..][..length];
            ours.fill(0);
            U32::new(mask).write_to_prefix(ours).expect("the length was compared");
        }
        response::DONE
    }

    /// WRITE EVENT DATA: messages of the guest. Event buffers have message-data blocks, in which each text object is a
    /// line, or bytes for the ASCII console.
    fn write_event_data(&self, block: &mut [u8]) -> u16 {
        let mut rest = &mut block[size_of::<SccbHeader>()..];
        let mut first = true;
        while let Ok((event, behind)) = EventBuffer::mut_from_prefix(rest) {
            let length = usize::from(event.length.get()).checked_sub(size_of::<EventBuffer>());
            let Some((data, others)) = length.and_then(|length| behind.split_at_mut_checked(length)) else {
                return if first { response::INVALID_FUNCTION } else { response::DONE };
            };
            match event.kind {
                2 | 9 => text_lines(data).iter().for_each(|line| self.host.service_message(line)),
                ASCII_TYPE if self.host.has_ascii_console() => self.host.ascii_console(data),
                _ => return response::INVALID_EVENT,
            }
            event.flags |= EVENT_ACCEPTED;
            (rest, first) = (others, false);
        }
        response::DONE
    }

    fn read_event_data(&self, block: &mut [u8]) -> u16 {
        let mut service = self.service.lock().held();
        let Some(event) = service.next() else { return response::NO_EVENTS };
        let length = size_of::<SccbHeader>() + event.len();
        if block.len() < length {
            service.events.push_front(event);
            return response::INSUFFICIENT_LENGTH;
        }
        block[size_of::<SccbHeader>()..length].copy_from_slice(&event);
        block[length..].fill(0);
        header(block).length.set(length as u16);
        if service.waits() { response::MORE } else { response::DONE }
    }
}

/// The lines of a message-data block: its text objects.
fn text_lines(mdb: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = mdb.get(size_of::<MessageHeader>()..).unwrap_or_default();
    while let Ok((object, behind)) = MessageObject::ref_from_prefix(rest) {
        let length = usize::from(object.length.get()).checked_sub(size_of::<MessageObject>());
        let Some((data, others)) = length.and_then(|length| behind.split_at_checked(length)) else { break };
        // Flags, then the text.
        if object.kind == TEXT_OBJECT
            && let Some(text) = data.get(2..)
        {
            lines.push(ebcdic::to_string(text).trim_end_matches(['\0', '\n']).to_string());
        }
        rest = others;
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
