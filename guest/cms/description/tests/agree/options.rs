//! Options and operands: what a syntax shows is taken, as short as it shows; what is taken is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::{agree, c_file, description, source};
use description::c::{self, File};
use description::{Command, least};

/// The entries of tables of options: `FLAG("TYPE", 1, ...)`.
const ENTRIES: [&str; 5] = ["FLAG", "COUNTED", "NUMBER", "WORD", "IGNORED"];

/// What a command takes: from its function's tables, how short each option may be.
fn taken(command: &Command, files: &[File], macros: &BTreeMap<String, String>) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let Some(file) = files.iter().find(|file| file.path == command.file) else { return all };
    let Some(function) = file.function(&command.function) else { return all };
    // Of a part, the function of the command has another name.
    let there = command.function.replace("_command", "_there");
    let of_part = files.iter().filter(|file| part_of(command).is_some_and(|part| file.path.starts_with(part)));
    let of_part = of_part.filter_map(|file| Some(file.reached(file.function(&there)?)));
    for function in file.reached(function).into_iter().chain(of_part.flatten()) {
        let used = macros.iter().filter(|(name, _)| c::word_at(&function.body, name).next().is_some());
        for text in used.map(|(_, text)| text).chain([&function.body]) {
            for entry in ENTRIES.iter().flat_map(|entry| c::calls(text, entry)) {
                let word = entry[0].trim_matches('"').to_owned();
                all.insert(word, entry[1].parse().expect("its second argument is a number"));
            }
        }
    }
    all
}

/// Macros that are options of several tables: names and texts.
fn macros(files: &[File]) -> BTreeMap<String, String> {
    let lines = files.iter().flat_map(|file| {
        let text = file.text.replace("\\\n", " ");
        text.lines().filter_map(|line| line.strip_prefix("#define ").map(str::to_owned)).collect::<Vec<_>>()
    });
    let defined = lines.filter_map(|line| {
        let (name, text) = line.split_once('(')?;
        name.ends_with("_OPTIONS").then(|| (name.to_owned(), text.to_owned()))
    });
    defined.collect()
}

/// A word of a syntax that is typed as it is.
fn is_keyword(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.bytes().all(|c| c.is_ascii_alphanumeric())
        && word.len() > 1
}

/// The keywords of a piece of syntax.
fn keywords(syntax: &str) -> Vec<&str> {
    syntax.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| is_keyword(word)).collect()
}

/// Operands, and options, if there are any.
fn halves(command: &Command) -> (&str, &str) {
    let (operands, options) = command.syntax.split_once("[( ").unwrap_or((&command.syntax, ""));
    (operands.split_once(' ').map_or("", |(_, operands)| operands), options)
}

/// Files that have words of a command's syntax, without a function of them that its file names.
const ALSO: [(&str, &str); 5] = [
    ("PIPE", "pipe/parse.c"),
    ("QUERY", "command/set.c"),
    ("QUERY", "window/option.c"),
    ("SET", "window/option.c"),
    ("SET", "window/session.c"),
];

/// Files whose commands are a part that is loaded: the part's folder.
const PARTS: [(&str, &str); 4] = [
    ("command/window.c", "window/"),
    ("command/routine.c", "csl/"),
    ("command/listds.c", "volume/"),
    ("command/cpfmtxa.c", "volume/"),
];

fn part_of(command: &Command) -> Option<&'static str> {
    PARTS.iter().find(|(file, _)| *file == command.file).map(|(_, folder)| *folder)
}

/// The string literals of a command's file, and of the files that it calls.
fn literals<'a>(command: &Command, files: &'a [File]) -> BTreeSet<&'a str> {
    let own = files.iter().find(|file| file.path == c_file(command)).expect("each has its file");
    let near = files.iter().filter(|file| {
        let mut others = file.functions.iter().filter(|function| !function.own);
        let also = ALSO.contains(&(command.name.as_str(), file.path.as_str()));
        let part = part_of(command).is_some_and(|folder| file.path.starts_with(folder));
        also || part
            || file.path == own.path
            || others.any(|function| c::word_at(&own.text, &function.name).next().is_some())
    });
    near.flat_map(|file| c::strings(&file.text)).collect()
}

