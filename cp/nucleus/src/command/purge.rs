//! PURGE.

use super::spool_files::{self, Target, message_of};
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use spool::saved::{Class, SavedFile};

/// `PURge [userid|*] Reader|PRinter|PUnch|ALL spoolid|CLass c|FORM f|DEST d|ALL ... | NSS NAME name|spoolid|ALL`
///
/// Removes spool files: those with the numbers, classes, forms or destinations named, or all of a queue. A file that is
/// being read stays. NSS is for class E and removes saved systems and segments; one that is in use is pending until its
/// last user has given it back. Of other users' files you can purge those you sent; the rest are for class D.
pub fn purge(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if issuer.has("E") && words.accept("NSS") {
        return saved_files(cp, words);
    }
    let target = Target::parse(issuer, &mut words)?;
    let selections = spool_files::selections(&mut words)?;
    words.end()?;
    let purged = spool_files::with(cp, |spool| {
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

fn saved_files(cp: &Cp, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    let wanted: Box<dyn Fn(&SavedFile) -> bool> = match () {
        () if word.is("NAME") => {
            let name = words.need()?.upper();
            Box::new(move |file| file.name == name || file.space.as_ref() == Some(&name))
        }
        () if word.is("ALL") => Box::new(|_| true),
        () => {
            let id = word.decimal().ok_or_else(|| word.invalid())?;
            Box::new(move |file| u64::from(file.id) == id)
        }
    };
    words.end()?;
    let wanted = |file: &&SavedFile| file.class != Class::Pending && wanted(file);
    let ids: Vec<u16> =
        spool::ask(&cp.spool, |spool| spool.saved.files().iter().filter(wanted).map(|f| f.id).collect());
    let mut gone = 0;
    for &id in &ids {
        gone += usize::from(cp.saved.purge(id).map_err(|error| message_of(&error))?);
    }
    let mut response = Response::from(spool_files::count(gone, "PURGED"));
    if gone < ids.len() {
        response.push(spool_files::count(ids.len() - gone, "PENDING PURGE"));
    }
    Ok(response)
}
