//! Which side uses which telnet option (RFC 855, with the states of RFC 1143): every request is answered at most once,
//! and an answer is never answered, so two ends cannot loop.

use crate::telnet::{self, Verb};

/// What one side does with one option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    No,
    Yes,
    /// We asked for it and wait for the answer.
    WantYes,
    /// We asked to end it and wait for the answer.
    WantNo,
}

/// What an option request changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The option is now in use.
    Enabled,
    /// What we asked for was refused.
    Refused,
    /// It was in use and has ended.
    Ended,
}

/// Which side of the connection uses an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The server: WILL and WONT sent by us.
    Ours,
    /// The client: WILL and WONT received.
    Theirs,
}

/// The state of all 256 options on both sides.
#[derive(Debug)]
pub(crate) struct Options {
    ours: [State; 256],
    theirs: [State; 256],
}

impl Options {
    pub(crate) fn new() -> Options {
        Options { ours: [State::No; 256], theirs: [State::No; 256] }
    }

    fn state(&mut self, side: Side, option: u8) -> &mut State {
        match side {
            Side::Ours => &mut self.ours[option as usize],
            Side::Theirs => &mut self.theirs[option as usize],
        }
    }

    /// Whether `side` uses `option`.
    pub(crate) fn in_use(&self, side: Side, option: u8) -> bool {
        let states = if side == Side::Ours { &self.ours } else { &self.theirs };
        states[option as usize] == State::Yes
    }

    /// Asks that `side` begin (or end) using `option`, unless it does (or is about to) already.
    pub(crate) fn ask(&mut self, out: &mut Vec<u8>, side: Side, option: u8, on: bool) {
        let state = self.state(side, option);
        let (next, verb) = match (*state, on, side) {
            (State::No | State::WantNo, true, Side::Ours) => (State::WantYes, Verb::Will),
            (State::No | State::WantNo, true, Side::Theirs) => (State::WantYes, Verb::Do),
            (State::Yes | State::WantYes, false, Side::Ours) => (State::WantNo, Verb::Wont),
            (State::Yes | State::WantYes, false, Side::Theirs) => (State::WantNo, Verb::Dont),
            _ => return,
        };
        *state = next;
        telnet::negotiate(out, verb, option);
    }

    /// Takes a request or an answer from the client and answers it if it is due one. `willing` says whether an
    /// offer that we did not ask for is accepted. Returns the side and what changed there.
    pub(crate) fn received(
        &mut self,
        out: &mut Vec<u8>,
        verb: Verb,
        option: u8,
        willing: bool,
    ) -> Option<(Side, Change)> {
        let (side, on, yes, no) = match verb {
            Verb::Will => (Side::Theirs, true, Verb::Do, Verb::Dont),
            Verb::Wont => (Side::Theirs, false, Verb::Do, Verb::Dont),
            Verb::Do => (Side::Ours, true, Verb::Will, Verb::Wont),
            Verb::Dont => (Side::Ours, false, Verb::Will, Verb::Wont),
        };
        let state = self.state(side, option);
        let (next, answer, change) = match (*state, on) {
            (State::No, true) if willing => (State::Yes, Some(yes), Some(Change::Enabled)),
            (State::No, true) => (State::No, Some(no), None),
            (State::No, false) => (State::No, None, None),
            (State::Yes, true) => (State::Yes, None, None),
            (State::Yes, false) => (State::No, Some(no), Some(Change::Ended)),
            (State::WantYes, true) => (State::Yes, None, Some(Change::Enabled)),
            (State::WantYes, false) => (State::No, None, Some(Change::Refused)),
            // A "yes" that crossed our request to end: the answer to that request is still to come.
            (State::WantNo, true) => (State::WantNo, None, None),
            (State::WantNo, false) => (State::No, None, None),
        };
        *state = next;
        if let Some(answer) = answer {
            telnet::negotiate(out, answer, option);
        }
        change.map(|change| (side, change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_request_is_not_answered() {
        let (mut options, mut out) = (Options::new(), Vec::new());
        options.ask(&mut out, Side::Theirs, 24, true);
        assert_eq!(out, [255, 253, 24]);
        out.clear();
        assert_eq!(options.received(&mut out, Verb::Will, 24, false), Some((Side::Theirs, Change::Enabled)));
        assert_eq!(options.received(&mut out, Verb::Will, 24, false), None);
        assert!(out.is_empty());
        assert!(options.in_use(Side::Theirs, 24));
    }

    #[test]
    fn an_unwanted_offer_is_refused_and_a_wanted_one_taken() {
        let (mut options, mut out) = (Options::new(), Vec::new());
        assert_eq!(options.received(&mut out, Verb::Do, 3, false), None);
        assert_eq!(options.received(&mut out, Verb::Do, 0, true), Some((Side::Ours, Change::Enabled)));
        assert_eq!(out, [255, 252, 3, 255, 251, 0]);
    }

    #[test]
    fn a_refusal_ends_the_matter() {
        let (mut options, mut out) = (Options::new(), Vec::new());
        options.ask(&mut out, Side::Theirs, 40, true);
        out.clear();
        assert_eq!(options.received(&mut out, Verb::Wont, 40, true), Some((Side::Theirs, Change::Refused)));
        assert_eq!(options.received(&mut out, Verb::Wont, 40, true), None);
        assert!(out.is_empty());
    }

    #[test]
    fn echo_goes_on_and_off() {
        let (mut options, mut out) = (Options::new(), Vec::new());
        options.ask(&mut out, Side::Ours, 1, true);
        options.received(&mut out, Verb::Do, 1, false);
        options.ask(&mut out, Side::Ours, 1, false);
        options.received(&mut out, Verb::Dont, 1, false);
        assert_eq!(out, [255, 251, 1, 255, 252, 1]);
        assert!(!options.in_use(Side::Ours, 1));
    }
}
