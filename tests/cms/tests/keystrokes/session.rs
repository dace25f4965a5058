//! Generated sessions: what may be typed on the model's screen.

use crate::model::Model;
use crate::screen::Row;
use crate::transaction::{COMMAND, Key, Step, Typed};
use support::Random;

/// How long lines may become by what is typed.
const LONG: usize = 40;
const WORDS: [&str; 10] = ["ab", "cab", "bad", "a", "dad", "cede", "be", "fad", "ace", "b d"];
const STRINGS: [&str; 8] = ["a", "b", "ab", "ad", "e", "d", "ca", "zz"];

/// Whether so many of a hundred.
fn percent(random: &mut Random, of_hundred: u32) -> bool {
    random.below(100u32) < of_hundred
}

/// A text of a few words.
pub(crate) fn words(random: &mut Random, most: usize) -> String {
    let count = 1 + random.below(most);
    (0..count).map(|_| random.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

fn string(random: &mut Random) -> &'static str {
    random.pick(&STRINGS)
}

/// A number of lines, mostly small.
fn count(random: &mut Random) -> usize {
    match random.below(8) {
        0 => 1,
        7 => 10 + random.below(40usize),
        n => n,
    }
}

fn strings(random: &mut Random) -> String {
    let not = |random: &mut Random| if random.one_in(6) { "~" } else { "" };
    let mut text = format!("{}/{}/", not(random), string(random));
    if random.one_in(4) {
        text += random.pick(&["&", "|"]);
        text += &format!("{}/{}/", not(random), string(random));
    }
    text
}

fn target(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => format!("{}", count(random)),
        3 | 4 => format!("-{}", count(random)),
        5 => format!(":{}", random.below(30)),
        6 => (*random.pick(&[&"*", &"*", &"-*"])).to_owned(),
        7 => format!(".{}", random.pick(&["a", "b"])),
        8 => strings(random),
        _ => format!("-{}", strings(random)),
    }
}

fn locate(random: &mut Random) -> String {
    let first = target(random);
    match random.below(6) {
        0 => format!("{first} {}", target(random)),
        1 => format!("{first} {}", random.pick(&["delete", "add", "input new", "uppercas"])),
        _ => first,
    }
}

/// A subcommand on lines up to a target.
fn on_lines(random: &mut Random) -> String {
    let to = target(random);
    match random.below(14) {
        0 | 1 => format!("delete {to}"),
        2 => format!("c/{}/{}/ {to}", string(random), random.pick(&["x", "", "ab", "yy"])),
        3 => {
            let counts = random.pick(&["*", "1", "2", "1 2", "* 2", "2 1"]);
            format!("change /{}/{}/ {to} {counts}", string(random), random.pick(&["", "xa", "q"]))
        }
        4 => format!("count /{}/ {to}", string(random)),
        5 => format!("uppercas {to}"),
        6 => format!("lowercas {to}"),
        7 => format!("shift {} {} {to}", random.pick(&["left", "right"]), random.below(4)),
        8 => format!("copy {to} {}", target(random)),
        9 => format!("move {to} {}", target(random)),
        10 => format!("duplicat {} {to}", 1 + random.below(3)),
        11 => format!("put {to}"),
        12 => format!("putd {to}"),
        _ => {
            let from = 1 + random.below(3);
            format!("sort {to} {} {from} {}", random.pick(&["a", "d"]), from + random.below(4))
        }
    }
}

/// A subcommand at the column pointer.
fn in_columns(random: &mut Random) -> String {
    let text = words(random, 2);
    match random.below(9) {
        0 => format!("clocate :{}", 1 + random.below(20)),
        1 => format!("clocate {}", random.pick(&["1", "3", "-1", "-2", "9", "-*", "*"])),
        2 => format!("cinsert {text}"),
        3 => format!("creplace {text}"),
        4 => format!("coverlay {text}"),
        5 => format!("cappend {text}"),
        6 => format!("cdelete {}", random.pick(&["1", "2", "-1", "-2", ":1", ":5", "*"])),
        7 => format!("overlay {}_{text}", random.pick(&["", " ", "   "])),
        _ => (*random.pick(&[&"cfirst", &"clast"])).to_owned(),
    }
}

