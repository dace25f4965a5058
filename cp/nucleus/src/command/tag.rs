//! TAG.

use super::spool_files::{self, message_of};
use super::spool_options::units;
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use spool::{Change, Selection};
use unitrecord::lock_unit;

/// `TAg DEV vdev|PRinter|PUnch|CONsole [text]`
///
/// Gives the files of a device a tag: up to 136 characters for the person or program that handles the file, the address
/// of another node for example. TAG FILE spoolid text tags a file that is in a queue of yours; TAG QUery DEV vdev and
/// TAG QUery FILE spoolid show tags.
pub fn tag(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if words.accept("QUery") {
        return query(cp, issuer, words);
    }
    if words.accept("FILe") {
        let spid = need_spid(&mut words)?;
        let change = Change { tag: Some(text(&words)?), ..Change::default() };
        spool_files::with(cp, |spool| {
            let queue = spool.file(issuer.userid(), spid).map(|file| file.queue);
            let queue = queue.ok_or_else(|| message::spoolid_absent(format!("{spid:04}")))?;
            spool.change(issuer.userid(), queue, &Selection::Spid(spid), &change).map_err(|error| message_of(&error))
        })?;
        return Ok(Response::none());
    }
    words.accept("DEVice");
    let (units, _) = units(issuer, &mut words)?;
    let text = text(&words)?;
    units.iter().for_each(|unit| lock_unit(unit).settings.tag.clone_from(&text));
    Ok(Response::none())
}

/// `DEV vdev` or `FILE spoolid`: the tag of a device or a file.
pub fn query(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if words.accept("FILe") {
        let spid = need_spid(&mut words)?;
        words.end()?;
        let tag = spool::ask(&cp.spool, |spool| spool.file(issuer.userid(), spid).map(|file| file.tag.clone()));
        return Ok(tag.ok_or_else(|| message::spoolid_absent(format!("{spid:04}")))?.into());
    }
    words.accept("DEVice");
    let (units, _) = units(issuer, &mut words)?;
    words.end()?;
    Ok(units.iter().map(|unit| lock_unit(unit).settings.tag.clone()).collect::<Vec<_>>().into())
}

fn need_spid(words: &mut Words<'_>) -> Result<u16, Message> {
    let word = words.next().ok_or_else(message::spoolid_missing)?;
    let spid = word.decimal().filter(|n| (1..=9999).contains(n)).and_then(|n| u16::try_from(n).ok());
    spid.ok_or_else(|| message::invalid_spoolid(word.upper()))
}

fn text(words: &Words<'_>) -> Result<String, Message> {
    let text = words.rest();
    if text.chars().count() <= 136 { Ok(text.into()) } else { Err(message::invalid_operand("TAG")) }
}
