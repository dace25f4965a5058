//! SPOOL.

use super::close::output;
use super::spool_options::{self, Of, units};
use super::{Issuer, Origin, Response};
use crate::system::Cp;
use directory::SpoolKind;
use message::Message;
use message::words::Words;
use spool::After;
use unitrecord::options::Options;
use unitrecord::record::Recorder;
use unitrecord::{SharedUnit, Unit, lock_unit};

/// `SPool CONsole|Reader|PRinter|PUnch|ALL|vdev operand ...`
///
/// Says what becomes of the files of your virtual readers, punches, printers and console. For output: TO userid (then
/// the reader of that user gets it, or the queue named after it), FOR userid, SYStem, CLass c, COpy n, HOld, KEEP, CONt
/// (several files become one; NOCONt), NAme fn ft, FORM f, DISt d, DEST d. For a reader: CLass c or * (which files it
/// reads), CONt, EOF, HOld or KEEP (files stay when they have been read), RESCAN. For the console: STArt and STOP
/// recording, TERM or NOTERM. CLOSE and PURge close what is open. The opposites are NOHold, NOKEEP, NOEOF, NORESCAN.
pub fn spool(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let (units, all) = units(issuer, &mut words)?;
    words.peek().ok_or_else(message::operand_missing)?;
    let vmdbk = &issuer.vmdbk;
    let options = spool_options::parse(cp, issuer.userid(), &vmdbk.user.distribution, Of::Spool, words)?;
    let mut response = Response::none();
    for unit in &units {
        let (kind, console, fits) = {
            let unit = lock_unit(unit);
            (unit.kind, unit.console, fits(&options, &unit))
        };
        match fits {
            Err(_) if all => continue,
            Err(word) => return Err(message::invalid_operand(word)),
            Ok(()) => (),
        }
        if options.purge && kind != SpoolKind::Reader {
            let purge = Options { purge: true, ..Options::default() };
            output(cp, unit, &purge)?;
        }
        {
            let settings = &mut lock_unit(unit).settings;
            options.apply(settings);
            options.address(kind, settings);
        }
        if console {
            if options.start == Some(true) {
                super::spool_files::with(cp, |_| Ok(()))?;
            }
            record(cp, issuer, unit, &options);
        }
        if kind == SpoolKind::Reader {
            if options.close || options.purge {
                lock_unit(unit).close_input(&cp.spool, options.purge.then_some(After::Purge));
            }
        } else if options.close {
            response.add(output(cp, unit, &Options::default())?);
        }
    }
    if issuer.origin == Origin::Console && response.code == 0 && !vmdbk.lock().settings.information {
        response.lines.clear();
    }
    Ok(response)
}

/// START, STOP, TERM and NOTERM.
fn record(cp: &Cp, issuer: &Issuer, unit: &SharedUnit, options: &Options) {
    let mut console = issuer.vmdbk.console();
    match options.start {
        Some(true) if console.record.is_none() => {
            console.record = Some(Box::new(Recorder::new(unit.clone(), cp.spool.clone())));
        }
        Some(false) => console.record = None,
        _ => (),
    }
    console.silent = !options.show.unwrap_or(!console.silent);
}

/// Whether the operands are for a device of this kind; the first one that is not.
fn fits(options: &Options, unit: &Unit) -> Result<(), String> {
    let wrong = match unit.kind {
        // START, STOP, TERM and NOTERM count among the operands for output only, too.
        SpoolKind::Reader => &options.output_only,
        _ if !unit.console && options.console_only.is_some() => &options.console_only,
        _ => &options.reader_only,
    };
    match wrong {
        Some(word) => Err(word.clone()),
        None if options.class == Some('*') && unit.kind != SpoolKind::Reader => Err("*".into()),
        None => Ok(()),
    }
}
