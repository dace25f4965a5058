//! What is counted.

/// Names a counter once: a field, its explanation, and its place in the list.
macro_rules! counters {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// What has happened since the start.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$about])* pub $name: u64,)*
        }

        impl Counters {
            /// The counters with their names, in their order.
            pub fn list(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

counters! {
    /// Frames from guests.
    frames_in,
    /// Their bytes.
    bytes_in,
    /// Frames that guests' queues took.
    frames_out,
    /// Their bytes.
    bytes_out,
    /// How often the queue of a guest was full.
    full,
    /// Frames that waited too long for room, and went.
    dropped_full,
    /// Frames that are malformed, or damaged by their checksums.
    damaged,
    /// Frames of protocols that are not here, or not for the gateway.
    ignored,
    /// Packets to addresses that no host has.
    nowhere,
    /// Packets to the host's loopback by way of the gateway, which are not allowed.
    host_refused,
    /// ARP requests that were answered.
    arp_answered,
    /// ARP requests and neighbour solicitations above the rate that is answered.
    arp_limited,
    /// DHCP messages that were answered.
    dhcp_answered,
    /// DHCP messages above the rate that is answered.
    dhcp_limited,
    /// DHCP messages for which there was no address.
    dhcp_exhausted,
    /// Router advertisements.
    advertisements,
    /// Neighbour solicitations that were answered.
    neighbors_answered,
    /// Echo requests that the gateway answered.
    echoes_answered,
    /// Echo requests that went outside.
    echoes_out,
    /// Echo requests that the host does not let out.
    echoes_refused,
    /// Errors of ICMP that guests were told.
    icmp_errors,
    /// Datagrams that were put together of fragments.
    reassembled,
    /// Fragments that went: they overlap, come too late, or are too many.
    fragments_dropped,
    /// Flows of UDP.
    udp_flows,
    /// Datagrams from guests.
    udp_out,
    /// Datagrams to guests.
    udp_in,
    /// Datagrams that the host did not take.
    udp_dropped,
    /// Names that were answered here.
    dns_local,
    /// Questions that went to the host's resolvers.
    dns_forwarded,
    /// Questions that no resolver answered.
    dns_failed,
    /// Connections that guests began.
    tcp_out,
    /// Connections that guests were called for.
    tcp_in,
    /// Connections that the other side or the host refused.
    tcp_refused,
    /// Connections that ended by a reset.
    tcp_reset,
    /// Segments for which there was no connection.
    tcp_unknown,
    /// Segments that did not come in order, and were not kept.
    tcp_disorder,
    /// Segments that were sent again.
    tcp_again,
    /// Connections given up because the guest did not answer.
    tcp_silent,
    /// Bytes of connections from guests.
    tcp_bytes_out,
    /// Bytes of connections to guests.
    tcp_bytes_in,
    /// Flows that had to go for new ones, or for memory.
    evicted,
    /// Flows for which the host had no descriptor.
    no_descriptor,
    /// Guests that were not known, because too many were.
    strangers,
}
