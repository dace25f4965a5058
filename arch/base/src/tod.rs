//! The time-of-day clock: microseconds since 1900 in bits 0–51 (POP, chapter 4, "Time-of-day clock").

/// A TOD clock value: bit 51 is one microsecond, the epoch is 1900-01-01 00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Tod(pub u64);

impl Tod {
    /// The TOD clock at the Unix epoch (1970-01-01): 2,208,988,800 seconds after 1900.
    pub const UNIX_EPOCH: Tod = Tod(0x7d91_048b_ca00_0000);

    /// A clock that shows `ns` nanoseconds after the Unix epoch.
    pub fn from_unix_nanos(ns: u64) -> Tod {
        // 4096 units a microsecond: 512 units in 125 nanoseconds. Split so that nothing overflows.
        Tod(Self::UNIX_EPOCH.0.wrapping_add(ns / 125 * 512 + ns % 125 * 512 / 125))
    }

    /// Nanoseconds after the Unix epoch; before it, 0.
    pub fn unix_nanos(self) -> u64 {
        self.nanos_since(Self::UNIX_EPOCH)
    }

    /// Nanoseconds from `earlier` to this time; 0 if it is later.
    pub fn nanos_since(self, earlier: Tod) -> u64 {
        let units = self.0.saturating_sub(earlier.0);
        units / 512 * 125 + units % 512 * 125 / 512
    }

    /// This time and `us` microseconds more.
    pub fn plus_micros(self, us: u64) -> Tod {
        Tod(self.0.wrapping_add(us << 12))
    }

    /// Microseconds from `earlier` to this time; 0 if it is later.
    pub fn micros_since(self, earlier: Tod) -> u64 {
        self.0.saturating_sub(earlier.0) >> 12
    }
}

/// Where time comes from. The program's own clock reads the host's; a test's moves when it is told to.
pub trait Clock: Send + Sync {
    /// The time now, never earlier than an answer given before.
    fn now(&self) -> Tod;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_microsecond_is_bit_51() {
        assert_eq!(Tod::from_unix_nanos(1000).0 - Tod::UNIX_EPOCH.0, 1 << 12);
        assert_eq!(Tod::from_unix_nanos(1_700_000_000_123_456_789).unix_nanos() / 1000, 1_700_000_000_123_456);
        assert_eq!(Tod(0).plus_micros(5).micros_since(Tod(0)), 5);
    }
}
