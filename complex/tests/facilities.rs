//! What a machine says of itself, its service element, and how it is loaded (POP, chapters 10 and 17).

mod machine;

use arch::interruption::external;
use arch::io::{Ccw, CcwFormat, Orb, ccw_flag, pmcw_flag};
use arch::lowcore::z;
use arch::{Psw, mask};
use complex::diagnose308::Next;
use complex::{Configuration, ControlProgram, Exit, Image, IplError, IplSource, LoadError};
use cpu::{Architecture, cr0};
use devices::{Card, Reader2540, RecordSource};
use machine::*;
use std::collections::VecDeque;
use std::sync::mpsc;
use std::time::Duration;
use zerocopy::IntoBytes;

#[test]
fn every_instruction_of_a_facility_that_is_claimed_is_built() {
    let claimed = complex::FACILITIES;
    for row in isa::instructions().filter(|row| row.architectures.include(Architecture::Z) && row.run.is_none()) {
        assert!(row.facility.is_none_or(|f| !claimed.has(f as u32)), "{} is not built", row.mnemonic);
    }
}

#[test]
fn the_cpu_is_identified() {
    let machine = Machine::with(Architecture::Z, 2);
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("STIDP 0(6);STAP 8(6)"), Ending::Done);
    let id = machine.get64(DATA);
    assert_eq!((id >> 56, id >> 16 & 0xffff, machine.get16(DATA + 8)), (0xff, 0x2817, 0));
    machine.cpu(1).state.gr[6] = DATA;
    machine.text(PROGRAM, "STAP 8(6)");
    machine.begin(1, WIDE, PROGRAM);
    assert_eq!(machine.run(1), Ending::Done);
    assert_eq!(machine.get16(DATA + 8), 1);
    assert_eq!(machine.execute("STIDP 4(6)"), program(6, 4, PROGRAM + 4));
    assert_eq!(machine.execute("STAP 1(6)"), program(6, 4, PROGRAM + 4));
}

#[test]
fn facility_lists() {
    let machine = Machine::new();
    machine.put(DATA, &[0xee; 64]);
    machine.put(DATA + 64, &[0; 16]);
    machine.set(|s| (s.gr[0], s.gr[6]) = (0xff03, DATA));
    assert_eq!(machine.execute("STFL 0(0);STFLE 0(6)"), Ending::Done);
    let first = machine.get64(DATA);
    assert_eq!(machine.get32(z::FACILITIES), (first >> 32) as u32);
    let list = complex::FACILITIES.consistent().0;
    assert_eq!((first, machine.gr(0), machine.cc()), (list[0], 0xff03, 0));
    assert_eq!([8, 16, 24].map(|n| machine.get64(DATA + n)), [list[1], list[2], list[3]]);
    assert_eq!(machine.get64(DATA + 32), 0xeeee_eeee_eeee_eeee, "no more than there are");
    machine.set(|s| s.gr[0] = 0);
    assert_eq!((machine.execute("STFLE 64(6)"), machine.cc(), machine.gr(0)), (Ending::Done, 3, 3));
    assert_eq!(machine.get64(DATA + 72), 0, "no more than asked for");
    assert_eq!(machine.execute("STFLE 4(6)"), program(6, 4, PROGRAM + 4));
}

/// STORE SYSTEM INFORMATION of a function code and selectors; the block is at `DATA`.
fn stsi(machine: &Machine, function: u64, selector1: u64, selector2: u64) -> u8 {
    machine.set(|s| (s.gr[0], s.gr[1], s.gr[6]) = (function << 28 | selector1, selector2, DATA));
    assert_eq!(machine.execute("STSI 0(6)"), Ending::Done);
    machine.cc()
}

fn text(machine: &Machine, at: u64, n: usize) -> String {
    base::ebcdic::to_string(&machine.get(DATA + at, n)).trim_end().to_string()
}

