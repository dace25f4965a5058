//! Running a virtual CPU: SIE's contract, "run until something is not yours".
//!
//! [`run`] executes blocks: instructions decoded once. A block goes up to the first instruction that ends one, or to
//! the end of the page. A branch ends one, as does a change of what the PSW or control registers mean. Where a branch
//! on a condition is not taken, its block goes on. Blocks are found by absolute address, so address spaces share them.
//! Each remembers its frame's code version, so a store into code makes it stale.
//!
//! Blocks that are executed often are translated to host code ([`jit`]), which does what this loop does between blocks
//! and comes back when something else is wanted.
//!
//! Between two blocks the engine looks at one word of attention bits. Nothing else is polled: the clock is read when
//! the budget of instructions that the caller gave is used up.

mod arms;
mod cache;
mod compare;
mod extent;
mod index;
mod interruptions;
mod step;
mod trace;
mod transaction;

pub use cache::BlockCache;
pub use jit::allow as allow_code;

use arch::{Absolute, PAGE, PAGE_MASK, Program};
use base::Held;
use cpu::{Intercepted, Interruption, State};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};
use storage::{Code, Storage};

/// Why `run` came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The budget of instructions is used up: time to look at the clock.
    Budget,
    /// `attention::LEAVE` is on: CP, say, wants the CPU.
    Leave,
    /// Orders of other CPUs wait (`Signals::take_orders`).
    Order,
    /// An I/O interruption is pending and the CPU is enabled for it: fetch it from the channel subsystem.
    Io,
    /// `attention::IUCV`, and the CPU is enabled for it: CP has a message, and knows what the interruption stores.
    Message,
    /// An instruction that belongs to the configuration or to CP. The PSW has the address after it; `ilc` is its length
    /// in bytes.
    Instruction { what: Intercepted, ilc: u8 },
    /// The guest is interpreted, and the host has an external interruption for it that it is enabled for.
    Request,
    /// The guest is interpreted, and its host has no frame for what an instruction needs, which is to be executed
    /// again.
    Host,
    /// The guest is interpreted, and this program interruption is its host's; `ilc` is the instruction length in bytes.
    Program { why: Interruption, ilc: u8 },
    /// The PSW has the wait bit on and nothing is pending that it is enabled for.
    Wait,
    /// With `local::STEP` on, one instruction has been executed or one interruption taken (`State::interrupted`).
    Step,
    /// The program new PSW is itself invalid: program interruptions without end.
    ProgramLoop,
}

/// The page that instructions come from, as translated last.
struct FetchPage<'a> {
    page: u64,
    frame: u64,
    code: &'a Code,
}

/// What executes instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The interpreter, for everything.
    Interpreter,
    /// The interpreter for what is executed seldom, host code for the rest.
    Jit,
    /// Both, each against the other: slow, and a panic where they differ. One CPU of a configuration at a time.
    Compare,
}

/// 0: not chosen yet.
static ENGINE: AtomicU8 = AtomicU8::new(0);
/// Whether everything is translated when it is executed for the first time, for tests.
static EAGER: AtomicBool = AtomicBool::new(false);

/// Chooses the engine of all CPUs, from the next slice of each on. Until this is called, the environment's
/// `ENDICOTT_ENGINE` decides: `interpreter`, `jit`, `compare`, or `eager`, a translator that waits for nothing.
pub fn choose(engine: Engine) {
    ENGINE.store(engine as u8 + 1, Ordering::Relaxed);
}

/// The engine that has been chosen.
pub fn engine() -> Engine {
    match ENGINE.load(Ordering::Relaxed) {
        0 => {
            choose(match std::env::var("ENDICOTT_ENGINE").as_deref() {
                Ok("interpreter") => Engine::Interpreter,
                Ok("compare") => Engine::Compare,
                Ok("eager") => {
                    EAGER.store(true, Ordering::Relaxed);
                    Engine::Jit
                }
                _ => Engine::Jit,
            });
            engine()
        }
        1 => Engine::Interpreter,
        2 => Engine::Jit,
        _ => Engine::Compare,
    }
}

/// What the translators of all CPUs have done, ended ones included.
pub fn statistics() -> jit::Statistics {
    *TOTAL.lock().held()
}

static TOTAL: Mutex<jit::Statistics> = Mutex::new(jit::Statistics::NONE);

/// Why there is no translator, once one has been wanted in vain.
static UNAVAILABLE: OnceLock<String> = OnceLock::new();

/// Why code is not translated although it was to be: the host cannot, or does not let us.
pub fn unavailable() -> Option<&'static str> {
    UNAVAILABLE.get().map(String::as_str)
}

/// What the operator is to know. Each is said on standard error, too, and once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The interpreter runs everything, since the host allows no translator.
    NoTranslator(&'static str),
}

static NOTICES: Mutex<Vec<Notice>> = Mutex::new(Vec::new());

/// The notices since this was called last.
pub fn take_notices() -> Vec<Notice> {
    std::mem::take(&mut NOTICES.lock().held())
}

