//! Golden transcripts: what users type and what they see, several terminals at once, on a virtual clock.
//!
//! Each file of `tests/transcripts` is a story:
//!
//! ```text
//! -- a comment
//! MAINT> query time          MAINT types a line (the first mention of a name connects a terminal)
//! MAINT< TIME IS 08:00:00... what MAINT's terminal shows then
//! MAINT: display 24 80       makes the terminal a 3270 before it is used
//! MAINT! PA1                 a key: ENTER CLEAR PA1 PA2 PFnn, with text after it if there is some
//! MAINT| !query time         the whole screen of a 3270 after a key (! marks intensified rows)
//! ** 60 seconds              time passes
//! ** numbers hidden          from here on each number that is shown is #: what is counted depends on the host
//! ** punch MAINT NAME TYPE one card/another card       another program of the host fills MAINT's reader
//! ** deck MAINT 0008000080000100 100=47F00100          a program for IPL 00C: its PSW, and what goes where
//! ```
//!
//! Everything but what is shown is input. `BLESS=1 cargo test -p nucleus --test transcripts` writes what is shown now
//! into the files; `STORY=name` plays only those with that in their names.

mod volume;

use base::{Clock, Tod};
use consoles::FLOOD;
use consoles::display::{Key, Size};
use consoles::host::Silent;
use consoles::terminal::{Kind, Terminal};
use devices::tape::Model;
use directory::{Directory, Passwords};
use nucleus::system::{Cp, SystemConfig};
use spool::{Attributes, Queue, Spool};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use support::folder::Folder;
use support::stories::told_again;
use tape::Tape;

/// A clock that stands still until it is told, and advances by a tenth of a millisecond at each look while guests run.
#[derive(Default)]
struct Still {
    at: AtomicU64,
    running: AtomicBool,
}

impl Clock for Still {
    fn now(&self) -> Tod {
        let passed = if self.running.load(Ordering::Relaxed) { Tod(0).plus_micros(100).0 } else { 0 };
        Tod(self.at.fetch_add(passed, Ordering::Relaxed) + passed)
    }
}

/// How many time slices guests get after each line: a guest that loops must not be waited for.
const SLICES: u32 = 60;

/// Wednesday, 20 November 1991, 08:00:00.
const MORNING: u64 = 690_624_000;

struct Story {
    cp: Cp,
    clock: Arc<Still>,
    terminals: Vec<(String, Arc<Terminal>)>,
    shown: Vec<String>,
    told: String,
    folder: Folder,
    /// Numbers are not shown.
    hidden: bool,
}

impl Story {
    fn new() -> Story {
        let clock = Arc::new(Still::default());
        clock.at.store(Tod::from_unix_nanos(MORNING * 1_000_000_000).0, Ordering::Relaxed);
        let directory = Directory::parse("USER DIRECT", directory::sample(), &Passwords::default());
        let directory = directory.expect("the sample directory has no mistakes");
        let folder = Folder::empty("story");
        let spool = Spool::open(&folder.0).expect("the host has a folder for temporary files");
        engine::provide(jit::translator);
        let config = SystemConfig { expanded: 64 << 20, ..SystemConfig::default() };
        let cp = Cp::new(config, directory, Some(spool), clock.clone(), Arc::new(Silent));
        volume::install(&cp);
        // Two drives, and a tape that is on neither.
        assert!(cp.tapes.install(0x580, Model::T3490) && cp.tapes.install(0x581, Model::T3480));
        cp.tapes.set_library(&folder.0);
        Tape::create(&folder.path("FIRST.AWS")).expect("the folder is there");
        Story { cp, clock, terminals: Vec::new(), shown: Vec::new(), told: String::new(), folder, hidden: false }
    }

    fn terminal(&mut self, name: &str, kind: Kind) -> Arc<Terminal> {
        if let Some((_, terminal)) = self.terminals.iter().find(|(other, _)| other == name) {
            return terminal.clone();
        }
        let terminal = self.cp.connect(kind, None, "127.0.0.1", true);
        self.terminals.push((name.into(), terminal.clone()));
        self.shown.push(String::new());
        terminal
    }

