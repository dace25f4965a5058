//! Where the data of a message lie: a buffer of a virtual machine, or a list of buffers.
//!
//! Nothing is copied before it is received. A sender's area keeps its storage alive until then, and stays where the
//! sender's prefix was when it was named.

use arch::Absolute;
use arch::iucv::BufferEntry;
use std::sync::Arc;
use storage::Storage;
use zerocopy::IntoBytes;

/// The most entries of a list of buffers.
const LONGEST_LIST: u32 = 65_536;

/// Why an area cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unusable {
    /// Some of it is outside the virtual machine's storage.
    Addressing,
    /// The list is not on a doubleword boundary, or has too many entries.
    List,
    /// A length in the list is negative.
    NegativeLength,
    /// The lengths in the list make another sum than the message's.
    WrongSum,
}

/// Real storage as one virtual CPU sees it.
#[derive(Clone)]
pub struct Space {
    /// The virtual machine's storage.
    pub storage: Arc<Storage>,
    /// The CPU's prefix register.
    pub prefix: u64,
    /// The size of the prefix area.
    pub prefix_area: u64,
}

impl Space {
    /// Where a real address is in storage.
    pub fn absolute(&self, real: u64) -> Absolute {
        let block = real & !(self.prefix_area - 1);
        match () {
            () if block == 0 => Absolute(real | self.prefix),
            () if block == self.prefix => Absolute(real & (self.prefix_area - 1)),
            () => Absolute(real),
        }
    }

    /// How much of `length` bytes from `real` lies together in absolute storage, too.
    fn together(real: u64, length: u32) -> u32 {
        length.min((arch::PAGE - real % arch::PAGE) as u32)
    }

    /// Reads bytes that lie in one page.
    pub fn read(&self, real: u64, to: &mut [u8]) -> Result<(), Unusable> {
        self.storage.read(self.absolute(real), to).map_err(|_| Unusable::Addressing)
    }

    /// Writes bytes that lie in one page.
    pub fn write(&self, real: u64, from: &[u8]) -> Result<(), Unusable> {
        self.storage.write(self.absolute(real), from).map_err(|_| Unusable::Addressing)
    }

    /// Whether all of `length` bytes from `real` can be used: they are the virtual machine's, or a saved segment's.
    fn check(&self, real: u64, length: u32) -> Result<(), Unusable> {
        let end = real + u64::from(length);
        if length == 0 || end <= self.storage.size() {
            return Ok(());
        }
        let beyond = real.max(self.storage.size()) & arch::PAGE_MASK;
        let mut pages = (beyond..end).step_by(arch::PAGE as usize);
        match pages.all(|page| self.storage.is_attached(Absolute(page))) {
            true => Ok(()),
            false => Err(Unusable::Addressing),
        }
    }
}

/// A buffer, or a list of them.
#[derive(Clone)]
pub struct Area {
    space: Space,
    address: u32,
    /// Its length in bytes; of a list, that of all its buffers.
    pub length: u32,
    list: bool,
}

impl Area {
    /// The area of `length` bytes at `address`, or in the buffers that the list there names: entries of an address and
    /// a length, a word each.
    pub fn new(space: &Space, address: u32, length: u32, list: bool) -> Result<Area, Unusable> {
        let area = Area { space: space.clone(), address, length, list };
        if !list {
            space.check(address.into(), length)?;
            return Ok(area);
        }
        if !address.is_multiple_of(8) {
            return Err(Unusable::List);
        }
        let mut sum = 0u32;
        let mut cursor = Cursor::new(&area);
        while sum < length {
            let (buffer, part) = cursor.entry()?;
            space.check(buffer.into(), part)?;
            sum = sum.checked_add(part).filter(|&sum| sum <= length).ok_or(Unusable::WrongSum)?;
        }
        Ok(area)
    }

    /// Copies what `cursor` reads next into this area from its start: as many bytes as there are in both, at most
    /// `limit`. How many.
    pub fn fill(&self, from: &mut Source<'_>, limit: u32) -> Result<u32, Unusable> {
        let mut to = Cursor::new(self);
        let mut done = 0;
        let mut buffer = [0; arch::PAGE as usize];
        while done < limit.min(self.length) {
            let (address, length) = to.next((limit.min(self.length)) - done)?;
            let got = from.read(&mut buffer[..length as usize])?;
            if got == 0 {
                break;
            }
            self.space.write(address, &buffer[..got])?;
            to.back(length - got as u32);
            done += got as u32;
        }
        Ok(done)
    }
}

