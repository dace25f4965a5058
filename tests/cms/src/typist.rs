//! Lines as a typist might enter who knows every command and not what it is for: lines made of the commands' own syntax
//! (`guest/cms/help/cms.txt`), of the words that their sources look for, of numbers and names at edges, and of
//! built-in functions of REXX with such arguments.

use fuzz::chance::Chance;
use std::path::Path;

/// A part of a command's syntax.
#[derive(Debug)]
enum Part {
    Word(String),
    /// One or more of it.
    Many(Box<Part>),
    Maybe(Vec<Vec<Part>>),
}

/// The file that a line is about, and the type of those that its command is for.
struct File {
    kind: &'static str,
    last: (&'static str, &'static str),
}

impl File {
    fn next(&self, chance: &mut Chance) -> (&'static str, &'static str) {
        let fitting: Vec<_> = FILES.iter().filter(|(_, kind)| *kind == self.kind).collect();
        if fitting.is_empty() || chance.one_in(4) {
            FILES[chance.below(FILES.len())]
        } else {
            *fitting[chance.below(fitting.len())]
        }
    }
}

struct Command {
    name: String,
    ways: Vec<Vec<Part>>,
    /// The options, each with what follows it.
    options: Vec<Vec<String>>,
    /// The words in capitals that its source has.
    words: Vec<String>,
}

/// Files of the disk that the typist works on: name and type.
pub const FILES: [(&str, &str); 29] = [
    ("ONE", "DATA"),
    ("WIDE", "DATA"),
    ("FIXED", "DATA"),
    ("BYTE", "DATA"),
    ("HUGE", "DATA"),
    ("BLOCK", "DATA"),
    ("SPARSE", "DATA"),
    ("NONE", "DATA"),
    ("PACKED", "DATA"),
    ("MACROS", "MACLIB"),
    ("MACROS", "MACRO"),
    ("DECKS", "TXTLIB"),
    ("DECK", "TEXT"),
    ("CALLER", "TEXT"),
    ("DECK", "MODULE"),
    ("CALLER", "MODULE"),
    ("MAIL", "CARDS"),
    ("DUMPED", "CARDS"),
    ("CMSUSER", "NAMES"),
    ("SHORT", "SYNONYM"),
    ("LASTING", "GLOBALV"),
    ("R", "EXEC"),
    ("E", "EXEC"),
    ("DAMAGE", "EXEC"),
    ("CMSINST", "LSEG"),
    ("PROG", "ASSEMBLE"),
    ("PROG", "UPDATE"),
    ("WORDS", "REPOS"),
    ("LOAD", "MAP"),
];

const NUMBERS: [&str; 26] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "79",
    "80",
    "81",
    "255",
    "256",
    "800",
    "1024",
    "4096",
    "65520",
    "65534",
    "65535",
    "65536",
    "99999",
    "200000",
    "1000000",
    "99999999",
    "-1",
    "*",
    "1X",
    "2147483647",
];

const HEX: [&str; 14] = [
    "0", "1", "20000", "1FFFF", "FFFFF", "100000", "E000", "FFFF", "F00", "7FFFFFFF", "80000000", "FFFFFFFF", "300000",
    "XYZ",
];

const NAMES: [&str; 18] = [
    "A",
    "X",
    "DECK",
    "CALLER",
    "MACROS",
    "DECKS",
    "ONE",
    "DATA",
    "CMSUSER",
    "MAINT",
    "ABCDEFGH",
    "ABCDEFGHI",
    "*",
    "=",
    "%",
    "$#@+-:_",
    "?",
    "FRIENDS",
];

const DEVICES: [&str; 18] = [
    "190", "191", "192", "193", "194", "19E", "181", "180", "009", "00C", "00D", "00E", "000", "FFF", "1000", "FFFF",
    "10000", "1G1",
];

const MODES: [&str; 16] = ["A", "A", "A", "A", "A1", "A0", "A3", "A6", "B", "C", "S", "Z", "*", "=", "A7", "AA"];

