//! Ways out of virtual switches: what opens them, and one that is open.

use net::Port;
use std::sync::Arc;

/// The way out of a virtual switch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum UplinkSpec {
    /// There is none.
    #[default]
    None,
    /// The host's ordinary sockets.
    User(Sockets),
    /// The same, by the program `passt`.
    Passt(Sockets),
    /// An interface of the host's, of type TAP.
    Tap(String),
    /// A program that comes to a place of the host's.
    Listen(String),
    /// A program that is called at a place.
    Call(String),
}

/// How guests and the host's sockets reach each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sockets {
    /// Ports of the host that lead to a guest, as `--publish` has them.
    pub publish: Vec<String>,
    /// The gateway's address is the host's loopback.
    pub host_access: bool,
}

impl UplinkSpec {
    /// The line of QUERY VSWITCH that says which it is; `None`: there is none.
    pub(crate) fn line(&self) -> Option<String> {
        let access = |sockets: &Sockets| if sockets.host_access { "ON" } else { "OFF" };
        Some(match self {
            UplinkSpec::None => return None,
            UplinkSpec::User(sockets) => format!("Type: USER   Host access: {}", access(sockets)),
            UplinkSpec::Passt(sockets) => format!("Type: PASST   Host access: {}", access(sockets)),
            UplinkSpec::Tap(name) => format!("Type: TAP   Interface: {name}"),
            UplinkSpec::Listen(place) => format!("Type: LISTEN   Place: {place}"),
            UplinkSpec::Call(place) => format!("Type: CALL   Place: {place}"),
        })
    }

    /// Ports of the host that lead to a guest.
    pub fn published(&self) -> &[String] {
        match self {
            UplinkSpec::User(sockets) | UplinkSpec::Passt(sockets) => &sockets.publish,
            _ => &[],
        }
    }
}

/// A way out that is open. It closes when this is dropped.
pub trait Uplink: Send + Sync {
    /// Lines for QUERY VSWITCH DETAILS: the published ports, and how much is under way.
    fn details(&self) -> Vec<String>;

    /// What the operator should know that was not told before.
    fn notices(&self) -> Vec<String>;
}

/// What opens ways out.
pub trait Uplinks: Send + Sync {
    /// Opens one at this port of a switch. The error is what the host says.
    fn open(&self, port: &Arc<Port>, spec: &UplinkSpec) -> Result<Box<dyn Uplink>, String>;
}

/// An uplink that is connected, and its port.
pub(crate) struct Connected {
    pub(crate) port: Arc<Port>,
    pub(crate) uplink: Box<dyn Uplink>,
}
