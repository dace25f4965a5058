//! SET JIT: the translator.

use super::super::{Issuer, Response};
use crate::system::Cp;
use engine::Engine;
use message::Message;
use message::words::Words;

/// `SET JIT ON|OFF`
///
/// Has the instructions that guests execute often translated to host code (ON), or everything interpreted (OFF), from
/// each virtual CPU's next time slice on. What has been translated stays for another ON. Guests see no difference but
/// their speed.
pub fn jit(_: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let on = words.need()?.on_or_off()?;
    words.end()?;
    engine::choose(if on { Engine::Jit } else { Engine::Interpreter });
    Ok(Response::default())
}
