//! LOCK, UNLOCK, SET RESERVED: pages that CP does not take from a virtual machine.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use realstorage::pager::{Pages, Paging, Unlockable};
use std::ops::Range;
use std::sync::Arc;
use virtualmachine::vmdbk::Vmdbk;

/// A user's pages.
struct Target {
    vmdbk: Arc<Vmdbk>,
    pages: Pages,
    paging: Arc<Paging>,
}

/// The user that comes next, whose pages CP takes away.
fn target(cp: &Cp, issuer: &Issuer, words: &mut Words<'_>, module: &'static str) -> Result<Target, Message> {
    let word = words.next().ok_or_else(|| message::userid_missing().from(module))?;
    let vmdbk = match word.0 {
        "*" => issuer.vmdbk.clone(),
        _ => {
            let userid = word.userid()?;
            cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from(module))?
        }
    };
    let paging = cp.paging.clone().ok_or_else(|| message::no_paging().from(module))?;
    let pages = vmdbk.machine().pages.clone().ok_or_else(|| message::no_paging().from(module))?;
    Ok(Target { vmdbk, pages, paging })
}

/// The numbers of the first and the last page, which come next.
fn range(target: &Target, words: &mut Words<'_>) -> Result<Range<u32>, Message> {
    let mut number = || {
        let word = words.need()?;
        let page = word.hexadecimal().filter(|&page| target.is_page(page));
        page.map(|page| page as u32).ok_or_else(|| word.invalid())
    };
    let (first, last) = (number()?, number()?);
    if first > last {
        return Err(message::invalid_range(format!("{first:05X}-{last:05X}")));
    }
    Ok(first..last + 1)
}

impl Target {
    /// Whether the virtual machine has such a page of its own.
    fn is_page(&self, page: u64) -> bool {
        let machine = self.vmdbk.machine();
        let storage = machine.configuration.storage();
        page < storage.size() / arch::PAGE && !storage.is_attached(arch::Absolute(page * arch::PAGE))
    }

    /// Whether so many pages more may be kept from others.
    fn may_keep(&self, pages: u64) -> Result<(), Message> {
        let (most, kept) = self.paging.keepable(&self.pages);
        match pages <= most.saturating_sub(kept) {
            true => Ok(()),
            false => Err(message::too_many_kept(pages, most.saturating_sub(kept))),
        }
    }
}

/// `LOCK userid|* page1 page2 [MAP]`
///
/// Brings pages of a virtual machine into real storage and keeps them there, whatever else wants storage. The numbers
/// of the first and the last page are hexadecimal; pages of saved segments cannot be locked. With MAP, each page is
/// shown with the frame that it has. The pages stay until UNLOCK, until the virtual machine's storage is cleared
/// by IPL or DEFINE STORAGE, or LOGOFF. SET RESERVED is better where it does not matter which pages it are.
pub fn lock(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = target(cp, issuer, &mut words, "LCK")?;
    let pages = range(&target, &mut words)?;
    let map = words.accept("MAP");
    words.end()?;
    target.may_keep(pages.len() as u64)?;
    target.pages.lock(pages.clone()).map_err(|why| match why {
        Unlockable::NoPage(page) => message::page_not_locked(format!("{page:05X}")),
        Unlockable::Full => message::page_space_full().from("LCK"),
    })?;
    if !map {
        return Ok("COMMAND COMPLETE".into());
    }
    let frames = target.pages.frames(pages);
    let line = |(page, frame): (u32, u32)| format!("VIRTUAL PAGE {page:05X} REAL FRAME {frame:08X}");
    Ok(frames.into_iter().map(line).collect::<Vec<_>>().into())
}

/// `UNLOCK userid|* page1 page2`
///
/// Lets CP take pages away that LOCK has kept in real storage.
pub fn unlock(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = target(cp, issuer, &mut words, "ULK")?;
    let pages = range(&target, &mut words)?;
    words.end()?;
    match target.pages.unlock(pages.clone()) {
        0 => Err(message::pages_not_locked(format!("{:05X}-{:05X}", pages.start, pages.end - 1))),
        _ => Ok("COMMAND COMPLETE".into()),
    }
}

/// What SET RESERVED does.
pub fn reserved(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = target(cp, issuer, &mut words, "SET")?;
    let word = words.need()?;
    let pages = match word.is("OFF") {
        true => 0,
        false => word.decimal().ok_or_else(|| word.invalid())?,
    };
    words.end()?;
    target.may_keep(pages)?;
    target.pages.reserve(u32::try_from(pages).map_err(|_| word.invalid())?);
    Ok(show_reserved(&target.vmdbk, &target.pages).into())
}

/// The line of QUERY RESERVED.
pub fn show_reserved(vmdbk: &Vmdbk, pages: &Pages) -> String {
    let tally = pages.tally();
    let actual = tally.resident.min(tally.reserved);
    format!("{:<8} RSV={:08} (ACT={actual:08})", vmdbk.userid, tally.reserved)
}