    fn show(&mut self) {
        for (n, (name, terminal)) in self.terminals.iter().enumerate() {
            assert!(terminal.backlog() < FLOOD + 100, "{name}'s virtual machine was not made to wait");
            for line in terminal.take_output().lines() {
                let line = if self.hidden { without_numbers(line) } else { line.to_string() };
                writeln!(self.told, "{name}< {line}").unwrap();
            }
            let screen = match terminal.screen() {
                Some(_) if terminal.shows_logo() => "(logo)\n".to_string(),
                Some(screen) => screen.to_string(),
                None => continue,
            };
            if screen != self.shown[n] {
                for line in screen.lines() {
                    writeln!(self.told, "{}", format!("{name}| {line}").trim_end()).unwrap();
                }
                self.shown[n] = screen;
            }
        }
    }

    fn tell(&mut self, line: &str) {
        let mark = line.find(['>', '<', '!', ':', '|']).filter(|&at| {
            let name = &line[..at];
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        });
        if let Some(at) = mark
            && matches!(line.as_bytes()[at], b'<' | b'|')
        {
            return;
        }
        writeln!(self.told, "{line}").unwrap();
        if let Some(time) = line.strip_prefix("** ") {
            let mut words = time.split_whitespace();
            if let Some(cards) = time.strip_prefix("punch ") {
                self.punch(cards);
                return self.show();
            }
            if let Some(deck) = time.strip_prefix("deck ") {
                self.deck(deck);
                return self.show();
            }
            if time == "numbers hidden" {
                self.hidden = true;
                return;
            }
            let amount: u64 = words.next().and_then(|n| n.parse().ok()).expect("** is followed by a number");
            let unit = if words.next().is_some_and(|unit| unit.starts_with("minute")) { 60 } else { 1 };
            self.pass(amount * unit);
        } else if let Some(at) = mark {
            let (name, rest) = (line[..at].to_string(), line[at + 1..].strip_prefix(' ').unwrap_or(&line[at + 1..]));
            match line.as_bytes()[at] {
                b':' => {
                    let numbers: Vec<usize> = rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                    self.terminal(&name, Kind::Display(Size { rows: numbers[0], columns: numbers[1] }));
                }
                b'>' => {
                    let terminal = self.terminal(&name, Kind::Typewriter);
                    match terminal.is_display() {
                        true => self.cp.key(terminal.id, Key::Enter, &fields(&terminal, rest)),
                        false => self.cp.line(terminal.id, rest),
                    }
                }
                _ => {
                    let terminal = self.terminal(&name, Kind::Typewriter);
                    let (key, typed) = rest.split_once(' ').unwrap_or((rest, ""));
                    if key == "HANGUP" {
                        self.cp.hang_up(terminal.id);
                    } else if terminal.is_display() {
                        self.cp.key(terminal.id, self::key(key), &fields(&terminal, typed));
                    } else {
                        self.cp.attention(terminal.id);
                    }
                }
            }
        }
        self.run();
        self.show();
    }

    /// Lets guests run, for a while.
    fn run(&mut self) {
        self.clock.running.store(true, Ordering::Relaxed);
        let _ = (0..SLICES).take_while(|_| self.cp.step(0)).count();
        self.clock.running.store(false, Ordering::Relaxed);
    }

