//! What tests share: [`stories`], a [`folder`] that goes with its test, and numbers that look random and follow from a
//! seed, so that a failure is repeated by naming it.
//!
//! The row that belongs to a seed is the same on every host, and changes at most with the version of `fastrand` that
//! `Cargo.lock` names. Nothing outside tests depends on this crate: true random numbers are an argument there.

pub mod folder;
pub mod stories;

/// A row of random numbers.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The row that belongs to `seed`.
    pub fn seeded(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.0.u8(..)
    }

    /// So many bytes of any value.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill(&mut bytes);
        bytes
    }

    /// A number from 0 to below `limit`, which is at least 1. The type of the number changes nothing in the row.
    pub fn below<N: Whole>(&mut self, limit: N) -> N {
        N::narrow(self.0.u64(..limit.wide()))
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of these, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// From 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        self.0.f64()
    }
}

/// A type of numbers that can be chosen from.
pub trait Whole: Copy {
    /// The number with 64 bits. Panics if it is negative.
    fn wide(self) -> u64;
    /// The number as one of this type. Panics if it is too large.
    fn narrow(wide: u64) -> Self;
}

macro_rules! whole {
    ($($of:ty)*) => {$(
        impl Whole for $of {
            fn wide(self) -> u64 {
                self.try_into().expect("a limit is positive")
            }

            fn narrow(wide: u64) -> $of {
                wide.try_into().expect("it is below a limit of this type")
            }
        }
    )*};
}

// A number whose type nothing else says is an i32.
whole!(u8 u16 u32 u64 usize i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_follows_from_its_seed() {
        let row = |seed| {
            let mut random = Random::seeded(seed);
            (0..100).map(|_| random.word()).collect::<Vec<u64>>()
        };
        assert_eq!(row(7), row(7));
        assert_ne!(row(0), row(1));
        assert_ne!(row(7), row(8));
    }

    #[test]
    fn whatever_the_type_the_numbers_are_the_same() {
        let [mut narrow, mut wide] = [3, 3].map(Random::seeded);
        assert!((0..1000).all(|_| u64::from(narrow.below(200u8)) == wide.below(200u64)));
    }

    #[test]
    fn every_number_below_the_limit_comes_and_no_other() {
        let mut random = Random::seeded(1);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[random.below(7)] += 1);
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
        let often = (0..7000).filter(|_| random.one_in(7)).count();
        assert!((800..1200).contains(&often), "{often}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.fraction())));
        assert!(random.bytes(1000).iter().any(|byte| *byte == random.pick(&[1, 2, 3])));
    }
}
