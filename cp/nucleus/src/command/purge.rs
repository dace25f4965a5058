//! PURGE.

use super::spool_files::{self, Target};
use super::{Issuer, Response};
use crate::message::Message;
use crate::spooling::{self, message_of};
use crate::system::Cp;
use crate::words::Words;

/// `PURge [userid|*] Reader|PRinter|PUnch|ALL spoolid|CLass c|FORM f|DEST d|ALL ...`
///
/// Removes spool files: those with the numbers, classes, forms or destinations named, or all of a queue. A file that is being
/// read stays. Of other users' files you can purge those you sent; the rest are for class D.
pub fn purge(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = Target::parse(issuer, &mut words)?;
    let selections = spool_files::selections(&mut words)?;
    words.end()?;
    let purged = spooling::with(cp, |spool| {
        spool_files::check_idle(spool, &target, &selections)?;
        let mut purged = 0;
        for &queue in &target.queues {
            for selection in selections.iter().flat_map(|all| target.narrow(spool, queue, all)).collect::<Vec<_>>() {
                purged += spool.purge(&target.owner, queue, &selection).map_err(|error| message_of(&error))?;
            }
        }
        Ok(purged)
    });
    Ok(spool_files::count(purged?, "PURGED").into())
}
