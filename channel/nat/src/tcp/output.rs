//! What the guest is sent, and what goes on to the host.

use super::{
    Around, BURST, FLYING, LONGEST_PATIENCE, PATIENCE, PROBE, Phase, SILENCE, SMALL_WINDOW, TRIES, TURN, Tcp, Turn,
    WINDOW,
};
use crate::host::{Close, Received, Refusal};
use crate::port::Ends;
use smoltcp::wire::{
    IPV4_HEADER_LEN, IPV6_HEADER_LEN, IpProtocol, TCP_HEADER_LEN, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use std::ops::Range;
use std::time::Duration;

/// The hop limit of segments.
const HOPS: u8 = 64;

/// Hands a segment to the guest, whose queue may be full.
pub(crate) fn emit(around: &mut Around<'_>, segment: &TcpRepr<'_>) -> bool {
    let ends = Ends { from: around.key.remote.ip(), to: around.key.guest.ip() };
    let mac = around.port.stations.get(around.station).mac;
    around.port.build_ip(mac, ends, (IpProtocol::Tcp, HOPS), segment.buffer_len(), |payload, checksums| {
        let (from, to) = (ends.from.into(), ends.to.into());
        segment.emit(&mut TcpPacket::new_unchecked(payload), &from, &to, checksums);
    });
    around.port.offer(around.host, around.station)
}

/// A reset for a guest: it waits if the guest's queue is full.
pub(crate) fn emit_reset(around: &mut Around<'_>, number: u32, ack: Option<u32>) {
    let reset = TcpRepr { control: TcpControl::Rst, window_len: 0, ..bare(around, number, ack) };
    if !emit(around, &reset) {
        around.port.send(around.host, around.station);
    }
}

/// A segment without anything.
fn bare<'a>(around: &Around<'_>, number: u32, ack: Option<u32>) -> TcpRepr<'a> {
    TcpRepr {
        src_port: around.key.remote.port(),
        dst_port: around.key.guest.port(),
        control: TcpControl::None,
        seq_number: TcpSeqNumber(number as i32),
        ack_number: ack.map(|ack| TcpSeqNumber(ack as i32)),
        window_len: 0,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    }
}

/// The length of the headers before a segment's bytes.
fn headers(around: &Around<'_>) -> usize {
    TCP_HEADER_LEN + if around.key.guest.is_ipv6() { IPV6_HEADER_LEN } else { IPV4_HEADER_LEN }
}

impl Tcp {
    /// Does what can be done.
    pub(crate) fn pump(&mut self, around: &mut Around<'_>) -> Turn {
        match self.phase {
            Phase::Connecting => Turn::Rest,
            Phase::Calling | Phase::Answering => self.introduce(around),
            Phase::Open => {
                let turn = self.exchange(around).unwrap_or_else(|refusal| self.broken(around, refusal));
                self.set_timers(around);
                turn
            }
        }
    }

    /// Sends the SYN, alone or with the acknowledgement of the guest's.
    fn introduce(&mut self, around: &mut Around<'_>) -> Turn {
        if self.next != self.una {
            return Turn::Rest;
        }
        let ack = (self.phase == Phase::Answering).then_some(self.received);
        let window = if around.frugal { SMALL_WINDOW } else { WINDOW.0 - 1 };
        let scale = self.phase == Phase::Calling || self.shifts.1 > 0;
        let syn = TcpRepr {
            control: TcpControl::Syn,
            window_len: window as u16,
            window_scale: scale.then_some(super::SHIFT),
            max_seg_size: Some((around.port.mtu - headers(around)) as u16),
            ..bare(around, self.una, ack)
        };
        if !emit(around, &syn) {
            return Turn::Stalled;
        }
        self.edge = self.received.wrapping_add(window as u32);
        self.next = self.una.wrapping_add(1);
        self.top = self.next;
        self.resend_at = Some(around.now + self.patience());
        Turn::Rest
    }

    fn patience(&self) -> Duration {
        (PATIENCE * (1 << self.tries.min(5))).min(LONGEST_PATIENCE)
    }

