//! An adapter as a driver sees it: control channels, queues, indicators. And what random drivers do.

use arch::Absolute;
use arch::io::DeviceStatus;
use arch::io::chsc::BLOCK;
use arch::qdio::{
    Activation, AdapterCommand, Assist, Element, Establish, FrameHead, MessageHead, PacketHead, QueueDescriptor,
    adapter, assist, assisting, command, packet, state,
};
use net::{Mac, Port, Settings, Switch};
use qeth::Family;
use std::sync::Arc;
use support::Random;
use teststand::{CC, SLI, Stand, Still};
use virtio::Cable;
use zerocopy::{FromBytes, IntoBytes};

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);
/// Places in storage: data of channel programs, queues.
const AREA: u32 = 0x2000;
const BLOCKS: u32 = 0x4000;
const INFORMATION: u64 = 0x6000;
const LIST: u64 = 0xa000;
const STATES: u64 = 0x8000;
const BUFFERS: u64 = 0x1_0000;
const PAGES: u64 = 0x10_0000;
const SUMMARY: u64 = 0x9000;
const OWN: u64 = 0x9100;

struct Driver {
    stand: Stand,
    cable: Arc<Cable>,
    /// What is at another port of the switch.
    other: Port,
    switch: Switch,
}

/// Input queue 0, and output queues after it.
const QUEUES: u64 = 5;

impl Driver {
    fn new() -> Driver {
        Driver::of(Family::Osa)
    }

    fn of(family: Family) -> Driver {
        let (cable, switch) = (Cable::new(), Switch::new(Arc::new(Still)));
        let stand = Stand::new(0x80_0000, 0x600, qeth::devices(family, &cable, MAC));
        let other = switch.port(Settings::default());
        other.set_up(true);
        Driver { stand, cable, other, switch }
    }

    /// Starts to activate a control channel as Linux does.
    fn start_activation(&mut self, device: usize) {
        let activation = Activation {
            head: Activation::HEAD.into(),
            kind: if device == 0 { 0x19 } else { 0x15 },
            level: 0x4101.into(),
            ..Activation::default()
        };
        self.stand.put(AREA.into(), activation.as_bytes());
        self.stand.start(device, &[(0x01, CC, 0x22, AREA), (0x02, 0, 4096, AREA)]);
    }

    /// Activates a control channel.
    fn activate(&mut self, device: usize) -> Activation {
        self.start_activation(device);
        assert_eq!(self.stand.ended(device), Some(DeviceStatus::ENDED));
        self.stand.storage.read_layout(Absolute(AREA.into())).unwrap()
    }

    /// A message, and what the read device has for it.
    fn ask(&mut self, message: &[u8]) -> Vec<u8> {
        self.stand.start(0, &[(0x02, SLI, 4096, AREA)]);
        self.stand.put(AREA as u64 + 0x1000, message);
        self.stand.start(1, &[(0x01, SLI, message.len() as u16, AREA + 0x1000)]);
        assert_eq!(self.stand.ended(1), Some(DeviceStatus::ENDED));
        self.stand.attend();
        assert_eq!(self.stand.ended(0), Some(DeviceStatus::ENDED));
        self.stand.get(AREA.into(), message.len().max(0x6c))
    }

    /// Activates the control channels and says that the driver is at layer 3.
    fn wants_packets(&mut self) -> Vec<u8> {
        for device in [0, 1] {
            self.activate(device);
        }
        let head = MessageHead { kind: MessageHead::USER, ..MessageHead::default() };
        let mut message = head.as_bytes().to_vec();
        message.extend([0, 0x0c, 0x41, 0x02]);
        message.resize(0x6b, 0);
        message[0x50] = 3;
        self.ask(&message)
    }

    /// A command of the driver's: how it went, what the adapter can do, what of that is on, and the data.
    fn command(&mut self, code: u8, ip: u16, data: &[u8]) -> (u16, u32, u32, Vec<u8>) {
        let head = MessageHead { kind: MessageHead::COMMAND, ..MessageHead::default() };
        let command = AdapterCommand { command: code, ip: ip.into(), ..AdapterCommand::default() };
        let answer = self.ask(&[head.as_bytes(), command.as_bytes(), data].concat());
        let (command, rest) = AdapterCommand::read_from_prefix(&answer[0x40..]).unwrap();
        (command.outcome.get(), command.can.get(), command.does.get(), rest.to_vec())
    }

