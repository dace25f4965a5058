//! Differences of counters in two samples.

/// How far a counter of 32 bits that wraps around has gone on. One that seems to have gone on by half of its range or
/// more has begun anew: what it counts is of new hardware, or of a new session.
pub fn gone(before: u32, after: u32) -> f64 {
    let gone = after.wrapping_sub(before);
    f64::from(if gone <= u32::MAX / 2 { gone } else { after })
}

/// How far a time has gone on, in seconds; one that went back has begun anew.
pub fn passed(before: u64, after: u64) -> f64 {
    seconds(after.checked_sub(before).unwrap_or(after))
}

/// The same of one that is counted down.
pub fn passed_down(before: u64, after: u64) -> f64 {
    seconds(before.saturating_sub(after))
}

/// TOD units as seconds.
pub fn seconds(units: u64) -> f64 {
    units as f64 / 4_096_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_and_begin_anew() {
        assert_eq!(gone(5, 12), 7.0);
        assert_eq!(gone(u32::MAX - 1, 3), 5.0, "wrapped around");
        assert_eq!(gone(1_000_000, 3), 3.0, "begun anew");
        assert_eq!(passed(4_096_000_000, 3 * 4_096_000_000), 2.0);
        assert_eq!(passed(2 * 4_096_000_000, 4_096_000_000), 1.0);
        assert_eq!(passed_down(3 * 4_096_000_000, 4_096_000_000), 2.0);
    }
}