#[test]
fn system_information_of_every_level() {
    let host = Listener {
        control_program: Some(ControlProgram { machine: "LINUX1".into(), identification: "z/VM    7.3.0".into() }),
        ..Listener::default()
    };
    let machine = Machine::hosted(Architecture::Z, 3, host);
    assert_eq!(stsi(&machine, 0, 0, 0), 0);
    assert_eq!(machine.gr(0), 0x3000_0000, "the level");
    assert_eq!(stsi(&machine, 1, 1, 1), 0);
    assert_eq!(text(&machine, 0x30, 4), "2817");
    assert_eq!(stsi(&machine, 1, 2, 1), 0);
    assert_eq!(machine.get16(DATA + 0x66), 0);
    assert_eq!(stsi(&machine, 1, 2, 2), 0);
    assert_eq!((machine.get16(DATA + 0x24), machine.get16(DATA + 0x26)), (3, 3));
    assert_eq!(stsi(&machine, 2, 2, 1), 0);
    assert_eq!(stsi(&machine, 2, 2, 2), 0);
    assert_eq!((machine.get16(DATA + 0x24), text(&machine, 0x2c, 8)), (3, "ENDICOTT".into()));
    assert_eq!(stsi(&machine, 3, 2, 2), 0);
    assert_eq!(machine.get(DATA + 0x1f, 1), [1]);
    assert_eq!((text(&machine, 0x2c, 8), text(&machine, 0x38, 16)), ("LINUX1".into(), "z/VM    7.3.0".into()));
    // Combinations of function and selectors that do not exist.
    for (function, selector1, selector2) in
        [(1, 1, 2), (1, 3, 1), (2, 1, 1), (3, 2, 1), (3, 1, 2), (4, 1, 1), (15, 1, 2)]
    {
        assert_eq!(stsi(&machine, function, selector1, selector2), 3);
    }
    for (r0, r1, at) in [(0x1000_0101, 1, DATA), (0x1000_0001, 0x1_0001, DATA), (0x1000_0001, 1, DATA + 8)] {
        machine.set(|s| (s.gr[0], s.gr[1], s.gr[6]) = (r0, r1, at));
        assert_eq!(machine.execute("STSI 0(6)"), program(6, 4, PROGRAM + 4));
    }
    // Without a control program there is no level 3.
    let bare = Machine::new();
    assert_eq!(stsi(&bare, 0, 0, 0), 0);
    assert_eq!(bare.gr(0), 0x2000_0000);
    assert_eq!(stsi(&bare, 3, 2, 2), 3);
}

/// A page of the guest's may take its time to come, and others want the channel subsystem meanwhile.
#[test]
fn an_orb_is_fetched_before_the_channel_subsystem_is_held() {
    let machine = Machine::new();
    machine.set(|s| (s.gr[1], s.gr[8]) = (0x0001_0000, 0x80_0000));
    let held = machine.configuration.css();
    let (told, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| told.send(machine.execute("SSCH 0(8)")));
        let ending = heard.recv_timeout(Duration::from_secs(60));
        drop(held);
        assert_eq!(ending, Ok(program(5, 4, PROGRAM + 4)), "it came to an end while the channel subsystem was held");
    });
}

/// SERVICE CALL with a block that begins with `block`, and the interruption it ends in; the response code.
fn service(machine: &Machine, command: u32, block: &[u8], length: u16) -> u16 {
    machine.put(DATA, &vec![0; 4096]);
    machine.put(DATA, &length.to_be_bytes());
    machine.put(DATA + 8, block);
    machine.set(|s| {
        (s.gr[1], s.gr[2], s.cr[0]) = (command as u64, DATA, cr0::SERVICE_SIGNAL);
        s.gr[6] = 0x5000;
    });
    machine.text(PROGRAM, "SERVC 1,2;STOSM 0(6),1");
    assert_eq!(machine.go(WIDE, PROGRAM), Ending::External(external::SERVICE_SIGNAL));
    assert_eq!(machine.get32(z::EXTERNAL_PARAMETER) & !7, DATA as u32);
    machine.get16(DATA + 6)
}

const READ_INFORMATION: u32 = 0x0002_0001;
const WRITE_MASK: u32 = 0x0078_0005;
const WRITE_DATA: u32 = 0x0076_0005;
const READ_DATA: u32 = 0x0077_0005;

