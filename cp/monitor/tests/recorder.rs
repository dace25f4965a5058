//! The monitor on a virtual clock, with readers that reply when they are told to.

use arch::monitor::{AddDispatch, ControlElement, EventsSuspended, LoggedOn, MonitorConnect, MonitorMessage, Record};
use base::{Tod, ebcdic};
use message::words::Words;
use monitor::domain::Side;
use monitor::frames::{Frames, PAGE, records};
use monitor::operands::orders;
use monitor::recorder::{Reader, Recorder, Segment, World, reason};
use monitor::settings::Settings;
use std::collections::HashMap;
use zerocopy::{FromBytes, IntoBytes};

const FIRST: u32 = 0x900_0000;
const A: Reader = (1, 0);
const B: Reader = (2, 3);

/// A record: its domain, its number and what follows the header.
type Found = (u8, u16, Vec<u8>);

/// A message on its way: its number, class and data.
type Sent = (u32, u32, [u8; 8]);

#[derive(Default)]
struct Fake {
    bytes: Vec<u8>,
    sent: HashMap<Reader, Vec<Sent>>,
    severed: Vec<(Reader, u8)>,
    next: u32,
    looks: u32,
    /// Records of configuration and of samples.
    configuration: usize,
    samples: usize,
    full: bool,
}

impl World for Fake {
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        self.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        !self.full
    }

    fn send(&mut self, to: Reader, class: u32, data: [u8; 8]) -> Option<u32> {
        self.next += 1;
        self.sent.entry(to).or_default().push((self.next, class, data));
        Some(self.next)
    }

    fn awaits(&self, reader: Reader, message: u32) -> bool {
        self.sent.get(&reader).is_some_and(|sent| sent.iter().any(|sent| sent.0 == message))
    }

    fn is_open(&self, reader: Reader) -> bool {
        self.sent.contains_key(&reader)
    }

    fn sever(&mut self, reader: Reader, reason: u8) {
        self.sent.remove(&reader);
        self.severed.push((reader, reason));
    }

    fn configuration(&mut self, _: Side, _: &Settings, frames: &mut Frames) {
        (0..self.configuration).for_each(|_| frames.put(LoggedOn::default()));
    }

    fn sample(&mut self, _: &Settings, frames: &mut Frames) {
        (0..self.samples).for_each(|n| frames.put(LoggedOn { storage: (n as u64).into(), ..LoggedOn::default() }));
    }

    fn look(&mut self, _: &Settings) {
        self.looks += 1;
    }
}

/// A monitor, what surrounds it, and a clock.
struct Story {
    recorder: Recorder,
    world: Fake,
    now: Tod,
    pages: u32,
}

impl Story {
    fn new() -> Story {
        let world = Fake { bytes: vec![0xee; 512 * PAGE], configuration: 3, samples: 5, ..Fake::default() };
        Story { recorder: Recorder::default(), world, now: Tod(1 << 50), pages: 512 }
    }

    fn say(&mut self, line: &str) -> Result<String, String> {
        let orders = orders(&mut Words::new(line)).map_err(|message| message.id())?;
        let messages = self.recorder.orders(&orders, self.now).map_err(|message| message.id())?;
        self.recorder.service(self.now, &mut self.world);
        Ok(messages.iter().map(|message| message.id()).collect())
    }

    fn segment(&self) -> Segment {
        Segment { name: "MONDCSS".into(), spid: 7, first: FIRST, pages: self.pages }
    }

    fn connect(&mut self, reader: Reader, shared: u8, wanted: u8) -> Result<(), u8> {
        let user = MonitorConnect { shared, wanted, segment: ebcdic::padded("MONDCSS"), reserved_02: [0xff; 6] };
        let user: [u8; 16] = user.as_bytes().try_into().unwrap();
        let (answer, segment) = self.recorder.admits(user, |name| {
            assert_eq!(name, "MONDCSS");
            Ok(self.segment())
        })?;
        assert_eq!(answer.version, 1);
        self.world.sent.insert(reader, Vec::new());
        self.recorder.connect(reader, "READER", user, segment, self.now);
        self.recorder.service(self.now, &mut self.world);
        Ok(())
    }

