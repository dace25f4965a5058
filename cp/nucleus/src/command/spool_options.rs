//! The operands that SPOOL, CLOSE and CHANGE share, as they are typed.

use super::Issuer;
use crate::system::Cp;
use directory::SpoolKind;
use message::Message;
use message::words::{Word, Words};
use spool::Queue;
use unitrecord::options::{Options, Recipient};
use unitrecord::{SharedUnit, lock_unit};

/// Which command the operands are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// Of SPOOL, which sets what a device does.
    Spool,
    /// Of CLOSE, which ends a device's file.
    Close,
    /// Of CHANGE, which is about files that exist.
    Change,
}

/// The devices that the first operand names; whether it was ALL.
pub fn units(issuer: &Issuer, words: &mut Words<'_>) -> Result<(Vec<SharedUnit>, bool), Message> {
    let word = words.need()?;
    let units = issuer.vmdbk.units();
    let (kind, console) = match () {
        () if word.is("ALL") => return Ok((units, true)),
        () if word.is("CONsole") => (SpoolKind::Printer, true),
        () => match queue(word) {
            Some(Queue::Reader) => (SpoolKind::Reader, false),
            Some(Queue::Printer) => (SpoolKind::Printer, false),
            Some(Queue::Punch) => (SpoolKind::Punch, false),
            None => {
                let vdev = word.device().ok_or_else(|| word.invalid())?;
                let unit = issuer.vmdbk.unit(vdev).ok_or_else(|| message::device_absent(format!("{vdev:04X}")))?;
                return Ok((vec![unit], false));
            }
        },
    };
    let wanted = |unit: &SharedUnit| {
        let unit = lock_unit(unit);
        unit.kind == kind && unit.console == console
    };
    let found: Vec<SharedUnit> = units.into_iter().filter(wanted).collect();
    if found.is_empty() { Err(message::device_absent(word.upper())) } else { Ok((found, false)) }
}

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
            // Operands for real printers have no effect here.
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