#[test]
fn the_service_element_tells_what_there_is() {
    let machine = Machine::with(Architecture::Z, 2);
    assert_eq!(service(&machine, READ_INFORMATION, &[], 4096), 0x0010);
    // Eight increments of a megabyte, two CPUs.
    assert_eq!((machine.get16(DATA + 8), machine.get(DATA + 10, 1)[0], machine.get16(DATA + 16)), (8, 1, 2));
    assert_eq!(service(&machine, READ_INFORMATION, &[], 16), 0x0300, "too short");
    assert_eq!(service(&machine, 0x1234_0000, &[], 64), 0x01f0, "no such command");
    // Operands. Not in the first 8 K, and not in the prefix area.
    machine.cpu(0).state.set_prefix(0x1_2000).expect("it is in storage");
    for at in [0, 8, 0x1ff8, 0x1_2000, 0x1_3ff8, DATA | 1 << 31, DATA | 1 << 63] {
        machine.set(|s| s.gr[2] = at);
        machine.put(0x1_2000 + z::PROGRAM_NEW, &machine.get(z::PROGRAM_NEW, 16));
        machine.put32(0x1_2000 + z::PROGRAM_ILC, 0);
        machine.execute("SERVC 1,2");
        assert_eq!(machine.get32(0x1_2000 + z::PROGRAM_ILC), 0x0004_0006, "{at:x}");
    }
    machine.cpu(0).state.set_prefix(0).expect("it is in storage");
    // Before anything is looked at: there is no storage here, and not this bit in the 31-bit mode.
    machine.set(|s| s.gr[2] = 0xffff_ffff_8080_0000);
    assert_eq!(machine.execute("SERVC 1,2"), program(6, 4, PROGRAM + 4));
    assert_eq!(machine.go(mask::BASIC_ADDRESSING, PROGRAM), program(5, 4, PROGRAM + 4));
    machine.set(|s| s.gr[2] = DATA + 4);
    assert_eq!(machine.execute("SERVC 1,2"), program(6, 4, PROGRAM + 4));
    machine.set(|s| s.gr[2] = 0x80_0000);
    assert_eq!(machine.execute("SERVC 1,2"), program(5, 4, PROGRAM + 4));
    machine.put(DATA, &[0, 4]);
    machine.set(|s| s.gr[2] = DATA);
    assert_eq!(machine.execute("SERVC 1,2"), program(6, 4, PROGRAM + 4));
    machine.text(PROGRAM, "SERVC 1,2");
    assert_eq!(machine.go(WIDE | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4));
}

#[test]
fn events_go_both_ways() {
    let machine = Machine::new();
    assert!(!machine.configuration.signal_quiesce(), "nobody listens");
    // Masks of four bytes: receive operator commands (1) and quiesce (29), send messages (2).
    let masks = [0, 0, 0, 4, 0x80, 0, 0, 8, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(service(&machine, WRITE_MASK, &masks, 28), 0x0020);
    assert_eq!(machine.get32(DATA + 20) & 0x4000_0000, 0x4000_0000, "messages are received");
    assert_eq!(machine.get32(DATA + 24) & 0x8000_0008, 0x8000_0008, "commands and quiesce are sent");
    assert_eq!(service(&machine, WRITE_MASK, &[0, 0, 0, 5], 28), 0x74f0);
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x60f0, "no events");
    // A message: event buffer, message-data block, one text object.
    let mut message = vec![0, 34, 2, 0, 0, 0];
    message.extend([0, 28, 0, 1, 0xd4, 0xc4, 0xc2, 0x40, 0, 0, 0, 1]);
    message.extend([0, 16, 0, 4, 0x10, 0]);
    message.extend(base::ebcdic::padded::<10>("HELLO"));
    assert_eq!(service(&machine, WRITE_DATA, &message, 42), 0x0020);
    assert_eq!(*machine.host.lines.lock().expect("whole"), ["HELLO     "]);
    assert_eq!(machine.get(DATA + 11, 1), [0x80], "the buffer has been taken");
    // Events are said by a service signal, read one at a time.
    assert!(machine.configuration.service_command("GO"));
    assert!(machine.configuration.signal_quiesce());
    machine.set(|s| s.cr[0] = cr0::SERVICE_SIGNAL);
    for _ in 0..2 {
        assert_eq!(machine.go(WIDE | mask::EXTERNAL, 0x5000), Ending::External(external::SERVICE_SIGNAL));
        assert_eq!(machine.get32(z::EXTERNAL_PARAMETER), 3);
    }
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x0220, "more to come");
    assert_eq!(machine.get(DATA + 10, 1), [1]);
    let length = machine.get16(DATA) as u64;
    assert_eq!(machine.get(DATA + length - 2, 2), base::ebcdic::from_str("GO"));
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x0020);
    assert_eq!(machine.get(DATA + 10, 1), [0x1d]);
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x60f0);
}