    /// Time passes: what is due on the way is done when it is due.
    fn wait(&mut self, seconds: u64) {
        let end = self.now.plus_micros(seconds * 1_000_000);
        while let Some(due) = self.recorder.due().filter(|&due| due <= end) {
            assert!(due >= self.now, "nothing is due twice");
            self.now = due;
            self.recorder.service(due, &mut self.world);
            assert!(self.recorder.due().is_none_or(|next| next > due), "what was due is done");
        }
        self.now = end;
    }

    /// What a reader got: for each message its class, and the records: domain, number and what follows the header.
    fn read(&mut self, reader: Reader) -> Vec<(String, Vec<Found>)> {
        let sent = std::mem::take(self.world.sent.get_mut(&reader).expect("the path is there"));
        let read = sent.into_iter().map(|(_, class, data)| {
            let message = MonitorMessage::read_from_bytes(&data).unwrap();
            let (start, end) = ((message.start.get() - FIRST) as usize, (message.end.get() - FIRST) as usize);
            assert_eq!((end + 1 - start) % size_of::<ControlElement>(), 0, "whole control elements");
            let mut all = Vec::new();
            for element in self.world.bytes[start..=end].chunks(size_of::<ControlElement>()) {
                let element = ControlElement::read_from_bytes(element).unwrap();
                assert_eq!(u32::from(element.kind), class >> 24);
                assert!(element.domains.get() != 0);
                let (start, end) = ((element.start.get() - FIRST) as usize, (element.end.get() - FIRST) as usize);
                assert!(start < end && end < self.pages as usize * PAGE);
                for page in self.world.bytes[start..=end].chunks(PAGE) {
                    let found = records(page).expect("a page of records");
                    all.extend(found.iter().map(|(h, rest)| (h.domain, h.record.get(), rest.to_vec())));
                }
            }
            (ebcdic::to_string(&class.to_be_bytes()).trim().to_string(), all)
        });
        let read = read.collect();
        self.recorder.service(self.now, &mut self.world);
        read
    }

    fn kinds(&mut self, reader: Reader) -> Vec<String> {
        self.read(reader).into_iter().map(|(kind, records)| format!("{kind}{}", records.len())).collect()
    }

    fn event(&mut self, cpu: u16) {
        let record = AddDispatch { cpu: cpu.into(), ..AddDispatch::default() };
        self.recorder.event(self.now, record, &[], &mut self.world);
    }
}

#[test]
fn samples_come_at_boundaries_counted_from_start() {
    let mut story = Story::new();
    assert_eq!(story.say("sample start"), Ok("HCPMNR6224I".into()), "pending");
    story.wait(70);
    assert_eq!(story.recorder.due(), None, "nothing is due without a reader");
    assert_eq!(story.connect(A, 1, 0x80), Ok(()));
    assert_eq!(story.kinds(A), ["SC3"]);
    story.wait(49);
    assert!(story.kinds(A).is_empty());
    story.wait(1);
    assert_eq!(story.kinds(A), ["S5"], "two minutes after START");
    assert_eq!(story.world.looks, 25, "every two seconds since the reader came");
    story.wait(60);
    assert_eq!(story.kinds(A), ["S5"]);
    assert_eq!(story.say("stop"), Ok("HCPMNR6226I".into()));
    story.wait(600);
    assert!(story.kinds(A).is_empty());
    // A reader that is there first gets its first data at once.
    assert_eq!(story.say("sample interval 10 sec start"), Ok("HCPMNR6225I".into()));
    assert_eq!(story.kinds(A), ["SC3", "S5"]);
}

