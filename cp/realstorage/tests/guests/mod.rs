//! Bare guests, and page volumes in memory, for tests of the pager.

#![allow(dead_code, reason = "each test takes what it needs of this")]

use arch::{Absolute, PAGE, Psw, mask};
use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Exit, Host, Specification};
use cpu::Architecture;
use differential::assemble;
use engine::Engine;
use realstorage::expanded::Expanded;
use realstorage::pager::{Full, PageVolume, Pages, Paging, Resources};
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

pub(crate) struct Real;

impl Clock for Real {
    fn now(&self) -> Tod {
        Tod::from_unix_nanos(std::time::SystemTime::UNIX_EPOCH.elapsed().expect("it is later").as_nanos() as u64)
    }
}

struct Nobody;

impl Host for Nobody {
    fn runnable(&self, _: u16) {}
    fn control_program(&self) -> Option<ControlProgram> {
        None
    }
    fn service_message(&self, _: &str) {}
}

/// A page volume whose reads or writes can be made to fail.
#[derive(Default)]
pub(crate) struct Shaky {
    pub(crate) slots: u32,
    pub(crate) pages: Mutex<HashMap<u32, Vec<u8>>>,
    pub(crate) no_reads: AtomicBool,
    pub(crate) no_writes: AtomicBool,
    pub(crate) no_room: AtomicBool,
    /// Reads wait, and how many do.
    held: Mutex<(bool, u32)>,
    news: Condvar,
}

impl Shaky {
    /// From now on reads wait (true), or go on.
    pub(crate) fn hold(&self, held: bool) {
        self.held.lock().unwrap().0 = held;
        self.news.notify_all();
    }

    /// Waits until so many reads wait.
    pub(crate) fn until_held(&self, count: u32) {
        let waiting = self.held.lock().unwrap();
        drop(self.news.wait_while(waiting, |held| held.1 < count).unwrap());
    }

    fn wait(&self) {
        let mut held = self.held.lock().unwrap();
        held.1 += 1;
        self.news.notify_all();
        let mut held = self.news.wait_while(held, |held| held.0).unwrap();
        held.1 -= 1;
        self.news.notify_all();
    }
}

struct Volume(Arc<Shaky>);

impl PageVolume for Volume {
    fn name(&self) -> String {
        "shaky".into()
    }

    fn slots(&self) -> u32 {
        self.0.slots
    }

    fn read(&self, slot: u32, to: &mut [u8]) -> io::Result<()> {
        self.0.wait();
        if self.0.no_reads.load(SeqCst) {
            return Err(io::Error::other("input/output error"));
        }
        let pages = self.0.pages.lock().unwrap();
        for (n, page) in to.chunks_mut(PAGE as usize).enumerate() {
            page.copy_from_slice(&pages[&(slot + n as u32)]);
        }
        Ok(())
    }

    fn write(&self, slot: u32, from: &[u8]) -> io::Result<()> {
        if self.0.no_room.load(SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if self.0.no_writes.load(SeqCst) {
            return Err(io::Error::other("input/output error"));
        }
        let pages = from.chunks(PAGE as usize).zip(slot..);
        self.0.pages.lock().unwrap().extend(pages.map(|(page, slot)| (slot, page.to_vec())));
        Ok(())
    }
}

pub(crate) fn paging(frames: u64, expanded: u64, volumes: Vec<Box<dyn PageVolume>>) -> Paging {
    let (clock, alarm) = (Arc::new(Real), Box::new(|| ()));
    let expanded = Expanded::new(expanded << 20);
    Paging::start(Resources { frames, expanded, volumes, clock, alarm }).expect("the host has a thread")
}

pub(crate) fn memory(slots: u32) -> (Arc<Shaky>, Vec<Box<dyn PageVolume>>) {
    let shaky = Arc::new(Shaky { slots, ..Shaky::default() });
    (shaky.clone(), vec![Box::new(Volume(shaky))])
}

/// A guest of so many CPUs and megabytes.
pub(crate) struct Guest {
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) pages: Pages,
}