/// An event mask of four bytes that both receives and sends what the integrated ASCII console has, type 26.
const ASCII_MASKS: [u8; 20] = [0, 0, 0, 4, 0, 0, 0, 0x40, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn the_ascii_console_has_each_byte_as_it_is() {
    let listener = Listener { screen: Some(Default::default()), ..Listener::default() };
    let machine = Machine::hosted(Architecture::Z, 1, listener);
    let screen = || machine.host.screen.as_ref().expect("it has one").lock().expect("whole").clone();
    // What is typed before the guest listens waits, without a signal.
    assert!(machine.configuration.typed(b"ab"));
    machine.set(|s| s.cr[0] = cr0::SERVICE_SIGNAL);
    assert_eq!(machine.execute("STOSM 0(5),1"), Ending::Done);
    assert_eq!(service(&machine, WRITE_MASK, &ASCII_MASKS, 28), 0x0020);
    assert_eq!((machine.get32(DATA + 20) & 0x40, machine.get32(DATA + 24) & 0x40), (0x40, 0x40), "it is there");
    assert_eq!(machine.get32(z::EXTERNAL_PARAMETER) & 3, 3, "something waits");
    assert_eq!(service(&machine, READ_DATA, &[], 14), 0x0300, "the buffer is too short, and nothing is lost");
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x0020);
    // Its buffer has a byte that says that data follow.
    assert_eq!(machine.get(DATA + 8, 9), [0, 9, 26, 0, 0, 0, 0, b'a', b'b']);
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x60f0);
    // Keys are signaled now, and come together if there are many.
    for keys in [&b"\x1b[A"[..], &[b'x'; 4093]] {
        assert!(machine.configuration.typed(keys));
        assert_eq!(machine.go(WIDE | mask::EXTERNAL, 0x5000), Ending::External(external::SERVICE_SIGNAL));
        assert_eq!(machine.get32(z::EXTERNAL_PARAMETER), 3);
    }
    assert!(!machine.configuration.typed(b"y"), "there is no room");
    let mut keys = Vec::new();
    for more in [0x0220, 0x0220, 0x0220, 0x0020] {
        assert_eq!(service(&machine, READ_DATA, &[], 4096), more);
        let length = machine.get16(DATA + 8) as usize;
        keys.extend(machine.get(DATA + 15, length - 7));
    }
    assert_eq!(keys, [&b"\x1b[A"[..], &[b'x'; 4093]].concat());
    // Output.
    assert_eq!(service(&machine, WRITE_DATA, b"\0\x0b\x1a\0\0\0\x1b[2J\xff", 19), 0x0020);
    assert_eq!((screen(), machine.get(DATA + 11, 1)), (b"\x1b[2J\xff".to_vec(), vec![0x80]));
}

#[test]
fn a_machine_without_an_ascii_console_says_so() {
    let machine = Machine::new();
    assert_eq!(service(&machine, WRITE_MASK, &ASCII_MASKS, 28), 0x0020);
    assert_eq!((machine.get32(DATA + 20) & 0x40, machine.get32(DATA + 24) & 0x40), (0, 0));
    assert_eq!(service(&machine, WRITE_DATA, b"\0\x07\x1a\0\0\0A", 15), 0x70f0);
    assert!(machine.configuration.typed(b"nobody reads"));
    assert_eq!(service(&machine, READ_DATA, &[], 4096), 0x60f0);
}

/// A deck of cards; after the last there is no file.
struct Deck(VecDeque<Vec<u8>>);

impl RecordSource for Deck {
    fn read(&mut self) -> Card {
        self.0.pop_front().map_or(Card::Empty, Card::Record)
    }
}

fn reader(configuration: &Configuration, cards: &[&[u8]]) {
    let deck = Deck(cards.iter().map(|card| card.to_vec()).collect());
    configuration.css().attach(0x00c, Box::new(Reader2540::new(Box::new(deck)))).expect("it is the only one");
}

/// A PSW for 31 bits at 5000, and a CCW that reads the next card there.
fn first_card() -> Vec<u8> {
    let read = Ccw { command: 0x02, flags: ccw_flag::SUPPRESS_LENGTH, count: 80, address: 0x5000 };
    let mut card = 0x0008_0000_8000_5000u64.to_be_bytes().to_vec();
    card.extend(read.encode(CcwFormat::Zero));
    card.extend([0; 8]);
    card
}

