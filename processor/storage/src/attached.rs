//! Pages of others in a configuration's storage: where they lie, within its size or after its end, and which
//! configurations may store into them.

use crate::pages::{Pages, Sharer, Sharers};
use crate::{NotAvailable, Storage};
use arch::{Absolute, PAGE};
use base::Held;
use std::io;
use std::ops::Range;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, MutexGuard};

/// What attached pages have to do with those of other configurations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// A page is common to all until one of them stores into it, and then that one's own.
    Own,
    /// What one configuration stores all others see.
    Shared,
    /// No stores: CPUs and channel programs get a protection exception or a protection check.
    ReadOnly,
}

/// There is storage here, whatever the configuration's size.
const PRESENT: u8 = 0x80;
/// CPUs and channel programs cannot store here.
const PROTECTED: u8 = 0x40;
/// What is stored here all see.
const COMMON: u8 = 0x20;

/// A range of attached pages.
#[derive(Clone)]
pub(crate) struct Attached {
    range: Range<u64>,
    /// Of pages that several store into: which storages have them, and the first of them that is here.
    common: Option<(Arc<Sharers>, u64)>,
}

impl Storage {
    fn ranges(&self) -> MutexGuard<'_, Vec<Attached>> {
        self.attached_ranges.lock().held()
    }

    fn frames(range: &Range<u64>) -> Range<usize> {
        (range.start / PAGE) as usize..(range.end / PAGE) as usize
    }

    /// Whether there is storage from `a` to `end` that does not all lie within the configuration's size.
    #[cold]
    pub(crate) fn check_attached(&self, a: Absolute, end: Option<u64>) -> Result<(), NotAvailable> {
        let end = end.filter(|&end| end <= self.room()).ok_or(NotAvailable(a))?;
        let beyond = a.0.max(self.size()) / PAGE..end.div_ceil(PAGE);
        let there = beyond.clone().all(|frame| self.attached[frame as usize].load(Relaxed) & PRESENT != 0);
        if there && !beyond.is_empty() { Ok(()) } else { Err(NotAvailable(a)) }
    }

    /// The end of the addresses at which there can be storage.
    pub fn room(&self) -> u64 {
        self.attached.len() as u64 * PAGE
    }

    /// Whether CPUs and channel programs cannot store into the frame that holds `a`.
    #[inline]
    pub fn is_read_only(&self, a: Absolute) -> bool {
        self.attached.get((a.0 / PAGE) as usize).is_some_and(|flags| flags.load(Relaxed) & PROTECTED != 0)
    }

    /// Whether pages of others are attached anywhere.
    pub fn has_attached(&self) -> bool {
        !self.attached_ranges.lock().held().is_empty()
    }

    /// Whether the frame that holds `a` is one of those that were attached: others may have its page, too.
    #[inline]
    pub fn is_attached(&self, a: Absolute) -> bool {
        self.attached.get((a.0 / PAGE) as usize).is_some_and(|flags| flags.load(Relaxed) & PRESENT != 0)
    }

    /// Whether the frame that holds `a` is one that other configurations have as well, and that is not this one's own
    /// copy when it changes.
    pub fn is_shared(&self, a: Absolute) -> bool {
        self.attached.get((a.0 / PAGE) as usize).is_some_and(|flags| flags.load(Relaxed) & (PROTECTED | COMMON) != 0)
    }

    /// Puts `pages` from `from` on in the place of what is at `range`, whole pages within [`Storage::room`]; without
    /// `pages`, zero pages of the configuration's own. Their keys are zero. Translations that CPUs remember must be
    /// purged afterwards.
    ///
    /// Code in pages that several store into is seen to change, whichever of them stores.
    pub fn attach(
        self: &Arc<Self>,
        range: Range<u64>,
        pages: Option<(&Pages, u64)>,
        sharing: Sharing,
    ) -> io::Result<()> {
        let (start, len) = (range.start as usize, (range.end - range.start) as usize);
        assert!(range.start < range.end && range.end <= self.room(), "there is room for the pages");
        let common = pages.filter(|_| sharing == Sharing::Shared).map(|(pages, from)| (pages.sharers.clone(), from));
        self.ranges().push(Attached { range: range.clone(), common: common.clone() });
        let flags = match sharing {
            Sharing::Own => PRESENT,
            Sharing::Shared => PRESENT | COMMON,
            Sharing::ReadOnly => PRESENT | PROTECTED,
        };
        let mut mapped = Ok(());
        self.replace(range.clone(), &mut || {
            mapped = match pages {
                Some((pages, from)) => {
                    assert!(from + len as u64 <= pages.size(), "the pages are there");
                    self.bytes.map(start, len, pages, from, sharing == Sharing::Shared)
                }
                None => self.bytes.unmap(start, len),
            };
            if mapped.is_ok() {
                self.attached[Self::frames(&range)].iter().for_each(|cell| cell.store(flags, SeqCst));
            }
        });
        mapped?;
        self.renew(&range);
        if let Some((sharers, from)) = common {
            sharers.lock().push(Sharer { storage: Arc::downgrade(self), range: range.clone(), from });
            // All have the same marks: none.
            Self::frames(&range).for_each(|frame| self.in_all(frame as u64, Storage::forget_code));
        }
        Ok(())
    }

    /// Does something with the frame. If its page is one that several store into, it is done in each other storage that
    /// has it, too. Each is called with its own number of the frame. What two CPUs do so with one page comes in the
    /// same order everywhere.
    pub(crate) fn in_all<T>(&self, frame: u64, act: impl Fn(&Storage, u64) -> T) -> T {
        let common = self.attached.get(frame as usize).is_some_and(|flags| flags.load(Relaxed) & COMMON != 0);
        let here = common.then(|| self.ranges().iter().rfind(|it| it.range.contains(&(frame * PAGE))).cloned());
        let Some(Attached { range, common: Some((sharers, from)) }) = here.flatten() else { return act(self, frame) };
        let at = from + frame * PAGE - range.start;
        let all = sharers.lock();
        let others: Vec<(Arc<Storage>, u64)> = all
            .iter()
            .filter_map(|other| {
                let there = other.range.start + at.checked_sub(other.from)?;
                let storage = other.storage.upgrade().filter(|storage| !std::ptr::eq(&**storage, self))?;
                other.range.contains(&there).then_some((storage, there / PAGE))
            })
            .collect();
        others.iter().for_each(|(storage, frame)| drop(act(storage, *frame)));
        let done = act(self, frame);
        // A storage that has come to its end meanwhile goes when nothing is locked.
        drop(all);
        done
    }

    /// Takes attached pages away: where they lay within the configuration's size are zero pages, and after its end
    /// nothing. As for [`Storage::attach`], translations must be purged.
    pub fn detach(&self, range: Range<u64>) -> io::Result<()> {
        self.attached[Self::frames(&range)].iter().for_each(|cell| cell.store(0, SeqCst));
        let gone: Vec<Attached> = self.ranges().extract_if(.., |other| other.range == range).collect();
        for (sharers, _) in gone.into_iter().filter_map(|gone| gone.common) {
            let own = |other: &Sharer| std::ptr::eq(other.storage.as_ptr(), self) && other.range == range;
            sharers.lock().retain(|other| !own(other) && other.storage.strong_count() != 0);
        }
        self.bytes.unmap(range.start as usize, (range.end - range.start) as usize)?;
        self.renew(&range);
        Ok(())
    }

    /// Takes all attached pages away.
    pub fn detach_all(&self) -> io::Result<()> {
        let all = self.ranges().clone();
        all.into_iter().try_for_each(|attached| self.detach(attached.range))
    }

    /// Zeroes pages that are attached: they become the configuration's own, but those that are shared stay as they are.
    /// False if none is attached.
    pub(crate) fn zero_attached(&self, range: Range<u64>) -> bool {
        if self.ranges().iter().all(|other| other.range.end <= range.start || range.end <= other.range.start) {
            return false;
        }
        for frame in Self::frames(&range) {
            match self.attached[frame].load(Relaxed) {
                0 => self.bytes.zero(frame * PAGE as usize, PAGE as usize),
                PRESENT => {
                    self.bytes.unmap(frame * PAGE as usize, PAGE as usize).expect("a page of ours is mapped anew")
                }
                _ => continue,
            }
            self.stored(Absolute(frame as u64 * PAGE), PAGE as usize);
        }
        true
    }

    /// Other bytes are there now.
    fn renew(&self, range: &Range<u64>) {
        for frame in Self::frames(range) {
            if self.keys[frame].load(Relaxed) != 0 {
                self.keys[frame].store(0, Relaxed);
            }
            self.code[frame].set_told(self.attached[frame].load(Relaxed) & COMMON != 0);
            if self.code[frame].is_marked() {
                self.forget_code(frame as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_shared_as_they_are_told_to_be() {
        let pages = Pages::new(3 * PAGE).unwrap();
        pages.write(0, b"read").unwrap();
        pages.write(PAGE, b"same").unwrap();
        pages.write(2 * PAGE, b"own.").unwrap();
        let storages = [0, 1].map(|_| Arc::new(Storage::with_room(2 * PAGE, 16 * PAGE).unwrap()));
        let word = |s: &Storage, page: u64| s.read_array::<4>(Absolute(page * PAGE));
        for s in &storages {
            assert!(word(s, 8).is_err());
            s.attach(8 * PAGE..9 * PAGE, Some((&pages, 0)), Sharing::ReadOnly).unwrap();
            s.attach(9 * PAGE..10 * PAGE, Some((&pages, PAGE)), Sharing::Shared).unwrap();
            s.attach(PAGE..2 * PAGE, Some((&pages, 2 * PAGE)), Sharing::Own).unwrap();
            assert_eq!(word(s, 1), Ok(*b"own."));
        }
        let [a, b] = &storages;
        assert_eq!((a.is_read_only(Absolute(8 * PAGE)), a.is_read_only(Absolute(9 * PAGE))), (true, false));
        assert_eq!((a.is_shared(Absolute(9 * PAGE)), a.is_shared(Absolute(PAGE))), (true, false));
        a.write(Absolute(9 * PAGE), b"both").unwrap();
        a.write(Absolute(PAGE), b"mine").unwrap();
        assert_eq!((word(b, 8), word(b, 9), word(b, 1)), (Ok(*b"read"), Ok(*b"both"), Ok(*b"own.")));
        assert_eq!((a.key(Absolute(9 * PAGE)), b.key(Absolute(9 * PAGE))), (Ok(6), Ok(4)), "keys are each one's own");
        // The gap between storage and what is attached is not there, nor what crosses an end.
        assert!(a.read_u64(Absolute(8 * PAGE - 4)).is_err() && a.read_u64(Absolute(10 * PAGE - 4)).is_err());
        assert!(a.read_u64(Absolute(9 * PAGE - 4)).is_ok());
        // Discarding makes a page one's own and zero; those that are shared stay.
        a.discard(Absolute(0), Absolute(PAGE)).unwrap();
        a.discard(Absolute(8 * PAGE), Absolute(9 * PAGE)).unwrap();
        assert_eq!((word(a, 1), word(a, 8), word(a, 9)), (Ok([0; 4]), Ok(*b"read"), Ok(*b"both")));
        // Code that one has decoded is stale for both when the other stores into it, at another address.
        let at = Absolute(9 * PAGE + 0x100);
        b.attach(12 * PAGE..15 * PAGE, Some((&pages, 0)), Sharing::Shared).unwrap();
        let there = Absolute(13 * PAGE + 0x100);
        let (mine, yours) = (a.mark_code(at, 8).version, b.mark_code(there, 8).version);
        b.write(Absolute(there.0 + 8), &[0; 8]).unwrap();
        assert_eq!((a.code_version(at), b.code_version(there)), (mine, yours), "beside it");
        b.write(there, &[7]).unwrap();
        assert!(a.code_version(at) != mine && b.code_version(there) != yours);
        let mine = a.mark_code(at, 8).version;
        assert!(b.code(there).is_marked(), "a store must be told");
        b.detach(12 * PAGE..15 * PAGE).unwrap();
        b.write(Absolute(9 * PAGE + 0x104), &[1]).unwrap();
        assert!(a.code_version(at) != mine, "it has the page at another address still");
        // One may look at the page before the other decodes there, and store only then. It has to tell, since the other
        // does not wait for it.
        let beside = Absolute(at.0 + 0x800);
        let told = b.code(beside).is_marked();
        let mine = a.mark_code(beside, 8);
        a.read_u64(beside).unwrap();
        b.write(beside, &[7]).unwrap();
        assert!(told && !mine.first && a.code_version(beside) != mine.version);
        assert!(
            !a.code(Absolute(8 * PAGE)).is_marked() && !a.code(Absolute(PAGE)).is_marked(),
            "others may not store there"
        );
        a.detach(8 * PAGE..9 * PAGE).unwrap();
        assert!(word(a, 8).is_err() && word(a, 9).is_ok());
        a.detach(9 * PAGE..10 * PAGE).unwrap();
        assert!(!a.code(at).is_marked(), "it is alone");
        b.clear();
        assert_eq!((word(b, 1), word(b, 8).is_err(), b.is_read_only(Absolute(8 * PAGE))), (Ok([0; 4]), true, false));
    }
}
