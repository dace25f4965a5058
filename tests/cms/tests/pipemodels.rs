//! The stages of `guest/cms/pipe` on this host: what SORT, SPLIT, JOIN, PICK, CHANGE and SPECS make of random records
//! is compared with models that say the same in a few lines.

use fuzz::chance::Chance;
use std::io::Write;
use std::process::{Command, Stdio};

/// What one line to `pipe` is to type, before `rc 0`.
type Wanted = Vec<String>;

/// Runs all the pipelines, and compares.
fn agree(cases: &[(String, Wanted)]) {
    let Some(program) = cms::pipe() else { return };
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was just built");
    let lines: String = cases.iter().map(|(line, _)| format!("{line}\n")).collect();
    let mut input = child.stdin.take().expect("it is a pipe");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends with its input");
    assert!(writer.join().expect("it only writes").is_ok() && output.status.success(), "{}", output.status);
    let said = String::from_utf8_lossy(&output.stdout);
    let mut said = said.lines();
    for (line, wanted) in cases {
        let shown: Wanted = said.by_ref().map(str::to_owned).take_while(|shown| shown != "rc 0").collect();
        assert_eq!(&shown, wanted, "pipe {line}");
    }
}

/// The order of characters in EBCDIC: small letters, capitals, digits; only such are compared here.
fn collating(text: &str) -> Vec<u8> {
    let place = |c: u8| match c {
        b' ' => 0,
        b'-' => 1,
        b',' => 2,
        b'a'..=b'z' => c,
        b'A'..=b'Z' => c + 100,
        _ => c + 180,
    };
    text.bytes().map(place).collect()
}

fn word(chance: &mut Chance, letters: &str, most: usize) -> String {
    let letters: Vec<char> = letters.chars().collect();
    (0..=chance.below(most)).map(|_| letters[chance.below(letters.len())]).collect()
}

fn words(chance: &mut Chance, letters: &str, most: usize, each: usize) -> Vec<String> {
    (0..=chance.below(most)).map(|_| word(chance, letters, each)).collect()
}

/// Columns `from` to `to` of a record, as far as there are such.
fn columns(text: &str, from: usize, to: usize) -> &str {
    let end = to.min(text.len());
    if from > end { "" } else { &text[from - 1..end] }
}

#[test]
fn sort_is_stable_and_by_its_keys() {
    let mut chance = Chance::new(1);
    let mut cases = Vec::new();
    for _ in 0..600 {
        let mut records = words(&mut chance, "abAB01", 30, 4);
        let input = records.join(" ");
        let (from, to) = (1 + chance.below(3), chance.below(3));
        let (to, down, what) = (from + to, chance.one_in(2), chance.below(3));
        let key = |record: &String| collating(columns(record, from, to));
        records.sort_by(|a, b| if down { key(b).cmp(&key(a)) } else { key(a).cmp(&key(b)) });
        let mut wanted: Vec<(usize, String)> = Vec::new();
        for record in records {
            match wanted.last_mut() {
                Some((count, last)) if what > 0 && key(last) == key(&record) => *count += 1,
                _ => wanted.push((1, record)),
            }
        }
        let show = |(count, record): (usize, String)| if what == 2 { format!("{count:10}{record}") } else { record };
        let words = ["", "unique ", "count "];
        let line =
            format!("literal {input}|split|sort {}{from}-{to}{}|console", words[what], if down { " d" } else { "" });
        cases.push((line, wanted.into_iter().map(show).collect()));
    }
    agree(&cases);
}

#[test]
fn split_and_join_are_each_others_opposites() {
    let mut chance = Chance::new(2);
    let mut cases = Vec::new();
    for _ in 0..600 {
        let text = word(&mut chance, "ab,-c", 30);
        let nulls_out = |parts: Vec<String>| parts.into_iter().filter(|part| !part.is_empty()).collect::<Wanted>();
        let owned = |parts: Vec<&str>| nulls_out(parts.into_iter().map(str::to_owned).collect());
        let is_target = |c: char| c == ',' || c == '-';
        let (how, wanted) = match chance.below(4) {
            0 => ("anyof /,-/", owned(text.split(is_target).collect())),
            1 => ("after anyof /,-/", owned(text.split_inclusive(is_target).collect())),
            2 => {
                let mut parts = vec![String::new()];
                for c in text.chars() {
                    if is_target(c) {
                        parts.push(String::new());
                    }
                    parts.last_mut().expect("there is one").push(c);
                }
                ("before anyof /,-/", nulls_out(parts))
            }
            _ => ("string /ab/", owned(text.split("ab").collect())),
        };
        cases.push((format!("literal {text}|split {how}|console"), wanted));
        let records = words(&mut chance, "abc", 12, 5);
        let (count, most) = (chance.below(4), 4 + chance.below(12));
        let mut wanted: Wanted = Vec::new();
        let mut joined = 0;
        for record in &records {
            match wanted.last_mut() {
                Some(last) if joined > 0 && joined <= count && last.len() + 1 + record.len() <= most => {
                    *last += &format!("-{record}");
                    joined += 1;
                }
                _ => {
                    wanted.push(record.clone());
                    joined = 1;
                }
            }
        }
        cases.push((format!("literal {}|split|join {count} /-/ {most}|console", records.join(" ")), wanted));
    }
    agree(&cases);
}

