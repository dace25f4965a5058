//! Which engine executes instructions, whether the host has a translator, and what all translators have done.

use base::Held;
use isa::{Form, Instruction};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};
use translator::{Make, Statistics, Translator, Wishes};

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

/// With no more patience than this, no ways are known when a block is translated.
pub(crate) const HASTE: u8 = 2;

/// 0: not chosen yet.
static ENGINE: AtomicU8 = AtomicU8::new(0);
/// Whether everything is translated when it is executed for the first time, for tests.
static EAGER: AtomicBool = AtomicBool::new(false);

/// Whether everything is translated when it is executed for the first time.
pub(crate) fn is_eager() -> bool {
    EAGER.load(Ordering::Relaxed)
}

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
pub fn statistics() -> Statistics {
    *TOTAL.lock().held()
}

static TOTAL: Mutex<Statistics> = Mutex::new(Statistics::NONE);

/// A translator has done this since it was asked last.
pub(crate) fn count(news: &Statistics) {
    TOTAL.lock().held().add(news);
}

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

/// What makes translators, once the program has handed it in.
static MAKE: OnceLock<Make> = OnceLock::new();

/// What makes the translators of all CPUs. The program that builds a system hands it in before anything is executed; a
/// second call changes nothing. It is one for the process, as [`choose`]'s engine is.
pub fn provide(make: Make) {
    let _ = MAKE.set(make);
}

/// A translator, if the host can have one; if not, that is said once.
pub(crate) fn new_translator(wishes: Wishes) -> Option<Box<dyn Translator>> {
    let make = MAKE.get().expect("engine::provide is called before anything is executed, or the interpreter chosen");
    match make(wishes) {
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

/// Whether the instruction cannot be executed twice, as a comparison of the engines does.
pub(crate) fn only_once(row: &Instruction) -> bool {
    row.shape.form == Form::Once
}
