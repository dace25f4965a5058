//! DIAGNOSE X'26C': network information.

use super::Call;
use arch::Program;
use cpu::Interruption;

/// `DIAGNOSE X'26C'`: MAC addresses and network cards.
///
/// There are no network cards: a specification exception, by which a program knows.
pub fn network_information(_: &Call<'_>) -> Result<(), Interruption> {
    Err(Program::Specification.into())
}
