//! The settings that are ON or OFF, or nearly so.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;
use virtualmachine::vmdbk::{Emsg, Receive, Settings};

fn change(issuer: &Issuer, mut words: Words<'_>, field: fn(&mut Settings) -> &mut bool) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    words.end()?;
    *field(&mut issuer.vmdbk.lock().settings) = on;
    Ok(Response::none())
}

fn receive(
    issuer: &Issuer,
    mut words: Words<'_>,
    field: fn(&mut Settings) -> &mut Receive,
) -> Result<Response, Message> {
    let value = words.need()?;
    let receive = match () {
        () if value.is("IUCV") => Receive::Iucv,
        () if value.on_or_off()? => Receive::On,
        () => Receive::Off,
    };
    words.end()?;
    *field(&mut issuer.vmdbk.lock().settings) = receive;
    Ok(Response::none())
}

/// `SET MSG ON|OFF|IUCV`
///
/// Whether messages of other users (MESSAGE) are shown. With IUCV a program that is connected to *MSG gets them
/// instead; as long as there is none they are shown.
pub fn messages(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    receive(issuer, words, |settings| &mut settings.messages)
}

/// `SET WNG ON|OFF|IUCV`
///
/// Whether warnings of the operators (WARNING) are shown. IUCV is as for SET MSG.
pub fn warnings(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    receive(issuer, words, |settings| &mut settings.warnings)
}

/// `SET IMSG ON|OFF`
///
/// Whether informational responses of commands are shown.
pub fn information(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    change(issuer, words, |settings| &mut settings.information)
}

/// `SET SMSG ON|OFF|IUCV`
///
/// Whether special messages (SMSG) are accepted for a program in your virtual machine. With IUCV a program that is
/// connected to *MSG gets them, with ON one that uses VMCF (DIAGNOSE X'68'), whose AUTHORIZE can say SMSG ON, too. If
/// there is none the sender is told.
pub fn special_messages(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    receive(issuer, words, |settings| &mut settings.special_messages)
}

/// `SET ACNT ON|OFF`
///
/// Whether accounting information is shown. It is remembered and shown by QUERY SET, and changes nothing: LOGOFF and
/// QUERY TIME show what you have used. You are told so of ON.
pub fn accounting(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    change(issuer, words, |settings| &mut settings.accounting)?;
    match issuer.vmdbk.lock().settings.accounting {
        true => Ok(message::changes_nothing("ACNT ON").to_string().into()),
        false => Ok(Response::none()),
    }
}

/// `SET RUN ON|OFF`
///
/// Whether your virtual machine goes on running while CP reads a command (CP READ).
pub fn run(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    let response = change(issuer, words, |settings| &mut settings.run);
    cp.settle(&issuer.vmdbk);
    response
}

/// `SET LINEDit ON|OFF`
///
/// Whether CP edits what you type (TERMINAL LINEND, LINEDEL, CHARDEL, ESCAPE). With OFF, PA1 is the only way to CP.
pub fn line_edit(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    words.end()?;
    issuer.vmdbk.console().settings.edit = on;
    Ok(Response::none())
}

/// `SET EMSG ON|OFF|CODE|TEXT`
///
/// How error messages are shown: whole, not at all, the identifier only, or the text only.
pub fn errors(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let value = words.need()?;
    let emsg = match () {
        () if value.is("ON") => Emsg::On,
        () if value.is("OFF") => Emsg::Off,
        () if value.is("CODE") => Emsg::Code,
        () if value.is("TEXT") => Emsg::Text,
        () => return Err(value.invalid()),
    };
    words.end()?;
    issuer.vmdbk.lock().settings.emsg = emsg;
    Ok(Response::none())
}

/// `SET IOASSIST ON|OFF`
///
/// Whether channel programs for your disks take the fast path, on which the commands that operating systems mostly use
/// are performed without the bookkeeping between them. The results are the same either way; a trace or a doubt is a
/// reason for OFF. On a real machine the assist lets preferred virtual machines do I/O without CP. QUERY IOASSIST shows
/// what took the fast path.
pub fn io_assist(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    words.end()?;
    remember(issuer, "IOASSIST", if on { "ON" } else { "OFF" });
    let machine = issuer.vmdbk.machine();
    let mut css = machine.configuration.css();
    for link in cp.disks.links_of(issuer.userid()) {
        css.allow_fast_path(link.vdev(), on);
    }
    Ok(Response::none())
}

