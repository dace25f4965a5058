//! A transaction, one instruction at a time.

use crate::abort::{fail, interrupt};
use crate::exit::Exit;
use crate::step::{fetch, prepare, watched};
use cpu::transaction::{Diagnosis, abort};
use cpu::{State, attention};

/// Instructions after which a transaction is given up.
const LIMIT: u32 = 4096;
/// What a constrained transaction may execute.
const CONSTRAINED_LIMIT: u32 = 32;

/// Executes one instruction of a transaction, or aborts it. `None`: go on.
pub(crate) fn step(s: &mut State) -> Option<Exit> {
    let ia = s.ia;
    let t = s.transaction.as_ref().expect("the engine has looked");
    let (constrained, executed) = (t.constrained, t.instructions);
    let pending = s.attention() & s.open;
    let given_up = match pending {
        0 if s.budget <= 0 => Some((abort::EXTERNAL, 2)),
        0 if executed >= LIMIT => Some((abort::MISCELLANEOUS, 2)),
        0 if s.transaction_overflows() => Some((abort::STORE_OVERFLOW, 3)),
        0 if s.storage().is_disturbed() => Some((abort::FETCH_CONFLICT, 2)),
        0 => None,
        _ if pending & attention::MACHINE_CHECK != 0 => Some((abort::MACHINE_CHECK, 2)),
        _ if pending & attention::IO != 0 => Some((abort::IO, 2)),
        _ => Some((abort::EXTERNAL, 2)),
    };
    if let Some((code, cc)) = given_up {
        s.abort_transaction(Diagnosis { code, cc, instruction: ia, ..Diagnosis::default() });
        return None;
    }
    let text = match fetch(s) {
        Ok(text) => text,
        Err(why) => return fail(s, why, ia, 2),
    };
    let allowed = isa::allowed_in_transaction(s, text);
    if constrained && (!allowed || executed >= CONSTRAINED_LIMIT) {
        return fail(s, arch::Program::TransactionConstraint.into(), ia, isa::length(text[0]));
    }
    if !allowed {
        let restricted = Diagnosis { code: abort::RESTRICTED, cc: 3, instruction: ia, ..Diagnosis::default() };
        s.abort_transaction(restricted);
        return None;
    }
    if let Some(t) = &mut s.transaction {
        t.instructions += 1;
    }
    let op = prepare(s, text);
    s.per_pending = None;
    let result = if s.local & cpu::local::PER != 0 {
        watched(s, text, &op)
    } else {
        isa::perform(op.run, s, &op.fields).map(|()| s.ia = s.next_ia)
    };
    match result {
        Ok(()) if s.per_pending.is_some() => interrupt(s, ia, op.fields.len),
        Ok(()) => None,
        Err(why) => fail(s, why, ia, op.fields.len),
    }
}
