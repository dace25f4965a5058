//! One client's connection, without its socket.
//!
//! Life of a session: [`Session::new`] queues the first offer (DO TN3270E). The owner sends what
//! [`Session::take_output`] gives, feeds what arrives to [`Session::receive`], and takes events with
//! [`Session::next_event`] until there are none. First comes [`Event::Ready`], then what the operator does, at last
//! [`Event::Closed`] if the client breaks the rules (the owner notices a closed socket itself).
//!
//! The doors, in the order they are tried:
//! 1. TN3270E (RFC 2355): DEVICE-TYPE, FUNCTIONS, then records with a header.
//! 2. TN3270 (RFC 1576): a 3270 TERMINAL-TYPE, then END-OF-RECORD and BINARY both ways.
//! 3. Line mode, for everything else. A client that answers nothing gets there when it sends a line, or when the
//!    owner's clock says [`Session::silence`].
//!
//! An extended terminal is asked for its size and colours (Read Partition Query) before it is reported ready.

use std::collections::VecDeque;

use crate::codepage::CodePage;
use crate::datastream::{Highlight, Inbound, QueryReply, read_partition_query};
use crate::line::{self, Key, Keyboard};
use crate::negotiation::{Change, Options, Side};
use crate::telnet::{self, Decoder, Item, Verb, command, option};
use crate::terminal::{Display, Model, Protocol, Terminal, TerminalType};
use crate::tn3270e::{self, Function, Functions, Message, Reject, Response, data_type, verb};
use zerocopy::{FromBytes, IntoBytes};

/// The largest record accepted from a client, in bytes; the largest screen's contents fit several times.
const RECORD_MAX: usize = 1 << 17;
/// How often a client may try again within one negotiation.
const TRIES_MAX: u8 = 16;
/// How many lines are kept that a client sends before it is known to be in line mode.
const EARLY_LINES_MAX: usize = 16;

/// Decides about device names: `Some` is the name a client asks for, `None` means it leaves the choice to us.
/// The answer is the name it gets, one to eight characters, or why it gets none.
pub(crate) type Names = Box<dyn FnMut(Option<&str>) -> Result<String, Reject> + Send>;

/// What a session offers.
#[derive(Clone, Debug)]
pub struct Config {
    /// The device name of a client that asks for none, such as `L0001`.
    pub device_name: String,
    /// The host's name in the BIND image.
    pub host_name: String,
    /// Whether TN3270E is offered at all.
    pub tn3270e: bool,
    /// The TN3270E functions that are offered.
    pub functions: Functions,
    /// Whether extended terminals are queried.
    pub query: bool,
    /// The code page that terminals are taken to have.
    pub code_page: CodePage,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            device_name: "L0001".into(),
            host_name: "ENDICOTT".into(),
            tn3270e: true,
            functions: Functions::DISPLAY,
            query: true,
            code_page: CodePage::default(),
        }
    }
}

/// What happened at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Negotiation is over; this is the terminal. Comes once, before all events but `Closed`.
    Ready(Terminal),
    /// A display sent this 3270 record, without any TN3270E header; for `Inbound::parse`, or a guest.
    Inbound(Vec<u8>),
    /// A line was entered in line mode (or, on a display, after SYSREQ), without its end.
    Line(String),
    /// ATTN: telnet's break or interrupt process, or `^C` in line mode.
    Attention,
    /// SYSREQ in TN3270E. (In classic TN3270 the key comes as a record with `Aid::SysReq`.) The next 3270 record
    /// sent takes the display back to its session.
    SysReq,
    /// The client's answer to [`Session::send_3270_confirmed`].
    Response {
        /// The number that the record was given.
        sequence: u16,
        /// What became of it.
        response: Response,
    },
    /// The session is over, for this reason; nothing is received or sent any more. Close the socket after sending
    /// what is left.
    Closed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// DO TN3270E is sent.
    Offer,
    /// TN3270E: the client is to request a device type.
    DeviceType,
    /// TN3270E: the functions are being agreed.
    Functions,
    /// DO TERMINAL-TYPE is sent, or terminal types are being asked for.
    TerminalType,
    /// A 3270 terminal type is known; END-OF-RECORD and BINARY are being agreed.
    Records,
    /// Open, but the terminal's answer to the query is awaited.
    Query,
    /// Ready, a display.
    Screen,
    /// Ready, in line mode.
    Line,
    /// Over.
    Closed,
}

