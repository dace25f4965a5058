//! The suite: every test of the workspace, built once by Cargo and executed here, one executable more beside each other
//! than the host has processors.
//!
//! Cargo executes one after the other, and waits with a test that waits. To run some of them again on another engine,
//! it would build most crates again, too: fewer packages have other features.

use base::Held;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;
use std::vec::IntoIter;

use serde::Deserialize;

use crate::host::{self, Failure, Outcome, cargo};
use crate::{cms, guest};

/// One executable of tests.
#[derive(Clone)]
struct Target {
    /// The package, and its folder, which tests are executed in.
    package: String,
    folder: PathBuf,
    /// The target's name, and the file that is its root.
    name: String,
    source: String,
    program: PathBuf,
}

/// Something to be executed: what it is called, and how it is started.
struct Job {
    what: String,
    command: Command,
}

/// What Cargo says of something that it has built.
#[derive(Deserialize)]
struct Message {
    reason: String,
    manifest_path: Option<PathBuf>,
    target: Option<Built>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Built {
    name: String,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// The packages whose tests are executed again with nothing translated, and with everything: what is executed a few
/// times only is interpreted on the usual engine. Of the last one it is the boots of guests, and only the first way.
const AGAIN: [&str; 3] = ["complex", "nucleus", "cms"];
const BOOTS: (&str, &str) = ("endicott", "guests");

/// Packages whose tests wait for processes more than they compute.
const WAITING: [&str; 2] = ["endicott", "cms"];

/// Builds and executes everything.
pub(crate) fn run(profile: &str) -> Outcome {
    let (mut waiting, mut computing) = (Vec::new(), Vec::new());
    for target in built(profile)? {
        let jobs = if WAITING.contains(&target.package.as_str()) { &mut waiting } else { &mut computing };
        jobs.extend(target.engines().iter().map(|&engine| target.job(engine)));
    }
    let mut examples = cargo(&["test", "--workspace", "--doc", "--quiet", "--profile", profile]);
    examples.env("CARGO_TERM_COLOR", "never");
    computing.push(Job { what: "examples in comments".into(), command: examples });
    // One more than there are processors: many tests wait, for a terminal's time-out or a guest's clock. What computes
    // fills their pauses.
    let at_once = thread::available_parallelism().map_or(1, usize::from) + 1;
    let failed = execute(waiting, computing, at_once);
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure(format!("Tests failed: {}.", failed.join("; ")))),
    }
}

/// Has Cargo build the tests; what there is then.
fn built(profile: &str) -> Outcome<Vec<Target>> {
    let format = ["--message-format", "json-render-diagnostics"];
    let said = host::output(cargo(&["test", "--workspace", "--no-run", "--profile", profile]).args(format))?;
    let targets: Vec<Target> = said.lines().filter_map(target).collect();
    match targets.is_empty() {
        true => Err("Cargo names no tests that it has built.".into()),
        false => Ok(targets),
    }
}

/// The executable of tests that a message of Cargo's is about.
fn target(line: &str) -> Option<Target> {
    let message: Message = serde_json::from_str(line).ok()?;
    if message.reason != "compiler-artifact" || !message.profile?.test {
        return None;
    }
    let (folder, built) = (message.manifest_path?.parent()?.to_owned(), message.target?);
    let source = built.src_path.strip_prefix(&folder).unwrap_or(&built.src_path).display().to_string();
    let package = package(&folder)?;
    Some(Target { package, folder, name: built.name, source, program: message.executable? })
}

/// The name of the package in a folder.
fn package(folder: &Path) -> Option<String> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?;
    Some(name.trim_end_matches('"').to_owned())
}

