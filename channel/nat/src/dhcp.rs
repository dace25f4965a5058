//! The DHCP server (RFC 2131, 2132): addresses of the guests' network, and the names that guests give themselves.

use crate::settings::{BROADCAST, DNS, DOMAIN, FIRST, GATEWAY, LAST, PREFIX, Settings};
use smoltcp::wire::{DhcpFlags, DhcpMessageType, DhcpOption, DhcpPacket, DhcpRepr, EthernetAddress, Ipv4Cidr};
use std::net::Ipv4Addr;
use std::time::Duration;
use zerocopy::big_endian::{U16, U32};

/// How long an offer stands.
const OFFER: Duration = Duration::from_secs(60);
/// How long an address that a guest found in use is not given.
const DECLINED: Duration = Duration::from_secs(600);
/// The least length of a message, which old clients want (RFC 951).
const LEAST: usize = 300;
/// The longest message for a client that says nothing of it (RFC 2131, 2).
const LONGEST: usize = 576 - 28;

/// Options by their numbers (RFC 2132).
mod option {
    pub(super) const DNS: u8 = 6;
    pub(super) const HOST_NAME: u8 = 12;
    pub(super) const DOMAIN: u8 = 15;
    pub(super) const MTU: u8 = 26;
    pub(super) const BROADCAST: u8 = 28;
    pub(super) const REQUESTED: u8 = 50;
    pub(super) const MESSAGE_TYPE: u8 = 53;
    pub(super) const SERVER: u8 = 54;
    pub(super) const RENEWAL: u8 = 58;
    pub(super) const REBINDING: u8 = 59;
    pub(super) const CLIENT: u8 = 61;
}

/// An address, and which guest has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lease {
    address: Ipv4Addr,
    /// None: a guest found that another has it.
    mac: Option<EthernetAddress>,
    name: Option<String>,
    until: Duration,
}

/// The leases.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    list: Vec<Lease>,
}

/// What a client says.
struct Request<'a> {
    kind: DhcpMessageType,
    mac: EthernetAddress,
    requested: Option<Ipv4Addr>,
    server: Option<Ipv4Addr>,
    client: Ipv4Addr,
    name: Option<String>,
    identifier: Option<&'a [u8]>,
}

/// What became of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is malformed, or not for a server.
    Ignored,
    /// There is no address left.
    Exhausted,
    /// It is done; nothing is answered.
    Silent,
    /// The answer, to whom it goes, and the address that the guest has now.
    Answer { message: Vec<u8>, to: Ipv4Addr, has: Option<Ipv4Addr> },
}

fn address(bytes: &[u8]) -> Option<Ipv4Addr> {
    <[u8; 4]>::try_from(bytes).ok().map(Ipv4Addr::from)
}

/// A name that can be one label of a domain's name (RFC 1123, 2.1), in small letters.
fn label(bytes: &[u8]) -> Option<String> {
    // Some clients give a whole name, and some end it with a zero.
    let first = bytes.split(|&byte| byte == b'.' || byte == 0).next()?;
    let fine = first.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let ends = first.first().is_some_and(|&byte| byte != b'-') && first.last().is_some_and(|&byte| byte != b'-');
    (fine && ends && first.len() <= 63).then(|| first.iter().map(|&byte| byte.to_ascii_lowercase() as char).collect())
}

impl<'a> Request<'a> {
    fn read(packet: &'a DhcpPacket<&'a [u8]>) -> Option<Request<'a>> {
        let right =
            u8::from(packet.opcode()) == 1 && packet.hardware_len() == 6 && packet.magic_number() == 0x6382_5363;
        if !right {
            return None;
        }
        let find = |kind| packet.options().find(|option| option.kind == kind).map(|option| option.data);
        let mac = packet.client_hardware_address();
        mac.is_unicast().then_some(Request {
            kind: DhcpMessageType::from(*find(option::MESSAGE_TYPE)?.first()?),
            mac,
            requested: find(option::REQUESTED).and_then(address),
            server: find(option::SERVER).and_then(address),
            client: packet.client_ip(),
            name: find(option::HOST_NAME).and_then(label),
            identifier: find(option::CLIENT),
        })
    }
}