#[test]
fn ipl_from_a_reader() {
    let machine = Machine::new();
    machine.set(|s| s.gr[7] = 7);
    machine.put(0x9000, &[1]);
    reader(&machine.configuration, &[&first_card(), &assemble("L 1,0xb8(0,0);LPSW 8(15)")]);
    machine.configuration.ipl(0x00c, "LOADP", "", false, true).expect("the cards are there");
    assert_eq!(machine.cpu(0).state.architecture(), Architecture::Esa);
    assert_eq!(machine.get32(0xb8) >> 16, 1, "the subsystem identification");
    assert_eq!((machine.configuration.ipl_source(), machine.get(0x9000, 1)), (Some(IplSource::Device(0x00c)), vec![1]));
    assert_eq!(machine.cpu(0).state.psw(), Psw { mask: mask::BASIC_ADDRESSING, address: 0x5000 });
    assert!(!machine.configuration.is_stopped(0));
    // With CLEAR, storage and registers are zero before; without a start, the CPU is stopped with the PSW loaded.
    let machine = Machine::new();
    machine.set(|s| s.gr[7] = 7);
    machine.put(0x9000, &[1]);
    reader(&machine.configuration, &[&first_card(), &[0, 0]]);
    machine.configuration.ipl(0x00c, "", "", true, false).expect("the cards are there");
    assert_eq!((machine.gr(7), machine.get(0x9000, 1)), (0, vec![0]));
    assert!(machine.configuration.is_stopped(0));
}

#[test]
fn ipl_fails_with_a_reason() {
    let machine = Machine::new();
    assert_eq!(machine.configuration.ipl(0x00c, "", "", true, true), Err(IplError::NoDevice(0x00c)));
    // An empty reader asks for intervention.
    reader(&machine.configuration, &[]);
    let Err(IplError::Failed(0x00c, irb)) = machine.configuration.ipl(0x00c, "", "", true, true) else {
        panic!("it has nothing to load")
    };
    assert_eq!(irb.scsw.device.0 & 2, 2, "unit check");
    assert!(machine.configuration.is_stopped(0));
    // A deck that ends too early.
    let machine = Machine::new();
    reader(&machine.configuration, &[&first_card()]);
    assert!(matches!(machine.configuration.ipl(0x00c, "", "", true, true), Err(IplError::Failed(0x00c, _))));
    // Cards that are no loader.
    let machine = Machine::new();
    let mut card = first_card();
    card[..8].copy_from_slice(&base::ebcdic::padded::<8>("HELLO"));
    reader(&machine.configuration, &[&card, &[0, 0]]);
    assert!(matches!(machine.configuration.ipl(0x00c, "", "", true, true), Err(IplError::InvalidPsw(_))));
    assert!(machine.configuration.is_stopped(0));
}

#[test]
fn a_kernel_is_loaded_without_a_device() {
    let machine = Machine::new();
    let mut kernel = vec![0; 0x2_0000];
    kernel[0x1_0008..0x1_000e].copy_from_slice(b"S390EP");
    let load = |kernel: &[u8], initrd: &[u8], line: &str| machine.configuration.load_direct(kernel, initrd, line);
    assert_eq!(load(&kernel, b"ramdisk", "console=ttyS0"), Ok(()));
    let (start, size) = (machine.get64(0x1_0408), machine.get64(0x1_0410));
    assert_eq!((machine.get(start, 7), size), (b"ramdisk".to_vec(), 7));
    assert_eq!(machine.get(0x1_0480, 14), b"console=ttyS0\0");
    assert_eq!(machine.cpu(0).state.psw(), Psw { mask: mask::BASIC_ADDRESSING, address: 0x1_0000 });
    assert_eq!(machine.configuration.ipl_source(), Some(IplSource::Direct));
    // What is cut short or no kernel at all.
    for wrong in [&kernel[..0], &kernel[..0x1_0009], &kernel[..0x1_0010], &kernel[..0x1_0434], &[0; 0x2_0000][..]] {
        assert_eq!(load(wrong, &[], ""), Err(LoadError::NotAKernel), "{} bytes", wrong.len());
    }
    assert!(matches!(load(&kernel, &vec![0; 8 << 20], ""), Err(LoadError::TooSmall { .. })));
    assert_eq!(load(&kernel, &[], &"x".repeat(896)), Err(LoadError::CommandLineTooLong { max: 895 }));
    assert_eq!(load(&kernel, &[], &"x".repeat(895)), Ok(()));
    // A ramdisk of several pieces, and one in a file that ends before it should.
    let ramdisk: Vec<u8> = (0..600_000u32).map(|n| (n / 251) as u8).collect();
    assert_eq!(load(&kernel, &ramdisk, ""), Ok(()));
    assert_eq!(machine.get(machine.get64(0x1_0408), ramdisk.len()), ramdisk);
    let short = machine.configuration.load_direct(&kernel, &CutShort, "");
    assert_eq!(short, Err(LoadError::Unreadable("initrd: it ends".into())));
}

