//! Pages of HELP: each section that a page should have is there. What is missing still is counted: no count may grow.

use std::collections::{BTreeMap, BTreeSet};

use crate::description;
use description::{Command, Description, c};

/// What the pages of a kind lack, at most; lower it when it has become less.
struct Most {
    operands: usize,
    example: usize,
    codes: usize,
}

const COMMANDS: Most = Most { operands: 0, example: 0, codes: 0 };
const SUBCOMMANDS: Most = Most { operands: 0, example: 0, codes: 0 };
const OPTIONS: Most = Most { operands: 0, example: 0, codes: 0 };

/// What stands for something in a syntax: words without capitals.
fn operands(command: &Command) -> BTreeSet<&str> {
    let (operands, _) = command.syntax.split_once("[( ").unwrap_or((&command.syntax, ""));
    let words = operands.split(|c: char| !c.is_ascii_alphanumeric()).skip(1);
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect()
}

/// The sections that a page has not.
fn missing(command: &Command) -> Vec<&'static str> {
    let text =
        command.detail.iter().chain(&command.examples).fold(command.purpose.clone(), |text, line| text + "\n" + line);
    let mut all = Vec::new();
    if operands(command).into_iter().any(|word| c::word_at(&text, word).next().is_none()) {
        all.push("operands");
    }
    let begins = |line: &&String| {
        let word = line.trim_start_matches([' ', '\'']).split([' ', '#']).next().unwrap_or_default();
        let full = command.name.to_ascii_lowercase();
        let verb = full.strip_prefix(&word.to_ascii_lowercase()).is_some();
        line.starts_with(' ') && (verb || word.eq_ignore_ascii_case("set")) && !word.is_empty()
    };
    if !text.contains("Example") && command.examples.is_empty() && !command.detail.iter().any(|line| begins(&line)) {
        all.push("example");
    }
    // All options of SET have the same.
    if !command.syntax.starts_with("SET ") && !command.syntax.starts_with("Query ") && !text.contains("eturn code") {
        all.push("codes");
    }
    all
}

fn check(kind: &str, pages: &[Command], most: &Most) -> Vec<String> {
    let mut lacking = BTreeMap::<&str, Vec<&str>>::new();
    for page in pages {
        missing(page).into_iter().for_each(|section| lacking.entry(section).or_default().push(&page.name));
    }
    let limits = [("operands", most.operands), ("example", most.example), ("codes", most.codes)];
    let wrong = limits.into_iter().filter_map(|(section, most)| {
        let names = lacking.remove(section).unwrap_or_default();
        let count = names.len();
        (count != most).then(|| format!("{kind}: {count} of {} lack {section}, not {most}: {names:?}", pages.len()))
    });
    wrong.collect()
}

#[test]
fn pages_have_their_sections() {
    let Description { commands, subcommands, options, .. } = description();
    let mut wrong = check("commands", &commands, &COMMANDS);
    wrong.extend(check("subcommands", &subcommands, &SUBCOMMANDS));
    wrong.extend(check("options of SET", &options, &OPTIONS));
    crate::agree(&wrong);
}

/// Each subcommand and option has something that it is related to; groups name nothing else.
#[test]
fn subcommands_and_options_are_in_groups() {
    let all = description();
    let mut wrong = Vec::new();
    for (what, pages) in [("XEDIT", &all.subcommands), ("SET", &all.options)] {
        let named: BTreeSet<&String> =
            all.groups.iter().filter(|group| group.what == what).flat_map(|group| &group.members).collect();
        let known: BTreeSet<&String> = pages.iter().map(|page| &page.name).collect();
        wrong.extend(known.difference(&named).map(|name| format!("{what} {name} is in no group of groups.txt")));
        wrong.extend(named.difference(&known).map(|name| format!("groups.txt has {name}, which {what} has not")));
    }
    crate::agree(&wrong);
}

/// Commands say messages: what the pages list comes from the C files.
#[test]
fn messages_of_commands_are_known() {
    let all = description();
    let of = |name: &str| &all.commands.iter().find(|command| command.name == name).expect("it is there").messages;
    assert!(of("RENAME").iter().any(|id| id.starts_with("DMS") && id.ends_with('E')), "{:?}", of("RENAME"));
    assert!(of("SENDFILE").contains(&"DMSSFD631E".to_owned()), "{:?}", of("SENDFILE"));
    assert!(of("SENDFILE").contains(&"DMSSFD003E".to_owned()), "an option is looked at by another file");
    let known: BTreeSet<u32> = all.messages.iter().map(|message| message.number).collect();
    for command in all.commands.iter().chain(&all.subcommands) {
        for id in &command.messages {
            let number = id[6..id.len() - 1].parse().expect("a number");
            assert!(known.contains(&number), "{} says {id}", command.name);
        }
    }
}
