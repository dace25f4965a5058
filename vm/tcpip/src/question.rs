//! Questions to the network that are no sockets of the program's: the addresses of a name, and echoes.

use crate::call::reply;
use crate::errno::Errno;
use crate::net::Net;
use base::layout::{I32, U32};
use mio::net::UdpSocket;
use mio::{Interest, Token};
use smoltcp::wire::{DnsFlags, DnsOpcode, DnsPacket, DnsRcode, DnsRecord, DnsRecordData, Icmpv4Packet};
use socket2::{Domain, Protocol, Socket as Plain, Type};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::{Duration, Instant};
use uplink::settings::{GATEWAY, Place};
use zerocopy::IntoBytes;

/// How long a resolver may take, and how many are asked.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ATTEMPTS: usize = 3;
/// The most addresses of a name.
const ADDRESSES: usize = 16;
/// The length of a header of DNS, and of ICMP's echo.
const DNS_HEAD: usize = 12;
const ICMP_HEAD: usize = 8;
/// The class IN, and the type A.
const QUESTION_END: [u8; 4] = [0, 1, 0, 1];
/// The longest echo that is waited for.
const LONGEST_PATIENCE: Duration = Duration::from_secs(60);

/// One that is under way.
pub(crate) struct Question {
    pub token: Token,
    /// When it has taken too long.
    pub due: Instant,
    socket: UdpSocket,
    what: What,
}

enum What {
    Name { name: String, id: u16, attempt: usize },
    Echo { began: Instant, data: Vec<u8> },
}

