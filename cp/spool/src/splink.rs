//! Spool blocks and the spool file block, as DIAGNOSE X'14' shows them to guests ([`arch::spool`]).
//!
//! On the host a block has a check sum of itself, the file's name there and the block's number; guests find 0. The spid
//! is filled in when a guest reads the block, for TRANSFER changes it.
//!
//! Trailing blanks of a record are not kept; the reader puts them back, up to the record length.

use arch::spool::{SpoolBlock, SpoolFileBlock, SpoolRecord};
use base::Tod;
use base::ebcdic::{BLANK, padded};
use base::layout::{U32, U64};
use std::mem::offset_of;
use zerocopy::{FromBytes, FromZeros, IntoBytes, transmute, transmute_mut, transmute_ref};

use crate::file::{SpoolFile, Sum};

/// The bytes of a block.
pub const BLOCK: usize = size_of::<SpoolBlock>();
/// Where records begin.
pub(crate) const RECORDS: usize = offset_of!(SpoolBlock, records);
/// Where records end at the latest.
pub(crate) const RECORDS_END: usize = offset_of!(SpoolBlock, record_length);
/// The bytes before a record's data.
pub(crate) const HEADER: usize = size_of::<SpoolRecord>();
/// The longest data of a record, in bytes: a block holds it alone.
pub const LONGEST: usize = RECORDS_END - RECORDS - HEADER;

/// Where the check sum lies in a block.
const SEAL: std::ops::Range<usize> = offset_of!(SpoolBlock, seal)..offset_of!(SpoolBlock, seal) + size_of::<U64>();

fn fields(block: &mut [u8; BLOCK]) -> &mut SpoolBlock {
    transmute_mut!(block)
}

pub(crate) fn set_count(block: &mut [u8; BLOCK], records: u32) {
    fields(block).count = records.into();
}

pub(crate) fn count(block: &[u8; BLOCK]) -> u32 {
    let block: &SpoolBlock = transmute_ref!(block);
    block.count.get()
}

pub(crate) fn set_record_length(block: &mut [u8; BLOCK], length: u16) {
    fields(block).record_length = length.into();
}

pub(crate) fn set_spid(block: &mut [u8; BLOCK], spid: u16) {
    fields(block).spid = spid.into();
}

/// The sum that tells block `number` of the file `id` from any other, and from what it was not written as.
fn seal_of(block: &[u8; BLOCK], id: &str, number: u32) -> U64 {
    let mut sum = Sum::new();
    sum.add(&block[..SEAL.start]);
    sum.add(&block[SEAL.end..]);
    sum.add(id.as_bytes());
    sum.add(U32::new(number).as_bytes());
    sum.value().into()
}

pub(crate) fn seal(block: &mut [u8; BLOCK], id: &str, number: u32) {
    let seal = seal_of(block, id, number);
    fields(block).seal = seal;
}

pub(crate) fn is_sealed(block: &[u8; BLOCK], id: &str, number: u32) -> bool {
    let sealed: &SpoolBlock = transmute_ref!(block);
    sealed.seal == seal_of(block, id, number)
}

pub(crate) fn unseal(block: &mut [u8; BLOCK]) {
    fields(block).seal = U64::ZERO;
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
    let (length, whole) = ((data.len() as u16).into(), ((HEADER + data.len()) as u16).into());
    let head = SpoolRecord { op, length, whole, ..SpoolRecord::default() };
    block[at..at + HEADER].copy_from_slice(head.as_bytes());
    block[at + HEADER..end].copy_from_slice(data);
    Some(end)
}

/// The record at `at`: command code, where its data lies, where the next record is. `None`: the block is damaged.
pub(crate) fn get_record(block: &[u8; BLOCK], at: usize) -> Option<(u8, std::ops::Range<usize>, usize)> {
    if at + HEADER > RECORDS_END {
        return None;
    }
    let (head, _) = SpoolRecord::ref_from_prefix(&block[at..]).expect("it lies in the block");
    let (data, whole) = (usize::from(head.length.get()), usize::from(head.whole.get()));
    let next = at + whole;
    (whole >= HEADER + data && next <= RECORDS_END).then(|| (head.op, at + HEADER..at + HEADER + data, next))
}

/// The bytes of a spool file block.
pub const SFBLOK: usize = size_of::<SpoolFileBlock>();

/// The spool file block of `file`; `zone` is local time minus UTC, in seconds.
pub fn sfblok(file: &SpoolFile, zone: i64) -> [u8; SFBLOK] {
    let (date, time) = date_and_time(file.created, zone);
    transmute!(SpoolFileBlock {
        owner: padded(&file.owner),
        originator: padded(&file.originator),
        records: file.records.into(),
        record_length: file.record_length.into(),
        spid: file.spid.into(),
        flags: u8::from(file.in_use) << 7 | u8::from(file.hold.user) << 5 | u8::from(file.hold.system) << 2,
        device: file.device.code(),
        name: padded(&file.name),
        kind: padded(&file.kind),
        date: padded(&date),
        time: padded(&time),
        class: padded(&file.class.to_string()),
        dist: padded(&file.dist),
        ..SpoolFileBlock::new_zeroed()
    })
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
