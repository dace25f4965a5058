//! The machines a bench compares, each started on the same kernel, initramfs and command line, and what is read off
//! a running one: its console lines with the time each came, its processor time, its memory.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::host::{self, Outcome, at, make_folder};

/// The storage of most guests in MiB.
pub(super) const MEMORY_MIB: u64 = 1024;

/// What a machine is started on.
#[derive(Clone)]
pub(super) struct Load {
    pub kernel: PathBuf,
    pub initrd: PathBuf,
    /// The same benchmarks for the host itself.
    pub native: PathBuf,
    /// A disk: an image of a 3390; on QEMU nothing but its blocks, at a virtio disk.
    pub disk: Option<PathBuf>,
    /// A network card, and a gateway that leads to this host's loopback, too.
    pub network: bool,
    /// The guest's storage in MiB.
    pub memory: u64,
    /// Passes that our translator leaves out.
    pub without: &'static str,
}

/// The emulator that runs the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Machine {
    Endicott,
    Qemu,
    Hercules,
    /// No machine: the same C, compiled for the host.
    Native,
    /// The same on one of the host's processors.
    Alone,
    /// Endicott with two CPUs.
    Two,
}

impl Machine {
    pub(super) fn name(self) -> &'static str {
        match self {
            Machine::Endicott => "endicott",
            Machine::Qemu => "qemu",
            Machine::Hercules => "hercules",
            Machine::Native => "native",
            Machine::Alone => "native, 1 CPU",
            Machine::Two => "endicott, 2 CPUs",
        }
    }

    /// The program and its version, in its own words; `None` where it is not installed.
    pub(super) fn version(self) -> Option<String> {
        let program = match self {
            Machine::Endicott | Machine::Two => return Some(format!("endicott {}", env!("CARGO_PKG_VERSION"))),
            Machine::Qemu => "qemu-system-s390x",
            Machine::Hercules => "hercules",
            Machine::Native | Machine::Alone => "cc",
        };
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let mut lines = said.lines();
        let named = |line: &&str| self == Machine::Native || line.to_lowercase().contains("version");
        lines.find(named).map(|line| line.trim().to_owned())
    }

    /// Starts the machine with `mode` on the guest's command line.
    pub(super) fn start(self, load: &Load, mode: &str) -> Outcome<Running> {
        let folder = host::cache().join("bench").join(self.name());
        make_folder(&folder)?;
        let append = format!("quiet {mode}");
        let mut command = match self {
            Machine::Endicott => endicott(load, &append, 1),
            Machine::Two => endicott(load, &append, 2),
            Machine::Native => native(Command::new("sh"), load, mode),
            Machine::Alone => native(on_one_processor("sh"), load, mode),
            Machine::Qemu => qemu(load, &append),
            Machine::Hercules => hercules(&folder, load, &append)?,
        };
        let log = folder.join("console.log");
        let mut record = at(&log, File::create(&log))?;
        let complaints = at(&log, File::create(folder.join("errors.log")))?;
        let began = Instant::now();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints).spawn();
        let mut child = child.map_err(|error| format!("{} could not be started: {error}.", self.name()))?;
        let console = child.stdout.take().expect("the output is piped");
        let (send, lines) = channel();
        thread::spawn(move || {
            let mut console = BufReader::new(console);
            let mut line = Vec::new();
            while console.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                let came = began.elapsed();
                let _ = record.write_all(&line);
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if send.send(Line { came, text }).is_err() {
                    break;
                }
                line.clear();
            }
        });
        Ok(Running { machine: self, child, lines, began, log })
    }
}

/// The benchmarks that `mode` names, between the lines that a guest's init prints.
fn native(mut shell: Command, load: &Load, mode: &str) -> Command {
    const SCRIPT: &str = "echo INIT-START; for test in ${2:-$($1 list)}; do $1 $test; done; echo BENCH-DONE";
    let tests = mode.split(' ').find_map(|word| word.strip_prefix("vmb.tests=")).unwrap_or_default();
    shell.args(["-c", SCRIPT, "sh"]).arg(&load.native).arg(tests.replace(',', " "));
    shell
}

/// A program that has one of the host's processors, the first.
fn on_one_processor(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0", program]);
    command
}

fn endicott(load: &Load, append: &str, cpus: u16) -> Command {
    let mut command = Command::new(host::target("release").join("endicott"));
    command.arg("linux").arg("--kernel").arg(&load.kernel).arg("--initrd").arg(&load.initrd);
    command.args(["--append", append, "--memory", &format!("{}M", load.memory)]);
    command.arg("--cpus").arg(cpus.to_string()).env("ENDICOTT_WITHOUT", load.without);
    if let Some(disk) = &load.disk {
        command.arg("--disk").arg(disk);
    }
    if load.network {
        command.args(["--net", "user", "--host-access"]);
    }
    command
}

fn qemu(load: &Load, append: &str) -> Command {
    let mut command = Command::new("qemu-system-s390x");
    command.args(["-M", "s390-ccw-virtio", "-smp", "1", "-m", &format!("{}M", load.memory)]);
    command.args(["-nographic", "-no-reboot", "-nodefaults"]);
    command.args(["-chardev", "stdio,id=c0,mux=off,signal=off", "-device", "sclpconsole,chardev=c0"]);
    if let Some(disk) = &load.disk {
        let drive = format!("file={},if=none,id=disk,format=raw,cache=writeback", disk.display());
        command.args(["-drive", &drive, "-device", "virtio-blk-ccw,drive=disk"]);
    }
    if load.network {
        command.args(["-netdev", "user,id=net", "-device", "virtio-net-ccw,netdev=net"]);
    }
    command.arg("-kernel").arg(&load.kernel).arg("-initrd").arg(&load.initrd).args(["-append", append]);
    command
}

