//! QUERY SHARE, QUICKDSP, SRM: how the dispatcher treats users.

use super::super::lock;
use super::super::set::scheduling;
use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use realstorage::pager::{Paging, UNLIMITED};
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

fn target(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Arc<Vmdbk>, Message> {
    let vmdbk = match words.next() {
        None => issuer.vmdbk.clone(),
        Some(word) if word.0 == "*" => issuer.vmdbk.clone(),
        Some(word) => {
            let userid = word.userid()?;
            cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("CQU"))?
        }
    };
    words.end()?;
    Ok(vmdbk)
}

/// `Query SHARE [userid|*]`
///
/// Shows a user's share of the processors.
pub fn share(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    Ok(scheduling::show_share(&*target(cp, issuer, words)?).into())
}

/// `Query QUICKDSP [userid|*]`
///
/// Shows whether a user is dispatched without waiting in the eligible list.
pub fn quick_dispatch(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    Ok(scheduling::show_quick_dispatch(&*target(cp, issuer, words)?).into())
}

/// `Query RESERVED [userid|*]`
///
/// Shows how many pages SET RESERVED keeps for a user, and how many of those are in real storage now; without a user
/// and with class A, C or E for all users who have some.
pub fn reserved(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let line = |vmdbk: &Arc<Vmdbk>| {
        let machine = vmdbk.machine();
        machine.pages.as_ref().map(|pages| (pages.tally().reserved, lock::show_reserved(vmdbk, pages)))
    };
    if words.is_empty() && issuer.has("ACE") {
        let users = cp.vmdbks();
        let all = users.iter().filter_map(line).filter(|(reserved, _)| *reserved > 0).map(|(_, line)| line);
        let lines: Vec<String> = all.collect();
        return Ok(if lines.is_empty() { "No users have reserved pages".into() } else { lines.into() });
    }
    let vmdbk = target(cp, issuer, words)?;
    line(&vmdbk).map(|(_, line)| line.into()).ok_or_else(|| message::no_paging().from("CQR"))
}

/// `Query SRM`
///
/// Shows how the dispatcher is tuned (SET SRM).
pub fn srm(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let srm = cp.processors.dispatcher(|dispatcher, _| dispatcher.srm().clone());
    let [q1, q2, q3] = srm.dispatch_buffer;
    let limit = cp.paging.as_ref().map_or(UNLIMITED, |paging| paging.max_wss());
    let of_limit = |paging: &Arc<Paging>| paging.frames() * limit / 100;
    let pages = cp.paging.as_ref().filter(|_| limit != UNLIMITED).map_or(999_999, of_limit);
    let percents = |[q1, q2, q3]: [u32; 3]| format!("Q1={q1}% Q2={q2}% Q3={q3}%");
    Ok(vec![
        format!("IABIAS : INTENSITY={}%; DURATION={}", srm.bias_intensity, srm.bias_duration),
        format!("LDUBUF : {}", percents(srm.loading_buffer)),
        format!("STORBUF: {}", percents(srm.storage_buffer)),
        format!("DSPBUF : Q1={q1} Q2={q2} Q3={q3}"),
        format!("DISPATCHING MINOR TIMESLICE = {} MS", srm.minor_slice / 1000),
        format!("MAXWSS : LIMIT={limit}%"),
        format!("...... : PAGES={pages}"),
        "XSTORE : 0%".to_string(),
    ]
    .into())
}
