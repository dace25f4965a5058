//! Debian's kernel on a bare machine: nothing but the complex under it.
//!
//! The guest's files come from the folder that `ENDICOTT_GUEST` names or from `cache/guest` (`cargo x guest`).

use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Exit, Host, Specification};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Tod {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Tod::from_unix_nanos(since.as_nanos() as u64)
    }
}

/// Keeps what the guest says, and wakes the thread that runs it.
#[derive(Default)]
struct Messages {
    lines: Mutex<Vec<String>>,
    runnable: Mutex<bool>,
    bell: Condvar,
}

impl Messages {
    /// Until the CPU has something to do, and no longer than this.
    fn wait(&self, most: Duration) {
        let runnable = self.runnable.lock().unwrap();
        *self.bell.wait_timeout_while(runnable, most, |runnable| !*runnable).unwrap().0 = false;
    }
}

impl Host for Messages {
    fn runnable(&self, _: u16) {
        *self.runnable.lock().unwrap() = true;
        self.bell.notify_one();
    }
    fn control_program(&self) -> Option<ControlProgram> {
        None
    }
    fn service_message(&self, line: &str) {
        self.lines.lock().unwrap().push(line.trim().to_owned());
    }
}

/// The kernel and its initial RAM disk; says so when they are not there.
pub(crate) fn guest() -> Option<(Vec<u8>, Vec<u8>)> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cache/guest");
    let folder = std::env::var_os("ENDICOTT_GUEST").map_or(default, PathBuf::from);
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let files = read("kernel.img").zip(read("initrd.img"));
    if files.is_none() {
        println!("skipped: no guest images (cargo x guest)");
    }
    files
}

/// A machine with one CPU on which the kernel is started.
pub(crate) struct Boot {
    pub machine: Arc<Configuration>,
    messages: Arc<Messages>,
    began: Instant,
    most: Duration,
}

impl Boot {
    /// `what` the guest's first program is to do; it must not take longer than `most`.
    pub(crate) fn new(files: &(Vec<u8>, Vec<u8>), what: &str, most: Duration) -> Boot {
        Boot::with(files, what, most, |_| ())
    }

    /// The same, with the devices that `attach` adds.
    pub(crate) fn with(
        (kernel, initrd): &(Vec<u8>, Vec<u8>),
        what: &str,
        most: Duration,
        attach: impl FnOnce(&Configuration),
    ) -> Boot {
        let spec = Specification { storage: 256 << 20, cpus: 1, ..Specification::default() };
        let messages = Arc::new(Messages::default());
        engine::provide(jit::translator);
        let machine = Configuration::new(spec, Arc::new(HostClock), messages.clone()).unwrap();
        attach(&machine);
        machine.load_direct(kernel, initrd, &format!("console=ttyS0 nokaslr quiet vmb.mode={what}")).unwrap();
        Boot { machine, messages, began: Instant::now(), most }
    }

    /// What the guest has said.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.messages.lines.lock().unwrap().clone()
    }

    /// Runs until this is so between two slices, or the guest has powered off.
    pub(crate) fn until(&self, enough: impl Fn(&Boot) -> bool) {
        while !enough(self) {
            assert!(self.began.elapsed() < self.most, "it takes too long: {:#?}", self.lines());
            match self.machine.run(0, 2_000) {
                Exit::SliceEnd | Exit::Left | Exit::Step | Exit::Message => {}
                Exit::Wait { until } => {
                    let micros = until.map_or(1000, |until| until.micros_since(self.machine.now())).min(1000);
                    self.messages.wait(Duration::from_micros(micros));
                }
                Exit::Stopped => return,
                Exit::DisabledWait(_) | Exit::ProgramLoop => panic!("the guest is lost: {:#?}", self.lines()),
                Exit::Diagnose { ilc, .. } => {
                    self.machine.complete(0, Err(arch::Program::Specification.into()), ilc);
                }
                Exit::Iucv { ilc } => {
                    self.machine.complete(0, Err(arch::Program::Operation.into()), ilc);
                }
            }
        }
    }
}
