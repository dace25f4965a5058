//! XEDIT at a display: what a scroll, a key and the beginning cost, large files, and terminals that obey no rule.

use cms::count::Count;
use cms::seat::{Seat, encoded};
use cms::system::{File, Site};
use fuzz::chance::Chance;
use tn3270::datastream::Aid;

/// The most instructions that each may take.
const BEGIN: u64 = 115_000;
const SCROLL: u64 = 27_000;
const KEY: u64 = 8_000;
const LIST: u64 = 1_600_000;
const SORT: u64 = 210_000;
const ROW: u64 = 900_000;

/// The most pages of one's own that the editor takes with a file of 400 lines, the file's included.
const PAGES: u64 = 12;

/// A virtual machine that is counted executes a few instructions in a time slice.
const COUNTED: u32 = 10_000_000;

/// A file of so many lines.
fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

/// What CMSUSER does in between costs so many instructions.
fn counted(seat: &mut Seat, what: impl FnOnce(&mut Seat)) -> Count {
    seat.asks_cp("trace count");
    what(seat);
    let answer = seat.asks_cp("trace end count");
    cms::count::counts(&answer)
}

#[test]
fn a_scroll_is_one_write_and_few_instructions() {
    let Some(cms) = cms::nucleus() else { return };
    let text: String = (1..=400).map(|n| format!("{n:5} a line of a file that is read\n")).collect();
    let mut seat = Seat::new(Site::new(&cms, &[], &[("TEXT", "DATA", "A1", &text)]), 24, 80);
    seat.log_on();
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    seat.says("xedit text data");
    assert!(seat.is_guests(), "{}", seat.cp_screen());
    let begin = cms::count::counts(&seat.asks_cp("trace end count"));
    seat.is_guests();
    let before = seat.sent;
    let scroll = counted(&mut seat, |seat| seat.presses(Aid::Pf(8)));
    assert!(seat.rows()[11].contains("   18 a line"), "{:#?}", seat.rows());
    let key = counted(&mut seat, |seat| seat.presses(Aid::Enter));
    println!("begin {} instructions, scroll {}, key {}", begin.instructions, scroll.instructions, key.instructions);
    seat.is_guests();
    let before_scroll = seat.sent;
    seat.presses(Aid::Pf(8));
    seat.is_guests();
    let (bytes, records) = (seat.sent.0 - before_scroll.0, seat.sent.1 - before_scroll.1);
    println!("a scroll is {records} record of {bytes} bytes, of {} in all", seat.sent.0 - before.0);
    assert_eq!(records, 1);
    for (what, count, most) in [("begin", begin, BEGIN), ("scroll", scroll, SCROLL), ("key", key, KEY)] {
        assert!(count.instructions <= most, "{what}: {} instructions", count.instructions);
    }
}

/// Pages of its own that a machine with a saved CMS refers to from its first command on; `commands` come after some
/// that do without the editor.
fn pages(cms: &[std::path::PathBuf; 2], commands: &[&str]) -> u64 {
    let text: String = (1..=400).map(|n| format!("{n:5} a line of a file that is read\n")).collect();
    let mut site = Site::new(cms, &[], &[("TEXT", "DATA", "A1", &text)]);
    cms::count::save(&mut site);
    let mut seat = Seat::new(site, 24, 80);
    seat.log_on_with("ipl cms parm autocr");
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    for command in ["query disk", "copyfile text data a other data a", "listfile * * a (label", "erase other data a"] {
        seat.says(command);
    }
    commands.iter().for_each(|command| seat.says(command));
    assert_eq!(seat.is_guests(), !commands.is_empty(), "{}", seat.cp_screen());
    cms::count::counts(&seat.asks_cp("trace end count")).own
}

/// The editor's program is in common: what a user pays is the file and what the editor knows of it.
#[test]
fn the_editor_takes_few_pages() {
    let Some(cms) = cms::nucleus() else { return };
    let without = pages(&cms, &[]);
    let with = pages(&cms, &["xedit text data", "down 100", "locate /line/", "change /line/row/ 20 *"]);
    println!("{without} pages of the machine's own without the editor, {} more with it", with - without);
    assert!(with <= without + PAGES, "{with} pages, {without} without the editor");
}

#[test]
fn a_list_of_fifty_files_is_made_sorted_and_worked_on() {
    let Some(cms) = cms::nucleus() else { return };
    let names: Vec<String> = (0..50).map(|n| format!("FILE{:02}", n * 37 % 50)).collect();
    let mut user: Vec<File<'_>> = names.iter().map(|name| (name.as_str(), "DATA", "A1", "a line\n")).collect();
    user.push(("NOTHING", "EXEC", "A1", "/* */\nexit\n"));
    let mut seat = Seat::new(Site::new(&cms, &[("PROFFLST", "XEDIT", "A2", "disk")], &user), 24, 80);
    seat.log_on();
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    seat.says("filelist");
    assert!(seat.is_guests(), "{}", seat.cp_screen());
    let begin = cms::count::counts(&seat.asks_cp("trace end count"));
    let sort = counted(&mut seat, |seat| seat.presses(Aid::Pf(4)));
    assert!(seat.rows()[2].starts_with("      FILE00   DATA     A1 V "), "{:#?}", seat.rows());
    // What was typed before CP is asked is lost.
    let performed = |seat: &mut Seat, row, command| {
        counted(seat, |seat| {
            seat.types_at(row, 1, command);
            seat.presses(Aid::Enter);
        })
    };
    let row = performed(&mut seat, 4, "erase");
    assert!(seat.rows()[3].starts_with("*     FILE01   DATA     A1 ** Discarded"), "{:#?}", seat.rows());
    let exec = performed(&mut seat, 5, "nothing");
    assert!(seat.rows()[4].starts_with("*     FILE02   DATA     A1 "), "{:#?}", seat.rows());
    for (what, count, most) in [("list", begin, LIST), ("sort", sort, SORT), ("row", row, ROW), ("exec", exec, ROW)] {
        println!("{what}: {} instructions", count.instructions);
        assert!(count.instructions <= most, "{what}: {} instructions", count.instructions);
    }
}

