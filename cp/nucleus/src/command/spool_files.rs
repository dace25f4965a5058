//! What the commands about spool files have in common: whose files, on which queues, which of them.

use super::Issuer;
use crate::message::{self, Message};
use crate::spooling::options;
use crate::words::{Word, Words};
use spool::{Queue, Selection, Spool};

/// The first operands: `[userid|*] RDR|PRT|PUN|ALL`. Files of others are for class D.
pub struct Target {
    pub owner: String,
    pub queues: Vec<Queue>,
}

impl Target {
    pub fn parse(issuer: &Issuer, words: &mut Words<'_>) -> Result<Target, Message> {
        let mut owner = issuer.userid().to_string();
        let mut word = words.need()?;
        if queues(word).is_none() {
            owner = self::owner(issuer, word)?;
            word = words.need()?;
        }
        let queues = queues(word).ok_or_else(|| word.invalid())?;
        Ok(Target { owner, queues })
    }
}

fn queues(word: Word<'_>) -> Option<Vec<Queue>> {
    if word.is("ALL") || word.is("UR") {
        Some(Queue::ALL.to_vec())
    } else {
        options::queue(word).map(|queue| vec![queue])
    }
}

/// A user ID, or `*` for one's own; that of another needs class D.
pub fn owner(issuer: &Issuer, word: Word<'_>) -> Result<String, Message> {
    let userid = if word.0 == "*" { issuer.userid().to_string() } else { word.userid()? };
    if userid == issuer.userid() || issuer.has("D") { Ok(userid) } else { Err(word.invalid()) }
}

/// The next operands if they select files: `spid`, `CLass c`, `FORM f`, `DEST d`, `ALL`.
pub fn selection(words: &mut Words<'_>) -> Result<Option<Selection>, Message> {
    let Some(word) = words.peek() else { return Ok(None) };
    let selection = match () {
        () if word.is("ALL") => Selection::All,
        () if word.is("CLass") => {
            words.next();
            let class = words.peek().ok_or_else(message::operand_missing)?;
            let mut characters = class.0.chars();
            match (characters.next(), characters.next()) {
                (Some(c), None) if c.is_ascii_alphanumeric() => Selection::Class(c.to_ascii_uppercase()),
                _ => return Err(class.invalid()),
            }
        }
        () if word.is("FORM") || word.is("DEST") => {
            words.next();
            let value = words.peek().ok_or_else(message::operand_missing)?.upper();
            if word.is("FORM") { Selection::Form(value) } else { Selection::Dest(value) }
        }
        () => match word.decimal() {
            Some(number) => Selection::Spid(spid(word, number)?),
            None => return Ok(None),
        },
    };
    words.next();
    Ok(Some(selection))
}

/// All the rest of a line as selections, at least one.
pub fn selections(words: &mut Words<'_>) -> Result<Vec<Selection>, Message> {
    let mut selections = Vec::new();
    while let Some(selection) = selection(words)? {
        selections.push(selection);
    }
    match (selections.is_empty(), words.peek()) {
        (true, None) => Err(message::operand_missing()),
        (true, Some(word)) => Err(word.invalid()),
        (false, _) => Ok(selections),
    }
}

fn spid(word: Word<'_>, number: u64) -> Result<u16, Message> {
    u16::try_from(number).ok().filter(|n| (1..=9999).contains(n)).ok_or_else(|| message::invalid_spoolid(word.upper()))
}

/// HCP042E if a file is named by its number and is not there.
pub fn check(spool: &Spool, target: &Target, selections: &[Selection]) -> Result<(), Message> {
    for selection in selections {
        if let Selection::Spid(spid) = selection {
            let file = spool.file(&target.owner, *spid).filter(|file| target.queues.contains(&file.queue));
            file.ok_or_else(|| message::spoolid_absent(format!("{spid:04}")))?;
        }
    }
    Ok(())
}

/// As [`check`], for a command that leaves files alone that are in use: HCP043E for one named by its number.
pub fn check_idle(spool: &Spool, target: &Target, selections: &[Selection]) -> Result<(), Message> {
    check(spool, target, selections)?;
    let busy = selections.iter().find_map(|selection| match selection {
        Selection::Spid(spid) => spool.file(&target.owner, *spid).filter(|file| file.in_use),
        _ => None,
    });
    busy.map_or(Ok(()), |file| Err(message::spool_file_in_use(format!("{:04}", file.spid))))
}

/// `0000003 FILES PURGED`, `0000001 FILE  PURGED`, `NO FILES PURGED`
pub fn count(number: usize, done: &str) -> String {
    match number {
        0 => format!("NO FILES {done}"),
        1 => format!("0000001 FILE  {done}"),
        n => format!("{n:07} FILES {done}"),
    }
}
