//! A network card: frames between the driver's buffers and a port.

mod driver;

use arch::virtio::{NetConfig, command, feature, net_feature};
use base::{Clock, Tod};
use driver::*;
use net::{Mac, Port, Settings, Switch};
use std::sync::Arc;
use virtio::{Cable, Card, Virtio};
use zerocopy::FromBytes;

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);
/// The bytes before a frame: all zero, and the number of buffers.
const HEAD: u64 = 12;

struct Never;

impl Clock for Never {
    fn now(&self) -> Tod {
        Tod(0)
    }
}

struct Net {
    driver: Driver,
    cable: Arc<Cable>,
    card: Arc<Port>,
    other: Port,
}

fn net(features: u64) -> Net {
    let switch = Switch::new(Arc::new(Never));
    let [card, other] = [0; 2].map(|_| switch.port(Settings::default()));
    other.set_up(true);
    let (card, cable) = (Arc::new(card), Cable::new());
    cable.couple(Some(card.clone()));
    let mut driver = Driver::new(Box::new(Virtio::new(Card::new(cable.clone(), MAC, 1500))));
    driver.stand.css.attend();
    driver.negotiate(feature::VERSION_1 | features);
    driver.start(2, true);
    // The link has come up since the device was there, which the driver is told once.
    assert!(driver.notify(1));
    assert_eq!(driver.interruptions(), (0, 1));
    driver.stand.put(CONFIG, &[0; 8]);
    Net { driver, cable, card, other }
}

fn frame(to: Mac, from: Mac, length: usize) -> Vec<u8> {
    let content = (0..length - 14).map(|n| n as u8);
    to.0.into_iter().chain(from.0).chain([8, 0]).chain(content).collect()
}

impl Net {
    /// The driver sends what lies in buffers from `first` on, of these lengths.
    fn send(&mut self, first: u16, bytes: &[u8], lengths: &[usize]) {
        let mut rest = bytes;
        for (n, length) in (first..).zip(lengths) {
            self.driver.stand.put(Driver::buffer(1, n), &rest[..*length]);
            rest = &rest[*length..];
            let more = usize::from(n - first) + 1 < lengths.len();
            self.driver.describe(1, n, *length as u32, u16::from(more), n + 1);
        }
        assert!(rest.is_empty());
        self.driver.offer(1, first);
    }

    fn card(&mut self) -> &Card {
        let device: &mut Virtio<Card> = self.driver.stand.css.device_mut(self.driver.id).unwrap();
        device.model()
    }

    fn at_other(&self) -> Vec<Vec<u8>> {
        let (mut all, mut frame) = (Vec::new(), Vec::new());
        while self.other.receive(&mut frame) {
            all.push(frame.clone());
        }
        all
    }
}

#[test]
fn frames_go_out_however_they_are_cut() {
    let mut net = net(0);
    let sent = frame(OTHER, MAC, 300);
    let bytes = [&[0; 12][..], &sent].concat();
    for (n, cuts) in [&[312][..], &[12, 300], &[5, 7, 100, 200], &[20, 292], &[12, 0, 300]].iter().enumerate() {
        net.send(0, &bytes, cuts);
        assert!(net.driver.notify(1));
        assert_eq!(net.at_other(), std::slice::from_ref(&sent), "{n}");
        assert_eq!(net.driver.used(1), [(0, 0)]);
    }
    assert_eq!(net.driver.interruptions(), (1, 0));
    assert_eq!(net.driver.stand.get(AREA, 1), [0x01], "the second queue's bit, the seventh from the left");
    // What is no frame, and what was not agreed upon.
    let (mut sums, mut parts) = (bytes.clone(), bytes.clone());
    (sums[0], parts[1]) = (1, 1);
    for wrong in [&bytes[..12], &bytes[..25], &sums, &parts] {
        net.send(0, wrong, &[wrong.len()]);
        assert!(net.driver.notify(1));
        assert_eq!((net.at_other(), net.driver.used(1)), (vec![], vec![(0, 0)]));
    }
    assert_eq!((net.card().counters().refused, net.card.counters().sent), (4, 5));
}

#[test]
fn a_longer_frame_than_there_is_does_not_go_out() {
    let mut net = net(0);
    for n in 0..SIZE {
        net.driver.describe(1, n, 0x1_0000, u16::from(n + 1 < SIZE), n + 1);
    }
    net.driver.offer(1, 0);
    assert!(net.driver.notify(1));
    assert_eq!((net.driver.used(1), net.at_other().len(), net.card().counters().refused), (vec![(0, 0)], 0, 1));
}

