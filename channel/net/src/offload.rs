//! Work on frames that is put off: check sums that are still to be computed, and segments of TCP that are longer than
//! the link's packets.
//!
//! Between two guests of one host neither is ever done: storage does not lose bits, and a long segment is copied as
//! fast as a short one. A port says what the thing at it takes, and for others the work is done here.

use crate::frame::{SHORTEST, Tag};
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, IpAddress, IpProtocol, Ipv4Packet, Ipv6Packet, TcpPacket, UdpPacket,
};

/// What is still to be done about a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offload {
    /// A check sum is to be computed from the first of these bytes to the end, and goes to the second. That of the
    /// pseudo-header stands there.
    pub sum: Option<(u16, u16)>,
    /// It is a segment of TCP that is to be cut into parts.
    pub cut: Option<Cut>,
}

/// How a long segment is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The bytes of data of each part.
    pub part: u16,
    /// Over IPv6.
    pub six: bool,
}

impl Offload {
    /// Nothing.
    pub const NONE: Offload = Offload { sum: None, cut: None };

    /// The same after so many bytes more before what the check sum is of, or less.
    pub(crate) fn moved(self, bytes: i32) -> Offload {
        let moved = |at: u16| u16::try_from(i32::from(at) + bytes).unwrap_or(u16::MAX);
        Offload { sum: self.sum.map(|(from, to)| (moved(from), moved(to))), ..self }
    }
}

/// What the thing at a port takes as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Takes {
    /// Frames whose check sum is to be computed.
    pub sums: bool,
    /// Long segments over IPv4.
    pub long4: bool,
    /// Long segments over IPv6.
    pub long6: bool,
}

impl Takes {
    /// All of it.
    pub const ALL: Takes = Takes { sums: true, long4: true, long6: true };
}

impl Takes {
    fn takes(self, offload: Offload) -> bool {
        let long = offload.cut.is_none_or(|cut| if cut.six { self.long6 } else { self.long4 });
        long && (self.sums || offload.sum.is_none())
    }
}

/// Where a packet of TCP or UDP has its parts.
struct Parts {
    network: usize,
    six: bool,
    protocol: IpProtocol,
    transport: usize,
    data: usize,
    end: usize,
    from: IpAddress,
    to: IpAddress,
}

/// The parts of a frame with a packet of TCP or UDP, all of it, right after its IP header.
fn parts(frame: &[u8]) -> Option<Parts> {
    let kind = EthernetFrame::new_checked(frame).ok()?.ethertype();
    let tag = if u16::from(kind) == Tag::KIND { size_of::<Tag>() } else { 0 };
    let network = SHORTEST + tag;
    let tagged = EthernetFrame::new_checked(frame.get(tag..)?).ok()?;
    let (kind, packet) = (tagged.ethertype(), tagged.payload());
    let (six, head, length, protocol, from, to) = match kind {
        EthernetProtocol::Ipv4 => {
            let ip = Ipv4Packet::new_checked(packet).ok()?;
            (!ip.more_frags() && ip.frag_offset() == 0).then_some(())?;
            let [from, to] = [ip.src_addr(), ip.dst_addr()].map(IpAddress::from);
            (false, usize::from(ip.header_len()), usize::from(ip.total_len()), ip.next_header(), from, to)
        }
        EthernetProtocol::Ipv6 => {
            let ip = Ipv6Packet::new_checked(packet).ok()?;
            let [from, to] = [ip.src_addr(), ip.dst_addr()].map(IpAddress::from);
            (true, ip.header_len(), ip.total_len(), ip.next_header(), from, to)
        }
        _ => return None,
    };
    let (transport, end) = (network + head, network + length);
    let bytes = frame.get(transport..end)?;
    let head = match protocol {
        IpProtocol::Tcp => TcpPacket::new_checked(bytes).ok()?.header_len().into(),
        IpProtocol::Udp => UdpPacket::new_checked(bytes).map(|_| 8).ok()?,
        _ => return None,
    };
    Some(Parts { network, six, protocol, transport, data: transport + head, end, from, to })
}

