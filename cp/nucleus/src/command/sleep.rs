//! SLEEP.

use super::{Issuer, Origin, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `SLeep [n [SEC|MIN|HRS]]`
///
/// Lets the terminal rest while messages are still shown: for a number of minutes (or seconds, or hours), or until you
/// press ENTER. The virtual machine does not run meanwhile.
pub fn sleep(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let until = match words.next() {
        None => None,
        Some(word) => {
            let amount = word.decimal().filter(|&n| n <= 99).ok_or_else(|| word.invalid())?;
            let seconds = match words.next() {
                None => 60,
                Some(unit) if unit.is("MIN") => 60,
                Some(unit) if unit.is("SEC") => 1,
                Some(unit) if unit.is("HRS") => 3600,
                Some(unit) => return Err(unit.invalid()),
            };
            Some(cp.now().plus_micros(amount * seconds * 1_000_000))
        }
    };
    words.end()?;
    if issuer.origin == Origin::Console {
        {
            let mut console = issuer.vmdbk.console();
            console.asleep = Some(until);
            console.show_turn();
        }
        cp.settle(&issuer.vmdbk);
    }
    Ok(Response::none())
}
