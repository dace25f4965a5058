//! STORE: changes registers, the PSW and storage of a virtual CPU.

use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use virtualmachine::examine::{self, Area, File, View};

/// `STore [V|L|R|N|PRI|SEC|HOM]hexloc word ... | S[V|L|...]hexloc bytes | G|GG|GH|X|XG|Y|ARreg value ... | PSW words |
/// PREFIX value | STATUS`
///
/// Changes storage or registers of your virtual machine. At an address, each word is up to eight hexadecimal digits and
/// is stored right-justified in a full word; with S before the address, bytes are stored from that byte on, two digits
/// each. Values for registers go to that register and those that follow. PSW takes one word (the address), two, or in
/// z/Architecture four. The letters are those of DISPLAY. STATUS stores the registers in the save areas, as the
/// operator's key does.
pub fn store(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let target = words.need()?;
    let upper = target.upper();
    let values: Vec<Word<'_>> = words.collect();
    let machine = issuer.vmdbk.machine();
    let mut core = machine.configuration.interrupted_cpu(issuer.cpu());
    let state = &mut core.state;
    if upper == "STATUS" {
        if let Some(extra) = values.first() {
            return Err(message::extra_option(extra.upper()));
        }
        state.store_status();
        return Ok(COMPLETE.into());
    }
    if values.is_empty() {
        return Err(message::operand_missing());
    }
    if upper == "PSW" {
        let values = numbers(&values, 8)?;
        let values: Vec<u32> = values.into_iter().map(|value| value as u32).collect();
        if !examine::set_psw(state, &values) {
            return Err(message::operand_missing());
        }
    } else if upper == "PREFIX" {
        let value = numbers(&values[..1], 8)?[0];
        let valid = value & (state.architecture().prefix_area() - 1) == 0;
        if !valid || state.set_prefix(value).is_err() {
            return Err(message::not_addressable(format!("{value:08X}")));
        }
    } else if let Some((file, rest)) = File::parse(&upper) {
        let first = match rest {
            "" => return Err(message::invalid_register(upper)),
            rest => file.range(rest)?.0,
        };
        let values = numbers(&values, file.digits())?;
        if first + values.len() > 16 {
            return Err(message::invalid_register(upper));
        }
        values.iter().enumerate().for_each(|(n, &value)| file.set(state, first + n, value));
    } else {
        let end = state.storage().size() - 1;
        let bytewise = upper.starts_with('S') && !upper.starts_with("SEC");
        // Without its letter the operand is not what was typed.
        let whole = |_| message::invalid_operand(&upper);
        let area = match bytewise {
            true => Area::parse(Word(&upper[1..]), end).map_err(whole)?,
            false => Area::parse(target, end)?,
        };
        if area.view != View::Words || area.last.is_some() {
            return Err(message::invalid_operand(upper));
        }
        let bytes = if bytewise {
            bytes(&values)?
        } else {
            numbers(&values, 8)?.iter().flat_map(|&value| (value as u32).to_be_bytes()).collect()
        };
        let first = if bytewise { area.first } else { area.first & !3 };
        examine::write(state, area.meaning, first, &bytes)?;
    }
    Ok(COMPLETE.into())
}

const COMPLETE: &str = "STORE COMPLETE.";

fn numbers(words: &[Word<'_>], digits: usize) -> Result<Vec<u64>, Message> {
    words
        .iter()
        .map(|word| word.hexadecimal().filter(|_| word.0.len() <= digits).ok_or_else(|| word.invalid()))
        .collect()
}

fn bytes(words: &[Word<'_>]) -> Result<Vec<u8>, Message> {
    let mut bytes = Vec::new();
    for word in words {
        let digits: Vec<u32> =
            word.0.chars().map(|c| c.to_digit(16).ok_or_else(|| word.invalid())).collect::<Result<_, _>>()?;
        if digits.len() % 2 != 0 {
            return Err(word.invalid());
        }
        bytes.extend(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8));
    }
    Ok(bytes)
}
