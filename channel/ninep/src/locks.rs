//! Locks of parts of files. They hold among the programs of the guest; the host's programs know nothing of them.

/// The most parts that are locked at once.
const MOST: usize = 4096;

/// What a request for a lock comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Granted = 0,
    /// Another one is in the way. The client asks again if it wants to wait.
    Blocked = 1,
    /// There are too many.
    Failed = 2,
}

/// Which program holds or wants a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub process: u32,
    pub client: Vec<u8>,
}

/// A part of a file, from its first byte to its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// The number of the file.
    pub file: u64,
    pub first: u64,
    pub last: u64,
}

impl Part {
    /// `length` bytes from `start`; 0 means all that there are. `None`: that cannot be.
    pub(crate) fn new(file: u64, start: u64, length: u64) -> Option<Part> {
        let last = match length {
            0 => u64::MAX,
            _ => start.checked_add(length - 1)?,
        };
        Some(Part { file, first: start, last })
    }

    /// As a message says it; 0: up to the end.
    pub(crate) fn length(&self) -> u64 {
        if self.last == u64::MAX { 0 } else { self.last - self.first + 1 }
    }

    fn meets(&self, other: &Part) -> bool {
        self.file == other.file && self.first <= other.last && other.first <= self.last
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lock {
    pub part: Part,
    pub owner: Owner,
    pub writes: bool,
    /// It goes with this fid.
    pub fid: u32,
}

/// All that are held.
#[derive(Default)]
pub(crate) struct Locks(Vec<Lock>);

impl Locks {
    /// A lock that is in the way of this one.
    pub(crate) fn in_the_way(&self, lock: &Lock) -> Option<&Lock> {
        let mut others = self.0.iter().filter(|other| other.owner != lock.owner && other.part.meets(&lock.part));
        others.find(|other| other.writes || lock.writes)
    }

    /// Locks a part, in place of what its owner held of it.
    pub(crate) fn lock(&mut self, lock: Lock) -> Status {
        match () {
            () if self.in_the_way(&lock).is_some() => Status::Blocked,
            () if self.0.len() + 2 > MOST => Status::Failed,
            () => {
                self.unlock(&lock.part, &lock.owner);
                self.0.push(lock);
                Status::Granted
            }
        }
    }

    /// Unlocks what the owner holds of a part. A lock of more than that becomes two, if there is room for them.
    pub(crate) fn unlock(&mut self, part: &Part, owner: &Owner) -> Status {
        let is_met = |lock: &Lock| lock.owner == *owner && lock.part.meets(part);
        let is_split = |lock: &&Lock| is_met(lock) && lock.part.first < part.first && lock.part.last > part.last;
        if self.0.len() + self.0.iter().filter(is_split).count() > MOST {
            return Status::Failed;
        }
        let (met, mut kept): (Vec<Lock>, Vec<Lock>) = self.0.drain(..).partition(is_met);
        for lock in met {
            if lock.part.first < part.first {
                kept.push(Lock { part: Part { last: part.first - 1, ..lock.part }, ..lock.clone() });
            }
            if lock.part.last > part.last {
                kept.push(Lock { part: Part { first: part.last + 1, ..lock.part }, ..lock });
            }
        }
        self.0 = kept;
        Status::Granted
    }

    /// Unlocks all that came with a fid.
    pub(crate) fn let_go(&mut self, fid: u32) {
        self.0.retain(|lock| lock.fid != fid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    fn owner(process: u32) -> Owner {
        Owner { process, client: b"guest".to_vec() }
    }

    /// The table says what a list of the owners of each byte says.
    #[test]
    fn locks_are_those_of_a_simple_list_of_bytes() {
        const BYTES: usize = 40;
        let mut random = Random::seeded(9);
        let mut locks = Locks::default();
        // For each owner, what it holds of each byte: nothing, reading, writing.
        let mut held = [[0u8; BYTES]; 3];
        for step in 0..20_000 {
            let who = random.below(3usize);
            let (first, length) = (random.below(BYTES as u64), random.below(8u64) + 1);
            let part = Part::new(7, first, length.min(BYTES as u64 - first)).unwrap();
            let bytes = part.first as usize..=part.last as usize;
            let wanted = random.below(3u8);
            if wanted == 0 {
                locks.unlock(&part, &owner(who as u32));
                held[who][bytes].fill(0);
                continue;
            }
            let free = (0..3)
                .filter(|other| *other != who)
                .all(|other| held[other][bytes.clone()].iter().all(|has| *has == 0 || *has == 1 && wanted == 1));
            let lock = Lock { part, owner: owner(who as u32), writes: wanted == 2, fid: 1 };
            let expected = if free { Status::Granted } else { Status::Blocked };
            assert_eq!(locks.lock(lock), expected, "step {step}");
            if free {
                held[who][bytes].fill(wanted);
            }
        }
        assert!(!locks.0.is_empty() && locks.0.len() < 3 * BYTES);
        locks.let_go(1);
        assert_eq!(locks.0, []);
    }

    #[test]
    fn a_part_may_go_to_the_end_and_no_further() {
        assert_eq!(Part::new(1, 5, 0).unwrap().length(), 0);
        assert_eq!(Part::new(1, u64::MAX, 1).unwrap().last, u64::MAX);
        assert_eq!(Part::new(1, u64::MAX, 2), None);
    }

    #[test]
    fn locks_are_bounded() {
        let mut locks = Locks::default();
        let lock = |n: u64| Lock { part: Part::new(n, 0, 1).unwrap(), owner: owner(1), writes: true, fid: 1 };
        let granted = (0..10_000).filter(|n| locks.lock(lock(*n)) == Status::Granted).count();
        assert!(granted < MOST && granted > MOST - 3, "{granted}");
        let mut locks = Locks::default();
        locks.lock(Lock { part: Part::new(1, 0, 0).unwrap(), owner: owner(1), writes: true, fid: 1 });
        let holes = (0..10_000).map(|n| locks.unlock(&Part::new(1, 2 * n + 1, 1).unwrap(), &owner(1)));
        assert_eq!(holes.filter(|status| *status == Status::Granted).count(), MOST - 1);
    }
}