/// What a question comes to at once.
pub(crate) enum Begun {
    Answered(Vec<u8>),
    Asked(Box<Question>),
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn addresses(found: &[Ipv4Addr]) -> Vec<u8> {
    let bytes: Vec<u8> = found.iter().flat_map(|address| address.octets()).collect();
    reply(Ok(found.len() as i32), &bytes)
}

/// RESOLVE: numbers and a few names are known here.
pub(crate) fn resolve(name: &str, net: &mut Net) -> Result<Begun, Errno> {
    let known = match name {
        "localhost" | "loopback" => Some(Ipv4Addr::LOCALHOST),
        "host.endicott" => Some(GATEWAY),
        _ => name.parse().ok(),
    };
    if let Some(known) = known {
        return Ok(Begun::Answered(addresses(&[known])));
    }
    ask(name.to_string(), 0, net).map(|question| Begun::Asked(Box::new(question)))
}

/// Asks a resolver; if the host cannot even send, the next.
fn ask(name: String, mut attempt: usize, net: &mut Net) -> Result<Question, Errno> {
    let id = random() as u16;
    let query = query(&name, id);
    let token = net.token();
    loop {
        let to = net.resolvers.get(attempt).ok_or(Errno::NetworkUnreachable)?;
        match open_datagrams(to, token, net).and_then(|socket| socket.send(&query).map(|_| socket)) {
            Ok(socket) => {
                let what = What::Name { name, id, attempt };
                return Ok(Question { token, due: Instant::now() + PATIENCE, socket, what });
            }
            Err(error) if attempt + 1 >= ATTEMPTS => return Err(error.into()),
            Err(_) => attempt += 1,
        }
    }
}

fn open_datagrams(to: SocketAddr, token: Token, net: &Net) -> io::Result<UdpSocket> {
    let any: SocketAddr = if to.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { ([0u16; 8], 0).into() };
    let mut socket = UdpSocket::bind(any)?;
    socket.connect(to)?;
    net.registry.register(&mut socket, token, Interest::READABLE)?;
    Ok(socket)
}

/// A question for the addresses of a name (RFC 1035).
fn query(name: &str, id: u16) -> Vec<u8> {
    let mut bytes = vec![0; DNS_HEAD];
    let mut head = DnsPacket::new_unchecked(&mut bytes[..]);
    head.set_transaction_id(id);
    head.set_flags(DnsFlags::RECURSION_DESIRED);
    head.set_opcode(DnsOpcode::Query);
    head.set_question_count(1);
    for label in name.split('.') {
        bytes.push(label.len() as u8);
        bytes.extend_from_slice(label.as_bytes());
    }
    bytes.push(0);
    bytes.extend_from_slice(&QUESTION_END);
    bytes
}

/// What a resolver says; `None`: it is no answer to the question.
fn answered(bytes: &[u8], id: u16, asked: &[u8]) -> Option<Result<Vec<Ipv4Addr>, Errno>> {
    let packet = DnsPacket::new_checked(bytes).ok()?;
    let question = asked.get(DNS_HEAD..)?;
    let rest = bytes.get(DNS_HEAD..)?;
    let same = rest.get(..question.len())?.eq_ignore_ascii_case(question);
    if packet.transaction_id() != id || !packet.flags().contains(DnsFlags::RESPONSE) || !same {
        return None;
    }
    match packet.rcode() {
        DnsRcode::NoError => (),
        DnsRcode::NXDomain => return Some(Err(Errno::NotFound)),
        _ => return Some(Err(Errno::HostUnreachable)),
    }
    let mut rest = &rest[question.len()..];
    let mut found = Vec::new();
    for _ in 0..packet.answer_record_count() {
        let Ok((after, record)) = DnsRecord::parse(rest) else { break };
        rest = after;
        if let DnsRecordData::A(address) = record.data
            && found.len() < ADDRESSES
        {
            found.push(address);
        }
    }
    Some(if found.is_empty() { Err(Errno::NotFound) } else { Ok(found) })
}

/// ECHO: the gateway answers at once.
pub(crate) fn echo(to: Ipv4Addr, length: u32, patience: Duration, net: &mut Net) -> Result<Begun, Errno> {
    match net.place(to) {
        Place::Gateway => return Ok(Begun::Answered(reply(Ok(0), U32::new(0).as_bytes()))),
        Place::Outside => (),
        Place::Many => return Err(Errno::Access),
        Place::Names | Place::Nowhere => return Err(Errno::NetworkUnreachable),
    }
    let token = net.token();
    let plain = Plain::new(Domain::IPV4, Type::DGRAM, Some(Protocol::ICMPV4))?;
    plain.set_nonblocking(true)?;
    plain.connect(&SocketAddr::V4(SocketAddrV4::new(to, 0)).into())?;
    // To the host, reading and writing it is that of any other socket of datagrams.
    let mut socket = UdpSocket::from_std(plain.into());
    net.registry.register(&mut socket, token, Interest::READABLE)?;
    let mut request = vec![0; ICMP_HEAD + length as usize];
    request[0] = u8::from(smoltcp::wire::Icmpv4Message::EchoRequest);
    for (n, byte) in request[ICMP_HEAD..].iter_mut().enumerate() {
        *byte = n as u8;
    }
    // The host's kernel gives it its identification.
    Icmpv4Packet::new_unchecked(&mut request).fill_checksum();
    socket.send(&request)?;
    let began = Instant::now();
    let what = What::Echo { began, data: request.split_off(ICMP_HEAD) };
    Ok(Begun::Asked(Box::new(Question { token, due: began + patience.min(LONGEST_PATIENCE), socket, what })))
}

impl Question {
    /// Something has come, or it has taken too long: the answer, if there is one now.
    pub(crate) fn go_on(&mut self, space: &mut [u8], net: &mut Net) -> Option<Vec<u8>> {
        loop {
            match self.socket.recv(space) {
                Ok(count) => {
                    if let Some(answer) = self.read(&space[..count]) {
                        return Some(answer);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                // "Port unreachable": this resolver is none, or the host is not there.
                Err(error) => return self.next(error.into(), net),
            }
        }
        if Instant::now() < self.due { None } else { self.next(Errno::TimedOut, net) }
    }

    fn read(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match &self.what {
            What::Name { name, id, .. } => {
                let outcome = answered(bytes, *id, &query(name, *id))?;
                Some(outcome.map_or_else(|errno| reply(Err(errno), &[]), |found| addresses(&found)))
            }
            What::Echo { began, data } => {
                let packet = Icmpv4Packet::new_checked(bytes).ok()?;
                let time = began.elapsed().as_micros().min(i32::MAX as u128) as i32;
                (packet.data() == data).then(|| reply(Ok(0), I32::new(time).as_bytes()))
            }
        }
    }

    /// Asks the next resolver; after the last one it has failed.
    fn next(&mut self, why: Errno, net: &mut Net) -> Option<Vec<u8>> {
        if let What::Name { name, attempt, .. } = &self.what
            && attempt + 1 < ATTEMPTS
            && let Ok(again) = ask(name.clone(), attempt + 1, net)
        {
            *self = again;
            return None;
        }
        Some(reply(Err(why), &[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_to_the_question() {
        let asked = query("www.example.org", 7);
        let mut good = asked.clone();
        good[2] |= 0x80;
        good[7] = 1;
        good.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 9]);
        assert_eq!(answered(&good, 7, &asked), Some(Ok(vec![Ipv4Addr::new(192, 0, 2, 9)])));
        assert_eq!(answered(&good, 8, &asked), None);
        assert_eq!(answered(&good, 7, &query("www.example.com", 7)), None);
        let mut none = asked.clone();
        none[2] |= 0x80;
        none[3] = 3;
        assert_eq!(answered(&none, 7, &asked), Some(Err(Errno::NotFound)));
        for length in 0..good.len() {
            // What is cut off is no answer, or one without addresses.
            assert!(!matches!(answered(&good[..length], 7, &asked), Some(Ok(_))), "{length}");
        }
    }
}
