//! A connection: one end is the guest's TCP, which is answered here, the other a stream of the host.
//!
//! The guest's window is mirrored: no more is read from the host than the guest has promised to take, and the guest is
//! promised no more than can wait here for the host. The link loses nothing that it has taken, so timers only mend what
//! a guest itself lost, and find guests that are gone. (RFC 9293; its section numbers stand where a rule is from it.)

mod input;
mod output;

pub(crate) use output::emit_reset;

use crate::buffer::Buffer;
use crate::host::{Close, FlowId, Host, Refusal};
use crate::key::Key;
use crate::port::Port;
use std::time::Duration;

/// The window that a guest is promised, which is what can wait here for the host: at first, and at most. It grows with
/// what the host has taken, so that many connections to hosts that take nothing need little.
const WINDOW: (usize, usize) = (64 << 10, 512 << 10);
/// The window while much memory is used.
const SMALL_WINDOW: usize = 8 << 10;
/// The shift of the windows that guests are told (RFC 7323).
const SHIFT: u8 = 4;
/// The most bytes on their way to a guest.
const FLYING: usize = 512 << 10;
/// The first and the greatest number of bytes to read from the host at once.
const BURST: (usize, usize) = (4 << 10, 128 << 10);
/// How many bytes a connection may send before others have their turn.
const TURN: usize = 256 << 10;
/// How long an acknowledgement waits for more to acknowledge, and how many full segments wait for it at most. Each
/// costs the guest an interruption.
const ACKNOWLEDGE: (Duration, usize) = (Duration::from_millis(1), 4);
/// A segment of this length goes to the host at once: putting it together with others costs more than it saves.
const DIRECT: usize = 16 << 10;
/// The length of segments to a guest that says none (3.7.1).
const DEFAULT_MSS: usize = 536;
/// How long an answer may take before a segment is sent again; twice as long each time.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest wait between two tries.
const LONGEST_PATIENCE: Duration = Duration::from_secs(32);
/// How often a call is repeated, and anything else.
const TRIES: (u32, u32) = (5, 10);
/// How often a closed window is probed.
const PROBE: Duration = Duration::from_secs(5);
/// A guest that has been silent so long is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(300);

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The guest has called; the host is connecting.
    Connecting,
    /// The guest is called.
    Calling,
    /// The host is connected; the guest is told.
    Answering,
    /// Both sides agree.
    Open,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Tcp {
    phase: Phase,
    /// Which resolver this talks to, for connections to the server for names.
    pub(crate) attempt: usize,

    // Toward the guest.
    /// The first number that the guest has not acknowledged.
    una: u32,
    /// The next number to send.
    next: u32,
    /// The number after the highest one sent.
    top: u32,
    /// What follows `una` (and the SYN, if that is the first).
    out: Buffer,
    window: usize,
    /// The segment that said the window: its number, and what it acknowledged.
    window_from: (u32, u32),
    /// The shift of the guest's windows and of ours: none if either lacks the option.
    shifts: (u8, u8),
    mss: usize,
    /// The host sends no more.
    host_end: bool,
    /// The number after our FIN, once it was sent.
    fin: Option<u32>,
    burst: usize,

    // From the guest.
    /// The next number from the guest.
    received: u32,
    /// The guest may send up to here.
    edge: u32,
    /// What the host has not taken.
    pending: Buffer,
    /// The guest sends no more.
    guest_end: bool,
    /// The host was told so.
    finished: bool,
    /// The window that the guest is promised.
    promise: usize,

    /// The host may have something.
    pub(crate) readable: bool,
    /// The host may take something.
    pub(crate) writable: bool,
    ack_due: bool,
    /// When bytes are acknowledged that have come alone.
    ack_at: Option<Duration>,
    /// Bytes that were not acknowledged yet.
    unacknowledged: usize,
    /// Acknowledgements that told nothing new, in a row.
    duplicates: u32,
    /// What was lost is sent again up to here.
    recover: Option<u32>,
    again: bool,
    tries: u32,
    resend_at: Option<Duration>,
    probe_at: Option<Duration>,
    /// When the guest was last heard of.
    heard_at: Duration,
}

