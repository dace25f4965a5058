//! The way in: sessions of browsers, and how often one may try a password.
//!
//! A session is a random token that only the browser's cookie has. The time after which it ends goes anew with each
//! use, and with what is typed at its terminals. These end with it. Wrong passwords are counted by address, and by
//! address and user ID together. After some of them that address has to wait. A user ID alone never waits: a stranger
//! could keep its owner out.

use crate::system::Visitor;
use base::Held;
use data_encoding::HEXLOWER;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::watch::{self, Receiver, Sender};

/// Wrong passwords of an address, of whatever user IDs or of one, until there is a pause.
pub const WRONG_PASSWORDS: u32 = 5;
/// How long that pause is, and how long a wrong password counts.
pub const PAUSE: Duration = Duration::from_secs(60);
/// A session that is not used for this long ends.
const IDLE: Duration = Duration::from_secs(8 * 3600);
/// Sessions at most: beyond, the one that was idle longest ends.
const SESSIONS: usize = 10_000;
/// Those of one user at most: beyond, that user's idlest ends.
const SESSIONS_OF_USER: usize = 50;
/// Terminals of one user at most, in all sessions.
const TERMINALS_OF_USER: usize = 64;
/// Addresses, with user IDs and without, that are remembered for their wrong passwords, at most.
const REMEMBERED: usize = 10_000;

/// Sessions and wrong passwords.
#[derive(Default)]
pub(crate) struct Gate {
    sessions: Mutex<HashMap<String, Session>>,
    wrong: Mutex<HashMap<Source, Wrong>>,
}

struct Session {
    userid: String,
    local: bool,
    used: Instant,
    /// What each terminal holds an end of: it is gone when the session is.
    going: Sender<()>,
}

impl Session {
    /// Whether it was not used for too long.
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.used) >= IDLE
    }
}

/// What wrong passwords are counted by.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Source {
    Address(IpAddr),
    /// A right password for another user ID does not forget this one.
    Pair(IpAddr, String),
}

