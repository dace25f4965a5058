//! The network that guests see: its addresses, and what can be set.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

/// The network's length of prefix, of IPv4.
pub const PREFIX: u8 = 24;
/// The gateway, as guests know it from QEMU.
pub const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);
/// The server for names.
pub const DNS: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 3);
/// The first guest's address.
pub const FIRST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 15);
/// The last guest's address.
pub const LAST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 254);
/// What is sent to all.
pub const BROADCAST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 255);

/// The length of the prefix, of IPv6.
pub const PREFIX6: u8 = 64;
/// The prefix from which guests make their IPv6 addresses.
pub const NETWORK6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 0);
/// The gateway, of IPv6.
pub const GATEWAY6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 2);
/// The server for names, of IPv6.
pub const DNS6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 3);
/// The router on the link: advertisements come from here.
pub const ROUTER6: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 2);

/// The domain of the names of guests and of the host.
pub const DOMAIN: &str = "endicott";
/// The host's name in [`DOMAIN`].
pub const HOST: &str = "host";

/// The largest frame that is taken: 64 KiB of IP packet with its Ethernet header.
pub const LONGEST_FRAME: usize = 65_535 + 14;
/// The smallest MTU: what IPv6 demands of a link.
pub const LEAST_MTU: usize = 1_280;
/// The largest MTU: a packet and its Ethernet header are 64 KiB less one.
pub const MOST_MTU: usize = 65_520;

/// What can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The gateway's hardware address.
    pub mac: [u8; 6],
    /// The link's MTU, which DHCP and router advertisements tell guests.
    pub mtu: usize,
    /// The longest packet of TCP that is handed to guests, where their device cuts it up itself. At least the MTU.
    pub segment: usize,
    /// Whether checksums of what guests send are looked at. A device that computes none hands in none that is right.
    pub verify: bool,
    /// Whether checksums of TCP and UDP are computed for what guests are sent. A device may vouch for them instead.
    pub fill: bool,
    /// Whether the gateway's address is the host's loopback.
    pub host_access: bool,
    /// Whether there is IPv6.
    pub ipv6: bool,
    /// How long a lease of an address lasts.
    pub lease: Duration,
    /// The most flows that there are at a time.
    pub flows: usize,
    /// The most bytes that wait in flows, all together.
    pub memory: usize,
    /// What numbers that cannot be guessed follow from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            mac: [0x52, 0x55, 10, 0, 2, 2],
            mtu: 1_500,
            segment: 1_500,
            verify: true,
            fill: true,
            host_access: false,
            ipv6: true,
            lease: Duration::from_secs(86_400),
            flows: 4_096,
            memory: 64 << 20,
            seed: 0,
        }
    }
}

/// Where a guest's packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The gateway itself.
    Gateway,
    /// The server for names.
    Names,
    /// Beyond the gateway.
    Outside,
    /// An address that no host has or that guests shall not reach.
    Nowhere,
    /// To all or to many on the link.
    Many,
}

/// What `address` is to a guest.
pub fn place(address: IpAddr) -> Place {
    match address {
        IpAddr::V4(GATEWAY) | IpAddr::V6(GATEWAY6 | ROUTER6) => Place::Gateway,
        IpAddr::V4(DNS) | IpAddr::V6(DNS6) => Place::Names,
        IpAddr::V4(address) if address.is_broadcast() || address.is_multicast() || address == BROADCAST => Place::Many,
        IpAddr::V6(address) if address.is_multicast() => Place::Many,
        // The whole of 0.0.0.0/8 is "this host" to some kernels, and so its loopback.
        IpAddr::V4(address) if address.is_loopback() || address.octets()[0] == 0 || address.octets()[0] >= 240 => {
            Place::Nowhere
        }
        IpAddr::V4(address) if is_local4(address) => Place::Nowhere,
        IpAddr::V4(_) => Place::Outside,
        // Loopback, and IPv4 addresses in IPv6's clothes, which would lead around the rules for IPv4.
        IpAddr::V6(address) if address.to_ipv4().is_some() || address.is_unicast_link_local() => Place::Nowhere,
        IpAddr::V6(address) if is_local6(address) => Place::Nowhere,
        IpAddr::V6(_) => Place::Outside,
    }
}

/// Whether this is an address of the guests' network.
pub(crate) fn is_local4(address: Ipv4Addr) -> bool {
    address.octets()[..3] == GATEWAY.octets()[..3]
}

/// Whether this is an address of the guests' IPv6 network.
pub(crate) fn is_local6(address: Ipv6Addr) -> bool {
    address.segments()[..4] == NETWORK6.segments()[..4]
}

/// Whether a guest can have this address as its own.
pub(crate) fn is_guest(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            is_local4(address) && !matches!(address.octets()[3], 0 | 255) && address != GATEWAY && address != DNS
        }
        IpAddr::V6(address) => {
            (is_local6(address) && address != NETWORK6 && address != GATEWAY6 && address != DNS6)
                || (address.is_unicast_link_local() && address != ROUTER6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_no_other_name() {
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "::1",
            "::",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "fe80::1",
            "10.0.2.77",
            "240.0.0.1",
            "fd00::99",
        ] {
            assert_eq!(place(address.parse().unwrap()), Place::Nowhere, "{address}");
        }
    }

    #[test]
    fn the_rest_of_the_world_is_outside() {
        for address in ["8.8.8.8", "10.0.3.2", "192.168.1.1", "169.254.1.1", "2001:db8::1", "fd01::2"] {
            assert_eq!(place(address.parse().unwrap()), Place::Outside, "{address}");
        }
    }
}
