//! CP's networks: guest LANs and virtual switches, and which adapters of which users are connected to them.
//!
//! A guest LAN belongs to a user or to SYSTEM, a virtual switch to SYSTEM. Both are a [`net::Switch`]; a virtual switch
//! may have an uplink, too. Here is what CP adds: owners, grants, limits, addresses of adapters, and what QUERY shows.
//! [`operands`] reads the words of DEFINE and SET, for commands and for SYSTEM CONFIG alike.
//!
//! Nothing here knows a virtual machine: an adapter is its user and its device number. The way out of a switch is
//! opened by what is given to [`Networks::set_uplinks`].
//!
//! The life of a LAN: one of SYSTEM's is persistent, until DETACH. A user's is transient. It goes when its owner logs
//! off, or, if adapters are connected then, with the last of them.

mod address;
mod network;
mod networks;
pub mod operands;
mod show;
mod uplink;

pub use address::{Addresses, Prefixes};
pub use network::{Adapter, Definition, Grant, Kind, Name, NetworkType, Place, PortType, SYSTEM, Tags, Transport};
pub use networks::{Limits, Networks};
pub use show::{Extent, mac};
pub use uplink::{Sockets, Uplink, UplinkSpec, Uplinks};
