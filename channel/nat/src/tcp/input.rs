//! Segments from the guest.

use super::{ACKNOWLEDGE, Around, DEFAULT_MSS, DIRECT, Phase, SHIFT, Tcp, Turn};
use crate::host::{Close, Refusal};
use smoltcp::wire::{TcpControl, TcpRepr};

/// How far `number` lies after `from`; negative if it lies before.
fn after(number: u32, from: u32) -> i64 {
    i64::from(number.wrapping_sub(from) as i32)
}

impl Tcp {
    /// The guest has called.
    pub(crate) fn called(first: u32, syn: &TcpRepr<'_>) -> Tcp {
        let number = syn.seq_number.0 as u32;
        let mut tcp = Tcp::new(Phase::Connecting, first, number.wrapping_add(1));
        tcp.agree(syn);
        tcp
    }

    /// What a SYN of the guest says about windows and lengths.
    fn agree(&mut self, syn: &TcpRepr<'_>) {
        self.shifts = match syn.window_scale {
            Some(shift) => (shift.min(14), SHIFT),
            None => (0, 0),
        };
        // A length that leaves no room for options would make more headers than bytes.
        self.mss = syn.max_seg_size.map_or(DEFAULT_MSS, |mss| usize::from(mss).max(88));
        // The window of a SYN is not shifted (RFC 7323, 2.2).
        self.window = usize::from(syn.window_len);
        self.window_from = (syn.seq_number.0 as u32, self.una);
    }

    /// A segment of the guest.
    pub(crate) fn input(&mut self, around: &mut Around<'_>, segment: &TcpRepr<'_>) -> Turn {
        let number = segment.seq_number.0 as u32;
        self.heard_at = around.now;
        match self.phase {
            Phase::Connecting => match segment.control {
                TcpControl::Rst if number == self.received => Turn::Gone(Close::Reset),
                TcpControl::Syn if number.wrapping_add(1) != self.received => Turn::Renewed,
                _ => Turn::Rest,
            },
            Phase::Calling => self.answered(around, segment),
            Phase::Answering | Phase::Open => self.synchronized(around, segment),
        }
    }

    /// A segment from a guest that was called (3.10.7.3).
    fn answered(&mut self, around: &mut Around<'_>, segment: &TcpRepr<'_>) -> Turn {
        let acknowledges = segment.ack_number.is_some_and(|ack| ack.0 as u32 == self.una.wrapping_add(1));
        match segment.control {
            TcpControl::Rst if acknowledges => {
                around.port.counters.tcp_refused += 1;
                Turn::Gone(Close::Reset)
            }
            TcpControl::Syn if acknowledges && self.top != self.una => {
                self.una = self.una.wrapping_add(1);
                self.next = self.una;
                self.received = (segment.seq_number.0 as u32).wrapping_add(1);
                self.edge = self.received;
                self.agree(segment);
                self.phase = Phase::Open;
                self.readable = true;
                self.ack_due = true;
                self.heard();
                around.active = true;
                Turn::Again
            }
            TcpControl::Rst => Turn::Rest,
            // What is left of a connection of before, which a reset ends.
            _ => {
                if let Some(ack) = segment.ack_number {
                    self.send_reset(around, ack.0 as u32, None);
                }
                Turn::Rest
            }
        }
    }

    /// The guest has told something new.
    fn heard(&mut self) {
        self.tries = 0;
        self.resend_at = None;
        self.probe_at = None;
    }

