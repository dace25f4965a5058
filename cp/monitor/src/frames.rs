//! Records in pages. A record lies in one page; a page ends with a record that says so (1.13).

use arch::monitor::{EndOfFrame, Record, RecordHeader};
use base::Tod;
use zerocopy::IntoBytes;

/// A page, in bytes.
pub const PAGE: usize = 4096;
/// The last record of a page.
const END: usize = size_of::<EndOfFrame>();
/// The longest record.
pub const LONGEST: usize = PAGE - END;

/// Pages of records.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    /// Bytes of records in the last page.
    used: usize,
    /// The numbers of the domains that there are records of, a bit each.
    numbers: u16,
    now: Tod,
}

/// A record does not fit into a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a record of {0} bytes does not fit into a page")]
pub struct TooLong(pub usize);

impl Frames {
    /// No pages. Records are dated `now`.
    pub fn new(now: Tod) -> Frames {
        Frames { now, ..Frames::default() }
    }

    /// Records are dated so from here on.
    pub fn set_time(&mut self, now: Tod) {
        self.now = now;
    }

    /// Adds a record.
    pub fn put<R: Record>(&mut self, record: R) {
        self.put_with(record, &[]).expect("the fixed part of every record fits into a page");
    }

    /// Adds a record that goes on with `rest`.
    pub fn put_with<R: Record>(&mut self, mut record: R, rest: &[u8]) -> Result<(), TooLong> {
        let length = size_of::<R>() + rest.len();
        if length > LONGEST {
            return Err(TooLong(length));
        }
        let now = self.now;
        let layout = R::LAYOUT;
        *record.header_mut() = header(layout.domain, layout.record, length, now);
        if self.bytes.is_empty() || self.used + length > LONGEST {
            self.close();
            self.bytes.resize(self.bytes.len() + PAGE, 0);
            self.used = 0;
        }
        let at = self.bytes.len() - PAGE + self.used;
        self.bytes[at..at + size_of::<R>()].copy_from_slice(record.as_bytes());
        self.bytes[at + size_of::<R>()..at + length].copy_from_slice(rest);
        self.used += length;
        self.numbers |= 1 << layout.domain;
        Ok(())
    }

    /// How many pages there would be with one more record of so many bytes.
    pub fn pages_with(&self, length: usize) -> usize {
        self.pages() + usize::from(self.bytes.is_empty() || self.used + length > LONGEST)
    }

    /// Whether a record of this type and `rest` bytes more makes no more than so many pages.
    pub fn holds<R: Record>(&self, rest: usize, pages: usize) -> bool {
        self.pages_with(size_of::<R>() + rest) <= pages
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.bytes.len() / PAGE
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn close(&mut self) {
        if let Some(at) = self.bytes.len().checked_sub(PAGE) {
            let mut end = EndOfFrame::default();
            let layout = EndOfFrame::LAYOUT;
            *end.header_mut() = header(layout.domain, layout.record, END, self.now);
            let at = at + self.used;
            self.bytes[at..at + END].copy_from_slice(end.as_bytes());
        }
    }

    /// The pages, each with its end, and the masks of a control element for the domains in them.
    pub fn finish(mut self) -> (Vec<u8>, u16) {
        self.close();
        let bit = |number: u16| if number < 8 { 0x8000 >> number } else { 0x0080 >> (number - 8) };
        let masks =
            (0..16).filter(|number| self.numbers >> number & 1 != 0).fold(0, |masks, number| masks | bit(number));
        (self.bytes, masks)
    }
}

fn header(domain: u8, record: u16, length: usize, now: Tod) -> RecordHeader {
    RecordHeader {
        length: (length as u16).into(),
        domain,
        record: record.into(),
        tod: now.0.into(),
        ..RecordHeader::default()
    }
}

/// Why bytes are no page of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a record's length is {length}, and {left} bytes are left of its page")]
pub struct Damage {
    /// Where the record is in the page.
    pub at: usize,
    /// Its length, as it says.
    pub length: usize,
    /// How much of the page is left there.
    pub left: usize,
}

/// A record of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whole<'a> {
    /// Where it is in the page.
    pub at: usize,
    /// Its header.
    pub header: RecordHeader,
    /// All its bytes, the header's among them.
    pub bytes: &'a [u8],
}

/// The records of a page, up to its end.
pub fn whole(page: &[u8]) -> Result<Vec<Whole<'_>>, Damage> {
    use zerocopy::FromBytes;
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let left = &page[at..];
        let header = RecordHeader::read_from_prefix(left);
        let length = header.as_ref().map_or(0, |(header, _)| usize::from(header.length.get()));
        let bytes = left.get(..length).filter(|bytes| bytes.len() >= size_of::<RecordHeader>());
        let (Ok((header, _)), Some(bytes)) = (header, bytes) else {
            return Err(Damage { at, length, left: left.len() });
        };
        if header.domain == EndOfFrame::LAYOUT.domain && header.record.get() == EndOfFrame::LAYOUT.record {
            return Ok(found);
        }
        found.push(Whole { at, header, bytes });
        at += length;
    }
}

/// The records of a page, up to its end: the header of each and what follows it. `None`: the page is no such page.
pub fn records(page: &[u8]) -> Option<Vec<(RecordHeader, &[u8])>> {
    let all = whole(page).ok()?;
    Some(all.into_iter().map(|whole| (whole.header, &whole.bytes[size_of::<RecordHeader>()..])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arch::monitor::{EventCommand, SystemProcessor};

    #[test]
    fn records_lie_in_one_page_each() {
        let mut frames = Frames::new(Tod(0x1234));
        for cpu in 0..100u16 {
            frames.put(SystemProcessor { cpu: cpu.into(), ..SystemProcessor::default() });
        }
        assert_eq!(frames.pages(), 3, "42 records of 96 bytes fit before the end of a page");
        let text = [7; LONGEST - size_of::<EventCommand>()];
        assert_eq!(frames.put_with(EventCommand::default(), &[0; LONGEST]), Err(TooLong(LONGEST + 24)));
        assert!(!frames.holds::<EventCommand>(text.len(), 3) && frames.holds::<EventCommand>(text.len(), 4));
        frames.put_with(EventCommand::default(), &text).unwrap();
        let (bytes, masks) = frames.finish();
        assert_eq!((bytes.len(), masks), (4 * PAGE, 0xc000));
        let pages: Vec<_> = bytes.chunks(PAGE).map(|page| records(page).expect("a page of records")).collect();
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [42, 42, 16, 1]);
        let header = pages[2][15].0;
        assert_eq!((header.length.get(), header.domain, header.record.get(), header.tod.get()), (96, 0, 1, 0x1234));
        assert_eq!(&pages[2][15].1[..2], [0, 99]);
    }

    #[test]
    fn what_is_no_page_of_records_is_told() {
        assert_eq!(records(&[0; PAGE]), None);
        assert_eq!(records(&[0xff; PAGE]), None);
        assert_eq!(records(&[]), None);
        let mut frames = Frames::new(Tod(0));
        frames.put(SystemProcessor::default());
        let mut page = frames.finish().0;
        page[96..98].copy_from_slice(&[0xff, 0xff]);
        assert_eq!(whole(&page), Err(Damage { at: 96, length: 0xffff, left: PAGE - 96 }));
    }
}