/// One client's connection.
///
/// ```
/// use tn3270::{Config, Event, Session, Terminal};
///
/// let mut session = Session::new(Config::default());
/// // The owner's loop: send what there is, receive, take events.
/// assert_eq!(session.take_output(), [255, 253, 40], "IAC DO TN3270E");
/// session.receive(&[255, 252, 40]);
/// assert_eq!(session.take_output(), [255, 253, 24], "IAC DO TERMINAL-TYPE");
/// session.receive(&[255, 252, 24]);
/// session.receive(b"logon maint\r\n");
/// assert_eq!(session.next_event(), Some(Event::Ready(Terminal::Line { terminal_type: None })));
/// assert_eq!(session.next_event(), Some(Event::Line("logon maint".into())));
/// assert_eq!(session.next_event(), None);
/// session.send_text("Enter password:\n");
/// session.set_echo(false);
/// ```
pub struct Session {
    config: Config,
    names: Names,
    phase: Phase,
    decoder: Decoder,
    options: Options,
    out: Vec<u8>,
    events: VecDeque<Event>,
    /// The display, once its type is known.
    display: Option<Display>,
    machine: u16,
    terminal_types: Vec<String>,
    tries: u8,
    /// The client has answered something in telnet.
    speaks_telnet: bool,
    /// A query is out whose answer is not the owner's.
    query_out: bool,
    record: Vec<u8>,
    sequence: u16,
    keyboard: Keyboard,
    early: VecDeque<Key>,
    echo: bool,
}

impl Session {
    /// A session that gives every client the name it asks for, or `config.device_name`.
    pub fn new(config: Config) -> Session {
        let own = config.device_name.clone();
        Session::with_names(config, Box::new(move |asked| Ok(asked.map_or_else(|| own.clone(), str::to_string))))
    }

    /// A session whose device names `names` decides.
    pub fn with_names(config: Config, names: Names) -> Session {
        let mut session = Session {
            names,
            phase: Phase::Offer,
            decoder: Decoder::new(),
            options: Options::new(),
            out: Vec::new(),
            events: VecDeque::new(),
            display: None,
            machine: 0,
            terminal_types: Vec::new(),
            tries: 0,
            speaks_telnet: false,
            query_out: false,
            record: Vec::new(),
            sequence: 0,
            keyboard: Keyboard::default(),
            early: VecDeque::new(),
            echo: true,
            config,
        };
        if session.config.tn3270e {
            session.options.ask(&mut session.out, Side::Theirs, option::TN3270E, true);
        } else {
            session.ask_terminal_type();
        }
        session
    }

