//! LINK's modes: what a user gets when others have a minidisk already, and what they are told.

use directory::Access;
use message::Message;

/// Users with links of one kind: how many, and one of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// How many there are.
    pub count: usize,
    /// The user ID of one of them; empty if there is none.
    pub one: String,
}

impl Group {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// `U2`, or `10 users`.
    fn who(&self) -> String {
        if self.count == 1 { self.one.clone() } else { format!("{} users", self.count) }
    }
}

/// The other users who have links to a minidisk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Others {
    /// Those whose links allow reading alone.
    pub readers: Group,
    /// Those whose links allow writing.
    pub writers: Group,
    /// One of them is stable: no user begins to write.
    pub stable: bool,
    /// One of them is exclusive: no other user gets a link at all.
    pub exclusive: bool,
}

/// What a link gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grant {
    /// To write.
    Write,
    /// To read, as was asked for.
    Read,
    /// To write was asked for first.
    ForcedRead,
    /// No link is made.
    Nothing,
}

/// What the password must be good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Reading: R, RR, SR, ER.
    Read,
    /// Writing: W, WR, SW, EW.
    Write,
    /// Writing beside others: M, MR, MW, SM.
    Multiple,
}

/// The password that a mode needs.
pub fn level(access: Access) -> Level {
    match access {
        Access::R | Access::RR | Access::SR | Access::ER => Level::Read,
        Access::W | Access::WR | Access::SW | Access::EW => Level::Write,
        Access::M | Access::MR | Access::MW | Access::SM => Level::Multiple,
    }
}

/// Whether others may begin to write while this mode's link is there.
pub fn is_stable(access: Access) -> bool {
    matches!(access, Access::SR | Access::SW | Access::SM)
}

/// Whether others may come in at all.
pub fn is_exclusive(access: Access) -> bool {
    matches!(access, Access::ER | Access::EW)
}

/// What a link of this mode gets (CP Command Reference, LINK, "access modes").
pub fn grant(access: Access, others: &Others) -> Grant {
    let (read, written) = (!others.readers.is_empty(), !others.writers.is_empty());
    let alone = !read && !written;
    let multiple = !written && !others.stable;
    let when = |good: bool, then: Grant, otherwise: Grant| if good { then } else { otherwise };
    if others.exclusive {
        return Grant::Nothing;
    }
    match access {
        Access::R | Access::SR => when(!written, Grant::Read, Grant::Nothing),
        Access::RR => Grant::Read,
        Access::W | Access::SW | Access::EW => when(alone, Grant::Write, Grant::Nothing),
        Access::WR => when(alone, Grant::Write, Grant::ForcedRead),
        Access::M | Access::SM => when(multiple, Grant::Write, Grant::Nothing),
        Access::MR => when(multiple, Grant::Write, Grant::ForcedRead),
        Access::MW => when(!others.stable, Grant::Write, Grant::Nothing),
        Access::ER => when(alone, Grant::Read, Grant::Nothing),
    }
}

impl Others {
    /// `R/W by U2, R/O by 10 users`, or less of that; empty if there are no others.
    fn by(&self) -> String {
        let part = |kind: &str, users: &Group| (!users.is_empty()).then(|| format!("{kind} by {}", users.who()));
        let parts = [part("R/W", &self.writers), part("R/O", &self.readers)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// HCP104E, 105E, 106E: not linked, since others are there.
    pub fn refusal(&self, userid: &str, vdev: u16) -> Message {
        let (vdev, by) = (format!("{vdev:04X}"), self.by());
        match (self.writers.is_empty(), self.readers.is_empty()) {
            (false, true) => message::link_writer(userid, vdev, by),
            (true, _) => message::link_readers(userid, vdev, by),
            (false, false) => message::link_both(userid, vdev, by),
        }
    }

    /// HCP101E, 102E, 103E: linked, but only to read.
    pub fn forced(&self, vdev: u16) -> Message {
        let (vdev, by) = (format!("{vdev:04X}"), self.by());
        match (self.writers.is_empty(), self.readers.is_empty()) {
            (false, true) => message::forced_writer(vdev, by),
            (true, _) => message::forced_readers(vdev, by),
            (false, false) => message::forced_both(vdev, by),
        }
    }

    /// What a user is told after being linked beside others; nothing if no link bothers another.
    pub fn notice(&self, vdev: u16, writes: bool) -> Option<String> {
        let mode = if writes { "R/W" } else { "R/O" };
        let bothered = if writes { !self.by().is_empty() } else { !self.writers.is_empty() };
        bothered.then(|| format!("DASD {vdev:04X} LINKED {mode}; {}", self.by().to_uppercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(readers: usize, writers: usize) -> Others {
        let group = |count: usize, first: usize| Group { count, one: format!("U{first}") };
        Others { readers: group(readers, 10), writers: group(writers, 2), ..Others::default() }
    }

    /// The table of the manual: no other links, others that read, others that write.
    #[test]
    fn modes_as_the_manual_has_them() {
        use Grant::{ForcedRead as F, Nothing as N, Read as R, Write as W};
        for (access, expected) in [
            (Access::R, [R, R, N]),
            (Access::RR, [R, R, R]),
            (Access::W, [W, N, N]),
            (Access::WR, [W, F, F]),
            (Access::M, [W, W, N]),
            (Access::MR, [W, W, F]),
            (Access::MW, [W, W, W]),
            (Access::SR, [R, R, N]),
            (Access::SW, [W, N, N]),
            (Access::SM, [W, W, N]),
            (Access::ER, [R, N, N]),
            (Access::EW, [W, N, N]),
        ] {
            let got = [others(0, 0), others(2, 0), others(0, 1)].map(|others| grant(access, &others));
            assert_eq!(got, expected, "{access:?}");
            let exclusive = Others { exclusive: true, ..others(0, 1) };
            assert_eq!(grant(access, &exclusive), N, "{access:?}");
        }
        let stable = Others { stable: true, ..others(1, 0) };
        let got = [Access::RR, Access::M, Access::MR, Access::MW].map(|access| grant(access, &stable));
        assert_eq!(got, [R, N, F, N]);
    }

    #[test]
    fn users_are_told_who_is_there() {
        assert_eq!(others(0, 1).refusal("U1", 0x191).to_string(), "HCPLNM104E U1 0191 not linked; R/W by U2");
        assert_eq!(others(3, 0).refusal("U1", 0x191).to_string(), "HCPLNM105E U1 0191 not linked; R/O by 3 users");
        assert_eq!(
            others(3, 2).refusal("U1", 0x191).to_string(),
            "HCPLNM106E U1 0191 not linked; R/W by 2 users, R/O by 3 users"
        );
        assert_eq!(others(0, 1).forced(0x191).to_string(), "HCPLNM101E DASD 0191 forced R/O; R/W by U2");
        assert_eq!(others(10, 0).notice(0x19e, true).unwrap(), "DASD 019E LINKED R/W; R/O BY 10 USERS");
        assert_eq!(others(0, 1).notice(0x191, false).unwrap(), "DASD 0191 LINKED R/O; R/W BY U2");
        assert_eq!(others(5, 0).notice(0x191, false), None);
    }
}
