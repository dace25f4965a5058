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
    User {
        /// Ports of the host that lead to a guest, as `--publish` has them.
        publish: Vec<String>,
        /// The gateway's address is the host's loopback.
        host_access: bool,
    },
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