/// A place in an area.
pub struct Cursor<'a> {
    area: &'a Area,
    /// The next entry of the list.
    entry: u32,
    /// What is left of the buffer.
    address: u64,
    left: u32,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first byte of `area`.
    pub fn new(area: &'a Area) -> Cursor<'a> {
        let (address, left) = if area.list { (0, 0) } else { (area.address.into(), area.length) };
        Cursor { area, entry: 0, address, left }
    }

    /// The next entry of the list.
    fn entry(&mut self) -> Result<(u32, u32), Unusable> {
        if self.entry >= LONGEST_LIST {
            return Err(Unusable::List);
        }
        let mut entry = BufferEntry::default();
        let at = u64::from(self.area.address) + 8 * u64::from(self.entry);
        self.area.space.read(at, entry.as_mut_bytes())?;
        self.entry += 1;
        let length = entry.length.get();
        if length >> 31 != 0 {
            return Err(Unusable::NegativeLength);
        }
        Ok((entry.address.get() & 0x7fff_ffff, length))
    }

    /// The next piece that lies together, of at most `limit` bytes, which is not 0. The area must not be at its end.
    fn next(&mut self, limit: u32) -> Result<(u64, u32), Unusable> {
        while self.left == 0 {
            if !self.area.list {
                return Err(Unusable::WrongSum);
            }
            let (address, length) = self.entry()?;
            (self.address, self.left) = (address.into(), length);
        }
        let length = Space::together(self.address, self.left.min(limit));
        let piece = (self.address, length);
        self.address += u64::from(length);
        self.left -= length;
        Ok(piece)
    }

    /// The last `count` bytes of the last piece have not been used.
    fn back(&mut self, count: u32) {
        self.address -= u64::from(count);
        self.left += count;
    }

    fn skip(&mut self, mut count: u32) -> Result<(), Unusable> {
        while count > 0 {
            count -= self.next(count)?.1;
        }
        Ok(())
    }
}

/// What is read from: an area, or bytes of CP's own.
pub enum Source<'a> {
    /// An area from the cursor's place on, and how many bytes are left of it.
    Area(Cursor<'a>, u32),
    /// Bytes of CP's own.
    Bytes(&'a [u8]),
}

impl<'a> Source<'a> {
    /// An area from byte `offset`.
    pub fn area(area: &'a Area, offset: u32) -> Result<Source<'a>, Unusable> {
        let mut cursor = Cursor::new(area);
        cursor.skip(offset)?;
        Ok(Source::Area(cursor, area.length - offset))
    }

    /// Fills `to`, or as much of it as there is.
    pub(crate) fn read_all(&mut self, to: &mut [u8]) -> Result<usize, Unusable> {
        let mut done = 0;
        while done < to.len() {
            match self.read(&mut to[done..])? {
                0 => break,
                count => done += count,
            }
        }
        Ok(done)
    }

    /// Reads up to `to.len()` bytes; 0 at the end.
    fn read(&mut self, to: &mut [u8]) -> Result<usize, Unusable> {
        match self {
            Source::Bytes(bytes) => {
                let count = to.len().min(bytes.len());
                to[..count].copy_from_slice(&bytes[..count]);
                *bytes = &bytes[count..];
                Ok(count)
            }
            Source::Area(_, 0) => Ok(0),
            Source::Area(cursor, left) => {
                let (address, length) = cursor.next((*left).min(to.len() as u32))?;
                cursor.area.space.read(address, &mut to[..length as usize])?;
                *left -= length;
                Ok(length as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        Space { storage: Arc::new(Storage::new(1 << 20).unwrap()), prefix: 0x8000, prefix_area: 0x2000 }
    }

    #[test]
    fn a_list_is_filled_from_a_list() {
        let space = space();
        space.write(0x3000, b"..abcdef..").unwrap();
        let lists =
            [(0x4000u64, [(0x3002u32, 2u32), (0, 0), (0x3004, 4)]), (0x4100, [(0x0ffe, 1), (0x1fff, 3), (0x5000, 2)])];
        for (at, entries) in lists {
            for (n, (address, length)) in entries.into_iter().enumerate() {
                space.write(at + 8 * n as u64, &address.to_be_bytes()).unwrap();
                space.write(at + 8 * n as u64 + 4, &length.to_be_bytes()).unwrap();
            }
        }
        let from = Area::new(&space, 0x4000, 6, true).unwrap();
        let to = Area::new(&space, 0x4100, 6, true).unwrap();
        assert_eq!(to.fill(&mut Source::area(&from, 0).unwrap(), 6), Ok(6));
        let mut got = [0; 3];
        space.read(0x1fff, &mut got[..1]).unwrap();
        // The end of the prefix area and what follows it do not lie together.
        assert_eq!(got[0], b'b');
        space.read(0x2000, &mut got[..2]).unwrap();
        assert_eq!(&got[..2], b"cd");
        space.storage.read(Absolute(0x9fff), &mut got[..1]).unwrap();
        assert_eq!(got[0], b'b');
        assert_eq!(to.fill(&mut Source::area(&from, 4).unwrap(), 6), Ok(2));
    }

    #[test]
    fn bad_areas_are_refused() {
        let space = space();
        let refused = |address, length, list| Area::new(&space, address, length, list).err();
        assert_eq!(refused(0x0f_ffff, 1, false), None);
        assert_eq!(refused(0x0f_ffff, 2, false), Some(Unusable::Addressing));
        assert_eq!(refused(0x1004, 2, true), Some(Unusable::List));
        assert_eq!(refused(0x1000, 2, true), Some(Unusable::List), "nothing but empty entries");
        space.write(0x1004, &[0x80, 0, 0, 0]).unwrap();
        assert_eq!(refused(0x1000, 2, true), Some(Unusable::NegativeLength));
        space.write(0x1004, &[0, 0, 0, 3]).unwrap();
        assert_eq!(refused(0x1000, 2, true), Some(Unusable::WrongSum));
        assert_eq!(refused(0x1000, 3, true), None);
    }
}
