//! The operands that SPOOL, CLOSE and CHANGE share: what is to be said about a file.

use super::{Settings, queue_of};
use crate::message::{self, Message};
use crate::system::Cp;
use crate::words::{Word, Words};
use directory::SpoolKind;
use spool::{Change, Queue};

/// Which command the operands are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    Spool,
    Close,
    Change,
}

/// The user who gets a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient {
    pub userid: String,
    /// The queue that was named.
    pub queue: Option<Queue>,
    /// FOR: the file stays on the device's own kind of queue.
    pub on_behalf: bool,
}

/// Operands; what was not said is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub class: Option<char>,
    pub copies: Option<u16>,
    pub continuous: Option<bool>,
    pub eof: Option<bool>,
    pub hold: Option<bool>,
    pub keep: Option<bool>,
    pub notify: Option<bool>,
    pub rescan: Option<bool>,
    pub form: Option<String>,
    pub dest: Option<String>,
    pub dist: Option<String>,
    pub to: Option<Recipient>,
    pub name: Option<(String, String)>,
    /// START or STOP of a console.
    pub start: Option<bool>,
    /// TERM or NOTERM of a console.
    pub show: Option<bool>,
    /// CLOSE and PURGE as operands.
    pub close: bool,
    pub purge: bool,
    /// A word that only output devices, only readers, only consoles know.
    pub output_only: Option<String>,
    pub reader_only: Option<String>,
    pub console_only: Option<String>,
}

impl Options {
    /// Takes the operands of a command of `userid`, a user with the distribution code `dist`.
    pub fn parse(cp: &Cp, userid: &str, dist: &str, of: Of, mut words: Words<'_>) -> Result<Options, Message> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            let (spool, close) = (of == Of::Spool, of == Of::Close);
            let any = true;
            let is = |keyword: &str, allowed: bool| allowed && word.is(keyword);
            let mut output_only = true;
            match () {
                () if is("CLass", any) => {
                    options.class = Some(class(words.need()?, spool)?);
                    output_only = false;
                }
                () if is("HOld", any) => (options.hold, output_only) = (Some(true), false),
                () if is("NOHold", any) => (options.hold, output_only) = (Some(false), false),
                () if is("KEEP", any) => (options.keep, output_only) = (Some(true), false),
                () if is("NOKEEP", any) => (options.keep, output_only) = (Some(false), false),
                () if is("MSG", any) => (options.notify, output_only) = (Some(true), false),
                () if is("NOMSG", any) => (options.notify, output_only) = (Some(false), false),
                () if is("CONt", spool) => (options.continuous, output_only) = (Some(true), false),
                () if is("NOCONt", spool) => (options.continuous, output_only) = (Some(false), false),
                () if is("CLOse", spool) => (options.close, output_only) = (true, false),
                () if is("PURge", spool || close) => (options.purge, output_only) = (true, false),
                () if is("EOF", spool) => (options.eof, output_only) = (Some(true), false),
                () if is("NOEOF", spool) => (options.eof, output_only) = (Some(false), false),
                () if is("RESCAN", spool) => {
                    (options.rescan, output_only) = (Some(true), false);
                    options.reader_only = Some(word.upper());
                }
                () if is("NORESCAN", spool) => {
                    (options.rescan, output_only) = (Some(false), false);
                    options.reader_only = Some(word.upper());
                }
                () if is("STArt", spool) => {
                    options.start = Some(true);
                    options.console_only = Some(word.upper());
                }
                () if is("STOP", spool) => {
                    options.start = Some(false);
                    options.console_only = Some(word.upper());
                }
                () if is("TERM", spool) => {
                    options.show = Some(true);
                    options.console_only = Some(word.upper());
                }
                () if is("NOTERM", spool) => {
                    options.show = Some(false);
                    options.console_only = Some(word.upper());
                }
                () if is("COpy", any) => options.copies = Some(copies(&mut words)?),
                () if is("FORM", any) || is("USERform", any) => {
                    let form = field(words.need()?)?;
                    options.form = Some(if form == "OFF" { "STANDARD".into() } else { form });
                }
                () if is("DEST", any) => {
                    let dest = field(words.need()?)?;
                    options.dest = Some(if dest == "ANY" { "OFF".into() } else { dest });
                }
                () if is("DISt", any) => {
                    let text = field(words.need()?)?;
                    options.dist = Some(if text == "*" || text == "OFF" { dist.into() } else { text });
                }
                () if is("NAme", any) => {
                    options.name = Some(name(&mut words)?);
                }
                () if is("TO", spool || close) => {
                    options.to = Some(recipient(cp, userid, words.need()?, &mut words, false)?);
                }
                () if is("FOR", spool || close) => {
                    options.to = Some(recipient(cp, userid, words.need()?, &mut words, true)?);
                }
                () if word.0 == "*" && (spool || close) => {
                    options.to = Some(recipient(cp, userid, word, &mut words, false)?);
                }
                () if is("SYStem", spool || close) || is("OFF", spool || close) => {
                    options.to = Some(Recipient { userid: userid.into(), queue: None, on_behalf: true });
                }
                // What only paper knows: taken and not acted upon.
                () if ["FCB", "CHars", "FLash", "MODify"].iter().any(|keyword| is(keyword, any)) => {
                    words.need()?;
                }
                () if is("SEParator", any) || is("NOSEParator", any) => (),
                () => return Err(word.invalid()),
            }
            if output_only {
                options.output_only.get_or_insert(word.upper());
            }
        }
        Ok(options)
    }

    /// Puts what was said into `settings`.
    pub fn apply(&self, settings: &mut Settings) {
        fn set<T: Clone>(to: &mut T, new: &Option<T>) {
            if let Some(new) = new {
                to.clone_from(new);
            }
        }
        set(&mut settings.class, &self.class);
        set(&mut settings.copies, &self.copies);
        set(&mut settings.cont, &self.continuous);
        set(&mut settings.eof, &self.eof);
        set(&mut settings.hold, &self.hold);
        set(&mut settings.keep, &self.keep);
        set(&mut settings.messages, &self.notify);
        set(&mut settings.rescan, &self.rescan);
        set(&mut settings.form, &self.form);
        set(&mut settings.dest, &self.dest);
        set(&mut settings.dist, &self.dist);
        set(&mut settings.name, &self.name);
    }

    /// TO and FOR: the user and the queue that get the file, of output from a device of this kind.
    pub fn address(&self, kind: SpoolKind, settings: &mut Settings) {
        if let Some(to) = &self.to {
            settings.to = Some(to.userid.clone());
            settings.on_behalf = to.on_behalf;
            let usual = if to.on_behalf { queue_of(kind) } else { Queue::Reader };
            settings.queue = to.queue.unwrap_or(usual);
        }
    }

    /// What CHANGE makes of these operands.
    pub fn change(&self) -> Change {
        Change {
            class: self.class,
            form: self.form.clone(),
            copies: self.copies,
            user_hold: self.hold,
            keep: self.keep,
            dist: self.dist.clone(),
            dest: self.dest.clone(),
            name: self.name.as_ref().map(|(name, _)| name.clone()),
            kind: self.name.as_ref().map(|(_, file_type)| file_type.clone()),
            ..Change::default()
        }
    }
}

