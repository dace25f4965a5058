//! ORDER.

use super::spool_files::{self, Target, message_of};
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `ORDer [userid|*] Reader|PRinter|PUnch spoolid|CLass c|FORM f|DEST d ...`
///
/// Puts spool files before all others of their queue, in the order you name them: a reader reads them first. Files of
/// other users are for class D.
pub fn order(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = Target::parse(issuer, &mut words)?;
    let selections = spool_files::selections(&mut words)?;
    words.end()?;
    let ordered = spool_files::with(cp, |spool| {
        spool_files::check(spool, &target, &selections)?;
        let mut ordered = 0;
        for &queue in &target.queues {
            let selections: Vec<_> = selections.iter().flat_map(|all| target.narrow(spool, queue, all)).collect();
            ordered += spool.order(&target.owner, queue, &selections).map_err(|error| message_of(&error))?;
        }
        Ok(ordered)
    });
    Ok(spool_files::count(ordered?, "ORDERED").into())
}