#[test]
fn frames_come_in_when_there_are_buffers() {
    let mut net = net(0);
    let sent = frame(MAC, OTHER, 700);
    net.driver.fill(0, 0..4, 2000);
    net.driver.notify(0);
    assert_eq!((net.driver.used(0), net.driver.interruptions()), (vec![], (0, 0)));
    // The driver is told that nothing has to be said about new buffers.
    assert_eq!(net.driver.stand.get(parts(0).used.get(), 2), [1, 0]);
    for _ in 0..6 {
        assert_eq!(net.other.send(&sent).delivered, 1);
    }
    assert!(net.driver.stand.css.pending().work(), "the bell has rung");
    net.driver.stand.css.attend();
    assert_eq!(net.driver.used(0), (0..4).map(|n| (n, 712)).collect::<Vec<_>>());
    let header = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
    assert_eq!(net.driver.stand.get(Driver::buffer(0, 3), 712), [&header[..], &sent].concat());
    assert_eq!((net.driver.stand.get(AREA, 1), net.driver.interruptions()), (vec![0x02], (1, 0)));
    // Two are left, and buffers are wanted.
    assert_eq!(net.driver.stand.get(parts(0).used.get(), 2), [0, 0]);
    net.driver.fill(0, 4..8, 2000);
    net.driver.notify(0);
    assert_eq!(net.driver.used(0), [(4, 712), (5, 712)]);
    assert_eq!(net.driver.stand.get(parts(0).used.get(), 2), [1, 0]);
    assert_eq!(net.card.counters().received, 6);
}

#[test]
fn a_frame_lies_in_several_buffers_if_the_driver_wants_it_so() {
    let mut net = net(net_feature::MRG_RXBUF);
    let sent = frame(MAC, OTHER, 1514);
    net.driver.fill(0, 0..3, 500);
    net.other.send(&sent);
    net.driver.stand.css.attend();
    assert_eq!(net.driver.used(0), [], "three are too few");
    net.driver.fill(0, 3..4, 500);
    net.driver.notify(0);
    assert_eq!(net.driver.used(0), [(0, 500), (1, 500), (2, 500), (3, 26)]);
    let mut whole = Vec::new();
    (0..4).for_each(|n| whole.extend(net.driver.stand.get(Driver::buffer(0, n), if n < 3 { 500 } else { 26 })));
    assert_eq!((whole[..12].to_vec(), &whole[12..]), (vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0], &sent[..]));
    // All that there can be are too few: it is dropped, and the next one comes.
    net.driver.fill(0, 0..SIZE, 50);
    net.other.send(&sent);
    net.other.send(&frame(MAC, OTHER, 60));
    net.driver.stand.css.attend();
    assert_eq!(net.driver.used(0), [(0, 50), (1, 22)]);
    assert_eq!(net.card().counters().too_long, 1);
}

#[test]
fn without_that_a_frame_that_is_too_long_is_dropped() {
    let mut net = net(0);
    net.driver.fill(0, 0..2, 100);
    net.other.send(&frame(MAC, OTHER, 89));
    net.other.send(&frame(MAC, OTHER, 88));
    net.driver.stand.css.attend();
    assert_eq!((net.driver.used(0), net.card().counters().too_long), (vec![(0, 100)], 1));
}

#[test]
fn the_link_goes_down_and_up() {
    let mut net = net(net_feature::STATUS);
    let status = |net: &mut Net| {
        let bytes = net.driver.command(command::READ_CONFIG, &[0; 12]).unwrap();
        NetConfig::read_from_bytes(&bytes).unwrap().status.get()
    };
    assert_eq!(status(&mut net), 1);
    net.driver.interruptions();
    net.cable.couple(None);
    net.driver.stand.css.attend();
    assert_eq!((net.driver.stand.get(CONFIG + 7, 1), net.driver.interruptions()), (vec![1], (0, 1)));
    assert_eq!(status(&mut net), 0);
    net.send(0, &[&[0; 12][..], &frame(OTHER, MAC, 60)].concat(), &[72]);
    assert!(net.driver.notify(1));
    assert_eq!((net.driver.used(1).len(), net.card().counters().lost), (1, 1));
    assert_eq!(net.other.send(&frame(MAC, OTHER, 60)).delivered, 0);
    net.cable.couple(Some(net.card.clone()));
    net.driver.stand.css.attend();
    assert_eq!(net.driver.interruptions(), (1, 1), "for the frame that was lost, and for the link");
    assert_eq!(status(&mut net), 1);
    net.driver.fill(0, 0..1, 100);
    assert_eq!(net.other.send(&frame(MAC, OTHER, 60)).delivered, 1);
    net.driver.stand.css.attend();
    assert_eq!(net.driver.used(0), [(0, 72)]);
}

#[test]
fn a_reset_drops_what_waits() {
    let mut net = net(0);
    net.other.send(&frame(MAC, OTHER, 60));
    net.driver.stand.css.attend();
    net.other.send(&frame(MAC, OTHER, 60));
    net.driver.command(command::RESET, &[]).unwrap();
    assert!(!net.card.has_frames());
    assert_eq!(net.other.send(&frame(MAC, OTHER, 60)).delivered, 0);
    net.driver.status(3).unwrap();
    net.driver.features(feature::VERSION_1);
    net.driver.status(0x0b).unwrap();
    net.driver.start(2, true);
    net.driver.fill(0, 0..2, 100);
    net.driver.notify(0);
    assert_eq!(net.driver.used(0), []);
    net.other.send(&frame(MAC, OTHER, 61));
    net.driver.stand.css.attend();
    assert_eq!(net.driver.used(0), [(0, HEAD as u32 + 61)]);
}