/// A spool class: a letter, a digit, or `*` for a reader.
fn class(word: Word<'_>, any: bool) -> Result<char, Message> {
    let mut characters = word.0.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) if c.is_ascii_alphanumeric() || any && c == '*' => Ok(c.to_ascii_uppercase()),
        _ => Err(word.invalid()),
    }
}

/// COPY n, COPY *n, COPY * n.
fn copies(words: &mut Words<'_>) -> Result<u16, Message> {
    let mut word = words.need()?;
    if word.0 == "*" {
        word = words.need()?;
    }
    let number = Word(word.0.strip_prefix('*').unwrap_or(word.0)).decimal();
    number.filter(|n| (1..=255).contains(n)).map(|n| n as u16).ok_or_else(|| word.invalid())
}

/// A field of one to eight characters.
fn field(word: Word<'_>) -> Result<String, Message> {
    if word.0.len() <= 8 { Ok(word.upper()) } else { Err(word.invalid()) }
}

/// `fn ft`, or a data set name of up to 24 characters, which is as long as the two together.
fn name(words: &mut Words<'_>) -> Result<(String, String), Message> {
    let first = words.need()?;
    if (13..=24).contains(&first.0.len())
        && let Some((front, back)) = first.0.split_at_checked(12)
    {
        return Ok((front.to_ascii_uppercase(), back.to_ascii_uppercase()));
    }
    Ok((long_field(first)?, words.next().map_or(Ok(String::new()), long_field)?))
}

/// A file's name or type.
fn long_field(word: Word<'_>) -> Result<String, Message> {
    if word.0.chars().count() <= 12 { Ok(word.upper()) } else { Err(word.invalid()) }
}

/// A queue's name: RDR, READER, PRT, PRINTER, PUN, PUNCH, PCH and their abbreviations.
pub fn queue(word: Word<'_>) -> Option<Queue> {
    match () {
        () if word.is("Reader") || word.is("RDR") => Some(Queue::Reader),
        () if word.is("PRinter") || word.is("PRT") => Some(Queue::Printer),
        () if word.is("PUnch") || word.is("PCH") => Some(Queue::Punch),
        () => None,
    }
}

fn recipient(
    cp: &Cp,
    userid: &str,
    word: Word<'_>,
    words: &mut Words<'_>,
    on_behalf: bool,
) -> Result<Recipient, Message> {
    let (name, on_behalf) = match () {
        () if word.0 == "*" => (userid.to_string(), on_behalf),
        () if word.is("SYStem") => (userid.to_string(), true),
        () => (word.userid()?, on_behalf),
    };
    cp.user(&name).ok_or_else(|| message::not_in_directory(&name).from("SPO"))?;
    let named = words.peek().and_then(queue);
    if named.is_some() {
        words.next();
    }
    Ok(Recipient { userid: name, queue: named, on_behalf })
}