/// A file that has become shorter since it was looked at.
struct CutShort;

impl Image for CutShort {
    fn size(&self) -> u64 {
        300_000
    }

    fn read(&self, at: u64, _: &mut [u8]) -> std::io::Result<()> {
        if at < 200_000 { Ok(()) } else { Err(std::io::Error::other("initrd: it ends")) }
    }
}

/// DIAGNOSE 308 of CPU 0, as CP performs it: block address in register 2, subcode in 4, the answer in 3.
fn diagnose(machine: &Machine, address: u64, subcode: u64) -> Result<Next, cpu::Interruption> {
    machine.set(|s| (s.gr[2], s.gr[3], s.gr[4]) = (address, 0, subcode));
    machine.text(PROGRAM, "DIAG 2,4,0x308(0)");
    let ending = machine.go(WIDE, PROGRAM);
    assert_eq!(ending, Ending::Exit(Exit::Diagnose { r1: 2, r3: 4, code: 0x308, ilc: 4 }));
    machine.configuration.diagnose_308(0, 2, 4)
}

#[test]
fn a_guest_loads_itself_anew() {
    let machine = Machine::new();
    assert_eq!(diagnose(&machine, 0, 3), Ok(Next::NothingToLoad));
    reader(&machine.configuration, &[&first_card(), &[0, 0]]);
    machine.configuration.ipl(0x00c, "LOADPARM", "some text", false, false).expect("the cards are there");
    machine.set(|s| s.set_architecture(Architecture::Z));
    machine.put64(z::PROGRAM_NEW, mask::WAIT);
    machine.put64(z::PROGRAM_NEW + 8, 0xe00);
    // Subcode 6 stores how it was loaded.
    assert_eq!(diagnose(&machine, DATA, 6), Ok(Next::Continue));
    assert_eq!(machine.gr(3), 1);
    assert_eq!((machine.get(DATA + 0xc, 1), machine.get16(DATA + 0x6e)), (vec![2], 0x00c));
    assert_eq!(machine.get(DATA + 0x10, 8), base::ebcdic::from_str("LOADPARM"));
    assert_eq!(text(&machine, 0x80, 64), "some text");
    // Subcode 5 says from where to load next: the same block with another device.
    machine.put(DATA + 0x6e, &[0, 0x0d]);
    assert_eq!(diagnose(&machine, DATA, 5), Ok(Next::Continue));
    assert_eq!(machine.gr(3), 1);
    let Ok(Next::Load { device: 0x00d, clear: true, .. }) = diagnose(&machine, 0, 3) else { panic!("from 00D") };
    machine.put(DATA + 0xc, &[9]);
    assert_eq!(diagnose(&machine, DATA, 5), Ok(Next::Continue));
    assert_eq!(machine.gr(3), 0x402, "not from such a device");
    assert!(diagnose(&machine, DATA + 8, 6).is_err(), "not on a page");
    assert!(diagnose(&machine, 0, 2).is_err(), "no such subcode");
    // Subcodes 0 and 1 reset everything, and the CPU that asked goes on from the PSW at 0 in ESA/390.
    machine.put64(0, 0x0008_0000_8000_5000);
    assert_eq!(diagnose(&machine, 0, 1), Ok(Next::Restarted));
    assert_eq!(machine.cpu(0).state.architecture(), Architecture::Esa);
    assert_eq!(machine.cpu(0).state.psw(), Psw { mask: mask::BASIC_ADDRESSING, address: 0x5000 });
    assert_eq!(machine.gr(2), 0, "as it was");
    assert!(!machine.configuration.is_stopped(0));
}