impl Target {
    /// The engines that it is executed on: the usual one, and others if it is one of those.
    fn engines(&self) -> &'static [Option<&'static str>] {
        if AGAIN.contains(&self.package.as_str()) {
            &[None, Some("interpreter"), Some("eager")]
        } else if (self.package.as_str(), self.name.as_str()) == BOOTS {
            &[None, Some("interpreter")]
        } else {
            &[None]
        }
    }

    /// Executes it, on the usual engine or on another.
    fn job(&self, engine: Option<&str>) -> Job {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.env("ENDICOTT_GUEST", guest::folder()).env("ENDICOTT_CMS", cms::folder());
        let mut what = format!("{}, {}", self.package, self.source);
        if let Some(engine) = engine {
            // A boot in lockstep has both engines as it is.
            command.args(["--quiet", "--skip", "in_lockstep"]).env("ENDICOTT_ENGINE", engine);
            what += &format!(", engine {engine}");
        }
        Job { what, command }
    }
}

/// Executes so many at a time, in their order: those that wait, and beside them one that computes. Which have failed.
/// What one says is shown as a whole when it has ended.
fn execute(waiting: Vec<Job>, computing: Vec<Job>, at_once: usize) -> Vec<String> {
    let all = waiting.len() + computing.len();
    let (waiting, computing) = (Mutex::new(waiting.into_iter()), Mutex::new(computing.into_iter()));
    let (shown, failed) = (Mutex::new(0), Mutex::new(Vec::new()));
    let one_after_another = |lists: [&Mutex<IntoIter<Job>>; 2]| {
        let next = || lists.iter().find_map(|list| list.lock().held().next());
        while let Some(Job { what, mut command }) = next() {
            let began = Instant::now();
            let ended = command.stdin(Stdio::null()).stderr(Stdio::piped()).output();
            let mut number = shown.lock().held();
            *number += 1;
            println!("\n[{number}/{all}] {what}: {:.1} s", began.elapsed().as_secs_f64());
            let succeeded = match ended {
                Ok(output) => {
                    print!("{}", String::from_utf8_lossy(&output.stdout));
                    eprint!("{}", String::from_utf8_lossy(&output.stderr));
                    output.status.success()
                }
                Err(error) => {
                    println!("It could not be started: {error}.");
                    false
                }
            };
            if !succeeded {
                failed.lock().held().push(what);
            }
        }
    };
    thread::scope(|scope| {
        for lane in 0..at_once {
            let lists = if lane == 0 { [&computing, &waiting] } else { [&waiting, &computing] };
            scope.spawn(move || one_after_another(lists));
        }
    });
    failed.into_inner().expect("all names were added")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_built_the_tests_are_taken() {
        let line = |reason: &str, test: bool, executable: &str| {
            let folder = env!("CARGO_MANIFEST_DIR");
            format!(
                r#"{{"reason":"{reason}","manifest_path":"{folder}/Cargo.toml","profile":{{"test":{test}}},
                "target":{{"name":"cases","src_path":"{folder}/tests/cases.rs"}},"executable":{executable}}}"#
            )
        };
        let found = target(&line("compiler-artifact", true, r#""/target/cases-1""#)).expect("it is a test");
        assert_eq!((found.package.as_str(), found.name.as_str()), ("xtask", "cases"));
        assert_eq!(found.job(Some("eager")).what, "xtask, tests/cases.rs, engine eager");
        assert!(target(&line("compiler-artifact", false, r#""/target/cases-1""#)).is_none());
        assert!(target(&line("compiler-artifact", true, "null")).is_none());
        assert!(target(&line("build-script-executed", true, r#""/target/cases-1""#)).is_none());
        assert!(target(r#"{"reason":"build-finished","success":true}"#).is_none());
    }

    #[test]
    fn what_fails_is_named_and_the_rest_is_executed() {
        let job = |name: &str| Job { what: name.into(), command: Command::new(name) };
        let failed = execute(vec![job("true"), job("false")], vec![job("/nonexistent"), job("true"), job("true")], 2);
        assert_eq!(failed.len(), 2);
        assert!(["false", "/nonexistent"].iter().all(|name| failed.iter().any(|failed| failed == name)));
        assert!(execute(vec![job("true")], Vec::new(), 4).is_empty());
        assert_eq!(execute(vec![job("false")], vec![job("false")], 1).len(), 2);
    }
}