#[test]
fn pick_compares_numbers_and_strings() {
    let mut chance = Chance::new(3);
    let mut cases = Vec::new();
    let compare = |op: &str, order: std::cmp::Ordering| match op.trim_start_matches(['=', '/']) {
        "" if op.starts_with('/') => order.is_ne(),
        "" => order.is_eq(),
        "<" | "<<" => order.is_lt(),
        ">" | ">>" => order.is_gt(),
        "<=" | "<<=" => order.is_le(),
        _ => order.is_ge(),
    };
    for _ in 0..600 {
        let numbers: Vec<i64> = (0..=chance.below(12)).map(|_| chance.below(41) as i64 - 20).collect();
        let limit = chance.below(41) as i64 - 20;
        let op = ["=", "/=", "<", "<=", ">", ">="][chance.below(6)];
        let input: Vec<String> =
            numbers.iter().map(|n| if chance.one_in(3) { format!("{n}.0") } else { format!("{n}") }).collect();
        let wanted =
            numbers.iter().zip(&input).filter(|(n, _)| compare(op, (*n).cmp(&limit))).map(|(_, text)| text.clone());
        cases.push((format!("literal {}|split|pick 1-* {op} /{limit}.00/|console", input.join(" ")), wanted.collect()));
        let texts = words(&mut chance, "abA1", 12, 3);
        let with = word(&mut chance, "abA1", 3);
        let op = ["==", "/==", "<<", "<<=", ">>", ">>="][chance.below(6)];
        let wanted = texts.iter().filter(|text| compare(op, collating(text).cmp(&collating(&with)))).cloned();
        cases.push((format!("literal {}|split|pick 1-* {op} /{with}/|console", texts.join(" ")), wanted.collect()));
    }
    agree(&cases);
}

#[test]
fn change_is_what_replacing_is() {
    let mut chance = Chance::new(4);
    let mut cases = Vec::new();
    for _ in 0..600 {
        let text = word(&mut chance, "ab-", 20);
        let (from, to) = (word(&mut chance, "ab", 2), word(&mut chance, "xyz", 3));
        let (first, count) = (1 + chance.below(8), 1 + chance.below(4));
        let cut = (first - 1).min(text.len());
        let changed = format!("{}{}", &text[..cut], text[cut..].replacen(&from, &to, count));
        cases.push((format!("literal {text}|change {first}-* /{from}/{to}/ {count}|console"), vec![changed]));
    }
    agree(&cases);
}

/// One of SPECS' items, as it is written and as it is done.
struct Item {
    written: String,
    input: Input,
    place: Place,
    width: usize,
    align: usize,
}

enum Input {
    Literal(String),
    Columns(usize, usize),
    Words(usize, usize),
    Number,
}

enum Place {
    Column(usize),
    Next,
    NextWord,
}

fn item(chance: &mut Chance) -> Item {
    let (from, to) = (1 + chance.below(8), chance.below(5));
    let to = from + to;
    let (mut written, input) = match chance.below(5) {
        0 => {
            let text = word(chance, "xyz ", 4);
            (format!("/{text}/"), Input::Literal(text))
        }
        1 => (format!("w{from}-{to}"), Input::Words(from, to)),
        2 => ("recno".to_owned(), Input::Number),
        _ => (format!("{from}-{to}"), Input::Columns(from, to)),
    };
    let width = if chance.one_in(2) { 1 + chance.below(7) } else { 0 };
    let sized = |word: String| if width > 0 { format!("{word}.{width}") } else { word };
    let place = match chance.below(4) {
        0 => Place::Next,
        1 => Place::NextWord,
        _ => Place::Column(1 + chance.below(20)),
    };
    written += " ";
    written += &match place {
        Place::Next => sized("next".to_owned()),
        Place::NextWord => sized("nextword".to_owned()),
        Place::Column(column) => sized(column.to_string()),
    };
    let align = chance.below(4);
    written += ["", " left", " center", " right"][align];
    Item { written, input, place, width, align }
}

/// The words from the first to the last, with what is between them.
fn part_of_words(record: &str, from: usize, to: usize) -> &str {
    let mut begins = None;
    let mut ends = 0;
    let mut number = 0;
    let bytes = record.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b' ' {
            continue;
        }
        if at == 0 || bytes[at - 1] == b' ' {
            number += 1;
        }
        if number >= from && number <= to {
            begins = begins.or(Some(at));
            ends = at + 1;
        }
    }
    begins.map_or("", |begin| &record[begin..ends])
}

