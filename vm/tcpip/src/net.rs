//! What sockets may reach, and the tokens and ports of all of them.

use crate::Settings;
use crate::call::Kind;
use crate::errno::Errno;
use mio::{Registry, Token};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4};
use uplink::Resolvers;
use uplink::settings::{GATEWAY, Place, place};

pub(crate) struct Net {
    pub registry: Registry,
    pub resolvers: Resolvers,
    settings: Settings,
    /// Ports of the host that are sockets of virtual machines, and of how many.
    ports: HashMap<(Kind, u16), usize>,
    next: usize,
}

impl Net {
    pub(crate) fn new(registry: Registry, settings: Settings) -> Net {
        let resolvers = Resolvers::new(settings.resolvers.clone());
        Net { registry, resolvers, settings, ports: HashMap::new(), next: 0 }
    }

    /// A token that no other socket has had.
    pub(crate) fn token(&mut self) -> Token {
        self.next += 1;
        Token(self.next)
    }

    /// Where sockets get their addresses, if they may have any.
    pub(crate) fn listening_address(&self) -> Result<Ipv4Addr, Errno> {
        self.settings.listen.ok_or(Errno::Access)
    }

    /// The host's address for what a program names: the gateway is the host's loopback. That is reached where the
    /// settings allow it, and where a socket of a virtual machine is.
    pub(crate) fn destination(&self, wanted: SocketAddrV4, kind: Kind) -> Result<SocketAddrV4, Errno> {
        let ours = || self.settings.host_access || self.ports.contains_key(&(kind, wanted.port()));
        let loopback = SocketAddrV4::new(Ipv4Addr::LOCALHOST, wanted.port());
        match self.place(*wanted.ip()) {
            Place::Gateway if ours() => Ok(loopback),
            Place::Gateway => Err(Errno::Refused),
            Place::Outside => Ok(wanted),
            Place::Many => Err(Errno::Access),
            Place::Names | Place::Nowhere => Err(Errno::NetworkUnreachable),
        }
    }

    /// What an address is: the loopback of a virtual machine is the gateway.
    pub(crate) fn place(&self, address: Ipv4Addr) -> Place {
        let address = if address.is_loopback() || address.is_unspecified() { GATEWAY } else { address };
        place(IpAddr::V4(address))
    }

    pub(crate) fn count(&mut self, kind: Kind, port: u16) {
        *self.ports.entry((kind, port)).or_default() += 1;
    }

    pub(crate) fn uncount(&mut self, kind: Kind, port: u16) {
        if let Some(count) = self.ports.get_mut(&(kind, port)) {
            *count -= 1;
            if *count == 0 {
                self.ports.remove(&(kind, port));
            }
        }
    }
}
