//! One queue in the program's storage: descriptors, what the driver makes available, what the device has used.
//!
//! Nothing that is read there is believed: indexes, lengths, addresses and the order of descriptors are looked at
//! before they are used, and a chain ends after a bounded number of descriptors.

use arch::virtio::{Descriptor, Ring, Used, descriptor_flag as flag, feature};
use arch::{Absolute, PAGE};
use base::layout::little;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{
    Ordering::{Acquire, Release, SeqCst},
    fence,
};
use storage::Storage;
use zerocopy::{FromBytes, IntoBytes};

/// The program has put something into a queue that cannot be: the device needs a reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken;

/// In the flags of a ring: that side wants not to be told.
const QUIET: u16 = 1;
/// The most descriptors of a chain. Linux makes longer ones than a queue has in tables of their own.
const LONGEST: usize = 1024;

/// Copies bytes out of the program's storage.
pub(crate) fn read(storage: &Storage, at: u64, to: &mut [u8]) -> Result<(), Broken> {
    storage.read(Absolute(at), to).map_err(|_| Broken)
}

/// Copies bytes into the program's storage, where it may be stored into.
pub(crate) fn write(storage: &Storage, at: u64, from: &[u8]) -> Result<(), Broken> {
    if from.is_empty() {
        return Ok(());
    }
    let last = at.checked_add(from.len() as u64 - 1).ok_or(Broken)?;
    if (at / PAGE..=last / PAGE).any(|page| storage.is_read_only(Absolute(page * PAGE))) {
        return Err(Broken);
    }
    storage.write(Absolute(at), from).map_err(|_| Broken)
}

fn layout<T: FromBytes + IntoBytes>(storage: &Storage, at: u64) -> Result<T, Broken> {
    storage.read_layout(Absolute(at)).map_err(|_| Broken)
}

fn half(storage: &Storage, at: u64) -> Result<u16, Broken> {
    layout::<little::U16>(storage, at).map(little::U16::get)
}

/// Buffers of the driver that belong together.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Chain {
    head: u16,
    /// Those that the device reads, then those that it writes: address and length.
    readable: Vec<(u64, u32)>,
    writable: Vec<(u64, u32)>,
}

impl Chain {
    /// Bytes that the device can read.
    pub fn readable(&self) -> u64 {
        self.readable.iter().map(|(_, length)| u64::from(*length)).sum()
    }

    /// Bytes that the device can write.
    pub fn writable(&self) -> u64 {
        self.writable.iter().map(|(_, length)| u64::from(*length)).sum()
    }

    /// The buffers that the device can write: address and length.
    pub fn writable_buffers(&self) -> &[(u64, u32)] {
        &self.writable
    }

    /// Appends what the device can read to `to`, without the first `skip` bytes.
    pub fn read(&self, storage: &Storage, mut skip: u64, to: &mut Vec<u8>) -> Result<(), Broken> {
        for (address, length) in &self.readable {
            let length = u64::from(*length);
            let passed = skip.min(length);
            skip -= passed;
            if passed < length {
                let from = to.len();
                to.resize(from + (length - passed) as usize, 0);
                read(storage, address.checked_add(passed).ok_or(Broken)?, &mut to[from..])?;
            }
        }
        Ok(())
    }

    /// All that the device can read, in place of what is in `to`. More than `most` bytes are none that can be.
    pub fn read_all(&self, storage: &Storage, most: u64, to: &mut Vec<u8>) -> Result<(), Broken> {
        if self.readable() > most {
            return Err(Broken);
        }
        to.clear();
        self.read(storage, 0, to)
    }

    /// Writes `bytes` after the first `skip` ones; as many as there is room for. Returns how many those are.
    pub fn write(&self, storage: &Storage, mut skip: u64, bytes: &[u8]) -> Result<usize, Broken> {
        let mut done = 0;
        for (address, length) in &self.writable {
            let length = u64::from(*length);
            let passed = skip.min(length);
            skip -= passed;
            let count = ((length - passed) as usize).min(bytes.len() - done);
            if count > 0 {
                write(storage, address.checked_add(passed).ok_or(Broken)?, &bytes[done..done + count])?;
                done += count;
            }
        }
        Ok(done)
    }

