//! Page faults that a guest does not wait for: it is told of them, runs on, and is told again when the page has come.
//!
//! The page volume holds its reads until the test lets them go on. So a guest that runs meanwhile has not waited.

mod guests;

use arch::{Absolute, PAGE, Psw, mask};
use complex::Exit;
use cpu::{Architecture, Handshake, attention};
use engine::Engine;
use guests::{FIRST, Guest, Shaky, TEXT, WIDE, memory, paging, with};
use realstorage::pager::Paging;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PREFIX: u64 = 0x8_0000;
/// Where the token is, and what it says.
const TOKEN: u64 = 0x5000;
const SAYS: u64 = 0x1122_3344_5566_7788;
/// The external new PSW and the program new PSW lead here, and wait.
const TOLD: u64 = 0xe000;
/// Service signals are let in.
const SUBCLASS: u64 = 0x200;
/// Loads what R2 addresses into R1, again and again R10 times, and ends with an operation exception.
const LOADS: &str = "LG 1,0(0,2);BRCTG 10,*-6";
/// Counts R10 down, in the same place.
const COUNTS: &str = "BCR 0,0;BCR 0,0;BCR 0,0;BRCTG 10,*-0";

/// Lets reads go on when a test fails.
struct Release(Arc<Shaky>);

impl Drop for Release {
    fn drop(&mut self) {
        self.0.hold(false);
    }
}

struct Stand {
    _release: Release,
    shaky: Arc<Shaky>,
    paging: Paging,
    guest: Guest,
}

impl Stand {
    /// A guest with a page on the volume; its address is told.
    fn new(cpus: u16) -> (Stand, u64) {
        let (shaky, volumes) = memory(20_000);
        let paging = paging(700, 0, volumes);
        let guest = Guest::new(&paging, 8, cpus);
        assert_eq!(guest.rounds(0, FIRST, 1500, 1), Ok(0));
        // While reads are held, the test must not wait for these.
        let kept = [4..7, 10..11, PREFIX / PAGE..PREFIX / PAGE + 2 * u64::from(cpus)];
        for pages in kept {
            guest.pages.lock(pages.start as u32..pages.end as u32).expect("there are frames");
        }
        let stand = Stand { _release: Release(shaky.clone()), shaky, paging, guest };
        let page = stand.away();
        stand.guest.put(TOKEN, &SAYS.to_be_bytes());
        let wait = |mask: u64| [mask.to_be_bytes(), TOLD.to_be_bytes()].concat();
        stand.guest.put(PREFIX + 0x1b0, &wait(mask::WAIT | WIDE));
        stand.guest.put(PREFIX + 0x1d0, &wait(mask::WAIT | WIDE));
        (stand, page)
    }

    /// A page that is on the volume alone, with no other that its block set brings along.
    fn away(&self) -> u64 {
        let storage = self.guest.configuration.storage();
        let away = |page: &u64| storage.is_away(Absolute(*page));
        (0..1500).map(|page| FIRST + page * PAGE).find(away).expect("many are")
    }

    fn set(&self, change: impl FnOnce(&mut cpu::State)) {
        change(&mut self.guest.configuration.cpu(0).state);
    }

    /// One CPU whose program has missed a page that comes when reads are held no more; that page.
    fn with_a_page_on_its_way() -> (Stand, u64) {
        let (stand, page) = Stand::new(1);
        stand.agree(mask::PROBLEM, mask::PROBLEM);
        stand.shaky.hold(true);
        stand.run(LOADS, ENABLED, page);
        stand.shaky.until_held(1);
        (stand, page)
    }

    fn agree(&self, select: u64, compare: u64) {
        self.set(|s| {
            s.set_handshake(Some(Handshake { token: TOKEN, select, compare }));
            s.cr[0] |= SUBCLASS;
            s.control_changed();
        });
    }

    /// Runs a program on CPU 0 with this mask until it waits.
    fn run(&self, program: &str, mask: u64, page: u64) {
        let text = differential::assemble(program);
        self.guest.put(TEXT, &text);
        self.guest.put(TEXT + text.len() as u64, &[0, 0]);
        self.set(|s| {
            s.set_architecture(Architecture::Z);
            s.set_prefix(PREFIX).expect("it is in storage");
            (s.gr[1], s.gr[2], s.gr[10]) = (0, page, 3000);
            s.set_psw(Psw { mask: WIDE | mask, address: TEXT });
        });
        self.guest.configuration.start(0);
        self.guest.go(0).expect("there are frames");
    }

