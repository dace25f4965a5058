//! Random channel programs against every device: none may panic, hang, or reach storage that the program does not name.
//!
//! `FUZZ_SEED` and `FUZZ_ROUNDS` choose other programs and more of them.

use arch::Absolute;
use arch::io::{Orb, SubsystemId, pmcw_flag};
use css::{ChannelSubsystem, Device};
use devices::{Card, Console3215, ConsoleHost, NotReady, Printer1403, Punch2540, Reader2540, RecordSink, RecordSource};
use std::sync::Arc;
use storage::Storage;
use support::Random;

struct Nothing;

impl ConsoleHost for Nothing {
    fn write(&mut self, _characters: &[u8], _carriage_return: bool) {}
}

impl RecordSink for Nothing {
    fn record(&mut self, command: u8, _data: &[u8]) -> Result<(), NotReady> {
        if command == 0x19 { Err(NotReady) } else { Ok(()) }
    }
}

struct Cards(Random);

impl RecordSource for Cards {
    fn read(&mut self) -> Card {
        match self.0.below(8) {
            0 => Card::EndOfFile,
            1 => Card::Empty,
            2 => Card::Damaged,
            _ => Card::Record(vec![0xc1; self.0.below(200) as usize]),
        }
    }
}

const PAGES: u64 = 16;
/// Pages whose key is not the one that programs use: nothing there may change.
const GUARDED: [u64; 3] = [0, 7, 15];
const KEY: u8 = 5;

fn words(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..64 {
        let commands = [0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x63, 0xc2, 0xe4, 0x42, 0x23, 0x19];
        let command = if random.one_in(16) { random.byte() } else { commands[random.below(15)] };
        let mut flags = [0x60, 0x20, 0x40, 0x80, 0x00, 0x44, 0x24, 0x68, 0x62, 0x70, 0xa0][random.below(11)];
        if random.one_in(16) {
            flags = random.byte();
        }
        let (mut count, mut address) = (random.below(200) as u16, random.below(PAGES << 12) as u32);
        if command == 0x08 {
            (flags, count, address) = (0, 0, 0x1000 + 8 * random.below(64) as u32);
        } else if random.one_in(8) {
            (count, address) = (random.word() as u16, random.word() as u32);
        } else if flags & 4 != 0 {
            address = 0x2000 + 8 * random.below(64) as u32;
        }
        let (c, a) = (count.to_be_bytes(), address.to_be_bytes());
        let format_1 = [command, flags, c[0], c[1], a[0], a[1], a[2], a[3]];
        let format_0 = [command, a[1], a[2], a[3], flags, 0, c[0], c[1]];
        bytes.extend(if random.one_in(3) { format_0 } else { format_1 });
    }
    bytes
}

fn lists(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..64 {
        let word = match random.below(4) {
            0 => random.word() << 8,
            1 => random.below(PAGES << 12),
            2 => random.below(PAGES * 2) << 11,
            _ => random.below(PAGES) << 44 | random.below(PAGES) << 12,
        };
        bytes.extend(word.to_be_bytes());
    }
    bytes
}

fn fuzz(name: &str, seed: u64, rounds: u64, device: Box<dyn Device>, mut poke: impl FnMut(&mut Random)) {
    let mut random = Random::seeded(seed);
    let storage = Arc::new(Storage::new(PAGES << 12).unwrap());
    for page in 0..PAGES {
        let guarded = GUARDED.contains(&page);
        storage.write(Absolute(page << 12), &[page as u8; 4096]).unwrap();
        storage.set_key(Absolute(page << 12), if guarded { 0xa0 } else { KEY << 4 }).unwrap();
    }
    let mut css = ChannelSubsystem::new(storage.clone());
    let id: SubsystemId = css.attach(0x00c, device).unwrap();
    for round in 0..rounds {
        if css.store_subchannel(id).is_some_and(|schib| !schib.pmcw.enabled()) {
            let mut schib = css.store_subchannel(id).unwrap();
            schib.pmcw.flags |= pmcw_flag::ENABLED;
            schib.pmcw.characteristics.set(random.below(2) as u32);
            assert!(css.modify_subchannel(id, &schib).is_ok());
        }
        storage.write(Absolute(0x1000), &words(&mut random)).unwrap();
        storage.write(Absolute(0x2000), &lists(&mut random)).unwrap();
        let flags = u32::from(KEY) << 28 | random.word() as u32 & 0x0ffb_0080 | 0xff00;
        let orb = Orb::new(0, flags, 0x1000 + 8 * random.below(32) as u32);
        let started = css.start_subchannel(id, &orb);
        for _ in 0..random.below(6) {
            match random.below(9) {
                0 => poke(&mut random),
                1 => drop(css.resume_subchannel(id)),
                2 if random.one_in(4) => drop(css.halt_subchannel(id)),
                3 if random.one_in(4) => drop(css.cancel_subchannel(id)),
                4 => drop(css.take_interruption(random.byte())),
                5 | 6 => drop(css.test_subchannel(id)),
                7 if random.one_in(64) => css.reset(),
                _ => css.attend(),
            }
        }
        if css.store_subchannel(id).is_some_and(|schib| schib.pmcw.enabled()) {
            // Whatever it does, it can be stopped, and that is told once.
            assert_eq!(css.clear_subchannel(id), 0, "{name}, seed {seed}, round {round}: {started:?}");
            assert_eq!(css.test_subchannel(id).0, 0);
            while css.test_subchannel(id).0 == 0 {}
            assert_eq!(css.pending().iscs(), 0, "{name}, seed {seed}, round {round}");
        }
    }
    for page in GUARDED {
        let mut bytes = [0; 4096];
        storage.read(Absolute(page << 12), &mut bytes).unwrap();
        assert!(bytes.iter().all(|&b| b == page as u8), "{name}, seed {seed}: page {page} was stored into");
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_channel_programs_do_no_harm() {
    let rounds = number("FUZZ_ROUNDS", 25_000);
    let seed = number("FUZZ_SEED", 390);
    let console = Console3215::new(Box::new(Nothing));
    let input = console.input();
    fuzz("console", seed, rounds, Box::new(console), |random| {
        if random.one_in(3) { input.attention() } else { input.enter(&vec![0x81; random.below(200) as usize]) }
    });
    let reader = Reader2540::new(Box::new(Cards(Random::seeded(seed))));
    let switch = reader.ready_switch();
    fuzz("reader", seed, rounds, Box::new(reader), |_| switch.press());
    fuzz("punch", seed, rounds, Box::new(Punch2540::new(Box::new(Nothing))), |_| ());
    fuzz("printer", seed, rounds, Box::new(Printer1403::new(Box::new(Nothing))), |_| ());
}
