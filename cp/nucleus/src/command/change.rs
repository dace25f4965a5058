//! CHANGE.

use super::spool_files::{self, Target, message_of};
use super::spool_options::{self, Of};
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use spool::{Queue, Spool};
use std::collections::HashMap;
use unitrecord::close;

/// `CHange [userid|*] Reader|PRinter|PUnch|ALL spoolid|CLass c|FORM f|ALL operand ...`
///
/// Gives spool files other attributes: CLass c, COpy n, HOld or NOHold, KEEP or NOKEEP, NAme fn ft, FORM f, DISt d,
/// DEST d. A file with HOLD is not read before NOHOLD; one with KEEP is not purged when it has been read, but held.
/// Files of other users are for class D.
pub fn change(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = Target::parse(issuer, &mut words)?;
    let mut selections = Vec::new();
    // A class is selected once; the next CLASS is the new one. Numbers can be several.
    while words.peek().is_some_and(|word| selections.is_empty() || word.decimal().is_some()) {
        match spool_files::selection(&mut words)? {
            Some(selection) => selections.push(selection),
            None => return Err(message::spoolid_missing()),
        }
    }
    words.peek().ok_or_else(message::operand_missing)?;
    let dist = cp.user(&target.owner).map_or(target.owner.clone(), |user| user.distribution.clone());
    let change = spool_options::parse(cp, issuer.userid(), &dist, Of::Change, words)?.change();
    let changed = spool_files::with(cp, |spool| {
        spool_files::check(spool, &target, &selections)?;
        let before = held(spool, &target.owner);
        let mut changed = 0;
        for &queue in &target.queues {
            for selection in selections.iter().flat_map(|all| target.narrow(spool, queue, all)).collect::<Vec<_>>() {
                changed +=
                    spool.change(&target.owner, queue, &selection, &change).map_err(|error| message_of(&error))?;
            }
        }
        Ok((changed, released(spool, &target.owner, &before)))
    });
    let (changed, released) = changed?;
    if let Some(vmdbk) = cp.vmdbk(&target.owner) {
        // A reader becomes ready for a released file as for a new one.
        let units = vmdbk.units();
        released.iter().for_each(|&class| close::make_ready(&units, class));
    }
    Ok(spool_files::count(changed, "CHANGED").into())
}

/// The numbers of the files on the owner's reader queue, and whether each is held.
fn held(spool: &Spool, owner: &str) -> HashMap<u16, bool> {
    spool.files(owner, Queue::Reader).map(|file| (file.spid, file.hold.any())).collect()
}

/// The classes of files that are not held any more. Files with KEEP are left out: they were held because they had been
/// read.
fn released(spool: &Spool, owner: &str, before: &HashMap<u16, bool>) -> Vec<char> {
    let free = spool.files(owner, Queue::Reader).filter(|file| !file.hold.any() && !file.keep);
    free.filter(|file| before.get(&file.spid) == Some(&true)).map(|file| file.class).collect()
}