/// What is said to CP. Nothing here ends the session or hides what CMS says.
const CP: [&str; 22] = [
    "QUERY TIME",
    "QUERY READER ALL",
    "QUERY VIRTUAL ALL",
    "SPOOL PUNCH *",
    "SPOOL PUNCH OFF",
    "CLOSE PUNCH",
    "CLOSE READER",
    "CLOSE PRINTER",
    "PURGE READER ALL",
    "SPOOL READER HOLD",
    "SPOOL READER NOHOLD CONT",
    "SPOOL READER NOCONT EOF",
    "SPOOL PRINTER *",
    "TRANSFER READER ALL TO MAINT",
    "QUERY DISK",
    "REWIND 181",
    "LINK * 191 291 RR",
    "DETACH 291",
    "DEFINE VFB-512 300 1000",
    "MSG * HELLO",
    "TAG DEV 00D NODE X",
    "XYZZY",
];

const TEXTS: [&str; 14] = [
    "",
    "x",
    "a b c",
    "/abc/",
    "(",
    ")",
    "( (",
    "'",
    "a.b.c",
    "; #",
    "one two three four five six seven eight nine ten",
    "*",
    "1-5",
    "1-99999999",
];

/// Answers to whatever CMS asks.
const ANSWERS: [&str; 28] = [
    "",
    "0",
    "1",
    "2",
    "3",
    "YES",
    "NO",
    "QUIT",
    "RENAME",
    "NEW NAME A",
    "1 5",
    "1 1 2 80",
    "5 1",
    "1 99999",
    "0 0",
    "1-5 1",
    "1-* 70000",
    "/abc/ 65535",
    "XC1C2 1",
    "1-* 2147483647",
    "A B C D ++",
    "F1 F2",
    "* x",
    "LABEL",
    "999999 999999",
    "'",
    "C1 C2 C3",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
];

/// Statements of EXEC 2.
const EXEC_2: [&str; 24] = [
    "&X = &CONCAT OF &2 &3 &4 &5",
    "&X = &LENGTH OF &2",
    "&X = &DATATYPE OF &2 &3",
    "&X = &PIECE OF &2 &3 &4",
    "&X = &LEFT OF &2 &3",
    "&X = &RIGHT OF &2 &3",
    "&X = &LOCATION OF &2 &3",
    "&X = &POSITION OF &2 &3 &4",
    "&X = &TRANSLATION OF &2 &3 &4",
    "&X = &TRIM OF &2 &3",
    "&X = &WORD &2 OF &3 &4 &5",
    "&X = &MULT OF &2 &3 &4",
    "&X = &DIV OF &2 &3",
    "&X = &2 + &3 - &4",
    "&GOTO &2",
    "&SKIP &2",
    "&LOOP &2 &3",
    "&CALL &2 &3 &4",
    "&EXIT &2 &3",
    "&READ &2 &3",
    "&ARGS &2 &3 &4",
    "&BEGSTACK &2 &3",
    "&UPPER ARGS &2",
    "&STACK LIFO &2 &3",
];

/// Callable services, with what they take; t is the token of a file that is open.
const SERVICES: [&str; 14] = [
    "DMSREAD rc rsn t 1 0 b 80 n",
    "DMSREAD rc rsn t # # b # n",
    "DMSWRITE rc rsn t 1 # b #",
    "DMSWRITE rc rsn t # # b # # #",
    "DMSCLOSE rc rsn t",
    "DMSEXIST rc rsn f # b #",
    "DMSERASE rc rsn f l",
    "DMSRENAM rc rsn f l f #",
    "DMSCGR rc 'F' # b # n",
    "DMSCSR rc 'Z' # f #",
    "DMSCDR rc 'F' #",
    "DMSCGS rc 'ARG' 3 b # n",
    "DECK rc",
    "DMSOPEN rc rsn f l 'READ' # t b b b b # # # # # # #",
];

