//! Pages are taken from guests that run, and come back as they were.
//!
//! The guests are bare: a program stores a word of its own into each of many pages and looks at them again, in rounds.
//! Real storage has a quarter of that, or less.

mod guests;

use arch::{Absolute, PAGE};
use engine::Engine;
use guests::{FIRST, Guest, memory, paging, with};
use realstorage::pager::{FileVolume, Full, Notice, PageVolume};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use support::Random;
use support::folder::Folder;

#[test]
fn a_guest_has_four_times_the_storage_there_is() {
    let folder = Folder::empty("pager-four-times");
    for engine in [Engine::Interpreter, Engine::Jit, Engine::Compare] {
        let _chosen = with(engine);
        for expanded in [0, 8] {
            let path = folder.0.join(format!("pages-{engine:?}-{expanded}"));
            let volume = FileVolume::open(&path, 64 << 20).expect("the host makes files");
            let paging = paging(1024, expanded, vec![Box::new(volume)]);
            let guest = Guest::new(&paging, 18, 1);
            let start = Instant::now();
            assert_eq!(guest.rounds(0, FIRST, 4096, 3), Ok(0), "{engine:?}, {expanded}M of expanded storage");
            let picture = paging.picture();
            println!("{engine:?}, {expanded}M: {:?}, {:?}", start.elapsed(), picture.counts);
            assert!(picture.counts.reads > 3 * 4096 && picture.counts.cleared < 5000);
            let (own, all) = guest.configuration.times(0);
            assert!(all - own > picture.counts.reads / 4, "{own} of {all} microseconds are the guest's own");
            assert_eq!(picture.counts.gets > 0, expanded > 0);
            assert!(guest.configuration.storage().resident_pages() <= 1024 + 100, "the host has the rest back");
            let tally = guest.pages.tally();
            assert!(tally.resident <= 1024 && tally.blocks + tally.slots >= 3000, "{tally:?}");
        }
    }
}

