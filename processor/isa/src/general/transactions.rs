//! Transactions: where they begin and end, and which instructions they may execute (POP, chapter 5, "Restricted
//! instructions").

use crate::decode::decode;
use crate::prelude::*;
use crate::table;
use cpu::cr0;
use cpu::transaction::{Beginning, DEPTH, Diagnosis, abort};

fn enabled(s: &State) -> Result<(), Interruption> {
    if s.cr[0] & cr0::TRANSACTIONS != 0 { Ok(()) } else { Err(Program::SpecialOperation.into()) }
}

/// The address of this instruction, and of the next.
fn places(s: &State, i: &Fields) -> (u64, u64) {
    let next = s.ia.wrapping_add(i.next as u64) & s.address_mask;
    (next.wrapping_sub(i.len as u64) & s.address_mask, next)
}

/// TBEGIN. Bits 0-7 of the immediate: registers saved; 12 access registers may be changed, 13 floating point is
/// allowed, 14-15 filtering. CC 0; after an abort execution goes on after it with another.
pub(crate) fn transaction_begin(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    let controls = i.imm as u16;
    if controls & 3 == 3 {
        return Err(Program::Specification.into());
    }
    let mut block = None;
    if i.b1 != 0 {
        let at = s.address(0, i.b1, i.d1);
        s.aligned(at, 8)?;
        // Inside a transaction the block of the outermost one is used.
        if s.transaction.is_none() {
            s.test_write(at, 256)?;
            block = Some(at);
        }
    }
    begin(
        s,
        i,
        Beginning {
            constrained: false,
            save: (controls >> 8) as u8,
            block,
            resume: places(s, i).1,
            filtering: if s.cr[0] & cr0::NO_FILTERING != 0 { 0 } else { controls as u8 & 3 },
            access_registers: controls & 8 != 0,
            floating_point: controls & 4 != 0,
        },
    )
}

/// TBEGINC: constrained, and after an abort it is executed again. Inside a transaction it is a level of that.
pub(crate) fn transaction_begin_constrained(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    if i.b1 != 0 {
        return Err(Program::Specification.into());
    }
    let controls = i.imm as u16;
    begin(
        s,
        i,
        Beginning {
            constrained: true,
            save: (controls >> 8) as u8,
            block: None,
            resume: places(s, i).0,
            filtering: 0,
            access_registers: controls & 8 != 0,
            floating_point: false,
        },
    )
}

fn begin(s: &mut State, i: &Fields, beginning: Beginning) -> Result<(), Interruption> {
    if s.transaction.as_ref().is_some_and(|t| t.depth == DEPTH) {
        let instruction = places(s, i).0;
        s.abort_transaction(Diagnosis { code: abort::NESTING, cc: 3, instruction, ..Diagnosis::default() });
        return Ok(());
    }
    s.begin_transaction(beginning);
    s.cc = 0;
    Ok(())
}

/// TEND. CC 0, or 2 if there is no transaction.
pub(crate) fn transaction_end(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    s.cc = 2;
    if s.transaction.is_some() {
        s.cc = 0;
        let instruction = places(s, i).0;
        s.end_transaction(instruction);
    }
    Ok(())
}

/// TABORT: the second-operand address is the abort code, 256 or more. CC 2, or 3 if it is odd.
pub(crate) fn transaction_abort(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    let code = s.address(0, i.b2, i.d2).address;
    if s.transaction.is_none() {
        return Err(Program::SpecialOperation.into());
    }
    if code < 256 {
        return Err(Program::Specification.into());
    }
    let instruction = places(s, i).0;
    s.abort_transaction(Diagnosis { code, cc: 2 | code as u8 & 1, instruction, ..Diagnosis::default() });
    Ok(())
}

/// ETND: how many transactions are begun and not ended.
pub(crate) fn extract_nesting_depth(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    enabled(s)?;
    let depth = s.transaction.as_ref().map_or(0, |t| t.depth);
    s.set_gr(W32, i.r1, depth as u64);
    Ok(())
}

/// NTSTG: a doubleword that stays stored when the transaction aborts.
pub(crate) fn nontransactional_store(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = s.address(i.x2, i.b2, i.d2);
    s.aligned(at, 8)?;
    let v = s.gr[i.r1 as usize];
    s.store_u64(at, v)?;
    let page = s.page(at, Access::Store)?;
    s.keep_store(s.absolute_of(page), v);
    Ok(())
}

/// General instructions that no transaction may execute.
const RESTRICTED: &str = "SVC MC PLO CSST CFC CMPSC UPT PR BSM_ MVCL MVCLE MVCLU CLCL CLCLE CLCLU MVST CLST CUSE SRSTU CKSM \
    TRE TRTE TRTRE TROO TROT TRTO TRTT CU12 CU14 CU21 CU24 CU41 CU42 CUTFU CUUTF KM KMC KMF KMO KMCTR KMAC KMA PCC KIMD \
    KLMD PRNO DFLTCC SAM24 SAM31 SAM64 STCK STCKE STCKF STFLE ECAG ECTG ECPGA MVPG TAR TPEI LGSC STGSC EX EXRL";

/// General instructions that change access registers.
const ACCESS_REGISTERS: &str = "CPYA LAE LAEY LAM LAMY SAR";

/// Beyond those, what a constrained transaction may not execute.
const NOT_CONSTRAINED: &str = "TBEGIN TBEGINC TABORT PPA NTSTG TRT TRTR TR MVCIN PFPO ED EDMK LPD LPDG MVCL DR D DL DLR DLG DLGR \
    DSG DSGR DSGF DSGFR SRST";

fn among(list: &str, mnemonic: &str) -> bool {
    list.split_ascii_whitespace().any(|m| m == mnemonic)
}

fn of_chapter(rows: &'static [crate::Instruction], row: &crate::Instruction) -> bool {
    rows.iter().any(|other| other.code == row.code && other.mnemonic == row.mnemonic)
}

/// Whether the transaction may execute the instruction that `text` begins with. What is no instruction is allowed: it
/// ends in an operation exception.
pub(crate) fn allowed_in_transaction(s: &State, text: [u8; 6]) -> bool {
    let (Some(t), Some(row)) = (&s.transaction, decode(text, s.architecture(), &s.shared().facilities)) else {
        return true;
    };
    let name = row.mnemonic;
    if row.run.is_none() {
        return true;
    }
    if of_chapter(table::general::ROWS, row) {
        let forbidden = among(RESTRICTED, name)
            || !t.access_registers && among(ACCESS_REGISTERS, name)
            || t.constrained && among(NOT_CONSTRAINED, name);
        return !forbidden;
    }
    if of_chapter(table::decimal::ROWS, row) {
        return !t.constrained;
    }
    let control = [table::control::ROWS, table::io::ROWS, table::s370::ROWS];
    if control.into_iter().any(|rows| of_chapter(rows, row)) {
        return false;
    }
    // Everything else has floating-point or vector registers.
    t.floating_point && !t.constrained
}