fn notice(what: Notice) {
    NOTICES.lock().held().push(what);
}

/// A translator, if the host can have one; if not, that is said once.
fn new_translator() -> Option<jit::Translator> {
    match jit::Translator::new() {
        Ok(translator) => Some(translator),
        Err(why) => {
            let said = UNAVAILABLE.set(why.to_string()).is_err();
            if let (false, Some(why)) = (said, unavailable()) {
                notice(Notice::NoTranslator(why));
                eprintln!("endicott: no translation to host code, the interpreter runs everything: {why}");
            }
            None
        }
    }
}

/// How translated code was left, until the block it wanted has been found.
enum Left {
    Nowhere,
    /// By a link to the block at this address.
    Link(jit::Link, u64),
    Lookup,
}

/// Runs until something is not the CPU's own. The budget is `s.budget` instructions, kept between calls.
pub fn run(s: &mut State, cache: &mut BlockCache) -> Exit {
    let before = s.instructions;
    let storage = cache.storage(s);
    let exit = execute(s, cache, &storage);
    cache.keep_storage(storage);
    // All CPUs add their statistics in one place: not each time that a budget is used up.
    let executed = s.instructions.wrapping_sub(before);
    let often = exit == Exit::Budget && executed > 4096;
    if let Some(news) = cache.take_statistics(executed, often) {
        TOTAL.lock().held().add(&news);
    }
    exit
}

fn execute(s: &mut State, cache: &mut BlockCache, storage: &Storage) -> Exit {
    s.fetch_stale = true;
    let mut last = cache::NONE;
    let mut fetch = FetchPage { page: 1, frame: 0, code: storage.code(Absolute(0)) };
    let (engine, patience) = cache.engine();
    let comparing = engine == Engine::Compare;
    // A guest that is interpreted shares its storage with its host: nothing of it could be done twice.
    let patience = if comparing && s.interpretation.is_some() { 0 } else { patience };
    // The last that happened was a stretch of both engines.
    let mut compared = false;
    let mut left = Left::Nowhere;
    loop {
        let follows = std::mem::take(&mut compared);
        if s.budget <= 0 && s.transaction.is_none() {
            return Exit::Budget;
        }
        // Translated code would stop again and again for what is pending and not taken: I/O of a subclass that is not
        // let in, say.
        let mut pressed = false;
        if (s.attention() & s.open) | s.local != 0 {
            match interruptions::look(s) {
                interruptions::Next::Go => pressed = s.attention() & s.open != 0,
                interruptions::Next::Again => {
                    s.budget -= 1;
                    if s.local & cpu::local::STEP != 0 && s.interrupted != 0 {
                        return Exit::Step;
                    }
                    continue;
                }
                interruptions::Next::Exit(exit) => return exit,
                interruptions::Next::Transaction => {
                    if let Some(exit) = transaction::step(s) {
                        return exit;
                    }
                    // CP is not shown a transaction's instructions one by one: all of it is one step.
                    if s.local & cpu::local::STEP != 0 && s.transaction.is_none() {
                        return Exit::Step;
                    }
                    continue;
                }
                interruptions::Next::Step => {
                    if let Some(exit) = step::step(s) {
                        return exit;
                    }
                    continue;
                }
            }
        }
        let ia = s.ia;
        if ia & PAGE_MASK != fetch.page || s.fetch_stale {
            if s.blocks_stale {
                cache.clear();
                s.blocks_stale = false;
                left = Left::Nowhere;
            }
            match fetch_address(s, ia) {
                Ok(absolute) => {
                    let frame = absolute.0 & PAGE_MASK;
                    fetch = FetchPage { page: ia & PAGE_MASK, frame, code: storage.code(absolute) };
                }
                Err(why) => match unfetched(s, why, ia) {
                    None => continue,
                    Some(exit) => return exit,
                },
            }
            s.fetch_stale = false;
        }
        if ia & 1 != 0 {
            match unfetched(s, Program::Specification.into(), ia) {
                None => continue,
                Some(exit) => return exit,
            }
        }
        let absolute = Absolute(fetch.frame | ia & (PAGE - 1));
        last = match cache.find(last, absolute, fetch.code.version()) {
            Some(block) => block,
            None => match cache.decode(s, absolute) {
                // Another CPU wanted translations purged while this one decoded.
                Some(_) if s.fetch_stale => continue,
                Some(block) => block,
                None => {
                    // The instruction crosses a page: by itself, with both pages translated now.
                    match step::crossing(s) {
                        None => continue,
                        Some(exit) => return exit,
                    }
                }
            },
        };
        if patience != 0
            && !pressed
            && let Some((code, inner)) = cache.code(s, last, patience, comparing)
        {
            let count = cache.block(last).translated as i64;
            let translator = cache.translator();
            match std::mem::replace(&mut left, Left::Nowhere) {
                Left::Link(link, wanted) if wanted == ia => {
                    translator.connect(link, absolute, fetch.code.version(), inner);
                }
                Left::Link(..) => {}
                Left::Lookup => translator.remember(s, code),
                Left::Nowhere => {}
            }
            // The rest of the budget may not do for a whole block.
            if s.budget >= count {
                let exit = if comparing {
                    compared = true;
                    compare::enter(s, cache, code, count, follows)
                } else {
                    cache.enter(s, code)
                };
                match exit {
                    jit::Exit::Link(link) => left = Left::Link(link, s.ia),
                    jit::Exit::Lookup => left = Left::Lookup,
                    jit::Exit::Look => {}
                    jit::Exit::Fault { next, len } => {
                        let why = s.failed.take().expect("a fault has a reason");
                        let ia = s.ia;
                        compared = false;
                        if let Some(exit) = fault(s, why, ia, next, len) {
                            return exit;
                        }
                    }
                }
                last = cache::NONE;
                continue;
            }
        }
        left = Left::Nowhere;
        let Some(block) = cache.recall(s, last) else { continue };
        last = block;
        let block = cache.block(last);
        let behind = ia.wrapping_add(block.bytes as u64) & s.address_mask;
        s.next_ia = behind;
        let ops = cache.ops(block);
        s.block_stale = false;
        let (first, rest) = ops.split_first().expect("a block has an instruction");
        (first.run)(s, &first.fields, rest);
        let n = ops.len() - s.left;
        s.instructions += n as u64;
        s.budget -= n as i64;
        match s.failed {
            None if s.left == 0 || !s.block_stale => {
                s.ia = s.next_ia;
                cache.left(last, n, s.ia != behind, s.ia.wrapping_sub(ia));
            }
            // The instruction stored into code, perhaps into what follows: that is decoded anew.
            None => s.ia = ia.wrapping_add(ops[n - 1].fields.next as u64) & s.address_mask,
            Some(why) => {
                s.failed = None;
                let fields = &ops[n - 1].fields;
                if let Some(exit) = fault(s, why, ia, fields.next, fields.len) {
                    return exit;
                }
            }
        }
    }
}

