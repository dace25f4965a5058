//! HELP.

use super::{COMMANDS, Command, Issuer, Response, find, query, set};
use crate::system::Cp;
use message::words::{Word, Words};
use message::{MESSAGES, Message};

/// `HELP [command | QUERY operand | SET operand | HCPxxxnnns]`
///
/// Explains a command or a message; without operands, lists the commands that your privilege classes allow. What HELP
/// says of a command is the comment above the function that performs it.
pub fn help(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let classes = issuer.vmdbk.lock().classes;
    let Some(topic) = words.next() else {
        let mut lines = vec!["CP commands; capitals are the shortest abbreviation:".to_string()];
        let names: Vec<_> = COMMANDS.iter().filter(|row| classes.meets(row.classes)).map(|row| row.name).collect();
        lines.extend(names.chunks(6).map(row_of));
        return Ok(lines.into());
    };
    if let Some(lines) = message_help(topic) {
        return Ok(lines.into());
    }
    let command = find(COMMANDS, topic.0, classes);
    let table: Option<&[Command]> = match command.map(|row| row.name) {
        Some("Query") => Some(query::QUERIES),
        Some("SET") => Some(set::SETTINGS),
        _ => None,
    };
    let found = match (table, words.next()) {
        (Some(table), Some(operand)) => find(table, operand.0, classes),
        _ => command,
    };
    let row = found.ok_or_else(|| message::no_help(topic.upper()))?;
    let mut lines = paragraphs(&row.help());
    lines.push(format!("Privilege class: {}", row.classes));
    if let (Some(table), true) = (table, found.map(|row| row.name) == command.map(|row| row.name)) {
        let names: Vec<_> = table.iter().filter(|row| classes.meets(row.classes)).map(|row| row.name).collect();
        lines.extend(names.chunks(6).map(row_of));
    }
    Ok(lines.into())
}

fn row_of(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:<13}")).collect::<String>().trim_end().to_string()
}

/// The paragraphs of a documentation comment, filled to the width of a terminal.
fn paragraphs(comment: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for line in comment {
        if line.is_empty() {
            lines.extend([String::new(), String::new()]);
        }
        for word in line.replace('`', "").split_ascii_whitespace() {
            let last = lines.last_mut().expect("there is a line from the start");
            match last.len() + word.len() {
                _ if last.is_empty() => last.push_str(word),
                length if length < 78 => last.extend([" ", word]),
                _ => lines.push(word.to_string()),
            }
        }
    }
    lines
}

fn message_help(topic: Word<'_>) -> Option<Vec<String>> {
    let id = topic.upper();
    let digits: String = id.strip_prefix("HCP")?.trim_start_matches(|c: char| c.is_ascii_alphabetic()).into();
    let number: u16 = digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
    let row = MESSAGES.iter().find(|row| row.number == number)?;
    let text = format!("HCP{}{:03}{} {}", row.module, row.number, row.severity, row.text);
    let mut lines = vec![text];
    lines.extend(paragraphs(&[row.explanation]));
    Some(lines)
}
