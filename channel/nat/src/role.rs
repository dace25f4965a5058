//! What flows of datagrams are for.

use std::net::SocketAddr;

/// What a flow is for.
#[derive(Debug)]
pub(crate) enum Role {
    /// UDP to the outside.
    Udp,
    /// Echoes to the outside, with the guest's identifier.
    Echo { ident: u16 },
    /// A question for a name.
    Question(Question),
    /// A peer of a published port, and the number of its listener.
    Published { listener: usize, peer: SocketAddr },
}

/// A flow of datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams {
    pub(crate) role: Role,
    pub(crate) readable: bool,
}

/// A question on its way.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) query: Vec<u8>,
    /// The port of the guest that asked.
    pub(crate) asker: SocketAddr,
    pub(crate) server: SocketAddr,
    /// Which resolver is asked.
    pub(crate) attempt: usize,
}