/// Translates an instruction address; the low half of what it may reach is enough. That it is odd comes first.
#[inline]
fn fetch_address(s: &mut State, ia: u64) -> Result<Absolute, Interruption> {
    if ia & 1 != 0 {
        return Err(Program::Specification.into());
    }
    s.instruction_address(ia & s.address_mask)
}

/// An instruction of `ilc` bytes, which ends `next` bytes after `base`, was left with `why`. `None`: go on.
fn fault(s: &mut State, why: Interruption, base: u64, next: i32, ilc: u8) -> Option<Exit> {
    let behind = base.wrapping_add(next as u64) & s.address_mask;
    match why {
        Interruption::Intercept => {
            s.ia = behind;
            let what = s.intercepted.take().expect("an interception says what it is");
            return Some(Exit::Instruction { what, ilc });
        }
        Interruption::EarlySpecification => return program(s, why, 0),
        _ if why.nullifies() => s.ia = behind.wrapping_sub(ilc as u64) & s.address_mask,
        _ => s.ia = behind,
    }
    if why == Interruption::Host {
        return Some(Exit::Host);
    }
    program(s, why, ilc)
}

/// The instruction at `ia` could not be fetched, so its length is not known. The instruction-length code is 1, and
/// where the operation is not nullified the address goes on by as much (POP, chapter 6, "ILC on instruction-fetching
/// exceptions").
fn unfetched(s: &mut State, why: Interruption, ia: u64) -> Option<Exit> {
    fault(s, why, ia, 2, 2)
}

/// Takes a program interruption; a new PSW that is invalid interrupts again at once, and if that one's is too, for
/// ever.
fn program(s: &mut State, why: Interruption, ilc: u8) -> Option<Exit> {
    // A new PSW with an address from which nothing can be fetched interrupts without end, too. It uses up the budget,
    // so the caller may end it.
    s.budget -= 1;
    if s.interpretation.as_ref().is_some_and(|host| host.wants_program_interruptions(s.per_pending.is_some())) {
        return Some(Exit::Program { why, ilc });
    }
    match s.program_interruption(why, ilc) {
        Ok(()) => None,
        Err(_) => match s.program_interruption(Interruption::EarlySpecification, 0) {
            Ok(()) => None,
            Err(_) => Some(Exit::ProgramLoop),
        },
    }
}

/// What an intercepted instruction ended in when the configuration or CP performed it. Call it with the `ilc` of
/// [`Exit::Instruction`]. `false`: program interruptions without end.
pub fn complete(s: &mut State, result: Result<(), Interruption>, ilc: u8) -> bool {
    match result {
        // A PER event of the instruction has waited for its completion.
        Ok(()) => s.per_interruption(ilc).is_ok(),
        Err(why) => {
            if why.nullifies() {
                s.ia = s.ia.wrapping_sub(ilc as u64) & s.address_mask;
            }
            program(s, why, ilc).is_none()
        }
    }
}