impl Leases {
    /// Answers a message.
    pub(crate) fn answer(&mut self, now: Duration, message: &[u8], settings: &Settings) -> Outcome {
        let Ok(packet) = DhcpPacket::new_checked(message) else { return Outcome::Ignored };
        let Some(request) = Request::read(&packet) else { return Outcome::Ignored };
        match request.kind {
            DhcpMessageType::Discover => {
                let Some(offer) = self.offer(now, &request) else { return Outcome::Exhausted };
                reply(&packet, &request, DhcpMessageType::Offer, Some(offer), settings)
            }
            DhcpMessageType::Request => self.request(now, &packet, &request, settings),
            DhcpMessageType::Decline => {
                if let Some(lease) = self.of(request.mac)
                    && request.requested == Some(lease.address)
                {
                    (lease.mac, lease.name, lease.until) = (None, None, now + DECLINED);
                }
                Outcome::Silent
            }
            DhcpMessageType::Release => {
                // The guest gets the same address again, unless another needs it meanwhile.
                if let Some(lease) = self.of(request.mac)
                    && request.client == lease.address
                {
                    (lease.name, lease.until) = (None, now);
                }
                Outcome::Silent
            }
            DhcpMessageType::Inform => reply(&packet, &request, DhcpMessageType::Ack, None, settings),
            _ => Outcome::Ignored,
        }
    }

    fn of(&mut self, mac: EthernetAddress) -> Option<&mut Lease> {
        self.list.iter_mut().find(|lease| lease.mac == Some(mac))
    }

    /// Whether `address` can be given to `mac`.
    fn is_free(&self, now: Duration, address: Ipv4Addr, mac: EthernetAddress) -> bool {
        let taken = self.list.iter().find(|lease| lease.address == address);
        (FIRST..=LAST).contains(&address) && taken.is_none_or(|lease| lease.mac == Some(mac) || lease.until <= now)
    }

    /// Gives `address` to `mac` until then.
    fn give(&mut self, address: Ipv4Addr, mac: EthernetAddress, name: Option<String>, until: Duration) {
        self.list.retain(|lease| lease.address != address && lease.mac != Some(mac));
        self.list.push(Lease { address, mac: Some(mac), name, until });
    }

    /// The address for a guest that looks for one (RFC 2131, 4.3.1).
    fn offer(&mut self, now: Duration, request: &Request<'_>) -> Option<Ipv4Addr> {
        let mac = request.mac;
        if let Some(lease) = self.of(mac) {
            lease.until = lease.until.max(now + OFFER);
            return Some(lease.address);
        }
        let wanted = request.requested.filter(|&address| self.is_free(now, address, mac));
        let mut all = (u32::from(FIRST)..=u32::from(LAST)).map(Ipv4Addr::from);
        // One that no guest ever had, before one whose guest may come back.
        let fresh = || all.clone().find(|&address| self.list.iter().all(|lease| lease.address != address));
        let address = wanted.or_else(fresh).or_else(|| all.find(|&address| self.is_free(now, address, mac)))?;
        self.give(address, mac, None, now + OFFER);
        Some(address)
    }

    /// A guest wants an address, or wants to keep it (RFC 2131, 4.3.2).
    fn request(
        &mut self,
        now: Duration,
        packet: &DhcpPacket<&[u8]>,
        request: &Request<'_>,
        settings: &Settings,
    ) -> Outcome {
        if request.server.is_some_and(|server| server != GATEWAY) {
            return Outcome::Silent;
        }
        let renewed = (!request.client.is_unspecified()).then_some(request.client);
        let Some(wanted) = request.requested.or(renewed) else { return Outcome::Ignored };
        let offered = self.of(request.mac).map(|lease| lease.address);
        let right = match offered {
            Some(offered) => offered == wanted,
            // This server has been started anew; the guest has not.
            None => self.is_free(now, wanted, request.mac),
        };
        if !right {
            return reply(packet, request, DhcpMessageType::Nak, None, settings);
        }
        self.give(wanted, request.mac, request.name.clone(), now + settings.lease);
        reply(packet, request, DhcpMessageType::Ack, Some(wanted), settings)
    }

