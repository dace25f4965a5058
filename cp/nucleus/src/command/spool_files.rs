//! What the commands about spool files have in common: the owner of the files, the queues, which files of those.

use super::{Issuer, spool_options};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use spool::{Queue, Selection, Spool, SpoolFile};

/// Does something with the spool, or says that there is none.
pub fn with<T>(cp: &Cp, action: impl FnOnce(&mut Spool) -> Result<T, Message>) -> Result<T, Message> {
    spool::lock(&cp.spool).as_mut().ok_or_else(|| message_of(&spool::Error::Absent)).and_then(action)
}

/// What a user is told when the spool fails.
pub fn message_of(error: &spool::Error) -> Message {
    match error {
        spool::Error::NoSpid(_) => message::spool_limit(),
        spool::Error::NoFile(_, spid) => message::spoolid_absent(format!("{spid:04}")),
        spool::Error::InUse(_, spid) => message::spool_file_in_use(format!("{spid:04}")),
        other => message::spool_error(other),
    }
}

/// The first operands: `[userid|*] RDR|PRT|PUN|ALL`. Of other users' files, a user without class D can have those that
/// this user sent.
pub struct Target {
    /// The user who has the files.
    pub owner: String,
    /// The queues that were named.
    pub queues: Vec<Queue>,
    /// Only files that this user has sent.
    pub originator: Option<String>,
}

impl Target {
    /// Takes the operands from `words`. It is an error if a queue is not among them, or the user may not have those
    /// files.
    pub fn parse(issuer: &Issuer, words: &mut Words<'_>) -> Result<Target, Message> {
        let mut target = Target::own(issuer);
        let mut word = words.need()?;
        if queues(word).is_none() {
            target.of(issuer, word)?;
            word = words.need()?;
        }
        target.queues = queues(word).ok_or_else(|| word.invalid())?;
        Ok(target)
    }

    /// The issuer's own files, on no queue yet.
    pub fn own(issuer: &Issuer) -> Target {
        Target { owner: issuer.userid().into(), queues: Vec::new(), originator: None }
    }

    /// Sets the owner: a user ID, or `*` for the issuer.
    pub fn of(&mut self, issuer: &Issuer, word: Word<'_>) -> Result<(), Message> {
        self.owner = if word.0 == "*" { issuer.userid().into() } else { word.userid()? };
        let others = self.owner != issuer.userid() && !issuer.has("D");
        self.originator = others.then(|| issuer.userid().into());
        Ok(())
    }

    /// Whether the issuer can have this file of the owner's.
    pub fn admits(&self, file: &SpoolFile) -> bool {
        self.originator.as_ref().is_none_or(|originator| file.originator == *originator)
    }

    /// The selections to use for `selection`: that itself, or the number of each file in it that the issuer sent.
    pub fn narrow(&self, spool: &Spool, queue: Queue, selection: &Selection) -> Vec<Selection> {
        if self.originator.is_none() {
            return vec![selection.clone()];
        }
        let takes = |file: &&SpoolFile| self.admits(file) && selection.takes(file);
        spool.files(&self.owner, queue).filter(takes).map(|file| Selection::Spid(file.spid)).collect()
    }
}

fn queues(word: Word<'_>) -> Option<Vec<Queue>> {
    if word.is("ALL") || word.is("UR") {
        Some(Queue::ALL.to_vec())
    } else {
        spool_options::queue(word).map(|queue| vec![queue])
    }
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
            let found = |file: &&SpoolFile| target.queues.contains(&file.queue) && target.admits(file);
            spool
                .file(&target.owner, *spid)
                .filter(found)
                .ok_or_else(|| message::spoolid_absent(format!("{spid:04}")))?;
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