impl Source {
    /// The two that a try counts for. Hosts choose the second half of an IPv6 address as they like: it does not count.
    fn both(address: IpAddr, userid: &str) -> [Source; 2] {
        let address = match address.to_canonical() {
            IpAddr::V6(all) if !all.is_loopback() => Ipv6Addr::from_bits(all.to_bits() >> 64 << 64).into(),
            address => address,
        };
        [Source::Address(address), Source::Pair(address, userid.into())]
    }
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
        let token = HEXLOWER.encode(&bytes);
        let mut sessions = self.sessions.lock().held();
        sessions.retain(|_, session| !session.is_over(now));
        let mut make_room = |most: usize, counts: &dyn Fn(&Session) -> bool| {
            let of = || sessions.iter().filter(|(_, session)| counts(session));
            if of().count() >= most {
                let idlest = of().min_by_key(|(_, session)| session.used).map(|(token, _)| token.clone());
                idlest.map(|token| sessions.remove(&token));
            }
        };
        make_room(SESSIONS_OF_USER, &|session| session.userid == visitor.userid);
        make_room(SESSIONS, &|_| true);
        let session = Session { userid: visitor.userid.clone(), local, used: now, going: watch::channel(()).0 };
        sessions.insert(token.clone(), session);
        Ok(token)
    }

    /// The user of a session. One that began at this host is good here only.
    pub(crate) fn user(&self, token: &str, local: bool, now: Instant) -> Option<String> {
        let mut sessions = self.sessions.lock().held();
        let session = sessions.get_mut(token)?;
        if session.is_over(now) || (session.local && !local) {
            sessions.remove(token);
            return None;
        }
        session.used = now;
        Some(session.userid.clone())
    }

    /// For a new terminal of a session: what tells it, as an error of `changed`, that the session has ended. None if it
    /// has, or if its user has too many.
    pub(crate) fn terminal(&self, token: &str, now: Instant) -> Option<Receiver<()>> {
        let sessions = self.sessions.lock().held();
        let session = sessions.get(token).filter(|session| !session.is_over(now))?;
        let of_user = sessions.values().filter(|other| other.userid == session.userid);
        let terminals: usize = of_user.map(|other| other.going.receiver_count()).sum();
        (terminals < TERMINALS_OF_USER).then(|| session.going.subscribe())
    }

    /// A session is used at a terminal.
    pub(crate) fn renew(&self, token: &str, now: Instant) {
        let mut sessions = self.sessions.lock().held();
        if let Some(session) = sessions.get_mut(token).filter(|session| !session.is_over(now)) {
            session.used = now;
        }
    }

    /// Ends a session that was not used for too long.
    pub(crate) fn expire(&self, token: &str, now: Instant) {
        let mut sessions = self.sessions.lock().held();
        if sessions.get(token).is_some_and(|session| session.is_over(now)) {
            sessions.remove(token);
        }
    }

    /// Ends a session.
    pub(crate) fn close(&self, token: &str) {
        self.sessions.lock().held().remove(token);
    }

    /// How long there is a pause for the address, with this user ID or any.
    pub(crate) fn pause(&self, address: IpAddr, userid: &str, now: Instant) -> Option<Duration> {
        let wrong = self.wrong.lock().held();
        let left = |source: &Source| {
            let wrong = wrong.get(source).filter(|wrong| wrong.count >= WRONG_PASSWORDS)?;
            PAUSE.checked_sub(now.duration_since(wrong.last)).filter(|left| !left.is_zero())
        };
        Source::both(address, userid).iter().filter_map(left).max()
    }

    /// A wrong password; whether a pause begins with it.
    pub(crate) fn wrong(&self, address: IpAddr, userid: &str, now: Instant) -> bool {
        let mut wrong = self.wrong.lock().held();
        wrong.retain(|_, wrong| now.duration_since(wrong.last) < PAUSE);
        let mut begins = false;
        for source in Source::both(address, userid) {
            if wrong.len() >= REMEMBERED && !wrong.contains_key(&source) {
                continue;
            }
            let entry = wrong.entry(source).or_insert(Wrong { count: 0, last: now });
            (entry.count, entry.last) = (entry.count + 1, now);
            begins |= entry.count == WRONG_PASSWORDS;
        }
        begins
    }

    /// A right password: what was wrong before is forgotten.
    pub(crate) fn right(&self, address: IpAddr, userid: &str) {
        let mut wrong = self.wrong.lock().held();
        for source in Source::both(address, userid) {
            wrong.remove(&source);
        }
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

    #[test]
    fn terminals_end_with_their_session() {
        let (gate, now) = (Gate::default(), Instant::now());
        let visitor = Visitor { userid: "A".into(), classes: "G".into() };
        let half = IDLE / 2;
        let ended = |terminal: &Receiver<()>| terminal.has_changed().is_err();
        let (one, two) = (gate.open(&visitor, false, now).unwrap(), gate.open(&visitor, false, now).unwrap());
        let (typed, idle) = (gate.terminal(&one, now).unwrap(), gate.terminal(&two, now).unwrap());
        gate.renew(&one, now + half);
        for token in [&one, &two] {
            gate.expire(token, now + IDLE);
        }
        assert!(!ended(&typed) && ended(&idle), "what is typed keeps a session");
        gate.renew(&two, now + IDLE);
        assert!(gate.terminal(&two, now).is_none(), "and does not bring one back");
        gate.expire(&one, now + half + IDLE);
        assert!(ended(&typed));
        let one = gate.open(&visitor, true, now).unwrap();
        let terminal = gate.terminal(&one, now).unwrap();
        assert_eq!(gate.user(&one, false, now), None, "its cookie comes from elsewhere");
        assert!(ended(&terminal));
        let one = gate.open(&visitor, false, now).unwrap();
        let terminal = gate.terminal(&one, now).unwrap();
        gate.close(&one);
        assert!(ended(&terminal));
        let one = gate.open(&visitor, false, now).unwrap();
        assert!(gate.terminal(&one, now + IDLE).is_none(), "it is over");
        gate.renew(&one, now + IDLE);
        assert_eq!(gate.user(&one, false, now + IDLE), None);
    }

    #[test]
    fn a_user_has_a_part_of_sessions_and_terminals() {
        let (gate, now) = (Gate::default(), Instant::now());
        let user = |userid: &str| Visitor { userid: userid.into(), classes: "G".into() };
        let other = gate.open(&user("B"), false, now).unwrap();
        let seconds = |n: usize| now + Duration::from_secs(n as u64);
        let tokens: Vec<String> =
            (0..=SESSIONS_OF_USER).map(|n| gate.open(&user("A"), false, seconds(n)).unwrap()).collect();
        assert_eq!(gate.user(&tokens[0], false, now), None, "the idlest has ended");
        assert_eq!(gate.user(&tokens[1], false, now).as_deref(), Some("A"));
        let terminals: Vec<_> = (0..TERMINALS_OF_USER)
            .map(|n| gate.terminal(&tokens[1 + n % SESSIONS_OF_USER], now).expect("there is room"))
            .collect();
        assert!(gate.terminal(&tokens[1], now).is_none(), "in all sessions together");
        assert!(gate.terminal(&other, now).is_some(), "another has another's own");
        drop(terminals);
        assert!(gate.terminal(&tokens[1], now).is_some());
    }

    #[test]
    fn when_there_are_too_many_sessions_the_idlest_ends() {
        let (gate, now) = (Gate::default(), Instant::now());
        let token = |n: usize| {
            let visitor = Visitor { userid: format!("U{n}"), classes: "G".into() };
            gate.open(&visitor, false, now + Duration::from_millis(n as u64)).unwrap()
        };
        let (first, second) = (token(0), token(1));
        (2..SESSIONS).for_each(|n| drop(token(n)));
        assert_eq!(gate.user(&first, false, now + Duration::from_secs(60)).as_deref(), Some("U0"), "used again");
        token(SESSIONS);
        assert_eq!(gate.user(&second, false, now), None);
        assert_eq!(gate.user(&first, false, now).as_deref(), Some("U0"));
    }

    #[test]
    fn an_address_is_what_its_host_does_not_choose() {
        let (gate, now) = (Gate::default(), Instant::now());
        let at = |text: &str| text.parse::<IpAddr>().unwrap();
        (0..WRONG_PASSWORDS).for_each(|n| {
            gate.wrong(at(&format!("2001:db8::{n}")), "A", now);
        });
        assert_eq!(gate.pause(at("2001:db8::ffff:1"), "B", now), Some(PAUSE), "of the same network");
        assert_eq!(gate.pause(at("2001:db8:0:1::1"), "A", now), None);
        assert_eq!(gate.pause(at("::1"), "A", now), None);
        (0..WRONG_PASSWORDS).for_each(|_| {
            gate.wrong(at("::ffff:192.0.2.1"), "A", now);
        });
        assert_eq!(gate.pause(at("192.0.2.1"), "A", now), Some(PAUSE), "the same address");
        assert_eq!(gate.pause(at("192.0.2.2"), "A", now), None);
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let (gate, now) = (Gate::default(), Instant::now());
        for n in 0..REMEMBERED as u32 {
            gate.wrong(std::net::Ipv4Addr::from_bits(n).into(), "A", now);
        }
        assert_eq!(gate.wrong.lock().unwrap().len(), REMEMBERED);
        gate.wrong(HOME, "A", now + PAUSE);
        assert_eq!(gate.wrong.lock().unwrap().len(), 2, "the rest does not count any more");
    }
}