/// `SET PAGEX ON|OFF`
///
/// Whether the system in your virtual machine is told of pages that CP has to read from page space, and does something
/// else meanwhile. It is told by program interruptions X'14', while its PSW lets I/O interruptions in: the page's real
/// address is at X'90', and has its first bit on when the page has come. The system must be made for that, as VSE is,
/// and run in System/370 or ESA/390. A reset or IPL sets it OFF. Where CP takes no pages away (no STORAGE in SYSTEM
/// CONFIG), you are told that it changes nothing.
pub fn pseudo_page_faults(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    use directory::Machine as Mode;
    let word = words.need()?;
    let on = word.on_or_off()?;
    words.end()?;
    if on && matches!(issuer.vmdbk.lock().machine, Mode::Xc | Mode::Z) {
        return Err(word.invalid());
    }
    let machine = issuer.vmdbk.machine();
    machine.configuration.shared().floating.set_pseudo_faults(on);
    match on && machine.pages.is_none() {
        true => Ok(message::changes_nothing("PAGEX ON".to_string()).to_string().into()),
        false => Ok(Response::none()),
    }
}

/// `SET CCWTRAN ON`
///
/// Channel programs of virtual machines are always translated, which is what ON says. OFF is for machines that have the
/// real storage as their own (V=R); there are none.
pub fn ccw_translation(_: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    if !word.on_or_off()? {
        return Err(word.invalid());
    }
    words.end()?;
    Ok(Response::none())
}

fn remember(issuer: &Issuer, name: &str, value: &str) {
    let others = &mut issuer.vmdbk.lock().settings.others;
    others.retain(|(other, _)| *other != name);
    others.push((name.into(), value.into()));
}

/// Settings that change nothing: the name, what is usual, and all values.
const OTHERS: &[(&str, &str, &[&str])] = &[
    ("370ACCOM", "OFF", SWITCH),
    ("370E", "OFF", SWITCH),
    ("AFFINITY", "NONE", &["ON", "OFF", "NONE"]),
    ("ASSIST", "OFF", &["ON", "OFF", "SVC", "NOSVC", "TMR", "NOTMR", "STFIRST"]),
    ("AUTOPOLL", "OFF", SWITCH),
    ("CONCEAL", "OFF", SWITCH),
    ("CPCONIO", "OFF", SWITCH),
    ("ECMODE", "ON", SWITCH),
    ("ISAM", "OFF", SWITCH),
    ("LANGUAGE", "AMENG", &["*", "AMENG"]),
    ("MIH", "OFF", SWITCH),
    ("NOPDATA", "OFF", SWITCH),
    ("NOTRANS", "OFF", SWITCH),
    ("STBYPASS", "OFF", &["ON", "OFF", "VR"]),
    ("SVC76", "CP", &["CP", "VM", "BOTH"]),
    ("SVCACCL", "OFF", SWITCH),
    ("TIMER", "ON", &["ON", "OFF", "REAL"]),
    ("VMCONIO", "OFF", SWITCH),
    ("VMSAVE", "OFF", SWITCH),
];
const SWITCH: &[&str] = &["ON", "OFF"];

/// What a setting that changes nothing has been set to, or its usual value.
pub fn other_value(settings: &Settings, name: &str) -> String {
    let set = settings.others.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    let usual = || OTHERS.iter().find(|row| row.0 == name).map_or("", |row| row.1).to_string();
    set.unwrap_or_else(usual)
}

/// `SET 370Accom|370E|AFFINITY|ASSist|AUTOPoll|CONCEAL|CPCONIO|ECmode|ISAM|LANGuage|MIH|NOPDATA|NOTRans|STBYPASS|SVCACCL|SVC76|TIMEr|VMCONIO|VMSAVE
/// value`
///
/// Settings that are remembered and shown by QUERY SET, and change nothing: what they control on a real machine does
/// not exist here, or is always as it should be. You are told so, unless the value is the usual one.
pub fn other(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let name = words.need()?.upper();
    let word = words.need()?;
    let value = word.upper();
    let &(_, usual, values) =
        OTHERS.iter().find(|row| row.0 == name).expect("each row of SET for this is in the table");
    if !values.contains(&value.as_str()) {
        return Err(word.invalid());
    }
    if name == "ASSIST" {
        for word in words {
            if !values.contains(&word.upper().as_str()) {
                return Err(word.invalid());
            }
        }
    } else {
        words.end()?;
    }
    remember(issuer, &name, &value);
    if value == usual || value == "*" {
        return Ok(Response::none());
    }
    Ok(message::changes_nothing(format!("{name} {value}")).to_string().into())
}

#[cfg(test)]
mod tests {
    use super::super::SETTINGS;
    use super::OTHERS;

    #[test]
    fn settings_that_change_nothing_are_in_the_table() {
        let rows: Vec<String> =
            SETTINGS.iter().filter(|row| row.function == "other").map(|row| row.name.to_ascii_uppercase()).collect();
        assert!(rows.iter().all(|name| OTHERS.iter().any(|row| row.0 == name)), "{rows:?}");
        assert!(
            OTHERS.iter().all(|(name, usual, values)| rows.iter().any(|row| row == name) && values.contains(usual))
        );
    }
}
