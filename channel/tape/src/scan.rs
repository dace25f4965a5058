//! Where the blocks of a file are, and what follows the last of them.

use crate::{BEGINS, ENDS, Element, HEADER, Header, METHOD, Method, TapeError, foreign};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// What was found.
pub(crate) struct Scan {
    pub(crate) elements: Vec<Element>,
    /// Where the last element ends.
    pub(crate) end: u64,
    pub(crate) rest: Rest,
}

/// What follows the last block. None of it is on the tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    Nothing,
    /// A block that is not all there: its writer was cut off, or a copy of the file.
    Cut,
    /// Zeros: programs that copy by sectors or cards fill up with them.
    Zeros,
    /// Something that is no block, and why. It may be the rest of a damaged tape.
    Junk(String),
}

impl Rest {
    /// Writing must not make it go: it may be all that is left of something.
    pub(crate) fn is_junk(&self) -> bool {
        matches!(self, Rest::Junk(_))
    }

    /// What there is to tell of these `length` bytes from byte `at` on.
    pub(crate) fn told(&self, at: u64, length: u64) -> Option<String> {
        match self {
            Rest::Nothing => None,
            Rest::Cut => {
                Some(format!("{length} bytes from byte {at} on are no whole block: it was cut; the tape ends there"))
            }
            Rest::Zeros => {
                Some(format!("{length} bytes of zeros from byte {at} on fill the file up; the tape ends there"))
            }
            Rest::Junk(why) => Some(format!(
                "{length} bytes from byte {at} on cannot be read ({why}); the tape ends there, and may only be read"
            )),
        }
    }
}

/// So much of a file may fill it up; that there are zeros is found by reading them.
const FILLING: u64 = 64 << 20;

/// The blocks and tape marks of a file, and where the last one ends. A file without any that does not even begin as a
/// tape is an error, which says what it is.
pub(crate) fn scan(file: &File) -> Result<Scan, TapeError> {
    let length = file.metadata()?.len();
    let mut scan = Scan { elements: Vec::new(), end: 0, rest: Rest::Nothing };
    let stopped = walk(file, length, &mut scan)?;
    if scan.end == length {
        return Ok(scan);
    }
    scan.rest = match stopped {
        Some(_) if !scan.elements.is_empty() && zeros(file, scan.end, length)? => Rest::Zeros,
        Some(why) => Rest::Junk(why),
        None => Rest::Cut,
    };
    if scan.elements.is_empty() && (scan.rest != Rest::Cut || foreign::name(file, length)?.is_some()) {
        let what = foreign::name(file, length)?.map_or(String::new(), |name| format!(": it is {name}"));
        return Err(TapeError::NotATape(what));
    }
    Ok(scan)
}

/// Goes from header to header; why it stopped before the end of the file, if what is there is no part of a tape.
fn walk(file: &File, length: u64, scan: &mut Scan) -> Result<Option<String>, TapeError> {
    let mut at = 0;
    let mut begun: Option<Element> = None;
    while at + HEADER <= length {
        let head = Header::read(file, at)?;
        let next = at + HEADER + u64::from(head.length);
        if head.flags & crate::MARK != 0 {
            if begun.is_some() || head.length != 0 {
                return Ok(Some(format!("byte {at}: a tape mark in a block")));
            }
            scan.elements.push(Element { at, mark: true, method: Method::None, last: 0 });
            (at, scan.end) = (next, next);
            continue;
        }
        if head.flags & (BEGINS | ENDS | METHOD) == 0 && begun.is_none() {
            return Ok(Some(format!("byte {at}: no block begins here")));
        }
        if (head.flags & BEGINS != 0) != begun.is_none() {
            return Ok(Some(format!("byte {at}: a block begins in a block, or does not begin")));
        }
        if next > length {
            break;
        }
        let method = match head.method() {
            Ok(method) => method,
            Err(why) => return Ok(Some(format!("byte {at}: {why}"))),
        };
        let element = begun.get_or_insert(Element { at, mark: false, method, last: 0 });
        element.last = head.length;
        at = next;
        if head.flags & ENDS != 0 {
            scan.elements.extend(begun.take());
            scan.end = at;
        }
    }
    Ok(None)
}

/// Whether the file has nothing but zeros from `at` to its end.
fn zeros(file: &File, mut at: u64, length: u64) -> Result<bool, TapeError> {
    if length - at > FILLING {
        return Ok(false);
    }
    let mut piece = vec![0; 1 << 16];
    while at < length {
        let count = piece.len().min((length - at) as usize);
        file.read_exact_at(&mut piece[..count], at)?;
        if piece[..count].iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        at += count as u64;
    }
    Ok(true)
}
