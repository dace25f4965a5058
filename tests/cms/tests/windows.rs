//! Full-screen CMS at a display: what a key, a scroll and a command's output cost, what SET REMOTE saves, and terminals
//! that obey no rule.

use cms::count::Count;
use cms::seat::{Seat, encoded};
use cms::system::{File, Site};
use fuzz::chance::Chance;
use tn3270::datastream::Aid;

/// The most instructions that each may take.
const BEGIN: u64 = 120_000;
const KEY: u64 = 5_000;
const SCROLL: u64 = 40_000;
const OUTPUT: u64 = 350_000;

/// So many pages of one's own fewer a segment takes.
const SAVED: u64 = 9;

/// A virtual machine that is counted executes a few instructions in a time slice.
const COUNTED: u32 = 10_000_000;

/// The part of the nucleus that has the windows.
const PART: File<'_> = ("DMSWIN", "PART", "A2", "DMSWIN");

/// An exec that types so many lines.
const LINES: File<'_> =
    ("LINES", "EXEC", "A1", "/* */\nparse arg n\ndo i = 1 to n\nsay 'This is line' i 'of' n\nend\n");

fn session(cms: &[std::path::PathBuf; 2], rows: u16) -> Seat {
    let mut seat = Seat::new(Site::new(cms, &[PART], &[LINES]), rows, 80);
    seat.log_on();
    seat
}

/// What CMSUSER does in between costs so many instructions.
fn counted(seat: &mut Seat, what: impl FnOnce(&mut Seat)) -> Count {
    seat.asks_cp("trace count");
    what(seat);
    let answer = seat.asks_cp("trace end count");
    cms::count::counts(&answer)
}

/// Bytes and records that what is done sends to the display.
fn sent(seat: &mut Seat, what: impl FnOnce(&mut Seat)) -> (usize, usize) {
    seat.is_guests();
    let before = seat.sent;
    what(seat);
    seat.is_guests();
    (seat.sent.0 - before.0, seat.sent.1 - before.1)
}

#[test]
fn keys_scrolls_and_output_take_few_instructions() {
    let Some(cms) = cms::nucleus() else { return };
    let mut seat = session(&cms, 24);
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    seat.says("set fullscreen on");
    assert!(seat.is_guests(), "{}", seat.cp_screen());
    let begin = cms::count::counts(&seat.asks_cp("trace end count"));
    let key = counted(&mut seat, |seat| seat.presses(Aid::Enter));
    let base = counted(&mut seat, |seat| seat.says("lines 0"));
    let output = counted(&mut seat, |seat| seat.says("lines 20"));
    assert!(seat.rows().iter().any(|row| row.contains("line 15 of 20")), "{:#?}", seat.rows());
    let scroll = counted(&mut seat, |seat| seat.presses(Aid::Pf(8)));
    assert!(seat.rows().iter().any(|row| row.contains("line 20 of 20")), "{:#?}", seat.rows());
    for (what, count, most) in [
        ("begin", begin, BEGIN),
        ("no output", base, OUTPUT),
        ("key", key, KEY),
        ("output", output, OUTPUT),
        ("scroll", scroll, SCROLL),
    ] {
        println!("{what}: {} instructions", count.instructions);
        assert!(count.instructions <= most, "{what}: {} instructions", count.instructions);
    }
}

/// A panel whose characters have colours and highlighting, at row 3; they go with SET CHARMODE OFF and come again.
const INKS: File<'_> = (
    "INKS",
    "EXEC",
    "A1",
    "/* */
'vscreen define inks 5 30 0 0'
'window define inks 5 30 3 5'
'window show inks on inks'
'set charmode on'
'write vscreen inks 1 1 10 (green field rainbow'
'write vscreen inks 1 2 7 (color RPYGTBW'
'write vscreen inks 1 2 5 (exthi U  Br'
'waitread vscreen inks'
'set charmode off'
'waitread vscreen inks'
'set charmode on'
'write vscreen inks 1 3 2 (color DR'
'write vscreen inks 1 2 1 (exthi n'
'waitread vscreen inks'
'write vscreen inks 1 1 10 (green field rainbow'
'waitread vscreen inks'
",
);