    fn assist(&mut self, ip: u16, which: u32, command: u16) -> (u16, u32) {
        let assist = Assist { which: which.into(), command: command.into(), ..Assist::default() };
        let (outcome, _, does, data) = self.command(adapter::ASSIST, ip, &[assist.as_bytes(), &[0; 4]].concat());
        assert_eq!(Assist::read_from_prefix(&data).unwrap().0.outcome.get(), outcome);
        (outcome, does)
    }

    /// Sends a packet at layer 3 from a buffer of the first output queue.
    fn send_packet(&mut self, buffer: u64, flags: u8, next: [u8; 4], bytes: &[u8]) {
        let length = (bytes.len() as u16).into();
        let head = PacketHead { kind: PacketHead::LAYER_3, flags, length, next_4: next, ..PacketHead::default() };
        let at = PAGES + 0x10_0000 + 0x4000 * buffer;
        self.stand.put(at, &[head.as_bytes(), bytes].concat());
        let (length, address) = ((32 + bytes.len() as u32).into(), at.into());
        self.element(1, buffer, 0, Element { flags: 0x40, length, address, ..Element::default() });
        self.stand.put(STATES + 0x100 + buffer, &[state::OUTPUT_PRIMED]);
        assert_eq!(self.stand.css.signal_adapter(self.stand.ids[2], 0, 0x8000_0000), 0);
    }

    fn taken(&self) -> Option<Vec<u8>> {
        let mut frame = Vec::new();
        self.other.receive(&mut frame).then_some(frame)
    }

    /// Describes the queues and starts them.
    fn establish(&mut self) {
        self.establish_as(0);
    }

    fn establish_as(&mut self, format: u8) {
        let head = Establish {
            format,
            inputs: 1,
            outputs: 4,
            input_words: 8,
            output_words: 8,
            information: INFORMATION.into(),
            ..Establish::default()
        };
        let mut bytes = head.as_bytes().to_vec();
        for n in 0..QUEUES {
            let descriptor = QueueDescriptor {
                list: (LIST + 0x400 * n).into(),
                states: (STATES + 0x100 * n).into(),
                ..QueueDescriptor::default()
            };
            bytes.extend(descriptor.as_bytes());
            for buffer in 0..128 {
                self.stand.put(LIST + 0x400 * n + 8 * buffer, &(BUFFERS + 0x100 * (128 * n + buffer)).to_be_bytes());
                self.stand.put(STATES + 0x100 * n + buffer, &[if n == 0 { 0x80 } else { 0xa0 }]);
            }
        }
        bytes.resize(4096, 0);
        self.stand.put(BLOCKS.into(), &bytes);
        self.stand.start(2, &[(command::ESTABLISH, SLI, 4096, BLOCKS)]);
        assert_eq!(self.stand.ended(2), Some(DeviceStatus::ENDED));
        self.stand.start(2, &[(command::ACTIVATE, SLI, 0, 0)]);
        self.stand.attend();
        assert_eq!(self.stand.ended(2), None, "it goes on as long as the queues are active");
        assert_eq!(self.stand.get(INFORMATION + 3, 1), [0x40]);
    }

    /// Where the adapter indicates, by CHANNEL SUBSYSTEM CALL.
    fn indicate(&mut self) {
        let mut block = [0; BLOCK];
        block[..4].copy_from_slice(&[0x0f, 0xe0, 0x00, 0x21]);
        block[0x10..0x18].copy_from_slice(&SUMMARY.to_be_bytes());
        block[0x18..0x20].copy_from_slice(&OWN.to_be_bytes());
        block[0x23] = 3;
        block[0x2c..0x30].copy_from_slice(&[0, 1, 0, self.stand.ids[2].number() as u8]);
        self.stand.css.channel_subsystem_call(&mut block).unwrap();
        assert_eq!(block[0xfe0..0xfe4], [0, 8, 0, 1]);
    }

