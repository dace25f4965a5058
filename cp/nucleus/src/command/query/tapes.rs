//! QUERY TAPES: tape drives, real ones and a user's.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use virtualmachine::tape::Real;

/// `Query TAPes [ALL|ATTAched|FREE|OFFline|rdev]`
///
/// Shows the real tape drives: the user of each, those that are free, and the tape on each. Without class B it is QUERY
/// VIRTUAL TAPES.
pub fn tapes(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.next().unwrap_or(Word("ALL"));
    words.end()?;
    let number = what.device();
    let wanted = |real: &&Real| match () {
        () if what.is("ALL") => true,
        () if what.is("ATTAched") => real.holder.is_some(),
        () if what.is("FREE") => real.holder.is_none() && !real.offline,
        () if what.is("OFFline") => real.offline,
        () => number == Some(real.number),
    };
    if number.is_none() && !["ALL", "ATTAched", "FREE", "OFFline"].iter().any(|word| what.is(word)) {
        return Err(what.invalid());
    }
    let reals = cp.tapes.reals();
    let mut response = Response::none();
    reals.iter().filter(wanted).for_each(|real| response.push(line(real)));
    match (response.lines.is_empty(), number) {
        (true, Some(number)) => Err(message::no_real_device(format!("{number:04X}"))),
        (true, None) if what.is("ATTAched") || what.is("ALL") => Ok("An active TAPE was not found.".to_string().into()),
        (true, None) => {
            Ok(format!("{} TAPE was not found.", if what.is("FREE") { "A free" } else { "An offline" }).into())
        }
        _ => Ok(response),
    }
}

fn line(real: &Real) -> String {
    let state = match &real.holder {
        Some(holder) => format!("ATTACHED TO {:<8} {:04X} {}", holder.userid, holder.vdev, real.access()),
        None if real.offline => "OFFLINE".into(),
        None => "FREE".into(),
    };
    format!("TAPE {:04X} {state}{}", real.number, on(real))
}

/// What is on a drive.
fn on(real: &Real) -> String {
    real.drive.state().map_or(String::new(), |tape| {
        let name = tape.file.rsplit('/').next().unwrap_or_default();
        format!(" , {name} AT {} OF {}", tape.position, tape.count)
    })
}

/// A user's drive, for QUERY VIRTUAL.
pub fn virtual_line(issuer: &Issuer, real: &Real) -> String {
    let vdev = real.holder.as_ref().map_or(0, |holder| holder.vdev);
    let subchannel = issuer.vmdbk.machine().configuration.css().find(vdev).map_or(0, |id| id.number());
    let ready = if real.drive.state().is_some() { "" } else { " NOT READY" };
    format!(
        "TAPE {vdev:04X} ON DEV  {:04X} {:04X} {} SUBCHANNEL = {subchannel:04X}{ready}",
        real.number,
        real.model.number(),
        real.access()
    )
}