#[test]
fn several_cpus_and_others_share_one_storage_under_pressure() {
    let _chosen = with(Engine::Jit);
    let (_, volumes) = memory(20_000);
    let paging = paging(1500, 4, volumes);
    let guests: Vec<Arc<Guest>> = (0..2).map(|_| Arc::new(Guest::new(&paging, 24, 3))).collect();
    let part = 1500;
    let mut threads = Vec::new();
    for guest in &guests {
        for cpu in 0..3 {
            let guest = guest.clone();
            let first = FIRST + u64::from(cpu) * part * PAGE;
            threads.push(std::thread::spawn(move || assert_eq!(guest.rounds(cpu, first, part, 3), Ok(0))));
        }
        // Channel programs and CP come without a TLB.
        let guest = guest.clone();
        threads.push(std::thread::spawn(move || {
            let storage = guest.configuration.storage();
            let first = FIRST + 3 * part * PAGE;
            let mut random = Random::seeded(5);
            let mut known = vec![[0u8; 16]; 500];
            for _ in 0..20_000 {
                let n: usize = random.below(known.len());
                let at = Absolute(first + n as u64 * PAGE + 0xff8);
                let mut now = [0; 16];
                storage.read(at, &mut now).unwrap();
                // Its other half lies in the next page.
                assert_eq!(now, known[n]);
                if n % 2 == 0 {
                    known[n] = std::array::from_fn(|_| random.byte());
                    storage.write(at, &known[n]).unwrap();
                }
                if random.one_in(100) {
                    let page = Absolute(first + n as u64 * PAGE + 0x800);
                    storage.write(page, &[7]).unwrap();
                    storage.discard(page, page).unwrap();
                    let mut byte = [1];
                    storage.read(page, &mut byte).unwrap();
                    assert_eq!(byte, [0]);
                    known[n][..8].fill(0);
                    if n > 0 {
                        known[n - 1][8..].fill(0);
                    }
                }
            }
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().expect("its words were right"));
    let counts = paging.picture().counts;
    assert!(counts.reads > 5000 && counts.gets > 100 && counts.migrated > 1000, "{counts:?}");
    drop(guests);
    // The pager's thread may have one of them in its hands still.
    let left = || {
        let census = paging.picture().census;
        [census.pageable, census.tables, census.free_storage, census.blocks, census.slots]
    };
    let start = Instant::now();
    while left() != [0; 5] && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(left(), [0; 5]);
}

#[test]
fn keys_and_bits_stay_while_a_page_is_away() {
    let _chosen = with(Engine::Jit);
    let (_, volumes) = memory(10_000);
    let paging = paging(500, 0, volumes);
    let guest = Guest::new(&paging, 12, 1);
    let storage = guest.configuration.storage();
    for page in 0..100 {
        storage.set_key(Absolute(FIRST + page * PAGE), (page as u8) << 4 | 0x06).unwrap();
    }
    assert_eq!(guest.pages.tally().resident, 0, "keys take no page");
    assert_eq!(guest.rounds(0, FIRST + 200 * PAGE, 2000, 2), Ok(0));
    for page in 0..100 {
        let key = storage.key(Absolute(FIRST + page * PAGE)).unwrap();
        assert_eq!(key, (page as u8) << 4 | 0x06);
    }
    storage.clear();
    assert_eq!(guest.pages.tally().resident, 0, "clear reset gives all back");
}

#[test]
fn pages_that_cannot_be_read_stop_their_owner_alone() {
    let _chosen = with(Engine::Jit);
    let (shaky, volumes) = memory(10_000);
    let paging = paging(500, 0, volumes);
    let [guest, other] = [0; 2].map(|_| Guest::new(&paging, 6, 1));
    assert_eq!(guest.rounds(0, FIRST, 1200, 1), Ok(0));
    shaky.no_reads.store(true, SeqCst);
    let mut byte = [0];
    let lost =
        (0..1200).find(|page| guest.configuration.storage().read(Absolute(FIRST + page * PAGE), &mut byte).is_err());
    assert_eq!(guest.pages.lost().map(|page| page * PAGE), lost.map(|page| FIRST + page * PAGE));
    assert!(lost.is_some() && other.pages.lost().is_none());
    assert!(matches!(paging.take_notices().as_slice(), [Notice::Trouble(name, "reading", _), ..] if name == "shaky"));
    shaky.no_reads.store(false, SeqCst);
    // Bytes that are not those that were written are no better.
    shaky.pages.lock().unwrap().values_mut().for_each(|page| page[100] ^= 1);
    guest.configuration.storage().clear();
    assert_eq!(guest.pages.lost(), None);
    assert_eq!(guest.rounds(0, FIRST, 1200, 2), Ok(0), "its storage is new");
    shaky.pages.lock().unwrap().values_mut().for_each(|page| page[100] ^= 1);
    let damaged =
        (0..1200).any(|page| guest.configuration.storage().read(Absolute(FIRST + page * PAGE), &mut byte).is_err());
    assert!(damaged && guest.pages.lost().is_some());
    assert_eq!(other.rounds(0, FIRST, 400, 1), Ok(0));
    assert_eq!(other.pages.lost(), None);
}

#[test]
fn when_page_space_is_full_what_asks_is_stopped_and_nothing_is_lost() {
    let _chosen = with(Engine::Jit);
    let (shaky, volumes) = memory(300);
    let paging = paging(500, 1, volumes);
    let small = Guest::new(&paging, 4, 1);
    assert_eq!(small.rounds(0, FIRST, 100, 1), Ok(0));
    let guest = Guest::new(&paging, 12, 1);
    let start = Instant::now();
    assert_eq!(guest.rounds(0, FIRST, 2500, 1), Err(Full));
    let notices = paging.take_notices();
    assert!(
        matches!(notices.as_slice(), [Notice::Much { percent: 90..=100, spool: false }, Notice::Full, ..]),
        "{notices:?}"
    );
    // It is stopped again as soon as it asks for more.
    assert_eq!(guest.go(0), Err(Full));
    assert!(start.elapsed() < Duration::from_secs(10));
    drop(small);
    let done = guest.configuration.cpu(0).state.gr[6];
    let storage = guest.configuration.storage();
    for at in (FIRST..done).step_by(PAGE as usize) {
        assert_eq!(storage.read_u64(Absolute(at)), Ok(at + 7), "{at:X}");
    }
    // A host without room is the same, and goes on when it has some.
    let other = Guest::new(&paging, 12, 1);
    drop(guest);
    shaky.no_room.store(true, SeqCst);
    assert_eq!(other.rounds(0, FIRST, 900, 1), Err(Full));
    assert!(paging.take_notices().iter().any(|notice| matches!(notice, Notice::Trouble(_, "writing", _))));
    shaky.no_room.store(false, SeqCst);
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(other.go(0), Ok(()), "{:?}", paging.picture());
    assert_eq!(other.configuration.cpu(0).state.gr[4], 0);
}

#[test]
fn slots_that_cannot_be_written_are_not_used_again() {
    let _chosen = with(Engine::Jit);
    let (shaky, volumes) = memory(5000);
    let paging = paging(500, 0, volumes);
    let guest = Guest::new(&paging, 12, 1);
    shaky.no_writes.store(true, SeqCst);
    let failing = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            shaky.no_writes.store(false, SeqCst);
            failing.store(paging.picture().counts.failed, SeqCst);
        });
        let mut stopped = guest.rounds(0, FIRST, 2000, 1).map(drop);
        while stopped.is_err() {
            stopped = guest.go(0);
        }
    });
    assert_eq!(guest.configuration.cpu(0).state.gr[4], 0);
    assert!(failing.load(SeqCst) > 0 && paging.picture().census.bad_slots > 0);
}

