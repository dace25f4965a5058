//! DEFSYS, DEFSEG, SAVESYS, SAVESEG: saved systems and segments are defined and saved.

use super::spool_files::{self, message_of};
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use realstorage::sharing::{self, Error};
use spool::saved::{Class, Kind, PageKind, PageRange, SavedFile};

/// The last page that storage of 31-bit programs has.
const LAST_PAGE: u64 = 0x7_ffff;

/// `DEFSYS name page[-page] type ... MINSIZE=n{K|M|G} [MACHMODE=370|XA|ESA|XC|Z,...] [PARMREGS=n[-n]|NONE] [VMGROUP]
/// [RSTD]`
///
/// Defines a saved system: the pages, in hexadecimal, that SAVESYS will save, and what a virtual machine gets of each
/// when it is started with IPL name. Types begin with S, the page is shared by all, or E, each machine's own, and go on
/// with W, it can be stored into, R, it cannot, or N, it is not saved and zero. SC is a page that only CP stores into.
/// MINSIZE is the storage that a virtual machine must have, MACHMODE the modes it may have (all, if none is named),
/// PARMREGS the general registers that get the text of IPL's PARM. RSTD: only those may IPL it who have a NAMESAVE
/// statement for it in the directory. VMGROUP says the same of a system for a group of virtual machines, and QUERY NSS
/// shows it.
pub fn defsys(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let id = define(cp, issuer, Kind::System, words)?;
    let (name, id) = id;
    Ok(message::system_defined(name, format!("{id:04}")).to_string().into())
}

/// `DEFSEG name page[-page] type ... [SPACE space] [RSTD] [LOADNSHR]`
///
/// Defines a saved segment: the pages, in hexadecimal, that SAVESEG will save, and what a program gets of each when it
/// loads the segment. The types are those of DEFSYS. RSTD: only those may load it who have a NAMESAVE statement for it
/// in the directory; with LOADNSHR as well, the others may load a copy of their own. With SPACE the segment is a member
/// of that segment space: a program that loads a member, or the space by its name, has all members, which must all be
/// saved before.
pub fn defseg(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let (name, id) = define(cp, issuer, Kind::Segment, words)?;
    Ok(message::segment_defined(name, format!("{id:04}")).to_string().into())
}

/// `SAVESYS name`
///
/// Saves the system that DEFSYS has defined: the pages, their storage keys, the registers and the PSW of your virtual
/// machine as they are now. The virtual machine goes on; a user who says IPL name from then on begins where it was. A
/// user of an older system of that name keeps it.
pub fn savesys(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let (name, id) = save(cp, issuer, Kind::System, words)?;
    Ok(message::system_saved(name, format!("{id:04}")).to_string().into())
}

/// `SAVESEG name`
///
/// Saves the segment that DEFSEG has defined: the pages as they are in your virtual machine's storage now, and their
/// storage keys. They must be there, within its size or because the segment is loaded. A user of an older segment of
/// that name keeps it.
pub fn saveseg(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let (name, id) = save(cp, issuer, Kind::Segment, words)?;
    Ok(message::segment_saved(name, format!("{id:04}")).to_string().into())
}

fn save(cp: &Cp, issuer: &Issuer, kind: Kind, mut words: Words<'_>) -> Result<(String, u16), Message> {
    let name = name(words.need()?)?;
    words.end()?;
    let skeleton = spool::ask(&cp.spool, |spool| spool.saved.skeleton(&name, kind).cloned());
    let skeleton = skeleton.ok_or_else(|| message::saved_not_defined(&name))?;
    let saved = cp.saved.save(&skeleton, &issuer.vmdbk.machine().configuration, issuer.cpu(), cp.now());
    saved.map_err(|error| explain(&error))?;
    Ok((name, skeleton.id))
}

/// What a user is told when a saved system or segment could not be used or saved.
pub fn explain(error: &Error) -> Message {
    match error {
        Error::Spool(error) => message_of(error),
        Error::Host(error) => message::spool_error(error),
        Error::NoPage(page) => message::saved_page(format!("{page:05X}")),
    }
}

fn name(word: Word<'_>) -> Result<String, Message> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b"$#@_-".contains(&b);
    let good = (1..=8).contains(&word.0.len()) && word.0.bytes().all(legal) && word.device().is_none();
    if good { Ok(word.upper()) } else { Err(word.invalid()) }
}

