//! The reference of CMS: commands, REXX and messages, from their description in `guest/cms/help`, which HELP shows too.

use description::{Description, Message, with_dots};
use std::fmt::Write;
use std::path::Path;

/// What `guest/cms/help` says.
pub(crate) fn description() -> Description {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/cms");
    Description::read(&source).unwrap_or_else(|why| panic!("{why}"))
}

fn fenced(page: &mut String, lines: &[String]) {
    let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    let text = text.trim_matches('\n');
    if !text.is_empty() {
        let _ = write!(page, "\n```text\n{text}\n```\n");
    }
}

/// The page.
pub(crate) fn page(description: &Description) -> String {
    let mut page = String::from(
        "# CMS\n\n\
         Made by `make docs` from `guest/cms/help`; HELP, HELP REXX, HELP TASK and HELP DMSxxxnnn show the same text.\n\
         Capitals are the shortest abbreviation. PIPE's stages have a page of [their own](pipelines.md).\n\n\
         ## Commands\n",
    );
    for command in &description.commands {
        let _ = write!(page, "\n### {}\n\n`{}`\n\n{}\n", command.name, command.syntax, command.purpose);
        fenced(&mut page, &command.detail);
    }
    page += "\n## Tasks\n";
    for task in &description.tasks {
        let _ = write!(page, "\n### {}\n\n{}:", task.name, task.title);
        let commands = description.commands.iter().filter(|command| command.tasks.contains(&task.name));
        commands.for_each(|command| page += &format!(" {}", command.name));
        page.push('\n');
    }
    page += "\n## REXX\n";
    for (name, text) in &description.rexx {
        let _ = write!(page, "\n### REXX {name}\n");
        fenced(&mut page, text);
    }
    page += "\n## Messages\n\n\
         DMS, three letters of who says it, the number, and I information, W warning, E error, S severe, T \
         terminating, R a reply is\n\
         wanted, X that only EXECs say it, with XMITMSG. Dots stand for what is put in.\n";
    explain(&mut page, &description.messages);
    page += "\n## Messages of DDR\n\n\
         HCPDDR, the number, and I information, E error, D a decision or A an action is wanted.\n";
    explain(&mut page, &description.ddr_messages);
    page
}

/// Messages, each with what HELP says of it.
pub(crate) fn explain(page: &mut String, messages: &[Message]) {
    for Message { number, severities, text, explanation } in messages {
        let letters = severities.chars().map(String::from).collect::<Vec<_>>().join(" or ");
        let _ = write!(page, "\n**{number:03}** {letters}: {}\n", with_dots(text));
        // A number that has two texts is explained once.
        if !explanation.is_empty() {
            let _ = writeln!(page, "\n> {}", explanation.join("\n> "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_messages_are_on_the_page() {
        let page = page(&description());
        assert!(page.contains("\n### TYPE\n\n`Type fn ft") && page.contains("\n### TAPE\n"));
        let texts = [
            "\n**002** E or W: File ... not found\n",
            "\n**002** E or W: File not found\n",
            "\n**002** E: Data set not found\n",
            "\n> There is no such file",
        ];
        assert!(page.contains(&texts.concat()), "{page}");
    }

    #[test]
    fn dots_stand_for_what_is_put_in() {
        assert_eq!(with_dots("%s(%03x) not %t"), "...(...) not ...");
    }
}