#[test]
fn page_volumes_are_files_of_their_own() {
    let folder = Folder::empty("pager-volumes");
    let path = folder.0.join("pages");
    let first = FileVolume::open(&path, 8 << 20).expect("the host makes files");
    assert_eq!(first.slots(), 2048);
    assert!(FileVolume::open(&path, 8 << 20).is_err_and(|error| error.to_string().contains("in use")));
    drop(first);
    FileVolume::open(&path, 8 << 20).expect("it is a page volume, and free");
    let text = folder.0.join("text");
    std::fs::write(&text, "of value").unwrap();
    assert!(FileVolume::open(&text, 8 << 20).is_err_and(|error| error.to_string().contains("something in it")));
    assert_eq!(std::fs::read(&text).unwrap(), b"of value");
    assert!(FileVolume::open(&folder.0, 8 << 20).is_err());
}

/// How long a fault takes, for docs/decisions/0013: `cargo test --release ... -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn faults_are_measured() {
    let folder = Folder::empty("pager-measured");
    for (what, expanded) in [("a page volume in the host's cache", 0), ("expanded storage", 64)] {
        let volume = FileVolume::open(&folder.0.join(what), 256 << 20).expect("the host makes files");
        let paging = paging(8192, expanded, vec![Box::new(volume)]);
        let guest = Guest::new(&paging, 96, 1);
        let storage = guest.configuration.storage();
        let page = |n: u64| Absolute(FIRST + n * PAGE);
        (0..16_000).for_each(|n| storage.write(page(n), &[1]).unwrap());
        // Let the thread come to rest, then refer to pages that have left, few enough for the available list.
        let (mut times, mut alone) = (Vec::new(), Vec::new());
        let mut random = Random::seeded(3);
        for _ in 0..400 {
            std::thread::sleep(Duration::from_millis(5));
            for _ in 0..8 {
                let (n, before) = (random.below(16_000u64), paging.picture().counts);
                let start = Instant::now();
                storage.read(page(n), &mut [0]).unwrap();
                let time = start.elapsed();
                let after = paging.picture().counts.since(&before);
                match (after.gets, after.reads) {
                    (0, 0) => (),
                    (0, 1) | (1, 0) => alone.push(time),
                    _ => times.push(time),
                }
            }
        }
        for (kind, mut times) in [("one page", alone), ("several pages", times)] {
            times.sort();
            if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.get(times.len() * 99 / 100)) {
                println!("{what}, {kind}: median {median:?}, 99 % within {worst:?}, of {}", times.len());
            }
        }
    }
}
