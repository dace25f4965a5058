//! QUERY XSTORE and FRAMES: the system's expanded and real storage.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use realstorage::frames::Frames;

/// `Query XSTORe [userid|*|SYSTEM|ALL]`
///
/// Shows how much expanded storage the system has, how much of it each user has, or one, and what is CP's: how much of
/// that RETAIN XSTORE keeps back, what it will keep back when users give it back, and how much can be attached at most.
/// USAGE is how much of that CP has pages in. QUERY VIRTUAL XSTORE shows your own.
pub fn expanded_storage(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let who = match words.next() {
        None => None,
        Some(word) if word.is("ALL") => None,
        Some(word) if word.0 == "*" => Some(issuer.userid().to_string()),
        Some(word) => Some(word.userid()?),
    };
    words.end()?;
    let installed = cp.expanded.installed();
    if installed == 0 {
        return Err(message::expanded_absent());
    }
    let (owners, system) = (cp.expanded.owners(), cp.expanded.system());
    let of_user = |(userid, megabytes): &(String, u64)| format!("XSTORE= {megabytes}M userid= {userid}");
    let blocks = cp.paging.as_ref().map_or(0, |paging| u64::from(paging.picture().census.blocks));
    let of_system = [
        format!(
            "XSTORE= {}M userid= SYSTEM usage= {}% retained= {}M pending= {}M",
            system.megabytes,
            (blocks * 100).checked_div(system.megabytes << 8).unwrap_or(0).min(100),
            system.retained,
            system.pending
        ),
        "XSTORE MDC min=0M, max=0M, usage=0%".to_string(),
        format!("XSTORE= {}M userid= (none) max. attach= {}M", system.available(), system.available()),
    ];
    let lines: Vec<String> = match who {
        None => {
            let all = format!("XSTORE= {installed}M online= {installed}M");
            std::iter::once(all).chain(owners.iter().map(of_user)).chain(of_system).collect()
        }
        Some(who) if who == "SYSTEM" => of_system.to_vec(),
        Some(who) => {
            let owner = owners.iter().find(|(userid, _)| *userid == who);
            vec![of_user(owner.ok_or_else(|| message::expanded_not_detached(who).from("QXS"))?)]
        }
    };
    Ok(lines.into())
}

/// `Query FRAMES`
///
/// Shows what the frames of real storage are used for. SYSGEN, REAL and USABLE are all, RESNUC what CP takes with the
/// frame table, and PAGING the dynamic paging area. AVAIL is free, PAGNUC has pages of virtual machines, LOCKCMD pages
/// that LOCK keeps, LOCKIO pages on their way from or to page volumes. SAVE belongs to processors and FREE to CP's
/// blocks. There is no V=R area and no trace table: those are 0.
pub fn frames(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let frames = cp.frames().ok_or_else(message::frames_unknown)?;
    let (all, paging, available) = (frames.installed, frames.paging(), frames.available());
    let Frames { nucleus, save, free_storage, pageable, locked, transit, .. } = frames;
    Ok(vec![
        "SYSGEN REAL   USABLE OFFLINE".to_string(),
        format!("{all:06} {all:06} {all:06} 000000"),
        "V=R    RESNUC PAGING TRACE  RIO370".to_string(),
        format!("000000 {nucleus:06} {paging:06} 000000 000000"),
        "AVAIL  PAGNUC LOCKRS LOCKCMD SAVE   FREE   LOCKIO".to_string(),
        format!("{available:06} {pageable:06} 000000 {locked:06}  {save:06} {free_storage:06} {transit:06}"),
    ]
    .into())
}
