//! LINK: another user's minidisk, or one's own under another number.

use super::{Issuer, Origin, Response};
use crate::system::Cp;
use directory::{Access, DasdOptions, LinkMode};
use message::Message;
use message::words::Words;
use minidisk::link::Level;
use minidisk::{Ended, Refusal, Request};
use virtualmachine::vmdbk::Vmdbk;

/// `LINk [TO] userid vdev1 [AS] vdev2 [mode] [[PASS=] password]`
///
/// Gives your virtual machine a minidisk of another user's directory entry (* is your own), under the number vdev2. The
/// first letter of the mode is what you want, the second what you take instead: R read, W write, M write beside others
/// who read, MW write beside others who write; RR, WR and MR are content to read. Without a mode it is RR. SR, SW and
/// SM keep others from beginning to write, ER and EW keep others out; they need OPTION LNKSTABL or LNKEXCLU. A password
/// is needed for what is not yours: one to read, one to write, one to write beside others. At the console CP asks for
/// it. You are told who else has the disk.
pub fn link(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let line = words.rest().to_string();
    words.accept("TO");
    let format =
        |message: Message| if message.number == 20 || message.number == 22 { message::link_format() } else { message };
    let owner = match words.accept("*") {
        true => issuer.userid().to_string(),
        false => words.need_userid().map_err(format)?,
    };
    let vdev = words.need_device().map_err(format)?;
    words.accept("AS");
    let as_vdev = words.need_device().map_err(format)?;
    let mut mode = LinkMode { access: Access::RR, reserve: false };
    let given = words.peek().and_then(|word| Access::ALL.iter().find(|row| word.0.eq_ignore_ascii_case(row.0)));
    if let Some(&(_, access)) = given {
        words.next();
        mode.access = access;
    }
    let mut password = words.next().map(|word| word.0);
    if password.is_some_and(|word| word.eq_ignore_ascii_case("PASS=")) {
        // The answer to CP's own question may be an empty line.
        password = Some(words.next().map_or("", |word| word.0));
    } else if let Some(rest) = password.and_then(|word| word.get(..5)).filter(|p| p.eq_ignore_ascii_case("PASS=")) {
        password = password.map(|word| &word[rest.len()..]);
    }
    if !words.is_empty() || password.is_some() && issuer.origin == Origin::DiagnoseMasked {
        return Err(message::link_format());
    }
    let dasd = DasdOptions::default();
    let request = Request { owner: &owner, vdev, as_vdev, mode, password, trusted: false, dasd };
    match cp.disks.make_link(&issuer.vmdbk.guest(), &|userid| cp.user(userid), &request) {
        Ok(linked) => {
            if let Some(foreign) = &linked.foreign {
                cp.journal_link(&issuer.vmdbk, foreign);
            }
            Ok(Response { lines: linked.notice.into_iter().collect(), code: linked.code })
        }
        Err(Refusal::Message(message)) => Err(message),
        Err(Refusal::Wrong { count, limit }) => {
            cp.journal_wrong_link(&issuer.vmdbk, &owner, vdev, (count, limit));
            Err(message::link_password(&owner, format!("{vdev:04X}")))
        }
        Err(Refusal::Password(level)) if issuer.origin == Origin::Console && !issuer.vmdbk.is_disconnected() => {
            issuer.vmdbk.console().ask(format!("LINK {line} PASS="));
            let name = match level {
                Level::Read => "READ",
                Level::Write => "WRITE",
                Level::Multiple => "MULT",
            };
            Ok(format!("ENTER {name} PASSWORD:").into())
        }
        Err(Refusal::Password(_)) => Err(message::link_password(&owner, format!("{vdev:04X}"))),
    }
}

/// Detaches a disk from a virtual machine.
pub(super) fn detach(cp: &Cp, vmdbk: &Vmdbk, vdev: u16) {
    if let Some(gone) = cp.disks.detach(&vmdbk.guest(), vdev) {
        ended(cp, vmdbk, &gone);
    }
}

/// Severs *BLOCKIO's paths to a disk that a virtual machine no longer has, and accounts for it. No new path can be made
/// by then.
pub(crate) fn ended(cp: &Cp, vmdbk: &Vmdbk, gone: &Ended) {
    vmdbk.iucv().sever_blocks(vmdbk.id, &gone.link);
    cp.account_disk(vmdbk, gone);
}
