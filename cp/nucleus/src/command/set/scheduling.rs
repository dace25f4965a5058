//! SET SHARE, QUICKDSP, SRM: how the dispatcher treats users.

use super::super::{Issuer, Response, lock};
use crate::system::Cp;
use directory::{Limit, Portion};
use message::Message;
use message::words::{Word, Words};
use realstorage::pager::UNLIMITED;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// `SET RESERVED userid|* n|OFF`
///
/// Keeps pages of a virtual machine in real storage: CP takes none away as long as it has no more than n there, unless
/// nothing else is left. Pages come as they are used; none are brought in. It ends with LOGOFF. A server that all users
/// wait for answers many times sooner so; what it is given all others lack. QUERY RESERVED shows who has how many.
pub fn reserved(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    lock::reserved(cp, issuer, words)
}

fn target(cp: &Cp, issuer: &Issuer, words: &mut Words<'_>) -> Result<Arc<Vmdbk>, Message> {
    let word = words.next().ok_or_else(message::userid_missing)?;
    if word.0 == "*" {
        return Ok(issuer.vmdbk.clone());
    }
    let userid = word.userid()?;
    cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("SET"))
}

/// `SET SHARE userid|* RELative n | ABSolute n% [RELative n | ABSolute n%] [NOLimit|LIMITSoft|LIMITHard] | INITial`
///
/// Sets how much of the processors a user gets when there is not enough for all: RELATIVE 1 to 10000 is set against the
/// others' shares, of which 100 is usual; ABSOLUTE is a percentage of all processors. INITIAL is what the directory
/// says.
///
/// A second share is the maximum, without one it is the first: with LIMITHARD the user never gets more, with LIMITSOFT
/// only what no other user wants, with NOLIMIT there is none. A user who has had the maximum waits in the limit list.
pub fn share(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = target(cp, issuer, &mut words)?;
    if words.accept("INITial") {
        words.end()?;
        vmdbk.lock().share = None;
        cp.processors.share(&vmdbk);
        cp.monitor_share(&vmdbk);
        return Ok(show_share(&vmdbk).into());
    }
    let normal =
        read_portion(&mut words)?.ok_or_else(|| words.peek().map_or_else(message::operand_missing, Word::invalid))?;
    let maximum = read_portion(&mut words)?;
    let limit = match words.next() {
        None if maximum.is_some() => Limit::Soft,
        None => Limit::NoLimit,
        Some(word) if word.is("NOLimit") => Limit::NoLimit,
        Some(word) if word.is("LIMITSoft") => Limit::Soft,
        Some(word) if word.is("LIMITHard") => Limit::Hard,
        Some(word) => return Err(word.invalid()),
    };
    words.end()?;
    vmdbk.lock().share = Some(directory::Share { normal, maximum, limit });
    cp.processors.share(&vmdbk);
    cp.monitor_share(&vmdbk);
    Ok(show_share(&vmdbk).into())
}

/// `RELATIVE n` or `ABSOLUTE n%`, if it comes next.
fn read_portion(words: &mut Words<'_>) -> Result<Option<Portion>, Message> {
    let relative = words.accept("RELative");
    if !relative && !words.accept("ABSolute") {
        return Ok(None);
    }
    let word = words.need()?;
    let number = match relative {
        true => word.decimal().filter(|n| (1..=10_000).contains(n)).map(|n| Portion::Relative(n as u16)),
        false => tenths(word).map(Portion::Absolute),
    };
    number.map(Some).ok_or_else(|| word.invalid())
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
    let share = vmdbk.shares().0;
    let normal = match share.normal {
        Portion::Relative(n) => format!("RELATIVE SHARE = {n:5}"),
        Portion::Absolute(n) => format!("ABSOLUTE SHARE = {:3}.{}%", n / 10, n % 10),
    };
    let amount = match share.maximum.unwrap_or(share.normal) {
        Portion::Relative(n) => format!("RELATIVE {n:5}"),
        Portion::Absolute(n) => format!("ABSOLUTE {:3}.{}%", n / 10, n % 10),
    };
    let maximum = match share.limit {
        Limit::NoLimit => "NOLIMIT".to_string(),
        Limit::Soft => format!("LIMITSOFT {amount}"),
        Limit::Hard => format!("LIMITHARD {amount}"),
    };
    vec![format!("USER {:<9}: {normal}", vmdbk.userid), format!("{:16}MAXIMUM SHARE  = {maximum}", "")]
}

/// `SET QUICKDSP userid|* ON|OFF`
///
/// Whether a user's virtual CPUs are dispatched without ever waiting in the eligible list.
pub fn quick_dispatch(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = target(cp, issuer, &mut words)?;
    let on = words.need()?.on_or_off()?;
    words.end()?;
    vmdbk.lock().quickdsp = Some(on);
    cp.processors.share(&vmdbk);
    cp.monitor_quick_dispatch(&vmdbk);
    Ok(show_quick_dispatch(&vmdbk).into())
}

/// The line of QUERY QUICKDSP.
pub fn show_quick_dispatch(vmdbk: &Vmdbk) -> String {
    let on = if vmdbk.shares().1 { "ON" } else { "OFF" };
    format!("USER {:<9}: QUICKDSP {on}", vmdbk.userid)
}

/// `SET SRM IABIAS intensity [duration] | DSPSLICE milliseconds | DSPBUF n1 n2 n3 | STORBUF p1 [p2 [p3]] | LDUBUF p1
/// [p2 [p3]] | MAXWSS p | XSTORE ...`
///
/// Tunes the dispatcher: IABIAS is how much sooner (in percent) a new transaction is served, and for how many time
/// slices; DSPSLICE is the minor time slice, 1 to 100 ms; DSPBUF is how many virtual CPUs of the classes 1 to 3, 2 and
/// 3, and 3 may be in the dispatch list; STORBUF is how many percent of the host's storage the working sets of the same
/// may be, 0 to 999. A virtual CPU that does not fit waits in the eligible list. LDUBUF is about users whose pages CP
/// is bringing in: it is kept, and holds no user back. MAXWSS is how many percent of the dynamic paging area a working
/// set counts for at most: what a user has beyond that is taken first. 9999 is no limit. XSTORE is told to change
/// nothing, and so is MAXWSS in a system without STORAGE in SYSTEM CONFIG.
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
        () if parameter.is("STORBUF") || parameter.is("LDUBUF") => {
            words.peek().ok_or_else(message::operand_missing)?;
            let storage = parameter.is("STORBUF");
            let buffer = if storage { &mut srm.storage_buffer } else { &mut srm.loading_buffer };
            for percent in buffer {
                if words.peek().is_some() {
                    *percent = number(&mut words, 0, 999)? as u32;
                }
            }
        }
        () if parameter.is("MAXWSS") && cp.paging.is_some() => {
            let percent = number(&mut words, 1, UNLIMITED)?;
            words.end()?;
            cp.paging.iter().for_each(|paging| paging.set_max_wss(percent));
            return Ok(Response::none());
        }
        () if ["MAXWSS", "XSTORE"].iter().any(|name| parameter.is(name)) => {
            words.peek().ok_or_else(message::operand_missing)?;
            return Ok(message::changes_nothing(format!("SRM {}", parameter.upper())).to_string().into());
        }
        () => return Err(parameter.invalid()),
    }
    words.end()?;
    cp.processors.set_srm(srm);
    cp.monitor_srm();
    Ok(Response::none())
}
