//! What the operator is told of failing media.
//!
//! A guest repeats what failed, often hundreds of times, and a host disk that is full fails every write to whatever
//! track. So what is wrong with a disk is told once, however often and wherever it is met, and again only when a minute
//! has passed.

use base::{Held, Tod};
use dasd::MediaError;
use message::Message;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Messages that wait for the operator at most.
const WAITING: usize = 100;

/// How long the same is not told again, in microseconds.
const QUIET: u64 = 60_000_000;

/// Messages for the operator.
#[derive(Default)]
pub(crate) struct Troubles(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: VecDeque<Message>,
    /// What has been told, of which disk, and when.
    told: Vec<(String, Tod)>,
}

impl Troubles {
    /// Takes note of `error` on a disk at `what`, found at `now`: a part of it, or all of it.
    pub(crate) fn report(&self, now: Tod, rdev: &str, volume: &str, disk: &str, what: &str, error: &MediaError) {
        let mut state = self.0.lock().held();
        let key = format!("{rdev} {disk} {error}");
        state.told.retain(|(_, at)| now.micros_since(*at) < QUIET);
        if state.waiting.len() < WAITING && !state.told.iter().any(|(told, _)| *told == key) {
            state.told.push((key, now));
            state.waiting.push_back(message::media_error(rdev, volume, what, error));
        }
    }

    /// Has the operator told this.
    pub(crate) fn tell(&self, message: Message) {
        self.0.lock().held().waiting.push_back(message);
    }

    /// What the operator has not been told yet.
    pub(crate) fn take(&self) -> VecDeque<Message> {
        std::mem::take(&mut self.0.lock().held().waiting)
    }

    /// Whether [`Troubles::take`] has something.
    pub(crate) fn any(&self) -> bool {
        !self.0.lock().held().waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_told_once_a_minute() {
        let troubles = Troubles::default();
        let at = |second: u64| Tod::from_unix_nanos((690_624_000 + second) * 1_000_000_000);
        let full = MediaError::Host("the disk is full".into());
        let report = |second, disk: &str, track: u32, error: &MediaError| {
            troubles.report(at(second), "0200", "USR001", disk, &format!("track {track} of {disk}"), error);
        };
        (0..300).for_each(|track| report(0, "A 0191", track, &full));
        report(59, "A 0191", 7, &full);
        report(59, "B 0191", 7, &full);
        report(59, "A 0191", 7, &MediaError::Damaged("track 7 is torn".into()));
        let told: Vec<String> = troubles.take().iter().map(Message::to_string).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("track 0 of A 0191: the disk is full"), "{told:?}");
        assert!(told[1].contains("B 0191") && told[2].contains("torn"), "{told:?}");
        report(60, "A 0191", 8, &full);
        assert_eq!(troubles.take().len(), 1);
        assert!(!troubles.any());
    }
}