/// What is still to be done about a frame of a sender that writes no check sums of TCP and UDP, and whose segments of
/// TCP may be longer than a packet of `mtu` bytes. The check sum of the pseudo-header is put into it.
pub fn left_open(frame: &mut [u8], mtu: u16) -> Offload {
    let Some(parts) = parts(frame) else { return Offload::NONE };
    // That of the protocol and the length, and of the addresses.
    let length = (parts.end - parts.transport) as u64;
    let sum = folded(u64::from(sum_of(&pair(&parts))) + u64::from(u8::from(parts.protocol)) + length);
    let at = parts.transport + if parts.protocol == IpProtocol::Tcp { SUM_OF_TCP } else { SUM_OF_UDP };
    frame[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    let part = usize::from(mtu).saturating_sub(parts.data - parts.network).max(LEAST.into());
    let long = parts.protocol == IpProtocol::Tcp && parts.end - parts.data > part;
    Offload {
        sum: Some((parts.transport as u16, at as u16)),
        cut: long.then_some(Cut { part: part as u16, six: parts.six }),
    }
}

/// The fewest bytes of data that a segment is cut into: Linux sends no shorter ones. It bounds what becomes of a frame.
const LEAST: u16 = 48;

/// Where packets have their check sums.
const SUM_OF_TCP: usize = 16;
const SUM_OF_UDP: usize = 6;

fn pair(parts: &Parts) -> Vec<u8> {
    let bytes = |address: &IpAddress| match address {
        IpAddress::Ipv4(address) => address.octets().to_vec(),
        IpAddress::Ipv6(address) => address.octets().to_vec(),
    };
    [bytes(&parts.from), bytes(&parts.to)].concat()
}

fn folded(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The ones' complement sum of bytes (RFC 1071).
fn sum_of(bytes: &[u8]) -> u16 {
    let words = bytes.chunks_exact(2);
    let odd = words.remainder().first().map_or(0, |last| u64::from(*last) << 8);
    folded(words.map(|word| u64::from(u16::from_be_bytes([word[0], word[1]]))).sum::<u64>() + odd)
}

/// Does what is still to be done about a frame, and what a port with these abilities does not take: `each` gets the
/// frames that come of it. False: it is not what it is said to be.
pub(crate) fn finish(
    frame: &mut Vec<u8>,
    offload: Offload,
    takes: Takes,
    mut each: impl FnMut(&mut Vec<u8>, Offload),
) -> bool {
    // A port believes what it is told of a frame, so it is told nothing that cannot be.
    if offload.sum.is_some_and(|(from, at)| from > at || usize::from(at) + 2 > frame.len()) {
        return false;
    }
    if takes.takes(offload) {
        each(frame, offload);
        return true;
    }
    if let Some(Cut { part, six }) = offload.cut
        && !(if six { takes.long6 } else { takes.long4 })
    {
        let Some(parts) = parts(frame).filter(|parts| parts.protocol == IpProtocol::Tcp) else { return false };
        if part >= LEAST {
            cut(frame, &parts, part.into(), each);
        }
        return part >= LEAST;
    }
    match offload.sum {
        Some((from, at)) if !takes.sums => {
            let (from, at) = (usize::from(from), usize::from(at));
            let sum = !sum_of(&frame[from..]);
            // UDP has no zero: that would say that there is none.
            let sum = if sum == 0 { 0xffff } else { sum };
            frame[at..at + 2].copy_from_slice(&sum.to_be_bytes());
            each(frame, Offload::NONE);
        }
        _ => each(frame, offload),
    }
    true
}

/// Cuts a segment of TCP into such with up to `part` bytes of data, whose check sums are right.
fn cut(frame: &[u8], parts: &Parts, part: usize, mut each: impl FnMut(&mut Vec<u8>, Offload)) {
    let data = &frame[parts.data..parts.end];
    let mut piece = Vec::new();
    let pieces = data.chunks(part);
    let last = pieces.len().saturating_sub(1);
    for (n, bytes) in pieces.enumerate() {
        piece.clear();
        piece.extend_from_slice(&frame[..parts.data]);
        piece.extend_from_slice(bytes);
        let (head, segment) = piece.split_at_mut(parts.transport);
        let mut tcp = TcpPacket::new_unchecked(&mut *segment);
        let number = tcp.seq_number();
        tcp.set_seq_number(number + n * part);
        if n < last {
            tcp.set_fin(false);
            tcp.set_psh(false);
        }
        if n > 0 {
            tcp.set_cwr(false);
        }
        tcp.fill_checksum(&parts.from, &parts.to);
        let length = segment.len();
        if parts.six {
            let mut ip = Ipv6Packet::new_unchecked(&mut head[parts.network..]);
            let extensions = parts.transport - parts.network - ip.header_len();
            ip.set_payload_len((extensions + length) as u16);
        } else {
            let mut ip = Ipv4Packet::new_unchecked(&mut head[parts.network..]);
            ip.set_total_len((parts.transport - parts.network + length) as u16);
            let ident = ip.ident();
            ip.set_ident(ident.wrapping_add(n as u16));
            ip.fill_checksum();
        }
        each(&mut piece, Offload::NONE);
    }
}
