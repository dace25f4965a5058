//! How fast the gateway itself is: bytes of one connection each way, without sockets and without a guest's own work.
//!
//! `cargo run --release -p nat --example throughput`

use nat::{Close, Event, FlowId, Host, Kind, Nat, Received, Refusal, Settings};
use rustix::time::{ClockId, clock_gettime};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IpAddress, IpProtocol, IpRepr, Ipv4Packet,
    TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use std::hint::black_box;
use std::net::SocketAddr;
use std::time::Duration;

/// How many bytes go each way.
const BYTES: usize = 1 << 30;
/// How many bytes the guest sends before it waits for an acknowledgement.
const BATCH: usize = 256 << 10;

/// A host that takes all, and always has something.
#[derive(Default)]
struct Free {
    flow: Option<FlowId>,
    /// The last number that the guest was sent, and what follows it.
    next: TcpSeqNumber,
    acked: TcpSeqNumber,
    frames: usize,
    /// Whether it has something to say.
    talks: bool,
}

/// The processor time of this thread: others have the processor, too.
fn processor_time() -> Duration {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(spent.tv_sec as u64, spent.tv_nsec as u32)
}

impl Host for Free {
    fn deliver(&mut self, frame: &[u8]) -> bool {
        let packet = Ipv4Packet::new_unchecked(&frame[14..]);
        let segment = TcpPacket::new_unchecked(packet.payload());
        self.next = segment.seq_number() + segment.segment_len();
        self.acked = segment.ack_number();
        self.frames += 1;
        true
    }

    fn open(&mut self, flow: FlowId, _kind: Kind, _to: SocketAddr) -> Result<(), Refusal> {
        self.flow = Some(flow);
        Ok(())
    }

    fn send(&mut self, _flow: FlowId, data: &[u8]) -> Result<usize, Refusal> {
        Ok(black_box(data).len())
    }

    fn receive(&mut self, _flow: FlowId, space: &mut [u8]) -> Result<Received, Refusal> {
        Ok(if self.talks { Received::Bytes(black_box(space).len()) } else { Received::Nothing })
    }

    fn finish(&mut self, _flow: FlowId) {}
    fn keep_alive(&mut self, _flow: FlowId) {}
    fn close(&mut self, _flow: FlowId, _how: Close) {}
    fn reply(&mut self, _listener: usize, _to: SocketAddr, _data: &[u8]) {}

    fn resolver(&mut self, _attempt: usize) -> Option<SocketAddr> {
        None
    }
}

/// A segment of the guest.
fn segment(control: TcpControl, seq: TcpSeqNumber, ack: Option<TcpSeqNumber>, payload: &[u8]) -> Vec<u8> {
    let (from, to) = (IpAddress::v4(10, 0, 2, 15), IpAddress::v4(192, 0, 2, 1));
    let syn = control == TcpControl::Syn;
    let repr = TcpRepr {
        src_port: 40_000,
        dst_port: 80,
        control,
        seq_number: seq,
        ack_number: ack,
        window_len: u16::MAX,
        window_scale: syn.then_some(7),
        max_seg_size: syn.then_some(65_480),
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload,
    };
    let caps = ChecksumCapabilities::default();
    let header = IpRepr::new(from, to, IpProtocol::Tcp, repr.buffer_len(), 64);
    let mut frame = vec![0; 14 + header.header_len() + repr.buffer_len()];
    let mut ethernet = EthernetFrame::new_unchecked(&mut frame[..]);
    let mac = EthernetAddress(Settings::default().mac);
    let ethertype = EthernetProtocol::Ipv4;
    EthernetRepr { src_addr: EthernetAddress([2, 0, 0, 0, 0, 15]), dst_addr: mac, ethertype }.emit(&mut ethernet);
    header.emit(ethernet.payload_mut(), &caps);
    let mut packet = TcpPacket::new_unchecked(&mut ethernet.payload_mut()[header.header_len()..]);
    repr.emit(&mut packet, &from, &to, &caps);
    frame
}

fn report(what: &str, mtu: usize, checksums: bool, spent: Duration, frames: usize) {
    let seconds = spent.as_secs_f64();
    let gigabyte = 1e9 / BYTES as f64;
    let sums = if checksums { "with checksums" } else { "without checksums" };
    let rate = BYTES as f64 / seconds / 1e9;
    let each = seconds / frames as f64 * 1e9;
    println!("{what}, MTU {mtu:5}, {sums}: {rate:.2} GB/s, {:.3} s a GB, {each:.0} ns a frame", seconds * gigabyte);
}

fn measure(mtu: usize, checksums: bool) {
    let settings = Settings { mtu, segment: mtu, verify: checksums, fill: checksums, ..Settings::default() };
    let (mut nat, mut host) = (Nat::new(settings), Free::default());
    let now = Duration::from_secs(1);
    let mut seq = TcpSeqNumber(1);
    nat.frame(now, &segment(TcpControl::Syn, seq, None, &[]), &mut host);
    let flow = host.flow.expect("a flow");
    nat.event(now, flow, Event::Connected(Ok(())), &mut host);
    nat.run(now, &mut host);
    seq += 1;
    // The handshake ends with the first bytes.
    let payload = vec![7; mtu - 40];
    let (mut spent, mut sent, mut frames) = (Duration::ZERO, 0, 0);
    while sent < BYTES {
        let mut batch = Vec::new();
        let mut length = 0;
        while length + payload.len() <= BATCH {
            batch.push(segment(TcpControl::Psh, seq, Some(host.next), &payload));
            seq += payload.len();
            length += payload.len();
            if sent < 1 << 20 {
                break;
            }
        }
        let began = processor_time();
        for frame in &batch {
            nat.frame(now, frame, &mut host);
        }
        nat.run(now, &mut host);
        spent += processor_time() - began;
        sent += length;
        frames += batch.len();
        assert_eq!(host.acked, seq, "all was taken");
    }
    report("from the guest", mtu, checksums, spent, frames);
    let (mut spent, mut got) = (Duration::ZERO, 0);
    let frames = host.frames;
    host.talks = true;
    nat.event(now, flow, Event::Readable, &mut host);
    while got < BYTES {
        let before = host.next;
        let ack = segment(TcpControl::None, seq, Some(host.next), &[]);
        let began = processor_time();
        nat.frame(now, &ack, &mut host);
        nat.run(now, &mut host);
        spent += processor_time() - began;
        got += host.next - before;
    }
    report("to the guest  ", mtu, checksums, spent, host.frames - frames);
}

fn main() {
    for mtu in [1_500, 9_000, 65_520] {
        for checksums in [true, false] {
            measure(mtu, checksums);
        }
    }
}