fn perform(items: &[Item], record: &str) -> String {
    let mut out: Vec<u8> = Vec::new();
    for item in items {
        let text = match &item.input {
            Input::Literal(text) => text.clone(),
            Input::Columns(from, to) => columns(record, *from, *to).to_owned(),
            Input::Words(from, to) => part_of_words(record, *from, *to).to_owned(),
            Input::Number => format!("{:10}", 1),
        };
        let width = if item.width > 0 { item.width } else { text.len() };
        if width == 0 {
            continue;
        }
        let missing = width.saturating_sub(text.len());
        let cut = text.len().saturating_sub(width);
        let (before, skip) = match item.align {
            2 => (missing / 2, cut / 2),
            3 => (missing, cut),
            _ => (0, 0),
        };
        let field =
            format!("{}{}{}", " ".repeat(before), &text[skip..skip + text.len() - cut], " ".repeat(missing - before));
        if matches!(item.place, Place::NextWord) && !out.is_empty() {
            out.push(b' ');
        }
        let at = if let Place::Column(column) = item.place { column - 1 } else { out.len() };
        out.resize(out.len().max(at + width), b' ');
        out[at..at + width].copy_from_slice(field.as_bytes());
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn specs_puts_pieces_where_they_are_to_be() {
    let mut chance = Chance::new(5);
    let mut cases = Vec::new();
    for _ in 0..2000 {
        let record = word(&mut chance, "abc  d", 20);
        let items: Vec<Item> = (0..=chance.below(6)).map(|_| item(&mut chance)).collect();
        let written: Vec<&str> = items.iter().map(|item| item.written.as_str()).collect();
        cases.push((
            format!("strliteral /{record}/|specs {}|console", written.join(" ")),
            vec![perform(&items, &record)],
        ));
    }
    agree(&cases);
}

/// WILDCARD's pattern, read straight on.
fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.first(), text.first()) {
        (None, _) => text.is_empty(),
        (Some(b'*'), _) => is_like(&pattern[1..], text) || (!text.is_empty() && is_like(pattern, &text[1..])),
        (Some(&p), Some(&t)) => (p == b'%' || p == t) && is_like(&pattern[1..], &text[1..]),
        (Some(_), None) => false,
    }
}

/// SPILL n OFFSET o of words with one blank between two.
fn spilled(words: &[String], width: usize, offset: usize) -> Wanted {
    let mut lines: Wanted = vec![String::new()];
    for word in words {
        let mut word = word.as_str();
        let blank = |line: &str, n: usize| line.len() > if n == 1 { 0 } else { offset };
        let (last, n) = (lines.last().expect("there is one").len(), lines.len());
        if blank(&lines[n - 1], n) && last + 1 + word.len() <= width {
            lines[n - 1] += &format!(" {word}");
            continue;
        }
        if blank(&lines[n - 1], n) {
            lines.push(" ".repeat(offset));
        }
        loop {
            let n = lines.len();
            let room = width - lines[n - 1].len();
            let (now, then) = word.split_at(room.min(word.len()));
            lines[n - 1] += now;
            word = then;
            if word.is_empty() {
                break;
            }
            lines.push(" ".repeat(offset));
        }
    }
    lines
}

#[test]
fn wildcard_verify_spill_and_base_64_are_what_they_say() {
    let mut chance = Chance::new(7);
    let mut cases = Vec::new();
    for _ in 0..600 {
        let records = words(&mut chance, "abc", 12, 6);
        let input = records.join(" ");
        let pattern = word(&mut chance, "ab*%", 6);
        let wanted = records.iter().filter(|r| is_like(pattern.as_bytes(), r.as_bytes())).cloned().collect();
        cases.push((format!("literal {input}|split|wildcard /{pattern}/|console"), wanted));
        let some = word(&mut chance, "abc", 2);
        let wanted = records.iter().filter(|r| r.chars().all(|c| some.contains(c))).cloned().collect();
        cases.push((format!("literal {input}|split|verify /{some}/|console"), wanted));
        let offset = chance.below(4);
        let width = offset + 1 + chance.below(12);
        let spill = format!("literal {input}|spill {width} offset {offset}|console");
        cases.push((spill, spilled(&records, width, offset)));
        cases.push((format!("literal {input}|64encode|64decode|console"), vec![input.clone()]));
        let codes: Vec<i64> = (0..=chance.below(8)).map(|_| chance.below(40) as i64 - 8).collect();
        let worst = *codes.iter().min().expect("there is one");
        let worst = if worst < 0 { worst } else { *codes.iter().max().expect("there is one") };
        let input: Vec<String> = codes.iter().map(ToString::to_string).collect();
        cases.push((format!("literal {}|split|aggrc|console", input.join(" ")), vec![worst.to_string()]));
    }
    agree(&cases);
}
