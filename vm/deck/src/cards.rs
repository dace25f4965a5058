//! Cards of a TEXT deck ("MVS Program Management: Advanced Facilities", object modules).

use base::ebcdic;
use base::layout::{U16, U24};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// What an ESD item is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Section = 0x00,
    Label = 0x01,
    External = 0x02,
    Private = 0x04,
    Common = 0x05,
    Weak = 0x0a,
}

/// Addressing mode 31, residence mode ANY.
pub(crate) const MODE_31_ANY: u8 = 0x06;

/// An ESD item; of a label, `length` is the number of its section.
pub(crate) struct Item {
    pub name: String,
    pub kind: Kind,
    pub address: u32,
    pub length: u32,
    pub flags: u8,
}

/// An address constant of four bytes in the section.
pub(crate) struct Relocation {
    pub of: u16,
    pub at: u32,
    pub branch: bool,
}

/// Cards, one after the other.
#[derive(Default)]
pub(crate) struct Cards {
    pub bytes: Vec<u8>,
}

const CARD: usize = 80;

/// A card of an object module. A field that does not apply is blank.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Card {
    first: u8,
    name: [u8; 3],
    blank_4: u8,
    address: U24,
    blanks_8: [u8; 2],
    /// Bytes of `data` that are in use.
    count: U16,
    blanks_c: [u8; 2],
    /// Of ESD the number of the first item, of TXT that of the section.
    id: U16,
    data: [u8; 56],
    sequence: [u8; 8],
}
const _: () = assert!(size_of::<Card>() == CARD);

/// An item of an ESD card.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct EsdItem {
    name: [u8; 8],
    kind: u8,
    address: U24,
    flags: u8,
    length: U24,
}
const _: () = assert!(size_of::<EsdItem>() == 16);

/// An item of an RLD card.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RldItem {
    /// What the constant is the address of.
    of: U16,
    /// The section that it lies in.
    section: U16,
    flags: u8,
    address: U24,
}
const _: () = assert!(size_of::<RldItem>() == 8);

impl Cards {
    /// A card with its name, and what stands in the columns from 5 on.
    fn card(&mut self, name: &str, count: usize, id: u16, address: Option<u32>, data: &[u8]) {
        let mut card: Card = transmute!([ebcdic::BLANK; CARD]);
        card.first = 0x02;
        card.name = ebcdic::padded(name);
        if let Some(address) = address {
            card.address = U24::new(address);
        }
        if count > 0 {
            card.count.set(count as u16);
        }
        if id > 0 {
            card.id.set(id);
        }
        card.data[..data.len()].copy_from_slice(data);
        self.bytes.extend(card.as_bytes());
    }

    /// The next section begins on a page.
    pub(crate) fn page(&mut self) {
        self.card("SPB", 0, 0, None, &[]);
    }

    /// The items that have numbers, from 1 on, and the labels, which have none.
    pub(crate) fn names(&mut self, items: &[Item], labels: &[Item]) {
        let coded = |item: &Item| -> [u8; 16] {
            let (address, length) = (U24::new(item.address), U24::new(item.length));
            let name = ebcdic::padded(&item.name);
            transmute!(EsdItem { name, kind: item.kind as u8, address, flags: item.flags, length })
        };
        for (n, three) in items.chunks(3).enumerate() {
            let data: Vec<u8> = three.iter().flat_map(coded).collect();
            self.card("ESD", data.len(), (3 * n + 1) as u16, None, &data);
        }
        for three in labels.chunks(3) {
            let data: Vec<u8> = three.iter().flat_map(coded).collect();
            self.card("ESD", data.len(), 0, None, &data);
        }
    }

    /// What `told` says that there is of section 1.
    pub(crate) fn text(&mut self, bytes: &[u8], told: &[bool]) {
        let mut at = 0;
        while at < bytes.len() {
            if !told[at] {
                at += 1;
                continue;
            }
            let length = told[at..].iter().take(56).take_while(|told| **told).count();
            self.card("TXT", length, 1, Some(at as u32), &bytes[at..at + length]);
            at += length;
        }
    }

    /// Address constants in section 1.
    pub(crate) fn relocations(&mut self, list: &[Relocation]) {
        const WORD: u8 = 0x0c;
        const BRANCH: u8 = 0x10;
        let mut data = Vec::new();
        for relocation in list {
            if data.len() + 8 > 56 {
                self.card("RLD", data.len(), 0, None, &data);
                data.clear();
            }
            let flags = WORD | if relocation.branch { BRANCH } else { 0 };
            let (of, section, address) = (U16::new(relocation.of), U16::new(1), U24::new(relocation.at));
            data.extend(RldItem { of, section, flags, address }.as_bytes());
        }
        if !data.is_empty() {
            self.card("RLD", data.len(), 0, None, &data);
        }
    }

    /// A control statement.
    pub(crate) fn control(&mut self, text: &str) {
        let card: [u8; CARD] = ebcdic::padded(text);
        self.bytes.extend(card);
    }

    pub(crate) fn end(&mut self) {
        self.card("END", 0, 0, None, &[]);
    }
}
