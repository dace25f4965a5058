//! The server for names: those of the guests and of the host are known here, all others are asked of the host's
//! resolvers (RFC 1035).

use crate::Nat;
use crate::flows::{Body, Flow, Standing};
use crate::host::{Close, FlowId, Host, Kind, Refusal};
use crate::key::{Key, Protocol};
use crate::role::{Datagrams, Question, Role};
use crate::settings::{DOMAIN, GATEWAY, GATEWAY6, HOST};
use smoltcp::wire::{DnsFlags, DnsPacket, DnsQueryType, DnsQuestion, DnsRcode};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use zerocopy::big_endian::{U16, U32};
use zerocopy::{Immutable, IntoBytes};

/// How long a resolver may take, and how many are asked: all in all less than the 5 seconds of most clients.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ATTEMPTS: usize = 3;
/// The longest question that is taken, and the most at a time.
const LONGEST: usize = 4_096;
const MOST: usize = 512;
/// How long a guest may remember a name of [`DOMAIN`], in seconds.
const LIFETIME: u32 = 30;
/// The length of the header.
const HEADER: usize = 12;
/// What follows name, type and class of an answer's record.
#[derive(IntoBytes, Immutable)]
#[repr(C)]
struct Record {
    lifetime: U32,
    length: U16,
}

/// The name that is the question's, as a pointer to it (RFC 1035, 4.1.4).
const SAME_NAME: [u8; 2] = [0xc0, HEADER as u8];

/// A name in small letters, its labels parted by dots.
fn name(packet: &DnsPacket<&[u8]>, question: &DnsQuestion<'_>) -> Option<String> {
    let mut name = String::new();
    for label in packet.parse_name(question.name) {
        let label = label.ok()?;
        if !name.is_empty() {
            name.push('.');
        }
        name.extend(label.iter().map(|&byte| byte.to_ascii_lowercase() as char));
    }
    Some(name)
}

/// An answer to `packet`, with what `question` asks for if that is known.
fn answer(
    packet: &DnsPacket<&[u8]>,
    question: Option<&DnsQuestion<'_>>,
    code: DnsRcode,
    found: Option<IpAddr>,
) -> Vec<u8> {
    let mut answer = vec![0; HEADER];
    if let Some(question) = question {
        answer.resize(HEADER + question.buffer_len(), 0);
        question.emit(&mut answer[HEADER..]);
        if let Some(found) = found {
            let bytes = match found {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            };
            let record = DnsQuestion { name: &SAME_NAME, type_: question.type_ };
            let at = answer.len();
            answer.resize(at + record.buffer_len(), 0);
            record.emit(&mut answer[at..]);
            let rest = Record { lifetime: LIFETIME.into(), length: (bytes.len() as u16).into() };
            answer.extend(rest.as_bytes());
            answer.extend(bytes);
        }
    }
    let mut head = DnsPacket::new_unchecked(&mut answer[..]);
    head.set_transaction_id(packet.transaction_id());
    let asked = packet.flags() & DnsFlags::RECURSION_DESIRED;
    head.set_flags(DnsFlags::RESPONSE | DnsFlags::RECURSION_AVAILABLE | asked | authority(code));
    head.set_opcode(packet.opcode());
    head.set_question_count(u16::from(question.is_some()));
    head.set_answer_record_count(u16::from(found.is_some()));
    // The code of the answer is the low four bits of the flags, which have no setter of their own.
    answer[3] = (answer[3] & 0xf0) | u8::from(code);
    answer
}

/// What is known here is known for sure; that no resolver answers is not.
fn authority(code: DnsRcode) -> DnsFlags {
    if code == DnsRcode::ServFail { DnsFlags::empty() } else { DnsFlags::AUTHORITATIVE }
}

impl Nat {
    /// A question to the server for names.
    pub(crate) fn question(&mut self, now: Duration, station: usize, key: Key, query: &[u8], host: &mut dyn Host) {
        let packet = match DnsPacket::new_checked(query) {
            Ok(packet) if !packet.flags().contains(DnsFlags::RESPONSE) && query.len() <= LONGEST => packet,
            _ => {
                self.port.counters.damaged += 1;
                return;
            }
        };
        let question = match packet.question_count() {
            1 => DnsQuestion::parse(&query[HEADER..]).ok().map(|(_, question)| question),
            _ => None,
        };
        if let Some(question) = &question
            && let Some(message) = self.known(now, &packet, question)
        {
            self.port.counters.dns_local += 1;
            self.port.datagram(host, station, key.remote, key.guest, &message);
            return;
        }
        self.port.counters.dns_forwarded += 1;
        // The same question again, while it is on its way, is answered once.
        let remote = SocketAddr::new(key.remote.ip(), packet.transaction_id());
        let own = Key { protocol: Protocol::Question, guest: key.guest, remote };
        if self.flows.find(&own).is_some() {
            return;
        }
        if self.questions >= MOST {
            self.fail(station, key.remote, key.guest, query, host);
            return;
        }
        let asked = Question { query: query.to_vec(), asker: key.guest, server: key.remote, attempt: 0 };
        self.make_room(now, host);
        let body = Body::Datagrams(Datagrams { role: Role::Question(asked), readable: false });
        let due = Some(now + PATIENCE);
        let flow = Flow { key: own, station, standing: Standing::New, touched: now, due, body };
        let id = self.flows.add(flow, &mut self.port.stations);
        self.questions += 1;
        self.put(now, id, 0, host);
    }

