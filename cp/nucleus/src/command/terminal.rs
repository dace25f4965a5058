//! TERMINAL: the editing characters and the manners of the console.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};

/// `TERMinal function value [function value]...`
///
/// Sets how your console behaves: LINENd, LINEDel, CHardel and EScape take a character, ON or OFF; MORE takes the
/// seconds until the alarm sounds and those from then until the page turns; HOLD and AUTOCR take ON or OFF; CONMODE
/// takes 3215 or 3270, BREAKIN IMMED or GUESTCTL, BRKkey PA1, PFnn or NONE, LINESize a number. With CONMODE 3270 the
/// console is a display that the virtual machine's program draws itself: BRKKEY takes you to CP and BEGIN back, and
/// with BREAKIN IMMED what CP has to say comes at once, until CLEAR. QUERY TERMINAL shows them.
///
/// TABchar (a character, ON or OFF), MODE (CP or VM), ATtn, APL, TExt, HIlight, SCRNsave, TIMESTamp, SYS3270 and
/// PROMpt (ON or OFF) are kept and shown, and change nothing. You are told so, unless the value is the usual one.
pub fn terminal(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let mut console = issuer.vmdbk.console();
    let mut settings = console.settings.clone();
    let mut told = Vec::new();
    words.peek().ok_or_else(message::operand_missing)?;
    while let Some(function) = words.next() {
        let value = words.need()?;
        let nothing = CHANGE_NOTHING.iter().find(|(name, _)| function.is(name));
        if let Some((name, _)) = nothing.filter(|(_, usual)| !value.is(usual)) {
            told.push(message::changes_nothing(format!("{} {}", name.to_uppercase(), value.upper())).to_string());
        }
        match () {
            () if function.is("LINENd") => settings.editing.line_end = character(value, '#')?,
            () if function.is("LINEDel") => settings.editing.line_delete = character(value, '¢')?,
            () if function.is("CHardel") => settings.editing.character_delete = character(value, '@')?,
            () if function.is("EScape") => settings.editing.escape = character(value, '"')?,
            () if function.is("TABchar") => settings.tab = character(value, consoles::TAB)?,
            () if function.is("MORE") => {
                let second = words.need()?;
                let seconds = |word: Word<'_>| word.decimal().filter(|&n| n <= 255).ok_or_else(|| word.invalid());
                settings.more = (seconds(value)?, seconds(second)?);
            }
            () if function.is("LINESize") => {
                let size = value.decimal().filter(|n| (1..=255).contains(n)).ok_or_else(|| value.invalid())?;
                settings.line_size = size as u16;
            }
            () if function.is("MODE") => settings.mode_cp = one_of(value, "CP", "VM")?,
            () if function.is("CONMODE") => settings.full_screen = one_of(value, "3270", "3215")?,
            () if function.is("BREAKIN") => settings.guest_controls = one_of(value, "GUESTctl", "IMMed")?,
            () if function.is("BRKkey") => settings.break_key = break_key(value)?,
            () => *switch(&mut settings, function)? = value.on_or_off()?,
        }
    }
    let size = console.terminal.as_ref().and_then(|terminal| terminal.size()).unwrap_or_default();
    console.glass.set_mode(settings.full_screen, size.into(), console.cp_read);
    if let Some(terminal) = &console.terminal {
        terminal.touch();
        terminal.set_paging(settings.more, settings.hold);
    }
    console.settings = settings;
    Ok(if told.is_empty() { Response::none() } else { told.into() })
}

/// Functions that nothing depends on, and what is usual.
pub const CHANGE_NOTHING: &[(&str, &str)] = &[
    ("TABchar", "ON"),
    ("MODE", "VM"),
    ("ATtn", "OFF"),
    ("APL", "OFF"),
    ("TExt", "OFF"),
    ("HIlight", "OFF"),
    ("SCRNsave", "OFF"),
    ("TIMESTamp", "OFF"),
    ("SYS3270", "OFF"),
    ("PROMpt", "ON"),
];

fn switch<'a>(settings: &'a mut consoles::Settings, function: Word<'_>) -> Result<&'a mut bool, Message> {
    Ok(match () {
        () if function.is("HOLD") => &mut settings.hold,
        () if function.is("ATtn") => &mut settings.attention,
        () if function.is("APL") => &mut settings.apl,
        () if function.is("TExt") => &mut settings.text,
        () if function.is("HIlight") => &mut settings.highlight,
        () if function.is("SCRNsave") => &mut settings.screen_save,
        () if function.is("AUTOCR") => &mut settings.auto_return,
        () if function.is("TIMESTamp") => &mut settings.timestamp,
        () if function.is("SYS3270") => &mut settings.sys3270,
        () if function.is("PROMpt") => &mut settings.prompt,
        () => return Err(function.invalid()),
    })
}

/// A character by itself or as its two hexadecimal EBCDIC digits, ON for the usual one, or OFF.
fn character(value: Word<'_>, usual: char) -> Result<Option<char>, Message> {
    let mut characters = value.0.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Ok(Some(c)),
        _ if value.is("ON") => Ok(Some(usual)),
        _ if value.is("OFF") => Ok(None),
        _ => match (value.0.len(), value.hexadecimal()) {
            (2, Some(byte)) => Ok(Some(base::ebcdic::TO_LATIN1[byte as usize] as char)),
            _ => Err(value.invalid()),
        },
    }
}

fn one_of(value: Word<'_>, yes: &str, no: &str) -> Result<bool, Message> {
    match () {
        () if value.is(yes) => Ok(true),
        () if value.is(no) => Ok(false),
        () => Err(value.invalid()),
    }
}

fn break_key(value: Word<'_>) -> Result<String, Message> {
    let key = value.upper();
    let pf = key.strip_prefix("PF").and_then(|n| n.parse::<u8>().ok()).is_some_and(|n| (1..=24).contains(&n));
    if pf || key == "PA1" || key == "NONE" { Ok(key) } else { Err(value.invalid()) }
}
