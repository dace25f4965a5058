//! QUERY MONITOR.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use monitor::domain::Side;
use monitor::show;

/// `Query MONitor [SAMPle|EVENT]`
///
/// Shows how MONITOR is set, which programs are connected to *MONITOR, and whether records are written for them:
/// ACTIVE, PENDING until one is connected, INACTIVE until MONITOR START.
pub fn monitor(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let sides: &[Side] = match words.next() {
        None => &[Side::Event, Side::Sample],
        Some(word) if word.is("SAMPle") => &[Side::Sample],
        Some(word) if word.is("EVENT") => &[Side::Event],
        Some(word) => return Err(word.invalid()),
    };
    words.end()?;
    Ok(cp.look_at_monitor(|recorder| show::lines(recorder, sides)).into())
}
