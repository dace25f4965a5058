//! The layout of spool blocks and of the spool file block, as DIAGNOSE X'14' shows them to guests.
//!
//! A block is 4096 bytes. Offsets are decimal, numbers big-endian:
//!
//! | offset | length | |
//! |---|---|---|
//! | 0 | 4 | 0 in every block of an ordinary file |
//! | 12 | 4 | how many records are in the block |
//! | 16 | 4048 | the records, one behind the other |
//! | 4064 | 2 | the file's record length (first block) |
//! | 4072 | 8 | on the host a check sum of the block, the file's name there and the block's number; guests find 0 |
//! | 4088 | 2 | the spid; filled in when a guest reads the block, for TRANSFER changes it |
//!
//! A record is a header of 12 bytes and data: 0 the CCW's command code, 6 the data's length, 10 the length of header
//! and data. Trailing blanks are not kept; who reads the record puts them back, up to the record length.

use base::Tod;
use base::ebcdic::{self, BLANK};

use crate::file::{SpoolFile, Sum};

/// The bytes of a block.
pub const BLOCK: usize = 4096;
/// Where records begin.
pub(crate) const RECORDS: usize = 16;
/// Where records end at the latest.
pub(crate) const RECORDS_END: usize = RECORDS + 4048;
/// The bytes before a record's data.
pub(crate) const HEADER: usize = 12;
/// The longest data of a record, in bytes: a block holds it alone.
pub const LONGEST: usize = RECORDS_END - RECORDS - HEADER;

const COUNT: usize = 12;
const RECORD_LENGTH: usize = 4064;
const SPID: usize = 4088;
const SEAL: std::ops::Range<usize> = 4072..4080;

