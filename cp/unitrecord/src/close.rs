//! CLOSE: how what was written becomes a user's file, and the lines that tell users of it.

use crate::options::Options;
use crate::unit::{SharedUnit, Unit, lock_unit, queue_of};
use base::Tod;
use spool::{Attributes, Error, OutputFile, Shared, SpoolFile, lock};

/// What was written is a file now.
pub struct Closed {
    /// The spool file.
    pub file: SpoolFile,
    /// The number that it had while it was open.
    pub was: u16,
    /// Why its receiver did not get the file: the receiver can have no more files. It has stayed with its writer, on
    /// the queue of the device's own kind.
    pub refused: Option<Error>,
}

/// Closes a punch, printer or console with CLOSE's operands; without an open file nothing happens, nor with CONT. The
/// file is as of `now`.
pub fn output(unit: &SharedUnit, options: &Options, spool: &Shared, now: Tod) -> Result<Option<Closed>, Error> {
    let (file, attributes, own) = {
        let mut unit = lock_unit(unit);
        if unit.settings.cont && !options.purge {
            return Ok(None);
        }
        let attributes = attributes(&unit, options, now);
        let own = Attributes { owner: unit.userid.clone(), queue: queue_of(unit.kind), ..attributes.clone() };
        (unit.output.take(), attributes, own)
    };
    let Some(mut file) = file else { return Ok(None) };
    lock_unit(unit).origin = None;
    if options.purge {
        lock(spool).as_mut().expect("an output file comes from a spool").discard_output(file);
        return Ok(None);
    }
    // The data goes to the disk before the spool is locked, so that no other user waits for it.
    if let Err(error) = file.finish() {
        put_back(unit, file);
        return Err(error);
    }
    let was = file.spid();
    let mut refusal = None;
    let closed = {
        let mut spool = lock(spool);
        let spool = spool.as_mut().expect("an output file comes from a spool");
        match spool.close_output(file, &attributes) {
            Err(refused) if matches!(refused.error, Error::NoSpid(_)) => {
                refusal = Some(refused.error);
                spool.close_output(refused.output, &own)
            }
            closed => closed,
        }
    };
    match closed {
        Ok(file) => Ok(file.map(|file| Closed { file, was, refused: refusal })),
        Err(not_closed) => {
            put_back(unit, not_closed.output);
            Err(not_closed.error)
        }
    }
}

/// A file that could not be closed is open again, unless another has been begun meanwhile.
fn put_back(unit: &SharedUnit, file: OutputFile) {
    lock_unit(unit).output.get_or_insert(file);
}

/// What a file that is closed now is to be.
fn attributes(unit: &Unit, options: &Options, now: Tod) -> Attributes {
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
        origin: unit.origin.clone(),
        ..Attributes::new(owner, settings.queue, now)
    }
}

/// Device end on the readers of a user that want files of `class`, unless they are reading one just now.
pub fn make_ready(units: &[SharedUnit], class: char) {
    for unit in units {
        let ready = {
            let unit = lock_unit(unit);
            let wanted = unit.settings.class == '*' || unit.settings.class == class;
            unit.ready.clone().filter(|_| wanted && unit.input.is_none())
        };
        if let Some(ready) = ready {
            ready.press();
        }
    }
}

/// What the sender is told. `from` is the device or queue the file comes from, `was` its number there.
pub fn line(sender: &str, file: &SpoolFile, from: &str, was: u16) -> String {
    if file.owner == sender { received(file, from, was) } else { sent(file, from, was) }
}

/// What the owner is told:
/// `RDR FILE 0012 SENT FROM MAINT    PUN WAS 0034 RECS 0010 CPY  001 A NOHOLD NOKEEP`
pub fn received(file: &SpoolFile, from: &str, was: u16) -> String {
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
