//! Connections begin and end here: calls of guests, calls for guests, and segments that belong to none.

use crate::Nat;
use crate::datagrams::DOMAIN_PORT;
use crate::flows::{Body, Flow, Standing};
use crate::host::{Close, FlowId, Host, Kind, Refusal};
use crate::icmp::{Trouble, tell};
use crate::key::{Key, Protocol};
use crate::port::Ends;
use crate::settings::{Place, place};
use crate::tcp::{Around, Tcp, Turn, emit_reset};
use smoltcp::wire::{IpProtocol, TCP_HEADER_LEN, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// How many resolvers are tried for a connection to the server for names.
const RESOLVERS: usize = 3;
/// The ports that callers get whose own is taken.
const HIGH_PORTS: std::ops::RangeInclusive<u16> = 49_152..=65_535;
/// Storage that idle connections may keep, all together, so that busy ones need not ask for it anew.
const KEPT: usize = 8 << 20;

/// The first bytes of a SYN of the guest, for errors.
fn syn_header(key: &Key, number: u32) -> [u8; TCP_HEADER_LEN] {
    let mut header = [0; TCP_HEADER_LEN];
    let mut packet = TcpPacket::new_unchecked(&mut header[..]);
    packet.set_src_port(key.guest.port());
    packet.set_dst_port(key.remote.port());
    packet.set_seq_number(TcpSeqNumber(number as i32));
    packet.set_header_len(TCP_HEADER_LEN as u8);
    packet.set_syn(true);
    header
}

impl Nat {
    /// A packet of TCP.
    pub(crate) fn tcp(&mut self, now: Duration, station: usize, ends: Ends, payload: &[u8], host: &mut dyn Host) {
        let packet = TcpPacket::new_checked(payload);
        let read = packet
            .as_ref()
            .map_err(|error| *error)
            .and_then(|packet| TcpRepr::parse(packet, &ends.from.into(), &ends.to.into(), &self.port.checksums));
        let Ok(segment) = read else {
            self.port.counters.damaged += 1;
            return;
        };
        let key = Key {
            protocol: Protocol::Tcp,
            guest: SocketAddr::new(ends.from, segment.src_port),
            remote: SocketAddr::new(ends.to, segment.dst_port),
        };
        let turn = match self.flows.find(&key) {
            Some(index) => self.with_tcp(now, index, host, |tcp, around| tcp.input(around, &segment)),
            None => Turn::Renewed,
        };
        if turn == Turn::Renewed {
            match segment.control {
                TcpControl::Syn if segment.ack_number.is_none() => self.call(now, station, key, &segment, host),
                TcpControl::Rst => {}
                _ => self.unknown(now, station, key, &segment, host),
            }
        }
    }

    /// Lets a connection do something, and what follows from it.
    pub(crate) fn with_tcp(
        &mut self,
        now: Duration,
        index: u32,
        host: &mut dyn Host,
        act: impl FnOnce(&mut Tcp, &mut Around<'_>) -> Turn,
    ) -> Turn {
        let id = self.flows.id(index);
        let frugal = self.frugal();
        let segment = self.settings.segment;
        let keep = if self.memory < KEPT.min(self.settings.memory / 8) { usize::MAX } else { 0 };
        let Some(Flow { key, station, due, body: Body::Tcp(tcp), .. }) = self.flows.get_mut(index) else {
            return Turn::Rest;
        };
        let (key, station, before) = (*key, *station, tcp.storage());
        let port = &mut self.port;
        let mut around = Around { now, id, key, station, port, host: &mut *host, segment, frugal, active: false };
        let turn = act(tcp, &mut around);
        let active = around.active;
        tcp.release(keep);
        *due = tcp.due();
        let standing = if tcp.is_open() { Standing::Settled } else { Standing::New };
        self.memory = self.memory + tcp.storage() - before;
        if active {
            self.flows.touch(index, now, standing);
        }
        match turn {
            Turn::Rest => self.flows.arm(index),
            Turn::Again => {
                self.flows.arm(index);
                self.flows.queue(index);
            }
            Turn::Stalled => {
                self.flows.arm(index);
                self.flows.stall(index, &mut self.port.stations);
            }
            Turn::Gone(close) => _ = self.end(index, close, host),
            Turn::Renewed => _ = self.end(index, Close::Reset, host),
        }
        self.limit_memory(now, host);
        turn
    }

    /// Whether much memory is used.
    fn frugal(&self) -> bool {
        self.memory > self.settings.memory / 2
    }

    /// Ends flows until the rest fits.
    fn limit_memory(&mut self, now: Duration, host: &mut dyn Host) {
        while self.memory > self.settings.memory {
            let Some(index) = self.flows.longest_keeper() else { return };
            self.evict(now, index, host);
        }
    }

    /// Makes room for one more flow.
    pub(crate) fn make_room(&mut self, now: Duration, host: &mut dyn Host) {
        while self.flows.len() >= self.settings.flows {
            let Some(index) = self.flows.longest_idle() else { return };
            self.evict(now, index, host);
        }
    }

    fn evict(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        self.port.counters.evicted += 1;
        self.reset(now, index, host);
        self.end(index, Close::Reset, host);
    }

    /// Tells the guest that a connection is broken.
    fn reset(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        let id = self.flows.id(index);
        let segment = self.settings.segment;
        if let Some(Flow { key, station, body: Body::Tcp(tcp), .. }) = self.flows.get_mut(index) {
            let (key, station, port) = (*key, *station, &mut self.port);
            let mut around = Around { now, id, key, station, port, host, segment, frugal: false, active: false };
            tcp.tell_reset(&mut around);
        }
    }

    /// Takes a flow out, and closes its socket.
    pub(crate) fn end(&mut self, index: u32, close: Close, host: &mut dyn Host) -> Option<Flow> {
        let id = self.flows.id(index);
        let flow = self.flows.remove(index, &mut self.port.stations)?;
        match &flow.body {
            Body::Tcp(tcp) => self.memory -= tcp.storage(),
            Body::Datagrams(_) if flow.key.protocol == Protocol::Question => self.questions -= 1,
            Body::Datagrams(_) => {}
        }
        host.close(id, close);
        Some(flow)
    }

    /// A number that others do not guess: the first of a connection (RFC 6528).
    fn first_number(&mut self) -> u32 {
        self.calls += 1;
        // SplitMix64.
        let mut mixed = self.settings.seed.wrapping_add(self.calls.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as u32
    }

    /// A guest calls.
    fn call(&mut self, now: Duration, station: usize, key: Key, syn: &TcpRepr<'_>, host: &mut dyn Host) {
        let target = match place(key.remote.ip()) {
            Place::Many => {
                self.port.counters.ignored += 1;
                return;
            }
            Place::Outside => Ok(key.remote),
            Place::Names if key.remote.port() == DOMAIN_PORT => host.resolver(0).ok_or(Refusal::Refused),
            Place::Names => Err(Refusal::Refused),
            Place::Gateway if self.settings.host_access => Ok(self.target(key.remote)),
            Place::Gateway => {
                self.port.counters.host_refused += 1;
                Err(Refusal::Refused)
            }
            Place::Nowhere => {
                self.port.counters.nowhere += 1;
                Err(Refusal::Unreachable)
            }
        };
        let first = self.first_number();
        self.make_room(now, host);
        let tcp = Tcp::called(first, syn);
        let due = tcp.due();
        let body = Body::Tcp(Box::new(tcp));
        let flow = Flow { key, station, standing: Standing::New, touched: now, due, body };
        let id = self.flows.add(flow, &mut self.port.stations);
        self.port.counters.tcp_out += 1;
        if let Err(refusal) = target.and_then(|target| host.open(id, Kind::Stream, target)) {
            self.refuse(now, id.index, refusal, host);
        }
    }

    /// The host is connected to what a guest has called, or is not.
    pub(crate) fn connected(&mut self, now: Duration, id: FlowId, outcome: Result<(), Refusal>, host: &mut dyn Host) {
        let Some(Flow { key, body: Body::Tcp(tcp), .. }) = self.flows.get_mut(id.index) else { return };
        if !tcp.is_connecting() {
            return;
        }
        let Err(refusal) = outcome else {
            self.with_tcp(now, id.index, host, |tcp, _| {
                tcp.connected();
                Turn::Again
            });
            return;
        };
        tcp.attempt += 1;
        if place(key.remote.ip()) == Place::Names
            && tcp.attempt < RESOLVERS
            && let Some(next) = host.resolver(tcp.attempt)
        {
            host.close(id, Close::Orderly);
            if host.open(id, Kind::Stream, next).is_ok() {
                return;
            }
        }
        self.refuse(now, id.index, refusal, host);
    }

    /// A call of a guest leads nowhere: the guest is told, as a router or a host would tell it.
    fn refuse(&mut self, now: Duration, index: u32, refusal: Refusal, host: &mut dyn Host) {
        self.port.counters.tcp_refused += 1;
        if refusal == Refusal::Exhausted {
            self.port.counters.no_descriptor += 1;
        }
        match Trouble::from(refusal) {
            trouble @ (Trouble::Address | Trouble::Prohibited) if refusal != Refusal::Exhausted => {
                if let Some(Flow { key, station, body: Body::Tcp(tcp), .. }) = self.flows.get_mut(index) {
                    let ends = Ends { from: key.guest.ip(), to: key.remote.ip() };
                    let header = syn_header(key, tcp.numbers().1.wrapping_sub(1));
                    tell(&mut self.port, host, *station, ends, IpProtocol::Tcp, &header, trouble);
                }
            }
            _ => {
                // Before the answer, a reset has no number of its own (RFC 9293, 3.10.7.1).
                let id = self.flows.id(index);
                let segment = self.settings.segment;
                if let Some(Flow { key, station, body: Body::Tcp(tcp), .. }) = self.flows.get_mut(index) {
                    let (key, station, port, ack) = (*key, *station, &mut self.port, tcp.numbers().1);
                    let host = &mut *host;
                    let mut around =
                        Around { now, id, key, station, port, host, segment, frugal: false, active: false };
                    emit_reset(&mut around, 0, Some(ack));
                }
            }
        }
        self.end(index, Close::Orderly, host);
    }

    /// A segment that belongs to no connection is answered by a reset (RFC 9293, 3.10.7.1).
    fn unknown(&mut self, now: Duration, station: usize, key: Key, segment: &TcpRepr<'_>, host: &mut dyn Host) {
        if place(key.remote.ip()) == Place::Many {
            self.port.counters.ignored += 1;
            return;
        }
        self.port.counters.tcp_unknown += 1;
        let after = (segment.seq_number.0 as u32).wrapping_add(segment.segment_len() as u32);
        let (number, ack) = match segment.ack_number {
            Some(ack) => (ack.0 as u32, None),
            None => (0, Some(after)),
        };
        let id = FlowId { index: u32::MAX, generation: 0 };
        let (port, limit) = (&mut self.port, self.settings.segment);
        let mut around = Around { now, id, key, station, port, host, segment: limit, frugal: false, active: false };
        emit_reset(&mut around, number, ack);
    }

    /// `peer` has connected to a published port: the guest is called at `port`. Gives the flow, which is the caller's
    /// to keep the socket by. None: no port is left for a further call from there.
    pub fn accepted(&mut self, now: Duration, port: u16, peer: SocketAddr, host: &mut dyn Host) -> Option<FlowId> {
        let guest = self.guest_address()?;
        let station = self.port.stations.find(guest).unwrap_or(Self::EVERYONE);
        let mut key = Key { protocol: Protocol::Tcp, guest: SocketAddr::new(guest, port), remote: self.seen(peer) };
        let mut ports = HIGH_PORTS;
        while self.flows.find(&key).is_some() {
            key.remote.set_port(ports.next()?);
        }
        let first = self.first_number();
        self.make_room(now, host);
        let body = Body::Tcp(Box::new(Tcp::calling(first)));
        let flow = Flow { key, station, standing: Standing::New, touched: now, due: None, body };
        let id = self.flows.add(flow, &mut self.port.stations);
        self.port.counters.tcp_in += 1;
        self.flows.queue(id.index);
        Some(id)
    }

    /// A connection has its turn.
    pub(crate) fn pump_tcp(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        let Some(Flow { key, station, body: Body::Tcp(_), .. }) = self.flows.get_mut(index) else { return };
        if *station == Self::EVERYONE {
            let guest = key.guest.ip();
            if let Some(station) = self.port.stations.find(guest) {
                self.flows.settle(index, station, &mut self.port.stations);
            } else {
                if let IpAddr::V4(guest) = guest {
                    self.ask(guest, host);
                }
                self.with_tcp(now, index, host, |tcp, around| {
                    tcp.wait_for_guest(around);
                    Turn::Stalled
                });
                return;
            }
        }
        self.with_tcp(now, index, host, Tcp::pump);
    }
}