/// What a connection works with.
pub(crate) struct Around<'a> {
    pub(crate) now: Duration,
    pub(crate) id: FlowId,
    pub(crate) key: Key,
    pub(crate) station: usize,
    pub(crate) port: &'a mut Port,
    pub(crate) host: &'a mut dyn Host,
    /// The longest packet that is handed over.
    pub(crate) segment: usize,
    /// Much memory is used.
    pub(crate) frugal: bool,
    /// Bytes went over the connection.
    pub(crate) active: bool,
}

/// What becomes of a connection after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing to do until something happens.
    Rest,
    /// There is more to do.
    Again,
    /// The guest's queue is full.
    Stalled,
    /// It is over.
    Gone(Close),
    /// A new call has come with the same ends.
    Renewed,
}

impl Tcp {
    fn new(phase: Phase, first: u32, received: u32) -> Tcp {
        Tcp {
            phase,
            attempt: 0,
            una: first,
            next: first,
            top: first,
            out: Buffer::default(),
            window: 0,
            window_from: (0, 0),
            shifts: (0, 0),
            mss: DEFAULT_MSS,
            host_end: false,
            fin: None,
            burst: BURST.0,
            received,
            edge: received,
            pending: Buffer::default(),
            guest_end: false,
            finished: false,
            promise: WINDOW.0,
            readable: false,
            writable: true,
            ack_due: false,
            ack_at: None,
            unacknowledged: 0,
            duplicates: 0,
            recover: None,
            again: false,
            tries: 0,
            resend_at: None,
            probe_at: None,
            heard_at: Duration::ZERO,
        }
    }

    /// The guest is called from outside.
    pub(crate) fn calling(first: u32) -> Tcp {
        Tcp::new(Phase::Calling, first, 0)
    }

    /// Whether both sides have agreed.
    pub(crate) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Whether the host is connecting.
    pub(crate) fn is_connecting(&self) -> bool {
        self.phase == Phase::Connecting
    }

    /// The storage that waiting bytes take.
    pub(crate) fn storage(&self) -> usize {
        self.out.capacity() + self.pending.capacity()
    }

    /// Gives storage back that is not in use: all above `keep` bytes.
    pub(crate) fn release(&mut self, keep: usize) {
        self.out.release(keep);
        self.pending.release(keep);
    }

    /// The host's side is connected.
    pub(crate) fn connected(&mut self) {
        self.phase = Phase::Answering;
        self.readable = true;
    }

    /// Where the guest is, is not known yet: it is looked for again later.
    pub(crate) fn wait_for_guest(&mut self, around: &Around<'_>) {
        self.resend_at = Some(around.now + PATIENCE);
    }

    /// The number that the guest expects, and what it may be told was received: for a reset before the answer.
    pub(crate) fn numbers(&self) -> (u32, u32) {
        (self.top, self.received)
    }

    /// When this wants to be looked at.
    pub(crate) fn due(&self) -> Option<Duration> {
        let silence = (self.phase == Phase::Open && self.probe_at.is_none()).then_some(self.heard_at + SILENCE);
        [self.resend_at, self.probe_at, self.ack_at, silence].into_iter().flatten().min()
    }

    /// Bytes that were sent and not acknowledged, without SYN and FIN.
    fn flying(&self) -> usize {
        let flying = self.next.wrapping_sub(self.una) as usize;
        flying.min(self.out.len())
    }

    /// The host failed: the guest is told by a reset.
    fn broken(&mut self, around: &mut Around<'_>, refusal: Refusal) -> Turn {
        if refusal == Refusal::Exhausted {
            around.port.counters.no_descriptor += 1;
        }
        around.port.counters.tcp_reset += 1;
        self.tell_reset(around);
        Turn::Gone(Close::Reset)
    }
}
