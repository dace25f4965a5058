//! Times at which something is due, the earliest first, each under a key that has at most one.

use crate::Tod;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Keys with a time each. To set or take one costs the logarithm of how many there are, and nothing looks at all of
/// them.
pub struct Timers<K> {
    by_time: BTreeSet<(Tod, K)>,
    times: HashMap<K, Tod>,
}

impl<K> Default for Timers<K> {
    fn default() -> Timers<K> {
        Timers { by_time: BTreeSet::new(), times: HashMap::new() }
    }
}

impl<K: Copy + Ord + Hash> Timers<K> {
    /// From now on `key` is due at this time instead of another, or never.
    pub fn set(&mut self, key: K, at: Option<Tod>) {
        let before = match at {
            Some(at) => self.times.insert(key, at),
            None => self.times.remove(&key),
        };
        if before == at {
            return;
        }
        if let Some(before) = before {
            self.by_time.remove(&(before, key));
        }
        if let Some(at) = at {
            self.by_time.insert((at, key));
        }
    }

    /// The earliest time.
    pub fn first(&self) -> Option<Tod> {
        self.by_time.first().map(|&(at, _)| at)
    }

    /// What is due at `now`, in the order of the keys. It stays due until it is set anew.
    pub fn due(&self, now: Tod) -> Vec<K> {
        let mut due: Vec<K> = self.by_time.iter().take_while(|(at, _)| *at <= now).map(|&(_, key)| key).collect();
        due.sort_unstable();
        due
    }

    /// Takes the earliest if its time is over, as `over` says.
    pub fn take(&mut self, over: impl FnOnce(Tod) -> bool) -> Option<K> {
        let &(_, key) = self.by_time.first().filter(|&&(at, _)| over(at))?;
        self.set(key, None);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use support::Random;

    /// 200,000 changes, against a table of all keys that is walked after each.
    #[test]
    fn timers_find_what_a_walk_over_everything_finds() {
        let mut random = Random::seeded(1);
        let (mut timers, mut model) = (Timers::default(), HashMap::<u32, Tod>::new());
        let (mut set, mut taken, mut dues) = (0, 0, 0);
        for _ in 0..200_000 {
            let (key, at) = (random.below(64), Tod(random.below(1000)));
            match random.below(4) {
                0 => {
                    timers.set(key, None);
                    model.remove(&key);
                }
                1 => {
                    let first = model.iter().map(|(&key, &at)| (at, key)).min().filter(|&(first, _)| first <= at);
                    assert_eq!(timers.take(|first| first <= at), first.map(|(_, key)| key));
                    if let Some((_, key)) = first {
                        model.remove(&key);
                    }
                    taken += usize::from(first.is_some());
                }
                _ => {
                    timers.set(key, Some(at));
                    model.insert(key, at);
                    set += 1;
                }
            }
            let mut due: Vec<u32> = model.iter().filter(|(_, due)| **due <= at).map(|(&key, _)| key).collect();
            due.sort_unstable();
            assert_eq!(timers.due(at), due);
            assert_eq!(timers.first(), model.values().min().copied());
            dues += due.len();
        }
        println!("{set} set, {taken} taken, {dues} found to be due");
        assert!(set > 50_000 && taken > 10_000 && dues > 100_000);
    }

    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct Counted(u32);

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    impl Ord for Counted {
        fn cmp(&self, other: &Counted) -> std::cmp::Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Counted) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    /// All have the same time, so that each comparison looks at the keys.
    #[test]
    fn a_change_among_many_compares_few() {
        let compared = |count: u32| {
            let mut timers = Timers::default();
            (0..count).for_each(|n| timers.set(Counted(n), Some(Tod(1))));
            COMPARED.set(0);
            timers.set(Counted(count / 2), Some(Tod(0)));
            assert_eq!(timers.first(), Some(Tod(0)));
            assert!(timers.take(|at| at == Tod(0)) == Some(Counted(count / 2)));
            COMPARED.get()
        };
        let (few, many) = (compared(10), compared(60_000));
        println!("{few} comparisons among 10, {many} among 60,000");
        assert!(many <= few + 120, "{many} comparisons among 60,000, {few} among 10");
    }
}