    fn word(&self, at: u64) -> u64 {
        self.guest.configuration.storage().read_u64(Absolute(PREFIX + at)).expect("it is in storage")
    }

    /// The interruption code and the subcode, the token and the address in the old PSW of the external interruption.
    fn told(&self) -> (u32, u64, u64) {
        (self.word(0x80) as u32, self.word(0x11b8), self.word(0x138))
    }

    fn ended(&self) -> u64 {
        self.word(0x158)
    }

    fn pending(&self) -> bool {
        self.guest.configuration.cpu(0).state.signals().attention() & attention::SERVICE_SIGNAL != 0
    }

    /// Waits until a second notice is pending.
    fn until_pending(&self) {
        let start = Instant::now();
        while !self.pending() {
            assert!(start.elapsed() < Duration::from_secs(20), "the page has come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn notices(&self) -> (u64, u64) {
        self.guest.configuration.shared().floating.page_notices()
    }
}

const ENABLED: u64 = mask::EXTERNAL | mask::PROBLEM;

#[test]
fn a_guest_runs_while_its_page_comes() {
    for engine in [Engine::Interpreter, Engine::Jit, Engine::Compare] {
        let _chosen = with(engine);
        let (stand, page) = Stand::new(1);
        stand.agree(mask::PROBLEM, mask::PROBLEM);
        stand.shaky.hold(true);
        stand.run(LOADS, ENABLED, page);
        assert_eq!(stand.told(), (0x0600_2603, SAYS, TEXT), "{engine:?}: the instruction is to be executed again");
        stand.shaky.until_held(1);
        // It does something else meanwhile, and is not told yet.
        stand.run(COUNTS, ENABLED, page);
        assert_eq!((stand.guest.configuration.cpu(0).state.gr[10], stand.notices()), (0, (1, 0)));
        stand.shaky.hold(false);
        stand.until_pending();
        stand.guest.put(TOKEN, &[0; 8]);
        stand.run(COUNTS, ENABLED, page);
        assert_eq!(stand.told(), (0x0680_2603, SAYS, TEXT), "{engine:?}: the token is that of the fault");
        // The page is there.
        stand.run(LOADS, ENABLED, page);
        let value = stand.guest.configuration.cpu(0).state.gr[1];
        assert_eq!((value, stand.ended() > TEXT, stand.notices()), (page + 7, true, (1, 1)));
    }
}

#[test]
fn a_guest_that_cannot_be_told_waits() {
    let _chosen = with(Engine::Jit);
    let (stand, page) = Stand::new(1);
    stand.agree(mask::PROBLEM, mask::PROBLEM);
    let waits = |what: &str, mask: u64, page: u64| {
        std::thread::scope(|scope| {
            stand.shaky.hold(true);
            scope.spawn(|| {
                stand.shaky.until_held(1);
                stand.shaky.hold(false);
            });
            stand.run(LOADS, mask, page);
        });
        let value = stand.guest.configuration.cpu(0).state.gr[1];
        assert_eq!((value, stand.notices(), stand.pending()), (page + 7, (0, 0), false), "{what}");
    };
    waits("not enabled", mask::PROBLEM, page);
    waits("another state than it selects", mask::EXTERNAL, stand.away());
    stand.set(|s| {
        s.cr[0] &= !SUBCLASS;
        s.control_changed();
    });
    waits("no such subclass", ENABLED, stand.away());
    stand.agree(0, 0);
    stand.set(|s| s.set_handshake(None));
    waits("cancelled", ENABLED, stand.away());
    // Channel programs and CP wait as ever.
    stand.agree(0, 0);
    let mut byte = [0; 8];
    let page = stand.away();
    stand.guest.configuration.storage().read(Absolute(page), &mut byte).expect("it comes");
    assert_eq!((u64::from_be_bytes(byte), stand.notices()), (page + 7, (0, 0)));
}

#[test]
fn what_is_under_way_does_not_reach_the_next_program() {
    let _chosen = with(Engine::Jit);
    for how in ["reset", "clear", "cpu reset", "cancel", "gone"] {
        let (stand, page) = Stand::with_a_page_on_its_way();
        match how {
            "reset" => stand.guest.configuration.reset(false),
            "clear" => stand.guest.configuration.reset(true),
            "cpu reset" => stand.set(|s| s.reset()),
            "cancel" => stand.set(|s| s.set_handshake(None)),
            _ => {
                let Stand { _release, shaky, paging, guest } = stand;
                drop(guest);
                shaky.hold(false);
                let start = Instant::now();
                while paging.picture().census.transit > 0 && start.elapsed() < Duration::from_secs(20) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let census = paging.picture().census;
                assert_eq!((census.transit, census.pageable, census.slots), (0, 0, 0));
                continue;
            }
        }
        assert_eq!(stand.guest.configuration.cpu(0).state.handshake(), None, "{how}");
        stand.shaky.hold(false);
        let start = Instant::now();
        while stand.paging.picture().census.transit > 0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(20));
        assert!(!stand.pending(), "{how}");
        // Another program is not told of it.
        stand.agree(0, 0);
        if how != "clear" {
            stand.run(LOADS, ENABLED, page);
            let value = stand.guest.configuration.cpu(0).state.gr[1];
            assert_eq!((value, stand.ended() > TEXT), (page + 7, true), "{how}");
        }
    }
}

/// A page that is released while it is on its way is there at once, and one that is damaged stops its owner.
#[test]
fn a_page_that_is_released_or_lost_leaves_nothing_waiting() {
    let _chosen = with(Engine::Jit);
    let (stand, page) = Stand::with_a_page_on_its_way();
    stand.guest.configuration.storage().discard(Absolute(page), Absolute(page)).expect("it is in storage");
    stand.until_pending();
    stand.shaky.hold(false);
    stand.run(COUNTS, ENABLED, page);
    assert_eq!(stand.told().0, 0x0680_2603);
    stand.run(LOADS, ENABLED, page);
    assert_eq!((stand.guest.configuration.cpu(0).state.gr[1], stand.notices()), (0, (1, 1)), "it is zeros");
    let page = stand.away();
    stand.shaky.no_reads.store(true, std::sync::atomic::Ordering::SeqCst);
    stand.run(LOADS, ENABLED, page);
    let start = Instant::now();
    while stand.guest.pages.lost().is_none() {
        assert!(start.elapsed() < Duration::from_secs(20), "the page is lost");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!((stand.guest.pages.lost(), stand.pending()), (Some(page / PAGE), false));
}

#[test]
fn pseudo_page_faults_are_program_interruptions() {
    for engine in [Engine::Interpreter, Engine::Jit] {
        let _chosen = with(engine);
        let (stand, page) = Stand::new(1);
        // In ESA/390: R1 gets a word, and new PSWs are short.
        let esa = "L 1,0(0,2);BRCT 10,*-4";
        let short = |mask: u64| (Psw { mask: mask | mask::BASIC_ADDRESSING, address: TOLD }).to_short().to_be_bytes();
        stand.set(|s| {
            s.set_architecture(Architecture::Esa);
            s.set_prefix(PREFIX).expect("it is in storage");
        });
        stand.guest.put(PREFIX + 0x68, &short(mask::WAIT));
        stand.guest.configuration.shared().floating.set_pseudo_faults(true);
        let run = |program: &str, mask: u64| {
            let text = differential::assemble(program);
            stand.guest.put(TEXT, &text);
            stand.guest.put(TEXT + text.len() as u64, &[0, 0]);
            stand.set(|s| {
                (s.gr[1], s.gr[2], s.gr[10]) = (0, page, 3000);
                s.set_psw(Psw { mask: mask::BASIC_ADDRESSING | mask, address: TEXT });
            });
            stand.guest.configuration.start(0);
            stand.guest.go(0).expect("there are frames");
            // The code, the page's address, and the address in the old PSW.
            (stand.word(0x88) as u32 as u16, (stand.word(0x90) >> 32) as u32, stand.word(0x28) as u32 & 0x7fff_ffff)
        };
        stand.shaky.hold(true);
        assert_eq!(run(esa, mask::IO), (0x14, page as u32, TEXT as u32), "{engine:?}");
        stand.shaky.until_held(1);
        assert_eq!(run("BCTR 10,0;LTR 10,10;BRC 7,*-4", mask::IO).0, 1, "it goes on, and ends");
        stand.shaky.hold(false);
        let start = Instant::now();
        while stand.notices().1 == 0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Not before I/O interruptions are let in.
        assert_eq!(run("BCTR 10,0;LTR 10,10;BRC 7,*-4", 0).0, 1);
        assert_eq!(run(esa, mask::IO), (0x14, page as u32 | 0x8000_0000, TEXT as u32), "{engine:?}");
        assert_eq!(run(esa, mask::IO).0, 1);
        assert_eq!((stand.guest.configuration.cpu(0).state.gr[1], stand.notices()), (0, (1, 1)));
        // A page that is away waits when the system cannot be told, and is set off by a reset.
        stand.guest.configuration.reset(false);
        assert!(!stand.guest.configuration.shared().floating.pseudo_faults());
    }
}

/// A checkpoint has what the program is to be told still: where it goes on, all pages are there.
#[test]
fn a_checkpoint_tells_of_pages_that_were_on_their_way() {
    let _chosen = with(Engine::Jit);
    let (stand, _) = Stand::with_a_page_on_its_way();
    let saved = stand.guest.configuration.checkpoint().expect("it is at rest");
    stand.shaky.hold(false);
    let other = Guest::new(&stand.paging, 8, 1);
    other.configuration.resume(&saved, complex::checkpoint::Time::AsItWas).expect("it is of the same make");
    let state = &other.configuration.cpu(0).state;
    assert!(state.handshake().is_some_and(|handshake| handshake.token == TOKEN));
    assert_ne!(state.signals().attention() & attention::SERVICE_SIGNAL, 0);
    let (pending, ..) = other.configuration.shared().floating.pending();
    assert_eq!(pending.len(), 1);
    assert_eq!((pending[0].subcode, pending[0].parameter64), (0x0680, Some(SAYS)));
}

/// Several CPUs that take what comes; each fault has two notices.
#[test]
fn every_fault_of_several_cpus_is_told_twice() {
    let _chosen = with(Engine::Jit);
    let (stand, _) = Stand::new(3);
    // The external new PSW goes on: the notice is counted, and the old PSW loaded again.
    let storage = stand.guest.configuration.storage().clone();
    let count = 0x6000u64;
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3u16)
            .map(|cpu| {
                let stand = &stand;
                scope.spawn(move || {
                    let prefix = PREFIX + 0x2000 * u64::from(cpu);
                    let text = 0xa000 + 0x200 * u64::from(cpu);
                    let handler = text + 0x100;
                    let put = |at: u64, bytes: &[u8]| stand.guest.put(at, bytes);
                    let psw = |mask: u64, at: u64| [mask.to_be_bytes(), at.to_be_bytes()].concat();
                    put(prefix + 0x1b0, &psw(WIDE, handler));
                    put(prefix + 0x1d0, &psw(WIDE | mask::WAIT, TOLD));
                    put(handler, &differential::assemble("LGHI 14,1;LAAG 15,14,0(13);LPSWE 304(0)"));
                    let program =
                        differential::assemble("LG 1,0(0,2);CGR 1,3;BRC 8,*+8;AHI 4,1;AGR 2,5;AGR 3,5;BRCTG 10,*-24");
                    put(text, &program);
                    put(text + program.len() as u64, &[0, 0]);
                    {
                        let state = &mut stand.guest.configuration.cpu(cpu).state;
                        state.set_prefix(prefix).expect("it is in storage");
                        state.set_handshake(Some(Handshake { token: TOKEN, select: 0, compare: 0 }));
                        state.cr[0] |= SUBCLASS;
                        state.control_changed();
                        let first = FIRST + u64::from(cpu) * 500 * PAGE;
                        for (n, value) in [(2, first), (3, first + 7), (4, 0), (5, PAGE), (10, 500), (13, count)] {
                            state.gr[n] = value;
                        }
                        state.set_psw(Psw { mask: WIDE | mask::EXTERNAL, address: text });
                    }
                    stand.guest.configuration.start(cpu);
                    stand.guest.go(cpu).expect("there are frames");
                    stand.guest.configuration.cpu(cpu).state.gr[4]
                })
            })
            .collect();
        wrong.extend(threads.into_iter().map(|thread| thread.join().expect("it ended")));
    });
    assert_eq!(wrong, [0, 0, 0]);
    let start = Instant::now();
    while stand.notices().0 != stand.notices().1 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (told, come) = stand.notices();
    // A page comes with others of its block set, so how many are missed is the host's.
    assert!(told > 0 && told == come, "{told} {come}");
    let taken = storage.read_u64(Absolute(count)).expect("it is in storage");
    let (left, ..) = stand.guest.configuration.shared().floating.pending();
    assert_eq!(taken + left.len() as u64, told + come);
    assert!(matches!(stand.guest.configuration.run(0, 1), Exit::DisabledWait(_)));
}
