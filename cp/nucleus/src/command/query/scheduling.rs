//! QUERY SHARE, QUICKDSP, SRM: how the dispatcher treats users.

use super::super::set::scheduling;
use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
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

/// `Query SRM`
///
/// Shows how the dispatcher is tuned (SET SRM).
pub fn srm(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let srm = cp.processors.dispatcher(|dispatcher, _| dispatcher.srm().clone());
    let [q1, q2, q3] = srm.dispatch_buffer;
    let percents = |[q1, q2, q3]: [u32; 3]| format!("Q1={q1}% Q2={q2}% Q3={q3}%");
    Ok(vec![
        format!("IABIAS : INTENSITY={}%; DURATION={}", srm.bias_intensity, srm.bias_duration),
        format!("LDUBUF : {}", percents(srm.loading_buffer)),
        format!("STORBUF: {}", percents(srm.storage_buffer)),
        format!("DSPBUF : Q1={q1} Q2={q2} Q3={q3}"),
        format!("DISPATCHING MINOR TIMESLICE = {} MS", srm.minor_slice / 1000),
        "MAXWSS : LIMIT=9999%".to_string(),
        "...... : PAGES=999999".to_string(),
        "XSTORE : 0%".to_string(),
    ]
    .into())
}
