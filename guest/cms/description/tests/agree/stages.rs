//! Stages of pipelines: what their syntax shows is taken, as short as it shows; what is taken is told.

use std::collections::{BTreeMap, BTreeSet};

use crate::{agree, source};
use description::c::{self, File};
use description::least;

/// The tables of stages.
const TABLES: [&str; 3] = ["pipe/table.c", "pipe/filters.c", "pipe/drivers.c"];

/// Words of a syntax that stand for others: hexadecimal digits, a tape.
const STAND_FOR: [&str; 2] = ["Xhex", "TAPn"];

/// Words that a stage's functions know and its HELP need not tell of: other spellings, what is refused with a message
/// of its own, what a function shared with another stage takes for that one alone.
const UNTOLD: [(&str, &str); 15] = [
    ("SPECS", "CENTRE"),
    ("SPECS", "WS"),
    ("SPECS", "FS"),
    ("GATHER", "STREAMID"),
    ("GATHER", "STRIP"),
    ("COLLATE", "ALLMASTER"),
    ("COLLATE", "PAIRWISE"),
    ("<", "FROM"),
    ("FILEFAST", "FROM"),
    (">", "FROM"),
    (">>", "FROM"),
    ("REXX", "PIPE"),
    ("TCPDATA", "GREETING"),
    ("TCPDATA", "LOCALPORT"),
    ("TAPE", "TAP"),
];

/// A row with HELP: the stage's name, its shortest form, its function, its syntax and what it is for.
struct Stage {
    name: String,
    least: usize,
    function: String,
    syntax: String,
    help: String,
}

/// The string literals of a row, in their order. One that nothing but blanks separates from the last continues it.
fn literals(row: &str) -> Vec<String> {
    let (mut all, mut inside, mut escaped, mut goes_on) = (Vec::<String>::new(), None::<String>, false, false);
    for c in row.chars() {
        match &mut inside {
            Some(text) if escaped || !matches!(c, '"' | '\\') => {
                text.push(c);
                escaped = false;
            }
            Some(_) if c == '\\' => escaped = true,
            Some(_) => {
                all.extend(inside.take());
                goes_on = true;
            }
            None if c == '"' => inside = Some(if goes_on { all.pop().unwrap_or_default() } else { String::new() }),
            None => goes_on = goes_on && c.is_whitespace(),
        }
    }
    all
}

fn stages(files: &[File]) -> Vec<Stage> {
    let mut all = Vec::new();
    for file in files.iter().filter(|file| TABLES.contains(&file.path.as_str())) {
        for row in file.text.split("\n    { \"").skip(1) {
            let row = row.split("\n};").next().unwrap_or_default();
            let (name, rest) = row.split_once("\", ").expect("the name ends");
            let mut fields = rest.split(',').map(str::trim);
            let (least, function) = (fields.next().expect("its shortest form"), fields.next().expect("its function"));
            let [syntax, help] = literals(rest).try_into().unwrap_or_default();
            if !syntax.is_empty() {
                let (least, function) = (least.parse().expect("a number"), function.to_owned());
                all.push(Stage { name: name.to_owned(), least, function, syntax, help });
            }
        }
    }
    all
}

/// Words with how short they may be.
type Words = BTreeMap<String, BTreeSet<usize>>;

/// The words that a text asks for: `next_keyword(&rest, "PAD", 3)`, `is_word(word, "PAD", 3)`, `{ "PAD", 3, ...`.
fn asked(text: &str) -> Words {
    let mut words = Words::new();
    for call in ["next_keyword", "is_word"].iter().flat_map(|name| c::calls(text, name)) {
        let [_, word, least] = call.as_slice() else { continue };
        if let (Some(word), Ok(least)) = (word.strip_prefix('"'), least.parse()) {
            words.entry(word.trim_end_matches('"').to_owned()).or_default().insert(least);
        }
    }
    for row in text.split("{ \"").skip(1) {
        let Some((word, rest)) = row.split_once("\", ") else { continue };
        if let Ok(least) = rest.split([',', ' ', '}']).next().unwrap_or_default().parse() {
            words.entry(word.to_owned()).or_default().insert(least);
        }
    }
    words.retain(|word, _| word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()));
    words
}

/// What the function of a stage asks for itself, with the tables of its file that it names.
fn own(file: &File, function: &str) -> Words {
    let mut words = Words::new();
    let function = file.function(function).expect("the function is there");
    for reached in file.reached(function) {
        words.extend(asked(&reached.body));
        for table in file.text.split("[] = {").collect::<Vec<_>>().windows(2) {
            let name = table[0].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            if c::word_at(&reached.body, name).next().is_some() {
                words.extend(asked(table[1].split("};").next().unwrap_or_default()));
            }
        }
    }
    words
}

/// The keywords of a syntax after the stage's name.
fn keywords(syntax: &str) -> impl Iterator<Item = &str> {
    let rest = syntax.split_once(' ').map_or("", |(_, rest)| rest);
    let words = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '*');
    words.filter(|word| {
        word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()) && !STAND_FOR.contains(word)
    })
}

/// A file of pipelines or of their sockets.
fn is_of_pipelines(file: &File) -> bool {
    ["pipe/", "net/"].iter().any(|folder| file.path.starts_with(folder))
}

#[test]
fn abbreviations_of_stages_are_those_that_help_shows() {
    let files = c::files(&source(), "c");
    let pipe: Vec<&File> = files.iter().filter(|file| is_of_pipelines(file)).collect();
    let shared =
        pipe.iter().filter(|file| !TABLES.contains(&file.path.as_str())).fold(Words::new(), |mut all, file| {
            for (word, shortest) in asked(&file.text) {
                all.entry(word).or_default().extend(shortest);
            }
            all
        });
    let stages = stages(&files);
    assert!(stages.len() > 100, "{}", stages.len());
    let (mut wrong, mut cases) = (Vec::new(), 0);
    for Stage { name, least: shortest, function, syntax, help } in &stages {
        let verb = syntax.split(' ').next().unwrap_or_default();
        if verb.to_ascii_uppercase() != *name || least(verb) != *shortest {
            wrong.push(format!("{name}: HELP shows {verb}, and {shortest} letters are enough"));
        }
        let file = pipe.iter().find(|file| file.function(function).is_some_and(|function| !function.own));
        let Some(file) = file else {
            wrong.push(format!("{name}: there is no {function}"));
            continue;
        };
        let own = own(file, function);
        for word in keywords(syntax) {
            cases += 1;
            let upper = word.to_ascii_uppercase();
            match own.get(&upper).or_else(|| shared.get(&upper)) {
                Some(taken) if !taken.contains(&least(word)) => {
                    wrong.push(format!("{name}: HELP shows {word}, and {taken:?} letters are enough"));
                }
                Some(_) => (),
                None => wrong.push(format!("{name}: HELP shows {word}, which is not taken")),
            }
        }
        let told = format!("{syntax} {help}").to_ascii_uppercase();
        for word in own.keys() {
            cases += 1;
            let exempt = UNTOLD.contains(&(name.as_str(), word.as_str()));
            if !exempt && c::word_at(&told, word).next().is_none() {
                wrong.push(format!("{name}: {word} is taken, and HELP does not tell of it"));
            }
        }
    }
    assert!(cases > 300, "{cases}");
    agree(&wrong);
}