fn subcommand(random: &mut Random) -> String {
    match random.below(30) {
        0..=4 => locate(random),
        5..=11 => on_lines(random),
        12 | 13 => in_columns(random),
        14 => (*random.pick(&[&"top", &"bottom"])).to_owned(),
        15 => format!("{} {}", random.pick(&["up", "down", "next", "u", "n"]), random.pick(&["", "2", "5", "30", "*"])),
        16 => format!("{} {}", random.pick(&["forward", "backward"]), 1 + random.below(2)),
        17 => format!(
            "{} {}",
            random.pick(&["find", "nfind", "findup", "nfindup"]),
            random.pick(&["a", "ca", " a", "b_", "zz"])
        ),
        18 => format!("add {}", 1 + random.below(3)),
        19 => format!("input {}", words(random, 3)),
        20 => format!("replace {}", words(random, 3)),
        21 => format!("recover {}", random.pick(&["", "2", "9", "*"])),
        22 => "get".to_owned(),
        23 => format!("all {}", if random.one_in(2) { String::new() } else { strings(random) }),
        24 => format!("set stay {}", random.pick(&["on", "off"])),
        25 => format!(
            "set {}",
            random.pick(&["wrap on", "wrap off", "shadow off", "shadow on", "scope all", "scope display"])
        ),
        26 => format!("set number {}", random.pick(&["on", "off"])),
        27 => format!("{} {}", random.pick(&["left", "right", "split", "join"]), 1 + random.below(12)),
        28 => (*random.pick(&[&"reset", &"?", &"=", &"delete", &"change", &"rgtleft"])).to_owned(),
        _ => random.pick(&["next", "up", "input a", "delete"]).to_owned(),
    }
}

fn command(random: &mut Random) -> String {
    let stays = if random.one_in(20) { "&" } else { "" };
    let mut line = format!("{stays}{}", subcommand(random));
    while percent(random, 12) {
        line = format!("{line}#{}", subcommand(random));
    }
    line
}

/// What goes into a prefix area of a line.
fn prefix(random: &mut Random) -> String {
    let n = 1 + random.below(5);
    match random.below(26) {
        0 => format!("a{n}"),
        1 | 2 => "i".into(),
        3 => format!("i{n}"),
        4 => format!("{n}d"),
        5 | 6 => "d".into(),
        7 => format!("d{n}"),
        8 | 9 => "dd".into(),
        10 => format!("c{}", random.pick(&["", "2", "3"])),
        11 => "cc".into(),
        12 | 13 => format!("m{}", random.pick(&["", "2"])),
        14 | 15 => "mm".into(),
        16 => "f".into(),
        17 => "p".into(),
        18 => format!("\"{}", random.pick(&["", "2", "3"])),
        19 => format!("\"\"{}", random.pick(&["", "2"])),
        20 => format!("x{}", random.pick(&["", "2", "5"])),
        21 => "xx".into(),
        22 => format!("{}{n}", random.pick(&[">", "<"])),
        23 => format!("{}{}", random.pick(&[">>", "<<"]), random.pick(&["", "2"])),
        24 => format!("/{}", random.pick(&["", "", "7"])),
        _ => (*random.pick(&[&".a", &".b", &"zz", &"f", &"p", &"/"])).to_owned(),
    }
}

/// In a prefix area; what waits there is only taken back.
fn in_prefix(random: &mut Random, model: &Model, row: usize) -> Typed {
    let shown = model.row_shown(row);
    let empty = model.is_empty_prefix(shown);
    let text = match shown {
        _ if !empty => random.pick(&["*    ", "     "]).to_owned(),
        Row::Shadow(..) => (*random.pick(&[&"s*", &"s1", &"s2", &"s-1", &"s+2", &"s9"])).to_owned(),
        _ => prefix(random),
    };
    // A digit that stands there already would not be typed.
    let text =
        if model.number && empty { format!("{:5}", text.replace(|c: char| c.is_ascii_digit(), "")) } else { text };
    Typed { row, column: 1, text }
}

/// A step that may follow what the model shows now.
pub(crate) fn step(random: &mut Random, model: &Model) -> Step {
    let rows: Vec<usize> = (3..23).filter(|row| model.row_shown(*row) != Row::Nothing).collect();
    let mut typed = Vec::new();
    if percent(random, 45) && !rows.is_empty() {
        for _ in 0..1 + random.below(3) {
            let row = random.pick(&rows);
            if typed.iter().all(|typed: &Typed| typed.row != row) {
                typed.push(in_prefix(random, model, row));
            }
        }
    }
    if percent(random, 20) && !rows.is_empty() {
        let row = random.pick(&rows);
        let text = Typed { row, column: 7 + random.below(LONG / 2), text: words(random, 3) };
        if model.takes(&text) {
            typed.push(text);
        }
    }
    let key = match random.below(20) {
        0 => Key::Clear,
        1 => Key::Pf(2),
        2 => Key::Pf(7),
        3 => Key::Pf(8),
        4 => Key::Pf(random.pick(&[3, 6, 9, 10])),
        5 => Key::Pf(11),
        6 => Key::Pf(12),
        _ => Key::Enter,
    };
    let often = if key == Key::Enter { 60 } else { 10 };
    if percent(random, often) {
        // All of what may stand there is typed over.
        typed.push(Typed { row: COMMAND.0, column: COMMAND.1, text: format!("{:60}", command(random)) });
    }
    typed.sort_by_key(|typed| (typed.row, typed.column));
    let cursor = match random.below(3) {
        0 => COMMAND,
        _ => (1 + random.below(24), 1 + random.below(LONG)),
    };
    Step { typed, cursor, key }
}
