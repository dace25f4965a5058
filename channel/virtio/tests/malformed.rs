//! Drivers that do what none should: random commands, and random bytes in queues. Nothing panics, nothing is stored
//! outside of what the driver has named, and after a reset the device works as ever.
//!
//! `ENDICOTT_RINGS` is how many rounds there are, `ENDICOTT_SEED` where they begin.

mod driver;

use arch::Absolute;
use arch::virtio::{Descriptor, QueueParts, command, feature, net_feature, status};
use base::{Clock, Tod};
use driver::*;
use net::{Mac, Port, Settings, Switch};
use std::sync::Arc;
use support::Random;
use virtio::*;
use zerocopy::IntoBytes;

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);
const COMMANDS: [u8; 15] = [0x03, 0x04, 0x11, 0x12, 0x13, 0x21, 0x22, 0x31, 0x32, 0x33, 0x43, 0x53, 0x72, 0x73, 0x83];
/// A page that no driver names: it must stay as it is.
const GUARD: u64 = 0xf_0000;

struct Never;

impl Clock for Never {
    fn now(&self) -> Tod {
        Tod(0)
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// An address that is often good, and sometimes at an edge or nowhere.
fn address(random: &mut Random) -> u64 {
    match random.below(12) {
        0 => random.word(),
        1 => STORAGE - random.below(32u64),
        2 => u64::MAX - random.below(32u64),
        _ => 0x4_0000 + random.below(0x8_0000u64),
    }
}

fn descriptor(random: &mut Random) -> Descriptor {
    let length = match random.below(8) {
        0 => random.word() as u32,
        1 => 0,
        2 => 16 * random.below(40u32),
        _ => random.below(3000u32),
    };
    let flags = if random.one_in(12) { random.word() as u16 } else { [0, 1, 2, 3, 2, 4][random.below(6)] };
    let next = if random.one_in(12) { random.word() as u16 } else { random.below(SIZE) };
    Descriptor { address: address(random).into(), length: length.into(), flags: flags.into(), next: next.into() }
}

/// Bytes for a command: what the command takes, mostly near to what is right.
fn operand(random: &mut Random, code: u8) -> Vec<u8> {
    let near = |random: &mut Random, good: u64| if random.one_in(4) { random.word() } else { good };
    let good = match code {
        command::SET_REVISION => vec![0, random.below(4u8), 0, u8::from(random.one_in(8))],
        command::WRITE_STATUS => vec![random.pick(&[0, 1, 3, 0x0b, 0x0f, 0x0f, 0x4f, 0x8f, 0xff])],
        command::WRITE_FEATURES if random.one_in(2) => vec![1, 0, 0, 0, 1],
        command::SET_QUEUE => {
            let good = parts(random.below(3));
            let size = if random.one_in(4) { random.word() as u16 } else { SIZE };
            QueueParts {
                descriptors: near(random, good.descriptors.get()).into(),
                available: near(random, good.available.get()).into(),
                used: near(random, good.used.get()).into(),
                size: size.into(),
                ..good
            }
            .as_bytes()
            .to_vec()
        }
        command::SET_INDICATORS | command::SET_CONFIG_INDICATORS => near(random, CLASSIC).to_be_bytes().to_vec(),
        command::SET_ADAPTER_INDICATORS => {
            let words = [near(random, SUMMARY), near(random, AREA), random.below(300)];
            words.into_iter().flat_map(u64::to_be_bytes).chain([random.below(10)]).collect()
        }
        _ => {
            let length = random.below(33usize);
            random.bytes(length)
        }
    };
    if random.one_in(10) {
        let length = random.below(70usize);
        random.bytes(length)
    } else {
        good
    }
}

/// Random commands in any order, as a driver that lost its mind sends them.
fn commands(driver: &mut Driver, random: &mut Random) {
    for _ in 0..random.below(20) {
        let code = if random.one_in(20) { random.byte() | 1 } else { random.pick(&COMMANDS) };
        let bytes = operand(random, code);
        if matches!(code, 0x08 | 0x04 | 0x14 | 0xe4) || code & 0x0f == 0x08 {
            continue;
        }
        driver.stand.put(DATA.into(), &bytes);
        driver.end(code, bytes.len() as u16);
        if random.one_in(4) {
            driver.notify(random.below(4));
        }
        // Whatever is still to be told.
        while driver.stand.css.take_interruption(0xff).is_some() {}
        while driver.stand.css.test_subchannel(driver.id).0 == 0 {}
    }
}

/// Random bytes in a queue.
fn ring(driver: &mut Driver, random: &mut Random, queue: u16) {
    let at = parts(queue);
    for n in 0..SIZE {
        if random.one_in(2) {
            driver.stand.put(at.descriptors.get() + 16 * u64::from(n), descriptor(random).as_bytes());
        }
    }
    // A table, somewhere that a descriptor may name.
    for n in 0..8 {
        driver.stand.put(0x4_0000 + 16 * n, descriptor(random).as_bytes());
    }
    for _ in 0..random.below(4) {
        let head = if random.one_in(16) { random.word() as u16 } else { random.below(SIZE) };
        driver.offer(queue, head);
    }
    if random.one_in(16) {
        driver.stand.put(at.available.get(), &random.word().to_le_bytes()[..4]);
    }
}

/// A driver that resets the device and starts it well finds that it works: how many frames or bytes it gets.
fn works(driver: &mut Driver, adapter: bool, features: u64) {
    driver.enable(false);
    driver.enable(true);
    driver.negotiate(feature::VERSION_1 | features);
    let queues = if features & net_feature::MAC != 0 { 2 } else { 1 };
    driver.start(queues, adapter);
    driver.stand.put(SUMMARY, &[0]);
    driver.fill(0, 0..2, 200);
    assert!(driver.notify(0));
}

/// Rounds of all that against one device; what has happened: times that it wanted a reset.
fn rounds(seed: u64, count: u64, driver: &mut Driver, own: u64, other: Option<&Port>) -> u64 {
    let mut random = Random::seeded(seed);
    let mut broken = 0;
    driver.stand.put(GUARD, &[0xa5; 0x1000]);
    for round in 0..count {
        commands(driver, &mut random);
        let chosen = random.word() & (own | feature::INDIRECT_DESC | feature::EVENT_IDX);
        works(driver, random.one_in(2), own & net_feature::MAC | chosen);
        driver.used(0);
        for _ in 0..4 {
            let queue = random.below(2);
            ring(driver, &mut random, queue);
            if let Some(other) = other {
                let length = random.below(2000usize);
                let content = random.bytes(length);
                other.send(&[&MAC.0[..], &OTHER.0, &[8, 0], &content].concat());
            }
            driver.notify(queue);
            driver.stand.css.attend();
            while driver.stand.css.take_interruption(0xff).is_some() {}
            while driver.stand.css.test_subchannel(driver.id).0 == 0 {}
        }
        let state = driver.command(command::READ_STATUS, &[0]).unwrap();
        broken += u64::from(state[0] & status::NEEDS_RESET != 0);
        works(driver, true, own & net_feature::MAC);
        match other {
            None => assert_eq!(driver.used(0), [(0, 200), (1, 200)], "seed {seed}, round {round}"),
            Some(other) => {
                other.send(&[&MAC.0[..], &OTHER.0, &[8, 0], b"it works"].concat());
                driver.stand.css.attend();
                assert_eq!(driver.used(0), [(0, 34)], "seed {seed}, round {round}");
            }
        }
        assert_eq!(driver.interruptions().0, 1, "seed {seed}, round {round}");
    }
    let mut guard = [0; 0x1000];
    driver.stand.storage.read(Absolute(GUARD), &mut guard).unwrap();
    assert!(guard.iter().all(|byte| *byte == 0xa5), "seed {seed}: a page was stored into that no driver names");
    broken
}

#[test]
fn no_driver_does_harm() {
    let (count, seed) = (number("ENDICOTT_RINGS", 4_000), number("ENDICOTT_SEED", 1));
    let mut driver = Driver::new(Box::new(Virtio::new(Entropy::new(|bytes| bytes.fill(7)))));
    let broken = rounds(seed, count, &mut driver, 0, None);
    assert!(broken > count / 10 && broken < count, "{broken} of {count}");

    let switch = Switch::new(Arc::new(Never));
    let [card, other] = [0; 2].map(|_| switch.port(Settings::default()));
    other.set_up(true);
    let cable = Cable::new();
    cable.couple(Some(Arc::new(card)));
    let mut driver = Driver::new(Box::new(Virtio::new(Card::new(cable, MAC, 1500))));
    let own = net_feature::MAC | net_feature::STATUS | net_feature::MTU | net_feature::MRG_RXBUF | 0x1983;
    let broken = rounds(seed + 1, count, &mut driver, own, Some(&other));
    assert!(broken > count / 10 && broken < count, "{broken} of {count}");
}

/// A service that answers with as much as there is room for, and counts on no more.
struct Filler;

impl Service for Filler {
    fn answer(&mut self, request: &[u8], room: usize, answer: &mut Vec<u8>) {
        answer.resize(request.len().min(room), 0x33);
    }
}

/// Bytes as a disk.
struct Bytes(Vec<u8>);

impl Medium for Bytes {
    fn read(&mut self, at: u64, to: &mut [u8]) -> std::io::Result<()> {
        to.copy_from_slice(&self.0[at as usize..at as usize + to.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, from: &[u8]) -> std::io::Result<()> {
        self.0[at as usize..at as usize + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, at: u64, length: u64) -> std::io::Result<()> {
        self.0[at as usize..(at + length) as usize].fill(0);
        Ok(())
    }
}

/// One of the other devices: how many queues it has, what its other side does now and then, and whether all that the
/// driver may store into is named in descriptors.
struct Other {
    name: &'static str,
    device: Box<dyn css::Device>,
    queues: u16,
    turn: Box<dyn FnMut(&mut Random)>,
    named: bool,
}

fn others() -> Vec<Other> {
    let (folder, disk, line, hub, valve) = (Desk::new(), Desk::new(), Line::new(), Hub::new(FIRST_GUEST), Valve::new());
    let geometry = Geometry { sectors: 64, read_only: false, serial: "serial".into() };
    let mut sectors = Sectors::new(geometry.clone(), Bytes(vec![0; 64 * 512]));
    let other = |name, device, queues, turn, named| Other { name, device, queues, turn, named };
    let [of_folder, of_disk] = [&folder, &disk].map(Arc::clone);
    let (of_line, of_hub, of_valve) = (line.clone(), hub.clone(), valve.clone());
    vec![
        other(
            "folder",
            Box::new(Virtio::new(share("tag", 65_536, folder))),
            1,
            Box::new(move |_| of_folder.serve_now(&mut Filler)),
            true,
        ),
        other(
            "disk",
            Box::new(Virtio::new(virtio::disk(&geometry, disk))),
            1,
            Box::new(move |_| of_disk.serve_now(&mut sectors)),
            true,
        ),
        other(
            "console",
            Box::new(Virtio::new(SerialConsole::new(line))),
            2,
            Box::new(move |random| {
                // More than there is room for would wait.
                let length = random.below(100usize);
                if random.one_in(4) && of_line.room() > length {
                    of_line.send(&random.bytes(length));
                }
            }),
            true,
        ),
        other(
            "sockets",
            Box::new(Virtio::new(SocketDevice::new(hub))),
            3,
            Box::new(move |random| {
                let port = random.below(4u32);
                of_hub.with(|sockets| {
                    while let Some(event) = sockets.event() {
                        match event {
                            Event::Asked(ports) if random.one_in(2) => sockets.accept(ports),
                            Event::Asked(ports) => sockets.reset(ports),
                            Event::Data(ports, bytes) => sockets.handed_on(ports, bytes.len()),
                            Event::Taken(ports) => _ = sockets.send(ports, &[7; 5000]),
                            Event::Room(_) | Event::Ended(_) | Event::Gone(_) => {}
                        }
                    }
                    _ = sockets.connect(port);
                });
            }),
            true,
        ),
        other(
            "balloon",
            Box::new(Virtio::new(Balloon::new(valve))),
            4,
            Box::new(move |random| {
                of_valve.want(random.below(100));
                of_valve.figures();
            }),
            // Lists of pages, too.
            false,
        ),
    ]
}

#[test]
fn no_driver_does_harm_to_other_devices() {
    let (count, seed) = (number("ENDICOTT_RINGS", 2_000), number("ENDICOTT_SEED", 1));
    for Other { name, device, queues, mut turn, named } in others() {
        let mut random = Random::seeded(seed);
        let mut driver = Driver::new(device);
        driver.stand.put(GUARD, &[0xa5; 0x1000]);
        let (mut broken, mut used) = (0, 0);
        for round in 0..count {
            commands(&mut driver, &mut random);
            driver.enable(false);
            driver.enable(true);
            driver.command(command::SET_REVISION, &[0, 2, 0, 0]).unwrap();
            let offered = driver.offered() & (random.word() | feature::VERSION_1);
            driver.enable(false);
            driver.enable(true);
            driver.negotiate(offered);
            driver.start(queues, random.one_in(2));
            for _ in 0..6 {
                let queue = random.below(queues);
                ring(&mut driver, &mut random, queue);
                driver.notify(queue);
                turn(&mut random);
                driver.stand.css.attend();
                while driver.stand.css.take_interruption(0xff).is_some() {}
                while driver.stand.css.test_subchannel(driver.id).0 == 0 {}
                used += driver.used(queue).len();
            }
            let state = driver.command(command::READ_STATUS, &[0]).unwrap();
            broken += u64::from(state[0] & status::NEEDS_RESET != 0);
            assert_eq!(state[0] & !status::NEEDS_RESET, 0x0f, "{name}, seed {seed}, round {round}");
        }
        assert!(broken > count / 10 && broken < count && used > 0, "{name}: {broken} of {count}, {used} used");
        let mut guard = [0; 0x1000];
        driver.stand.storage.read(Absolute(GUARD), &mut guard).unwrap();
        assert!(!named || guard.iter().all(|byte| *byte == 0xa5), "{name}, seed {seed}: a page was stored into");
    }
}
