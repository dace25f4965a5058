//! Console, reader, punch and printer, driven by channel programs as guests write them.

mod machine;

use arch::io::{DeviceStatus, scsw_flag};
use css::Ipl;
use devices::{
    Card, Console3215, ConsoleHost, ConsoleInput, NotReady, Printer1403, Punch2540, Reader2540, RecordSink,
    RecordSource,
};
use machine::{CC_SLI, ENDED, Machine, SLI};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What a host's side keeps for the test to look at.
type Log<T> = Arc<Mutex<Vec<T>>>;

#[derive(Clone, Default)]
struct Paper(Log<(Vec<u8>, bool)>, Log<&'static str>);

impl ConsoleHost for Paper {
    fn write(&mut self, characters: &[u8], carriage_return: bool) {
        self.0.lock().unwrap().push((characters.to_vec(), carriage_return));
    }
    fn alarm(&mut self) {
        self.1.lock().unwrap().push("alarm");
    }
    fn reading(&mut self, waits: bool) {
        self.1.lock().unwrap().push(if waits { "read" } else { "running" });
    }
    fn cut(&mut self, taken: usize) {
        self.1.lock().unwrap().push(if taken == 4 { "cut at 4" } else { "cut elsewhere" });
    }
}

/// Files of cards; between them ends of file.
struct Deck(VecDeque<Card>);

impl RecordSource for Deck {
    fn read(&mut self) -> Card {
        self.0.pop_front().unwrap_or(Card::Empty)
    }
}

#[derive(Clone, Default)]
struct Tray(Log<(u8, Vec<u8>)>, bool);

impl RecordSink for Tray {
    fn record(&mut self, command: u8, data: &[u8]) -> Result<(), NotReady> {
        self.0.lock().unwrap().push((command, data.to_vec()));
        if self.1 { Err(NotReady) } else { Ok(()) }
    }
}

fn console() -> (Machine, Paper, ConsoleInput) {
    let paper = Paper::default();
    let console = Console3215::new(Box::new(paper.clone()));
    let input = console.input();
    (Machine::new(Box::new(console)), paper, input)
}

#[test]
fn a_console_writes_what_it_is_given() {
    let (mut m, paper, _) = console();
    m.stand.put(0x2000, b"\xc1\x15\xc2\x15\xc3");
    let ended = m.run(&[(0x01, CC_SLI, 4, 0x2000), (0x09, CC_SLI, 1, 0x2004), (0x0b, CC_SLI, 1, 0), (0x03, SLI, 1, 0)]);
    assert_eq!(ended, (0x1020, 1, ENDED, 0));
    let written = paper.0.lock().unwrap();
    assert_eq!(*written, [(b"\xc1\x15\xc2\x15".to_vec(), false), (b"\xc3".to_vec(), true)]);
    assert_eq!(*paper.1.lock().unwrap(), ["alarm"]);
}

#[test]
fn attention_then_read_inquiry() {
    let (mut m, _, input) = console();
    input.enter(b"\x93\xa2");
    m.stand.css.attend();
    let irb = m.end();
    assert_eq!((irb.scsw.device, irb.scsw.control.get() & 0x7000), (DeviceStatus::ATTENTION, 0));
    assert_eq!(m.stand.css.test_subchannel(m.id).0, 1, "once");
    assert_eq!(m.run(&[(0x0a, SLI, 160, 0x2000)]), (0x1008, 158, ENDED, 0));
    assert_eq!(m.stand.get(0x2000, 3), b"\x93\xa2\0");
    assert_eq!(m.stand.css.test_subchannel(m.id).0, 1);

    // Two lines while the guest was busy: an attention for each.
    input.enter(b"A");
    input.enter(b"B");
    m.stand.css.attend();
    for line in [b"A", b"B"] {
        assert_eq!(m.end().scsw.device, DeviceStatus::ATTENTION);
        assert_eq!(m.run(&[(0x0a, SLI, 160, 0x2000)]), (0x1008, 159, ENDED, 0));
        assert_eq!(m.stand.get(0x2000, 1), line);
    }
    assert_eq!((m.stand.css.test_subchannel(m.id).0, input.queued()), (1, 0));
    // An empty line.
    input.enter(b"");
    m.stand.css.attend();
    m.end();
    assert_eq!(m.run(&[(0x0a, SLI, 160, 0x2000)]), (0x1008, 160, ENDED, 0));
}

#[test]
fn a_line_longer_than_the_area_is_cut_and_the_host_hears_of_it() {
    let (mut m, paper, input) = console();
    input.enter(b"ABCDEFG");
    m.stand.css.attend();
    m.end();
    assert_eq!(m.run(&[(0x0a, SLI, 4, 0x2000)]), (0x1008, 0, ENDED, 0));
    assert_eq!(m.stand.get(0x2000, 5), b"ABCD\0");
    assert_eq!(*paper.1.lock().unwrap(), ["cut at 4"]);
}

#[test]
fn a_read_waits_for_a_line() {
    let (mut m, paper, input) = console();
    m.start(&[(0x0a, SLI, 160, 0x2000)]);
    assert!(input.reading());
    assert_eq!(m.stand.css.take_interruption(0xff), None);
    let bystander = input.clone();
    std::thread::spawn(move || bystander.enter(b"LINE")).join().unwrap();
    m.stand.css.attend();
    let irb = m.end();
    assert_eq!((irb.scsw.device, irb.scsw.count.get()), (ENDED, 156));
    assert_eq!(m.stand.css.test_subchannel(m.id).0, 1, "no attention for a line that was awaited");
    assert_eq!(*paper.1.lock().unwrap(), ["read", "running"]);
    // The operator asks for attention, the guest reads, and gives up.
    input.attention();
    m.stand.css.attend();
    assert_eq!(m.end().scsw.device, DeviceStatus::ATTENTION);
    m.start(&[(0x0a, SLI, 160, 0x2000)]);
    assert_eq!(m.stand.css.halt_subchannel(m.id), 0);
    assert!(m.end().scsw.has(scsw_flag::HALT_FUNCTION));
    assert!(!input.reading());
}

#[test]
fn old_devices_reject_what_they_do_not_know() {
    let (mut m, ..) = console();
    for command in [0xe4, 0x02, 0xc3, 0xff] {
        assert_eq!(m.sense_after(command), 0x80, "command reject");
    }
    let (.., device, subchannel) = m.run(&[(0xe4, SLI, 44, 0x2000)]);
    assert_eq!((device.0, subchannel), (0x0e, 0), "as z/VM's console answers Sense ID");
    for device in [
        Box::new(Reader2540::new(Box::new(Deck(VecDeque::new())))) as Box<dyn css::Device>,
        Box::new(Punch2540::new(Box::new(Tray::default()))),
        Box::new(Printer1403::new(Box::new(Tray::default()))),
    ] {
        assert_eq!(Machine::new(device).sense_after(0xe4), 0x80);
    }
}

fn card(n: u8) -> Card {
    Card::Record(vec![n; 80])
}

#[test]
fn the_linux_loader_reads_files_of_cards() {
    // 25 cards, a file of one short card, and nothing more.
    let mut cards: VecDeque<_> = (1..=25).map(card).collect();
    cards.extend([Card::EndOfFile, Card::Record(b"\x99\x96".to_vec()), Card::EndOfFile]);
    let mut m = Machine::new(Box::new(Reader2540::new(Box::new(Deck(cards)))));
    let chunk: Vec<_> = (0..20).map(|n| (0x02, if n < 19 { CC_SLI } else { SLI }, 80, 0x2000 + 80 * n)).collect();
    let bytes = |(ccw, count, ..): (u32, u16, DeviceStatus, u8)| (ccw - 0x1000) / 8 * 80 - u32::from(count);
    let ended = m.run(&chunk);
    assert_eq!((ended.2.0, bytes(ended)), (0x0c, 1600));
    assert_eq!(m.stand.get(0x2000 + 1599, 1), [20]);
    let ended = m.run(&chunk);
    assert_eq!((ended, bytes(ended)), ((0x1030, 80, DeviceStatus(0x0d), 0), 400));
    assert_eq!(m.stand.get(0x2000 + 399, 2), [25, 6], "the card that was not there stored nothing");
    let ended = m.run(&chunk);
    assert_eq!((ended.2.0, bytes(ended)), (0x0d, 80));
    assert_eq!(m.stand.get(0x2000, 80), [b"\x99\x96".as_slice(), &[0x40; 78]].concat());
    let ended = m.run(&chunk);
    assert_eq!((ended.2.0, bytes(ended)), (0x0e, 0), "no file: unit check");
    assert_eq!(m.run(&[(0x04, SLI, 24, 0x3000)]).2, ENDED);
    assert_eq!(m.stand.get(0x3000, 1), [0x40], "intervention required");
}

#[test]
fn ipl_from_cards() {
    let mut first = vec![0x40; 80];
    first[..24].copy_from_slice(b"\0\x08\0\0\x80\0\x02\0\x02\0\0\x18\x20\0\0\x50\0\0\0\0\0\0\0\0");
    let deck = Deck([Card::Record(first), card(7)].into());
    let mut m = Machine::new(Box::new(Reader2540::new(Box::new(deck))));
    m.stand.css.reset();
    assert_eq!(m.stand.css.start_ipl(m.id), Ipl::Loaded);
    assert_eq!((m.stand.get(0, 2), m.stand.get(0x18, 80)), (vec![0, 8], vec![7; 80]));
    assert!(matches!(m.stand.css.start_ipl(m.id), Ipl::Failed(_)), "no more cards");
}

#[test]
fn a_card_can_be_looked_at_before_it_is_fed() {
    let deck = Deck([card(1), card(2), card(3), card(4)].into());
    let mut m = Machine::new(Box::new(Reader2540::new(Box::new(deck))));
    let look = (0xc2, CC_SLI, 80, 0x2000);
    m.run(&[look, look, (0x23, CC_SLI, 1, 0), look, (0x42, CC_SLI, 80, 0x2100), (0x02, SLI, 80, 0x2200)]);
    assert_eq!((m.stand.get(0x2000, 1), m.stand.get(0x2100, 1), m.stand.get(0x2200, 1)), (vec![2], vec![2], vec![3]));
}

#[test]
fn a_new_file_makes_the_reader_ready() {
    let reader = Reader2540::new(Box::new(Deck(VecDeque::new())));
    let switch = reader.ready_switch();
    let mut m = Machine::new(Box::new(reader));
    switch.press();
    m.stand.css.attend();
    assert_eq!(m.end().scsw.device, DeviceStatus::DEVICE_END);
    assert_eq!(m.stand.css.test_subchannel(m.id).0, 1);
}

#[test]
fn punch_and_printer_keep_command_and_data() {
    let tray = Tray::default();
    let mut m = Machine::new(Box::new(Punch2540::new(Box::new(tray.clone()))));
    m.stand.put(0x2000, &[0xc1; 200]);
    // As vmur writes: each record its own CCW, no operation at the end.
    assert_eq!(m.run(&[(0x01, CC_SLI, 80, 0x2000), (0x41, CC_SLI, 5, 0x2000), (0x03, SLI, 1, 0)]).2, ENDED);
    assert_eq!(*tray.0.lock().unwrap(), [(0x01, vec![0xc1; 80]), (0x41, vec![0xc1; 5])]);
    assert_eq!(m.run(&[(0x01, 0, 90, 0x2000)]), (0x1008, 10, ENDED, 0x40), "a card has 80 columns");
    let cards = tray.0.lock().unwrap().len();
    assert_eq!(m.run(&[(0x01, 0, 80, 0xfff0)]), (0x1008, 64, ENDED, 0x20));
    assert_eq!(tray.0.lock().unwrap().len(), cards, "nothing is punched after a program check");

    let tray = Tray::default();
    let mut m = Machine::new(Box::new(Printer1403::new(Box::new(tray.clone()))));
    m.stand.put(0x2000, &[0xc2; 200]);
    let ended = m.run(&[
        (0x8b, CC_SLI, 1, 0),
        (0x63, CC_SLI, 180, 0x2000),
        (0x09, CC_SLI, 132, 0x2000),
        (0xe1, CC_SLI, 3, 0x2000),
        (0x1b, SLI, 1, 0),
    ]);
    assert_eq!(ended.2, ENDED);
    let printed: Vec<_> = tray.0.lock().unwrap().iter().map(|(code, line)| (*code, line.len())).collect();
    assert_eq!(printed, [(0x8b, 0), (0x09, 132), (0xe1, 3), (0x1b, 0)]);
    for command in [0x02, 0x21, 0xe9, 0x83] {
        assert_eq!(m.sense_after(command), 0x80, "{command:02X}");
    }
    let mut m = Machine::new(Box::new(Printer1403::new(Box::new(Tray(Arc::default(), true)))));
    assert_eq!(m.sense_after(0x09), 0x40, "the spool is full");
}
