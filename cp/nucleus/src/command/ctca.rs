//! Channel-to-channel adapters: DEFINE, COUPLE, DETACH.

use super::{Issuer, Response};
use crate::system::Cp;
use consoles::display::Tone;
use directory::DeviceKind;
use message::Message;
use message::words::Words;
use std::sync::Arc;
use virtualmachine::ctca::{Peer, VirtualCtca};
use virtualmachine::vmdbk::Vmdbk;

/// DEFINE CTCA [AS] vdev [userid]
pub(super) fn define(issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let vdev = words.need_device()?;
    let partner = match words.next() {
        Some(word) if word.0 == "*" => Some(issuer.userid().to_string()),
        Some(word) => Some(word.userid()?),
        None => None,
    };
    words.end()?;
    let name = format!("CTCA {vdev:04X}");
    match issuer.vmdbk.add_ctca(VirtualCtca::new(vdev, partner)) {
        true => Ok(format!("{name} DEFINED").into()),
        false => Err(message::device_defined(name)),
    }
}

/// COUPLE vdev [TO] userid|* vdev
pub(super) fn couple(
    cp: &Cp,
    issuer: &Issuer,
    own: &Arc<VirtualCtca>,
    mut words: Words<'_>,
) -> Result<Response, Message> {
    let word = words.need()?;
    let userid = if word.0 == "*" { issuer.userid().to_string() } else { word.userid()? };
    let vdev = words.next().map_or(Ok(own.vdev()), |word| word.device().ok_or_else(message::device_missing))?;
    words.end()?;
    let other = cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(&userid).from("CPL"))?;
    let theirs = other.ctca(vdev);
    let theirs = theirs.ok_or_else(|| message::ctca_absent(&userid, format!("{vdev:04X}")))?;
    if !own.admits(&userid) || !theirs.admits(issuer.userid()) || Arc::ptr_eq(own, &theirs) {
        return Err(message::not_to_couple(format!("{userid} {vdev:04X}")));
    }
    let mut response = Response::none();
    // The one that asks leaves what it was coupled to; one that others use is left alone.
    if theirs.plug().peer().is_some() && !own.is_peer(&theirs) {
        return Err(message::ctca_coupled(&userid, format!("{vdev:04X}")));
    }
    response.lines.extend(drop_couple(cp, &issuer.vmdbk, own));
    if !devices::CtcaPlug::couple(own.plug(), theirs.plug()) {
        return Err(message::ctca_coupled(&userid, format!("{vdev:04X}")));
    }
    let by = format!("CTCA {vdev:04X} COUPLE BY {} {:04X}", issuer.userid(), own.vdev());
    other.write(&by, Tone::Normal, cp.now());
    response.push(format!("CTCA {:04X} COUPLE TO {userid} {vdev:04X}", own.vdev()));
    Ok(response)
}

/// The other side of an adapter, if it is coupled.
pub(super) fn peer(cp: &Cp, own: &VirtualCtca) -> Option<(Arc<Vmdbk>, Peer)> {
    own.plug().peer()?;
    cp.vmdbks().into_iter().find_map(|vmdbk| {
        let theirs = vmdbk.ctcas().into_iter().find(|theirs| own.is_peer(theirs))?;
        let peer = Peer { userid: vmdbk.userid.clone(), vdev: theirs.vdev() };
        Some((vmdbk, peer))
    })
}

/// Takes an adapter from the other side, whose user is told: the line for its own user.
pub(super) fn drop_couple(cp: &Cp, vmdbk: &Vmdbk, own: &VirtualCtca) -> Option<String> {
    let found = peer(cp, own);
    own.plug().uncouple();
    let (other, Peer { userid, vdev }) = found?;
    // One that logs off is not told any more.
    if !other.is_leaving() {
        let line = format!("CTCA {vdev:04X} DROP {} {:04X}", vmdbk.userid, own.vdev());
        other.write(&line, Tone::Normal, cp.now());
    }
    Some(format!("CTCA {:04X} DROP {userid} {vdev:04X}", own.vdev()))
}

/// DETACH of an adapter.
pub(super) fn detach(cp: &Cp, vmdbk: &Vmdbk, own: &Arc<VirtualCtca>) -> Response {
    let mut response = Response::none();
    response.lines.extend(drop_couple(cp, vmdbk, own));
    vmdbk.machine().configuration.css().detach(own.vdev());
    vmdbk.remove_ctca(own);
    response.push(format!("CTCA {:04X} DETACHED", own.vdev()));
    response
}

/// LOGON: the adapters of SPECIAL statements.
pub fn log_on(vmdbk: &Vmdbk) {
    for device in &vmdbk.user.devices {
        let DeviceKind::Special { device: kind, operands } = &device.kind else { continue };
        if matches!(kind.as_str(), "CTCA" | "3088") {
            let partner = operands.first().map(|user| if user == "*" { vmdbk.userid.clone() } else { user.clone() });
            // The directory has one device for a number.
            vmdbk.add_ctca(VirtualCtca::new(device.vdev, partner));
        }
    }
}

/// LOGOFF: the other sides are told.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    vmdbk.ctcas().iter().for_each(|own| drop(drop_couple(cp, vmdbk, own)));
}
