//! A Linux kernel on a bare machine, its messages on standard output: `bare KERNEL INITRD COMMAND-LINE [MEGABYTES]
//! [CPUS]`.
//!
//! `DISKS=3390-3:100,9336-20:5000,FILE` attaches disks at 0200, 0201 and so on: in storage, of a model and so many
//! cylinders or blocks, or image files; `CU=3990-3` gives them another control unit than the usual.
//!
//! No CP: the kernel finds itself in a partition and talks to the service element's console. For bringing up the
//! processor and for measuring it alone.

use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Exit, Host, Specification};
use dasd::model::{CkdModel, FbaModel};
use dasd::{Memory, Volume};
use devices::dasd::{ControlUnit, Options};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Tod {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Tod::from_unix_nanos(since.as_nanos() as u64)
    }
}

struct Screen;

impl Host for Screen {
    fn runnable(&self, _: u16) {}
    fn control_program(&self) -> Option<ControlProgram> {
        None
    }
    fn service_message(&self, line: &str) {
        println!("{line}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, kernel, initrd, command_line, rest @ ..] = &arguments[..] else {
        eprintln!("usage: bare KERNEL INITRD COMMAND-LINE [MEGABYTES] [CPUS]");
        std::process::exit(2);
    };
    let number = |n: usize, default: u64| rest.get(n).and_then(|text| text.parse().ok()).unwrap_or(default);
    let read = |path: &String| std::fs::read(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let spec = Specification { storage: number(0, 512) << 20, cpus: number(1, 1) as u16, ..Specification::default() };
    engine::provide(jit::translator);
    let configuration = Configuration::new(spec, Arc::new(HostClock), Arc::new(Screen)).expect("room for its storage");
    configuration.load_direct(&read(kernel), &read(initrd), command_line).unwrap_or_else(|e| panic!("{e}"));
    for (n, disk) in std::env::var("DISKS").iter().flat_map(|disks| disks.split(',')).enumerate() {
        let older = std::env::var("CU").is_ok_and(|unit| unit == "3990-3");
        let control_unit = older.then_some(ControlUnit::C3990_3).filter(|_| disk.starts_with("33"));
        let device = devices::dasd::device(volume(disk), Options { control_unit, paths: 2, ..Options::default() });
        configuration.css().attach(0x200 + n as u16, device).unwrap_or_else(|e| panic!("{e}"));
    }
    let start = std::time::Instant::now();
    let threads: Vec<_> = configuration
        .cpus()
        .map(|n| {
            let configuration = configuration.clone();
            std::thread::spawn(move || run(&configuration, n))
        })
        .collect();
    for thread in threads {
        thread.join().expect("a CPU's thread does not panic");
    }
    let instructions: u64 = configuration.cpus().map(|n| configuration.cpu(n).state.instructions).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!("{:?}", configuration.css().counts());
    println!("{instructions} instructions, {seconds:.2} s, {:.0} MIPS", instructions as f64 / seconds / 1e6);
}

/// A volume in storage, "3390-3:100", or a file.
fn volume(disk: &str) -> Arc<dyn Volume> {
    let model = disk.split_once(':').and_then(|(model, size)| Some((model, size.parse().ok()?)));
    match model {
        Some((model, size)) => match (CkdModel::named(model), FbaModel::named(model)) {
            (Some(model), _) => Arc::new(Memory::ckd(model, size)),
            (_, Some(model)) => Arc::new(Memory::fba(model, size.into())),
            _ => panic!("there is no disk {model}"),
        },
        None => dasd::open(disk.as_ref()).unwrap_or_else(|e| panic!("{e}")),
    }
}

fn run(configuration: &Configuration, n: u16) {
    let report = |what: &str| {
        let core = configuration.cpu(n);
        let psw = core.state.psw();
        println!("CPU {n}: {what}, PSW {:016X} {:016X}", psw.mask, psw.address);
        if std::env::var_os("REGISTERS").is_some() {
            println!("GR {:X?}\nCR {:X?}", core.state.gr, core.state.cr);
        }
    };
    loop {
        match configuration.run(n, 100_000) {
            Exit::SliceEnd | Exit::Left | Exit::Message | Exit::Step => {
                if std::env::var_os("PROGRESS").is_some() {
                    report("running");
                }
            }
            Exit::Wait { until } => {
                let now = configuration.now();
                let micros = until.map_or(1000, |until| until.micros_since(now)).min(1000);
                std::thread::sleep(Duration::from_micros(micros));
            }
            Exit::Stopped => {
                if configuration.all_stopped() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Exit::DisabledWait(_) => {
                report("disabled wait");
                std::process::exit(1);
            }
            Exit::ProgramLoop => {
                report("program interruption loop");
                std::process::exit(1);
            }
            Exit::Diagnose { code, ilc, .. } => {
                let _ = code;
                configuration.complete(n, Err(arch::Program::Specification.into()), ilc);
            }
            Exit::Iucv { ilc } => {
                configuration.complete(n, Err(arch::Program::Operation.into()), ilc);
            }
        }
    }
}