fn put_u16(block: &mut [u8], at: usize, value: u16) {
    block[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

fn get_u16(block: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([block[at], block[at + 1]])
}

pub(crate) fn set_count(block: &mut [u8; BLOCK], records: u32) {
    block[COUNT..COUNT + 4].copy_from_slice(&records.to_be_bytes());
}

pub(crate) fn count(block: &[u8; BLOCK]) -> u32 {
    u32::from_be_bytes([block[COUNT], block[COUNT + 1], block[COUNT + 2], block[COUNT + 3]])
}

pub(crate) fn set_record_length(block: &mut [u8; BLOCK], length: u16) {
    put_u16(block, RECORD_LENGTH, length);
}

pub(crate) fn set_spid(block: &mut [u8; BLOCK], spid: u16) {
    put_u16(block, SPID, spid);
}

/// The sum that tells block `number` of the file `id` from any other, and from what it was not written as.
fn seal_of(block: &[u8; BLOCK], id: &str, number: u32) -> [u8; 8] {
    let mut sum = Sum::new();
    sum.add(&block[..SEAL.start]);
    sum.add(&block[SEAL.end..]);
    sum.add(id.as_bytes());
    sum.add(&number.to_be_bytes());
    sum.value().to_be_bytes()
}

pub(crate) fn seal(block: &mut [u8; BLOCK], id: &str, number: u32) {
    let seal = seal_of(block, id, number);
    block[SEAL].copy_from_slice(&seal);
}

pub(crate) fn is_sealed(block: &[u8; BLOCK], id: &str, number: u32) -> bool {
    block[SEAL] == seal_of(block, id, number)
}

pub(crate) fn unseal(block: &mut [u8; BLOCK]) {
    block[SEAL].fill(0);
}

/// `data` without trailing blanks; one byte stays of what was all blank.
pub(crate) fn trimmed(data: &[u8]) -> &[u8] {
    let end = data.iter().rposition(|&b| b != BLANK).map_or(1, |last| last + 1);
    &data[..end.min(data.len())]
}

/// Stores a record at `at` and returns where the next one goes; `None` if the block has no room for it.
pub(crate) fn put_record(block: &mut [u8; BLOCK], at: usize, op: u8, data: &[u8]) -> Option<usize> {
    let end = at + HEADER + data.len();
    if end > RECORDS_END {
        return None;
    }
    block[at] = op;
    block[at + 1..at + HEADER].fill(0);
    put_u16(block, at + 6, data.len() as u16);
    put_u16(block, at + 10, (HEADER + data.len()) as u16);
    block[at + HEADER..end].copy_from_slice(data);
    Some(end)
}

/// The record at `at`: command code, where its data lies, where the next record is. `None`: the block is damaged.
pub(crate) fn get_record(block: &[u8; BLOCK], at: usize) -> Option<(u8, std::ops::Range<usize>, usize)> {
    if at + HEADER > RECORDS_END {
        return None;
    }
    let (data, whole) = (usize::from(get_u16(block, at + 6)), usize::from(get_u16(block, at + 10)));
    let next = at + whole;
    (whole >= HEADER + data && next <= RECORDS_END).then(|| (block[at], at + HEADER..at + HEADER + data, next))
}

/// The bytes of a spool file block.
pub const SFBLOK: usize = 304;

/// The spool file block of `file`; `zone` is local time minus UTC, in seconds.
pub fn sfblok(file: &SpoolFile, zone: i64) -> [u8; SFBLOK] {
    let mut block = [0; SFBLOK];
    let mut text = |at: usize, length: usize, text: &str| {
        block[at..at + length].fill(BLANK);
        for (to, from) in block[at..at + length].iter_mut().zip(ebcdic::from_str(text)) {
            *to = from;
        }
    };
    let (date, time) = date_and_time(file.created, zone);
    text(8, 8, &file.owner);
    text(16, 8, &file.originator);
    text(40, 12, &file.name);
    text(52, 12, &file.kind);
    text(64, 8, &date);
    text(72, 8, &time);
    text(86, 1, &file.class.to_string());
    text(88, 8, &file.dist);
    block[24..28].copy_from_slice(&file.records.to_be_bytes());
    put_u16(&mut block, 28, file.record_length);
    put_u16(&mut block, 30, file.spid);
    block[32] = u8::from(file.in_use) << 7 | u8::from(file.hold.user) << 5 | u8::from(file.hold.system) << 2;
    block[33] = file.device.code();
    block
}

/// `MM/DD/YY` and `HH:MM:SS` of `at` in the zone that is `zone` seconds east of UTC.
pub fn date_and_time(at: Tod, zone: i64) -> (String, String) {
    let seconds = (at.unix_nanos() / 1_000_000_000) as i64 + zone;
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    (
        format!("{month:02}/{day:02}/{:02}", year.rem_euclid(100)),
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60),
    )
}

/// Year, month and day of the day `days` after 1970-01-01. Counted from a March 1st, every 400 years are alike and the
/// leap day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let at = |seconds: u64| Tod::from_unix_nanos(seconds * 1_000_000_000);
        assert_eq!(date_and_time(at(0), 0), ("01/01/70".into(), "00:00:00".into()));
        assert_eq!(date_and_time(at(951_782_399), 0), ("02/28/00".into(), "23:59:59".into()));
        assert_eq!(date_and_time(at(951_782_400), 0).0, "02/29/00");
        assert_eq!(date_and_time(at(951_868_800), 0).0, "03/01/00");
        assert_eq!(date_and_time(at(690_664_091), -18_000), ("11/20/91".into(), "14:08:11".into()));
    }

    #[test]
    fn trailing_blanks_are_not_kept() {
        assert_eq!(trimmed(b"\xc1\x40\x40"), b"\xc1");
        assert_eq!(trimmed(b"\x40\x40"), b"\x40");
        assert_eq!(trimmed(b""), b"");
    }

    #[test]
    fn a_block_holds_44_full_cards() {
        let mut block = [0; BLOCK];
        let (mut at, mut cards) = (RECORDS, 0);
        while let Some(next) = put_record(&mut block, at, 0x41, &[1; 80]) {
            (at, cards) = (next, cards + 1);
        }
        assert_eq!(cards, 44);
        assert_eq!(get_record(&block, RECORDS + 92), Some((0x41, RECORDS + 104..RECORDS + 184, RECORDS + 184)));
        assert!(put_record(&mut block, RECORDS, 1, &[0; LONGEST]).is_some());
        assert!(put_record(&mut block, RECORDS, 1, &[0; LONGEST + 1]).is_none());
        block[RECORDS + 7] = 200;
        assert_eq!(get_record(&block, RECORDS), None, "a record longer than it says is damage");
    }
}