#[test]
fn interruptions_are_tested_for() {
    let machine = Machine::new();
    reader(&machine.configuration, &[b"card"]);
    let id = machine.configuration.css().find(0x00c).expect("it is attached");
    let mut schib = machine.configuration.css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    schib.pmcw.parameter.set(0x1234_5678);
    schib.pmcw.set_isc(3);
    machine.configuration.css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    let sense = Ccw { command: 0x03, flags: ccw_flag::SUPPRESS_LENGTH, count: 1, address: 0 };
    machine.put(0x7000, &sense.encode(CcwFormat::One));
    machine.put(0x7100, Orb::new(0x1234_5678, 0x0080_ff00, 0x7000).as_bytes());
    machine.set(|s| (s.gr[1], s.gr[6], s.gr[8], s.cr[6]) = (id.encode() as u64, DATA, 0x7100, 0));
    assert_eq!(machine.execute("SSCH 0(8);TPI 0(6)"), Ending::Done);
    assert_eq!(machine.cc(), 0, "not of an open subclass");
    machine.set(|s| s.cr[6] = 0x1000_0000);
    assert_eq!(machine.execute("TPI 0(6)"), Ending::Done);
    assert_eq!((machine.cc(), machine.get64(DATA)), (1, (id.encode() as u64) << 32 | 0x1234_5678));
    assert_eq!(machine.execute("TPI 0(6)"), Ending::Done);
    assert_eq!(machine.cc(), 0, "it has been taken");
    assert_eq!(machine.execute("TSCH 0(6)"), Ending::Done);
    assert_eq!(machine.cc(), 0);
    // Address 0: to the assigned locations.
    assert_eq!(machine.execute("SSCH 0(8);TPI 0(0)"), Ending::Done);
    assert_eq!(machine.cc(), 1);
    assert_eq!((machine.get32(z::SUBSYSTEM_ID), machine.get32(z::IO_PARAMETER)), (id.encode(), 0x1234_5678));
    assert_eq!(machine.get32(z::IO_IDENTIFICATION), 0x1800_0000);
    assert_eq!(machine.execute("TSCH 0(6)"), Ending::Done);
    // The interruption itself.
    machine.text(PROGRAM, "SSCH 0(8)");
    assert_eq!(machine.go(WIDE | mask::IO, PROGRAM), Ending::Io);
    assert_eq!(machine.get64(z::IO_OLD + 8), PROGRAM + 4);
    // Operands: words, and an identification that names a subchannel of set 0.
    for instruction in ["TPI 2(6)", "TSCH 2(6)", "STSCH 2(6)", "SSCH 2(6)", "MSCH 2(6)", "STCRW 2(6)"] {
        assert_eq!(machine.execute(instruction), program(6, 4, PROGRAM + 4), "{instruction}");
    }
    machine.set(|s| s.gr[1] = 0x0002_0000);
    for instruction in ["TSCH 0(6)", "STSCH 0(6)", "SSCH 0(8)", "CSCH", "HSCH", "RSCH", "XSCH"] {
        assert_eq!(machine.execute(instruction), program(0x15, 4, PROGRAM + 4), "{instruction}");
        machine.text(PROGRAM, instruction);
        assert_eq!(machine.go(WIDE | mask::PROBLEM, PROGRAM), program(2, 4, PROGRAM + 4), "{instruction}");
    }
    machine.set(|s| s.gr[1] = 0x0001_ffff);
    assert_eq!(machine.execute("STSCH 0(6)"), Ending::Done);
    assert_eq!(machine.cc(), 3, "no such subchannel");
}

