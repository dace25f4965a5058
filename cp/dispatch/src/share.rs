//! Shares: what part of the processors is a virtual CPU's, given which others want to run.

use crate::Share;

/// The whole, of which a weight is a part.
pub(crate) const WHOLE: u64 = 1_000_000_000;

/// ABSOLUTE shares may add up to so much, in tenths of a percent, while there are RELATIVE ones; beyond that they are
/// scaled down, so that something is left.
const MAX_ABSOLUTE: u64 = 990;

/// The sums over all users with a virtual CPU that is ready or running.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sums {
    pub absolute: u64,
    pub relative: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, share: Share) {
        match share {
            Share::Absolute(a) => self.absolute += u64::from(a),
            Share::Relative(r) => self.relative += u64::from(r),
        }
    }

    pub(crate) fn take(&mut self, share: Share) {
        match share {
            Share::Absolute(a) => self.absolute -= u64::from(a),
            Share::Relative(r) => self.relative -= u64::from(r),
        }
    }

    /// The part that a user of these sums with `share` would have with `other` instead.
    pub(crate) fn weight_instead(mut self, share: Share, other: Share) -> u64 {
        self.take(share);
        self.add(other);
        self.weight(other)
    }

    /// The part of a user with `share`, which is among the sums, in parts of [`WHOLE`]; at least 1.
    pub(crate) fn weight(&self, share: Share) -> u64 {
        let scaled = if self.relative == 0 { self.absolute } else { self.absolute.min(MAX_ABSOLUTE) };
        let weight = match share {
            Share::Absolute(a) => WHOLE / 1000 * u64::from(a) * scaled / self.absolute.max(1),
            Share::Relative(r) => {
                let rest = WHOLE / 1000 * 1000u64.saturating_sub(scaled);
                rest.max(WHOLE / 1000) * u64::from(r) / self.relative.max(1)
            }
        };
        weight.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(shares: &[Share]) -> Sums {
        let mut sums = Sums::default();
        shares.iter().for_each(|&s| sums.add(s));
        sums
    }

    #[test]
    fn relative_shares_divide_what_absolute_ones_leave() {
        let sums = sums(&[Share::Absolute(400), Share::Relative(100), Share::Relative(200)]);
        assert_eq!(sums.weight(Share::Absolute(400)), WHOLE / 10 * 4);
        assert_eq!(sums.weight(Share::Relative(100)), WHOLE / 10 * 2);
        assert_eq!(sums.weight(Share::Relative(200)), WHOLE / 10 * 4);
    }

    #[test]
    fn absolute_shares_beyond_99_percent_are_scaled_down() {
        let sums = sums(&[Share::Absolute(800), Share::Absolute(400), Share::Relative(100)]);
        assert_eq!(sums.weight(Share::Absolute(800)), WHOLE / 1000 * 660);
        assert_eq!(sums.weight(Share::Absolute(400)), WHOLE / 1000 * 330);
        assert_eq!(sums.weight(Share::Relative(100)), WHOLE / 1000 * 10);
    }

    #[test]
    fn every_share_is_something() {
        let sums = sums(&[Share::Relative(1), Share::Relative(10_000), Share::Absolute(1000)]);
        assert!(sums.weight(Share::Relative(1)) > 0);
    }
}
