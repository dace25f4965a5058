//! Screens of the guest's own: DIAGNOSE X'58' on the console, and terminals that are dialed to other virtual 3270s.

mod system;

use consoles::display::{Key, Size};
use consoles::terminal::{Entry, Kind, Terminal};
use nucleus::system::Cp;
use std::sync::Arc;
use system::Ticking;
use tn3270::{Screen, Size as Wire};

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 4M 4M ABCDEFG
 CONSOLE 009 3215 T
USER GUEST GUEST 4M 16M G
 MACHINE ESA
 CONSOLE 009 3215 T
 SPECIAL 320 3270
 SPECIAL 321 3270
";

struct Room {
    cp: Cp,
    clock: Arc<Ticking>,
}

impl Room {
    fn new() -> Room {
        let clock = Ticking::new();
        Room { cp: system::system(DIRECTORY, None, clock.clone()), clock }
    }

    fn display(&self) -> Seat<'_> {
        let size = Size { rows: 24, columns: 80 };
        let terminal = self.cp.connect(Kind::Display(size), None, "127.0.0.1", true);
        Seat { room: self, terminal, screen: Screen::new(Wire::new(24, 80), Wire::new(24, 80)) }
    }

    fn run(&self) {
        let _ = (0..40).take_while(|_| self.cp.step(0)).count();
    }
}

/// A person at a display.
struct Seat<'a> {
    room: &'a Room,
    terminal: Arc<Terminal>,
    /// What the guest has drawn.
    screen: Screen,
}

impl Seat<'_> {
    fn key(&self, key: Key, typed: &str) {
        self.room.cp.key(self.terminal.id, key, &[typed.to_string()]);
        self.room.run();
    }

    fn say(&self, line: &str) {
        self.key(Key::Enter, line);
    }

    fn log_on(&self) {
        self.key(Key::Clear, "");
        self.say("logon guest guest");
        assert_eq!(self.terminal.entry(), Entry::Owned, "{}", self.cp_screen());
        self.say("terminal more 0 0");
        self.key(Key::Clear, "");
    }

    /// What CP shows.
    fn cp_screen(&self) -> String {
        self.terminal.screen().expect("a display").to_string()
    }

    /// What the guest shows, if it has the display.
    fn guest_screen(&mut self) -> Option<String> {
        for record in self.terminal.guest_records()? {
            self.screen.apply(&record).expect("a record that a display obeys");
        }
        Some(self.screen.text().trim_end().to_string())
    }

    /// A key while the guest has the display.
    fn send(&self, record: &[u8]) {
        self.room.cp.inbound(self.terminal.id, record);
        self.room.run();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

/// Has the guest issue DIAGNOSE `code` with Rx = `x` and Ry = `y`, then wait; it ends in CP READ, by the break key.
fn diagnose(seat: &Seat<'_>, code: u16, x: u32, y: u32) {
    /// Where the program lies, and the restart new PSW that starts it.
    const START: [&str; 2] = ["store s0 00080000 80000200", "system restart"];
    // DIAGNOSE, INSERT PROGRAM MASK into register 3, LOAD PSW of an enabled wait.
    seat.say(&format!("store s200 8312{code:04X} b2220030 82000280"));
    seat.say("store s280 020A0000 80000300");
    seat.say(&format!("store g1 {x:08x}"));
    seat.say(&format!("store g2 {y:08x}"));
    START.iter().for_each(|command| seat.say(command));
}

/// Stores bytes, a few words a command.
fn store(seat: &Seat<'_>, address: u32, bytes: &[u8]) {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(4), 0);
    for (n, words) in padded.chunks(16).enumerate() {
        let words: Vec<String> = words.chunks(4).map(hex).collect();
        seat.say(&format!("store s{:x} {}", address as usize + 16 * n, words.join(" ")));
    }
}

fn ccw(command: u8, address: u32, flags: u8, control: u8, count: u16) -> Vec<u8> {
    let mut ccw = (u32::from(command) << 24 | address).to_be_bytes().to_vec();
    ccw.extend([flags, control]);
    ccw.extend(count.to_be_bytes());
    ccw
}

const BREAK: &[u8] = &[0x6c];
const ENTER: &[u8] = &[0x7d, 0x40, 0x40];
/// Erase/write, keyboard restored.
const WCC: u8 = 0xc2;

/// The condition code, which IPM has put into register 3, and back to CP READ first.
fn condition_code(seat: &mut Seat<'_>) -> u8 {
    match seat.guest_screen() {
        Some(_) => seat.send(BREAK),
        None => seat.key(Key::Pa1, ""),
    }
    seat.key(Key::Clear, "");
    seat.say("display g3");
    let shown = seat.cp_screen();
    let value = shown.lines().find_map(|line| line.split_once("GPR  3 = ")).unwrap_or_else(|| panic!("{shown}")).1;
    let value = value.split_whitespace().next().expect("a value");
    (u64::from_str_radix(value, 16).expect("hexadecimal") >> 28 & 3) as u8
}

#[test]
fn diagnose_58_gives_the_guest_the_whole_screen_until_it_writes_a_line() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    let text = [&[WCC][..], &base::ebcdic::from_str("FULL SCREEN")].concat();
    store(&seat, 0x400, &text);
    // Without an erase first there is nothing to write on: X'8E' is pending at the console.
    store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, 0x00, text.len() as u16));
    diagnose(&seat, 0x58, 0x300, 9);
    assert_eq!(condition_code(&mut seat), 1);
    store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, 0x80, text.len() as u16));
    diagnose(&seat, 0x58, 0x300, 9);
    assert_eq!(seat.guest_screen().as_deref(), Some("FULL SCREEN"));
    assert_eq!(condition_code(&mut seat), 0);

    // The break key brought CP's screen, and BEGIN brings the guest's back as it was.
    assert!(seat.guest_screen().is_none());
    seat.say("begin");
    assert_eq!(seat.guest_screen().as_deref(), Some("FULL SCREEN"));

    // A key is read by command 2A, with the control byte for what was modified.
    seat.send(ENTER);
    seat.send(BREAK);
    store(&seat, 0x300, &ccw(0x2a, 0x500, 0x20, 0x80, 16));
    diagnose(&seat, 0x58, 0x300, 9);
    assert_eq!(condition_code(&mut seat), 0);
    seat.say("display 500.4");
    assert!(seat.cp_screen().contains("7D4040"), "{}", seat.cp_screen());
}