    fn element(&self, queue: u64, buffer: u64, n: u64, element: Element) {
        self.stand.put(BUFFERS + 0x100 * (128 * queue + buffer) + 16 * n, element.as_bytes());
    }

    /// An input buffer of two parts.
    fn empty(&self, buffer: u64) {
        for n in 0..2 {
            let at = PAGES + 0x2000 * buffer + 0x1000 * n;
            self.element(0, buffer, n, Element { length: 4096.into(), address: at.into(), ..Element::default() });
        }
        self.stand.put(STATES + buffer, &[state::INPUT_EMPTY]);
    }

    /// An output buffer with frames, each of head and frame in parts of their own.
    fn prime(&self, queue: u64, buffer: u64, frames: &[&[u8]]) {
        let mut at = PAGES + 0x10_0000 * (1 + queue) + 0x4000 * buffer;
        let last = 2 * frames.len() as u64 - 1;
        for (n, frame) in frames.iter().enumerate() {
            let head =
                FrameHead { kind: FrameHead::LAYER_2, length: (frame.len() as u16).into(), ..FrameHead::default() };
            for (part, bytes) in [head.as_bytes(), frame].into_iter().enumerate() {
                let number = 2 * n as u64 + part as u64;
                self.stand.put(at, bytes);
                let flags = if number == last { 0x40 } else { 0 };
                let (length, address) = ((bytes.len() as u32).into(), at.into());
                let request = if number == 0 { 0x40 } else { 0 };
                self.element(queue, buffer, number, Element { flags, request, length, address, ..Element::default() });
                at += bytes.len() as u64;
            }
        }
        self.stand.put(STATES + 0x100 * queue + buffer, &[state::OUTPUT_PRIMED]);
    }

    fn interrupted(&mut self) -> bool {
        self.stand.css.take_interruption(0x10).is_some()
    }
}

fn frame(to: Mac, from: Mac, text: &[u8]) -> Vec<u8> {
    [&to.0[..], &from.0, &[0x88, 0xb5], text].concat()
}

#[test]
fn control_channels_come_up_as_the_driver_wants_them() {
    let mut driver = Driver::new();
    for device in [0, 1] {
        let reply = driver.activate(device);
        assert_eq!((reply.head.get(), reply.kind & 3, reply.level.get()), (Activation::HEAD, 2, 0x0201));
    }
    // Enabling what uses the connection: the longest packet and the type of link are in the answer.
    let head = MessageHead { kind: MessageHead::USER, number: 5.into(), ..MessageHead::default() };
    let mut message = head.as_bytes().to_vec();
    message.extend([0, 0x0c, 0x41, 0x02]);
    message.resize(0x6b, 0);
    let answer = driver.ask(&message);
    assert_eq!((&answer[0x5f..0x61], &answer[0x57..0x59], answer[0x6b]), (&[0x23, 0x20][..], &[0, 0x18][..], 3));
    assert_eq!(answer[0x20..0x24], [0, 0, 0, 5]);
    // A write that is no message, and a write before activation.
    driver.stand.start(1, &[(0x01, SLI, 8, AREA)]);
    assert!(driver.stand.ended(1).unwrap().has(DeviceStatus::UNIT_CHECK));
    let mut driver = Driver::new();
    driver.stand.put(AREA.into(), &message);
    driver.stand.start(1, &[(0x01, SLI, 0x6b, AREA)]);
    assert!(driver.stand.ended(1).unwrap().has(DeviceStatus::UNIT_CHECK));
}