    /// The address of the guest that calls itself so.
    pub(crate) fn named(&self, now: Duration, name: &str) -> Option<Ipv4Addr> {
        let mut those = self.list.iter().rev().filter(|lease| lease.until > now && lease.mac.is_some());
        those.find(|lease| lease.name.as_deref() == Some(name)).map(|lease| lease.address)
    }

    /// The guests' names and addresses.
    pub(crate) fn names(&self, now: Duration) -> Vec<(String, Ipv4Addr)> {
        let those = self.list.iter().filter(|lease| lease.until > now);
        those.filter_map(|lease| Some((lease.name.clone()?, lease.address))).collect()
    }
}

/// Makes an answer.
fn reply(
    packet: &DhcpPacket<&[u8]>,
    request: &Request<'_>,
    kind: DhcpMessageType,
    given: Option<Ipv4Addr>,
    settings: &Settings,
) -> Outcome {
    let refused = kind == DhcpMessageType::Nak;
    let seconds = settings.lease.as_secs() as u32;
    let (mtu, renewal, rebinding) = (U16::new(settings.mtu as u16).to_bytes(), seconds / 2, seconds / 8 * 7);
    let (renewal, rebinding) = (U32::new(renewal).to_bytes(), U32::new(rebinding).to_bytes());
    let (dns, broadcast) = (DNS.octets(), BROADCAST.octets());
    let mut options = Vec::new();
    if !refused {
        options.push(DhcpOption { kind: option::DNS, data: &dns });
        options.push(DhcpOption { kind: option::DOMAIN, data: DOMAIN.as_bytes() });
        options.push(DhcpOption { kind: option::MTU, data: &mtu });
        options.push(DhcpOption { kind: option::BROADCAST, data: &broadcast });
        if given.is_some() {
            options.push(DhcpOption { kind: option::RENEWAL, data: &renewal });
            options.push(DhcpOption { kind: option::REBINDING, data: &rebinding });
        }
    }
    // RFC 6842: a client knows its answer by this.
    options.extend(request.identifier.map(|data| DhcpOption { kind: option::CLIENT, data }));
    let informed = !refused && given.is_none();
    let broadcast = packet.flags().contains(DhcpFlags::BROADCAST);
    let answer = DhcpRepr {
        message_type: kind,
        transaction_id: packet.transaction_id(),
        secs: 0,
        client_hardware_address: request.mac,
        client_ip: if refused { Ipv4Addr::UNSPECIFIED } else { request.client },
        your_ip: given.unwrap_or(Ipv4Addr::UNSPECIFIED),
        server_ip: Ipv4Addr::UNSPECIFIED,
        router: (!refused).then_some(GATEWAY),
        subnet_mask: (!refused).then_some(Ipv4Cidr::new(GATEWAY, PREFIX).netmask()),
        relay_agent_ip: packet.relay_agent_ip(),
        broadcast,
        requested_ip: None,
        client_identifier: None,
        server_identifier: Some(GATEWAY),
        parameter_request_list: None,
        dns_servers: None,
        max_size: None,
        lease_duration: given.map(|_| seconds),
        renew_duration: None,
        rebind_duration: None,
        additional_options: &options,
    };
    let length = answer.buffer_len();
    if length > LONGEST {
        return Outcome::Ignored;
    }
    let mut message = vec![0; length.max(LEAST)];
    if answer.emit(&mut DhcpPacket::new_unchecked(&mut message[..])).is_err() {
        return Outcome::Ignored;
    }
    // RFC 2131, 4.1: to the address that the client has, or to the one it gets; to all if it wants that or is refused.
    let to = match given {
        _ if refused => Ipv4Addr::BROADCAST,
        _ if !request.client.is_unspecified() => request.client,
        Some(given) if !broadcast => given,
        _ => Ipv4Addr::BROADCAST,
    };
    let has = if kind == DhcpMessageType::Ack && !informed { given } else { None };
    Outcome::Answer { message, to, has }
}
