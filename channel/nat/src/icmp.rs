//! ICMP and ICMPv6: echoes, and errors that guests are told.

use crate::Nat;
use crate::host::{Host, Kind, Refusal};
use crate::key::{Key, Protocol};
use crate::port::{Ends, Port};
use crate::role::Role;
use crate::settings::{GATEWAY, GATEWAY6, Place, place};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    Icmpv4DstUnreachable, Icmpv4Packet, Icmpv4Repr, Icmpv4TimeExceeded, Icmpv6DstUnreachable, Icmpv6Packet, Icmpv6Repr,
    Icmpv6TimeExceeded, IpProtocol, IpRepr,
};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Why a packet went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// No program listens there.
    Port,
    /// There is no such host, or no way to it.
    Address,
    /// It is not allowed.
    Prohibited,
    /// It has passed too many routers.
    Hops,
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        match refusal {
            Refusal::Refused | Refusal::Broken => Trouble::Port,
            Refusal::NotPermitted => Trouble::Prohibited,
            Refusal::Unreachable | Refusal::Exhausted => Trouble::Address,
        }
    }
}

/// How much of a packet an error repeats: what any receiver needs to find its socket.
const REPEATED: usize = 64;

/// Tells a guest that a packet of it, with `ends` and `header`, went no further. `first` is what follows its IP header.
pub(crate) fn tell(
    port: &mut Port,
    host: &mut dyn Host,
    station: usize,
    ends: Ends,
    protocol: IpProtocol,
    first: &[u8],
    trouble: Trouble,
) {
    port.counters.icmp_errors += 1;
    // The error for a port comes from the host that has none; others come from the gateway.
    let (from4, from6) = match trouble {
        Trouble::Port => (ends.to, ends.to),
        _ => (GATEWAY.into(), GATEWAY6.into()),
    };
    let data = &first[..first.len().min(REPEATED)];
    let header = IpRepr::new(ends.from.into(), ends.to.into(), protocol, data.len(), 64);
    match header {
        IpRepr::Ipv4(header) => {
            let reason = match trouble {
                Trouble::Port => Icmpv4DstUnreachable::PortUnreachable,
                Trouble::Address => Icmpv4DstUnreachable::HostUnreachable,
                _ => Icmpv4DstUnreachable::CommProhibited,
            };
            let error = match trouble {
                Trouble::Hops => Icmpv4Repr::TimeExceeded { reason: Icmpv4TimeExceeded::TtlExpired, header, data },
                _ => Icmpv4Repr::DstUnreachable { reason, header, data },
            };
            let back = Ends { from: from4, to: ends.from };
            port.packet(host, station, back, IpProtocol::Icmp, error.buffer_len(), |payload, checksums| {
                payload.fill(0);
                error.emit(&mut Icmpv4Packet::new_unchecked(payload), checksums);
            });
        }
        IpRepr::Ipv6(header) => {
            let reason = match trouble {
                Trouble::Port => Icmpv6DstUnreachable::PortUnreachable,
                Trouble::Address => Icmpv6DstUnreachable::AddrUnreachable,
                _ => Icmpv6DstUnreachable::AdminProhibit,
            };
            let error = match trouble {
                Trouble::Hops => {
                    Icmpv6Repr::TimeExceeded { reason: Icmpv6TimeExceeded::HopLimitExceeded, header, data }
                }
                _ => Icmpv6Repr::DstUnreachable { reason, header, data },
            };
            send6(port, host, station, Ends { from: from6, to: ends.from }, &error);
        }
    }
}

/// Sends a message of ICMPv6.
fn send6(port: &mut Port, host: &mut dyn Host, station: usize, ends: Ends, message: &Icmpv6Repr<'_>) {
    let (IpAddr::V6(from), IpAddr::V6(to)) = (ends.from, ends.to) else { return };
    port.packet(host, station, ends, IpProtocol::Icmpv6, message.buffer_len(), |payload, checksums| {
        payload.fill(0);
        message.emit(&from, &to, &mut Icmpv6Packet::new_unchecked(payload), checksums);
    });
}

/// An echo of a guest.
#[derive(Clone, Copy)]
struct Echo<'a> {
    ident: u16,
    number: u16,
    data: &'a [u8],
}

/// Sends the answer to an echo.
fn answer(port: &mut Port, host: &mut dyn Host, station: usize, ends: Ends, echo: Echo<'_>) {
    let Echo { ident, number: seq_no, data } = echo;
    match ends.from {
        IpAddr::V4(_) => {
            let message = Icmpv4Repr::EchoReply { ident, seq_no, data };
            port.packet(host, station, ends, IpProtocol::Icmp, message.buffer_len(), |payload, checksums| {
                message.emit(&mut Icmpv4Packet::new_unchecked(payload), checksums);
            });
        }
        IpAddr::V6(_) => send6(port, host, station, ends, &Icmpv6Repr::EchoReply { ident, seq_no, data }),
    }
}

