//! Channel programs of every kind against every device: chains, loops, indirect lists, programs that read over
//! themselves, with halts, clears, resumes and keyboards in between.

use std::sync::Arc;

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, Orb, SubsystemId, orb_flag, pmcw_flag};
use css::ChannelSubsystem;
use devices::{
    Card, Console3215, ConsoleHost, CtcaPlug, NotReady, Printer1403, Punch2540, Reader2540, RecordSink, RecordSource,
};
use storage::Storage;

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "channel", about: "channel programs against every device", run };

const STORAGE: u64 = 0x1_0000;
const PROGRAM: u32 = 0x1000;

/// Commands that some device knows, and some that none does.
const COMMANDS: [u8; 24] = [
    0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0A, 0x0B, 0x0F, 0x11, 0x19, 0x1B, 0x42, 0x63, 0x82, 0x89, 0x8B, 0xC2, 0xE4,
    0x41, 0x00, 0x07, 0x0C, 0xFF,
];

fn run(chance: &mut Chance) {
    let storage = Arc::new(Storage::new(STORAGE).expect("64 KiB can be had"));
    let format = [CcwFormat::Zero, CcwFormat::One][chance.below(2)];
    for number in 0..1 + chance.below(24) as u32 {
        let ccw = ccw(chance, PROGRAM + 8 * number);
        let _ = storage.write(Absolute(u64::from(PROGRAM + 8 * number)), &ccw.encode(format));
    }
    // Indirect lists, of either size, sane and not.
    for place in (0x3000..0x3100u64).step_by(4) {
        let _ = storage.write_u32(Absolute(place), address(chance));
    }
    let mut css = ChannelSubsystem::new(storage);
    let console = Console3215::new(Box::new(Paper));
    let keyboard = console.input();
    let reader = Reader2540::new(Box::new(Cards(chance.below(200))));
    let ready = reader.ready_switch();
    let ctca = [CtcaPlug::new(), CtcaPlug::new()];
    CtcaPlug::couple(&ctca[0], &ctca[1]);
    let attached = [
        css.attach(0x009, Box::new(console)),
        css.attach(0x00C, Box::new(reader)),
        css.attach(0x00D, Box::new(Punch2540::new(Box::new(Stacker(chance.below(200)))))),
        css.attach(0x600, ctca[0].device()),
        css.attach(0x601, ctca[1].device()),
        css.attach(0x00E, Box::new(Printer1403::new(Box::new(Stacker(chance.below(200)))))),
    ];
    let id = attached[chance.below(attached.len())].expect("the numbers differ");
    enable(&mut css, id);

    let orb = orb(chance, format);
    for _ in 0..chance.below(24) {
        // What an instruction answers is its caller's affair.
        match chance.below(12) {
            0..3 => _ = css.start_subchannel(id, &orb),
            3 => _ = css.resume_subchannel(id),
            4 => _ = css.halt_subchannel(id),
            5 => _ = css.clear_subchannel(id),
            6 => _ = css.cancel_subchannel(id),
            7 => _ = css.test_subchannel(id),
            8 => _ = css.take_interruption(chance.byte()),
            9 => keyboard.enter(&chance.bytes(200)),
            10 => ready.press(),
            _ => keyboard.attention(),
        }
        css.attend();
    }

    // Whatever went on: after a clear the subchannel is as good as new.
    enable(&mut css, id);
    css.clear_subchannel(id);
    css.attend();
    keyboard.clear();
    let waiting = (0..300).take_while(|_| css.test_subchannel(id).0 == 0).count();
    assert!(waiting < 300, "status is pending for ever");
    enable(&mut css, id);
    let no_operation = Orb::new(0, 0x0000_FF00, PROGRAM);
    assert_eq!(css.start_subchannel(id, &no_operation), Ok(0), "the subchannel does not start after a clear");
}

/// The subchannel may be used.
fn enable(css: &mut ChannelSubsystem, id: SubsystemId) {
    let mut schib = css.store_subchannel(id).expect("the device is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    let _ = css.modify_subchannel(id, &schib);
}

/// A command at `place`, most of them possible.
fn ccw(chance: &mut Chance, place: u32) -> Ccw {
    let command = if chance.one_in(8) { chance.byte() } else { COMMANDS[chance.below(COMMANDS.len())] };
    let mut flags =
        if chance.one_in(4) { chance.byte() } else { [0x00, 0x20, 0x40, 0x60, 0x80, 0xC0][chance.below(6)] };
    let mut address = address(chance);
    if command == 0x08 {
        // A transfer, often within the program, sometimes to itself.
        address = if chance.one_in(8) { place } else { PROGRAM + 8 * chance.below(24) as u32 };
    } else if chance.one_in(6) {
        (flags, address) = (flags | 0x04, 0x3000 + 4 * chance.below(32) as u32);
    }
    let count = if chance.one_in(8) { chance.word() as u16 } else { chance.below(200) as u16 };
    Ccw { command, flags, count, address }
}

/// An address in storage, at its edges, in the program itself, or nowhere.
fn address(chance: &mut Chance) -> u32 {
    match chance.below(8) {
        0 => chance.word() as u32,
        1 => STORAGE as u32 - chance.below(100) as u32,
        2 => PROGRAM + chance.below(200) as u32,
        _ => 0x4000 + chance.below(0x1000) as u32,
    }
}

fn orb(chance: &mut Chance, format: CcwFormat) -> Orb {
    let mut flags = 0x0000_FF00;
    if format == CcwFormat::One {
        flags |= orb_flag::FORMAT_1;
    }
    for flag in [
        orb_flag::SUSPEND,
        orb_flag::PREFETCH,
        orb_flag::INITIAL_STATUS,
        orb_flag::ADDRESS_LIMIT,
        orb_flag::SUPPRESS_SUSPENDED,
        orb_flag::IDAW_FORMAT_2,
        orb_flag::IDAW_2K,
        orb_flag::SUPPRESS_LENGTH,
    ] {
        if chance.one_in(4) {
            flags |= flag;
        }
    }
    if chance.one_in(16) {
        flags = chance.word() as u32;
    }
    let program = if chance.one_in(16) { chance.word() as u32 } else { PROGRAM };
    Orb::new(chance.word() as u32, flags, program)
}

struct Paper;

impl ConsoleHost for Paper {
    fn write(&mut self, _characters: &[u8], _carriage_return: bool) {}
}

/// This many cards, in files of seven.
struct Cards(usize);

impl RecordSource for Cards {
    fn read(&mut self) -> Card {
        if self.0 == 0 {
            return Card::Empty;
        }
        self.0 -= 1;
        match self.0 % 8 {
            0 => Card::EndOfFile,
            1 => Card::Damaged,
            length => Card::Record(vec![0x40; length * 11]),
        }
    }
}

/// Takes this many records.
struct Stacker(usize);

impl RecordSink for Stacker {
    fn record(&mut self, _command: u8, _data: &[u8]) -> Result<(), NotReady> {
        self.0 = self.0.checked_sub(1).ok_or(NotReady)?;
        Ok(())
    }
}
