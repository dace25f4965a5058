//! The way in: sessions of browsers, and how often one may try a password.
//!
//! A session is a random token that only the browser's cookie has; the time after which it ends goes anew with each
//! use. Wrong passwords are counted by address, and by address and user ID together. After some of them that address
//! has to wait. A user ID alone never waits, or a stranger could keep its owner out.

use crate::system::Visitor;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Wrong passwords of an address, of whatever user IDs or of one, until there is a pause.
pub const WRONG_PASSWORDS: u32 = 5;
/// How long that pause is, and how long a wrong password counts.
pub const PAUSE: Duration = Duration::from_secs(60);
/// A session that is not used for this long ends.
const IDLE: Duration = Duration::from_secs(8 * 3600);
/// Sessions at most: beyond, the one that was idle longest ends.
const SESSIONS: usize = 10_000;
/// Addresses, with user IDs and without, that are remembered for their wrong passwords, at most.
const REMEMBERED: usize = 10_000;

/// Sessions and wrong passwords.
#[derive(Default)]
pub(crate) struct Gate {
    sessions: Mutex<HashMap<String, Session>>,
    wrong: Mutex<HashMap<Who, Wrong>>,
}

struct Session {
    userid: String,
    local: bool,
    used: Instant,
}

/// What wrong passwords are counted by.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Who {
    Address(IpAddr),
    /// A right password for another user ID does not forget this one.
    Pair(IpAddr, String),
}

struct Wrong {
    count: u32,
    last: Instant,
}

impl Gate {
    /// A session for `visitor`: its token.
    pub(crate) fn open(&self, visitor: &Visitor, local: bool, now: Instant) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut sessions = self.sessions.lock().expect("nothing panics with the sessions locked");
        sessions.retain(|_, session| now.duration_since(session.used) < IDLE);
        if sessions.len() >= SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used).map(|(token, _)| token.clone());
            oldest.map(|token| sessions.remove(&token));
        }
        sessions.insert(token.clone(), Session { userid: visitor.userid.clone(), local, used: now });
        Ok(token)
    }

    /// The user of a session. One that began at this host is good here only.
    pub(crate) fn user(&self, token: &str, local: bool, now: Instant) -> Option<String> {
        let mut sessions = self.sessions.lock().expect("nothing panics with the sessions locked");
        let session = sessions.get_mut(token)?;
        if now.duration_since(session.used) >= IDLE || (session.local && !local) {
            sessions.remove(token);
            return None;
        }
        session.used = now;
        Some(session.userid.clone())
    }

    /// Ends a session.
    pub(crate) fn close(&self, token: &str) {
        self.sessions.lock().expect("nothing panics with the sessions locked").remove(token);
    }

    /// How long there is a pause for the address, with this user ID or any.
    pub(crate) fn pause(&self, address: IpAddr, userid: &str, now: Instant) -> Option<Duration> {
        let wrong = self.wrong.lock().expect("nothing panics with the tries locked");
        let left = |who: Who| {
            let wrong = wrong.get(&who).filter(|wrong| wrong.count >= WRONG_PASSWORDS)?;
            PAUSE.checked_sub(now.duration_since(wrong.last)).filter(|left| !left.is_zero())
        };
        left(Who::Address(address)).max(left(Who::Pair(address, userid.into())))
    }

    /// A wrong password; whether a pause begins with it.
    pub(crate) fn wrong(&self, address: IpAddr, userid: &str, now: Instant) -> bool {
        let mut wrong = self.wrong.lock().expect("nothing panics with the tries locked");
        wrong.retain(|_, wrong| now.duration_since(wrong.last) < PAUSE);
        let mut begins = false;
        for who in [Who::Address(address), Who::Pair(address, userid.into())] {
            if wrong.len() >= REMEMBERED && !wrong.contains_key(&who) {
                continue;
            }
            let entry = wrong.entry(who).or_insert(Wrong { count: 0, last: now });
            (entry.count, entry.last) = (entry.count + 1, now);
            begins |= entry.count == WRONG_PASSWORDS;
        }
        begins
    }

    /// A right password: what was wrong before is forgotten.
    pub(crate) fn right(&self, address: IpAddr, userid: &str) {
        let mut wrong = self.wrong.lock().expect("nothing panics with the tries locked");
        wrong.remove(&Who::Address(address));
        wrong.remove(&Who::Pair(address, userid.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn a_pause_comes_and_goes() {
        let (gate, now) = (Gate::default(), Instant::now());
        for n in 1..=WRONG_PASSWORDS {
            assert_eq!(gate.pause(HOME, "A", now), None);
            assert_eq!(gate.wrong(HOME, "A", now), n == WRONG_PASSWORDS);
        }
        assert_eq!(gate.pause(HOME, "B", now), Some(PAUSE), "the address has to wait");
        assert_eq!(gate.pause("10.0.0.1".parse().unwrap(), "A", now), None, "its owner elsewhere does not");
        assert_eq!(gate.pause("10.0.0.1".parse().unwrap(), "B", now), None);
        assert_eq!(gate.pause(HOME, "A", now + PAUSE), None);
    }

    #[test]
    fn a_right_password_for_one_user_forgets_no_other() {
        let (gate, now) = (Gate::default(), Instant::now());
        for _ in 1..WRONG_PASSWORDS {
            gate.wrong(HOME, "A", now);
        }
        gate.right(HOME, "B");
        assert!(gate.wrong(HOME, "A", now), "the fifth for A");
        assert_eq!(gate.pause(HOME, "A", now), Some(PAUSE));
        assert_eq!(gate.pause(HOME, "B", now), None);
    }

    #[test]
    fn a_session_ends() {
        let (gate, now) = (Gate::default(), Instant::now());
        let visitor = Visitor { userid: "A".into(), classes: "G".into() };
        let (one, two) = (gate.open(&visitor, false, now).unwrap(), gate.open(&visitor, true, now).unwrap());
        assert_ne!(one, two);
        assert_eq!(gate.user(&one, false, now).as_deref(), Some("A"));
        assert_eq!(gate.user(&two, false, now), None, "it began at this host");
        assert_eq!(gate.user(&two, true, now), None, "and has ended");
        assert_eq!(gate.user(&one, false, now + IDLE), None);
        let one = gate.open(&visitor, false, now).unwrap();
        gate.close(&one);
        assert_eq!(gate.user(&one, false, now), None);
    }
}
