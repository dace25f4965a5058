//! The references of CP: its commands, whose text is the comment above the function that performs each, and its
//! messages.

use std::fmt::Write;

use message::MESSAGES;
use nucleus::command::{COMMANDS, Command, query::QUERIES, set::SETTINGS};

/// The commands.
pub(crate) fn commands() -> String {
    let mut page = String::from(
        "# CP commands\n\n\
         Made by `make docs` from the comments above the functions in `cp/nucleus/src/command/`; HELP shows the same \
         text.\n\
         Capitals are the shortest abbreviation. Where two commands share one, the earlier in this list has it.\n",
    );
    for (title, prefix, table) in [("Commands", "", COMMANDS), ("QUERY", "Query ", QUERIES), ("SET", "SET ", SETTINGS)]
    {
        let _ = write!(page, "\n## {title}\n");
        table.iter().for_each(|row| command(&mut page, prefix, row));
    }
    page
}

fn command(page: &mut String, prefix: &str, row: &Command) {
    let _ = write!(page, "\n### {prefix}{}\n\nPrivilege class {}.\n\n", row.name, row.classes);
    for line in row.help() {
        let _ = writeln!(page, "{line}");
    }
}

/// The messages.
pub(crate) fn messages() -> String {
    let mut page = String::from(
        "# CP messages\n\n\
         Made by `make docs` from the table in `cp/message/src/lib.rs`. The number is what DIAGNOSE X'08' returns; \
         the\n\
         letter says E error, I information, W warning, A action, R response awaited. Words in braces are filled in.\n",
    );
    for row in MESSAGES {
        let _ = write!(page, "\n**HCP{}{:03}{}** {}\n\n", row.module, row.number, row.severity, row.text);
        let _ = writeln!(page, "> {}", row.explanation.trim());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_message_is_explained() {
        let pages = commands() + &messages();
        for row in [COMMANDS, QUERIES, SETTINGS].into_iter().flatten() {
            assert!(pages.contains(&format!(" {}\n\nPrivilege", row.name)), "{} is missing", row.name);
        }
        for row in MESSAGES {
            assert!(!row.explanation.trim().is_empty(), "{} is not explained", row.text);
        }
    }
}