#[test]
fn a_read_of_the_buffer_is_the_terminals_to_answer() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    let text = [&[WCC][..], &base::ebcdic::from_str("FULL")].concat();
    store(&seat, 0x400, &text);
    store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, 0x80, text.len() as u16));
    diagnose(&seat, 0x58, 0x300, 9);
    assert_eq!(condition_code(&mut seat), 0);
    store(&seat, 0x300, &ccw(0x2a, 0x500, 0x20, 0x00, 0x800));
    diagnose(&seat, 0x58, 0x300, 9);
    // The screen comes back, and the terminal is asked. What is typed meanwhile only it knows.
    let records = seat.terminal.guest_records().expect("the guest has the display");
    let [whole, read] = records.as_slice() else { panic!("{records:02x?}") };
    seat.screen.apply(whole).expect("it obeys");
    seat.screen.set_cursor(8);
    assert!(seat.screen.type_text("XY"));
    let answer = seat.screen.apply(read).expect("it obeys").reply.expect("a buffer");
    seat.send(&answer);
    assert_eq!(condition_code(&mut seat), 0);
    seat.say("display 500.10");
    let shown = seat.cp_screen();
    assert!(shown.contains("60404AC6 E4D3D300 000000E7 E8000000"), "{shown}");

    // A terminal that does not answer has a few seconds.
    seat.say("store s500 0");
    diagnose(&seat, 0x58, 0x300, 9);
    let _ = seat.terminal.guest_records();
    room.clock.pass(4_000_000);
    room.cp.tick();
    room.run();
    assert_eq!(condition_code(&mut seat), 0);
    seat.say("display 500.4");
    assert!(seat.cp_screen().contains("60404AC6"), "{}", seat.cp_screen());
}

