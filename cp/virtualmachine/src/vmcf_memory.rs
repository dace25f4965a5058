//! Storage of a program as VMCF sees it: by pages, with their keys.

use arch::PAGE;
use iucv::area;
use vmcf::{Space, Unusable};

/// Storage of a program that sends or receives by VMCF.
#[derive(Clone)]
pub struct Memory {
    /// What it may reach.
    pub space: area::Space,
    /// The key of its PSW.
    pub key: u8,
}

/// The parts of an area that lie in one page each: address and length.
fn pages(at: u32, length: u32) -> impl Iterator<Item = (u64, usize)> {
    let (mut at, end) = (u64::from(at), u64::from(at) + u64::from(length));
    std::iter::from_fn(move || {
        let piece = (at, (end - at).min(PAGE - at % PAGE) as usize);
        at += piece.1 as u64;
        (piece.1 > 0).then_some(piece)
    })
}

impl Memory {
    /// Whether the page at `real` may be read, and if `store` written.
    fn allows(&self, real: u64, store: bool) -> Result<(), Unusable> {
        const FETCH: u8 = 0x08;
        let absolute = self.space.absolute(real);
        let storage = &self.space.storage;
        let key = storage.key(absolute).map_err(|_| Unusable::Addressing)?;
        let fits = self.key == 0 || key >> 4 == self.key || !store && key & FETCH == 0;
        if fits && !(store && storage.is_read_only(absolute)) { Ok(()) } else { Err(Unusable::Protection) }
    }
}

impl Space for Memory {
    fn fetch(&self, at: u32, to: &mut [u8]) -> Result<(), Unusable> {
        let mut rest = to;
        for (real, length) in pages(at, rest.len() as u32) {
            let part;
            (part, rest) = rest.split_at_mut(length);
            self.space.read(real, part).map_err(|_| Unusable::Addressing)?;
        }
        Ok(())
    }

    fn store(&self, at: u32, from: &[u8]) -> Result<(), Unusable> {
        let mut rest = from;
        for (real, length) in pages(at, from.len() as u32) {
            let part;
            (part, rest) = rest.split_at(length);
            self.space.write(real, part).map_err(|_| Unusable::Addressing)?;
        }
        Ok(())
    }

    fn check(&self, at: u32, length: u32, store: bool) -> Result<(), Unusable> {
        let end = u64::from(at) + u64::from(length);
        if length > 0 && end > self.space.storage.size() {
            return Err(Unusable::Addressing);
        }
        pages(at, length).try_for_each(|(real, _)| self.allows(real, store))
    }
}
