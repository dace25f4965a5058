//! Messages between a driver and the adapter. Answers are the questions with some fields changed, as Linux's driver
//! reads them.

use crate::Family;
use crate::internet::{Internet, Registered};
use arch::qdio::{
    Activation, AdapterCommand, Assist, ChangeMac, MessageHead, Parameters, Supported, adapter, assist, assisting,
    outcome, parameter,
};
use net::{Mac, Port};
use std::collections::{BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use zerocopy::{FromBytes, IntoBytes};

/// The longest message.
pub(crate) const LONGEST: usize = 4096;
/// Answers that wait for the driver to read them. One that reads none gets no more.
const WAITING: usize = 64;
/// Addresses that a driver registers, at most.
const ADDRESSES: usize = 64;
/// The adapter's tokens. A driver sends them back and takes them for nothing else.
const TOKEN: u32 = 0x0e0d_1c07;
/// What follows the heads of messages, and of commands.
const BODY: usize = size_of::<MessageHead>();
const DATA: usize = BODY + size_of::<AdapterCommand>();
const REST: usize = DATA + size_of::<Parameters>();
/// The longest packet, as it is told when the connection is set up; of HiperSockets the size of a frame, which Linux
/// takes half of.
const MTU: u16 = 8992;
const FRAME_SIZE: u16 = 0x4000;

/// Identifiers of bodies of messages.
mod body {
    pub(super) const ENABLE: u16 = 0x4102;
    pub(super) const SETUP: u16 = 0x4104;
}

/// Fields in bodies of messages, counted from the beginning of the message.
mod at {
    /// What kind of body it is.
    pub(super) const BODY: usize = 0x42;
    /// The protocol of what uses the connection.
    pub(super) const PROTOCOL: usize = 0x50;
    /// The token that answers an enabling.
    pub(super) const FILTER: usize = 0x53;
    /// The length of what says more, and the type of link in it.
    pub(super) const MORE: usize = 0x57;
    pub(super) const LINK: usize = 0x6b;
    /// The longest packet.
    pub(super) const MTU: usize = 0x5f;
    /// The token that answers a set-up.
    pub(super) const CONNECTION: usize = 0x5a;
}

/// The length of what says more, from which on there is a type of link, and that of Ethernet at a gigabit.
const WITH_LINK: u16 = 0x18;
const GIGABIT: u8 = 3;
/// The protocol of a driver at layer 3.
const PACKETS: u8 = 3;
/// The version of IP of a command.
const VERSION_6: u16 = 6;

/// A word at a place of a message; nothing happens if the message is shorter.
fn put(message: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = message.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn half(value: u16) -> [u8; 2] {
    base::layout::U16::new(value).to_bytes()
}

/// What the adapter knows of its driver.
pub(crate) struct Control {
    family: Family,
    /// The address that is offered.
    mac: Mac,
    /// What it knows at layer 3, if that is what its driver wants.
    internet: Option<Internet>,
    /// What of its assists is on, for IPv4 and for IPv6.
    does: [u32; 2],
    /// Messages for the driver.
    answers: VecDeque<Vec<u8>>,
    sequence: u32,
    macs: BTreeSet<[u8; 6]>,
    /// The driver has said STARTLAN, and the link is up as far as it knows.
    started: bool,
    told_up: bool,
    /// The head of the last command, for messages that answer nothing.
    head: Vec<u8>,
}

impl Control {
    pub(crate) fn new(family: Family, mac: Mac) -> Control {
        Control {
            family,
            mac,
            internet: None,
            does: [0; 2],
            answers: VecDeque::new(),
            sequence: 0,
            macs: BTreeSet::new(),
            started: false,
            told_up: false,
            head: Vec::new(),
        }
    }

    /// The control channels have been given up.
    pub(crate) fn reset(&mut self) {
        *self = Control::new(self.family, self.mac);
    }

    /// What it knows at layer 3; `None`: its driver is at layer 2.
    pub(crate) fn internet(&mut self) -> Option<&mut Internet> {
        self.internet.as_mut()
    }

    /// The next message for the driver.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        self.answers.pop_front()
    }

    /// The answer to the activation of a control channel; `None`: the message is none.
    pub(crate) fn activate(message: &[u8]) -> Option<Vec<u8>> {
        let (mut activation, _) = Activation::read_from_prefix(message).ok()?;
        if activation.head != Activation::HEAD {
            return None;
        }
        let level = activation.level.get();
        // A level as the other side of that of the driver has it.
        let level = match level {
            level if level & 0xff == 8 => 0x0408,
            level if level >> 8 & 3 == 1 => level & 0xff | 0x0200,
            level => level,
        };
        activation.kind = activation.kind & !3 | 2;
        (activation.cause, activation.token, activation.level) = (0, TOKEN.into(), level.into());
        activation.code = [0xf0, 0xf0, 0xf0, 0xf1];
        Some(activation.as_bytes().to_vec())
    }

    /// A message of the driver's, while the cable is in this port. False: it is none, or too many answers wait.
    pub(crate) fn message(&mut self, message: &[u8], port: Option<&Port>) -> bool {
        let Ok((head, _)) = MessageHead::read_from_prefix(message) else { return false };
        if self.answers.len() >= WAITING || message.len() > LONGEST {
            return false;
        }
        let mut answer = message.to_vec();
        self.sequence = self.sequence.wrapping_add(1);
        let mut answered = head;
        (answered.sequence, answered.answers) = (self.sequence.into(), head.number);
        answered.number = self.sequence.into();
        let done = match head.kind {
            MessageHead::CONNECTION | MessageHead::USER => self.set_up(&mut answer, head.kind),
            MessageHead::COMMAND => self.command(&mut answer, port),
            _ => false,
        };
        if done {
            put(&mut answer, 0, answered.as_bytes());
            self.answers.push_back(answer);
        }
        done
    }

    /// Setting up the connection. What is none of the messages known is answered as it is.
    fn set_up(&mut self, answer: &mut Vec<u8>, kind: u8) -> bool {
        let Some(id) = answer.get(at::BODY..at::BODY + 2) else { return false };
        let id = u16::from(id[0]) << 8 | u16::from(id[1]);
        let token = base::layout::U32::new(TOKEN + 1).to_bytes();
        match id {
            body::ENABLE => put(answer, at::FILTER, &token),
            body::SETUP => put(answer, at::CONNECTION, &token),
            _ => (),
        }
        if kind == MessageHead::USER && id == body::ENABLE {
            let packets = answer.get(at::PROTOCOL) == Some(&PACKETS);
            self.internet = packets.then(|| Internet::new(self.mac));
            self.does = [0; 2];
            answer.resize(answer.len().max(at::LINK + 1), 0);
            put(answer, at::MTU, &half(if self.family == Family::Hipersockets { FRAME_SIZE } else { MTU }));
            put(answer, at::MORE, &half(WITH_LINK));
            put(answer, at::LINK, &[GIGABIT]);
        }
        true
    }

    /// A command for the adapter.
    fn command(&mut self, answer: &mut [u8], port: Option<&Port>) -> bool {
        if answer.len() < DATA {
            return false;
        }
        let up = port.is_some();
        self.head = answer[..BODY].to_vec();
        let (mut command, _) = AdapterCommand::read_from_prefix(&answer[BODY..]).expect("it is long enough");
        (command.can, command.does) = Default::default();
        let done = match command.command {
            adapter::START_LAN => {
                (self.started, self.told_up) = (true, up);
                if up { 0 } else { outcome::LAN_OFFLINE }
            }
            adapter::STOP_LAN => {
                self.started = false;
                0
            }
            adapter::SET_MAC | adapter::DELETE_MAC => self.register(command.command, answer),
            adapter::SET_GROUP | adapter::DELETE_GROUP | adapter::SET_VLAN | adapter::DELETE_VLAN => 0,
            adapter::QUERY_ASSISTS => {
                let can = self.can(command.ip == VERSION_6);
                (command.can, command.does) = (can.into(), (can & assist::PARAMETERS).into());
                0
            }
            adapter::PARAMETERS => self.parameters(answer),
            adapter::ASSIST => {
                let six = command.ip == VERSION_6;
                let done = self.assist(six, answer);
                (command.can, command.does) = (self.can(six).into(), self.does[usize::from(six)].into());
                done
            }
            adapter::SET_IP | adapter::DELETE_IP => self.register_ip(&command, answer, port),
            // Packets to groups come to all, and packets to the adapter whatever their address is.
            adapter::SET_IP_GROUP | adapter::DELETE_IP_GROUP | adapter::ROUTING if self.internet.is_some() => 0,
            adapter::CREATE_ADDRESS if self.internet.is_some() => {
                // Nothing is to be put into an address of IPv6 beside the hardware address.
                put(answer, DATA, &[&self.mac.0[..], &[0, 0]].concat());
                0
            }
            adapter::DESTROY_ADDRESS if self.internet.is_some() => 0,
            _ => outcome::NOT_SUPPORTED,
        };
        command.outcome = done.into();
        put(answer, BODY, command.as_bytes());
        true
    }

    /// SETVMAC, DELVMAC: length and address.
    fn register(&mut self, command: u8, answer: &[u8]) -> u16 {
        let Some(mac) = answer.get(DATA + 4..DATA + 10) else { return outcome::NOT_SUPPORTED };
        let mac: [u8; 6] = mac.try_into().expect("six bytes");
        match command {
            adapter::SET_MAC if self.macs.len() >= ADDRESSES => outcome::NOT_AUTHORIZED,
            adapter::SET_MAC if !self.macs.insert(mac) => outcome::DUPLICATE_MAC,
            adapter::DELETE_MAC if !self.macs.remove(&mac) => outcome::UNKNOWN_MAC,
            _ => 0,
        }
    }

    /// The assists that there are for a version of IP.
    fn can(&self, six: bool) -> u32 {
        let ethernet = self.family == Family::Osa;
        match (&self.internet, six) {
            (None, false) => assist::PARAMETERS,
            (Some(_), false) => {
                let six = if ethernet { assist::IPV6 } else { 0 };
                assist::PARAMETERS | assist::ARP | assist::BROADCAST | assist::MULTICAST | six
            }
            // HiperSockets hand over packets of IPv6 without the frames that would be passed through.
            (Some(_), true) if ethernet => assist::IPV6 | assist::PASS,
            _ => 0,
        }
    }

    /// SETASSPARMS.
    fn assist(&mut self, six: bool, answer: &mut [u8]) -> u16 {
        let can = self.can(six);
        let head = answer.get(DATA..).and_then(|data| Assist::read_from_prefix(data).ok());
        let (Some((mut assist, _)), Some(internet)) = (head, &mut self.internet) else { return outcome::NOT_SUPPORTED };
        let which = assist.which.get();
        let known = which.count_ones() == 1 && can & which != 0;
        let does = &mut self.does[usize::from(six)];
        let code = match assist.command.get() {
            _ if !known => outcome::NOT_SUPPORTED,
            assisting::START | assisting::ENABLE => {
                *does |= which;
                0
            }
            assisting::STOP | assisting::DISABLE => {
                *does &= !which;
                0
            }
            assisting::CONFIGURE if which == assist::BROADCAST => 0,
            assisting::FLUSH if which == assist::ARP => {
                internet.forget();
                0
            }
            _ => outcome::NOT_SUPPORTED,
        };
        internet.passes = self.does[1] & assist::PASS != 0;
        (assist.outcome, assist.total, assist.number) = (code.into(), 1, 1);
        put(answer, DATA, assist.as_bytes());
        code
    }

    /// SETIP, DELIP: an address, which a mask follows.
    fn register_ip(&mut self, command: &AdapterCommand, answer: &[u8], port: Option<&Port>) -> u16 {
        let data = answer.get(DATA..).unwrap_or_default();
        let address = match command.ip == VERSION_6 {
            true => data.first_chunk::<16>().map(|address| IpAddr::V6(Ipv6Addr::from(*address))),
            false => data.first_chunk::<4>().map(|address| IpAddr::V4(Ipv4Addr::from(*address))),
        };
        let (Some(address), Some(internet)) = (address, &mut self.internet) else { return outcome::NOT_SUPPORTED };
        if command.command == adapter::DELETE_IP {
            return if internet.withdraw(address) { 0 } else { outcome::UNKNOWN_IP };
        }
        match internet.register(address, port) {
            Registered::Done => 0,
            Registered::Already => outcome::DUPLICATE_IP,
            Registered::Full => outcome::TOO_MANY,
        }
    }

    /// SETADAPTERPARMS.
    fn parameters(&mut self, answer: &mut [u8]) -> u16 {
        let Some((mut parameters, _)) = answer.get(DATA..).and_then(|data| Parameters::read_from_prefix(data).ok())
        else {
            return outcome::NOT_SUPPORTED;
        };
        const COMMANDS: u32 = parameter::QUERY | parameter::MAC;
        let rest = &mut answer[REST..];
        let done = match parameters.command.get() {
            parameter::QUERY => {
                let supported =
                    Supported { lans: 1.into(), lan: GIGABIT, commands: COMMANDS.into(), ..Supported::default() };
                supported.write_to_prefix(rest).is_ok()
            }
            parameter::MAC => match ChangeMac::read_from_prefix(rest) {
                Ok((mut change, _)) => {
                    let reads = change.operation == 0;
                    (change.size, change.count, change.mac) = (6.into(), 1.into(), self.mac.0);
                    parameters.flags = Parameters::VIRTUAL_MAC;
                    reads && change.write_to_prefix(rest).is_ok()
                }
                Err(_) => false,
            },
            _ => false,
        };
        let code = if done { 0 } else { outcome::NOT_SUPPORTED };
        (parameters.can, parameters.outcome) = (COMMANDS.into(), code.into());
        (parameters.total, parameters.number) = (1, 1);
        put(answer, DATA, parameters.as_bytes());
        code
    }

    /// The link is up or down: a driver that has begun is told, once. Whether there is a message for it now.
    pub(crate) fn link(&mut self, up: bool) -> bool {
        if !self.started || self.told_up == up || self.answers.len() >= WAITING {
            return false;
        }
        self.told_up = up;
        let mut message = self.head.clone();
        let command = AdapterCommand {
            command: if up { adapter::START_LAN } else { adapter::STOP_LAN },
            initiator: 1,
            version: if self.internet.is_some() { 1 } else { 2 },
            ip: 4.into(),
            ..AdapterCommand::default()
        };
        message.extend_from_slice(command.as_bytes());
        self.answers.push_back(message);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Clock, Tod};
    use net::{Settings, Switch};
    use std::sync::Arc;

    const MAC: Mac = Mac([2, 0, 0, 1, 2, 3]);

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Tod {
            Tod(0)
        }
    }

    fn port() -> Port {
        Switch::new(Arc::new(Still)).port(Settings::default())
    }

    /// A command with this much data, and its answer.
    fn command(control: &mut Control, code: u8, data: &[u8]) -> (AdapterCommand, Vec<u8>) {
        let head = MessageHead { kind: MessageHead::COMMAND, number: 7.into(), ..MessageHead::default() };
        let command = AdapterCommand { command: code, number: 9.into(), ip: 4.into(), ..AdapterCommand::default() };
        let message = [head.as_bytes(), command.as_bytes(), data].concat();
        assert!(control.message(&message, Some(&port())));
        let answer = control.next().expect("it is answered");
        let (head, rest) = MessageHead::read_from_prefix(&answer).unwrap();
        let (command, data) = AdapterCommand::read_from_prefix(rest).unwrap();
        assert_eq!((head.answers.get(), command.number.get(), command.initiator), (7, 9, 0));
        (command, data.to_vec())
    }

    fn parameters(control: &mut Control, code: u32, rest: &[u8]) -> (Parameters, Vec<u8>) {
        let wanted = Parameters { command: code.into(), ..Parameters::default() };
        let (_, data) = command(control, adapter::PARAMETERS, &[wanted.as_bytes(), rest].concat());
        let (parameters, rest) = Parameters::read_from_prefix(&data).unwrap();
        (parameters, rest.to_vec())
    }

    #[test]
    fn a_driver_learns_what_there_is_and_its_address() {
        let mut control = Control::new(Family::Osa, MAC);
        assert_eq!(command(&mut control, adapter::QUERY_ASSISTS, &[]).0.can, assist::PARAMETERS);
        let (answer, rest) = parameters(&mut control, parameter::QUERY, &[0; 20]);
        assert_eq!((answer.outcome.get(), Supported::read_from_bytes(&rest).unwrap().commands.get()), (0, 3));
        let (answer, rest) = parameters(&mut control, parameter::MAC, &[0; 18]);
        assert_eq!((answer.outcome.get(), answer.flags, &rest[12..]), (0, 0x80, &MAC.0[..]));
        assert_eq!(parameters(&mut control, 0x400, &[0; 20]).0.outcome, outcome::NOT_SUPPORTED);
        assert_eq!(parameters(&mut control, parameter::MAC, &[0; 17]).0.outcome, outcome::NOT_SUPPORTED);
        assert_eq!(command(&mut control, 0xb3, &[0; 40]).0.outcome, outcome::NOT_SUPPORTED);
        let mac = [&[0, 0, 0, 6][..], &MAC.0].concat();
        for (code, expected) in [
            (adapter::SET_MAC, 0),
            (adapter::SET_MAC, outcome::DUPLICATE_MAC),
            (adapter::DELETE_MAC, 0),
            (adapter::DELETE_MAC, outcome::UNKNOWN_MAC),
        ] {
            assert_eq!(command(&mut control, code, &mac).0.outcome, expected);
        }
    }

    #[test]
    fn a_link_that_goes_and_comes_is_told_to_a_driver_that_has_begun() {
        let mut control = Control::new(Family::Osa, MAC);
        assert!(!control.link(false));
        assert_eq!(command(&mut control, adapter::START_LAN, &[]).0.outcome, 0);
        assert!(!control.link(true) && control.link(false) && !control.link(false) && control.link(true));
        for expected in [adapter::STOP_LAN, adapter::START_LAN] {
            let message = control.next().unwrap();
            assert_eq!((message[BODY], message[BODY + 1], message[0x18]), (expected, 1, MessageHead::COMMAND));
        }
    }

    #[test]
    fn a_driver_that_reads_nothing_gets_no_more_answers() {
        let mut control = Control::new(Family::Osa, MAC);
        let head = MessageHead { kind: MessageHead::USER, ..MessageHead::default() };
        let message = [head.as_bytes(), &[0; 0x2c]].concat();
        let taken = (0..1000).filter(|_| control.message(&message, Some(&port()))).count();
        assert_eq!(taken, WAITING);
        for short in 0..message.len() {
            Control::new(Family::Osa, MAC).message(&message[..short], None);
        }
    }

    #[test]
    fn levels_are_those_of_the_other_side() {
        let level = |level: u16| {
            let activation = Activation { head: Activation::HEAD.into(), level: level.into(), ..Activation::default() };
            let answer = Control::activate(activation.as_bytes()).unwrap();
            (Activation::read_from_bytes(&answer).unwrap().level.get(), answer[8] & 3)
        };
        assert_eq!([level(0x0101), level(0x4101), level(0x4108)], [(0x0201, 2), (0x0201, 2), (0x0408, 2)]);
        assert_eq!(Control::activate(&[0; 0x22]), None);
        assert_eq!(Control::activate(&[0; 8]), None);
    }
}
