//! QUERY SET, TERMINAL, PF, PRIVCLASS: what is set for this virtual machine.

use super::super::set::flags::other_value;
use super::super::{Issuer, Response};
use crate::system::Cp;
use consoles::PfKey;
use message::Message;
use message::words::Words;
use virtualmachine::vmdbk::{Emsg, Receive};

fn on(value: bool) -> &'static str {
    if value { "ON " } else { "OFF" }
}

/// An architecture as SET MACHINE calls it.
pub fn machine_name(machine: directory::Machine) -> &'static str {
    use directory::Machine as Mode;
    match machine {
        Mode::S370 => "370",
        Mode::Xa => "XA",
        Mode::Esa => "ESA",
        Mode::Xc => "XC",
        Mode::Z => "Z",
    }
}

fn receive(value: Receive) -> &'static str {
    match value {
        Receive::Off => "OFF",
        Receive::On => "ON ",
        Receive::Iucv => "IUCV",
    }
}

/// `Query SET`
///
/// Shows the values of SET.
pub fn settings(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let edit = issuer.vmdbk.console().settings.edit;
    let pagex = issuer.vmdbk.machine().configuration.shared().floating.pseudo_faults();
    let state = issuer.vmdbk.lock();
    let s = &state.settings;
    let other = |name: &str| other_value(s, name);
    let emsg = match s.emsg {
        Emsg::On => "ON ",
        Emsg::Off => "OFF",
        Emsg::Code => "CODE",
        Emsg::Text => "TEXT",
    };
    Ok(vec![
        format!(
            "MSG {}, WNG {}, EMSG {emsg}, ACNT {}, RUN {}",
            receive(s.messages),
            receive(s.warnings),
            on(s.accounting),
            on(s.run).trim_end()
        ),
        format!(
            "LINEDIT {}, TIMER {:<3}, ISAM {:<3}, ECMODE {}",
            on(edit),
            other("TIMER"),
            other("ISAM"),
            other("ECMODE")
        ),
        format!("ASSIST {:<15}, PAGEX {}, AUTOPOLL {}", other("ASSIST"), on(pagex), other("AUTOPOLL")),
        format!(
            "IMSG {}, SMSG {}, AFFINITY {}, NOTRAN {}",
            on(s.information),
            receive(s.special_messages),
            other("AFFINITY"),
            other("NOTRANS")
        ),
        format!("VMSAVE {}, 370E {}", other("VMSAVE"), other("370E")),
        format!("STBYPASS {}, STMULTI OFF 00/000", other("STBYPASS")),
        format!(
            "MIH {}, VMCONIO {}, CPCONIO {}, SVCACCL {}, CONCEAL {}",
            other("MIH"),
            other("VMCONIO"),
            other("CPCONIO"),
            other("SVCACCL"),
            other("CONCEAL")
        ),
        format!(
            "MACHINE {}, SVC76 {}, NOPDATA {}, IOASSIST {}",
            machine_name(state.machine),
            other("SVC76"),
            other("NOPDATA"),
            if s.assists() { "ON" } else { "OFF" }
        ),
        format!("CCWTRAN ON, 370ACCOM {}", other("370ACCOM")),
    ]
    .into())
}

/// `Query TERMinal`
///
/// Shows the values of TERMINAL.
pub fn terminal(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let console = issuer.vmdbk.console();
    let s = &console.settings;
    let character = |c: Option<char>| c.map_or("OFF".to_string(), |c| format!("{c}   "));
    let tab = match s.tab {
        None => "OFF".to_string(),
        Some(consoles::TAB) => "ON".to_string(),
        Some(c) => c.to_string(),
    };
    Ok(vec![
        format!(
            "LINEND {}, LINEDEL {}, CHARDEL {}, ESCAPE {}, TABCHAR {}",
            character(s.editing.line_end),
            character(s.editing.line_delete),
            character(s.editing.character_delete),
            character(s.editing.escape),
            tab
        ),
        format!(
            "LINESIZE {:03}, ATTN {}, APL {}, TEXT {}, MODE {}, HILIGHT {}",
            s.line_size,
            on(s.attention),
            on(s.apl),
            on(s.text),
            if s.mode_cp { "CP" } else { "VM" },
            on(s.highlight).trim_end()
        ),
        format!(
            "CONMODE {}, BREAKIN {}, BRKKEY {:<4}, SCRNSAVE {}",
            if s.full_screen { "3270" } else { "3215" },
            if s.guest_controls { "GUESTCTL" } else { "IMMED " },
            s.break_key,
            on(s.screen_save).trim_end()
        ),
        format!(
            "AUTOCR {}, MORE {:03} {:03}, HOLD {}, TIMESTAMP {}, SYS3270 {}",
            on(s.auto_return),
            s.more.0,
            s.more.1,
            on(s.hold),
            on(s.timestamp),
            on(s.sys3270).trim_end()
        ),
    ]
    .into())
}

/// `Query PF[nn]`
///
/// Shows what the PF keys do.
pub fn function_keys(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let console = issuer.vmdbk.console();
    let lines: Vec<String> = console.pf.iter().enumerate().map(|(n, key)| line(n + 1, key)).collect();
    Ok(lines.into())
}

/// QUERY PFnn.
pub fn function_key(issuer: &Issuer, number: usize) -> Result<Response, Message> {
    Ok(line(number, &issuer.vmdbk.console().pf[number - 1]).into())
}

fn line(number: usize, key: &PfKey) -> String {
    match key {
        PfKey::Undefined => format!("PF{number:02} UNDEFINED"),
        PfKey::Retrieve { forward: false } => format!("PF{number:02} RETRIEVE BACKWARD"),
        PfKey::Retrieve { forward: true } => format!("PF{number:02} RETRIEVE FORWARD"),
        PfKey::Delayed(text) => format!("PF{number:02} DELAYED   {text}"),
        PfKey::Immediate(text) => format!("PF{number:02} IMMEDIATE {text}"),
    }
}

/// `Query PRIVclass`
///
/// Shows your privilege classes.
pub fn privilege(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let now = issuer.vmdbk.lock().classes;
    Ok(vec![
        format!("Privilege classes for user {}", issuer.userid()),
        format!("        Currently: {now}"),
        format!("        Directory: {}", virtualmachine::class::Classes::from(issuer.vmdbk.user.classes)),
    ]
    .into())
}