fn define(cp: &Cp, issuer: &Issuer, kind: Kind, mut words: Words<'_>) -> Result<(String, u16), Message> {
    let name = name(words.need()?)?;
    let mut file = SavedFile::new(&name, kind, issuer.userid(), cp.now());
    let system = kind == Kind::System;
    let mut minimum = None;
    while let Some(word) = words.next() {
        let (key, value) = match word.0.split_once('=') {
            Some((key, value)) => (Word(key), Some(Word(value))),
            None => (word, None),
        };
        let mut value = || value.or_else(|| words.next()).ok_or_else(message::operand_missing);
        match () {
            () if key.is("RSTD") => file.restricted = true,
            () if key.is("VMGROUP") && system => file.vm_group = true,
            () if key.is("LOADNSHR") && !system => file.load_nonshared = true,
            () if key.is("SPACE") && !system => file.space = Some(self::name(value()?)?),
            () if key.is("MINSIZE") && system => {
                let value = value()?;
                minimum = Some(value.storage().ok_or_else(|| word.invalid())?);
            }
            () if key.is("MACHMODE") && system => file.modes = modes(value()?)?,
            () if key.is("PARMREGS") && system => {
                let value = value()?;
                file.parm_registers = if value.is("NONE") { None } else { Some(registers(value)?) };
            }
            () => file.ranges.push(range(word, words.next())?),
        }
    }
    file.ranges.sort_by_key(|range| range.first);
    if file.ranges.is_empty() || system && minimum.is_none() {
        return Err(message::operand_missing());
    }
    if let Some(pair) = file.ranges.windows(2).find(|pair| pair[1].first <= pair[0].last) {
        return Err(message::invalid_range(format!("{:05X}-{:05X}", pair[1].first, pair[1].last)));
    }
    file.minimum = minimum.unwrap_or(0);
    spool_files::with(cp, |spool| {
        if let Some(other) = spool.saved.skeleton(&name, kind) {
            return Err(message::saved_defined(&name, format!("{:04}", other.id)));
        }
        let others = || spool.saved.files().iter().filter(|other| other.class != Class::Pending);
        // A name means a segment or a space, and each page of a space is one member's.
        let space = file.space.as_ref();
        if let Some(other) = others().find(|other| other.space.as_ref() == Some(&name) || Some(&other.name) == space) {
            return Err(message::saved_space(&name, &other.name, format!("{:04}", other.id)));
        }
        let member = |other: &&SavedFile| space.is_some() && other.space.as_ref() == space && other.name != name;
        if let Some(other) = others().filter(member).find(|other| sharing::overlaps(other, &file)) {
            return Err(message::saved_member(&name, &other.name, format!("{:04}", other.id)));
        }
        spool.saved.define(file).map_err(|error| message_of(&error))
    })
    .map(|id| (name, id))
}

fn range(word: Word<'_>, kind: Option<Word<'_>>) -> Result<PageRange, Message> {
    let (first, last) = word.0.split_once('-').unwrap_or((word.0, word.0));
    let page = |text| Word(text).hexadecimal().filter(|&page| page <= LAST_PAGE).map(|page| page as u32);
    let (Some(first), Some(last)) = (page(first), page(last)) else {
        return Err(message::invalid_range(word.upper()));
    };
    if first > last {
        return Err(message::invalid_range(word.upper()));
    }
    let kind = kind.ok_or_else(message::operand_missing)?;
    let kind = PageKind::of(kind.0).ok_or_else(|| kind.invalid())?;
    Ok(PageRange { first, last, kind })
}

fn registers(word: Word<'_>) -> Result<(u8, u8), Message> {
    let (first, last) = word.0.split_once('-').unwrap_or((word.0, word.0));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last && last <= 15 => Ok((first, last)),
        _ => Err(message::invalid_register(word.upper())),
    }
}

fn modes(word: Word<'_>) -> Result<Vec<String>, Message> {
    let known = ["370", "XA", "ESA", "XC", "Z"];
    let mode = |text: &str| known.iter().find(|known| known.eq_ignore_ascii_case(text)).map(|known| known.to_string());
    word.0.split(',').map(mode).collect::<Option<_>>().ok_or_else(|| word.invalid())
}
