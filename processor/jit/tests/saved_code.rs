//! Code from files: it does what the text says that the machine has, in whatever frames that is, and whatever has
//! become of the files.

#![cfg(translator)]

use arch::{Absolute, PAGE, Psw, mask};
use base::Held;
use codefiles::Store;
use cpu::Architecture;
use engine::{BlockCache, Exit};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use support::Random;
use vectors::machine::Machine;

const TEXT: u64 = 0x8000;
const DATA: u64 = 0x1_0000;
const MANY: u64 = 200;
/// Where the routine's constants are, in three pieces of text, of which the last is in the page after its own.
const FIRST: u64 = 0x103;
const SECOND: u64 = 0x203;
const THIRD: u64 = PAGE + 0x303;
const WIDE: u64 = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;

/// One test at a time: statistics are the whole process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

/// A folder with files of code.
struct Folder(support::folder::Folder);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(support::folder::Folder::absent(&format!("code-{name}")))
    }

    fn open(&self) -> Arc<Store> {
        Arc::new(Store::open(&self.0.0, &[1; 32], "tests", 1 << 26).expect("the host has folders"))
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0.0).expect("it is there").map(|entry| entry.expect("it is listed").path()).collect()
    }
}

/// A machine with the routine in two pages from `page` on, and a program that calls it.
fn machine(page: u64, cache: BlockCache) -> Machine {
    let mut machine = Machine::new(Architecture::Z, 1 << 20);
    machine.set_cache(cache);
    machine.prepare_interruptions();
    // BASR 14,6; BRCT 1,*-2; no instruction.
    machine.storage.write(Absolute(TEXT), &[0x0d, 0xe6, 0xa7, 0x16, 0xff, 0xff, 0, 0]).expect("it is storage");
    // AGHI 2,1; BRC 15,the second.
    let first = [0xa7, 0x2b, 0, 1, 0xa7, 0xf4, 0, 0x7e];
    // AGHI 2,2; STG 2,0(0,12); BRC 15,the third.
    let second = [0xa7, 0x2b, 0, 2, 0xe3, 0x20, 0xc0, 0, 0, 0x24, 0xa7, 0xf4, 0x08, 0x7b];
    // AGHI 2,4; LG 3,0(0,12); BCR 15,14.
    let third = [0xa7, 0x2b, 0, 4, 0xe3, 0x30, 0xc0, 0, 0, 0x04, 0x07, 0xfe];
    for (at, text) in [(0x100, &first[..]), (0x200, &second), (PAGE + 0x300, &third)] {
        machine.storage.write(Absolute(page + at), text).expect("it is storage");
    }
    machine
}

/// Calls the routine so often in this mode; what each call adds, and what register 3 has beside the sum at last.
fn call(machine: &mut Machine, page: u64, times: u64, psw: u64) -> (u64, u64) {
    let gr = &mut machine.state.gr;
    (gr[1], gr[2], gr[3], gr[6], gr[12]) = (times, 0, 0, page + 0x100, DATA);
    machine.state.set_psw(Psw { mask: psw, address: TEXT });
    assert_eq!(machine.resume(100 * times as i64), Exit::Wait);
    let [sum, stored] = [2, 3].map(|r| machine.state.gr[r]);
    assert_eq!(sum % times, 0, "each call adds as much");
    (sum / times, sum - stored)
}

fn restored(act: impl FnOnce()) -> u64 {
    let before = engine::statistics().restored;
    act();
    engine::statistics().restored - before
}

const PATIENCES: [u8; 3] = [1, 10, 40];