    /// A segment of an open connection (3.10.7.4).
    fn synchronized(&mut self, around: &mut Around<'_>, segment: &TcpRepr<'_>) -> Turn {
        let number = segment.seq_number.0 as u32;
        let offset = after(number, self.received);
        let length = segment.segment_len() as i64;
        let window = after(self.edge, self.received);
        if self.phase == Phase::Answering && segment.control == TcpControl::Syn && offset == -1 {
            // The guest did not see the answer.
            self.next = self.una;
            return Turn::Again;
        }
        let starts = 0 <= offset && offset < window;
        let ends = 0 < offset + length && offset + length <= window;
        // With a closed window, what begins at its edge still acknowledges.
        if !(starts || (length > 0 && ends) || offset == 0) {
            if segment.control != TcpControl::Rst {
                self.ack_due = true;
                if offset == -1 && length <= 1 {
                    around.host.keep_alive(around.id);
                }
            }
            return Turn::Again;
        }
        match segment.control {
            TcpControl::Rst if offset == 0 => {
                around.port.counters.tcp_reset += 1;
                return Turn::Gone(Close::Reset);
            }
            // RFC 5961: whether this is the guest is asked by an acknowledgement.
            TcpControl::Rst | TcpControl::Syn => {
                self.ack_due = true;
                return Turn::Again;
            }
            _ => {}
        }
        let Some(ack) = segment.ack_number else { return Turn::Rest };
        let ack = ack.0 as u32;
        if after(ack, self.top) > 0 {
            match self.phase {
                Phase::Answering => self.send_reset(around, ack, None),
                _ => self.ack_due = true,
            }
            return Turn::Again;
        }
        self.acknowledged(around, segment, ack);
        if self.phase == Phase::Answering {
            return Turn::Rest;
        }
        match self.take(around, segment, offset) {
            Ok(()) => Turn::Again,
            Err(refusal) => self.broken(around, refusal),
        }
    }

    /// What the guest acknowledges, and the window that it has.
    fn acknowledged(&mut self, around: &mut Around<'_>, segment: &TcpRepr<'_>, ack: u32) {
        let number = segment.seq_number.0 as u32;
        let fresh = after(ack, self.una);
        if fresh < 0 {
            return;
        }
        let before = self.window;
        let (from, at) = self.window_from;
        if after(number, from) > 0 || (number == from && after(ack, at) >= 0) {
            self.window = usize::from(segment.window_len) << self.shifts.0;
            self.window_from = (number, ack);
        }
        if fresh > 0 {
            if self.phase == Phase::Answering {
                self.phase = Phase::Open;
                self.una = self.una.wrapping_add(1);
                self.window = usize::from(segment.window_len) << self.shifts.0;
                around.active = true;
            }
            let bytes = ack.wrapping_sub(self.una) as usize;
            self.out.consume(bytes.min(self.out.len()));
            self.una = ack;
            if after(self.next, self.una) < 0 {
                self.next = self.una;
            }
            self.duplicates = 0;
            self.heard();
            match self.recover {
                Some(until) if after(until, self.una) > 0 => self.again = true,
                _ => self.recover = None,
            }
        } else if self.window != before {
            self.probe_at = None;
            self.tries = 0;
        } else if self.top != self.una && segment.segment_len() == 0 {
            self.duplicates += 1;
            if self.duplicates == 3 && self.recover.is_none() {
                self.recover = Some(self.top);
                self.again = true;
            }
        } else {
            self.probe_at = None;
            self.tries = 0;
        }
    }

    /// Takes the bytes of a segment, and its FIN.
    fn take(&mut self, around: &mut Around<'_>, segment: &TcpRepr<'_>, offset: i64) -> Result<(), Refusal> {
        if segment.segment_len() == 0 {
            return Ok(());
        }
        // What is not new, or not all that there is, is answered at once.
        if offset > 0 || self.guest_end {
            around.port.counters.tcp_disorder += u64::from(offset > 0);
            self.ack_due = true;
            return Ok(());
        }
        let known = (-offset) as usize;
        let bytes = segment.payload.get(known..).unwrap_or(&[]);
        let room = self.edge.wrapping_sub(self.received) as usize;
        let taken = bytes.len().min(room);
        self.unacknowledged += taken;
        if offset < 0 || taken < bytes.len() || self.unacknowledged >= self.mss * ACKNOWLEDGE.1 {
            self.ack_due = true;
        } else {
            self.ack_at.get_or_insert(around.now + ACKNOWLEDGE.0);
        }
        if taken > 0 {
            around.active = true;
            around.port.counters.tcp_bytes_out += taken as u64;
            self.received = self.received.wrapping_add(taken as u32);
            let mut rest = &bytes[..taken];
            if self.pending.is_empty() && self.writable && rest.len() >= DIRECT {
                let sent = around.host.send(around.id, rest)?;
                self.writable = sent == rest.len();
                self.delivered(sent);
                rest = &rest[sent..];
            }
            self.pending.append(rest);
        }
        if segment.control == TcpControl::Fin && taken == bytes.len() {
            self.received = self.received.wrapping_add(1);
            if after(self.edge, self.received) < 0 {
                self.edge = self.received;
            }
            self.guest_end = true;
            self.ack_due = true;
            around.active = true;
        }
        Ok(())
    }
}
