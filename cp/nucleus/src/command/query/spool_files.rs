//! QUERY RDR, PRT and PUN: the files on the queues. Linux's vmur and many an EXEC take the lines apart by columns.

use super::super::{Issuer, Response, spool_files};
use crate::system::Cp;
use message::Message;
use message::calendar::Date;
use message::words::Words;
use spool::{Queue, Selection, SpoolFile};

/// `Query Reader [userid|*] [spoolid|CLass c|FORM f|DEST d|ALL ...] [HOld|NOHold] [SHORTdate|FULLdate|ISOdate]`
///
/// Lists the spool files in your reader's queue: who sent each, its number, class and device, records, copies, hold.
/// With ALL also date and time, name and type, distribution code. Files of other users, or of all (SYSTEM), are for
/// class D.
pub fn reader(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Reader)
}

/// `Query RDR [operand ...]`
///
/// The same as QUERY READER.
pub fn rdr(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Reader)
}

/// `Query PRinter [operand ...]`
///
/// Lists the spool files in your printer queue; the operands are those of QUERY READER.
pub fn printer(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Printer)
}

/// `Query PRT [operand ...]`
///
/// The same as QUERY PRINTER.
pub fn prt(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Printer)
}

/// `Query PUnch [operand ...]`
///
/// Lists the spool files in your punch queue; the operands are those of QUERY READER.
pub fn punch(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Punch)
}

/// `Query PCH [operand ...]`
///
/// The same as QUERY PUNCH.
pub fn pch(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    list(cp, issuer, words, Queue::Punch)
}

/// `Query TAg DEV vdev|FILE spoolid`
///
/// Shows the tag of a device or a file; the same as TAG QUERY.
pub fn tag(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    super::super::tag::query(cp, issuer, words)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DateForm {
    Short,
    Full,
    Iso,
}

fn list(cp: &Cp, issuer: &Issuer, mut words: Words<'_>, queue: Queue) -> Result<Response, Message> {
    let (mut target, mut everybody) = (spool_files::Target::own(issuer), false);
    let (mut long, mut form, mut held) = (false, DateForm::Short, None);
    let mut selections = Vec::new();
    let mut first = true;
    while let Some(word) = words.peek() {
        match () {
            () if word.is("ALL") => long = true,
            () if word.is("SHORTdate") => form = DateForm::Short,
            () if word.is("FULLdate") => form = DateForm::Full,
            () if word.is("ISOdate") => form = DateForm::Iso,
            () if word.is("HOld") => held = Some(true),
            () if word.is("NOHold") => held = Some(false),
            () if word.is("EXP") || word.is("TBL") || word.is("PSF") => long = true,
            () => {
                if let Some(selection) = spool_files::selection(&mut words)? {
                    selections.push(selection);
                    first = false;
                    continue;
                }
                if !first {
                    return Err(word.invalid());
                }
                everybody = word.is("SYSTEM") && issuer.has("D");
                if !everybody {
                    target.of(issuer, word)?;
                }
            }
        }
        first = false;
        words.next();
    }
    let fits = |file: &SpoolFile| {
        let selected = selections.is_empty() || selections.iter().any(|selection| selection.takes(file));
        selected && (everybody || target.admits(file)) && held.is_none_or(|held| held == file.hold.any())
    };
    let files: Vec<SpoolFile> = spool::ask(&cp.spool, |spool| {
        let all = spool.all_files().filter(|file| everybody && file.queue == queue && fits(file));
        let own = spool.files(&target.owner, queue).filter(|file| !everybody && fits(file));
        all.chain(own).cloned().collect()
    });
    if let ([], [Selection::Spid(spid)]) = (files.as_slice(), selections.as_slice()) {
        return Err(message::spoolid_absent(format!("{spid:04}")).from("CQS"));
    }
    if files.is_empty() {
        return Ok(format!("NO {} FILES", queue.name()).into());
    }
    let who = if everybody { "OWNERID " } else { "ORIGINID" };
    let mut lines = Vec::with_capacity(files.len() + 1);
    lines.push(match (long, form) {
        (false, _) => format!("{who} FILE CLASS RECORDS  CPY HOLD USERFORM OPERFORM DEST     KEEP MSG"),
        (true, DateForm::Short) => {
            format!("{who} FILE CLASS RECORDS  CPY HOLD DATE  TIME     NAME      TYPE     DIST")
        }
        (true, _) => format!("{who} FILE CLASS RECORDS  CPY HOLD DATE       TIME     NAME      TYPE     DIST"),
    });
    lines.extend(files.iter().map(|file| {
        let who = if everybody { &file.owner } else { &file.originator };
        let front = format!(
            "{who:<8} {:04} {} {} {:08} {:03} {:<4}",
            file.spid,
            file.class,
            file.device.name(),
            file.records,
            file.copies,
            file.hold.name()
        );
        if !long {
            let keep = if file.keep { "ON" } else { "OFF" };
            return format!("{front} {:<8} {:<8} {:<8} {keep:<4} OFF", file.form, file.form, file.dest);
        }
        let date = Date::at(file.created, &cp.config.zone);
        let day = match form {
            DateForm::Short => date.month_day(),
            DateForm::Full => date.full(),
            DateForm::Iso => date.iso(),
        };
        // A data set name is in both fields: its first 12 characters are the name, the others the type.
        let name = match file.name.len() {
            12.. => format!("{}{:<18}", file.name, file.kind),
            _ => format!("{:<9} {:<8}", file.name, file.kind),
        };
        let name: String = name.chars().take(18).collect();
        format!("{front} {day} {} {name} {:<8}", date.time(), file.dist)
    }));
    Ok(lines.into())
}