    /// Moves bytes both ways.
    fn exchange(&mut self, around: &mut Around<'_>) -> Result<Turn, Refusal> {
        self.flush(around)?;
        if self.again {
            let length = self.limit(around).min(self.flying());
            if !self.send_part(around, self.una, 0..length) {
                return Ok(Turn::Stalled);
            }
            self.again = false;
        }
        let mut sent = 0;
        loop {
            let limit = self.limit(around);
            if self.out.len() - self.flying() < limit {
                self.fill(around)?;
            }
            let flying = self.flying();
            let unsent = self.out.len() - flying;
            let length = unsent.min(limit).min(self.window.saturating_sub(flying));
            // A window that is nearly closed is let open again, rather than used up by crumbs (3.8.6.2.1).
            let crumb = length < limit && length < unsent && flying > 0;
            if length == 0 || crumb {
                break;
            }
            if sent >= TURN {
                return Ok(Turn::Again);
            }
            if !self.send_part(around, self.next, flying..flying + length) {
                return Ok(Turn::Stalled);
            }
            self.next = self.next.wrapping_add(length as u32);
            self.advance(around);
            around.active = true;
            sent += length;
        }
        if self.host_end && self.flying() == self.out.len() && self.fin != Some(self.next) {
            let fin = TcpRepr { control: TcpControl::Fin, ..self.segment(around, self.next) };
            if !emit(around, &fin) {
                return Ok(Turn::Stalled);
            }
            self.promised(&fin);
            self.next = self.next.wrapping_add(1);
            self.fin = Some(self.next);
            self.advance(around);
        }
        if self.ack_due || self.window_grew(around) {
            let ack = self.segment(around, self.top);
            if !emit(around, &ack) {
                return Ok(Turn::Stalled);
            }
            self.promised(&ack);
        }
        let told = self.fin == Some(self.una) && self.finished;
        Ok(if told { Turn::Gone(Close::Orderly) } else { Turn::Rest })
    }

    /// Gives the host what waits for it.
    fn flush(&mut self, around: &mut Around<'_>) -> Result<(), Refusal> {
        while self.writable && !self.pending.is_empty() {
            let sent = around.host.send(around.id, self.pending.bytes())?;
            self.writable = sent == self.pending.len();
            self.pending.consume(sent);
            self.delivered(sent);
        }
        if self.guest_end && self.pending.is_empty() && !self.finished {
            around.host.finish(around.id);
            self.finished = true;
        }
        Ok(())
    }

    /// The host has taken so many bytes.
    pub(super) fn delivered(&mut self, count: usize) {
        self.promise = (self.promise + count).min(WINDOW.1);
    }

    /// Reads from the host what the guest has room for.
    fn fill(&mut self, around: &mut Around<'_>) -> Result<(), Refusal> {
        let most = if around.frugal { SMALL_WINDOW } else { FLYING };
        let room = self.window.min(most).saturating_sub(self.out.len());
        if !self.readable || self.host_end || room == 0 {
            return Ok(());
        }
        let count = room.min(self.burst);
        match around.host.receive(around.id, self.out.room(count))? {
            Received::Bytes(got) => {
                self.out.filled(got);
                around.port.counters.tcp_bytes_in += got as u64;
                if got == self.burst {
                    self.burst = (self.burst * 2).min(BURST.1);
                }
            }
            Received::Nothing => self.readable = false,
            Received::End => {
                self.host_end = true;
                self.readable = false;
            }
        }
        Ok(())
    }

    /// The most bytes of a segment.
    fn limit(&self, around: &Around<'_>) -> usize {
        let headers = headers(around);
        match around.segment > around.port.mtu {
            // The guest's device cuts it up.
            true => around.segment - headers,
            false => self.mss.min(around.port.mtu - headers),
        }
    }

    /// Sends bytes again, or for the first time.
    fn send_part(&mut self, around: &mut Around<'_>, number: u32, part: Range<usize>) -> bool {
        let last = part.end == self.out.len();
        let control = if last { TcpControl::Psh } else { TcpControl::None };
        let segment = TcpRepr { control, ..self.segment(around, number) };
        let sent = emit(around, &TcpRepr { payload: &self.out.bytes()[part], ..segment });
        if sent {
            if number != self.top {
                around.port.counters.tcp_again += 1;
            }
            self.promised(&segment);
        }
        sent
    }

    /// Something was sent: an answer is awaited.
    fn advance(&mut self, around: &Around<'_>) {
        if (self.next.wrapping_sub(self.top) as i32) > 0 {
            self.top = self.next;
        }
        if self.resend_at.is_none() {
            self.resend_at = Some(around.now + self.patience());
        }
    }

