//! A station as a host sees it: blocks of messages and frames; and what random hosts do.

use arch::io::DeviceStatus;
use arch::lcs::{BlockHead, Message, content, message};
use net::{Mac, Port, Settings, Switch};
use std::sync::Arc;
use support::Random;
use teststand::{SLI, Stand, Still};
use virtio::Cable;
use zerocopy::{FromBytes, IntoBytes};

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);

struct Host {
    stand: Stand,
    cable: Arc<Cable>,
    port: Option<Arc<Port>>,
    /// What is at another port of the switch.
    other: Port,
    switch: Switch,
}

impl Host {
    fn new() -> Host {
        let (cable, switch) = (Cable::new(), Switch::new(Arc::new(Still)));
        let stand = Stand::new(0x10_0000, 0x900, lcs::devices(&cable, MAC));
        let other = switch.port(Settings::default());
        other.set_up(true);
        Host { stand, cable, port: None, other, switch }
    }

    fn couple(&mut self, coupled: bool) {
        self.port = coupled.then(|| Arc::new(self.switch.port(Settings::default())));
        self.cable.couple(self.port.clone());
        self.stand.attend();
    }

    /// Where the data of a device are.
    fn area(device: usize) -> u32 {
        0x1_0000 * (1 + device as u32)
    }

    fn start(&mut self, device: usize, command: u8, count: u16) {
        self.stand.start(device, &[(command, SLI, count, Host::area(device))]);
    }

    fn write(&mut self, block: &[u8]) {
        self.stand.put(Host::area(1).into(), block);
        self.start(1, 0x01, block.len() as u16);
        assert_eq!(self.stand.ended(1), Some(DeviceStatus::ENDED));
    }

    /// What READ, which was started before or is now, has got: messages and frames.
    fn read(&mut self) -> Vec<(u8, Vec<u8>)> {
        self.stand.attend();
        if self.stand.ended(0) != Some(DeviceStatus::ENDED) {
            return Vec::new();
        }
        let block = self.stand.get(Host::area(0).into(), 0x5000);
        let (mut all, mut at) = (Vec::new(), 0);
        loop {
            let (head, _) = BlockHead::read_from_prefix(&block[at..]).unwrap();
            let next = usize::from(head.next.get());
            if next == 0 {
                return all;
            }
            all.push((head.kind, block[at + 4..next].to_vec()));
            at = next;
        }
    }

    fn ask(&mut self, command: u8, size: u16) -> (u16, Vec<u8>) {
        self.start(0, 0x02, 0x5000);
        let (lan, number) = (content::ETHERNET, 77.into());
        let asked = Message { command, lan, number, size: size.into(), ..Message::default() };
        self.write(&one(content::MESSAGE, &[asked.as_bytes(), &[0; 2]].concat()));
        let answers = self.read();
        assert_eq!((answers.len(), answers[0].0), (1, content::MESSAGE), "{answers:?}");
        let (answer, rest) = Message::read_from_prefix(&answers[0].1).unwrap();
        assert_eq!((answer.command, answer.initiator, answer.number.get()), (command, 0, 77));
        (answer.outcome.get(), rest.to_vec())
    }

    fn begin(&mut self) {
        self.couple(true);
        assert_eq!(self.ask(message::STARTUP, 0x5000).0, 0);
        assert_eq!(self.ask(message::START_LAN, 0).0, 0);
    }
}

/// Something in a block, which it does not end.
fn one(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let next = (4 + bytes.len() as u16).into();
    [BlockHead { next, kind, port: 0 }.as_bytes(), bytes].concat()
}

fn frame(to: Mac, from: Mac, length: usize) -> Vec<u8> {
    [&to.0[..], &from.0, &[0x88, 0xb5], &vec![7; length]].concat()
}