#[test]
fn a_later_process_takes_code_over_wherever_its_text_is() {
    let _alone = alone();
    for patience in PATIENCES {
        let folder = Folder::new("later");
        let cache = |store: &Arc<Store>| BlockCache::with_patience(patience).with_files(store.clone());
        let store = folder.open();
        let first = restored(|| assert_eq!(call(&mut machine(0x2_0000, cache(&store)), 0x2_0000, MANY, WIDE), (7, 4)));
        assert_eq!(first, 0, "there is nothing yet");
        store.finish();
        for page in [0x2_0000, 0x3_0000, 0x5_5000] {
            let store = folder.open();
            let mut later = machine(page, cache(&store));
            let count = restored(|| assert_eq!(call(&mut later, page, 20, WIDE), (7, 4)));
            assert!(count > 0, "{count} blocks at {page:X}, patience {patience}");
            // In another mode it is another's.
            assert_eq!(call(&mut later, page, 20, mask::BASIC_ADDRESSING), (7, 4));
            // What is stored is executed at the next call, and what stood there before after that.
            for (at, byte, sum) in [(FIRST, 9, 15), (SECOND, 8, 21), (THIRD, 6, 23), (FIRST, 1, 15), (THIRD, 4, 13)] {
                later.storage.write(Absolute(page + at), &[byte]).expect("it is storage");
                assert_eq!(call(&mut later, page, 50, WIDE).0, sum, "{at:X} {byte}");
            }
        }
    }
}

#[test]
fn engines_that_are_compared_take_it_over_too() {
    let _alone = alone();
    let folder = Folder::new("compared");
    for round in 0..3 {
        let store = folder.open();
        let mut machine = machine(0x2_0000, BlockCache::for_comparison().with_files(store.clone()));
        let count = restored(|| assert_eq!(call(&mut machine, 0x2_0000, MANY, WIDE), (7, 4)));
        assert_eq!(count > 0, round > 0, "{count} blocks in round {round}");
        store.finish();
    }
}

#[test]
fn another_text_is_translated_for_itself() {
    let _alone = alone();
    for patience in PATIENCES {
        let folder = Folder::new("another");
        let store = folder.open();
        let cache = |store: &Arc<Store>| BlockCache::with_patience(patience).with_files(store.clone());
        assert_eq!(call(&mut machine(0x2_0000, cache(&store)), 0x2_0000, MANY, WIDE).0, 7);
        store.finish();
        for (at, byte, sum) in [(FIRST, 9, 15), (SECOND, 8, 13), (THIRD, 6, 9)] {
            let store = folder.open();
            let mut other = machine(0x2_0000, cache(&store));
            other.storage.write(Absolute(0x2_0000 + at), &[byte]).expect("it is storage");
            for times in [1, 2, MANY, 1] {
                assert_eq!(call(&mut other, 0x2_0000, times, WIDE).0, sum, "{at:X}");
            }
        }
    }
}

/// `DAMAGES=N` in the environment: so many damaged files, instead of some hundreds.
#[test]
fn of_a_damaged_file_nothing_wrong_is_executed() {
    let _alone = alone();
    let folder = Folder::new("damaged");
    let store = folder.open();
    let cache = |store: &Arc<Store>| BlockCache::with_patience(40).with_files(store.clone());
    assert_eq!(call(&mut machine(0x2_0000, cache(&store)), 0x2_0000, MANY, WIDE), (7, 4));
    store.finish();
    drop(store);
    let file = folder.files().pop().expect("there is one");
    let whole = fs::read(&file).expect("it is ours");
    let whole_restores = restored(|| assert_eq!(call(&mut machine(0, cache(&folder.open())), 0, 20, WIDE), (7, 4)));
    let count = std::env::var("DAMAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let mut random = Random::seeded(1);
    let mut restored_ones = 0;
    for n in 0..count {
        let mut damaged = whole.clone();
        match n % 4 {
            0 => damaged.truncate(random.below(whole.len())),
            1 | 2 => damaged[random.below(whole.len())] ^= 1 << random.below(8u64),
            _ => {
                let (from, len) = (random.below(whole.len() - 64), random.below(64usize));
                let bytes = random.bytes(len);
                damaged[from..from + len].copy_from_slice(&bytes);
            }
        }
        fs::write(&file, &damaged).expect("it is ours");
        let store = folder.open();
        let mut machine = machine(0x4_0000, cache(&store));
        restored_ones += restored(|| assert_eq!(call(&mut machine, 0x4_0000, 20, WIDE), (7, 4), "damage {n}"));
    }
    assert!(restored_ones < count * whole_restores, "{restored_ones} of {count} times {whole_restores}");
}
