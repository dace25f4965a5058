//! SNAPSHOT: a real disk as it is now is kept, while its users go on.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `SNAPshot rdev|volid [MERGE|DISCARD]`
///
/// Keeps a real disk as it is, without its users noticing: it has every write that has ended, and none that begins
/// later. From now on what is written goes to a new file of the host, a shadow file; those below it may be copied
/// meanwhile (endicott dasd copy --snapshot). MERGE brings what the newest shadow file has into the file below, while
/// users go on, and tells the operator when it has ended. DISCARD makes a disk that is not in use what it was at its
/// newest snapshot. A disk has eight at most; QUERY DASD DETAILS tells how many.
pub fn snapshot(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    let what = words.next();
    words.end()?;
    let reals = cp.disks.reals();
    let found = reals.iter().find(|real| word.device() == Some(real.number));
    let found = found.or_else(|| reals.iter().find(|real| real.has_minidisks() && real.serial == word.upper()));
    let real = found.ok_or_else(|| message::no_real_device(word.upper()))?;
    let name = format!("DASD {:04X} {:<6}", real.number, real.serial);
    match what {
        None => {
            let file = cp.disks.snapshot(real)?;
            Ok(format!("{name} SNAPSHOT {}: WRITTEN IN {} FROM NOW ON", real.volume.snapshots(), file.display()).into())
        }
        Some(word) if word.is("MERGE") => {
            cp.disks.merge_snapshot(real)?;
            Ok(format!("{name} SNAPSHOT BEING MERGED").into())
        }
        Some(word) if word.is("DISCARD") => {
            cp.disks.discard_snapshot(real)?;
            Ok(format!("{name} SNAPSHOT DISCARDED").into())
        }
        Some(word) => Err(word.invalid()),
    }
}
