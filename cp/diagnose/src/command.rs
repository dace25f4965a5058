//! DIAGNOSE X'08': CP commands from a program; X'5C': how a program's messages are to look.

use crate::Call;
use virtualmachine::issuer::{Issuer, Origin};
use virtualmachine::vmdbk::Emsg;
use base::ebcdic;
use consoles::display::Tone;
use cpu::Interruption;

/// Flag: a password on the command line of LINK is rejected.
const NO_PASSWORD: u64 = 0x80;
/// Flag: the response goes to a buffer.
const TO_BUFFER: u64 = 0x40;
/// The longest command text, in bytes.
const LONGEST: u64 = 240;

/// `DIAGNOSE X'08'`: performs CP commands.
///
/// Rx: the real address of the text, commands separated by X'15'. Ry: flags in the left byte of the word, the length of
/// the text, at most 240, in the rest. With flag X'40', Rx+1 is the address of a buffer for the response and Ry+1 its
/// length. With X'80' a password that stands on the command line of LINK is rejected. Ry gets CP's return code: 0, or a
/// message's number. Condition code 0: Ry+1 is the length of the response; 1: so many bytes did not fit. Length 0: CP
/// reads from the console.
pub fn cp_command(call: &Call<'_>) -> Result<(), Interruption> {
    let (rx, ry) = (call.r1, call.r3);
    let operands = call.gr(ry) as u32;
    let (flags, length) = (u64::from(operands >> 24), u64::from(operands & 0xff_ffff));
    call.specification(length <= LONGEST)?;
    let buffered = flags & TO_BUFFER != 0;
    let origin = if flags & NO_PASSWORD != 0 { Origin::DiagnoseMasked } else { Origin::Diagnose };
    if buffered {
        // The two pairs must be four different registers.
        call.specification(rx != 15 && ry != 15 && rx != ry && rx + 1 != ry && ry + 1 != rx)?;
    }
    let mut text = vec![0; length as usize];
    call.read(call.address(rx), &mut text)?;
    let buffer = (call.address(rx + 1), call.gr(ry.wrapping_add(1)) as u32 as usize);
    if length == 0 {
        call.cp.set_cp_read(call.vmdbk, true);
        call.set_gr(ry, 0);
        return Ok(());
    }
    let mut code = 0;
    let mut lines = Vec::new();
    for line in ebcdic::to_string(&text).split('\u{85}') {
        let line = line.trim_matches(['\0', ' ', '\n']);
        let issuer = Issuer { vmdbk: call.vmdbk.clone(), origin, cpu: Some(call.cpu) };
        match call.cp.execute(&issuer, line) {
            Ok(response) => {
                code = response.code;
                lines.extend(response.lines);
            }
            Err(message) => {
                code = message.number;
                match buffered {
                    true => lines.push(message.to_string()),
                    false => call.vmdbk.write_message(&message, call.cp.now()),
                }
            }
        }
        if !call.is_current() || call.vmdbk.is_leaving() {
            return Ok(());
        }
    }
    if !buffered {
        let now = call.cp.now();
        lines.iter().for_each(|line| call.vmdbk.write(line, Tone::Normal, now));
        call.set_gr(ry, code.into());
        return Ok(());
    }
    let mut response = Vec::new();
    for line in &lines {
        response.extend(ebcdic::from_str(line));
        response.push(ebcdic::NEW_LINE);
    }
    let fits = response.len().min(buffer.1);
    call.write(buffer.0, &response[..fits])?;
    call.set_gr(ry, code.into());
    if fits == response.len() {
        call.set_gr(ry + 1, fits as u64);
        call.set_cc(0);
    } else {
        call.set_gr(ry + 1, (response.len() - fits) as u64);
        call.set_cc(1);
    }
    Ok(())
}

/// `DIAGNOSE X'5C'`: edits an error message.
///
/// Rx is the address of a message that begins with an identifier of ten characters and a blank, Ry its length. They are
/// made what SET EMSG wants to be typed: the address and the length of all of it (ON), of the identifier (CODE), or of
/// the text (TEXT), or length 0 (OFF).
pub fn edit_message(call: &Call<'_>) -> Result<(), Interruption> {
    const IDENTIFIER: u64 = 10;
    let (address, length) = (call.address(call.r1).0, call.gr(call.r3) & 0xffff_ffff);
    let emsg = call.vmdbk.lock().settings.emsg;
    let (skipped, shown) = match emsg {
        Emsg::On => (0, length),
        Emsg::Code => (0, length.min(IDENTIFIER)),
        Emsg::Text => (length.min(IDENTIFIER + 1), length.saturating_sub(IDENTIFIER + 1)),
        Emsg::Off => (0, 0),
    };
    call.set_gr(call.r1, address + skipped);
    call.set_gr(call.r3, shown);
    Ok(())
}