    fn add(&mut self, descriptor: &Descriptor) -> Result<(), Broken> {
        let buffer = (descriptor.address.get(), descriptor.length.get());
        let writes = descriptor.flags.get() & flag::WRITE != 0;
        // All that is read comes before all that is written.
        if !writes && !self.writable.is_empty() || self.readable.len() + self.writable.len() >= LONGEST {
            return Err(Broken);
        }
        if writes {
            self.writable.push(buffer)
        } else {
            self.readable.push(buffer)
        }
        Ok(())
    }
}

/// A queue.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Queue {
    size: u16,
    descriptors: u64,
    available: u64,
    used: u64,
    /// Entries of the driver's ring that were taken, and entries of the device's ring that were made.
    taken: u16,
    made: u16,
    /// Entries that had been made when the driver was last told, or might have been.
    told: u16,
    indirect: bool,
    events: bool,
}

impl Queue {
    /// A queue at these addresses. `None` if it cannot lie so.
    pub fn new(size: u16, descriptors: u64, available: u64, used: u64) -> Option<Queue> {
        let aligned = descriptors % 16 == 0 && available % 2 == 0 && used % 4 == 0;
        let entries = u64::from(size);
        let parts = [(descriptors, 16 * entries), (available, 6 + 2 * entries), (used, 6 + 8 * entries)];
        let whole = parts.iter().all(|(at, length)| at.checked_add(*length).is_some());
        let right = size.is_power_of_two() && size <= 32_768 && aligned && whole;
        right.then_some(Queue { size, descriptors, available, used, ..Queue::default() })
    }

    /// Whether it is one that [`Queue::new`] gives, or none that the driver has set up.
    pub(crate) fn can_be(&self) -> bool {
        self.size == 0 || Queue::new(self.size, self.descriptors, self.available, self.used).is_some()
    }

    /// Where its parts lie: address and length.
    pub fn parts(&self) -> [(u64, u64); 3] {
        let entries = u64::from(self.size);
        [(self.descriptors, 16 * entries), (self.available, 6 + 2 * entries), (self.used, 6 + 8 * entries)]
    }

    /// Descriptors that it has; 0: the driver has not set it up.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// The features that the driver has chosen.
    pub fn settle(&mut self, features: u64) {
        self.indirect = features & feature::INDIRECT_DESC != 0;
        self.events = features & feature::EVENT_IDX != 0;
    }

    /// Takes the next chain that the driver has made available; false if there is none.
    pub fn take(&mut self, storage: &Storage, chain: &mut Chain) -> Result<bool, Broken> {
        if self.size == 0 {
            return Ok(false);
        }
        let waiting = self.index(storage)?.wrapping_sub(self.taken);
        if waiting == 0 {
            return Ok(false);
        }
        if waiting > self.size {
            return Err(Broken);
        }
        let entry = u64::from(self.taken % self.size);
        let head = half(storage, self.available + size_of::<Ring>() as u64 + 2 * entry)?;
        chain.readable.clear();
        chain.writable.clear();
        chain.head = head;
        self.follow(storage, chain)?;
        self.taken = self.taken.wrapping_add(1);
        Ok(true)
    }

    /// Gives back the last `count` chains that were taken: they come again.
    pub fn give_back(&mut self, count: u16) {
        self.taken = self.taken.wrapping_sub(count);
    }

    /// How many chains the driver has made available so far.
    fn index(&self, storage: &Storage) -> Result<u16, Broken> {
        let index = half(storage, self.available + 2)?;
        // What was put into the ring before the index is read after it.
        fence(Acquire);
        Ok(index)
    }