#[test]
fn frames_go_both_ways_and_the_driver_is_told() {
    let mut driver = Driver::new();
    driver.indicate();
    driver.establish();
    let port = Arc::new(driver.switch.port(Settings::default()));
    driver.cable.couple(Some(port.clone()));
    driver.stand.attend();
    // Out: two frames in one buffer, one in another queue.
    let [a, b, c] = [b"one".to_vec(), vec![7; 1400], b"three".to_vec()].map(|text| frame(OTHER, MAC, &text));
    driver.prime(1, 0, &[&a, &b]);
    driver.prime(3, 0, &[&c]);
    assert_eq!(driver.stand.css.signal_adapter(driver.stand.ids[2], 0, 0xa000_0000), 0);
    let mut taken = Vec::new();
    for sent in [&a, &b, &c] {
        assert!(driver.other.receive(&mut taken));
        assert_eq!(&taken, sent);
    }
    assert_eq!([driver.stand.get(STATES + 0x100, 1), driver.stand.get(STATES + 0x300, 1)], [[state::OUTPUT_EMPTY]; 2]);
    assert!(driver.interrupted() && !driver.interrupted());
    assert_eq!((driver.stand.get(SUMMARY, 1), driver.stand.get(OWN, 1)), (vec![1], vec![1]));

    // In: the driver is told, even where it has not looked at what was indicated before.
    (0..2).for_each(|buffer| driver.empty(buffer));
    let long = frame(MAC, OTHER, &vec![9; 5000]);
    driver.other.send(&a_reply(b"short"));
    driver.other.send(&long);
    driver.other.send(&a_reply(b"no buffer"));
    driver.stand.attend();
    assert!(driver.interrupted());
    assert_eq!(driver.stand.get(STATES, 3), [state::INPUT_PRIMED, state::INPUT_PRIMED, 0x80]);
    let head: FrameHead = driver.stand.storage.read_layout(Absolute(PAGES)).unwrap();
    assert_eq!((head.kind, head.length.get(), head.cast), (2, 14 + 5, 4));
    assert_eq!(driver.stand.get(PAGES + 32, 19), a_reply(b"short"));
    let parts: [Element; 2] = driver.stand.storage.read_layout(Absolute(BUFFERS + 0x100)).unwrap();
    assert_eq!(parts.map(|part| (part.length.get(), part.flags)), [(4096, 0), (5014 + 32 - 4096, 0x40)]);
    // Buffers that are empty again are told by SIGNAL ADAPTER, and what has waited comes.
    driver.empty(2);
    assert_eq!(driver.stand.css.signal_adapter(driver.stand.ids[2], 1, 0x8000_0000), 0);
    assert_eq!(driver.stand.get(STATES + 2, 1), [state::INPUT_PRIMED]);
    assert!(driver.interrupted());

    // Halted, there are no queues.
    assert_eq!(driver.stand.css.halt_subchannel(driver.stand.ids[2]), 0);
    assert_eq!(driver.stand.css.signal_adapter(driver.stand.ids[2], 0, 0x8000_0000), 3);
    assert_eq!(driver.stand.css.signal_adapter(driver.stand.ids[0], 0, 0x8000_0000), 3);
    assert_eq!(port.counters().received, 3);
}

/// A message of ARP between two addresses of Ethernet and of IPv4.
fn arp(operation: u8, to: Mac, from: (Mac, [u8; 4]), wanted: (Mac, [u8; 4])) -> Vec<u8> {
    let head = [0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, operation];
    [&to.0[..], &from.0.0, &head, &from.0.0, &from.1, &wanted.0.0, &wanted.1].concat()
}

/// A packet of IPv4 with this many bytes of data.
fn packet(from: [u8; 4], to: [u8; 4], length: usize) -> Vec<u8> {
    let [high, low] = (20 + length as u16).to_be_bytes();
    [&[0x45, 0, high, low, 0, 0, 0, 0, 64, 253, 0, 0][..], &from, &to, &vec![0x5a; length]].concat()
}

const NONE: Mac = Mac([0; 6]);
const OUR_IP: [u8; 4] = [10, 3, 3, 1];
const OTHER_IP: [u8; 4] = [10, 3, 3, 2];

/// A frame with a packet, and what pads it.
fn framed(to: Mac, kind: [u8; 2], bytes: &[u8]) -> Vec<u8> {
    [&to.0[..], &OTHER.0, &kind, bytes, &[0; 8]].concat()
}

