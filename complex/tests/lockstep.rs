//! Debian's kernel with both engines in lockstep: what the translator does with a real kernel, the interpreter does,
//! too.
//!
//! Most of what a boot executes is the unpacking of the kernel, one loop after the other. That is only translated; from
//! the moment the kernel translates addresses, all of it is compared, until it has powered off.

mod linux;

use arch::mask;
use engine::Engine;
use linux::{Boot, guest};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const MOST: Duration = Duration::from_secs(280);
/// More than a boot needs.
const MOST_INSTRUCTIONS: u64 = 8_000_000_000;

fn instructions(boot: &Boot) -> u64 {
    boot.machine.cpu(0).state.instructions
}

/// The kernel, unpacked and about to begin.
fn unpacked(files: &(Vec<u8>, Vec<u8>)) -> Boot {
    engine::choose(Engine::Jit);
    let boot = Boot::new(files, "boot", MOST);
    boot.until(|boot| boot.machine.cpu(0).state.psw_mask() & mask::DAT != 0);
    boot
}

#[test]
fn linux_boots_in_lockstep_and_a_planted_mistake_is_found() {
    let Some(files) = guest() else { return };
    // LA is translated as if it were L.
    let boot = unpacked(&files);
    let before = instructions(&boot);
    boot.machine.cpu(0).plant_mistake(0x41, 0x58);
    engine::choose(Engine::Compare);
    let soon = |boot: &Boot| instructions(boot) > before + 50_000_000;
    let panic = catch_unwind(AssertUnwindSafe(|| boot.until(soon))).expect_err("the engines differ");
    let report = panic.downcast_ref::<String>().expect("a report");
    assert!(report.starts_with("the engines differ, CPU 00, after "), "{report}");
    assert!(report.lines().any(|line| line.split_whitespace().any(|word| word == "LA")), "{report}");

    let boot = unpacked(&files);
    let (before, executed) = (instructions(&boot), engine::statistics().executed);
    engine::choose(Engine::Compare);
    boot.until(|boot| instructions(boot) > MOST_INSTRUCTIONS);
    let lines = boot.lines();
    assert!(lines.iter().any(|line| line.contains("INIT-START")), "{lines:#?}");
    let (compared, translated) = (instructions(&boot) - before, engine::statistics().executed - executed);
    assert!(compared > 200_000_000, "the kernel and its first program are more than {compared} instructions");
    assert!(translated > compared / 2, "most of {compared} is translated, not {translated}");
}