#[test]
fn the_status_of_the_console_says_what_diagnose_58_did_not_like() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    // STSCH, OI, MSCH (enabled), DIAGNOSE X'58', IPM 3, TSCH, LOAD PSW of a wait.
    seat.say("store s200 b2340700 96800705 b2320700 83420058");
    seat.say("store s210 b2220030 b2350600 82000280");
    seat.say("store s280 000A0000 80000300");
    seat.say("store s0 00080000 80000200");
    seat.say("store g1 00010000");
    seat.say("store g2 9");
    seat.say("store g4 300");
    let mut status = |control, data: &[u8]| {
        store(&seat, 0x400, data);
        store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, control, data.len() as u16));
        seat.say("system restart");
        assert_eq!(condition_code(&mut seat), 1);
        seat.say("display 608.4");
        let screen = seat.cp_screen();
        let word =
            screen.lines().rev().find_map(|line| line.split_once("R00000608")).unwrap_or_else(|| panic!("{screen}")).1;
        u8::from_str_radix(&word.trim()[..2], 16).expect("hexadecimal")
    };
    // Nothing to write on; SET BUFFER ADDRESS without its address.
    assert_eq!(status(0x00, &[WCC, 0xc1]), 0x8e);
    assert_eq!(status(0x80, &[WCC, 0x11]), 0x0e);
}

#[test]
fn diagnose_58_shows_lines_where_they_are_wanted() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    store(&seat, 0x400, &base::ebcdic::from_str("THIRD LINE"));
    store(&seat, 0x300, &ccw(0x19, 0x400, 0x20, 0x82, 10));
    diagnose(&seat, 0x58, 0x300, 9);
    let screen = seat.cp_screen();
    assert_eq!(screen.lines().nth(2), Some(" THIRD LINE"), "{screen}");
    assert_eq!(condition_code(&mut seat), 0);
    // Not the console, and nothing at all.
    diagnose(&seat, 0x58, 0x300, 0x320);
    assert_eq!(condition_code(&mut seat), 3);
}

#[test]
fn lines_stay_until_the_page_is_turned_before_diagnose_58_has_the_screen() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    seat.say("terminal more 5 5");
    let text = [&[WCC][..], &base::ebcdic::from_str("FULL SCREEN")].concat();
    store(&seat, 0x400, &text);
    store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, 0x80, text.len() as u16));
    diagnose(&seat, 0x58, 0x300, 9);
    assert!(seat.guest_screen().is_none() && seat.cp_screen().contains("MORE..."), "{}", seat.cp_screen());
    seat.key(Key::Clear, "");
    assert_eq!(seat.guest_screen().as_deref(), Some("FULL SCREEN"));
}

#[test]
fn a_message_over_a_full_screen_stays_until_its_page_is_turned_or_turns() {
    let room = Room::new();
    let mut seat = room.display();
    seat.log_on();
    let text = [&[WCC][..], &base::ebcdic::from_str("FULL SCREEN")].concat();
    store(&seat, 0x400, &text);
    store(&seat, 0x300, &ccw(0x29, 0x400, 0x20, 0x80, text.len() as u16));
    seat.say("terminal more 50 10");
    seat.key(Key::Clear, "");
    diagnose(&seat, 0x58, 0x300, 9);
    seat.key(Key::Clear, "");
    assert_eq!(seat.guest_screen().as_deref(), Some("FULL SCREEN"));

    let mut other = room.display();
    other.key(Key::Clear, "");
    other.say("logon operator operator");
    for turn in [true, false] {
        other.say("message guest Hello");
        assert!(seat.guest_screen().is_none(), "CP has the display");
        let screen = seat.cp_screen();
        assert!(screen.contains("Hello") && screen.contains("MORE..."), "{screen}");
        match turn {
            true => seat.key(Key::Clear, ""),
            false => {
                room.clock.pass(61_000_000);
                room.cp.tick();
            }
        }
        assert_eq!(seat.guest_screen().as_deref(), Some("FULL SCREEN"));
    }
    assert!(other.guest_screen().is_none());
}