    fn follow(&self, storage: &Storage, chain: &mut Chain) -> Result<(), Broken> {
        let mut n = chain.head;
        for _ in 0..self.size {
            if n >= self.size {
                return Err(Broken);
            }
            let descriptor: Descriptor = layout(storage, self.descriptors + 16 * u64::from(n))?;
            let flags = descriptor.flags.get();
            if flags & flag::INDIRECT != 0 {
                // The table is the end of the chain.
                let fits = self.indirect && flags & (flag::NEXT | flag::WRITE) == 0;
                return if fits { follow_table(storage, &descriptor, chain) } else { Err(Broken) };
            }
            chain.add(&descriptor)?;
            if flags & flag::NEXT == 0 {
                return Ok(());
            }
            n = descriptor.next.get();
        }
        // A loop.
        Err(Broken)
    }

    /// Tells the driver that a chain was used, and `length` bytes were written into it. The driver looks at it when
    /// [`Queue::publish`] has been called.
    pub fn put(&mut self, storage: &Storage, chain: &Chain, length: u32) -> Result<(), Broken> {
        let entry = u64::from(self.made % self.size);
        let used = Used { id: u32::from(chain.head).into(), length: length.into() };
        write(storage, self.used + size_of::<Ring>() as u64 + 8 * entry, used.as_bytes())?;
        self.made = self.made.wrapping_add(1);
        Ok(())
    }

    /// Shows the driver what was used. True if the driver wants an interruption for it.
    pub fn publish(&mut self, storage: &Storage) -> Result<bool, Broken> {
        if self.made == self.told {
            return Ok(false);
        }
        fence(Release);
        write(storage, self.used + 2, little::U16::new(self.made).as_bytes())?;
        let before = std::mem::replace(&mut self.told, self.made);
        // The driver first says that it wants to be told, then looks at the index once more. Here it is the other way
        // round, so one of the two sees the other.
        fence(SeqCst);
        if self.events {
            let event = half(storage, self.available + size_of::<Ring>() as u64 + 2 * u64::from(self.size))?;
            Ok(passes(event, before, self.made))
        } else {
            Ok(half(storage, self.available)? & QUIET == 0)
        }
    }

    /// Says whether the device wants to be notified of further chains. True if some are there already, of which it may
    /// not have been.
    pub fn want(&mut self, storage: &Storage, wanted: bool) -> Result<bool, Broken> {
        if self.size == 0 {
            return Ok(false);
        }
        if self.events {
            // Half the range of indexes from here is as good as never.
            let event = if wanted { self.taken } else { self.taken.wrapping_add(0x8000) };
            let at = self.used + size_of::<Ring>() as u64 + 8 * u64::from(self.size);
            write(storage, at, little::U16::new(event).as_bytes())?;
        } else {
            write(storage, self.used, little::U16::new(if wanted { 0 } else { QUIET }).as_bytes())?;
        }
        if !wanted {
            return Ok(false);
        }
        fence(SeqCst);
        Ok(self.index(storage)? != self.taken)
    }
}

/// The rest of a chain lies in a table of its own.
fn follow_table(storage: &Storage, table: &Descriptor, chain: &mut Chain) -> Result<(), Broken> {
    let (at, length) = (table.address.get(), table.length.get());
    let entries = length / 16;
    if length % 16 != 0 || entries == 0 || at.checked_add(length.into()).is_none() {
        return Err(Broken);
    }
    let mut n = 0;
    for _ in 0..entries.min(LONGEST as u32) {
        if n >= entries {
            return Err(Broken);
        }
        let descriptor: Descriptor = layout(storage, at + 16 * u64::from(n))?;
        if descriptor.flags.get() & flag::INDIRECT != 0 {
            return Err(Broken);
        }
        chain.add(&descriptor)?;
        if descriptor.flags.get() & flag::NEXT == 0 {
            return Ok(());
        }
        n = descriptor.next.get().into();
    }
    Err(Broken)
}

/// Whether an index that goes from `before` to `now` passes `event`.
fn passes(event: u16, before: u16, now: u16) -> bool {
    now.wrapping_sub(event).wrapping_sub(1) < now.wrapping_sub(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_passes_an_event_once() {
        assert!(passes(5, 5, 6) && passes(5, 3, 6) && passes(0xffff, 0xfffe, 2));
        assert!(!passes(5, 6, 7) && !passes(6, 5, 6) && !passes(0x8005, 5, 9));
    }
}