/// Commands that have much to do with what is in files, more often typed than others, and the types of files that they
/// mean without saying so.
const WORTH_WHILE: [(&str, &str); 28] = [
    ("COMPARE", ""),
    ("COPYFILE", ""),
    ("DISK", ""),
    ("EXECIO", ""),
    ("EXECLOAD", "EXEC"),
    ("FILEDEF", ""),
    ("GENMOD", "MODULE"),
    ("GENMSG", "REPOS"),
    ("GLOBALV", ""),
    ("INCLUDE", "TEXT"),
    ("LABELDEF", ""),
    ("LOAD", "TEXT"),
    ("LOADMOD", "MODULE"),
    ("MACLIB", "MACRO"),
    ("MODMAP", "MODULE"),
    ("MOVEFILE", ""),
    ("NAMEFIND", ""),
    ("NUCXLOAD", "MODULE"),
    ("PRINT", ""),
    ("PUNCH", ""),
    ("READCARD", ""),
    ("RECEIVE", ""),
    ("RTNLOAD", "TEXT"),
    ("SENDFILE", ""),
    ("SORT", ""),
    ("TAPE", ""),
    ("TXTLIB", "TEXT"),
    ("UPDATE", "ASSEMBLE"),
];

/// Makes lines as a typist might enter them.
pub struct Typist {
    commands: Vec<Command>,
    functions: Vec<(String, usize, usize)>,
}

impl Typist {
    /// Learns the commands from the sources in `guest/cms`.
    pub fn new(sources: &Path) -> Typist {
        let read = |path: &Path| std::fs::read_to_string(path).expect("the source is there");
        let commands = crate::description().commands.into_iter().map(|known| {
            let words = words(&read(&sources.join(&known.file)));
            command(&known.name, &known.syntax, words)
        });
        let built_in = read(&sources.join("rexx/functions.c"));
        let functions = built_in.lines().filter_map(|line| {
            let mut parts = line.trim().strip_prefix("{ \"")?.trim_end_matches(" },").split(", ");
            let name = parts.next()?.trim_end_matches('"').to_owned();
            let (least, most) = (parts.nth(1)?.parse().ok()?, parts.next()?.parse().unwrap_or(4));
            Some((name, least, most))
        });
        Typist { commands: commands.collect(), functions: functions.collect() }
    }

    /// What is typed next, and whether it is worth while to wait for more than a moment.
    pub fn line(&self, chance: &mut Chance) -> String {
        let mut line = match chance.below(25) {
            0 => format!("CP {}", chance.pick(&CP)),
            1 | 2 => self.rexx(chance),
            3 => format!("E {}", self.exec_2(chance)),
            4 => format!("DAMAGE {} {} {}", self.file(chance), 1 + chance.below(4), chance.below(1000)),
            5 => format!("R queue {}; queue {}", quoted(chance.pick(&ANSWERS)), quoted(&self.command(chance))),
            6 => {
                let command = quoted(&self.command(chance));
                let many = chance.pick(&["2", "200", "5000", "70000", "300000"]);
                format!("R {command}copies({},{many})", quoted(chance.pick(&["x", " x", "( ", "=", " *"])))
            }
            7 => format!("R {}; say rc", quoted(&self.command(chance))),
            8 => self.services(chance),
            _ => self.command(chance),
        };
        line.truncate(240);
        line
    }

    /// An answer to whatever asks: a command's line, or one of a few words.
    pub fn answer(&self, chance: &mut Chance) -> String {
        if chance.one_in(8) { self.command(chance) } else { chance.pick(&ANSWERS).to_owned() }
    }

    fn file(&self, chance: &mut Chance) -> String {
        let (name, kind) = FILES[chance.below(FILES.len())];
        format!("{name} {kind}")
    }

