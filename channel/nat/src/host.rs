//! What lies around the machine: the guests' link on one side, the host's sockets on the other.

use std::net::SocketAddr;

/// A flow: what the caller keeps a socket by. The number of a flow that has gone comes back with another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl FlowId {
    /// As one number, below 2 to the 63rd.
    pub fn number(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// From what [`FlowId::number`] gave.
    pub fn from_number(number: u64) -> FlowId {
        FlowId { index: number as u32, generation: (number >> 32) as u32 }
    }
}

/// The kinds of sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// TCP. That it is connected, or is not to be, is told by [`Event::Connected`](crate::Event).
    Stream,
    /// UDP, connected: datagrams of the one peer.
    Datagram,
    /// Echoes of ICMP or ICMPv6, connected: messages from their type byte on, whose identifier the host chooses.
    Echo,
}

/// Why the host does not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The other side refused.
    Refused,
    /// There is no way there.
    Unreachable,
    /// The host does not permit it.
    NotPermitted,
    /// The host has no descriptor left.
    Exhausted,
    /// The connection broke.
    Broken,
}

/// What reading found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// So many bytes: part of a stream, or a datagram.
    Bytes(usize),
    /// Nothing now. The caller tells when there is something, by [`Event::Readable`](crate::Event).
    Nothing,
    /// The other side sends no more.
    End,
}

/// How a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// In order: what was written still arrives.
    Orderly,
    /// By a reset.
    Reset,
}

/// The link to the guests, and the host's sockets. No method waits.
pub trait Host {
    /// Hands `frame` to the guests' side. False: the queue of the guest is full, and nothing was taken. The caller says
    /// [`Nat::room`](crate::Nat::room) when there is room again.
    fn deliver(&mut self, frame: &[u8]) -> bool;

    /// Opens the socket of `flow`.
    fn open(&mut self, flow: FlowId, kind: Kind, to: SocketAddr) -> Result<(), Refusal>;

    /// Writes. Gives how many bytes the socket took: if less than all, the caller tells when it takes more, by
    /// [`Event::Writable`](crate::Event). Datagrams are taken wholly or not at all.
    fn send(&mut self, flow: FlowId, data: &[u8]) -> Result<usize, Refusal>;

    /// Reads.
    fn receive(&mut self, flow: FlowId, space: &mut [u8]) -> Result<Received, Refusal>;

    /// Nothing more will be written to this stream.
    fn finish(&mut self, flow: FlowId);

    /// The guest probes whether this stream is alive: so shall the host from now on.
    fn keep_alive(&mut self, flow: FlowId);

    /// Closes the socket of `flow`.
    fn close(&mut self, flow: FlowId, how: Close);

    /// Sends `data` to `to` from the socket of a published port, the `listener`th.
    fn reply(&mut self, listener: usize, to: SocketAddr, data: &[u8]);

    /// The resolver of the host to ask at the `attempt`th time, from 0 on. None: there is no further one.
    fn resolver(&mut self, attempt: usize) -> Option<SocketAddr>;
}
