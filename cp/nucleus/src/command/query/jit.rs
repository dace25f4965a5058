//! QUERY JIT: the translator.

use super::super::{Issuer, Response};
use crate::message::Message;
use crate::system::Cp;
use crate::words::Words;

/// `Query JIT`
///
/// Shows whether instructions that guests execute often are translated to host code, and what that came to since CP was started: blocks
/// and instructions translated, those of them that still call the interpreter, bytes of host code and the time it took to
/// make them; instructions executed as host code, the share of all instructions that these are, how often that was entered, and how
/// often because a block or the target of a branch was not known yet; how many translated blocks were given up because the guest
/// stored into them, and how often a code cache was full and emptied. If the host has no translator, it says why.
pub fn jit(_: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let on = engine::engine() != engine::Engine::Interpreter;
    let s = engine::statistics();
    let share = if s.total == 0 { 0 } else { (u128::from(s.executed) * 1000 / u128::from(s.total)) as u64 };
    let mut lines = vec![
        format!("JIT {}", if on { "ON" } else { "OFF" }),
        format!("BLOCKS={} INSTRUCTIONS={} CALLS={} BYTES={}", s.blocks, s.instructions, s.calls, s.bytes),
        format!("EXECUTED={} SHARE={}.{}% OF {}", s.executed, share / 10, share % 10, s.total),
        format!("ENTRIES={} LINKS={} LOOKUPS={}", s.entries, s.links, s.lookups),
        format!("INVALIDATED={} EMPTIED={} TIME={} MS", s.invalidated, s.emptied, s.time / 1_000_000),
    ];
    lines.extend(engine::unavailable().map(|why| format!("NOT ON THIS HOST: {why}")));
    Ok(lines.into())
}
