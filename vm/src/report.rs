//! `endicott report`: experiments that repeat tables of performance reports, with this system's numbers beside theirs.

use crate::{run, sample};
use base::file;
use nucleus::system::Cp;
use report::page::{self, Setting};
use report::{CATALOGUE, Experiment, Outcome, Scale, Site};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terminals::server::Notes;
use tools::signals;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Names every experiment, with the table that it repeats.
    #[arg(long)]
    list: bool,
    /// Long intervals and a thousand users; else short ones and a hundred.
    #[arg(long)]
    full: bool,
    /// Prints JSON, for programs.
    #[arg(long)]
    json: bool,
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
    /// Which experiments [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// More than a result has.
const MOST: u64 = 16 << 20;

pub(crate) fn report(options: &Options) -> Result<(), String> {
    if options.list {
        CATALOGUE.iter().for_each(|one| say!("{:24} {:24} {}", one.name, one.table, one.title));
        return Ok(());
    }
    let chosen = report::chosen(&options.names)?;
    let mut scale = if options.full { Scale::FULL } else { Scale::USUAL };
    scale.runs = options.runs.map_or(scale.runs, usize::from);
    scale.seconds = options.seconds.map_or(scale.seconds, f64::from);
    let setting = setting();
    std::fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let folder = options.out.join("system");
    if !folder.exists() {
        sample::make(&folder, options.cms.as_deref(), false)?
            .then_some(())
            .ok_or("a report needs CMS: say where it is with --cms, or build it with \"make cms\"")?;
    }
    let site = Site::prepare(&folder, bring_up)?;
    signals::watch();
    let bar = say::progress::bar((chosen.len() * scale.runs) as u64, "{wide_msg} {pos}/{len} {eta} left");
    let mut results = Vec::new();
    for (at, experiment) in chosen.iter().enumerate() {
        bar.set_message(experiment.name);
        let done = at * scale.runs;
        let advance = |run: usize| {
            bar.set_position((done + run) as u64);
            !signals::stopped()
        };
        let kept = kept(&options.out, experiment, &setting, scale);
        let outcome = match kept {
            Some(outcome) => outcome,
            None => {
                let Some(outcome) = report::perform(experiment, &site, scale, advance)? else { break };
                keep(&options.out, &setting, &outcome)?;
                outcome
            }
        };
        advance(scale.runs);
        results.push((*experiment, outcome));
    }
    bar.finish_and_clear();
    let json = page::json(&setting, &results);
    let markdown = page::markdown(&setting, &results);
    for (name, text) in [("report.json", &json), ("report.md", &markdown)] {
        let path = options.out.join(name);
        file::write(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    say::print(format_args!("{}", if options.json { &json } else { &markdown }));
    match signals::stopped() && results.len() < chosen.len() {
        true => {
            Err(format!("stopped after {} of {} experiments: the same command goes on", results.len(), chosen.len()))
        }
        false => Ok(()),
    }
}

/// Brings a system up for a run.
fn bring_up(folder: &Path) -> Result<Arc<Cp>, String> {
    let notes = Arc::new(Notes::default());
    run::control_program(folder, run::load_configuration(folder)?, &notes).map(|(cp, _)| cp)
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
    outcome: Outcome,
}

fn place(out: &Path, name: &str) -> PathBuf {
    out.join(format!("{name}.result"))
}

/// The result of an earlier report that was measured in the same way.
fn kept(out: &Path, experiment: &Experiment, setting: &Setting, scale: Scale) -> Option<Outcome> {
    let text = file::read_text(&place(out, experiment.name), MOST).ok()?;
    let kept: Kept = serde_json::from_str(&text).ok()?;
    (kept.setting == *setting && kept.outcome.scale == scale && kept.outcome.is_valid()).then_some(kept.outcome)
}

fn keep(out: &Path, setting: &Setting, outcome: &Outcome) -> Result<(), String> {
    let path = place(out, &outcome.name);
    let kept = Kept { setting: setting.clone(), outcome: outcome.clone() };
    file::write(&path, say::json(&kept).as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}
