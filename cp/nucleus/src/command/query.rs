//! QUERY: a table of its own, one row for each thing that can be asked.

use super::{Issuer, Response, find};
use crate::system::Cp;
use message::Message;
use message::words::Words;

#[path = "query/allocation.rs"]
pub mod allocation;
#[path = "query/control_unit.rs"]
pub mod control_unit;
#[path = "query/dasd.rs"]
pub mod dasd;
#[path = "query/expanded.rs"]
pub mod expanded;
#[path = "query/jit.rs"]
pub mod jit;
#[path = "query/journal.rs"]
pub mod journal;
#[path = "query/minidisk_cache.rs"]
pub mod minidisk_cache;
#[path = "query/monitor.rs"]
pub mod monitor;
#[path = "query/network.rs"]
pub mod network;
#[path = "query/real.rs"]
pub mod real;
#[path = "query/saved.rs"]
pub mod saved;
#[path = "query/scheduling.rs"]
pub mod scheduling;
#[path = "query/settings.rs"]
pub mod settings;
#[path = "query/spool_files.rs"]
pub mod spool_files;
#[path = "query/system.rs"]
pub mod system;
#[path = "query/tapes.rs"]
pub mod tapes;
#[path = "query/unit_record.rs"]
mod unit_record;
#[path = "query/users.rs"]
pub mod users;
#[path = "query/virtual_machine.rs"]
pub mod virtual_machine;

pub use users::files_line;

commands! {
    /// What QUERY can show.
    QUERIES "query/":
    allocation { "ALLOC" DE alloc; "CPOWNed" ABCDE cp_owned; }
    control_unit {
        "CACHE" B cache; "NVS" B non_volatile_storage; "DASDFW" B fast_write; "TIMING" B timing; "VDISK" BG virtual_disks; "IOASSIST" G io_assist;
        "CCWTRAN" G ccw_translation;
    }
    dasd { "DASD" B dasd; "LInks" G links; "MDisk" G minidisk; }
    expanded { "XSTORe" B expanded_storage; "FRAMES" ABE frames; }
    jit { "JIT" ACE jit; }
    journal { "JOURnal" AC journal; }
    minidisk_cache { "MDCache" G minidisk_cache; }
    monitor { "MONitor" AE monitor; }
    network { "LAN" BG lan; "VSWITCH" BG vswitch; "NIC" G nic; "VMLAN" BG vm_lan; }
    real {
        "PATHs" BE device_paths; "CHPIDS" BE channel_paths; "CHPID" BE channel_paths; "TIMEZONEs" ANY time_zones;
        "CPLOAD" ABCE cp_load;
    }
    saved { "NSS" E nss; }
    scheduling { "SHARE" G share; "QUICKDSP" G quick_dispatch; "RESERVED" ACEG reserved; "SRM" ACEG srm; }
    settings { "SET" G settings; "TERMinal" G terminal; "PF" G function_keys; "PRIVclass" ANY privilege; }
    system {
        "TIme" ANY time; "CPLevel" ANY cp_level; "USERID" ANY user_id; "COMMands" ANY commands; "LOGMSG" ANY log_message;
        "RECording" ABCEF recording;
    }
    tapes { "TAPes" B tapes; }
    virtual_machine {
        "Virtual" G virtual_machine; "CONSole" G console; "STORage" G storage; "CPUs" G cpus; "CPUID" G cpu_id;
        "SECUSER" G secondary_user; "OBServer" ABCG observer; "PROCessors" ANY processors; "TRace" G trace; "PER" G per;
    }
    spool_files {
        "Reader" DG reader; "RDR" DG rdr; "PRinter" DG printer; "PRT" DG prt; "PUnch" DG punch; "PCH" DG pch; "TAg" G tag;
    }
    users { "Names" ANY names; "Users" ANY users; "FIles" G files; }
}

/// `Query operand ...`
///
/// Shows things. HELP QUERY lists the operands, HELP QUERY operand explains one. QUERY userid shows where a user is
/// logged on; QUERY vdev a device of yours, or with class B that real disk or tape drive.
pub fn query(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let operand = words.need()?;
    let classes = issuer.vmdbk.lock().classes;
    if let Some(row) = find(QUERIES, operand.0, classes) {
        return (row.run)(cp, issuer, words);
    }
    if let Some(number) = super::set::function_keys::number(operand) {
        return settings::function_key(issuer, number);
    }
    let kinds = ["DASD", "TAPes", "GRAF", "CTCa", "XSTORe", "UR"];
    if kinds.iter().any(|kind| operand.is(kind)) {
        let rest = format!("{} {}", operand.0, words.rest());
        return virtual_machine::virtual_machine(cp, issuer, Words::new(&rest));
    }
    if let Some(answer) = virtual_machine::by_number(cp, issuer, operand) {
        return answer;
    }
    if let Some(device) = operand.device().filter(|_| issuer.has("B")) {
        let line = format!("{device:04X}");
        let disk = dasd::dasd(cp, issuer, Words::new(&line)).ok();
        if let Some(answer) = disk.or_else(|| tapes::tapes(cp, issuer, Words::new(&line)).ok()) {
            return words.end().map(|()| answer);
        }
    }
    let userid = operand.userid().map_err(|_| operand.invalid())?;
    words.end()?;
    if let (Some(device), None) = (operand.device(), cp.user(&userid)) {
        return Err(message::device_absent(format!("{device:04X}")).from("CQV"));
    }
    match cp.vmdbk(&userid) {
        Some(vmdbk) => Ok(users::entry(&vmdbk).into()),
        None if cp.user(&userid).is_some() => Err(message::not_logged_on(userid).from("CQU")),
        None => Err(message::invalid_option(userid).from("CQV")),
    }
}
