//! `endicott report`: experiments that repeat tables of performance reports, with this system's numbers beside theirs.

use crate::{run, sample, work as loads};
use ::work::inside::Steps;
use base::file;
use report::capacity::{self, Capacity, Other, OtherExperiment};
use report::page::{self, Setting};
use report::{Experiment, Finding, Hands, Outcome, Scale, Site, System, figure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use terminals::server::Notes;
use tools::{dasd, signals};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Names every experiment, with the table that it repeats, or why it cannot be run here.
    #[arg(long)]
    list: bool,
    /// Long intervals and a thousand users; else short ones and a hundred.
    #[arg(long)]
    full: bool,
    /// Prints JSON, for programs.
    #[arg(long)]
    json: bool,
    /// Another endicott executable: it runs the same experiments, and the report has the capacity of this one relative
    /// to it.
    #[arg(long, value_name = "BUILD")]
    against: Option<PathBuf>,
    /// Where results are kept, as they come: a report that was stopped goes on from there.
    #[arg(long, value_name = "DIR", default_value = "endicott-report")]
    out: PathBuf,
    /// The folder with CMS; else where "endicott sample" looks.
    #[arg(long, value_name = "DIR")]
    cms: Option<PathBuf>,
    /// How often each experiment runs; the report has the medians.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    runs: Option<u8>,
    /// How many seconds are measured where guests loop.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(1..))]
    seconds: Option<u16>,
    /// The most users that enter commands.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(10..=1000))]
    users: Option<u16>,
    /// Which experiments [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// More than a result has.
const MOST: u64 = 16 << 20;

/// What the program does for experiments.
const HANDS: Hands = Hands { bring_up, volume: make_volume, load: make_load, goes_on: || !signals::stopped() };

/// The folder with another build's results, in the results' folder.
fn place_of(build: &Path, out: &Path) -> PathBuf {
    out.join(format!("against-{}", identity(build)))
}

/// What tells an executable from one that was built later: its length and when it was written.
fn identity(build: &Path) -> String {
    let Ok(metadata) = std::fs::metadata(build) else { return "unknown".into() };
    let written = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{:x}-{:x}", metadata.len(), written.map_or(0, |since| since.as_secs()))
}

pub(crate) fn report(options: &Options) -> Result<(), String> {
    if options.list {
        list();
        return Ok(());
    }
    let chosen = report::chosen(&options.names)?;
    let against = options.against.as_deref().map(|build| Ok::<_, String>((build, version(build)?))).transpose()?;
    let mut scale = if options.full { Scale::FULL } else { Scale::USUAL };
    scale.runs = options.runs.map_or(scale.runs, usize::from);
    scale.seconds = options.seconds.map_or(scale.seconds, f64::from);
    scale.users = options.users.map_or(scale.users, usize::from);
    let setting = setting();
    std::fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let folder = options.out.join("system");
    if !folder.exists() {
        sample::make(&folder, options.cms.as_deref(), false)?
            .then_some(())
            .ok_or("a report needs CMS: say where it is with --cms, or build it with \"make cms\"")?;
    }
    let site = Site::prepare(&folder, HANDS, options.cms.as_deref())?;
    signals::watch();
    let bar = say::progress::bar((chosen.len() * scale.runs) as u64, "{wide_msg} {pos}/{len} {eta} left");
    let (mut findings, mut others) = (Vec::new(), Vec::new());
    for (at, &experiment) in chosen.iter().enumerate() {
        bar.set_message(experiment.name);
        let done = at * scale.runs;
        let advance = |run: usize| {
            bar.set_position((done + run) as u64);
            !signals::stopped()
        };
        let Some(finding) = find(experiment, &site, options, &setting, scale, advance)? else { break };
        if let (Finding::Measured(outcome), Some((build, _))) = (&finding, &against)
            && capacity::has_throughput(outcome)
        {
            bar.set_message(format!("{} by {}", experiment.name, build.display()));
            others.push((experiment.name, of_other(build, options, scale, experiment)));
        }
        advance(scale.runs);
        findings.push((experiment, finding));
        if signals::stopped() {
            break;
        }
    }
    bar.finish_and_clear();
    let here = std::env::current_exe().map_or_else(|_| "this".into(), |path| path.display().to_string());
    let to = format!("endicott {} ({here})", setting.version);
    let capacity = against.map(|(_, from)| Capacity::of(from, to, &findings, &others));
    let json = page::json(&setting, &findings, capacity.as_ref());
    let markdown = page::markdown(&setting, &findings, capacity.as_ref());
    let keep = |name: &str, text: &str| {
        let path = options.out.join(name);
        file::write(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (experiment, finding) in &findings {
        let Finding::Measured(outcome) = finding else { continue };
        for (n, picture) in experiment.pictures.iter().enumerate() {
            if let Some(svg) = figure::svg(experiment.title, picture, outcome) {
                keep(&figure::file(experiment.name, n), &svg)?;
            }
        }
    }
    keep("report.json", &json)?;
    keep("report.md", &markdown)?;
    say::print(format_args!("{}", if options.json { &json } else { &markdown }));
    match findings.len() < chosen.len() {
        true => {
            Err(format!("stopped after {} of {} experiments: the same command goes on", findings.len(), chosen.len()))
        }
        false => Ok(()),
    }
}

/// Each experiment, its table, and its title or why it cannot be run.
fn list() {
    for one in report::all() {
        let what = one.lacks().map_or(one.title.to_owned(), |why| format!("({why}) {}", one.title));
        say!("{:24} {:24} {what}", one.name, one.table);
    }
}

/// What there is of an experiment: an earlier result, or a new one; nothing if it was stopped.
fn find(
    experiment: &Experiment,
    site: &Site,
    options: &Options,
    setting: &Setting,
    scale: Scale,
    advance: impl FnMut(usize) -> bool,
) -> Result<Option<Finding>, String> {
    if let Some(why) = experiment.lacks() {
        return Ok(Some(Finding::Not(why)));
    }
    if let Some(outcome) = kept(&options.out, experiment, setting, scale) {
        return Ok(Some(Finding::Measured(outcome)));
    }
    let Some(outcome) = report::perform(experiment, site, scale, advance)? else { return Ok(None) };
    keep(&options.out, setting, &outcome)?;
    Ok(Some(Finding::Measured(outcome)))
}

// Another build.

/// What another build calls itself, with its file.
fn version(build: &Path) -> Result<String, String> {
    let remedy = "say where another endicott executable is, as in target/release/endicott";
    let output = Command::new(build).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{} cannot be run: {error}; {remedy}", build.display()))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.success() && said.starts_with("endicott ") {
        true => Ok(format!("{said} ({})", build.display())),
        false => Err(format!("{} is no endicott: it says {said:?}; {remedy}", build.display())),
    }
}

/// What another build measures for an experiment; the error says why it measures nothing.
fn of_other(build: &Path, options: &Options, scale: Scale, experiment: &Experiment) -> Result<OtherExperiment, String> {
    let mut command = Command::new(build);
    command.args(["report", "--json", "--out"]).arg(place_of(build, &options.out));
    command.args(["--runs", &scale.runs.to_string(), "--seconds", &scale.seconds.to_string()]);
    if options.full {
        command.arg("--full");
    }
    if let Some(users) = options.users {
        command.args(["--users", &users.to_string()]);
    }
    if let Some(cms) = &options.cms {
        command.arg("--cms").arg(cms);
    }
    let output = command.arg(experiment.name).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{} cannot be run: {error}", build.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("it says {:?}", said.lines().last().unwrap_or_default()));
    }
    let other: Other =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("its report cannot be read: {error}"))?;
    let found = other.experiments.into_iter().find(|other| other.name == experiment.name);
    found.ok_or_else(|| "its report does not have the experiment".into())
}