#[test]
fn characters_have_looks_of_their_own() {
    const NONE: (u8, u8) = (0, 0);
    let Some(cms) = cms::nucleus() else { return };
    for remote in ["off", "on"] {
        let mut seat = Seat::new(Site::new(&cms, &[PART], &[INKS]), 24, 80);
        seat.log_on();
        seat.says(&format!("set remote {remote}"));
        seat.says("inks");
        // CP shows first what was typed.
        seat.presses(Aid::Clear);
        let mut looks = |next: bool| {
            if next {
                seat.presses(Aid::Enter);
            }
            assert!(seat.rows()[2].contains("rainbow"), "{:#?}", seat.rows());
            seat.looks(3, 7, 8)
        };
        let all = [(0xf2, 0xf4), (0xf3, 0), (0xf6, 0), (0xf4, 0xf1), (0xf5, 0xf2), (0xf1, 0), (0xf7, 0), NONE];
        assert_eq!(looks(false), all, "REMOTE {remote}");
        assert_eq!(looks(true), [NONE; 8], "REMOTE {remote}, CHARMODE OFF");
        let changed = [(0xf2, 0), NONE, (0xf2, 0), (0xf4, 0xf1), (0xf5, 0xf2), (0xf1, 0), (0xf7, 0), NONE];
        assert_eq!(looks(true), changed, "REMOTE {remote}, changed");
        assert_eq!(looks(true), [NONE; 8], "REMOTE {remote}, a new field");
    }
}

/// Pages of its own that a machine refers to in the first command for windows. MAINT, with 16M, makes the segment.
fn pages_of_windows(cms: &[std::path::PathBuf; 2], segment: bool) -> u64 {
    let list = ("DMSWIN", "LSEG", "A1", "PART DMSWIN\n");
    let mut site = Site::new(cms, &[PART], &[list]);
    if segment {
        for line in ["logon maint maint", "ipl 190 parm autocr", "#cp link cmsuser 191 291 rr", "access 291 b"] {
            site.says("MAINT", line);
        }
        let said = site.says("MAINT", "seggen dmswin e00");
        assert!(said.contains("DMSWIN was successfully saved"), "{said}");
    }
    let mut seat = Seat::new(site, 24, 80);
    seat.log_on();
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    seat.says("set fullscreen on");
    assert!(seat.is_guests(), "{}", seat.cp_screen());
    cms::count::counts(&seat.asks_cp("trace end count")).own
}

/// What all have in common is no page of one's own.
#[test]
fn a_segment_saves_pages() {
    let Some(cms) = cms::nucleus() else { return };
    let [without, with] = [false, true].map(|segment| pages_of_windows(&cms, segment));
    println!("SET FULLSCREEN ON refers to {without} pages of the machine's own, {with} with the segment DMSWIN");
    assert!(with + SAVED <= without, "{with} of {without}");
}

/// The same work with SET REMOTE OFF and ON: the display is the same, and fewer bytes have made it.
#[test]
fn remote_saves_bytes() {
    let Some(cms) = cms::nucleus() else { return };
    let mut all = Vec::new();
    for remote in ["off", "on"] {
        let mut seat = session(&cms, 24);
        seat.says(&format!("set remote {remote}"));
        seat.says("set rdymsg smsg");
        let bytes = sent(&mut seat, |seat| {
            seat.says("set fullscreen on");
            for _ in 0..3 {
                seat.says("lines 30");
                seat.presses(Aid::Pf(8));
                seat.presses(Aid::Pf(7));
                seat.presses(Aid::Pf(8));
            }
            seat.says("query cmspf");
        });
        let mut rows = seat.rows();
        rows.retain(|row| !row.contains("Ready"));
        all.push((bytes, rows));
    }
    let ((off, off_rows), (on, on_rows)) = (all.remove(0), all.remove(0));
    println!("REMOTE OFF {off:?} bytes and writes, ON {on:?}: {} per cent fewer", 100 - on.0 * 100 / off.0);
    assert_eq!(off_rows, on_rows);
    assert_eq!(off.1, on.1, "as many writes");
    assert!(on.0 * 100 < off.0 * 60);
}

