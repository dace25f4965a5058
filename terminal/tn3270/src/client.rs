//! A terminal's end of a connection, without its socket: what calls a host as a 3270.
//!
//! Life of a client: [`Client::new`] says nothing and waits for the host's first offer. The owner feeds what arrives to
//! [`Client::receive`], sends what [`Client::take_output`] gives, and takes what the host wants with
//! [`Client::next_event`]. First comes [`FromHost::Ready`], then records for a [`crate::Screen`]; what the screen
//! answers, and what its keys make, goes back through [`Client::send`]. TN3270E (RFC 2355) is used if the host offers
//! it, else TN3270 (RFC 1576).

use crate::negotiation::{Change, Options, Side};
use crate::telnet::{self, Decoder, Item, Verb, command, option};
use crate::terminal::{Protocol, TerminalType};
use crate::tn3270e::{ALWAYS_RESPONSE, Functions, Header, Reject, data_type, verb};
use base::layout::U16;
use std::collections::VecDeque;
use zerocopy::{FromBytes, IntoBytes};

/// The largest record that is taken from a host, in bytes.
const RECORD_MAX: usize = 1 << 17;

/// SEND of a subnegotiation about terminal types (RFC 1091).
const TYPE_SEND: u8 = 1;
/// IS of one.
const TYPE_IS: u8 = 0;

/// What a client says of itself.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The terminal type, such as `IBM-3278-2-E`.
    pub terminal_type: String,
    /// The device name that is asked for; without one the host chooses.
    pub device_name: Option<String>,
    /// Whether TN3270E is used with hosts that offer it.
    pub tn3270e: bool,
}

/// What came from the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromHost {
    /// Negotiation is over. Comes once, before all records.
    Ready {
        /// How records travel.
        protocol: Protocol,
        /// The device name that the host has given; classic TN3270 tells none.
        device_name: Option<String>,
    },
    /// A 3270 record, command first.
    Record(Vec<u8>),
    /// The connection is of no use any more, for this reason: close the socket.
    Closed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The host's offers are awaited, or what it says to ours.
    Negotiating,
    /// Records travel.
    Open(Protocol),
    Closed,
}

/// A terminal's end of a connection.
pub struct Client {
    caller: Caller,
    phase: Phase,
    decoder: Decoder,
    options: Options,
    out: Vec<u8>,
    events: VecDeque<FromHost>,
    record: Vec<u8>,
    device_name: Option<String>,
}

impl Client {
    /// A client that waits for what the host offers.
    pub fn new(caller: Caller) -> Client {
        Client {
            caller,
            phase: Phase::Negotiating,
            decoder: Decoder::new(),
            options: Options::new(),
            out: Vec::new(),
            events: VecDeque::new(),
            record: Vec::new(),
            device_name: None,
        }
    }

