//! Names for files that are tapes of other formats, or no tapes: the formats' public descriptions say how they begin.

use crate::TapeError;
use base::contents;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// What a file is that is no tape of ours, if it can be told.
pub(crate) fn name(file: &File, length: u64) -> Result<Option<&'static str>, TapeError> {
    let mut start = vec![0; contents::START.min(length as usize)];
    file.read_exact_at(&mut start, 0)?;
    if let Some(name) = contents::named(&start) {
        return Ok(Some(name));
    }
    if fake(&start) {
        return Ok(Some("a tape in FakeTape format, which is not read here"));
    }
    Ok(simh(file, length, &start)?.then_some("a tape in SIMH format (.tap), which is not read here"))
}

/// FakeTape: a header of twelve hexadecimal digits, the length of the block before, that of this one, and the
/// exclusive or of the two.
fn fake(start: &[u8]) -> bool {
    let number = |n: usize| {
        let text = start.get(4 * n..4 * n + 4)?;
        let good = text.iter().all(u8::is_ascii_hexdigit);
        good.then(|| u16::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok())?
    };
    matches!((number(0), number(1), number(2)), (Some(a), Some(b), Some(check)) if a ^ b == check)
}

/// SIMH: a record has its length before and after it, in 4 bytes, the lowest first; a record of an odd length is
/// filled up by a byte. A length of zero is a tape mark.
fn simh(file: &File, length: u64, start: &[u8]) -> Result<bool, TapeError> {
    let Some(&first) = start.first_chunk::<4>() else { return Ok(false) };
    let count = u64::from(u32::from_le_bytes(first));
    let after = 4 + count.next_multiple_of(2);
    if count == 0 || count > 0xff_ffff || after + 4 > length {
        return Ok(false);
    }
    let mut last = [0; 4];
    file.read_exact_at(&mut last, after)?;
    Ok(last == first)
}