#[test]
fn a_hundred_thousand_lines_are_edited() {
    let Some(cms) = cms::nucleus() else { return };
    let text = lines(100_000);
    let mut seat = Seat::new(Site::new(&cms, &[], &[("LARGE", "DATA", "A1", &text)]), 24, 80);
    seat.log_on();
    seat.slices = COUNTED;
    seat.says("#cp trace count");
    seat.says("xedit large data");
    assert!(seat.is_guests(), "{}", seat.cp_screen());
    let load = cms::count::counts(&seat.asks_cp("trace end count"));
    assert!(seat.rows()[0].contains("Size=100000 Line=0"), "{:?}", seat.rows());
    seat.says("set case mixed");
    let locate = counted(&mut seat, |seat| seat.says("/line 99999/"));
    assert!(seat.rows()[0].contains("Line=99999"), "{:?}", seat.rows());
    println!("load {} instructions, locate {}", load.instructions, locate.instructions);
    // At 500 million instructions a second.
    assert!(load.instructions < 500_000_000 && locate.instructions < 50_000_000);
    seat.says("-/line 7777/");
    assert!(seat.rows()[0].contains("Line=77779"), "{:?}", seat.rows());
    seat.says("delete 50000");
    assert!(seat.rows()[0].contains("Size=77778"), "{:?}", seat.rows());
}

/// Records that a terminal sends: keys, addresses and texts, right and wrong.
fn record(chance: &mut Chance) -> Vec<u8> {
    const KEYS: [u8; 14] = [0x7d, 0x7d, 0x7d, 0xf2, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0x7a, 0x7b, 0x7c, 0x6e, 0x6d];
    const TEXTS: [&str; 32] = [
        "dd",
        "\"3",
        "cc",
        "p",
        "f",
        "m2",
        "a9",
        "x2",
        "s*",
        "si",
        ">2",
        "<1",
        "/",
        ".a",
        "e",
        "input",
        "all /l/",
        "all",
        "set screen 2",
        "set screen 1",
        "c/l/m/ * *",
        "set verify 1 3 h 1 80",
        "set prefix on right",
        "top",
        "powerinp",
        "set screen 2 vertical",
        "set screen define 6 20 1 1 12 40 13 41",
        "set ctlchar ! escape#set ctlchar a noprotect high#set reserved 5 high !atext!a",
        "sos tabf 3 push tabb 9 pop",
        "set trunc 5#set spill word",
        "set translat a 0e 05 1d",
        "set image on#input a",
    ];
    let byte = |chance: &mut Chance| chance.below(256) as u8;
    let mut record = vec![KEYS[chance.below(KEYS.len())], byte(chance), byte(chance)];
    for _ in 0..chance.below(5) {
        let place = match chance.below(4) {
            0 => [byte(chance), byte(chance)],
            1 => [0x5b, 0xe6],
            // A prefix area, or the data of its row.
            _ => {
                let at = chance.below(24) * 80 + [0, 6, 7, 40][chance.below(4)];
                [(at >> 6) as u8 | 0x40, (at & 63) as u8 | 0x40]
            }
        };
        record.push(0x11);
        record.extend(place);
        match chance.below(3) {
            0 => record.extend((0..chance.below(90)).map(|_| byte(chance))),
            _ => record.extend(encoded(TEXTS[chance.below(TEXTS.len())])),
        }
    }
    record.truncate(1 + chance.below(200));
    record
}

/// Whatever comes from the terminal, the editor is there: `ENDICOTT_RECORDS=1000000` sends so many, `ENDICOTT_SEED=n`
/// others.
#[test]
fn the_editor_is_there_whatever_a_terminal_sends() {
    let Some(cms) = cms::nucleus() else { return };
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (records, seed) = (number("ENDICOTT_RECORDS", 2000), number("ENDICOTT_SEED", 1));
    let text = lines(30);
    let user: [File<'_>; 1] = [("TEXT", "DATA", "A1", &text)];
    let mut chance = Chance::new(seed);
    let mut seat = Seat::new(Site::new(&cms, &[], &user), 24, 80);
    seat.log_on();
    let mut sent = Vec::new();
    for n in 0..records {
        if !seat.is_guests() {
            let shown = seat.cp_screen();
            let bad = ["DMSITP", "DMSABE", "CP entered", "Free storage"].iter().find(|bad| shown.contains(**bad));
            assert!(bad.is_none(), "seed {seed}, record {n}: {shown}\n{:02x?}", sent.last());
            seat.presses(Aid::Clear);
            if !seat.is_guests() && seat.cp_screen().contains("RUNNING") {
                seat.says("xedit text data");
            }
            continue;
        }
        let record = record(&mut chance);
        let waits = seat.sends(&record);
        assert!(waits, "seed {seed}, record {n}: {record:02x?}\n{}", seat.asks_cp("display psw g"));
        sent.push(record);
    }
    println!("{} records", sent.len());
}
