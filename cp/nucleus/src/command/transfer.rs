//! TRANSFER.

use super::close::announce;
use super::spool_files::{self, Target, message_of};
use super::spool_options;
use super::{Issuer, Origin, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use spool::Queue;
use unitrecord::close::line;

/// `TRANsfer [userid|*] Reader|PRinter|PUnch|ALL spoolid|CLass c|FORM f|ALL ... [TO] userid|* [Reader|PRinter|PUnch]`
///
/// Gives spool files to another user, or to another queue of yours. They come after the files that are there and get
/// numbers of their new owner. TRANSFER ... FROM userid takes back files that you sent and that are in that user's
/// reader. Files of other users are for class D.
pub fn transfer(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let mut target = Target::parse(issuer, &mut words)?;
    let selections = spool_files::selections(&mut words)?;
    let back = words.accept("FROM");
    words.accept("TO");
    let word = words.next().ok_or_else(message::userid_missing)?;
    let named = if word.0 == "*" { issuer.userid().to_string() } else { word.userid()? };
    cp.user(&named).ok_or_else(|| message::not_in_directory(&named).from("TRA"))?;
    let queue = match words.next() {
        Some(word) => spool_options::queue(word).ok_or_else(|| word.invalid())?,
        None => Queue::Reader,
    };
    words.end()?;
    let to = if back { std::mem::replace(&mut target.owner, named) } else { named };
    if back {
        target.originator = Some(issuer.userid().into());
    }
    let moved = spool_files::with(cp, |spool| {
        spool_files::check_idle(spool, &target, &selections)?;
        let mut moved = Vec::new();
        for &from in &target.queues {
            for selection in selections.iter().flat_map(|all| target.narrow(spool, from, all)).collect::<Vec<_>>() {
                let done = spool.transfer(&target.owner, from, &selection, &to, queue);
                moved.extend(done.map_err(|error| message_of(&error))?.into_iter().map(|done| (from, done)));
            }
        }
        let files =
            moved.into_iter().filter_map(|(from, done)| Some((from, done, spool.file(&to, done.spid)?.clone())));
        Ok(files.collect::<Vec<_>>())
    });
    let moved = moved?;
    let mut response = Response::none();
    let informed = issuer.origin != Origin::Console || issuer.vmdbk.lock().settings.information;
    for (from, done, file) in &moved {
        announce(cp, issuer.userid(), file, from.name(), done.was);
        if informed {
            response.push(line(issuer.userid(), file, from.name(), done.was));
        }
    }
    response.push(spool_files::count(moved.len(), "TRANSFERRED"));
    Ok(response)
}