#[test]
fn operands_of_io_instructions_are_translated_and_protected() {
    let machine = Machine::new();
    reader(&machine.configuration, &[b"card"]);
    let id = machine.configuration.css().find(0x00c).expect("it is attached");
    let mut schib = machine.configuration.css().store_subchannel(id).expect("it is attached");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    machine.configuration.css().modify_subchannel(id, &schib).expect("the SCHIB is valid");
    let nothing = Ccw { command: 0x03, flags: ccw_flag::SUPPRESS_LENGTH, count: 1, address: 0 };
    machine.put(0x7000, &nothing.encode(CcwFormat::One));
    machine.put(0x7100, Orb::new(0, 0x0080_ff00, 0x7000).as_bytes());
    let mut t = Tables::new(&machine);
    let asce = t.space(SEGMENT);
    t.map_low(asce);
    let run = |instruction: &str, mask: u64, at: u64| {
        machine.set(|s| {
            (s.gr[1], s.gr[6], s.gr[8], s.cr[1]) = (id.encode() as u64, at, 0x7100, asce);
        });
        machine.text(PROGRAM, instruction);
        machine.go(mask, PROGRAM)
    };
    assert_eq!(run("SSCH 0(8)", WIDE, 0), Ending::Done);
    // What cannot be stored leaves everything as it was: the status is still there.
    for instruction in ["TSCH 0(6)", "STSCH 0(6)", "STCRW 0(6)"] {
        assert_eq!(run(instruction, WIDE, 1 << 40), program(5, 4, PROGRAM + 4), "{instruction}");
        assert_eq!(run(instruction, WIDE | mask::DAT, 0x10_0ff0), program(0x10, 4, PROGRAM), "nullified");
        assert_eq!(machine.get64(z::TRANSLATION_EXCEPTION_ID), 0x10_0000 | STORED);
        machine.set_key(DATA, 0x30);
        assert_eq!(run(instruction, WIDE | 4 << 52, DATA), program(4, 4, PROGRAM + 4));
    }
    // The operand's second page is missing.
    t.map(asce, 0x20_0000, 0x9000);
    assert_eq!(run("TSCH 0(6)", WIDE | mask::DAT, 0x20_0ff0), program(0x11, 4, PROGRAM));
    assert_eq!(run("TSCH 0(6)", WIDE, DATA), Ending::Done);
    assert_eq!((machine.cc(), machine.get32(DATA) & 1), (0, 1), "status pending");
    assert_eq!(run("SSCH 0(6)", WIDE, u64::MAX - 3), program(5, 4, PROGRAM + 4), "an ORB that wraps around");
}

#[test]
fn channel_reports_are_stored() {
    let machine = Machine::new();
    machine.set(|s| s.gr[6] = DATA);
    machine.put32(DATA, 99);
    assert_eq!(machine.execute("STCRW 0(6)"), Ending::Done);
    assert_eq!((machine.cc(), machine.get32(DATA)), (1, 0), "nothing to report");
    // A device comes: a machine check, and a report.
    reader(&machine.configuration, &[]);
    machine.set(|s| s.cr[14] = cpu::cr14::CHANNEL_REPORT);
    assert_eq!(machine.go(WIDE | mask::MACHINE_CHECK, 0x5000), Ending::MachineCheck);
    assert_eq!(machine.execute("STCRW 0(6)"), Ending::Done);
    assert_eq!((machine.cc(), machine.get32(DATA) >> 24 & 0xf), (0, 3), "of a subchannel");
}

#[test]
fn chsc_needs_a_page() {
    let machine = Machine::new();
    machine.put(DATA, &[0; 4096]);
    machine.put(DATA, &[0, 0x10, 0x00, 0x10]);
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("CHSC 6,0"), Ending::Done);
    assert_eq!((machine.cc(), machine.get16(DATA + 16 + 2)), (0, 1), "the response follows the request");
    machine.set(|s| s.gr[6] = DATA + 8);
    assert_eq!(machine.execute("CHSC 6,0"), program(6, 4, PROGRAM + 4));
}

#[test]
fn timing_facility_functions() {
    let machine = Machine::new();
    let run = |function: u64, mask: u64| {
        machine.set(|s| (s.gr[0], s.gr[1]) = (function, DATA));
        machine.text(PROGRAM, "PTFF");
        machine.go(mask, PROGRAM)
    };
    assert_eq!(run(0, WIDE | mask::PROBLEM), Ending::Done);
    assert_eq!((machine.cc(), machine.get64(DATA)), (0, 0xc000_0000_0000_0000));
    assert_eq!(run(1, WIDE), Ending::Done);
    assert!(machine.get64(DATA) > NOON);
    assert_eq!(run(2, WIDE), Ending::Done);
    assert_eq!(machine.cc(), 3, "not installed");
    assert_eq!(run(0x80, WIDE), program(6, 2, PROGRAM + 2));
    assert_eq!(run(0x40, WIDE | mask::PROBLEM), program(2, 2, PROGRAM + 2));
    // SET CLOCK moves the logical clock, as the offset says.
    machine.put64(DATA + 0x100, 1 << 62);
    machine.set(|s| s.gr[6] = DATA);
    assert_eq!(machine.execute("SCK 0x100(6);STCK 0x108(6)"), Ending::Done);
    assert_eq!(machine.get64(DATA + 0x108) >> 40, 1 << 22);
    assert_eq!(run(1, WIDE), Ending::Done);
    assert_eq!(machine.get64(DATA).wrapping_add(machine.get64(DATA + 8)) >> 40, 1 << 22);
}
