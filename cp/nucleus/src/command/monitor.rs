//! MONITOR: records for programs that are connected to *MONITOR.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use monitor::operands;

/// `MONitor STARt [PARTition n] [BLOCK n] | STOP | SAMPle operands | EVENT operands`
///
/// Records what CP counts, for programs that are connected to *MONITOR. START and STOP mean samples and events; after
/// SAMPLE or EVENT they mean these alone. SAMPLE takes, besides:
///
///   [ENable|DISAble] ALL | domain
///   INTERval n [MIN|SEC]       how often samples are taken, 1 second to 60 minutes
///   RATE n[.nn] [MIN|SEC]      how often virtual CPUs are looked at, .05 seconds to 5 minutes
///   RATE STOP                  they are not
///   CONFIG [SIZE n] [LIMIT n [MIN|SEC]]
///   STARt | STOP
///
/// EVENT takes ENABLE, DISABLE, CONFIG, START [PARTITION n] [BLOCK n] and STOP. Several but ENABLE and DISABLE may
/// stand in one command. A domain is one of
///
///   PROCessor   STORage                              of samples
///   SCHEDuler ALL | USERID userid ...                of events
///   USER ALL | USERID userid ...                     of both
///   APPLdata ALL | USERID userid ...                 of both
///   I/O ALL | DEVice rdev[-rdev] ... | TYPE type ... | CLASS DASD | VOLume volid ...
///                                                    of both
///
/// SYSTEM and MONITOR are always enabled. CONFIG SIZE is the number of pages for configuration records, LIMIT how long
/// a program may take to reply to them before its path is severed. PARTITION is the number of pages for events, in
/// blocks of BLOCK pages; all the rest is for samples. Until a program is connected, recording is pending. QUERY
/// MONITOR shows all of it.
pub fn monitor(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let line = format!("MONITOR {}", words.rest().to_ascii_uppercase());
    let orders = operands::orders(&mut words)?;
    let information = issuer.vmdbk.lock().settings.information;
    let said = cp.command_monitor(&orders, &line)?;
    let said = said.iter().filter(|message| information || message.severity != 'I');
    Ok(said.map(ToString::to_string).collect::<Vec<_>>().into())
}