#[test]
fn at_layer_3_packets_go_both_ways_and_arp_is_the_adapters() {
    for (family, format) in [(Family::Osa, 0), (Family::Hipersockets, 2)] {
        let mut driver = Driver::of(family);
        let answer = driver.wants_packets();
        let size = if family == Family::Osa { 8992u16 } else { 0x4000 };
        assert_eq!(answer[0x5f..0x61], size.to_be_bytes());
        driver.establish_as(format);
        let port = Arc::new(driver.switch.port(Settings::default()));
        driver.cable.couple(Some(port.clone()));
        driver.stand.attend();
        let (_, can, does, _) = driver.command(adapter::QUERY_ASSISTS, 4, &[]);
        let wanted = assist::ARP | assist::BROADCAST | assist::MULTICAST | assist::PARAMETERS;
        assert_eq!((can & wanted, can & assist::IPV6 != 0), (wanted, family == Family::Osa));
        assert_eq!(does, assist::PARAMETERS);
        assert_eq!(driver.assist(4, assist::ARP, assisting::START), (0, assist::ARP));
        assert_eq!(driver.assist(4, 2, assisting::START), (4, assist::ARP), "there are no check sums of the adapter");
        assert_eq!(driver.command(adapter::CREATE_ADDRESS, 6, &[0; 8]).3[..8], [&MAC.0[..], &[0, 0]].concat());
        // An address is told to the neighbours, and registered once.
        let address = [OUR_IP, [255, 255, 255, 0], [0; 4]].concat();
        assert_eq!(driver.command(adapter::SET_IP, 4, &address).0, 0);
        assert_eq!(driver.taken(), Some(arp(1, Mac::BROADCAST, (MAC, OUR_IP), (NONE, OUR_IP))));
        assert_eq!(driver.command(adapter::SET_IP, 4, &address).0, 0xe005);
        assert_eq!(driver.command(adapter::DELETE_IP, 4, &[7; 12]).0, 0x11);
        // Out: the neighbour is asked for once, and gets what has waited.
        let (one, two) = (packet(OUR_IP, [8, 8, 8, 8], 11), packet(OUR_IP, OTHER_IP, 1400));
        driver.send_packet(0, packet::UNI, OTHER_IP, &one);
        driver.send_packet(1, packet::UNI, [0; 4], &two);
        assert_eq!(driver.taken(), Some(arp(1, Mac::BROADCAST, (MAC, OUR_IP), (NONE, OTHER_IP))));
        assert_eq!(driver.taken(), None);
        driver.other.send(&arp(2, MAC, (OTHER, OTHER_IP), (MAC, OUR_IP)));
        driver.stand.attend();
        for sent in [&one, &two] {
            assert_eq!(driver.taken(), Some([&OTHER.0[..], &MAC.0, &[8, 0], sent].concat()));
        }
        driver.send_packet(2, packet::UNI, OTHER_IP, &one);
        assert_eq!(driver.taken().map(|frame| frame.len()), Some(14 + one.len()));
        // To all, and to a group.
        driver.send_packet(3, packet::BROAD, [10, 3, 3, 255], &packet(OUR_IP, [10, 3, 3, 255], 4));
        assert_eq!(driver.taken().map(|frame| frame[..6].to_vec()), Some(vec![0xff; 6]));
        driver.send_packet(4, packet::MULTI, [224, 129, 2, 3], &packet(OUR_IP, [224, 129, 2, 3], 4));
        assert_eq!(driver.taken().map(|frame| frame[..6].to_vec()), Some(vec![1, 0, 0x5e, 1, 2, 3]));
        // In: the packet alone, without what pads it; nothing of ARP, and nothing for others.
        (0..4).for_each(|buffer| driver.empty(buffer));
        driver.other.send(&arp(1, Mac::BROADCAST, (OTHER, OTHER_IP), (NONE, OUR_IP)));
        driver.other.send(&arp(1, Mac::BROADCAST, (OTHER, OTHER_IP), (NONE, [10, 3, 3, 9])));
        driver.other.send(&framed(Mac([2; 6]), [8, 0], &packet(OTHER_IP, OUR_IP, 5)));
        driver.other.send(&framed(MAC, [8, 0], &packet(OTHER_IP, OUR_IP, 5)));
        driver.other.send(&framed(MAC, [8, 0], b"no packet"));
        driver.other.send(&framed(MAC, [0x86, 0xdd], &[0x60; 60]));
        driver.stand.attend();
        assert_eq!(driver.taken(), Some(arp(2, OTHER, (MAC, OUR_IP), (OTHER, OTHER_IP))));
        assert_eq!(driver.taken(), None);
        assert_eq!(driver.stand.get(STATES, 2), [state::INPUT_PRIMED, state::INPUT_EMPTY]);
        let head: PacketHead = driver.stand.storage.read_layout(Absolute(PAGES)).unwrap();
        assert_eq!((head.kind, head.flags, head.length.get()), (1, packet::UNI, 25));
        assert_eq!(driver.stand.get(PAGES + 32, 25), packet(OTHER_IP, OUR_IP, 5));
        // IPv6 passes as frames, once it is to.
        let (outcome, can, ..) = driver.command(adapter::QUERY_ASSISTS, 6, &[]);
        assert_eq!((outcome, can), (0, if family == Family::Osa { assist::IPV6 | assist::PASS } else { 0 }));
        if family == Family::Osa {
            assert_eq!(driver.assist(6, assist::PASS, assisting::START), (0, assist::PASS));
            let frame = framed(MAC, [0x86, 0xdd], &[0x60; 60]);
            driver.other.send(&frame);
            driver.stand.attend();
            let head: PacketHead = driver.stand.storage.read_layout(Absolute(PAGES + 0x2000)).unwrap();
            assert_eq!((head.flags, usize::from(head.length.get())), (0x80 | 0x10 | packet::UNI, frame.len()));
            assert_eq!(driver.stand.get(PAGES + 0x2000 + 32, frame.len()), frame);
            let out = [&OTHER.0[..], &MAC.0, &[0x86, 0xdd], &[0x60; 60]].concat();
            driver.send_packet(5, 0x80 | 0x10 | packet::UNI, [0; 4], &out);
            assert_eq!(driver.taken(), Some(out));
        }
        // IPv6 that is no frame goes nowhere; what is no packet is an error of its buffer.
        let next = if family == Family::Osa { 6 } else { 5 };
        driver.send_packet(next, packet::IPV6 | packet::MULTI, [0; 4], &[0x60; 60]);
        assert_eq!((driver.stand.get(STATES + 0x100 + next, 1), driver.taken()), (vec![state::OUTPUT_EMPTY], None));
        driver.send_packet(next + 1, packet::UNI, OTHER_IP, b"none");
        assert_eq!(driver.stand.get(STATES + 0x100 + next + 1, 1), [state::OUTPUT_ERROR]);
        // Elsewhere the address is told anew, and neighbours are others.
        let port = Arc::new(driver.switch.port(Settings::default()));
        driver.cable.couple(Some(port));
        driver.stand.attend();
        assert_eq!(driver.taken(), Some(arp(1, Mac::BROADCAST, (MAC, OUR_IP), (NONE, OUR_IP))));
    }
}