/// The quoted words of the system disk's macros that a command's file names: they look at what it hands on to them. Of
/// a command that is an exec, its own.
fn of_macros(command: &Command, files: &[File]) -> BTreeSet<String> {
    let own = files.iter().find(|file| file.path == c_file(command)).expect("each has its file");
    let names = c::strings(&own.text).into_iter().map(str::trim);
    let paths = names.map(|name| source().join(format!("disks/system/{name}.XEDIT.A2")));
    let paths = paths.chain((own.path != command.file).then(|| source().join(&command.file)));
    let texts = paths.filter_map(|path| fs::read_to_string(path).ok());
    let quoted = |text: String| {
        let pieces = text.lines().flat_map(|line| line.split('\'').skip(1).step_by(2));
        pieces.map(|piece| piece.trim_end_matches(':').to_owned()).collect::<Vec<_>>()
    };
    texts.flat_map(quoted).collect()
}

/// A word is one of the literals, or what must be typed of it begins one: TASK of TASKS, TAP of TAPn.
fn is_there(word: &str, literals: &BTreeSet<&str>) -> bool {
    let short = &word[..least(word)];
    let begins = short.len() > 2 && literals.iter().any(|literal| literal.starts_with(short));
    literals.contains(word.to_ascii_uppercase().as_str()) || begins
}

/// Files that take operands of a command beside its own, which goes before them.
const NEAR: [(&str, &str); 3] =
    [("QUERY", "command/absent.c"), ("QUERY", "command/set.c"), ("SET", "command/absent.c")];

/// How short the operands may be that a file takes: `abbreviates(word, "TASK", 1)`, and rows `{ "TASK", 1, ...`.
fn abbreviated(text: &str) -> BTreeMap<String, BTreeSet<usize>> {
    let mut all = BTreeMap::<String, BTreeSet<usize>>::new();
    let mut add = |word: &str, least: &str| {
        if let Ok(least) = least.parse() {
            all.entry(word.trim_matches('"').to_owned()).or_default().insert(least);
        }
    };
    for call in c::calls(text, "abbreviates") {
        if let [_, word, least] = call.as_slice() {
            add(word, least);
        }
    }
    for row in text.split("{ \"").skip(1) {
        if let Some((word, rest)) = row.split_once("\", ") {
            add(word, rest.split([',', ' ', '}']).next().unwrap_or_default());
        }
    }
    all
}

/// The words that begin the lines of a topic's options: ` NOMAP     no map`.
fn explained(command: &Command) -> Vec<&str> {
    let blocks = command.detail.split(|line| line.trim().is_empty());
    let blocks = blocks.filter(|block| block.first().is_some_and(|line| line.starts_with("Options")));
    let lines = blocks.flatten();
    let heads = lines.filter_map(|line| line.strip_prefix(' ')?.split("  ").next());
    heads
        .filter(|head| head.starts_with(|c: char| c.is_ascii_uppercase()))
        .flat_map(keywords)
        .filter(|word| word.bytes().all(|c| !c.is_ascii_lowercase()))
        .collect()
}

