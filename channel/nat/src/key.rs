//! What flows are found by.

use std::net::SocketAddr;

/// What kinds of flows can have the same ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
    Echo,
    /// A question to the server for names; the remote port is its identification.
    Question,
}

/// What a flow is found by: its ends as the guest sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) protocol: Protocol,
    pub(crate) guest: SocketAddr,
    pub(crate) remote: SocketAddr,
}
