//! Accounting: what a virtual machine has used, and how CP writes its processor time.
//!
//! Virtual time is what the virtual CPUs ran; total time is that and what CP did for the virtual machine. The ratio of
//! the two is the price of virtualization, and every VM performance story begins with it.

use base::{Held, Tod};
use std::ops::Add;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a virtual machine has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Microseconds that virtual CPUs ran.
    pub virtual_us: u64,
    /// The same, and what CP did for them.
    pub total_us: u64,
    /// Pages read.
    pub reads: u64,
    /// Pages written.
    pub writes: u64,
    /// I/O operations, without those of spooled devices and of the console.
    pub started: u64,
    /// Cards punched.
    pub punched: u64,
    /// Lines printed.
    pub printed: u64,
    /// Cards read.
    pub read: u64,
}

impl Usage {
    fn with(&self, other: &Usage, apply: impl Fn(u64, u64) -> u64) -> Usage {
        Usage {
            virtual_us: apply(self.virtual_us, other.virtual_us),
            total_us: apply(self.total_us, other.total_us),
            reads: apply(self.reads, other.reads),
            writes: apply(self.writes, other.writes),
            started: apply(self.started, other.started),
            punched: apply(self.punched, other.punched),
            printed: apply(self.printed, other.printed),
            read: apply(self.read, other.read),
        }
    }
}

impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        self.with(&other, |a, b| a + b)
    }
}

/// Another user who is charged (DIAGNOSE X'4C').
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The user ID.
    pub userid: String,
    /// The account number.
    pub account: String,
    /// The distribution code of what is printed and punched meanwhile; `None`: that of the user itself.
    pub distribution: Option<String>,
}

/// What the next accounting record begins from.
#[derive(Default)]
struct Cut {
    /// When the last record was made; `None`: there is none since LOGON.
    at: Option<Tod>,
    usage: Usage,
    charge: Option<Charge>,
}

/// The counters of one virtual machine.
#[derive(Default)]
pub struct Account {
    /// Microseconds of CP's work for the virtual machine that none of its virtual CPUs counts.
    control_us: AtomicU64,
    /// DIAGNOSE instructions.
    pub diagnoses: AtomicU64,
    /// What hardware and units have used that are no longer there.
    retired: Mutex<Usage>,
    cut: Mutex<Cut>,
}

impl Account {
    /// Adds time that CP spent for the virtual machine.
    pub fn add_control(&self, microseconds: u64) {
        self.control_us.fetch_add(microseconds, Relaxed);
    }

    /// What hardware and units have used that are no longer there, and CP's time.
    pub fn usage(&self) -> Usage {
        let mut usage = *self.retired.lock().held();
        usage.total_us += self.control_us.load(Relaxed);
        usage
    }

    /// Counts what hardware, or a unit, that is going away has used.
    pub fn retire(&self, used: &Usage) {
        let mut retired = self.retired.lock().held();
        *retired = *retired + *used;
    }

    /// The user who is charged instead.
    pub fn charge(&self) -> Option<Charge> {
        self.cut.lock().held().charge.clone()
    }

    /// From here on `charge` is charged, or with `None` the user itself.
    pub fn set_charge(&self, charge: Option<Charge>) {
        self.cut.lock().held().charge = charge;
    }

    /// An accounting record is made at `now`, when `usage` is what has been used in all. Since when, and what it has
    /// used since.
    pub fn cut(&self, now: Tod, logged_on: Tod, usage: Usage) -> (Tod, Usage) {
        let mut cut = self.cut.lock().held();
        let since = cut.at.replace(now).unwrap_or(logged_on);
        let before = std::mem::replace(&mut cut.usage, usage);
        (since, usage.with(&before, u64::saturating_sub))
    }
}

/// `CONNECT= 00:12:34 VIRTCPU= 000:00.12 TOTCPU= 000:00.25`
pub fn line(connected_us: u64, (virtual_us, total_us): (u64, u64)) -> String {
    format!("CONNECT= {} VIRTCPU= {} TOTCPU= {}", hours(connected_us), minutes(virtual_us), minutes(total_us))
}

/// `hh:mm:ss`
pub fn hours(microseconds: u64) -> String {
    let seconds = microseconds / 1_000_000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `mmm:ss.hh`
pub fn minutes(microseconds: u64) -> String {
    let hundredths = microseconds / 10_000;
    format!("{:03}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_query_time_shows_them() {
        let account = Account::default();
        account.retire(&Usage { virtual_us: 120_000, total_us: 200_000, ..Usage::default() });
        account.add_control(55_000);
        let usage = account.usage();
        let shown = line(754_000_000, (usage.virtual_us, usage.total_us));
        assert_eq!(shown, "CONNECT= 00:12:34 VIRTCPU= 000:00.12 TOTCPU= 000:00.25");
    }

    #[test]
    fn each_record_begins_where_the_last_ended() {
        let account = Account::default();
        let used = |read| Usage { read, started: 2 * read, ..Usage::default() };
        assert_eq!(account.cut(Tod(50), Tod(10), used(7)), (Tod(10), used(7)));
        assert_eq!(account.cut(Tod(90), Tod(10), used(9)), (Tod(50), used(2)));
        assert_eq!(account.cut(Tod(95), Tod(10), used(9)), (Tod(90), used(0)));
    }
}
