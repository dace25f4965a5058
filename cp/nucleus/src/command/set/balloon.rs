//! SET BALLOON: storage that the virtual machine's system gives back.

use super::super::{Issuer, Response};
use crate::system::Cp;
use arch::PAGE;
use message::Message;
use message::words::Words;

/// `SET BALLoon size|OFF`
///
/// Has the system in your virtual machine give back so much of its storage, such as 512M, or none (OFF). It must have a
/// driver for the balloon, a virtio device, and gives back what it can do without; QUERY VIRTUAL VIRTIO shows how much
/// that is.
pub fn balloon(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let size = words.need()?;
    words.end()?;
    let bytes = if size.is("OFF") { 0 } else { size.storage().ok_or_else(|| size.invalid())? };
    let all = issuer.vmdbk.machine().configuration.storage().size();
    if bytes >= all {
        return Err(size.invalid());
    }
    let peripherals = issuer.vmdbk.peripherals();
    let valve = peripherals.iter().find_map(|other| other.valve());
    let valve = valve.ok_or_else(|| message::no_such_devices("BALLOON").from("SET"))?;
    valve.want((bytes / PAGE) as u32);
    Ok(Response::default())
}