    fn command(&self, chance: &mut Chance) -> String {
        let (worth, kind) = WORTH_WHILE[chance.below(WORTH_WHILE.len())];
        let known = self.commands.iter().find(|command| command.name == worth && !chance.one_in(3));
        let command = known.unwrap_or_else(|| &self.commands[chance.below(self.commands.len())]);
        let mut words = vec![command.name.clone()];
        let kind = WORTH_WHILE.iter().find(|(name, _)| *name == command.name).map_or(kind, |(_, kind)| kind);
        let mut file = File { kind, last: FILES[chance.below(FILES.len())] };
        if let Some(way) = command.ways.get(chance.below(command.ways.len().max(1))) {
            for part in way {
                write(part, &mut file, &mut words, chance);
            }
        }
        if !command.options.is_empty() && chance.one_in(2) {
            words.push("(".into());
            for _ in 0..=chance.below(3) {
                for word in &command.options[chance.below(command.options.len())] {
                    words.push(value(word, &mut file, chance));
                }
            }
        }
        if chance.one_in(5) {
            spoil(&mut words, command, chance);
        }
        harmless(words.join(" "))
    }

    fn rexx(&self, chance: &mut Chance) -> String {
        let (name, least, most) = &self.functions[chance.below(self.functions.len())];
        let count = least + chance.below(most.min(&5) - least + 1);
        let arguments: Vec<String> = (0..count).map(|_| argument(chance)).collect();
        format!("R x = {name}({}); say length(x)", arguments.join(","))
    }

    /// A file is opened, and callable services that are called then.
    fn services(&self, chance: &mut Chance) -> String {
        let how = chance.pick(&["READ", "NEW", "NEW F", "WRITE", "REPLACE", "REPLACE F", ""]);
        let mode = MODES[chance.below(MODES.len())];
        let mut line = format!("R f='{} {mode}'; l=length(f); b=f; ", self.file(chance));
        line += &format!("s={}; say csl('DMSOPEN rc rsn f l s {} t')", quoted(how), how.len());
        for _ in 0..=chance.below(3) {
            let mut call = chance.pick(&SERVICES).to_owned();
            while call.contains('#') {
                call = call.replacen('#', chance_number(chance), 1);
            }
            line += &format!("; say csl({})", quoted(&call));
        }
        line
    }

    /// What E EXEC is called with: which of its statements, and what is put into it.
    fn exec_2(&self, chance: &mut Chance) -> String {
        let mut words = vec![chance.below(EXEC_2.len()).to_string()];
        for _ in 0..chance.below(5) {
            let number = chance_number(chance);
            words.push(chance.pick(&[number, "ABC", "A", "*", "&1", "&99999999"]).to_owned());
        }
        words.join(" ")
    }

    /// E EXEC: statements of EXEC 2, of which its first word says one.
    pub fn exec_2_program(&self) -> String {
        let statements = EXEC_2.iter().enumerate().map(|(n, statement)| format!("&IF &1 = {n} {statement}\n"));
        format!("&TRACE OFF\n{}&TYPE &X\n", statements.collect::<String>())
    }
}

fn chance_number(chance: &mut Chance) -> &'static str {
    NUMBERS[chance.below(NUMBERS.len())]
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The literals that are words in capitals.
fn words(text: &str) -> Vec<String> {
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let good = |word: &&str| word.len() > 1 && word.bytes().all(capital);
    text.split('"').filter(good).map(str::to_owned).collect()
}

fn command(name: &str, syntax: &str, words: Vec<String>) -> Command {
    let mut options = Vec::new();
    let mut ways = Vec::new();
    for way in alternatives(syntax) {
        let (front, behind) = way.split_once("[(").unwrap_or((&way, ""));
        let front = front.trim().trim_end_matches('[');
        let first = front.split(' ').next().unwrap_or("");
        let front = if first.eq_ignore_ascii_case(name) { &front[first.len()..] } else { front };
        let mut at = front.trim();
        ways.extend(parts(&mut at));
        for word in behind.split([' ', ']']).filter(|word| !word.is_empty()) {
            let is_value = word.split('|').all(|one| one.len() == 1)
                || !word.starts_with(|first: char| first.is_ascii_uppercase());
            match options.last_mut() {
                Some(last) if is_value => Vec::push(last, word.to_owned()),
                _ => options.extend(word.split('|').map(|one| vec![one.to_owned()])),
            }
        }
    }
    Command { name: name.into(), ways, options, words }
}

