//! CLOSE: how what was written becomes a user's file, and which users are told.

use super::options::Options;
use super::{SharedUnit, Unit, lock, lock_unit, message_of, queue_of};
use crate::console::display::Tone;
use crate::message::Message;
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use message::Response;
use spool::{Attributes, Error, OutputFile, Queue, SpoolFile};

/// Closes a punch, printer or console with CLOSE's operands; without an open file nothing happens, nor with CONT. The
/// lines are for the device's user. If a receiver can have no more files, the file stays with its writer, on the queue
/// of the device's own kind, and the return code says so.
pub fn output(cp: &Cp, vmdbk: &Vmdbk, unit: &SharedUnit, options: &Options) -> Result<Response, Message> {
    let (file, attributes, own_queue) = {
        let mut unit = lock_unit(unit);
        if unit.settings.cont && !options.purge {
            return Ok(Response::none());
        }
        (unit.output.take(), attributes(cp, &unit, options), queue_of(unit.kind))
    };
    let Some(mut file) = file else { return Ok(Response::none()) };
    if options.purge {
        lock(&cp.spool).as_mut().expect("an output file comes from a spool").discard_output(file);
        return Ok(Response::none());
    }
    // The data goes to the disk before the spool is locked, so that no other user waits for it.
    if let Err(error) = file.finish() {
        put_back(unit, file);
        return Err(message_of(&error));
    }
    let was = file.spid();
    let mut response = Response::none();
    let closed = {
        let mut spool = lock(&cp.spool);
        let spool = spool.as_mut().expect("an output file comes from a spool");
        match spool.close_output(file, &attributes) {
            Err(refused) if matches!(refused.error, Error::NoSpid(_)) => {
                let message = message_of(&refused.error);
                response.code = message.number;
                response.push(message.to_string());
                let own = Attributes { owner: vmdbk.userid.clone(), queue: own_queue, ..attributes };
                spool.close_output(refused.output, &own)
            }
            closed => closed,
        }
    };
    match closed {
        Ok(None) => Ok(Response::none()),
        Ok(Some(file)) => {
            let from = file.device.name();
            announce(cp, &vmdbk.userid, &file, from, was);
            response.lines.insert(0, line(&vmdbk.userid, &file, from, was));
            Ok(response)
        }
        Err(not_closed) => {
            put_back(unit, not_closed.output);
            Err(message_of(&not_closed.error))
        }
    }
}

/// A file that could not be closed is open again, unless another has been begun meanwhile.
fn put_back(unit: &SharedUnit, file: OutputFile) {
    lock_unit(unit).output.get_or_insert(file);
}

/// What a file that is closed now is to be.
fn attributes(cp: &Cp, unit: &Unit, options: &Options) -> Attributes {
    let mut settings = unit.settings.clone();
    options.apply(&mut settings);
    options.address(unit.kind, &mut settings);
    let owner = settings.to.as_deref().unwrap_or(&unit.userid);
    Attributes {
        class: settings.class,
        form: settings.form,
        copies: settings.copies,
        hold: settings.hold,
        keep: settings.keep,
        dist: settings.dist,
        dest: settings.dest,
        name: settings.name.0,
        kind: settings.name.1,
        tag: settings.tag,
        ..Attributes::new(owner, settings.queue, cp.now())
    }
}

/// Tells a file's owner, unless that is `sender`, and the owner's readers. `from` is the device or queue it comes from,
/// `was` its number there.
pub fn announce(cp: &Cp, sender: &str, file: &SpoolFile, from: &str, was: u16) {
    let Some(owner) = cp.vmdbk(&file.owner) else { return };
    let informed = owner.lock().settings.information;
    if informed && file.owner != sender {
        owner.write(&received(file, from, was), Tone::Normal, cp.now());
    }
    if file.queue == Queue::Reader && !file.hold.any() {
        make_ready(&owner, file.class);
    }
}

/// Device end on the readers of a user that want files of `class`, unless they are reading one just now.
pub fn make_ready(vmdbk: &Vmdbk, class: char) {
    for unit in vmdbk.units() {
        let ready = {
            let unit = lock_unit(&unit);
            let wanted = unit.settings.class == '*' || unit.settings.class == class;
            unit.ready.clone().filter(|_| wanted && unit.input.is_none())
        };
        if let Some(ready) = ready {
            ready.press();
        }
    }
}

/// What the sender is told.
pub fn line(sender: &str, file: &SpoolFile, from: &str, was: u16) -> String {
    if file.owner == sender { received(file, from, was) } else { sent(file, from, was) }
}

/// `RDR FILE 0012 SENT FROM MAINT    PUN WAS 0034 RECS 0010 CPY  001 A NOHOLD NOKEEP`
fn received(file: &SpoolFile, from: &str, was: u16) -> String {
    format!(
        "{} FILE {:04} SENT FROM {:<8} {from} WAS {was:04} {}",
        file.queue.name(),
        file.spid,
        file.originator,
        particulars(file)
    )
}

/// `PRT FILE 0034 SENT TO   U2       RDR AS  0012 RECS 0010 CPY  001 A NOHOLD NOKEEP`
fn sent(file: &SpoolFile, from: &str, was: u16) -> String {
    format!(
        "{from} FILE {was:04} SENT TO   {:<8} {} AS  {:04} {}",
        file.owner,
        file.queue.name(),
        file.spid,
        particulars(file)
    )
}

fn particulars(file: &SpoolFile) -> String {
    let records = match file.records {
        n @ 0..=9999 => format!("{n:04}"),
        n @ 10_000..=999_999 => format!("{:03}K", n / 1000),
        n => format!("{:03}M", (n / 1_000_000).min(999)),
    };
    let hold = if file.hold.any() { "  HOLD" } else { "NOHOLD" };
    let keep = if file.keep { "  KEEP" } else { "NOKEEP" };
    format!("RECS {records} CPY  {:03} {} {hold} {keep}", file.copies, file.class)
}
