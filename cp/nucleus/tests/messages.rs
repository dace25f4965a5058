//! Messages name what was typed: no field of a message is empty, and none is a name cut short.

mod system;
mod time;
mod volume;

use consoles::terminal::Kind;
use message::{MESSAGES, Message};
use nucleus::command::{self, Command, Issuer, Origin, query, set};
use spool::Spool;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::Random;
use time::Time;

/// How many lines are typed.
const LINES: usize = 30_000;

const USERS: &str = "USER OPERATOR NOPASS 1M 8M ABCDEFG\n CONSOLE 009 3215 T\n SPOOL 00C 2540 READER *\n\
     SPOOL 00D 2540 PUNCH A\n SPOOL 00E 1403 A\nUSER OTHER NOPASS 1M 8M G\n CONSOLE 009 3215 T\n";

/// What ends the session, or waits.
const LEFT_OUT: &[&str] =
    &["LOGOFF", "LOGOUT", "FORCE", "SHUTDOWN", "DISCONNECT", "SLEEP", "ECHO", "SEND", "FOR", "AT", "SNAPSHOT"];

/// What is typed besides the words of the syntax: names that are too long, numbers, marks, and what there is.
const OPERANDS: &[&str] = &[
    "frobnication",
    "verylongname.ext",
    "operator",
    "other",
    "nobody",
    "*",
    "-",
    ".",
    "=",
    "=zz",
    "+",
    "0",
    "1",
    "00c",
    "00e",
    "190",
    "200",
    "580",
    "0999",
    "123456789",
    "fffffffff",
    "0-",
    "-5",
    "5-3",
    "1.0",
    "100-1ff",
    "100.10",
    "16m",
    "m",
    "99999999g",
    "on",
    "off",
    "all",
    "10%",
    "a",
    "\"",
    "(",
    "#",
    "é",
    "cp",
    "to",
    "as",
    "type,with,commas",
];

/// The fields of a text that a template has made, if it has.
fn fields<'a>(template: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut literals = template.split('{').map(|part| part.split_once('}').map_or(part, |(_, literal)| literal));
    let mut left = text.strip_prefix(literals.next()?)?;
    let mut found = Vec::new();
    for literal in literals {
        let end = if literal.is_empty() { left.len() } else { left.find(literal)? };
        found.push(&left[..end]);
        left = &left[end + literal.len()..];
    }
    left.is_empty().then_some(found)
}

/// What is wrong with a message that answers a line.
fn wrong(message: &Message, line: &str) -> Option<String> {
    let rows = MESSAGES.iter().filter(|row| row.number == message.number && row.severity == message.severity);
    let Some(fields) = rows.filter_map(|row| fields(row.text, &message.text)).next() else {
        return Some("no row of the table has made it".into());
    };
    if fields.iter().any(|field| field.trim().is_empty()) {
        return Some("a field is empty".into());
    }
    let typed: Vec<String> = line.split_ascii_whitespace().map(str::to_ascii_uppercase).collect();
    let letters = |text: &str| text.len() > 3 && text.bytes().any(|b| b.is_ascii_alphabetic());
    let cut = |field: &&&str| {
        let whole = typed.iter().any(|word| word.contains(*field) && word.len() == field.len());
        letters(field) && !whole && typed.iter().any(|word| word.starts_with(*field) || word.ends_with(*field))
    };
    fields.iter().find(cut).map(|field| format!("{field} is cut"))
}

/// The words that a command's syntax shows, in capitals and in small letters.
fn words(row: &Command) -> Vec<String> {
    let syntax: Vec<&str> = row.help().into_iter().take_while(|line| !line.is_empty()).collect();
    let syntax = syntax.join(" ");
    let words = syntax.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn no_message_has_an_empty_field_or_cuts_a_name() {
    let folder = std::env::temp_dir().join(format!("endicott-messages-test-{}", std::process::id()));
    let spool = Spool::open(&folder).expect("the host has a folder for temporary files");
    let cp = system::system(USERS, Some(spool), Arc::new(Time::default()));
    volume::install(&cp);
    let terminal = cp.connect(Kind::Typewriter, None, "", true);
    cp.start(Some(&terminal));
    let vmdbk = cp.vmdbk("OPERATOR").expect("the operator is logged on");
    let issuer = Issuer { vmdbk, origin: Origin::Diagnose, cpu: None };
    let rows = |prefix: &'static str, table: &'static [Command]| table.iter().map(move |row| (prefix, row));
    let all = rows("", command::COMMANDS).chain(rows("query ", query::QUERIES)).chain(rows("set ", set::SETTINGS));
    let all: Vec<_> = all
        .filter(|(_, row)| !LEFT_OUT.contains(&row.name.to_ascii_uppercase().as_str()))
        .map(|(prefix, row)| (format!("{prefix}{}", row.name.to_ascii_lowercase()), words(row)))
        .collect();
    let mut random = Random::seeded(1);
    let (mut told, mut faults) = (BTreeSet::new(), BTreeSet::new());
    for n in 0..LINES {
        let (name, known) = &all[n % all.len()];
        let mut line = name.clone();
        for _ in 0..random.below(5) {
            let own = !known.is_empty() && random.below(2) == 0;
            line += " ";
            line += if own { &known[random.below(known.len())] } else { OPERANDS[random.below(OPERANDS.len())] };
        }
        if let Err(message) = command::execute(&cp, &issuer, &line) {
            if let Some(why) = wrong(&message, &line) {
                faults.insert(format!("{line}: {message}: {why}"));
            }
            told.insert((message.number, message.text.split(' ').next().map(str::to_string)));
        }
        terminal.take_output();
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(faults.is_empty(), "{} of {LINES}: {:#?}", faults.len(), faults.iter().take(40).collect::<Vec<_>>());
    assert!(told.len() > 60, "the lines provoke too few messages: {}", told.len());
}

#[test]
fn the_check_finds_what_it_looks_for() {
    let whole = message::invalid_operand("FROBNICATION");
    assert_eq!(wrong(&whole, "set frobnication"), None);
    assert_eq!(wrong(&message::invalid_operand(""), "set x").as_deref(), Some("a field is empty"));
    let cut = message::invalid_operand("FROBNICA");
    assert_eq!(wrong(&cut, "set frobnication").as_deref(), Some("FROBNICA is cut"));
    assert_eq!(wrong(&cut, "store sfrobnica 1").as_deref(), Some("FROBNICA is cut"));
    let foreign = Message { text: "Nothing of the kind".into(), ..whole };
    assert!(wrong(&foreign, "set").is_some());
}
