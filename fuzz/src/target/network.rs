//! A network card under a driver that does anything: commands in any order, queues of any bytes, frames of any content
//! both ways, with work about them left open.

use std::sync::Arc;

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, Orb, SubsystemId, pmcw_flag};
use arch::virtio::{Features, QueueParts, command, feature, status};
use base::{Clock, Tod};
use css::ChannelSubsystem;
use net::{Cut, Mac, Offload, Port, Settings, Switch, Takes, left_open};
use storage::Storage;
use virtio::{Cable, Card, Virtio};
use zerocopy::IntoBytes;

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "network", about: "a network card, its queues and a switch", run };

const STORAGE: u64 = 0x2_0000;
const DATA: u32 = 0x2000;
const QUEUES: u64 = 0x4000;
const SIZE: u16 = 8;

struct Never;

impl Clock for Never {
    fn now(&self) -> Tod {
        Tod(0)
    }
}

fn run(chance: &mut Chance) {
    let storage = Arc::new(Storage::new(STORAGE).expect("128 KiB can be had"));
    let switch = Switch::new(Arc::new(Never));
    let [card, other] = [0; 2].map(|_| switch.port(Settings::default()));
    other.set_up(true);
    if chance.one_in(2) {
        other.takes(Takes { sums: chance.one_in(2), long4: chance.one_in(2), long6: chance.one_in(2) });
    }
    let cable = Cable::new();
    cable.couple(Some(Arc::new(card)));
    let mut css = ChannelSubsystem::new(storage.clone());
    let device = Virtio::new(Card::new(cable, Mac([2, 0, 0, 0, 0, 1]), 1500));
    let id = css.attach(0x1000, Box::new(device)).expect("there is room");
    let mut schib = css.store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    let _ = css.modify_subchannel(id, &schib);

    let perform = |css: &mut ChannelSubsystem, code: u8, bytes: &[u8]| {
        let _ = storage.write(Absolute(DATA.into()), bytes);
        let ccw = Ccw { command: code, flags: 0, count: bytes.len() as u16, address: DATA };
        let _ = storage.write(Absolute(0x1000), &ccw.encode(CcwFormat::One));
        let _ = css.start_subchannel(id, &Orb::new(0, 0x0080_ff00, 0x1000));
        let _ = css.test_subchannel(id);
    };
    // Mostly as a driver begins, so that there are queues to put something into.
    perform(&mut css, command::SET_REVISION, &[0, 2, 0, 0]);
    let chosen = chance.word() & (feature::INDIRECT_DESC | feature::EVENT_IDX | 0x1_9983) | feature::VERSION_1;
    for (index, word) in [(0, chosen as u32), (1, (chosen >> 32) as u32)] {
        perform(&mut css, command::WRITE_FEATURES, Features { word: word.into(), index }.as_bytes());
    }
    perform(&mut css, command::WRITE_STATUS, &[status::FEATURES_OK | 3]);
    for queue in 0..2u16 {
        let at = QUEUES + 0x400 * u64::from(queue);
        let parts = QueueParts {
            descriptors: at.into(),
            index: queue.into(),
            size: SIZE.into(),
            available: (at + 0x100).into(),
            used: (at + 0x200).into(),
            ..QueueParts::default()
        };
        perform(&mut css, command::SET_QUEUE, parts.as_bytes());
    }
    perform(&mut css, command::SET_INDICATORS, &0x3000u64.to_be_bytes());
    perform(&mut css, command::WRITE_STATUS, &[status::FEATURES_OK | status::DRIVER_OK | 3]);
    for _ in 0..chance.below(12) {
        if chance.one_in(6) {
            let (code, bytes) = (chance.byte() | 1, chance.bytes(40));
            perform(&mut css, code, &bytes);
        }
        fill(chance, &storage);
        let queue = chance.below(3) as u16;
        css.notify(id, queue);
        send(chance, &other);
        css.attend();
        let _ = css.take_interruption(0xff);
        let _ = css.test_subchannel(SubsystemId::new(id.number()));
        let mut frame = Vec::new();
        while let Some(open) = other.receive_open(&mut frame) {
            assert!(frame.len() <= net::LONGEST, "{open:?}");
        }
    }
}

/// Descriptors and rings of both queues, and what the driver says before a frame.
fn fill(chance: &mut Chance, storage: &Storage) {
    for _ in 0..chance.below(6) {
        let queue = QUEUES + 0x400 * chance.below(2) as u64;
        let address = if chance.one_in(8) { chance.word() } else { 0x8000 + chance.below(0x1_0000) as u64 };
        let length = if chance.one_in(8) { chance.word() as u32 } else { chance.below(3000) as u32 };
        let (flags, next) = ([0u16, 1, 2, 3, 4, 2][chance.below(6)], chance.below(9) as u16);
        let descriptor = [&address.to_le_bytes()[..], &length.to_le_bytes(), &flags.to_le_bytes(), &next.to_le_bytes()];
        let _ = storage.write(Absolute(queue + 16 * chance.below(8) as u64), &descriptor.concat());
        let entry = chance.below(9) as u16;
        let _ = storage.write(Absolute(queue + 0x104 + 2 * chance.below(8) as u64), &entry.to_le_bytes());
        let _ = storage.write(Absolute(queue + 0x102), &[chance.byte() & 15, 0]);
    }
    let head = [chance.byte() & 1, [0, 1, 4][chance.below(3)], 0, 0, chance.byte(), 0, 34, 0, 16, 0, 0, 0];
    let frame = packet(chance);
    for place in (0x8000..0x1_8000u64).step_by(0x1000) {
        let _ = storage.write(Absolute(place), &[&head[..], &frame].concat());
    }
}

/// A frame that is nearly one of TCP.
fn packet(chance: &mut Chance) -> Vec<u8> {
    let data = chance.bytes(3000);
    let length = (40 + data.len()) as u16;
    let mut frame = [&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0][..], &length.to_be_bytes()].concat();
    frame.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend([0, 80, 0, 81, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
    frame.extend(data);
    if chance.one_in(3) {
        chance.damage(&mut frame);
    }
    frame
}

/// A frame for the card, with something left open about it.
fn send(chance: &mut Chance, other: &Port) {
    let mut frame = packet(chance);
    if chance.one_in(2) {
        let open = left_open(&mut frame, 200 + chance.below(1400) as u16);
        other.send_open(&frame, open);
    } else {
        let word = |chance: &mut Chance| chance.word() as u16 & 0x3ff;
        let sum = chance.one_in(2).then(|| (word(chance), word(chance)));
        let cut = chance.one_in(2).then(|| Cut { part: word(chance), six: chance.one_in(2) });
        other.send_open(&frame, Offload { sum, cut });
    }
}