/// Hercules loads a kernel by a list of files and addresses, so address and size of the initramfs and the command line
/// are laid into files for the kernel's parameter area (Linux, arch/s390/boot: 0x10408, 0x10410, 0x10480).
fn hercules(folder: &Path, load: &Load, append: &str) -> Outcome<Command> {
    const INITRD_AT: u64 = 0x80_0000;
    let put = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        at(&path, fs::write(&path, content))
    };
    let initrd = at(&load.initrd, fs::read(&load.initrd))?;
    put("kernel.img", &at(&load.kernel, fs::read(&load.kernel))?)?;
    put("initrd.off", &INITRD_AT.to_be_bytes())?;
    put("initrd.siz", &(initrd.len() as u64).to_be_bytes())?;
    put("initrd.img", &initrd)?;
    put("parm", format!("{append} conmode=sclp\0").as_bytes())?;
    put(
        "linux.ins",
        format!(
            "kernel.img 0x00000000\ninitrd.off 0x00010408\ninitrd.siz 0x00010410\nparm 0x00010480\n\
             initrd.img {INITRD_AT:#010x}\n"
        )
        .as_bytes(),
    )?;
    let disk = load.disk.as_ref().map_or(String::new(), |disk| format!("0200 3390 {}\n", disk.display()));
    put(
        "herc.conf",
        // It will not start without a device, and a printer needs no network port.
        format!(
            "CPUSERIAL 002623\nCPUMODEL 2097\nNUMCPU 1\nMAXCPU 1\nARCHMODE z/Arch\nPGMPRDOS LICENSED\n\
             MAINSIZE {}\nOSTAILOR QUIET\n000E 1403 prt.txt\n{disk}",
            load.memory
        )
        .as_bytes(),
    )?;
    // It ends with its script: the pauses keep it waiting.
    put("script", format!("ipl linux.ins\n{}", "pause 900\n".repeat(20)).as_bytes())?;
    let mut command = Command::new("hercules");
    command.current_dir(folder).env("HERCULES_RC", "script").args(["-d", "-f", "herc.conf"]);
    Ok(command)
}

/// A console line and when it came, counted from the machine's start.
pub(super) struct Line {
    pub came: Duration,
    pub text: String,
}

/// A machine that was started; it is ended when this goes.
pub(super) struct Running {
    machine: Machine,
    child: Child,
    lines: Receiver<Line>,
    began: Instant,
    log: PathBuf,
}

impl Running {
    /// Reads console lines up to the one that contains `mark`, which is the last returned.
    pub(super) fn until(&mut self, mark: &str, limit: Duration) -> Outcome<Vec<Line>> {
        let end = self.began.elapsed() + limit;
        let mut seen = Vec::new();
        loop {
            let left = end.saturating_sub(self.began.elapsed());
            let line = self.next(mark, left)?;
            let last = line.text.contains(mark);
            seen.push(line);
            if last {
                return Ok(seen);
            }
        }
    }

    /// The next console line; `mark` is what is waited for.
    pub(super) fn next(&mut self, mark: &str, limit: Duration) -> Outcome<Line> {
        let line = self.lines.recv_timeout(limit).map_err(|_| {
            format!(
                "{} did not print {mark} within {limit:?}; its console is in {}.",
                self.machine.name(),
                self.log.display()
            )
        });
        Ok(line?)
    }

    /// Per cent of one host processor used over `time`.
    pub(super) fn busy(&self, time: Duration) -> Outcome<f64> {
        let (before, began) = (self.processor_time()?, Instant::now());
        thread::sleep(time);
        Ok(100.0 * (self.processor_time()? - before) / began.elapsed().as_secs_f64())
    }

    /// Seconds of host processor time used so far, all threads together.
    pub(super) fn processor_time(&self) -> Outcome<f64> {
        // Summed over the threads from their own nanosecond counts: clock ticks are too coarse for an idle guest.
        let tasks = self.proc("task");
        let mut nanoseconds = 0;
        for task in at(&tasks, fs::read_dir(&tasks))?.flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            nanoseconds += text.split(' ').next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(nanoseconds as f64 * 1e-9)
    }

    /// Resident memory in KiB: all of it, and the part that is not the guest's storage.
    ///
    /// The guest's storage is the mappings at least as long as it; what is resident of them are the touched pages.
    pub(super) fn memory(&self) -> Outcome<(u64, u64)> {
        let path = self.proc("smaps");
        let text = at(&path, fs::read_to_string(&path))?;
        let (mut all, mut beyond, mut size) = (0, 0, 0);
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (name, value) = (words.next(), words.next().and_then(|word| word.parse::<u64>().ok()));
            match (name, value) {
                (Some("Size:"), Some(kib)) => size = kib,
                (Some("Rss:"), Some(kib)) => {
                    all += kib;
                    if size < MEMORY_MIB * 1024 {
                        beyond += kib;
                    }
                }
                _ => {}
            }
        }
        Ok((all, beyond))
    }

    fn proc(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.child.id()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
