//! Accounting: how much processor time a virtual machine has used, and how CP writes it.
//!
//! Virtual time is what the virtual CPUs ran; total time is that and what CP did for the virtual machine. The ratio of
//! the two is the price of virtualization, and every VM performance story begins with it.

use base::ebcdic::padded;
use message::calendar::Date;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of one virtual machine.
#[derive(Default)]
pub struct Account {
    /// Microseconds that virtual CPUs ran.
    virtual_us: AtomicU64,
    /// Microseconds that CP worked for the virtual machine.
    control_us: AtomicU64,
    /// DIAGNOSE instructions.
    pub diagnoses: AtomicU64,
}

impl Account {
    /// Adds virtual processor time.
    pub fn add_virtual(&self, microseconds: u64) {
        self.virtual_us.fetch_add(microseconds, Relaxed);
    }

    /// Adds time that CP spent for the virtual machine.
    pub fn add_control(&self, microseconds: u64) {
        self.control_us.fetch_add(microseconds, Relaxed);
    }

    /// Virtual processor time in microseconds.
    pub fn virtual_time(&self) -> u64 {
        self.virtual_us.load(Relaxed)
    }

    /// Virtual time and CP's time for the virtual machine, in microseconds.
    pub fn total_time(&self) -> u64 {
        self.virtual_time() + self.control_us.load(Relaxed)
    }

    /// Counts what a configuration that is going away has used.
    pub fn retire(&self, (virtual_us, total_us): (u64, u64)) {
        self.add_virtual(virtual_us);
        self.add_control(total_us - virtual_us);
    }
}

/// `CONNECT= 00:12:34 VIRTCPU= 000:00.12 TOTCPU= 000:00.25`
pub fn line(connected_us: u64, (virtual_us, total_us): (u64, u64)) -> String {
    format!("CONNECT= {} VIRTCPU= {} TOTCPU= {}", hours(connected_us), minutes(virtual_us), minutes(total_us))
}

/// What a virtual machine that logs off has used.
pub struct Session<'a> {
    /// The user ID.
    pub userid: &'a str,
    /// The account number of the directory.
    pub account: &'a str,
    /// Microseconds since it logged on.
    pub connected_us: u64,
    /// Microseconds of virtual and of total processor time.
    pub times: (u64, u64),
    /// I/O instructions.
    pub started: u64,
    /// Spool records.
    pub punched: u64,
    /// Spool records printed.
    pub printed: u64,
    /// Spool records read.
    pub read: u64,
}

/// The accounting record of a virtual machine that logs off at `date`, type 01: 80 bytes. User ID and account number,
/// the date and time (mmddyyhhmmss), then words: seconds connected, milliseconds of total and of virtual CPU time, page
/// reads and writes (the host pages, and CP none), I/O instructions, spool records punched, printed and read; the type
/// is in the last two bytes.
pub fn record(session: &Session<'_>, date: &Date) -> Vec<u8> {
    let stamp = format!("{}{}", date.short(), date.time());
    let stamp: String = stamp.chars().filter(char::is_ascii_digit).collect();
    let (virtual_us, total_us) = session.times;
    let mut record = Vec::with_capacity(80);
    record.extend(padded::<8>(session.userid));
    record.extend(padded::<8>(session.account));
    record.extend(padded::<12>(&stamp));
    let words = [
        session.connected_us / 1_000_000,
        total_us / 1000,
        virtual_us / 1000,
        0,
        0,
        session.started,
        session.punched,
        session.printed,
        session.read,
    ];
    words.iter().for_each(|&word| record.extend((word.min(u32::MAX.into()) as u32).to_be_bytes()));
    record.resize(78, 0);
    record.extend(base::ebcdic::from_str("01"));
    record
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
        account.add_virtual(120_000);
        account.add_control(135_000);
        let times = (account.virtual_time(), account.total_time());
        assert_eq!(line(754_000_000, times), "CONNECT= 00:12:34 VIRTCPU= 000:00.12 TOTCPU= 000:00.25");
    }
}