#[test]
fn an_interval_is_left_out_while_a_reader_has_not_replied() {
    let mut story = Story::new();
    story.connect(A, 1, 0x80).unwrap();
    story.connect(B, 1, 0x80).unwrap();
    story.say("sample start").unwrap();
    assert_eq!((story.kinds(A), story.kinds(B)), (vec!["SC3".into(), "S5".into()], vec!["SC3".into(), "S5".into()]));
    story.wait(60);
    assert_eq!(story.kinds(A), ["S5"]);
    story.wait(120);
    assert!(story.kinds(A).is_empty(), "the other one has the area");
    assert_eq!((story.recorder.counts.samples, story.recorder.counts.left_out), (2, 2));
    assert_eq!(story.kinds(B), ["S5"]);
    story.wait(60);
    assert_eq!((story.kinds(A), story.kinds(B)), (vec!["S5".into()], vec!["S5".into()]));
    // One that has gone holds nothing up.
    story.wait(60);
    story.kinds(A);
    story.world.sent.remove(&B);
    story.wait(60);
    assert_eq!(story.kinds(A), ["S5"]);
}

#[test]
fn what_does_not_fit_into_the_area_follows() {
    let mut story = Story::new();
    story.pages = 12;
    story.say("sample config size 1").unwrap();
    story.say("event config size 1").unwrap();
    story.connect(A, 1, 0x80).unwrap();
    story.world.samples = 84 * 10;
    story.say("sample start").unwrap();
    // 1 page of control elements, 1 and 1 of configuration, 9 for data: 4 for events.
    assert_eq!(story.kinds(A), ["SC3", "S420"]);
    assert_eq!(story.kinds(A), ["S420"]);
    assert!(story.kinds(A).is_empty());
    story.wait(60);
    let first = story.read(A);
    let next = story.read(A);
    let order: Vec<u8> = [&first[0].1[0], &first[0].1[419], &next[0].1[0]].map(|record| record.2[27]).into();
    assert_eq!(order, [0, (419 & 0xff) as u8, (420 & 0xff) as u8]);
}

#[test]
fn a_reader_that_does_not_reply_to_configuration_is_severed() {
    let mut story = Story::new();
    story.connect(A, 1, 0x80).unwrap();
    story.connect(B, 1, 0x80).unwrap();
    story.say("sample config limit 30 sec start").unwrap();
    story.kinds(B);
    story.wait(29);
    assert!(story.world.severed.is_empty());
    story.wait(1);
    assert_eq!(story.world.severed, [(A, reason::LIMIT)]);
    story.wait(60);
    assert_eq!(story.kinds(B), ["S5"]);
    assert_eq!(story.recorder.readers(Side::Sample).count(), 1);
}

#[test]
fn configuration_that_does_not_fit_severs() {
    let mut story = Story::new();
    story.say("sample config size 1").unwrap();
    story.world.configuration = 200;
    story.connect(A, 1, 0x80).unwrap();
    story.say("sample start").unwrap();
    assert_eq!(story.world.severed, [(A, reason::CONFIGURATION)]);
    assert_eq!(reason::CONFIGURATION, 0x2c);
    story.say("stop").unwrap();
    assert_eq!(story.say("sample config size 3"), Ok(String::new()));
    story.connect(A, 1, 0x80).unwrap();
    story.say("sample start").unwrap();
    assert_eq!(story.kinds(A)[0], "SC200");
}

