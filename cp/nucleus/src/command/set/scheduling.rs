//! SET SHARE, QUICKDSP, SRM: how the dispatcher treats users.

use super::super::{Issuer, Response};
use crate::message::{self, Message};
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use crate::words::{Word, Words};
use dispatch::Share;
use std::sync::Arc;

fn target(cp: &Cp, issuer: &Issuer, words: &mut Words<'_>) -> Result<Arc<Vmdbk>, Message> {
    let word = words.next().ok_or_else(message::userid_missing)?;
    if word.0 == "*" {
        return Ok(issuer.vmdbk.clone());
    }
    let userid = word.userid()?;
    cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("SET"))
}

/// The share in the directory.
fn initial(vmdbk: &Vmdbk) -> Share {
    match vmdbk.user.share.normal {
        directory::Portion::Relative(n) => Share::Relative(n),
        directory::Portion::Absolute(n) => Share::Absolute(n),
    }
}

/// The share and QUICKDSP of a user now.
pub fn current(vmdbk: &Vmdbk) -> (Share, bool) {
    let state = vmdbk.lock();
    let quickdsp = vmdbk.user.options.has(directory::Opt::QuickDsp);
    (state.share.unwrap_or_else(|| initial(vmdbk)), state.quickdsp.unwrap_or(quickdsp))
}

fn tell(cp: &Cp, vmdbk: &Vmdbk) {
    let (share, quickdsp) = current(vmdbk);
    cp.processors.log_on(vmdbk.id, share, quickdsp);
}

/// `SET SHARE userid|* RELative n | ABSolute n% | INITial`
///
/// Sets how much of the processors a user gets when there is not enough for all: RELATIVE 1 to 10000 is set against the others'
/// shares, of which 100 is usual; ABSOLUTE is a percentage of all processors. INITIAL is what the directory says.
pub fn share(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = target(cp, issuer, &mut words)?;
    let kind = words.need()?;
    let share = match () {
        () if kind.is("INITial") => None,
        () if kind.is("RELative") => {
            let word = words.need()?;
            let n = word.decimal().filter(|n| (1..=10_000).contains(n)).ok_or_else(|| word.invalid())?;
            Some(Share::Relative(n as u16))
        }
        () if kind.is("ABSolute") => {
            let word = words.need()?;
            Some(Share::Absolute(tenths(word).ok_or_else(|| word.invalid())?))
        }
        () => return Err(kind.invalid()),
    };
    words.end()?;
    vmdbk.lock().share = share;
    tell(cp, &vmdbk);
    Ok(show_share(&vmdbk).into())
}

/// `12.5%` in tenths of a percent, 1 to 1000.
fn tenths(word: Word<'_>) -> Option<u16> {
    let number = word.0.strip_suffix('%').unwrap_or(word.0);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let fraction = if fraction.len() == 1 { Word(fraction).decimal()? } else { return None };
    let tenths = Word(whole).decimal()?.checked_mul(10)?.checked_add(fraction)?;
    (1..=1000).contains(&tenths).then_some(tenths as u16)
}

/// The lines of QUERY SHARE.
pub fn show_share(vmdbk: &Vmdbk) -> Vec<String> {
    let normal = match current(vmdbk).0 {
        Share::Relative(n) => format!("RELATIVE SHARE = {n:5}"),
        Share::Absolute(n) => format!("ABSOLUTE SHARE = {:3}.{}%", n / 10, n % 10),
    };
    vec![format!("USER {:<9}: {normal}", vmdbk.userid), format!("{:16}MAXIMUM SHARE  = NOLIMIT", "")]
}

/// `SET QUICKDSP userid|* ON|OFF`
///
/// Whether a user's virtual CPUs are dispatched without ever waiting in the eligible list.
pub fn quick_dispatch(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = target(cp, issuer, &mut words)?;
    let on = words.need()?.on_or_off()?;
    words.end()?;
    vmdbk.lock().quickdsp = Some(on);
    tell(cp, &vmdbk);
    Ok(show_quick_dispatch(&vmdbk).into())
}

/// The line of QUERY QUICKDSP.
pub fn show_quick_dispatch(vmdbk: &Vmdbk) -> String {
    let on = if current(vmdbk).1 { "ON" } else { "OFF" };
    format!("USER {:<9}: QUICKDSP {on}", vmdbk.userid)
}

/// `SET SRM IABIAS intensity [duration] | DSPSLICE milliseconds | DSPBUF n1 n2 n3 | STORBUF | LDUBUF | MAXWSS | XSTORE ...`
///
/// Tunes the dispatcher: IABIAS is how much sooner (in percent) a new transaction is served, and for how many time slices;
/// DSPSLICE is the minor time slice, 1 to 100 ms; DSPBUF is how many virtual CPUs of the classes 1 to 3, 2 and 3, and 3 may be in the
/// dispatch list. STORBUF, LDUBUF, MAXWSS and XSTORE are about paging, which the host does: they are accepted and change nothing.
pub fn srm(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let parameter = words.need()?;
    let mut srm = cp.processors.dispatcher(|dispatcher, _| dispatcher.srm().clone());
    let number = |words: &mut Words<'_>, from: u64, to: u64| {
        let word = words.need()?;
        let digits = Word(word.0.strip_suffix('%').unwrap_or(word.0));
        digits.decimal().filter(|n| (from..=to).contains(n)).ok_or_else(|| word.invalid())
    };
    match () {
        () if parameter.is("IABIAS") => {
            words.accept("INTensity");
            srm.bias_intensity = number(&mut words, 0, 100)? as u32;
            words.accept("DURation");
            if words.peek().is_some() {
                srm.bias_duration = number(&mut words, 1, 100)? as u32;
            }
        }
        () if parameter.is("DSPSLICE") => srm.minor_slice = number(&mut words, 1, 100)? * 1000,
        () if parameter.is("DSPBUF") => {
            for n in 0..3 {
                srm.dispatch_buffer[n] = number(&mut words, 1, 32_767)? as u32;
            }
        }
        () if ["STORBUF", "LDUBUF", "MAXWSS", "XSTORE"].iter().any(|name| parameter.is(name)) => {
            words.peek().ok_or_else(message::operand_missing)?;
            return Ok(Response::none());
        }
        () => return Err(parameter.invalid()),
    }
    words.end()?;
    cp.processors.set_srm(srm);
    Ok(Response::none())
}