/// The syntax, cut at bars outside of brackets. The bracket in front of options has no end.
fn alternatives(syntax: &str) -> Vec<String> {
    let (mut depth, mut ways, mut way) = (0, Vec::new(), String::new());
    let marked = syntax.replace("[(", "{");
    for (at, char) in marked.char_indices() {
        match char {
            '[' => depth += 1,
            ']' => depth -= 1,
            '|' if depth == 0 && marked[at..].starts_with("| ") => {
                ways.push(std::mem::take(&mut way));
                continue;
            }
            _ => (),
        }
        way.push(char);
    }
    ways.push(way);
    ways.iter().map(|way| way.replace('{', "[(")).collect()
}

/// What stands up to a bracket's end, in its alternatives; `at` is then past it.
fn parts(at: &mut &str) -> Vec<Vec<Part>> {
    let (mut ways, mut way) = (Vec::new(), Vec::new());
    loop {
        *at = at.trim_start();
        if let Some(rest) = at.strip_prefix('[') {
            *at = rest;
            way.push(Part::Maybe(parts(at)));
        } else if let Some(rest) = at.strip_prefix(']') {
            *at = rest;
            break;
        } else if let Some(rest) = at.strip_prefix("| ") {
            *at = rest;
            ways.push(std::mem::take(&mut way));
        } else if at.is_empty() {
            break;
        } else {
            let mut depth = 0;
            let end = at.find(|char| {
                depth += i32::from(char == '[') - i32::from(char == ']');
                char == ' ' || depth < 0
            });
            let (word, rest) = at.split_at(end.unwrap_or(at.len()));
            *at = rest;
            let whole = word.split('[').next().unwrap_or(word);
            let part = Part::Word(whole.trim_end_matches("...").to_owned());
            way.push(if whole.ends_with("...") { Part::Many(Box::new(part)) } else { part });
        }
    }
    ways.push(way);
    ways
}

fn write(part: &Part, file: &mut File, words: &mut Vec<String>, chance: &mut Chance) {
    match part {
        Part::Word(word) => words.push(value(word, file, chance)),
        Part::Many(part) => (0..=chance.below(3)).for_each(|_| write(part, file, words, chance)),
        Part::Maybe(ways) => {
            if !chance.one_in(3) {
                ways[chance.below(ways.len())].iter().for_each(|part| write(part, file, words, chance));
            }
        }
    }
}

/// Something for a word of the syntax.
fn value(word: &str, file: &mut File, chance: &mut Chance) -> String {
    let choices: Vec<&str> = word.split('|').collect();
    let word = choices[chance.below(choices.len())];
    let hex = || HEX.as_slice();
    let choice: &[&str] = match word {
        "fn" | "newfn" | "library" => {
            file.last = file.next(chance);
            return if chance.one_in(6) { chance.pick(&NAMES).into() } else { file.last.0.into() };
        }
        "ft" | "newft" => return if chance.one_in(6) { chance.pick(&NAMES).into() } else { file.last.1.into() },
        "fm" | "mode" => &MODES,
        "n" | "from" | "to" | "line" | "lrecl" | "cylinders" | "a" | "b" | "count" => &NUMBERS,
        "vdev" => &DEVICES,
        "address" | "page" => hex(),
        "spoolid" => &["0001", "0002", "0003", "0004", "1", "9999", "*", "99999999"],
        "a-b" => &["1-5", "5-1", "0-0", "1", "80-90", "9999-1", "1-*", "65535-9", "-", "1-"],
        "f" | "recfm" => &["F", "V", "U", "FB", "X"],
        "c" | "x" => &["C", "X", "X.", "40", "00", "F", "L.", "1"],
        "/x/" => &["/a/", "//", "/", "/abc", "'x'", "/ /"],
        "d" => &["91324", "00001", "99999", "0", "91366"],
        "command" => &CP,
        "text" | "string" | "arguments" => &TEXTS,
        ":tag" => &[":nick", ":userid", ":list", ":", ":x.y", "nick"],
        "dd" => &["INMOVE", "OUTMOVE", "INMOVE", "OUTMOVE", "LONGNAME9", "X"],
        _ if word.starts_with(|first: char| first.is_ascii_uppercase() || !first.is_alphabetic()) => {
            return shortened(word, chance);
        }
        _ => &NAMES,
    };
    chance.pick(choice).to_owned()
}