/// What is typed while an exec loops waits, HX and HI end it, by a key as well.
#[test]
fn a_loop_is_ended_from_the_display() {
    let Some(cms) = cms::nucleus() else { return };
    let exec = ("SLOW", "EXEC", "A1", "/* */\ndo forever\nend\n");
    let mut seat = Seat::new(Site::new(&cms, &[PART], &[LINES, exec]), 24, 80);
    seat.log_on();
    seat.slices = 400;
    seat.says("set fullscreen on");
    seat.says("slow");
    assert!(seat.rows()[23].contains("Executing a command..."), "{:#?}", seat.rows());
    seat.says("lines 2");
    seat.says("hi");
    let rows = seat.rows();
    assert!(rows.iter().any(|row| row.contains("Program interrupted")), "{rows:#?}");
    assert!(rows.iter().any(|row| row.contains("This is line 2 of 2")), "{rows:#?}");
    seat.says("set cmspf 9 Halt hx");
    seat.says("slow");
    seat.presses(Aid::Pf(9));
    assert!(seat.rows()[23].contains("Enter a command"), "{:#?}", seat.rows());
}

/// Records that a terminal sends: keys, addresses and texts, right and wrong.
fn record(chance: &mut Chance) -> Vec<u8> {
    const KEYS: [u8; 16] =
        [0x7d, 0x7d, 0x7d, 0x7d, 0xf2, 0xf4, 0xf6, 0xf7, 0xf8, 0x7a, 0x7b, 0x7c, 0x6e, 0x6d, 0xc1, 0xf5];
    const TEXTS: [&str; 26] = [
        "f",
        "b",
        "x",
        "n",
        "o",
        "m",
        "s",
        "d",
        "p",
        "h",
        "c",
        "msg * hello",
        "window pop message",
        "window maximize =",
        "window restore =",
        "window show message",
        "window hide cms",
        "window show cms",
        "window size message 3 20",
        "window position message 20 60",
        "window position message -3 -90",
        "vscreen write message 0 1 0 (noprotect field text",
        "lines 7",
        "set border message on (all *",
        "vscreen clear cms",
        "#a#b#",
    ];
    let mut record = vec![KEYS[chance.below(KEYS.len())]];
    if chance.below(12) == 0 {
        record.truncate(chance.below(2));
        return record;
    }
    let address = |chance: &mut Chance| match chance.below(4) {
        0 => vec![chance.below(256) as u8, chance.below(256) as u8],
        1 => vec![0x5c, 0xf0 + chance.below(10) as u8],
        _ => {
            let cell = match chance.below(3) {
                0 => 22 * 80 + 7,
                1 => [10 * 80 + 2, 10 * 80 + 76, 13 * 80 + 2, 12 * 80 + 76][chance.below(4)],
                _ => chance.below(2000) as u16,
            };
            vec![(cell >> 8) as u8 & 0x3f, cell as u8]
        }
    };
    record.extend(address(chance));
    for _ in 0..chance.below(4) {
        record.push(0x11);
        record.extend(address(chance));
        match chance.below(6) {
            0 => {
                let length = chance.below(400);
                record.extend((0..length).map(|_| chance.below(256) as u8));
            }
            1 => record.extend(encoded(&"w ".repeat(chance.below(60)))),
            _ => record.extend(encoded(TEXTS[chance.below(TEXTS.len())])),
        }
    }
    record
}

/// No record of a terminal ends CMS. `ENDICOTT_RECORDS` is how many there are (1000), `ENDICOTT_SEED` says which.
#[test]
fn no_record_of_a_terminal_breaks_it() {
    let Some(cms) = cms::nucleus() else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (count, seed) = (number("ENDICOTT_RECORDS").unwrap_or(1000), number("ENDICOTT_SEED").unwrap_or(1));
    let mut chance = Chance::new(seed);
    let mut seat = session(&cms, 24);
    seat.says("set logfile message off");
    seat.says("set fullscreen on");
    seat.says("set logfile message off");
    seat.says("set cmspf 3");
    seat.says("set cmspf 5 Show window show cms");
    seat.says("set wmpf 3");
    for n in 0..count {
        if !seat.is_guests() {
            let screen = seat.cp_screen();
            assert!(!screen.contains("DMSABE") && !screen.contains("Unknown"), "record {n}: {screen}");
            seat.presses(Aid::Clear);
            assert!(seat.is_guests() || !seat.cp_screen().contains("Ready"), "record {n}: {}", seat.cp_screen());
        }
        let record = record(&mut chance);
        assert!(seat.sends(&record), "record {n} of seed {seed} keeps CMS busy: {record:02x?}");
    }
    seat.is_guests();
    seat.presses(Aid::Clear);
    seat.is_guests();
    println!("{count} records");
    let rows = seat.rows();
    assert!(rows.iter().any(|row| row.contains("====>")), "{rows:#?}");
}