#[test]
fn what_help_lists_is_taken_and_what_is_taken_is_listed() {
    let files = c::files(&source(), "c");
    let headers = c::files(&source(), "h");
    let mut macros = macros(&headers);
    macros.extend(self::macros(&files));
    let commands = description().commands;
    let mut wrong = Vec::new();
    for command in &commands {
        let name = &command.name;
        let (taken, of_macros) = (taken(command, &files, &macros), of_macros(command, &files));
        let mut literals = literals(command, &files);
        literals.extend(of_macros.iter().map(String::as_str));
        let (operands, options) = halves(command);
        for word in keywords(options).into_iter().filter(|word| *word != command.verb()) {
            match taken.get(&word.to_ascii_uppercase()) {
                Some(shortest) if *shortest != least(word) => {
                    wrong.push(format!("{name}: HELP shows {word}, and {shortest} letters are enough"));
                }
                None if !is_there(word, &literals) => {
                    wrong.push(format!("{name}: HELP shows {word}, which is no option"))
                }
                _ => (),
            }
        }
        let mut shortest = BTreeMap::new();
        let near = NEAR.iter().filter(|(near, _)| near == name).map(|(_, path)| *path).chain([command.file.as_str()]);
        for file in near.filter_map(|path| files.iter().find(|file| file.path == path)) {
            shortest.extend(abbreviated(&file.text));
        }
        for word in keywords(operands) {
            let taken = shortest.get(&word.to_ascii_uppercase());
            if taken.is_some_and(|taken| !taken.contains(&least(word))) {
                wrong.push(format!("{name}: HELP shows the operand {word}, and {taken:?} letters are enough"));
            }
        }
        let explained = explained(command);
        let known = |word: &str| taken.contains_key(word) || is_there(word, &literals);
        for word in keywords(operands).into_iter().chain(explained).filter(|word| !known(word)) {
            wrong.push(format!("{name}: HELP has {word}, which is not taken"));
        }
        // One may have the options of another.
        let other = options.strip_prefix("the options of ");
        let other = commands.iter().find(|command| Some(command.name.as_str()) == other);
        let told = |word: &str| {
            [Some(command), other].into_iter().flatten().any(|command| {
                keywords(&command.syntax).iter().any(|shown| shown.eq_ignore_ascii_case(word))
                    || command.detail.iter().any(|line| c::word_at(line, word).next().is_some())
            })
        };
        for word in taken.keys().filter(|word| !told(word)) {
            wrong.push(format!("{name}: {word} is an option, and HELP does not tell of it"));
        }
    }
    agree(&wrong);
}

/// Tables of words of QUERY and SET: the file, the table, and how its rows end that are meant.
const TABLES: [(&str, &str, &str, &str); 8] = [
    ("QUERY", "command/query.c", "queries", ""),
    ("QUERY", "command/set.c", "switches", ""),
    ("QUERY", "command/absent.c", "fixed", ""),
    ("QUERY", "command/absent.c", "absent", ""),
    ("SET", "command/set.c", "switches", ""),
    ("SET", "command/set.c", "others", ""),
    ("SET", "command/absent.c", "fixed", ""),
    ("SET", "command/absent.c", "absent", "true"),
];

#[test]
fn help_tells_of_each_word_of_query_and_set() {
    let (description, files) = (description(), c::files(&source(), "c"));
    let mut wrong = Vec::new();
    for (name, path, table, end) in TABLES {
        let command = description.commands.iter().find(|command| command.name == name).expect("it is there");
        let file = files.iter().find(|file| file.path == path).expect("it is there");
        let (_, rows) = file.text.split_once(&format!("{table}[] = {{")).expect("it has the table");
        let (rows, _) = rows.split_once("\n};").expect("it ends");
        let rows = rows.split('{').filter(|row| row.split('}').next().is_some_and(|row| row.trim().ends_with(end)));
        let words: Vec<&str> = rows.filter_map(|row| row.split('"').nth(1)).collect();
        assert!(words.len() > 3, "{table}: {words:?}");
        let told =
            command.detail.iter().fold(command.syntax.clone(), |all, line| all + " " + line).to_ascii_uppercase();
        let missing = words.into_iter().filter(|word| c::word_at(&told, word).next().is_none());
        wrong.extend(missing.map(|word| format!("{name}: HELP does not tell of {word} ({table})")));
    }
    agree(&wrong);
}
