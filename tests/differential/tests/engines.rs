//! The translator does what the interpreter does.

use arch::{Absolute, Psw, mask};
use base::Held;
use codefiles::Store;
use cpu::{Architecture, attention};
use differential::programs::{self, Duel};
use differential::{campaign, engines};
use engine::{BlockCache, Exit};
use std::sync::{Arc, Mutex};
use vectors::machine::Machine;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// `ENGINES=N` in the environment: so many sequences instead of a few; `SEED=N` other ones; `GROUP=MVPG,LEDBR` of these
/// instructions alone.
#[test]
fn the_engines_agree() {
    let group = std::env::var("GROUP").ok();
    let rows = campaign::rows_of_engines(group.as_deref());
    assert!(!rows.is_empty(), "there is no instruction in {group:?}");
    let (seed, count) = (number("SEED").unwrap_or(1), number("ENGINES").unwrap_or(20_000));
    let found = engines::compare(&rows, group.is_some(), seed, count as usize);
    assert!(found.is_empty(), "interpreter / translator:\n{}", found.join("\n"));
}

/// `PROGRAMS=N`: so many instructions in whole programs, instead of a few hundred thousand.
#[test]
fn the_engines_agree_on_programs() {
    let mut rows = campaign::rows(Some("general"), "");
    rows.extend(campaign::rows(Some("bfp"), ""));
    let mut duel = Duel::default();
    let found = programs::compare(&mut duel, &rows, number("SEED").unwrap_or(1), number("PROGRAMS").unwrap_or(300_000));
    assert!(found.is_empty(), "interpreter / translator:\n{}", found.join("\n"));
    println!("{} instructions, {:?}", duel.executed, duel.happened);
    let often = |what| duel.happened.get(what).is_some_and(|&times| times > 20);
    for what in
        ["translation exception", "protection exception", "I/O interruption", "store into the text from outside"]
    {
        assert!(often(what), "{what}: {:?}", duel.happened);
    }
}

/// The same where the text's pages are attached: each program is executed twice, and then by code that another CPU
/// might have made, a good part of it after stores into its text.
#[test]
fn code_that_others_have_made_agrees_with_the_interpreter() {
    let rows = campaign::rows(Some("general"), "");
    let before = engine::statistics();
    let mut duel = Duel::default().attached();
    let count = number("PROGRAMS").unwrap_or(300_000);
    let found = programs::compare(&mut duel, &rows, number("SEED").unwrap_or(5), count);
    assert!(found.is_empty(), "interpreter / translator:\n{}", found.join("\n"));
    let now = engine::statistics();
    let (adopted, made) = (now.adopted - before.adopted, now.blocks - before.blocks);
    println!("{} instructions, {adopted} blocks adopted, {made} made", duel.executed);
    assert!(adopted > 1000, "{adopted} blocks adopted, {made} made");
}

/// The same by code from files, which are closed and opened again now and then: what is executed the second time, or
/// by the next machines, was made by others.
#[test]
fn code_from_files_agrees_with_the_interpreter() {
    static FILES: Mutex<Option<Arc<Store>>> = Mutex::new(None);
    let folder = std::env::temp_dir().join(format!("endicott-code-{}", std::process::id()));
    let open = || Store::open(&folder, &[7; 32], "a test", 1 << 26).expect("the host has a folder for a test");
    *FILES.lock().held() = Some(Arc::new(open()));
    let mut rows = campaign::rows(Some("general"), "");
    rows.extend(campaign::rows(Some("bfp"), ""));
    let before = engine::statistics();
    let (count, seed) = (number("PROGRAMS").unwrap_or(300_000), number("SEED").unwrap_or(9));
    let mut executed = 0;
    for (part, again) in [(0, seed), (1, seed + 1), (2, seed), (3, seed + 1)] {
        let mut duel = Duel::of(|random| {
            let store = FILES.lock().held().clone().expect("they are open");
            let cache = BlockCache::with_patience(random.pick(&[1, 3, 12]));
            [BlockCache::with_patience(0), cache.with_files(store)]
        })
        .twice();
        let found = programs::compare(&mut duel, &rows, again, count / 4);
        executed += duel.executed;
        assert!(found.is_empty(), "interpreter / translator, part {part}:\n{}", found.join("\n"));
        let store = FILES.lock().held().take().expect("they are open");
        store.finish();
        *FILES.lock().held() = Some(Arc::new(open()));
    }
    FILES.lock().held().take();
    std::fs::remove_dir_all(&folder).expect("it is ours");
    let now = engine::statistics();
    let (restored, saved, made) =
        (now.restored - before.restored, now.saved - before.saved, now.blocks - before.blocks);
    println!("{executed} instructions, {restored} blocks restored, {saved} saved of {made}");
    assert!(restored > 1000 && saved > 100, "{restored} blocks restored, {saved} saved of {made}");
}

/// A mistake that is planted is found, and what is left of the program around it has it.
#[test]
fn a_planted_mistake_is_found_in_programs() {
    let rows = campaign::rows(Some("general"), "");
    // AR is translated as if it were SR.
    let mut duel = Duel::of(|_| [BlockCache::with_patience(0), BlockCache::with_patience(1).with_mistake(0x1a, 0x1b)]);
    let found = programs::compare(&mut duel, &rows, 3, 3_000_000);
    assert!(found.iter().any(|text| text.contains(" AR ")), "{}", found.join("\n"));
}

/// An I/O interruption that the PSW lets in and control register 6 does not stops no CPU, whatever the engine.
#[test]
fn a_pending_subclass_that_is_not_let_in_stops_nobody() {
    // AR 1,2; BRCT 4,*-2; no instruction.
    const LOOP: [u8; 8] = [0x1a, 0x12, 0xa7, 0x46, 0xff, 0xff, 0x00, 0x00];
    for cache in [BlockCache::with_patience(0), BlockCache::with_patience(1), BlockCache::for_comparison()] {
        let mut machine = Machine::new(Architecture::Z, 1 << 20);
        machine.prepare_interruptions();
        machine.set_cache(cache);
        machine.storage.write(Absolute(0x8000), &LOOP).expect("the text lies in storage");
        let s = &mut machine.state;
        (s.gr[2], s.gr[4], s.cr[6]) = (3, 100, 0x7f00_0000);
        let wide = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
        s.set_psw(Psw { mask: wide | mask::IO, address: 0x8000 });
        s.shared().floating.set_io_subclasses(0x80);
        s.signals().raise(attention::IO);
        s.control_changed();
        assert_eq!(machine.resume(10_000), Exit::Wait);
        assert_eq!(machine.state.gr[1], 300);
    }
}
