//! SET: a table of its own, one row for each thing that can be set.

use super::{Issuer, Response, find};
use crate::system::Cp;
use message::Message;
use message::words::Words;

#[path = "set/balloon.rs"]
pub mod balloon;
#[path = "set/control_unit.rs"]
pub mod control_unit;
#[path = "set/flags.rs"]
pub mod flags;
#[path = "set/function_keys.rs"]
pub mod function_keys;
#[path = "set/jit.rs"]
pub mod jit;
#[path = "set/journal.rs"]
pub mod journal;
#[path = "set/minidisk_cache.rs"]
pub mod minidisk_cache;
#[path = "set/network.rs"]
pub mod network;
#[path = "set/per.rs"]
pub mod per;
#[path = "set/scheduling.rs"]
pub mod scheduling;
#[path = "set/users.rs"]
pub mod users;

commands! {
    /// What SET can set.
    SETTINGS "set/":
    flags {
        "MSG" G messages; "WNG" G warnings; "EMSG" G errors; "IMSG" G information; "SMSG" G special_messages;
        "ACNT" G accounting; "RUN" G run; "LINEDit" G line_edit;
        "370Accom" G other; "370E" G other; "LANGuage" G other; "AFFINITY" G other; "ASSist" G other; "AUTOPoll" G other; "CCWTRAN" G ccw_translation;
        "CONCEAL" G other; "CPCONIO" G other; "ECmode" G other; "IOASSIST" G io_assist; "ISAM" G other;
        "MIH" G other; "NOPDATA" G other; "NOTRans" G other; "PAGEX" G pseudo_page_faults; "STBYPASS" G other;
        "SVCACCL" G other; "SVC76" G other; "TIMEr" G other; "VMCONIO" G other; "VMSAVE" G other;
    }
    balloon { "BALLoon" G balloon; }
    control_unit { "CACHE" B cache; "NVS" B non_volatile_storage; "DASDFW" B fast_write; "VDISK" B virtual_disks; "TIMING" B timing; }
    function_keys { "PF" G pf; }
    jit { "JIT" A jit; }
    journal { "JOURnal" A journal; }
    minidisk_cache { "MDCache" G minidisk_cache; }
    network { "LAN" BG lan; "VSWITCH" B vswitch; "NIC" G nic; "VMLAN" B vm_lan; }
    per { "PER" G per; }
    scheduling { "SHARE" A share; "QUICKDSP" A quick_dispatch; "RESERVED" A reserved; "SRM" A srm; }
    users {
        "PRIVclass" ANY privilege; "SECUSER" ACG secondary_user; "OBServer" ACG observer; "MACHine" G machine;
        "LOGMSG" B log_message;
    }
}

/// `SET function value`
///
/// Changes a setting of your virtual machine. HELP SET lists the functions, HELP SET function explains one, QUERY SET
/// and QUERY TERMINAL show the values.
pub fn set(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let function = words.need()?;
    if let Some(number) = function_keys::number(function) {
        return function_keys::set(issuer, number, words);
    }
    let classes = issuer.vmdbk.lock().classes;
    let row = find(SETTINGS, function.0, classes).ok_or_else(|| function.invalid())?;
    // A row for several functions needs to know which of them was named.
    let named = format!("{} {}", row.name.to_ascii_uppercase(), words.verbatim());
    match row.function {
        "other" => (row.run)(cp, issuer, Words::new(&named)),
        _ => (row.run)(cp, issuer, words),
    }
}