#[test]
fn connections_that_are_refused() {
    let mut story = Story::new();
    assert_eq!(story.connect(A, 2, 0x80), Err(reason::USER_DATA));
    assert_eq!(story.connect(A, 1, 0x00), Err(reason::USER_DATA));
    assert_eq!(story.connect(A, 1, 0x81), Err(reason::USER_DATA));
    story.pages = 312;
    assert_eq!(story.connect(A, 1, 0x80), Err(reason::TOO_SMALL), "309 pages are for configuration");
    story.pages = 512;
    assert_eq!(story.connect(A, 0, 0x80), Ok(()));
    assert_eq!(story.connect(B, 1, 0x80), Err(reason::EXCLUSIVE));
    story.world.sent.clear();
    story.recorder.service(story.now, &mut story.world);
    assert_eq!(story.connect(B, 1, 0x80), Ok(()));
    assert_eq!(story.connect(A, 0, 0x80), Err(reason::EXCLUSIVE));
    story.pages = 511;
    assert_eq!(story.connect(A, 1, 0x80), Err(reason::OTHER_SEGMENT));
    // What is recorded is not divided anew, nor so that a reader's segment is too small.
    assert_eq!(story.say("start partition 300"), Err("HCPMNR6227E".into()));
    assert_eq!(story.say("sample config size 500"), Err("HCPMNR6227E".into()));
    story.say("start").unwrap();
    assert_eq!(story.say("event config size 10"), Err("HCPMNR6222E".into()));
    assert_eq!(story.say("sample start"), Err("HCPMNR6222E".into()));
    assert_eq!(story.say("sample rate 2 min"), Err("HCPMNR6223E".into()));
    // All of a command is done, or nothing.
    let before = story.recorder.settings.clone();
    assert_eq!(story.say("sample interval 1 sec"), Err("HCPMNR6223E".into()));
    assert_eq!(story.say("event config limit 5 size 10"), Err("HCPMNR6222E".into()));
    assert_eq!(story.recorder.settings, before);
    assert_eq!(story.say("sample interval 1 sec rate .5"), Ok(String::new()));
}

#[test]
fn a_host_that_refuses_severs() {
    let mut story = Story::new();
    story.world.full = true;
    story.connect(A, 1, 0x80).unwrap();
    story.say("sample start").unwrap();
    assert_eq!(story.world.severed, [(A, reason::HOST)]);
}

#[test]
fn events_come_in_blocks_and_in_their_order() {
    let mut story = Story::new();
    story.connect(A, 1, 0x40).unwrap();
    story.say("event scheduler all").unwrap();
    story.event(99);
    story.say("event start block 1").unwrap();
    assert_eq!(story.kinds(A), ["EC3"]);
    (0..300).for_each(|n| story.event(n));
    let full = (PAGE - 20) / 32;
    let read = story.read(A);
    assert_eq!(read.iter().map(|(_, records)| records.len()).collect::<Vec<_>>(), [full, full]);
    story.wait(60);
    let rest = story.read(A);
    let all: Vec<u8> = read.iter().chain(&rest).flat_map(|(_, records)| records).map(|record| record.2[9]).collect();
    assert_eq!(all, (0..300).map(|n: u32| n as u8).collect::<Vec<_>>(), "the rest came at the boundary");
    // What is disabled is not recorded.
    story.say("event disable scheduler all").unwrap();
    story.event(1);
    story.wait(60);
    assert!(story.kinds(A).is_empty());
}

#[test]
fn events_are_suspended_while_no_block_is_free() {
    let mut story = Story::new();
    story.connect(A, 1, 0x40).unwrap();
    story.say("event scheduler all").unwrap();
    story.say("event start partition 3 block 1").unwrap();
    story.kinds(A);
    // Three blocks are sent, a fourth is full, and the rest is lost.
    let full = (PAGE - 20) / 32;
    (0..4 * full as u16 + 10).for_each(|n| story.event(n));
    assert_eq!(story.recorder.counts.lost, 10);
    let since = story.now;
    story.wait(5);
    assert_eq!(story.kinds(A).len(), 3);
    story.event(7777);
    story.wait(60);
    let read = story.read(A);
    assert_eq!((read[0].1.len(), read[1].1.len()), (full, 2));
    let (domain, number, rest) = &read[1].1[0];
    assert_eq!((*domain, *number), (1, EventsSuspended::LAYOUT.record));
    assert_eq!((&rest[..8], &rest[8..12]), (&since.0.to_be_bytes()[..], &10u32.to_be_bytes()[..]));
    assert_eq!(read[1].1[1].2[8..10], 7777u16.to_be_bytes());
}

#[test]
fn a_clock_that_is_set_back_delays_nothing_for_long() {
    let mut story = Story::new();
    story.connect(A, 1, 0x80).unwrap();
    story.say("sample start").unwrap();
    story.kinds(A);
    story.now = Tod(story.now.0 - Tod(0).plus_micros(3_600_000_000).0);
    story.recorder.service(story.now, &mut story.world);
    story.wait(60);
    assert_eq!(story.kinds(A), ["S5"]);
}