impl Nat {
    /// A message of ICMP.
    pub(crate) fn icmp4(&mut self, now: Duration, station: usize, ends: Ends, payload: &[u8], host: &mut dyn Host) {
        let message = Icmpv4Packet::new_checked(payload);
        match message.and_then(|packet| Icmpv4Repr::parse(&packet, &self.port.checksums)) {
            Ok(Icmpv4Repr::EchoRequest { ident, seq_no, data }) => {
                self.echo(now, station, ends, Echo { ident, number: seq_no, data }, payload, host);
            }
            // Errors and answers of guests are for what they were sent, which needs none.
            Ok(_) => self.port.counters.ignored += 1,
            Err(_) => self.port.counters.damaged += 1,
        }
    }

    /// A message of ICMPv6.
    pub(crate) fn icmp6(
        &mut self,
        now: Duration,
        station: usize,
        (ends, hops): (Ends, u8),
        payload: &[u8],
        host: &mut dyn Host,
    ) {
        let (IpAddr::V6(from), IpAddr::V6(to)) = (ends.from, ends.to) else { return };
        let message = Icmpv6Packet::new_checked(payload);
        match message.and_then(|packet| Icmpv6Repr::parse(&from, &to, &packet, &self.port.checksums)) {
            Ok(Icmpv6Repr::EchoRequest { ident, seq_no, data }) => {
                self.echo(now, station, ends, Echo { ident, number: seq_no, data }, payload, host);
            }
            Ok(Icmpv6Repr::Ndisc(message)) if hops == crate::port::ALL_HOPS => {
                self.neighbor(now, station, from, &message, host);
            }
            Ok(_) => self.port.counters.ignored += 1,
            Err(_) => self.port.counters.damaged += 1,
        }
    }

    /// An echo request.
    fn echo(&mut self, now: Duration, station: usize, ends: Ends, echo: Echo<'_>, payload: &[u8], host: &mut dyn Host) {
        let back = Ends { from: ends.to, to: ends.from };
        let protocol = if ends.to.is_ipv4() { IpProtocol::Icmp } else { IpProtocol::Icmpv6 };
        match place(ends.to) {
            Place::Gateway | Place::Names => {
                self.port.counters.echoes_answered += 1;
                answer(&mut self.port, host, station, back, echo);
            }
            Place::Many => self.port.counters.ignored += 1,
            Place::Nowhere => {
                self.port.counters.nowhere += 1;
                tell(&mut self.port, host, station, ends, protocol, payload, Trouble::Address);
            }
            Place::Outside => {
                let key = Key {
                    protocol: Protocol::Echo,
                    guest: SocketAddr::new(ends.from, echo.ident),
                    remote: SocketAddr::new(ends.to, 0),
                };
                let role = Role::Echo { ident: echo.ident };
                let sent = self
                    .datagram_flow(now, station, key, role, |id, host| host.open(id, Kind::Echo, key.remote), host)
                    .and_then(|index| self.send_out(now, index, payload, host));
                match sent {
                    Ok(()) => self.port.counters.echoes_out += 1,
                    Err(refusal) => {
                        self.port.counters.echoes_refused += 1;
                        tell(&mut self.port, host, station, ends, protocol, payload, refusal.into());
                    }
                }
            }
        }
    }

    /// An answer to an echo has come from outside: its identifier becomes the guest's.
    pub(crate) fn echo_answered(&mut self, station: usize, key: Key, ident: u16, message: &[u8], host: &mut dyn Host) {
        let ends = Ends { from: key.remote.ip(), to: key.guest.ip() };
        let trusted = ChecksumCapabilities::ignored();
        let (from, to) = (ends.from, ends.to);
        let echo = match (from, to) {
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let message = Icmpv6Packet::new_checked(message);
                match message.and_then(|packet| Icmpv6Repr::parse(&from, &to, &packet, &trusted)) {
                    Ok(Icmpv6Repr::EchoReply { seq_no, data, .. }) => Some((seq_no, data)),
                    _ => None,
                }
            }
            _ => {
                let message = Icmpv4Packet::new_checked(message);
                match message.and_then(|packet| Icmpv4Repr::parse(&packet, &trusted)) {
                    Ok(Icmpv4Repr::EchoReply { seq_no, data, .. }) => Some((seq_no, data)),
                    _ => None,
                }
            }
        };
        if let Some((number, data)) = echo {
            answer(&mut self.port, host, station, ends, Echo { ident, number, data });
        }
    }
}