    /// A segment that acknowledges, with the window of now.
    fn segment<'a>(&self, around: &Around<'_>, number: u32) -> TcpRepr<'a> {
        let window = self.right(around).wrapping_sub(self.received) >> self.shifts.1;
        TcpRepr { window_len: window.min(u32::from(u16::MAX)) as u16, ..bare(around, number, Some(self.received)) }
    }

    /// A segment was sent: what it promised holds.
    fn promised(&mut self, segment: &TcpRepr<'_>) {
        let edge = self.received.wrapping_add(u32::from(segment.window_len) << self.shifts.1);
        if (edge.wrapping_sub(self.edge) as i32) > 0 {
            self.edge = edge;
        }
        self.ack_due = false;
        self.ack_at = None;
        self.unacknowledged = 0;
    }

    /// Up to where the guest may send: never less than was promised.
    fn right(&self, around: &Around<'_>) -> u32 {
        let window = if around.frugal { SMALL_WINDOW } else { self.promise };
        let right = self.received.wrapping_add(window.saturating_sub(self.pending.len()) as u32);
        if (right.wrapping_sub(self.edge) as i32) > 0 { right } else { self.edge }
    }

    /// Whether the window has opened so far that the guest should hear of it.
    fn window_grew(&self, around: &Around<'_>) -> bool {
        let open = self.edge.wrapping_sub(self.received) as usize;
        let grown = self.right(around).wrapping_sub(self.edge) as usize;
        // Windows are told in steps of their shift.
        let step = 1 << self.shifts.1;
        let told = open < usize::from(u16::MAX) << self.shifts.1;
        !self.guest_end
            && told
            && grown >= step
            && (grown >= self.promise / 2 || (open < self.mss && grown >= self.mss))
    }

    fn set_timers(&mut self, around: &Around<'_>) {
        if self.top == self.una {
            self.resend_at = None;
            let wants = self.out.len() > self.flying() || self.readable;
            if wants && self.window == 0 && self.probe_at.is_none() {
                self.probe_at = Some(around.now + PROBE);
            }
        } else if self.resend_at.is_none() {
            self.resend_at = Some(around.now + self.patience());
        }
    }

    /// The time has come for something.
    pub(crate) fn timer(&mut self, around: &mut Around<'_>) -> Turn {
        let now = around.now;
        if self.resend_at.is_some_and(|at| at <= now) {
            if around.port.stations.get(around.station).full {
                // What was to be sent is still to be sent.
                self.resend_at = Some(now + self.patience());
                return Turn::Rest;
            }
            self.tries += 1;
            let most = if self.phase == Phase::Open { TRIES.1 } else { TRIES.0 };
            if self.tries > most {
                around.port.counters.tcp_silent += 1;
                self.tell_reset(around);
                return Turn::Gone(Close::Reset);
            }
            self.resend_at = None;
            self.recover = None;
            self.again = false;
            self.next = self.una;
            return Turn::Again;
        }
        if self.ack_at.is_some_and(|at| at <= now) {
            self.ack_at = None;
            self.ack_due = true;
            return Turn::Again;
        }
        let probe = self.probe_at.is_some_and(|at| at <= now);
        let silent = self.phase == Phase::Open && self.probe_at.is_none() && self.heard_at + SILENCE <= now;
        if probe || silent {
            self.tries += 1;
            if self.tries > TRIES.1 {
                around.port.counters.tcp_silent += 1;
                self.tell_reset(around);
                return Turn::Gone(Close::Reset);
            }
            // A number that the guest has acknowledged makes it say where it stands.
            let ask = self.segment(around, self.una.wrapping_sub(1));
            if emit(around, &ask) {
                self.promised(&ask);
            }
            self.probe_at = Some(now + PROBE);
        }
        Turn::Rest
    }

    /// Tells the guest that the connection is broken.
    pub(crate) fn tell_reset(&mut self, around: &mut Around<'_>) {
        if self.phase == Phase::Calling && self.top == self.una {
            // It has heard of nothing.
            return;
        }
        let ack = (self.phase != Phase::Calling).then_some(self.received);
        self.send_reset(around, self.top, ack);
    }

    pub(super) fn send_reset(&mut self, around: &mut Around<'_>, number: u32, ack: Option<u32>) {
        emit_reset(around, number, ack);
    }
}