fn a_reply(text: &[u8]) -> Vec<u8> {
    frame(MAC, OTHER, text)
}

#[test]
fn what_is_wrong_in_a_queue_ends_the_queues() {
    let mut driver = Driver::new();
    driver.establish();
    driver.stand.put(LIST + 0x400, &u64::MAX.to_be_bytes());
    driver.stand.put(STATES + 0x100, &[state::OUTPUT_PRIMED]);
    driver.stand.css.signal_adapter(driver.stand.ids[2], 0, 0x8000_0000);
    driver.stand.attend();
    assert!(driver.stand.ended(2).unwrap().has(DeviceStatus::UNIT_CHECK));
    // A frame that is none is an error of its buffer alone.
    let mut driver = Driver::new();
    driver.establish();
    driver.prime(1, 0, &[&[1; 5]]);
    driver.stand.css.signal_adapter(driver.stand.ids[2], 0, 0x8000_0000);
    assert_eq!(driver.stand.get(STATES + 0x100, 1), [state::OUTPUT_ERROR]);
    for (inputs, outputs, words, list) in [(0, 4, 8, LIST), (1, 5, 8, LIST), (1, 4, 7, LIST), (1, 4, 8, u64::MAX - 7)] {
        let head = Establish { inputs, outputs, input_words: words, output_words: words, ..Establish::default() };
        driver.stand.put(BLOCKS.into(), head.as_bytes());
        driver.stand.put(u64::from(BLOCKS) + 0x48, &list.to_be_bytes());
        driver.stand.css.clear_subchannel(driver.stand.ids[2]);
        driver.stand.ended(2);
        driver.stand.start(2, &[(command::ESTABLISH, SLI, 4096, BLOCKS)]);
        assert!(driver.stand.ended(2).unwrap().has(DeviceStatus::UNIT_CHECK), "{inputs} {outputs} {words} {list:X}");
    }
}