#[test]
fn diagnose_8c_says_how_large_the_display_is() {
    let room = Room::new();
    let seat = room.display();
    seat.log_on();
    // The console is in register 3 as IPM finds it: the DIAGNOSE is issued by hand.
    seat.say("store s200 8312008c b2220040 82000280");
    seat.say("store s280 020A0000 80000300");
    let ask = |length: &str, vdev: &str| {
        seat.say("store s300 ffffffff ffffffff");
        seat.say("store g1 300");
        seat.say(&format!("store g2 {length}"));
        seat.say(&format!("store g3 {vdev}"));
        seat.say("store s0 00080000 80000200");
        seat.say("system restart");
        seat.key(Key::Pa1, "");
        seat.key(Key::Clear, "");
        seat.say("display g4");
        let screen = seat.cp_screen();
        let word = screen.lines().find_map(|line| line.split_once("GPR  4 = ")).unwrap_or_else(|| panic!("{screen}")).1;
        let code = u64::from_str_radix(&word.trim()[..8], 16).expect("hexadecimal") >> 28 & 3;
        seat.say("display 300.8");
        (code, seat.cp_screen())
    };
    // Colours and highlighting, no partitions, 80 columns, 24 rows.
    let (code, shown) = ask("6", "9");
    assert!(code == 0 && shown.contains("C0000050 0018FFFF"), "{code} {shown}");
    let (code, shown) = ask("4", "9");
    assert!(code == 1 && shown.contains("C0000050 FFFFFFFF"), "{code} {shown}");
    // Nothing is dialed to it; there is no such device.
    assert_eq!(ask("6", "320").0, 2);
    assert_eq!(ask("6", "999").0, 2);
}

#[test]
fn a_terminal_is_dialed_to_a_virtual_3270() {
    let room = Room::new();
    let owner = room.display();
    owner.log_on();
    owner.say("query virtual graf");
    assert!(owner.cp_screen().contains("GRAF 0320 NOT READY"), "{}", owner.cp_screen());
    let mut caller = room.display();
    caller.key(Key::Clear, "");
    caller.say("dial nobody");
    assert!(caller.cp_screen().contains("HCPDIA045E NOBODY not logged on"), "{}", caller.cp_screen());
    caller.say("dial guest 9");
    assert!(caller.cp_screen().contains("HCPDIA055E Line 0009 not available on GUEST"), "{}", caller.cp_screen());
    caller.say("dial guest");
    assert!(caller.cp_screen().contains("DIALED TO GUEST 0320"), "{}", caller.cp_screen());
    assert!(caller.guest_screen().is_none(), "the guest has written nothing yet");

    // DIAGNOSE X'A8' writes on it; the terminal shows the guest's screen.
    let text = [&[WCC][..], &base::ebcdic::from_str("GOOD MORNING")].concat();
    store(&owner, 0x400, &text);
    let count = text.len() as u16;
    store(&owner, 0x300, &[&[5, 0, 4, 0, 0x20, 0][..], &count.to_be_bytes()].concat());
    store(&owner, 0x600, &[0x03, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0]);
    diagnose(&owner, 0xa8, 0x600, 0);
    assert_eq!(caller.guest_screen().as_deref(), Some("GOOD MORNING"));
    owner.key(Key::Pa1, "");
    owner.key(Key::Clear, "");
    owner.say("query virtual graf");
    assert!(owner.cp_screen().contains("GRAF 0320 ON LDEV"), "{}", owner.cp_screen());

    // Sys Req is CP's key, every other one the guest's; the screen comes back as it was.
    caller.send(BREAK);
    assert!(caller.guest_screen().is_some(), "PA1 is the guest's here");
    caller.send(&[0xf0]);
    assert!(caller.guest_screen().is_none());
    caller.say("");
    assert_eq!(caller.guest_screen().as_deref(), Some("GOOD MORNING"));
    caller.send(&[0xf0]);
    caller.say("undial");
    assert!(caller.cp_screen().contains("DROP FROM GUEST 0320"), "{}", caller.cp_screen());
    caller.say("");
    assert!(caller.terminal.shows_logo());
    // One that hangs up leaves its line to others.
    let passer = room.display();
    passer.key(Key::Clear, "");
    passer.say("dial guest");
    assert_eq!(room.cp.dialed_count(), 1);
    room.cp.hang_up(passer.terminal.id);
    assert_eq!(room.cp.dialed_count(), 0);
    assert!(passer.cp_screen().contains("DROP FROM GUEST 0320"), "{}", passer.cp_screen());
    // The next terminal finds nothing of the last one's, and LOGOFF drops it.
    caller.key(Key::Clear, "");
    caller.say("dial guest 0320");
    assert!(caller.guest_screen().is_none());
    owner.say("logoff");
    assert!(caller.cp_screen().contains("DROP FROM GUEST 0320"), "{}", caller.cp_screen());
}
