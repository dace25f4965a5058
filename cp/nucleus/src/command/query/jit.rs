//! QUERY JIT: the translator.

use super::super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::Words;

/// `Query JIT`
///
/// Shows whether instructions that guests execute often are translated to host code, and what that came to since CP was
/// started. BLOCKS and INSTRUCTIONS have been translated; CALLS of these instructions still call the interpreter; so
/// many BYTES of host code were made, and it took so much TIME. Blocks ADOPTED had been translated for another virtual
/// CPU, from the same text of a saved system or segment, or in an earlier run: RESTORED of them came from the folder
/// for code, where blocks SAVED were put (`endicott --code-cache`). Instructions EXECUTED as host code are that SHARE
/// of all. Host code was ENTERED so often and left for a block of the same page that was not linked yet (LINKS), for
/// the target of a branch that was not known (LOOKUPS), to see what was pending (LOOKS) or with an interruption
/// (FAULTS); targets FOUND took it nowhere. It was not left for instructions that the interpreter did since the case
/// was not the usual one (SITES), or always does (CALLED). Translated blocks INVALIDATED were given up because the
/// guest stored into them. Each virtual CPU has room for 16 MiB of code. Where it was full of code that was good, it
/// was doubled (GROWN), as long as all that is so granted is a sixteenth of the host's storage at most; where not, the
/// code was given up (EMPTIED) and what is executed often translated again. If the host has no translator, it says why.
///
/// Each number stands after its name and an equals sign, for programs that watch: there are no monitor records of it.
/// `endicott linux --json` tells the same numbers of its guest when that ends, as `jit_blocks` and so on.
pub fn jit(_: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let on = engine::engine() != engine::Engine::Interpreter;
    let s = engine::statistics();
    let share = if s.total == 0 { 0 } else { (u128::from(s.executed) * 1000 / u128::from(s.total)) as u64 };
    let mut lines = vec![
        format!("JIT {}", if on { "ON" } else { "OFF" }),
        format!("BLOCKS={} INSTRUCTIONS={} CALLS={} BYTES={}", s.blocks, s.instructions, s.calls, s.bytes),
        format!("EXECUTED={} SHARE={}.{}% OF {}", s.executed, share / 10, share % 10, s.total),
        format!("ENTERED={} LINKS={} LOOKUPS={} LOOKS={} FAULTS={}", s.entries, s.links, s.lookups, s.looks, s.faults),
        format!("FOUND={} SITES={} CALLED={}", s.found, s.sites, s.called),
        format!("ADOPTED={} INVALIDATED={} GROWN={} EMPTIED={}", s.adopted, s.invalidated, s.grown, s.emptied),
        format!("RESTORED={} SAVED={}", s.restored, s.saved),
        format!("TIME={} MS", s.time / 1_000_000),
    ];
    lines.extend(engine::unavailable().map(|why| format!("NOT ON THIS HOST: {why}")));
    Ok(lines.into())
}