    /// Takes bytes that arrived, however they were cut.
    pub fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.phase == Phase::Closed {
                return;
            }
            match self.decoder.push(byte) {
                None => {}
                // Before records travel a host may greet people with text.
                Some(Item::Data(_)) if self.phase == Phase::Negotiating && !self.is_tn3270e() => {}
                Some(Item::Data(_)) if self.record.len() >= RECORD_MAX => self.fail("a 3270 record that is too long"),
                Some(Item::Data(byte)) => self.record.push(byte),
                Some(Item::Command(command::EOR)) => self.end_of_record(),
                Some(Item::Command(_)) => {}
                Some(Item::Negotiate(verb, code)) => self.negotiate(verb, code),
                Some(Item::Subnegotiation(option::TN3270E, text)) => self.tn3270e(&text),
                Some(Item::Subnegotiation(option::TERMINAL_TYPE, text)) if text == [TYPE_SEND] => {
                    let name = self.caller.device_name.as_ref().map_or(String::new(), |name| format!("@{name}"));
                    let text = [&[TYPE_IS], self.caller.terminal_type.as_bytes(), name.as_bytes()].concat();
                    telnet::subnegotiate(&mut self.out, option::TERMINAL_TYPE, &text);
                }
                Some(Item::Subnegotiation(..)) => {}
                Some(Item::Malformed(why)) => self.fail(why),
            }
        }
    }

    /// What came next from the host, oldest first.
    pub fn next_event(&mut self) -> Option<FromHost> {
        self.events.pop_front()
    }

    /// Takes the bytes to send.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Sends what the screen made of a key or answered, the AID first. No effect unless records travel.
    pub fn send(&mut self, record: &[u8]) {
        if let Phase::Open(protocol) = self.phase {
            if protocol == Protocol::Tn3270e {
                let header = Header { data_type: data_type::DATA_3270, request: 0, response: 0, sequence: U16::new(0) };
                telnet::escape(&mut self.out, header.as_bytes());
            }
            self.end(record);
        }
    }

    fn end(&mut self, record: &[u8]) {
        telnet::escape(&mut self.out, record);
        self.out.extend([command::IAC, command::EOR]);
    }

    fn is_tn3270e(&self) -> bool {
        self.options.in_use(Side::Ours, option::TN3270E)
    }

    fn fail(&mut self, why: impl Into<String>) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.events.push_back(FromHost::Closed(why.into()));
        }
    }

    fn ready(&mut self, protocol: Protocol) {
        if self.phase == Phase::Negotiating {
            self.phase = Phase::Open(protocol);
            self.events.push_back(FromHost::Ready { protocol, device_name: self.device_name.take() });
        }
    }

    fn negotiate(&mut self, verb: Verb, code: u8) {
        let willing = match code {
            option::TN3270E => verb == Verb::Do && self.caller.tn3270e,
            option::TERMINAL_TYPE => verb == Verb::Do,
            option::BINARY | option::END_OF_RECORD => true,
            _ => false,
        };
        let changed = self.options.received(&mut self.out, verb, code, willing);
        let in_use = |option, side| self.options.in_use(side, option);
        let both = |option| in_use(option, Side::Ours) && in_use(option, Side::Theirs);
        match (changed, self.phase) {
            (_, Phase::Negotiating) if both(option::BINARY) && both(option::END_OF_RECORD) => {
                self.ready(Protocol::Tn3270);
            }
            (Some((_, Change::Ended)), Phase::Open(Protocol::Tn3270e)) if code == option::TN3270E => {
                self.fail("the host ended TN3270E");
            }
            (Some((_, Change::Ended)), Phase::Open(Protocol::Tn3270))
                if matches!(code, option::BINARY | option::END_OF_RECORD) =>
            {
                self.fail("the host ended TN3270");
            }
            _ => {}
        }
    }

    /// A message about TN3270E.
    fn tn3270e(&mut self, text: &[u8]) {
        match text {
            [verb::SEND, verb::DEVICE_TYPE] => {
                let mut text = vec![verb::DEVICE_TYPE, verb::REQUEST];
                text.extend(tn3270e_type(&self.caller.terminal_type).bytes());
                if let Some(name) = &self.caller.device_name {
                    text.push(verb::CONNECT);
                    text.extend(name.bytes());
                }
                telnet::subnegotiate(&mut self.out, option::TN3270E, &text);
            }
            [verb::DEVICE_TYPE, verb::IS, rest @ ..] => {
                let name = rest.split(|byte| *byte == verb::CONNECT).nth(1);
                self.device_name = name.map(|name| String::from_utf8_lossy(name).into_owned());
                self.functions(verb::REQUEST, Functions::DISPLAY);
            }
            [verb::DEVICE_TYPE, verb::REJECT, verb::REASON, code] => {
                let kind = &self.caller.terminal_type;
                let name = self.caller.device_name.as_ref().map_or(String::new(), |name| format!(" as {name}"));
                self.fail(format!("the host refuses {kind}{name}: {}", Reject::from_code(*code)));
            }
            [verb::FUNCTIONS, verb::IS, ..] => self.ready(Protocol::Tn3270e),
            [verb::FUNCTIONS, verb::REQUEST, list @ ..] => {
                let (wanted, others) = Functions::from_list(list);
                let agreed = wanted.intersection(Functions::DISPLAY);
                match !others && wanted == agreed {
                    true => {
                        self.functions(verb::IS, agreed);
                        self.ready(Protocol::Tn3270e);
                    }
                    false => self.functions(verb::REQUEST, agreed),
                }
            }
            _ => self.fail("a TN3270E subnegotiation that RFC 2355 does not know"),
        }
    }

    fn functions(&mut self, verb: u8, functions: Functions) {
        let text = [vec![verb::FUNCTIONS, verb], functions.list()].concat();
        telnet::subnegotiate(&mut self.out, option::TN3270E, &text);
    }

    fn end_of_record(&mut self) {
        let record = std::mem::take(&mut self.record);
        match self.phase {
            Phase::Open(Protocol::Tn3270) => self.events.push_back(FromHost::Record(record)),
            Phase::Open(Protocol::Tn3270e) => {
                let Ok((header, data)) = Header::read_from_prefix(&record) else {
                    return self.fail("a TN3270E record without its header");
                };
                match header.data_type {
                    data_type::DATA_3270 => {
                        self.events.push_back(FromHost::Record(data.to_vec()));
                        if header.response == ALWAYS_RESPONSE {
                            let answer = Header { data_type: data_type::RESPONSE, request: 0, response: 0, ..header };
                            telnet::escape(&mut self.out, answer.as_bytes());
                            // Device end: the record was carried out.
                            self.end(&[0]);
                        }
                    }
                    data_type::UNBIND => self.fail("the host has ended the session"),
                    // The sizes of the screen follow from the terminal type; text is for people.
                    data_type::BIND_IMAGE | data_type::NVT_DATA | data_type::SSCP_LU_DATA => {}
                    other => self.fail(format!("a TN3270E record of type {other}")),
                }
            }
            Phase::Negotiating | Phase::Closed => {}
        }
    }
}

/// The device type that TN3270E has for a terminal type: its displays are all called 3278.
fn tn3270e_type(terminal_type: &str) -> String {
    match TerminalType::parse(terminal_type) {
        Some(kind) if kind.model.number() > 0 => {
            format!("IBM-3278-{}{}", kind.model.number(), if kind.extended { "-E" } else { "" })
        }
        _ => terminal_type.to_owned(),
    }
}

/// The screen's sizes, default first, that a terminal type has; `None` for what is no 3270.
pub fn sizes(terminal_type: &str) -> Option<[crate::Size; 2]> {
    let kind = TerminalType::parse(terminal_type)?;
    Some([crate::Size::new(24, 80), kind.model.size()])
}
