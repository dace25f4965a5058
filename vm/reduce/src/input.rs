//! Files of monitor data, taken apart: control elements and the pages that they name.
//!
//! Two forms are known. monreader of Linux gives a program each control element (12 bytes) with its pages after it.
//! MONWRITE writes a page for each message, a [`MonwriteControl`], and the pages of all its elements after that.

use arch::monitor::{ControlElement, MonwriteControl, Record, RecordHeader};
use iucv::{List, kind};
use monitor::frames::{self, PAGE};
use zerocopy::FromBytes;

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}: at offset {at}: {fault}{}", .fault.remedy(*.whole))]
pub struct Wrong {
    /// The file's name.
    pub file: String,
    /// From its beginning, in bytes.
    pub at: usize,
    /// Where the message begins: all before it is good.
    pub whole: usize,
    /// What it is.
    pub fault: Fault,
}

/// What may be wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// Nothing is in the file.
    #[error("it is empty")]
    Empty,
    /// It begins with neither a control element nor MONWRITE's page.
    #[error("this is no monitor data")]
    Other,
    /// What should be a control element is none.
    #[error("a control element should be here, and this is none")]
    Element,
    /// A control element names bytes that are not whole pages.
    #[error("a control element names {0} bytes, which are no whole pages of 4096")]
    Pages(u64),
    /// The file ends too early.
    #[error("it ends in the middle of {what}: {wanted} bytes should be here, and {there} are")]
    Cut {
        /// Of what.
        what: &'static str,
        /// How long that is.
        wanted: u64,
        /// How much of it is there.
        there: usize,
    },
    /// Records do not lie in a page as they should.
    #[error(transparent)]
    Page(#[from] frames::Damage),
    /// A record is shorter than its layout.
    #[error("record {domain}.{record} has {length} bytes, and {wanted} are its layout's")]
    Short {
        /// Its domain.
        domain: u8,
        /// Its number.
        record: u16,
        /// Its length.
        length: usize,
        /// As long as it should be.
        wanted: usize,
    },
}

impl Fault {
    /// What can be done about it, after the text of the error. Up to `whole` the file is good.
    fn remedy(&self, whole: usize) -> String {
        match self {
            Fault::Empty => "; read /dev/monreader until the first interval has passed".into(),
            Fault::Other => "; give files of \"cat /dev/monreader\" or of MONWRITE, copied as binary data".into(),
            _ if whole == 0 => "; copy it anew, as binary data".into(),
            _ => format!("; copy it anew, as binary data, or take what is before: head -c {whole} FILE"),
        }
    }
}

/// A control element and its pages.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Where the message begins in the file.
    pub message: usize,
    /// Where the pages begin.
    pub at: usize,
    /// The pages.
    pub pages: &'a [u8],
}

/// X'E2': samples; X'C5': events.
const KINDS: [u8; 2] = [0xe2, 0xc5];
const ELEMENT: usize = size_of::<ControlElement>();

/// A fault, where it is, and where its message begins.
pub(crate) type At = (usize, usize, Fault);

/// The parts of a file.
pub fn parts(bytes: &[u8]) -> Result<Vec<Part<'_>>, At> {
    if bytes.is_empty() {
        return Err((0, 0, Fault::Empty));
    }
    // The types of interruptions and of elements are at places of each other where the other form has zero.
    let written = |kind| kind == kind::PRIORITY_MESSAGE || kind == kind::MESSAGE;
    let control = bytes.first_chunk().is_some_and(|list| written(List(*list).kind()));
    match () {
        () if control => written_parts(bytes),
        () if KINDS.contains(&bytes[0]) => read_parts(bytes),
        () => Err((0, 0, Fault::Other)),
    }
}

/// Of monreader.
fn read_parts(bytes: &[u8]) -> Result<Vec<Part<'_>>, At> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (element, _) = ControlElement::read_from_prefix(&bytes[at..]).map_err(|_| {
            let (wanted, there) = (ELEMENT as u64, bytes.len() - at);
            (at, at, Fault::Cut { what: "a control element", wanted, there })
        })?;
        let length = length(&element).map_err(|fault| (at, at, fault))?;
        let pages = pages(bytes, at + ELEMENT, length).map_err(|fault| (at + ELEMENT, at, fault))?;
        parts.push(Part { message: at, at: at + ELEMENT, pages });
        at += ELEMENT + pages.len();
    }
    Ok(parts)
}

/// Of MONWRITE.
fn written_parts(bytes: &[u8]) -> Result<Vec<Part<'_>>, At> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let message = at;
        let (control, _) = MonwriteControl::ref_from_prefix(&bytes[at..]).map_err(|_| {
            let (wanted, there) = (size_of::<MonwriteControl>() as u64, bytes.len() - at);
            (at, at, Fault::Cut { what: "a control record", wanted, there })
        })?;
        at += size_of::<MonwriteControl>();
        let elements = control.elements.iter().take_while(|element| element.kind != 0);
        let mut none = true;
        for (n, element) in elements.enumerate() {
            let place = message + control.interruption.len() + n * ELEMENT;
            let length = length(element).map_err(|fault| (place, message, fault))?;
            let pages = pages(bytes, at, length).map_err(|fault| (at, message, fault))?;
            parts.push(Part { message, at, pages });
            at += pages.len();
            none = false;
        }
        if none {
            return Err((message + control.interruption.len(), message, Fault::Element));
        }
    }
    Ok(parts)
}

/// How many bytes a control element names.
fn length(element: &ControlElement) -> Result<u64, Fault> {
    let (start, end) = (u64::from(element.start.get()), u64::from(element.end.get()));
    if !KINDS.contains(&element.kind) || element.domains.get() == 0 || start >= end {
        return Err(Fault::Element);
    }
    let length = end - start + 1;
    if length.is_multiple_of(PAGE as u64) { Ok(length) } else { Err(Fault::Pages(length)) }
}

fn pages(bytes: &[u8], at: usize, length: u64) -> Result<&[u8], Fault> {
    let left = &bytes[at..];
    let pages = usize::try_from(length).ok().and_then(|length| left.get(..length));
    pages.ok_or(Fault::Cut { what: "pages of records", wanted: length, there: left.len() })
}

/// A record as its layout has it, and what follows that.
pub(crate) fn record<R: Record + FromBytes>(header: &RecordHeader, bytes: &[u8]) -> Result<R, Fault> {
    let short = || Fault::Short {
        domain: header.domain,
        record: header.record.get(),
        length: bytes.len(),
        wanted: size_of::<R>(),
    };
    R::read_from_prefix(bytes).map(|(record, _)| record).map_err(|_| short())
}