    /// Punches a program that can be loaded from the reader: `USER psw address=hex ...`.
    fn deck(&mut self, what: &str) {
        /// Where the channel program that reads the rest of the deck is put.
        const CHAIN: u32 = 0xf00;
        let bytes = |hex: &str| -> Vec<u8> {
            assert!(hex.len().is_multiple_of(2), "whole bytes: {hex}");
            (0..hex.len()).step_by(2).map(|n| u8::from_str_radix(&hex[n..n + 2], 16).expect("hexadecimal")).collect()
        };
        let mut words = what.split_whitespace();
        let user = words.next().expect("deck USER psw address=hex ...");
        let mut first = bytes(words.next().expect("a PSW"));
        let parts: Vec<(u32, Vec<u8>)> = words
            .filter_map(|part| part.split_once('='))
            .map(|(address, text)| (u32::from_str_radix(address, 16).expect("an address"), bytes(text)))
            .collect();
        let ccw = |command: u8, address: u32, flags: u8, count: usize| -> Vec<u8> {
            let mut ccw = (u32::from(command) << 24 | address).to_be_bytes().to_vec();
            ccw.extend([flags, 0, 0, count as u8]);
            ccw
        };
        let mut cards = Vec::new();
        if parts.is_empty() {
            first.extend(ccw(0x03, 0, 0x20, 1));
        } else {
            first.extend(ccw(0x02, CHAIN, 0x60, 80));
            first.extend(ccw(0x08, CHAIN, 0, 0));
            let last = parts.len() - 1;
            let chain = parts
                .iter()
                .enumerate()
                .map(|(n, (address, text))| ccw(0x02, *address, if n == last { 0x20 } else { 0x60 }, text.len()));
            cards.push(chain.flatten().collect());
            cards.extend(parts.iter().map(|(_, text)| text.clone()));
        }
        cards.insert(0, first);
        let deck: Vec<u8> = cards
            .into_iter()
            .flat_map(|mut card: Vec<u8>| {
                assert!(card.len() <= 80, "a card has 80 columns");
                card.resize(80, 0);
                card
            })
            .collect();
        let attributes = Attributes::new(user, Queue::Reader, self.cp.now());
        let punch = spool::Punch { attributes, originator: "SYSTEM".into(), content: spool::Content::Binary };
        spool::punch(&self.folder.0, &punch, &mut deck.as_slice()).unwrap();
        self.cp.take_drops();
    }

    /// What `endicott punch` does.
    fn punch(&mut self, what: &str) {
        let words: Vec<&str> = what.splitn(4, ' ').collect();
        let [user, name, kind, cards] = words[..] else { panic!("punch USER NAME TYPE cards: {what}") };
        let mut attributes = Attributes::new(user, Queue::Reader, self.cp.now());
        (attributes.name, attributes.kind) = (name.into(), kind.into());
        let punch = spool::Punch { attributes, originator: "SYSTEM".into(), content: spool::Content::Text };
        let cards = cards.replace('/', "\n");
        spool::punch(&self.folder.0, &punch, &mut cards.as_bytes()).unwrap();
    }

    /// Time passes, stopping wherever something is due.
    fn pass(&mut self, seconds: u64) {
        let end = self.cp.now().plus_micros(seconds * 1_000_000);
        while let Some(at) = self.cp.deadline().filter(|&at| at <= end) {
            self.clock.at.fetch_max(at.0, Ordering::Relaxed);
            self.cp.tick();
            self.run();
        }
        self.clock.at.fetch_max(end.0, Ordering::Relaxed);
    }
}

fn without_numbers(line: &str) -> String {
    let pieces: Vec<&str> = line.split(|c: char| c.is_ascii_digit()).collect();
    let mut shown = String::new();
    for (n, piece) in pieces.iter().enumerate() {
        // Digits side by side have nothing between them.
        if n > 0 && !(piece.is_empty() && n < pieces.len() - 1) {
            shown.push('#');
        }
        shown.push_str(piece);
    }
    shown
}

/// On the logo, `userid/password/command`; elsewhere the one field there is.
fn fields(terminal: &Terminal, typed: &str) -> Vec<String> {
    if terminal.shows_logo() {
        return typed.split('/').map(str::to_string).collect();
    }
    vec![typed.to_string()]
}

fn key(name: &str) -> Key {
    match name {
        "ENTER" => Key::Enter,
        "CLEAR" => Key::Clear,
        "PA1" => Key::Pa1,
        "PA2" => Key::Pa2,
        pf => Key::Pf(pf.strip_prefix("PF").and_then(|n| n.parse().ok()).expect("a key")),
    }
}

#[test]
fn transcripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    told_again(&folder, |text| {
        let mut story = Story::new();
        text.lines().for_each(|line| story.tell(line));
        std::mem::take(&mut story.told)
    });
}
