//! Cards of a TEXT deck ("MVS Program Management: Advanced Facilities", object modules).

use base::ebcdic;

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

/// Cards, one behind the other.
#[derive(Default)]
pub(crate) struct Cards {
    pub bytes: Vec<u8>,
}

const CARD: usize = 80;
const BLANK: u8 = 0x40;

impl Cards {
    /// A card with its name, and what stands in the columns from 5 on.
    fn card(&mut self, name: &str, count: usize, id: u16, address: Option<u32>, data: &[u8]) {
        let mut card = [BLANK; CARD];
        card[0] = 0x02;
        card[1..4].copy_from_slice(&ebcdic::from_str(name));
        if let Some(address) = address {
            card[5..8].copy_from_slice(&address.to_be_bytes()[1..]);
        }
        if count > 0 {
            card[10..12].copy_from_slice(&(count as u16).to_be_bytes());
        }
        if id > 0 {
            card[14..16].copy_from_slice(&id.to_be_bytes());
        }
        card[16..16 + data.len()].copy_from_slice(data);
        self.bytes.extend(card);
    }

    /// The next section begins on a page.
    pub(crate) fn page(&mut self) {
        self.card("SPB", 0, 0, None, &[]);
    }

    /// The items that have numbers, from 1 on, and the labels, which have none.
    pub(crate) fn names(&mut self, items: &[Item], labels: &[Item]) {
        let coded = |item: &Item| {
            let name: [u8; 8] = ebcdic::padded(&item.name);
            let mut bytes = name.to_vec();
            bytes.push(item.kind as u8);
            bytes.extend(&item.address.to_be_bytes()[1..]);
            bytes.push(item.flags);
            bytes.extend(&item.length.to_be_bytes()[1..]);
            bytes
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
            data.extend(relocation.of.to_be_bytes());
            data.extend(1u16.to_be_bytes());
            data.push(WORD | if relocation.branch { BRANCH } else { 0 });
            data.extend(&relocation.at.to_be_bytes()[1..]);
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