/// A keyword in full, or as short as it may be: what stands in capitals.
fn shortened(word: &str, chance: &mut Chance) -> String {
    let capitals: String = word.chars().take_while(|char| !char.is_ascii_lowercase()).collect();
    if chance.one_in(2) { capitals } else { word.to_ascii_uppercase() }
}

fn argument(chance: &mut Chance) -> String {
    const WORDS: [&str; 24] = [
        "",
        "''",
        "'abc'",
        "'a b  c'",
        "copies('x',70000)",
        "copies('ab ',9999)",
        "xrange()",
        "'00'x",
        "'FF'x",
        "'1E999999999'",
        "'-1E-999999999'",
        "999999999",
        "'123456789012345678901234567890'",
        "'C'",
        "'X'",
        "'B'",
        "'N'",
        "-1",
        "'0.1'",
        "'zz'",
        "copies('F',5000)",
        "copies('9',3000)",
        "1E9",
        "'O'",
    ];
    if chance.one_in(2) { quoted(chance_number(chance)) } else { chance.pick(&WORDS).to_owned() }
}

/// Words lost, doubled, changed, put where they do not belong.
fn spoil(words: &mut Vec<String>, command: &Command, chance: &mut Chance) {
    for _ in 0..=chance.below(2) {
        let at = 1 + chance.below(words.len());
        let word = match chance.below(9) {
            0 => "(".to_owned(),
            1 => ")".to_owned(),
            2 => chance_number(chance).to_owned(),
            3 => chance.pick(&NAMES).to_owned(),
            4 => chance.pick(&HEX).to_owned(),
            5 => "X".repeat(1 + chance.below(200)),
            6 if at < words.len() => {
                words.remove(at);
                continue;
            }
            7 => chance.pick(&TEXTS).to_owned(),
            _ if !command.words.is_empty() => command.words[chance.below(command.words.len())].clone(),
            _ => String::new(),
        };
        if at < words.len() && chance.one_in(2) {
            words[at] = word;
        } else {
            words.insert(at, word);
        }
    }
}

/// Without what would let programs store into CMS, or change what CMS's own words look like.
fn harmless(line: String) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |what: &str| words.iter().any(|word| what.starts_with(word.trim_matches(['(', ')'])) && word.len() > 1);
    match words.first().copied() {
        Some("SET") if has("PROTECT") || has("INPUT") || has("OUTPUT") || has("EMSG") || has("CMSTYPE") => {
            "SET ABBREV ON".into()
        }
        Some("GENMOD") if has("SYSTEM") => line.replace("SYSTEM", "MAP").replace("SYS", "MAP"),
        Some("HT") => "RT".into(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_syntax_that_can_be_typed() {
        let typist = Typist::new(&crate::source());
        assert!(typist.commands.len() > 60 && typist.functions.len() > 50);
        let copyfile = typist.commands.iter().find(|command| command.name == "COPYFILE").expect("there is COPYFILE");
        assert!(copyfile.options.iter().any(|option| option[..] == ["LRecl", "n"]));
        assert!(copyfile.words.iter().any(|word| word == "FRLABEL"));
        let globalv = typist.commands.iter().find(|command| command.name == "GLOBALV").expect("there is GLOBALV");
        assert_eq!(globalv.ways.len(), 9);
        let lines = |seed| {
            let mut chance = Chance::new(seed);
            (0..200).map(|_| typist.line(&mut chance)).collect::<Vec<_>>()
        };
        assert_eq!(lines(1), lines(1));
        assert_ne!(lines(1), lines(2));
    }
}