/// Random drivers: messages, queues and signals of every kind. `ENDICOTT_RINGS` says how many.
#[test]
fn random_drivers_do_no_harm() {
    let rounds = std::env::var("ENDICOTT_RINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(200u64);
    let mut random = Random::seeded(1731);
    let mut sent = 0;
    for _ in 0..rounds {
        let mut driver = Driver::new();
        let port = Arc::new(driver.switch.port(Settings::default()));
        if random.one_in(2) {
            driver.indicate();
        }
        if random.one_in(2) {
            driver.wants_packets();
        }
        driver.establish();
        driver.cable.couple(Some(port.clone()));
        for _ in 0..64 {
            match random.below(10) {
                0 => {
                    let device = random.below(2);
                    driver.start_activation(device);
                    driver.stand.ended(device);
                }
                1 => {
                    let mut message: Vec<u8> = (0..random.below(0x90)).map(|_| random.byte()).collect();
                    if let Some(kind) = message.get_mut(0x18) {
                        *kind = [0x81, 0x41, 0xc1][random.below(3)];
                    }
                    if let Some(command) = message.get_mut(0x40) {
                        *command = [0x01, 0x02, 0x21, 0x22, 0xb1, 0xb2, 0xb3, 0xb7, 0xb8, 0xc3][random.below(10)];
                    }
                    driver.stand.put(AREA as u64 + 0x1000, &message);
                    driver.stand.start(1, &[(0x01, SLI, message.len().max(1) as u16, AREA + 0x1000)]);
                    driver.stand.ended(1);
                }
                2 => {
                    driver.stand.start(0, &[(0x02, SLI, 4096, AREA)]);
                    driver.stand.ended(0);
                }
                3 => {
                    let (queue, buffer) = (random.below(QUEUES), random.below(128));
                    let wild = random.one_in(4);
                    let address = if wild { random.word() } else { PAGES + random.below(0x1000) };
                    let length = if wild { random.word() as u32 } else { random.below(2000) };
                    let flags = if random.one_in(2) { 0x40 } else { random.byte() };
                    let element =
                        Element { flags, length: length.into(), address: address.into(), ..Element::default() };
                    driver.element(queue, buffer, random.below(16), element);
                    driver.stand.put(STATES + 0x100 * queue + buffer, &[[0x41, 0x62][random.below(2)]]);
                }
                4 => driver.stand.put(LIST + random.below(0x1400), &random.word().to_be_bytes()),
                5 => driver.prime(1 + random.below(4), random.below(4), &[&frame(OTHER, MAC, b"good")]),
                6 => _ = driver.other.send(&a_reply(&vec![1; random.below(9000)])),
                7 => driver.empty(random.below(8)),
                8 if random.one_in(8) => driver.cable.couple(random.one_in(2).then(|| port.clone())),
                _ => {
                    driver.stand.css.signal_adapter(
                        driver.stand.ids[2],
                        random.below(6u32) as u8,
                        random.word() as u32,
                    );
                }
            }
            if random.one_in(4) {
                driver.stand.attend();
                driver.stand.ended(2);
            }
        }
        sent += port.counters().sent + port.counters().received;
    }
    assert!(sent > rounds / 4, "{sent}");
}