#[test]
fn a_host_learns_the_address_and_whether_there_is_a_lan() {
    let mut host = Host::new();
    assert_eq!(host.ask(message::STARTUP, 0x5000).0, 0);
    assert_eq!(host.ask(message::START_LAN, 0).0, 0xe080, "it is coupled to nothing");
    host.begin();
    let (outcome, statistics) = host.ask(message::STATISTICS, 0);
    assert_eq!((outcome, &statistics[8..14]), (0, &MAC.0[..]));
    let (outcome, assists) = host.ask(message::QUERY_ASSISTS, 1);
    assert_eq!((outcome, &assists[..2]), (0, &[0, 0x40][..]));
    assert_eq!(host.ask(message::SET_GROUP, 1).0, 0);
    assert_eq!(host.ask(0x55, 0).0, 4);
    // The cable is pulled, and put into a port again.
    host.start(0, 0x02, 0x5000);
    host.couple(false);
    let told = host.read();
    assert_eq!((told.len(), &told[0].1[..2]), (1, &[message::STOP_LAN, 1][..]));
    host.start(0, 0x02, 0x5000);
    host.couple(true);
    let told = host.read();
    assert_eq!((told.len(), &told[0].1[..2]), (1, &[message::START_LAN, 1][..]));
}

#[test]
fn frames_go_both_ways_as_many_as_a_block_has_room_for() {
    let mut host = Host::new();
    host.begin();
    let (a, b) = (frame(OTHER, MAC, 100), frame(OTHER, MAC, 1400));
    let first = one(content::ETHERNET, &a);
    let next = (first.len() + 4 + b.len()) as u16;
    let second = BlockHead { next: next.into(), kind: content::ETHERNET, port: 0 };
    host.write(&[&first, second.as_bytes(), &b, &[0, 0]].concat());
    let mut taken = Vec::new();
    for sent in [&a, &b] {
        assert!(host.other.receive(&mut taken));
        assert_eq!(&taken, sent);
    }
    // Twenty frames want two blocks; a READ that is there gets what comes.
    (0..20).for_each(|_| _ = host.other.send(&frame(MAC, OTHER, 1400)));
    host.start(0, 0x02, 0x5000);
    assert_eq!(host.read().len(), (0x5000 - 2) / (4 + 1414));
    host.start(0, 0x02, 0x5000);
    assert_eq!(host.read().len(), 20 - (0x5000 - 2) / (4 + 1414));
    host.start(0, 0x02, 0x5000);
    assert!(host.read().is_empty());
    host.other.send(&frame(MAC, OTHER, 40));
    assert_eq!(host.read(), [(content::ETHERNET, frame(MAC, OTHER, 40))]);
    // One that no block has room for is lost alone.
    host.other.send(&frame(MAC, OTHER, 0x6000));
    host.other.send(&frame(MAC, OTHER, 41));
    host.start(0, 0x02, 0x5000);
    assert_eq!(host.read(), [(content::ETHERNET, frame(MAC, OTHER, 41))]);
    // Off the LAN nothing comes or goes.
    assert_eq!(host.ask(message::STOP_LAN, 0).0, 0);
    host.write(&one(content::ETHERNET, &a));
    assert!(!host.other.receive(&mut taken));
    let (_, statistics) = host.ask(message::STATISTICS, 0);
    assert_eq!(statistics[14..22], [0, 0, 0, 2, 0, 0, 0, 22]);
    assert_eq!(statistics[30..34], [0, 0, 0, 1], "dropped");
}

/// Random blocks: `ENDICOTT_RINGS` says how many hosts write them.
#[test]
fn random_hosts_do_no_harm() {
    let rounds = std::env::var("ENDICOTT_RINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(200u64);
    let mut random = Random::seeded(3172);
    let mut read = 0;
    for _ in 0..rounds {
        let mut host = Host::new();
        host.begin();
        for _ in 0..64 {
            match random.below(6) {
                0 => {
                    let block: Vec<u8> = (0..1 + random.below(80)).map(|_| random.byte()).collect();
                    host.write(&block);
                }
                1 => {
                    let command = [0x01, 0x02, 0x04, 0x07, 0x08, 0xb2, 0xb4][random.below(7)];
                    let bytes = [command, 0, 0, 1, 0, 0, 1, 0, random.byte(), random.byte(), 0, 0];
                    host.write(&one(content::MESSAGE, &bytes[..random.below(13)]));
                }
                2 => host.write(&one(content::ETHERNET, &frame(OTHER, MAC, random.below(1500)))),
                3 => _ = host.other.send(&frame(MAC, OTHER, random.below(30_000))),
                4 => {
                    host.start(0, 0x02, random.below(0x5000u16) + 1);
                    host.stand.attend();
                    read += u64::from(host.stand.ended(0).is_some());
                }
                _ if random.one_in(8) => host.couple(random.one_in(2)),
                _ => _ = host.stand.css.halt_subchannel(host.stand.ids[0]),
            }
        }
    }
    assert!(read > rounds, "{read}");
}