    /// The answer to a question about a name that is known here.
    fn known(&self, now: Duration, packet: &DnsPacket<&[u8]>, question: &DnsQuestion<'_>) -> Option<Vec<u8>> {
        let name = name(packet, question)?;
        let (first, domain) = name.split_once('.').unwrap_or((&name, ""));
        let (four, six) = match domain {
            DOMAIN if first == HOST => (Some(GATEWAY), self.settings.ipv6.then_some(GATEWAY6)),
            // A single word may be the name of a machine elsewhere, too.
            "" => (Some(self.leases.named(now, first)?), None),
            DOMAIN => (self.leases.named(now, first), None),
            _ => return None,
        };
        let found = match question.type_ {
            DnsQueryType::A => four.map(IpAddr::V4),
            DnsQueryType::Aaaa => six.map(IpAddr::V6),
            _ => None,
        };
        let code = if four.is_some() { DnsRcode::NoError } else { DnsRcode::NXDomain };
        Some(answer(packet, Some(question), code, found))
    }

    /// Puts a question to the resolvers from the `attempt`th on.
    fn put(&mut self, now: Duration, id: FlowId, attempt: usize, host: &mut dyn Host) {
        for attempt in attempt..ATTEMPTS {
            let Some(Flow { due, body: Body::Datagrams(datagrams), .. }) = self.flows.get_mut(id.index) else { return };
            let Role::Question(question) = &mut datagrams.role else { return };
            let Some(resolver) = host.resolver(attempt) else { break };
            question.attempt = attempt;
            *due = Some(now + PATIENCE);
            let sent = host.open(id, Kind::Datagram, resolver).and_then(|()| host.send(id, &question.query));
            match sent {
                Ok(_) => {
                    self.flows.arm(id.index);
                    return;
                }
                Err(refusal) => {
                    if refusal == Refusal::Exhausted {
                        self.port.counters.no_descriptor += 1;
                    }
                    host.close(id, Close::Orderly);
                }
            }
        }
        if let Some(Flow { station, body: Body::Datagrams(Datagrams { role: Role::Question(question), .. }), .. }) =
            self.end(id.index, Close::Orderly, host)
        {
            self.fail(station, question.server, question.asker, &question.query, host);
        }
    }

    /// A resolver did not answer, or is not there: the next one is asked.
    pub(crate) fn ask_next(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        let id = self.flows.id(index);
        let Some(Flow { body: Body::Datagrams(datagrams), .. }) = self.flows.get_mut(index) else { return };
        let Role::Question(question) = &datagrams.role else { return };
        let next = question.attempt + 1;
        datagrams.readable = false;
        host.close(id, Close::Orderly);
        self.put(now, id, next, host);
    }

    /// An answer of a resolver.
    pub(crate) fn name_answered(&mut self, index: u32, data: &[u8], host: &mut dyn Host) {
        let Some(flow) = self.flows.get_mut(index) else { return };
        let right = DnsPacket::new_checked(data).is_ok_and(|packet| {
            packet.transaction_id() == flow.key.remote.port() && packet.flags().contains(DnsFlags::RESPONSE)
        });
        if !right {
            return;
        }
        let station = flow.station;
        if let Some(Flow { body: Body::Datagrams(Datagrams { role: Role::Question(question), .. }), .. }) =
            self.end(index, Close::Orderly, host)
        {
            self.port.datagram(host, station, question.server, question.asker, data);
        }
    }

    /// Tells a guest that no resolver answers.
    fn fail(&mut self, station: usize, from: SocketAddr, to: SocketAddr, query: &[u8], host: &mut dyn Host) {
        self.port.counters.dns_failed += 1;
        let Ok(packet) = DnsPacket::new_checked(query) else { return };
        let question = match packet.question_count() {
            1 => DnsQuestion::parse(&query[HEADER..]).ok().map(|(_, question)| question),
            _ => None,
        };
        let message = answer(&packet, question.as_ref(), DnsRcode::ServFail, None);
        self.port.datagram(host, station, from, to, &message);
    }
}