pub(crate) const TEXT: u64 = 0x4000;
/// The first page that programs use; the prefix areas of CPUs come before.
pub(crate) const FIRST: u64 = 0x10_0000;
pub(crate) const WIDE: u64 = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;

/// R10 rounds: stores into each of R3 pages from R2 on, R7 bytes apart, its address plus the number of the round, and
/// looks at them. R4 counts what is wrong.
const ROUNDS: &str = "LGR 6,2;LGR 8,3;LGR 9,6;AGR 9,5;STG 9,0(0,6);STG 9,2048(0,6);AGR 6,7;BRCTG 8,*-24;\
    LGR 6,2;LGR 8,3;LGR 9,6;AGR 9,5;CG 9,0(0,6);BRC 8,*+8;AHI 4,1;CG 9,2048(0,6);BRC 8,*+8;AHI 4,1;AGR 6,7;\
    BRCTG 8,*-40;AGHI 5,1;BRCTG 10,*-92";

impl Guest {
    pub(crate) fn new(paging: &Paging, megabytes: u64, cpus: u16) -> Guest {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        engine::provide(jit::translator);
        let specification = Specification {
            storage: megabytes << 20,
            room: (megabytes + 4) << 20,
            cpus,
            max_cpus: cpus,
            architecture: Architecture::Z,
            ..Specification::default()
        };
        let configuration = Configuration::new(specification, Arc::new(Real), Arc::new(Nobody)).expect("there is room");
        let pages = paging.adopt(&configuration, NUMBER.fetch_add(1, SeqCst), 1).expect("it is paged");
        Guest { configuration, pages }
    }

    pub(crate) fn put(&self, at: u64, bytes: &[u8]) {
        self.configuration.storage().write(Absolute(at), bytes).expect("it is in storage");
    }

    /// Runs the rounds on a CPU over a part of storage; how many words were wrong.
    pub(crate) fn rounds(&self, cpu: u16, first: u64, pages: u64, rounds: u64) -> Result<u64, Full> {
        let prefix = 0x8_0000 + 0x2000 * u64::from(cpu);
        let wait = Psw { mask: mask::WAIT, address: 0xbad };
        for new in [0x1a0, 0x1b0, 0x1c0, 0x1d0, 0x1e0, 0x1f0] {
            self.put(prefix + new, &wait.mask.to_be_bytes());
            self.put(prefix + new + 8, &wait.address.to_be_bytes());
        }
        let text = assemble(ROUNDS);
        self.put(TEXT, &text);
        self.put(TEXT + text.len() as u64, &[0, 0]);
        {
            let mut core = self.configuration.cpu(cpu);
            core.state.set_prefix(prefix).expect("it is in storage");
            for (register, value) in [(2, first), (3, pages), (4, 0), (5, 7), (7, PAGE), (10, rounds)] {
                core.state.gr[register] = value;
            }
            core.state.set_psw(Psw { mask: WIDE, address: TEXT });
        }
        self.configuration.start(cpu);
        self.go(cpu)?;
        let old = self.configuration.storage().read_u64(Absolute(prefix + 0x158)).expect("it is in storage");
        assert_eq!(old, TEXT + text.len() as u64 + 2, "the end of the program");
        let core = self.configuration.cpu(cpu);
        assert_eq!(core.state.gr[5], 7 + rounds);
        Ok(core.state.gr[4])
    }

    /// Runs a CPU until it waits.
    pub(crate) fn go(&self, cpu: u16) -> Result<(), Full> {
        loop {
            if self.pages.owes() {
                self.pages.settle()?;
            }
            match self.configuration.run(cpu, 10_000) {
                Exit::SliceEnd | Exit::Left => (),
                Exit::DisabledWait(_) => return Ok(()),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Engines are chosen for the whole process: one test at a time.
static ENGINE: Mutex<()> = Mutex::new(());

pub(crate) fn with(engine: Engine) -> impl Drop {
    let guard = ENGINE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    struct Chosen<'a>(#[allow(dead_code)] std::sync::MutexGuard<'a, ()>);
    impl Drop for Chosen<'_> {
        fn drop(&mut self) {
            engine::choose(Engine::Jit);
        }
    }
    engine::choose(engine);
    Chosen(guard)
}
