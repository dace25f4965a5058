//! DIAGNOSE X'4C': accounting records for a program that serves others.

use crate::Call;
use arch::accounting::{UserRecord, code};
use arch::{PAGE, Real};
use base::ebcdic;
use cpu::Interruption;
use directory::Opt;
use monitor::account::Charge;

/// The user ID, the account number and the distribution code of a parameter list, eight characters each.
const LIST: u64 = 8;

/// `DIAGNOSE X'4C'`: writes accounting records.
///
/// Ry is the function. X'00', X'04', X'08', X'0C': what the virtual machine has used so far goes into a record, and
/// what it uses from here on is charged to another user, whose records are C1, C2 and C3. Rx: the address, on a
/// doubleword, of the user ID and, with X'04', the account number, with X'08' the distribution code, with X'0C' both,
/// in eight characters each. Rx zero: the user itself again. X'10': a record of type C0 has the program's data. Rx:
/// their address, Ry+1 their length, 1 to 70, in one page. Condition code 0; 1: there is no OPTION ACCT; 2: there is no
/// such user; 3: there is no such function.
pub fn accounting_record(call: &Call<'_>) -> Result<(), Interruption> {
    if !call.vmdbk.user.options.has(Opt::Acct) {
        call.set_cc(1);
        return Ok(());
    }
    let (function, at) = (call.gr(call.r3) as u32, call.address(call.r1));
    let cc = match function {
        0x00 | 0x04 | 0x08 | 0x0c => charge(call, function, at)?,
        0x10 => own_record(call, at)?,
        _ => 3,
    };
    call.set_cc(cc);
    Ok(())
}

fn own_record(call: &Call<'_>, at: Real) -> Result<u8, Interruption> {
    call.specification(call.r3 != 15)?;
    let length = call.gr(call.r3 + 1) as u32 as usize;
    call.specification((1..=UserRecord::MOST).contains(&length))?;
    call.specification(at.0 % PAGE + length as u64 <= PAGE)?;
    let mut record = UserRecord { userid: ebcdic::padded(&call.vmdbk.userid), data: [0; 70], code: code::USER };
    call.read(at, &mut record.data[..length])?;
    call.cp.own_record(&record);
    Ok(0)
}

fn charge(call: &Call<'_>, function: u32, at: Real) -> Result<u8, Interruption> {
    if at.0 == 0 {
        call.cp.charge(call.vmdbk, None);
        return Ok(0);
    }
    call.specification(at.0.is_multiple_of(LIST))?;
    let mut places = (0..).map(|n| Real(at.0 + n * LIST));
    let mut word = || {
        let mut bytes = [0; LIST as usize];
        call.read(places.next().unwrap_or(at), &mut bytes)?;
        Ok::<_, Interruption>(ebcdic::to_string(&bytes).trim_end_matches([' ', '\0']).to_string())
    };
    let userid = word()?;
    let account = if function & 0x04 != 0 { Some(word()?) } else { None };
    let distribution = if function & 0x08 != 0 { Some(word()?) } else { None };
    let Some(user) = call.cp.user(&userid) else { return Ok(2) };
    let account = account.unwrap_or_else(|| user.account.clone());
    call.cp.charge(call.vmdbk, Some(Charge { userid, account, distribution }));
    Ok(0)
}