// What the program does for experiments.

/// Brings a system up for a run.
fn bring_up(folder: &Path, clock: Option<Arc<Steps>>) -> Result<System, String> {
    let notes = Arc::new(Notes::default());
    let mut configuration = run::load_configuration(folder)?;
    configuration.system.processors = run::processors(configuration.processors.unwrap_or(1));
    let (cp, _) = match clock {
        Some(clock) => run::control_program_at(folder, configuration, &notes, clock)?,
        None => run::control_program(folder, configuration, &notes)?,
    };
    Ok(System { cp, notes })
}

/// Makes a volume.
fn make_volume(file: &Path, serial: &str) -> Result<(), String> {
    dasd::create_usual(file, serial).map(drop)
}

/// Makes a system for a load; what is half made goes.
fn make_load(load: &str, folder: &Path, users: usize, cms: Option<&Path>) -> Result<(), String> {
    loads::make_system(load, folder, users, cms).map(drop).inspect_err(|_| drop(std::fs::remove_dir_all(folder)))
}

fn setting() -> Setting {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    Setting {
        host: format!("{processors} processors, {model}"),
        engine: format!("engine {:?}", engine::engine()).to_lowercase(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// What is kept of an experiment, with what it was measured with.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept {
    setting: Setting,
    /// Which build has measured it.
    #[serde(default)]
    build: String,
    outcome: Outcome,
}

/// This build.
fn this() -> String {
    std::env::current_exe().map_or_else(|_| "unknown".into(), |path| identity(&path))
}

fn place(out: &Path, name: &str) -> PathBuf {
    out.join(format!("{name}.result"))
}

/// The result of an earlier report that was measured in the same way, by the same build.
fn kept(out: &Path, experiment: &Experiment, setting: &Setting, scale: Scale) -> Option<Outcome> {
    let text = file::read_text(&place(out, experiment.name), MOST).ok()?;
    let kept: Kept = serde_json::from_str(&text).ok()?;
    (kept.setting == *setting && kept.build == this() && kept.outcome.scale == scale && kept.outcome.is_valid())
        .then_some(kept.outcome)
}

fn keep(out: &Path, setting: &Setting, outcome: &Outcome) -> Result<(), String> {
    let path = place(out, &outcome.name);
    let kept = Kept { setting: setting.clone(), build: this(), outcome: outcome.clone() };
    file::write(&path, say::json(&kept).as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}
