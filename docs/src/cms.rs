//! The reference of CMS: commands, REXX and messages, from what its HELP shows: the tables of the nucleus, and
//! `guest/cms/help`.

use std::fmt::Write;

const TABLE: &str = include_str!("../../guest/cms/command/table.c");
const REPOSITORY: &str = include_str!("../../guest/cms/nucleus/message.c");
const COMMANDS: &str = include_str!("../../guest/cms/help/cms.txt");
const REXX: &str = include_str!("../../guest/cms/help/rexx.txt");
const TASKS: &str = include_str!("../../guest/cms/help/tasks.txt");
const MESSAGES: &str = include_str!("../../guest/cms/help/messages.txt");

/// A row of the table of commands.
struct Command {
    name: String,
    syntax: String,
    help: String,
}

/// The string literals of a piece of C, in order; neighbours are not put together.
pub fn literals(text: &str) -> Vec<String> {
    let (mut all, mut one) = (Vec::new(), None::<String>);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (&mut one, c) {
            (None, '"') => one = Some(String::new()),
            (None, _) => (),
            (Some(_), '"') => all.extend(one.take()),
            (Some(string), '\\') => string.extend(characters.next()),
            (Some(string), c) => string.push(c),
        }
    }
    all
}

fn commands() -> Vec<Command> {
    let (_, rows) = TABLE.split_once("commands[] = {").expect("the table of commands is there");
    let strings = literals(rows);
    let rows = strings.chunks_exact(3);
    rows.map(|row| Command { name: row[0].clone(), syntax: row[1].clone(), help: row[2].clone() }).collect()
}

/// Numbers and texts of a repository, with `...` where something is put in.
pub fn messages(repository: &str) -> Vec<(u32, String)> {
    let rows = repository.lines().filter_map(|line| line.trim().strip_prefix("{ ")?.split_once(", \""));
    let row = |(number, text): (&str, &str)| {
        let (text, _) = text.rsplit_once('"')?;
        Some((number.parse().ok()?, filled_in(text)))
    };
    rows.filter_map(row).collect()
}

pub fn filled_in(text: &str) -> String {
    let mut parts = text.split('%');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        all += "...";
        all.extend(rest.chars().skip(1));
    }
    all
}

/// The topics of a file of HELP: names and texts.
pub fn topics(file: &str) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for line in file.lines() {
        match (line.strip_prefix('.'), all.last_mut()) {
            (Some(name), _) => all.push((name, String::new())),
            (None, Some((_, text))) => *text += &format!("{}\n", line.trim_end()),
            (None, None) => panic!("{line} is in front of all topics"),
        }
    }
    all
}

pub fn fenced(page: &mut String, text: &str) {
    let text = text.trim_matches('\n');
    if !text.is_empty() {
        let _ = write!(page, "\n```text\n{text}\n```\n");
    }
}

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# CMS\n\n\
         Made by `make docs` from the tables of the nucleus and from `guest/cms/help`; HELP, HELP REXX, HELP TASK and HELP DMSxxxnnn show the same\n\
         text. Capitals are the shortest abbreviation. PIPE's stages have a page of [their own](pipelines.md).\n\n## Commands\n",
    );
    let details = topics(COMMANDS);
    for Command { name, syntax, help } in commands() {
        let _ = write!(page, "\n### {name}\n\n`{syntax}`\n\n{help}\n");
        details.iter().filter(|(topic, _)| *topic == name).for_each(|(_, text)| fenced(&mut page, text));
    }
    page += "\n## Tasks\n";
    for (name, text) in topics(TASKS) {
        let _ = write!(page, "\n### {name}\n");
        fenced(&mut page, &text);
    }
    page += "\n## REXX\n";
    for (name, text) in topics(REXX) {
        let _ = write!(page, "\n### REXX {name}\n");
        fenced(&mut page, &text);
    }
    page += "\n## Messages\n\n\
         DMS, three letters of who says it, the number, and I information, W warning, E error, S severe, T terminating, R a reply is\n\
         wanted. Dots stand for what is put in.\n";
    explain(&mut page, &messages(REPOSITORY), MESSAGES);
    page
}

/// Messages, each with what a file of HELP says of it.
pub fn explain(page: &mut String, messages: &[(u32, String)], help: &str) {
    let explained = topics(help);
    for (n, (number, text)) in messages.iter().enumerate() {
        let _ = write!(page, "\n**{number:03}** {text}\n");
        // A number that has two texts is explained once.
        if messages.get(n + 1).is_some_and(|(next, _)| next == number) {
            continue;
        }
        let explanation = explained.iter().find(|(topic, _)| *topic == format!("{number:03}"));
        let _ = writeln!(page, "\n> {}", explanation.map_or("", |(_, text)| text.trim()).replace('\n', "\n> "));
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The widest line that a terminal types whole.
    const WIDTH: usize = 79;

    #[test]
    fn help_knows_every_command_and_no_other() {
        let names: Vec<String> = commands().into_iter().map(|command| command.name).collect();
        assert!(names.len() > 60 && names.contains(&"TYPE".into()), "{names:?}");
        let topics: Vec<&str> = topics(COMMANDS).into_iter().map(|(name, _)| name).collect();
        assert_eq!(topics, names, "the topics of cms.txt are in the order of the table");
    }

    #[test]
    fn every_command_is_for_a_task() {
        let names: BTreeSet<String> = commands().into_iter().map(|command| command.name).collect();
        let words = TASKS.lines().filter(|line| line.starts_with(' ')).flat_map(str::split_whitespace);
        let tasks: BTreeSet<String> = words.map(str::to_owned).collect();
        assert_eq!(tasks, names);
    }

    /// A file of HELP has each message of a repository once.
    pub fn explains_every_message(repository: &str, help: &str) {
        let known: BTreeSet<String> =
            messages(repository).into_iter().map(|(number, _)| format!("{number:03}")).collect();
        assert!(known.len() > 50, "{known:?}");
        let explained: Vec<(&str, String)> = topics(help);
        let numbers: BTreeSet<String> = explained.iter().map(|(number, _)| (*number).to_owned()).collect();
        assert_eq!(numbers, known);
        assert_eq!(explained.len(), known.len(), "each once");
        explained.iter().for_each(|(number, text)| assert!(!text.trim().is_empty(), "{number}"));
    }

    /// The lines of a file of HELP can be typed.
    pub fn fits_the_terminal(help: &str) {
        for line in help.lines() {
            assert!((1..=WIDTH).contains(&line.chars().count()), "{line:?}");
            assert!(line.is_ascii() && !line.contains('\t'), "{line:?}");
        }
    }

    #[test]
    fn help_explains_every_message_and_no_other() {
        explains_every_message(REPOSITORY, MESSAGES);
    }

    #[test]
    fn what_help_types_fits_the_terminal() {
        [COMMANDS, REXX, MESSAGES, TASKS].into_iter().for_each(fits_the_terminal);
    }

    #[test]
    fn strings_of_c_are_read() {
        assert_eq!(literals(r#"{ "A \"b\" \\", 2, f, "" }"#), [r#"A "b" \"#, ""]);
        assert_eq!(filled_in("%s(%03x) not %t"), "...(...) not ...");
    }
}