    /// Takes bytes that arrived, however they were cut.
    pub fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.phase == Phase::Closed {
                return;
            }
            match self.decoder.push(byte) {
                None => {}
                Some(Item::Data(byte)) => self.data(byte),
                Some(Item::Command(code)) => self.command(code),
                Some(Item::Negotiate(verb, code)) => self.negotiate(verb, code),
                Some(Item::Subnegotiation(code, text)) => self.subnegotiation(code, &text),
                Some(Item::Malformed(why)) => self.fail(why),
            }
        }
    }

    /// The next event, oldest first.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes the bytes to send.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The display of a session that is ready as one.
    pub fn display(&self) -> Option<&Display> {
        self.display.as_ref().filter(|_| self.phase == Phase::Screen)
    }

    /// Negotiation is still going on: neither ready nor closed.
    pub fn is_negotiating(&self) -> bool {
        !matches!(self.phase, Phase::Screen | Phase::Line | Phase::Closed)
    }

    /// The session is over.
    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// The client has been silent for as long as the owner cares to wait during negotiation (two or three seconds):
    /// what has been learned so far must do. Without effect on a session that is ready.
    pub fn silence(&mut self) {
        match self.phase {
            Phase::Offer | Phase::TerminalType => self.open_line(),
            Phase::Query => self.ready(),
            Phase::DeviceType | Phase::Functions | Phase::Records => self.fail("the client stopped negotiating"),
            Phase::Screen | Phase::Line | Phase::Closed => {}
        }
    }

    /// Sends a 3270 record, command first, as `Outbound::finish` or a guest's channel program makes it. No effect
    /// unless the session is ready as a display.
    pub fn send_3270(&mut self, record: &[u8]) {
        if self.phase == Phase::Screen {
            self.send_record(record, tn3270e::NO_RESPONSE);
        }
    }

    /// Sends a 3270 record and asks for a response: the number that [`Event::Response`] will have. `None` if the
    /// client cannot respond (the record is sent all the same) or the session is not ready as a display.
    pub fn send_3270_confirmed(&mut self, record: &[u8]) -> Option<u16> {
        if self.phase != Phase::Screen {
            return None;
        }
        let responds = self.display.as_ref().is_some_and(|d| d.functions.has(Function::Responses));
        let sequence = self.sequence;
        self.send_record(record, if responds { tn3270e::ALWAYS_RESPONSE } else { tn3270e::NO_RESPONSE });
        responds.then_some(sequence)
    }

    /// Sends text in line mode; `\n` ends a line. No effect unless the session is ready in line mode.
    pub fn send_text(&mut self, text: &str) {
        if self.phase == Phase::Line {
            line::encode(&mut self.out, text);
        }
    }

    /// Whether what is typed in line mode shows: off for a password. The owner turns it on again.
    pub fn set_echo(&mut self, on: bool) {
        if self.phase == Phase::Line && self.echo != on {
            self.echo = on;
            // The client stops echoing because we say we will, and we do not.
            self.options.ask(&mut self.out, Side::Ours, option::ECHO, !on);
        }
    }

    /// Sends something without meaning (telnet's NOP), so that a dead connection is noticed.
    pub fn keep_alive(&mut self) {
        if self.phase != Phase::Closed {
            self.out.extend([command::IAC, command::NOP]);
        }
    }

    /// Ends the session from this side: an UNBIND where the client expects one. No event follows.
    pub fn close(&mut self) {
        let bound = self.display.as_ref().is_some_and(|d| d.functions.has(Function::BindImage));
        if bound && matches!(self.phase, Phase::Query | Phase::Screen) {
            const NORMAL_END: u8 = 1;
            self.send_framed(data_type::UNBIND, tn3270e::NO_RESPONSE, 0, &[NORMAL_END]);
        }
        self.phase = Phase::Closed;
    }

    /// Ends the session because of what the client did.
    fn fail(&mut self, why: impl Into<String>) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Closed;
            self.events.push_back(Event::Closed(why.into()));
        }
    }

    // Telnet.

    fn data(&mut self, byte: u8) {
        match self.phase {
            Phase::Offer | Phase::TerminalType | Phase::Line => {
                if let Some(key) = self.keyboard.push(byte) {
                    self.key(key);
                }
            }
            _ if self.record.len() >= RECORD_MAX => self.fail("a 3270 record that is too long"),
            _ => self.record.push(byte),
        }
    }

    fn key(&mut self, key: Key) {
        if self.phase == Phase::Offer && !self.speaks_telnet {
            // A client that sends keys before it answers an offer is no telnet client at all.
            self.open_line();
        }
        if self.phase != Phase::Line {
            if self.early.len() < EARLY_LINES_MAX {
                self.early.push_back(key);
            }
            return;
        }
        match key {
            Key::Line(text) => {
                if !self.echo {
                    // The end of the line was not echoed either.
                    self.out.extend(b"\r\n");
                }
                self.events.push_back(Event::Line(text));
            }
            Key::Attention => self.events.push_back(Event::Attention),
        }
    }

    fn command(&mut self, code: u8) {
        let ready = matches!(self.phase, Phase::Screen | Phase::Line);
        match code {
            command::EOR => self.end_of_record(),
            command::BRK | command::IP if ready => {
                self.keyboard.erase_line();
                self.events.push_back(Event::Attention);
            }
            command::AO if self.phase == Phase::Screen => self.events.push_back(Event::SysReq),
            command::AYT if self.phase == Phase::Line => self.out.extend(b"\r\n[yes]\r\n"),
            command::AYT => self.out.extend([command::IAC, command::NOP]),
            command::EC => self.keyboard.erase_character(),
            command::EL => self.keyboard.erase_line(),
            _ => {}
        }
    }

    fn negotiate(&mut self, verb: Verb, code: u8) {
        self.speaks_telnet = true;
        if (verb, code) == (Verb::Do, option::TIMING_MARK) {
            // Each DO TIMING-MARK wants an answer of its own: everything before it has been dealt with (RFC 860).
            telnet::negotiate(&mut self.out, Verb::Will, option::TIMING_MARK);
            return;
        }
        let willing = matches!(code, option::BINARY | option::END_OF_RECORD)
            || verb == Verb::Will && code == option::TERMINAL_TYPE;
        let Some((side, change)) = self.options.received(&mut self.out, verb, code, willing) else { return };
        match (side, code, change) {
            (Side::Theirs, option::TN3270E, Change::Enabled) if self.phase == Phase::Offer => {
                self.phase = Phase::DeviceType;
                self.tries = 0;
                let text = [verb::SEND, verb::DEVICE_TYPE];
                telnet::subnegotiate(&mut self.out, option::TN3270E, &text);
            }
            (Side::Theirs, option::TN3270E, Change::Refused | Change::Ended) => match self.phase {
                // A client may also try TN3270E and turn away from it.
                Phase::Offer | Phase::DeviceType | Phase::Functions => self.ask_terminal_type(),
                Phase::TerminalType | Phase::Records | Phase::Line => {}
                _ => self.fail("the client ended TN3270E"),
            },
            (Side::Theirs, option::TERMINAL_TYPE, Change::Enabled) if self.phase == Phase::TerminalType => {
                self.send_terminal_type();
            }
            (Side::Theirs, option::TERMINAL_TYPE, Change::Refused | Change::Ended)
                if self.phase == Phase::TerminalType =>
            {
                self.open_line();
            }
            (_, option::BINARY | option::END_OF_RECORD, change) => match (change, self.phase) {
                (Change::Enabled, Phase::Records) => self.open_records_if_agreed(),
                (Change::Refused | Change::Ended, Phase::Records) => self.open_line(),
                (Change::Ended, Phase::Query | Phase::Screen) if !self.is_tn3270e() => {
                    self.fail("the client ended TN3270");
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn subnegotiation(&mut self, code: u8, text: &[u8]) {
        match code {
            option::TERMINAL_TYPE => self.terminal_type(text),
            option::TN3270E if self.options.in_use(Side::Theirs, option::TN3270E) => match Message::parse(text) {
                Ok(message) => self.tn3270e_message(message),
                Err(why) => self.fail(why),
            },
            // For an option that is not in use; it has no meaning.
            _ => {}
        }
    }

    // Classic TN3270 and line mode.

    fn ask_terminal_type(&mut self) {
        self.phase = Phase::TerminalType;
        self.display = None;
        self.record.clear();
        if self.options.in_use(Side::Theirs, option::TERMINAL_TYPE) {
            // The client offered it before we asked.
            self.send_terminal_type();
        } else {
            self.options.ask(&mut self.out, Side::Theirs, option::TERMINAL_TYPE, true);
        }
    }

    fn send_terminal_type(&mut self) {
        const SEND: u8 = 1;
        telnet::subnegotiate(&mut self.out, option::TERMINAL_TYPE, &[SEND]);
    }

    fn terminal_type(&mut self, text: &[u8]) {
        const IS: u8 = 0;
        if self.phase != Phase::TerminalType {
            return;
        }
        let Some((&IS, name)) = text.split_first() else { return self.fail("a terminal type without IS") };
        if name.len() > 64 || !name.iter().all(|b| (0x20..0x7f).contains(b)) {
            return self.fail("a terminal type that is not ASCII text");
        }
        let name: String = name.iter().map(|&b| b as char).collect();
        let (kind, asked) = match name.split_once('@') {
            Some((kind, device)) => (kind, Some(device).filter(|d| tn3270e::is_device_name(d))),
            None => (name.as_str(), None),
        };
        if let Some(terminal_type) = TerminalType::parse(kind) {
            // Classic TN3270 has no way to refuse a name: a client that cannot have its own gets one of ours.
            let device = (self.names)(asked).or_else(|why| if asked.is_some() { (self.names)(None) } else { Err(why) });
            let Ok(device) = device else { return self.fail("no device name is free") };
            self.set_display(Protocol::Tn3270, kind, &terminal_type, device);
            self.phase = Phase::Records;
            for code in [option::END_OF_RECORD, option::BINARY] {
                self.options.ask(&mut self.out, Side::Theirs, code, true);
                self.options.ask(&mut self.out, Side::Ours, code, true);
            }
            return self.open_records_if_agreed();
        }
        // A client may have several types; the last one comes twice (RFC 1091).
        let last = self.terminal_types.last() == Some(&name);
        self.terminal_types.push(name);
        if last || self.terminal_types.len() >= TRIES_MAX as usize {
            self.open_line();
        } else {
            self.send_terminal_type();
        }
    }

    fn open_records_if_agreed(&mut self) {
        let agreed = [option::END_OF_RECORD, option::BINARY]
            .iter()
            .all(|&code| self.options.in_use(Side::Ours, code) && self.options.in_use(Side::Theirs, code));
        if agreed {
            self.open_screen();
        }
    }

    fn open_line(&mut self) {
        self.phase = Phase::Line;
        self.display = None;
        let terminal_type = self.terminal_types.first().cloned();
        self.events.push_back(Event::Ready(Terminal::Line { terminal_type }));
        for key in std::mem::take(&mut self.early) {
            self.key(key);
        }
    }

    // TN3270E.

    fn is_tn3270e(&self) -> bool {
        self.display.as_ref().is_some_and(|d| d.protocol == Protocol::Tn3270e)
    }

    fn tn3270e_message(&mut self, message: Message) {
        self.tries = self.tries.saturating_add(1);
        if self.tries > TRIES_MAX {
            return self.fail("TN3270E negotiation that does not end");
        }
        match (message, self.phase) {
            (Message::DeviceType { device_type, connect, associate }, Phase::DeviceType | Phase::Functions) => {
                self.device_type(&device_type, connect, associate);
            }
            (Message::FunctionsRequest(list), Phase::Functions) => {
                let (wanted, other) = Functions::from_list(&list);
                let ours = self.config.functions;
                let agreed = wanted.intersection(ours);
                if let Some(display) = &mut self.display {
                    display.functions = agreed;
                }
                if other || !wanted.is_subset_of(ours) {
                    self.send_functions(verb::REQUEST, agreed);
                } else {
                    self.send_functions(verb::IS, agreed);
                    self.open_screen();
                }
            }
            (Message::FunctionsIs(list), Phase::Functions) => {
                let (agreed, other) = Functions::from_list(&list);
                let proposed = self.display.as_ref().map(|d| d.functions);
                match &mut self.display {
                    Some(display) if !other && proposed.is_some_and(|p| agreed.is_subset_of(p)) => {
                        display.functions = agreed;
                        self.open_screen();
                    }
                    _ => self.fail("TN3270E functions that were not offered"),
                }
            }
            // Asking again in the middle of a session is answered with what is in use.
            (Message::FunctionsRequest(list), Phase::Query | Phase::Screen) => {
                let functions = self.display.as_ref().map_or(Functions::NONE, |d| d.functions);
                let same = Functions::from_list(&list) == (functions, false);
                self.send_functions(if same { verb::IS } else { verb::REQUEST }, functions);
            }
            (Message::FunctionsIs(_), Phase::Query | Phase::Screen) => {}
            _ => self.fail("a TN3270E request out of turn"),
        }
    }

    fn device_type(&mut self, device_type: &str, connect: Option<String>, associate: Option<String>) {
        let known = TerminalType::parse(device_type);
        let name = match (&known, &connect, &associate) {
            (None, ..) => Err(Reject::InvDeviceType),
            // Only a printer is associated with a display.
            (_, _, Some(_)) => Err(Reject::InvAssociate),
            (_, Some(name), _) if !tn3270e::is_device_name(name) => Err(Reject::InvName),
            (_, name, _) => (self.names)(name.as_deref()),
        };
        let mut text = vec![verb::DEVICE_TYPE];
        match (known, name) {
            (Some(terminal_type), Ok(name)) => {
                text.push(verb::IS);
                text.extend(device_type.as_bytes());
                text.push(verb::CONNECT);
                text.extend(name.bytes());
                self.set_display(Protocol::Tn3270e, device_type, &terminal_type, name);
                self.phase = Phase::Functions;
            }
            (_, name) => {
                let reason = name.err().unwrap_or(Reject::UnknownError);
                text.extend([verb::REJECT, verb::REASON, reason as u8]);
                self.phase = Phase::DeviceType;
            }
        }
        telnet::subnegotiate(&mut self.out, option::TN3270E, &text);
    }

    fn send_functions(&mut self, answer: u8, functions: Functions) {
        let mut text = vec![verb::FUNCTIONS, answer];
        text.extend(functions.list());
        telnet::subnegotiate(&mut self.out, option::TN3270E, &text);
    }

    // Displays.

    fn set_display(&mut self, protocol: Protocol, name: &str, terminal_type: &TerminalType, device_name: String) {
        let size = terminal_type.model.size();
        self.machine = terminal_type.machine;
        self.display = Some(Display {
            protocol,
            terminal_type: name.to_string(),
            device_name,
            model: terminal_type.model,
            rows: size.rows,
            cols: size.cols,
            extended: terminal_type.extended,
            color: terminal_type.extended && terminal_type.machine == 3279,
            highlighting: terminal_type.extended,
            functions: Functions::NONE,
            code_page: self.config.code_page,
            query: Vec::new(),
            query_record: Vec::new(),
        });
    }

    /// Records can flow: bind, and ask an extended terminal what it is.
    fn open_screen(&mut self) {
        let Some(display) = &self.display else { return };
        self.phase = Phase::Query;
        self.record.clear();
        let extended = display.extended;
        if display.functions.has(Function::BindImage) {
            let size = (display.model != Model::Dynamic).then(|| display.size());
            let image = tn3270e::bind_image(size, &self.config.host_name, &display.device_name);
            self.send_framed(data_type::BIND_IMAGE, tn3270e::NO_RESPONSE, 0, &image);
        }
        if extended && self.config.query {
            self.query_out = true;
            self.send_record(&read_partition_query(), tn3270e::NO_RESPONSE);
        } else {
            self.ready();
        }
    }

    fn ready(&mut self) {
        if let Some(display) = &self.display {
            self.phase = Phase::Screen;
            self.events.push_back(Event::Ready(Terminal::Screen(Box::new(display.clone()))));
        }
    }

    fn end_of_record(&mut self) {
        let record = std::mem::take(&mut self.record);
        if !matches!(self.phase, Phase::Query | Phase::Screen) {
            // A record before anything is agreed has no meaning.
            return;
        }
        if !self.is_tn3270e() {
            return self.inbound(&record);
        }
        let Ok((header, data)) = tn3270e::Header::ref_from_prefix(&record) else {
            return self.fail("a TN3270E record without its header");
        };
        match header.data_type {
            data_type::DATA_3270 => self.inbound(data),
            data_type::RESPONSE => {
                let sequence = header.sequence.get();
                let response = Response::parse(header.response, data);
                if self.phase == Phase::Screen {
                    self.events.push_back(Event::Response { sequence, response });
                }
            }
            data_type::SSCP_LU_DATA if self.phase == Phase::Screen => {
                self.events.push_back(Event::Line(self.config.code_page.text(data)));
            }
            data_type::NVT_DATA if self.phase == Phase::Screen => {
                let text = line::decode(data.to_vec());
                self.events.push_back(Event::Line(text.trim_end_matches(['\r', '\n', '\0']).to_string()));
            }
            // BID, REQUEST, printer's data: nothing that a display's host needs.
            _ => {}
        }
    }

    fn inbound(&mut self, record: &[u8]) {
        let structured = match record.first() {
            None => return,
            Some(&aid) => aid == crate::datastream::Aid::StructuredField.byte(),
        };
        if self.query_out && structured {
            // The answer to our own query. One that cannot be read tells nothing, and that is all.
            self.query_out = false;
            if self.phase == Phase::Query {
                if let Ok(inbound) = Inbound::parse(record) {
                    self.learn(record, QueryReply::all(&inbound));
                }
                self.ready();
            }
            return;
        }
        if self.phase == Phase::Query {
            // The operator was faster than the query, or the terminal does not know it.
            self.ready();
        }
        self.events.push_back(Event::Inbound(record.to_vec()));
    }

    /// Takes over what the terminal says of itself.
    fn learn(&mut self, record: &[u8], replies: Vec<QueryReply>) {
        let Some(display) = &mut self.display else { return };
        // A BIND that named a model's size has already decided it.
        let size_is_open = display.model == Model::Dynamic || !display.functions.has(Function::BindImage);
        let (mut usable, mut alternate) = (None, None);
        (display.color, display.highlighting) = (false, false);
        for reply in &replies {
            match reply {
                QueryReply::UsableArea(size) => usable = Some(*size),
                QueryReply::ImplicitPartition { alternate: size, .. } => alternate = Some(*size),
                QueryReply::Color { real, .. } => display.color = *real,
                QueryReply::Highlighting(values) => {
                    display.highlighting = values.iter().any(|&v| Highlight::from_byte(v) != Highlight::Default);
                }
                QueryReply::Summary(_) | QueryReply::Other(..) => {}
            }
        }
        if let Some(size) = alternate.or(usable).filter(|s| size_is_open && s.rows >= 24 && s.cols >= 80) {
            (display.rows, display.cols) = (size.rows, size.cols);
        }
        display.query = replies;
        display.query_record = record.to_vec();
    }

    fn send_record(&mut self, record: &[u8], response: u8) {
        let sequence = self.sequence;
        // Sequence numbers run from 0 to 32767 (RFC 2355).
        self.sequence = (sequence + 1) & 0x7fff;
        self.send_framed(data_type::DATA_3270, response, sequence, record);
    }

    fn send_framed(&mut self, kind: u8, response: u8, sequence: u16, record: &[u8]) {
        if self.is_tn3270e() {
            let header = tn3270e::Header { data_type: kind, request: 0, response, sequence: sequence.into() };
            telnet::escape(&mut self.out, header.as_bytes());
        }
        telnet::escape(&mut self.out, record);
        self.out.extend([command::IAC, command::EOR]);
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Session").field("phase", &self.phase).field("display", &self.display).finish_non_exhaustive()
    }
}
