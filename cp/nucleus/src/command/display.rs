//! DISPLAY: registers, PSW and storage of a virtual CPU.

use super::{Issuer, Response};
use crate::examine::{self, Area, File};
use crate::message::{self, Message};
use crate::system::Cp;
use crate::words::Words;

/// `Display G|GG|GH|X|XG|Y|AR[reg[-reg|.count]] | PSW [ALL] | PREFIX | [T|K|I][V|L|R|N|PRI|SEC|HOM]hexloc[-hexloc|.count] ...`
///
/// Shows what is in registers and storage of your virtual machine, as many operands as you like in one line. G, X, Y and AR
/// are the general, control, floating-point and access registers; GG and XG show all 64 bits of a register, GH the left half of
/// a general one. PSW ALL shows the old and new PSWs of the prefix area too.
///
/// Before a storage address, T shows characters beside the words, K shows storage keys, I shows instructions; V takes the
/// address through the virtual machine's tables, PRI, SEC and HOM through those of the primary, secondary and home space, R is a
/// real address, N one without prefixing. L, and none of these, is what the PSW makes of it. A range ends with an address or
/// END, or is a number of bytes behind a period, in hexadecimal. CPU n DISPLAY shows another virtual CPU.
pub fn display(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let machine = issuer.vmdbk.machine();
    let end = machine.configuration.storage().size() - 1;
    words.peek().ok_or_else(message::operand_missing)?;
    // All operands are looked at before anything is shown, so that the virtual CPU is held up only to be read.
    let mut wanted = Vec::new();
    while let Some(word) = words.next() {
        let upper = word.upper();
        wanted.push(match upper.as_str() {
            "PSW" if words.accept("ALL") => Wanted::AllPsws,
            "PSW" => Wanted::Psw,
            "PREFIX" => Wanted::Prefix,
            _ => match File::parse(&upper) {
                Some((file, rest)) => {
                    let (first, last) = file.range(rest)?;
                    Wanted::Registers(file, first, last)
                }
                None => Wanted::Storage(Area::parse(word, end)?),
            },
        });
    }
    let mut core = machine.configuration.interrupted_cpu(issuer.cpu());
    let state = &mut core.state;
    let mut response = Response::none();
    for wanted in wanted {
        match wanted {
            Wanted::Psw => response.push(examine::psw(state)),
            Wanted::AllPsws => response.lines.extend(examine::all_psws(state)),
            Wanted::Prefix => response.push(format!("PREFIX = {:08X}", state.prefix)),
            Wanted::Registers(file, first, last) => {
                response.lines.extend(examine::registers(state, file, first, last));
            }
            Wanted::Storage(area) => response.lines.extend(examine::storage(state, &area)?),
        }
    }
    Ok(response)
}

enum Wanted {
    Psw,
    AllPsws,
    Prefix,
    Registers(File, usize, usize),
    Storage(Area),
}
