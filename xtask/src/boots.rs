//! `cargo x boots`: Debian's stock kernel boots to its init and powers off, many times in a row, on one, two and four
//! CPUs.
//!
//! A boot that is not over after two minutes is a hang: the stacks of all threads are printed, if the host has gdb, and
//! the task fails. So does it if a boot ends otherwise than by powering off.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::guest;
use crate::host::{self, Outcome, at, cargo, make_folder, run};

const LIMIT: Duration = Duration::from_secs(120);
const CPUS: [u16; 3] = [1, 2, 4];

/// `boots [N] [--cpus N] [--engine ENGINE]`: N times each, 3 unless said otherwise.
pub(crate) fn boots(words: &[&str]) -> Outcome {
    let (mut times, mut cpus, mut engine) = (3, CPUS.to_vec(), "jit");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--cpus" => {
                let number = words.next().and_then(|text| text.parse().ok()).filter(|number| (1..=64).contains(number));
                cpus = vec![number.ok_or("--cpus wants a number of virtual CPUs.")?];
            }
            "--engine" => engine = words.next().ok_or("--engine wants interpreter, jit or compare.")?,
            text => {
                let number = text.parse().ok().filter(|number| *number > 0);
                times = number.ok_or("boots knows a number of times, --cpus N and --engine ENGINE.")?;
            }
        }
    }
    run(&mut cargo(&["build", "--release", "--package", "endicott"]))?;
    let guest = guest::prepare()?;
    let folder = host::cache().join("boots");
    make_folder(&folder)?;
    for cpus in cpus {
        let mut seconds = Vec::new();
        for number in 1..=times {
            let took = boot(&folder, &guest.kernel, &guest.initrd, cpus, engine)
                .map_err(|failure| format!("boot {number} of {times} on {cpus} CPUs: {}", failure.0))?;
            seconds.push(took.as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        let (first, middle, last) = (seconds[0], seconds[seconds.len() / 2], seconds[seconds.len() - 1]);
        println!("{times} boots on {cpus} CPUs, {engine}: {first:.1} to {last:.1} s, median {middle:.1} s");
    }
    Ok(())
}

/// One boot; how long it took.
fn boot(folder: &Path, kernel: &Path, initrd: &Path, cpus: u16, engine: &str) -> Outcome<Duration> {
    let (console, errors) = (folder.join("console.log"), folder.join("errors.log"));
    let mut command = Command::new(host::target("release").join("endicott"));
    command.args(["--engine", engine, "linux", "--memory", "512M", "--append", "nokaslr vmb.mode=boot"]);
    command.arg("--cpus").arg(cpus.to_string()).arg("--kernel").arg(kernel).arg("--initrd").arg(initrd);
    command.stdin(Stdio::null());
    command.stdout(at(&console, File::create(&console))?).stderr(at(&errors, File::create(&errors))?);
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("endicott could not be started: {error}."))?;
    // The compared engines take their time.
    let limit = if engine == "compare" { 20 * LIMIT } else { LIMIT };
    let status = wait(&mut child, limit);
    let took = began.elapsed();
    let said = String::from_utf8_lossy(&at(&console, fs::read(&console))?).into_owned();
    let trouble = String::from_utf8_lossy(&at(&errors, fs::read(&errors))?).into_owned();
    let tail = || said.lines().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n");
    match status {
        None => Err(format!("no end after {limit:?}.\n{}\n{trouble}", tail()).into()),
        Some(status) if !status.success() => Err(format!("it ended with {status}.\n{}\n{trouble}", tail()).into()),
        Some(_) if !said.contains("INIT-START") => Err(format!("no init has spoken.\n{}\n{trouble}", tail()).into()),
        Some(_) => Ok(took),
    }
}

/// Waits for the end; if it does not come, shows where each thread is and ends it.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        sleep(Duration::from_millis(50));
    }
    let _ = Command::new("gdb")
        .args(["-p", &child.id().to_string(), "-batch", "-ex", "thread apply all bt 25"])
        .stdin(Stdio::null())
        .status();
    let _ = child.kill();
    let _ = child.wait();
    None
}
