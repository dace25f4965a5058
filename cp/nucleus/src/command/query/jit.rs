//! QUERY JIT: the translator.

use super::super::{Issuer, Response};
use crate::message::Message;
use crate::system::Cp;
use crate::words::Words;

/// `Query JIT`
///
/// Shows whether instructions that guests execute often are translated to host code, and what that came to since CP was started: blocks
/// and instructions translated, those of them that still call the interpreter, bytes of host code and the time it took to
/// make them; instructions executed as host code, how often that was entered, and how often because a block or the target of
/// a branch was not known yet; how often a code cache was full and emptied.
pub fn jit(_: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let on = engine::engine() != engine::Engine::Interpreter;
    let s = engine::statistics();
    Ok(vec![
        format!("JIT {}", if on { "ON" } else { "OFF" }),
        format!("BLOCKS={} INSTRUCTIONS={} CALLS={} BYTES={}", s.blocks, s.instructions, s.calls, s.bytes),
        format!("EXECUTED={} ENTRIES={} LINKS={} LOOKUPS={}", s.executed, s.entries, s.links, s.lookups),
        format!("EMPTIED={} TIME={} MS", s.emptied, s.time / 1_000_000),
    ]
    .into())
}
