//! `cargo x bench`: Endicott against the machines that Debian packages, in one run on one host, as ratios.
//!
//! Absolute times on shared hosts lie; medians of alternating runs, divided, do so less.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::guest;
use crate::host::{self, Outcome, at, cargo, make_folder, output, run};

mod disks;
mod machine;
mod net;
mod passes;
mod programs;
use machine::{Load, Machine, Running};

/// What can be asked for: one of [`NO_BENCHMARKS`], or a benchmark's name; nothing means everything.
struct Wish {
    boots: usize,
    rounds: usize,
    items: Vec<String>,
    ours: bool,
}

/// What a figure should be.
#[derive(Clone, Copy)]
enum Goal {
    None,
    /// Ours divided by the peer's is at most this.
    Ratio(f64),
    /// Ours divided by the peer's is less than this.
    Faster,
    /// Ours divided by the peer's is at least this.
    AtLeast(f64),
    /// Ours itself is less than this.
    Below(f64),
}

/// One row of the table: an item on us and on a peer.
struct Row {
    item: String,
    unit: &'static str,
    peer: Machine,
    ours: Option<f64>,
    theirs: Option<f64>,
    goal: Goal,
    /// What the host alone takes for the same, without any guest, and in which unit.
    host: Option<(f64, &'static str)>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.ours.zip(self.theirs).filter(|(_, theirs)| *theirs > 0.0).map(|(ours, theirs)| ours / theirs)
    }

    fn goal_text(&self) -> String {
        match self.goal {
            Goal::None => "".into(),
            Goal::Ratio(limit) => format!("≤ {limit} ×"),
            Goal::Faster => "< 1 ×".into(),
            Goal::AtLeast(limit) => format!("≥ {limit} ×"),
            Goal::Below(limit) => format!("< {limit} {}", self.unit),
        }
    }

    /// Whether the goal is met; `None` where there is none or a figure is missing.
    fn met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::Ratio(limit) => self.ratio().map(|ratio| ratio <= limit),
            Goal::Faster => self.ratio().map(|ratio| ratio < 1.0),
            Goal::AtLeast(limit) => self.ratio().map(|ratio| ratio >= limit),
            Goal::Below(limit) => self.ours.map(|ours| ours < limit),
        }
    }
}

/// Runs what `words` ask for, prints the table, appends it to `benches/history.tsv` and writes
/// `cache/bench/latest.json`.
pub(crate) fn bench(words: &[&str]) -> Outcome {
    let wish = parse(words)?;
    if wish.ours {
        run(&mut cargo(&["build", "--release", "--package", "endicott"]))?;
    }
    let (initrd, native) = (guest::prepare_benches()?, guest::prepare_native()?);
    let load = Load {
        kernel: guest::prepare()?.kernel,
        initrd,
        native,
        disk: None,
        network: false,
        memory: machine::MEMORY_MIB,
        without: "",
    };
    let mut rows = Vec::new();
    let wanted = |item: &str| wish.items.is_empty() || wish.items.iter().any(|asked| asked == item);

    if wanted("boot") {
        rows.push(boot(&wish, &load, Machine::Qemu, Goal::Ratio(0.5))?);
    }
    if wanted("hercules") && Machine::Hercules.version().is_some() {
        rows.push(boot(&wish, &load, Machine::Hercules, Goal::Ratio(0.5))?);
    }
    if wanted("idle") {
        rows.extend(idle(&wish, &load)?);
    }
    let real = programs::wanted(&wish.items)?;
    let names: Vec<&str> = wish.items.iter().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !NO_BENCHMARKS.contains(name)).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !real.iter().any(|real| real == name)).collect();
    if wish.items.iter().any(|item| item == "passes") {
        return passes::passes(&wish, &load, &names);
    }
    if wish.items.is_empty() || !names.is_empty() {
        rows.extend(benchmarks(&wish, &load, &names)?);
    }
    if wanted("twocpus") {
        rows.push(two_cpus(&wish, &load)?);
    }
    let means = means(&rows);
    rows.extend(means);
    if !real.is_empty() {
        rows.extend(programs::programs(&wish, &load, &real)?);
    }
    if wanted("disk") {
        rows.extend(disks::disks(&wish, &load)?);
    }
    if wanted("net") {
        rows.extend(net::net(&wish, &load)?);
    }
    if !rows.is_empty() {
        print!("\n{}", table(&rows));
        disks::tell_round_trips(&rows);
    }
    if wanted("io") && wish.ours {
        println!();
        disks::io()?;
    }
    if wish.ours && !rows.is_empty() { record(&rows) } else { Ok(()) }
}

fn parse(words: &[&str]) -> Outcome<Wish> {
    let mut wish = Wish { boots: 5, rounds: 3, items: Vec::new(), ours: true };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--runs" => {
                let number = words.next().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
                wish.boots = number.ok_or("--runs wants a number: how often each thing is measured.")?;
                wish.rounds = wish.boots;
            }
            "--peers" => wish.ours = false,
            option if option.starts_with('-') => {
                return Err(
                    format!("bench knows --runs N, --peers (without us) and names of items, not {option}.").into()
                );
            }
            item => wish.items.push(item.to_owned()),
        }
    }
    Ok(wish)
}

/// The machines a peer is compared with, in the order they take turns.
fn pair(wish: &Wish, peer: Machine) -> Vec<Machine> {
    if wish.ours { vec![Machine::Endicott, peer] } else { vec![peer] }
}

/// Items that are no benchmarks of the guest's.
const NO_BENCHMARKS: [&str; 9] = ["boot", "hercules", "idle", "twocpus", "disk", "net", "io", "real", "passes"];

/// Longest times for a boot and for one round of all benchmarks; generous, because a host may be busy.
const BOOT_LIMIT: Duration = Duration::from_secs(300);
const ROUND_LIMIT: Duration = Duration::from_secs(3600);

/// A started machine whose init has spoken, and the seconds to that.
fn booted(machine: Machine, load: &Load, mode: &str) -> Outcome<(Running, f64)> {
    let mut running = machine.start(load, mode)?;
    let lines = running.until("INIT-START", BOOT_LIMIT)?;
    let seconds = lines.last().map_or(0.0, |line| line.came.as_secs_f64());
    Ok((running, seconds))
}

fn boot(wish: &Wish, load: &Load, peer: Machine, goal: Goal) -> Outcome<Row> {
    let mut samples = Samples::default();
    // Hercules takes most of a minute for one.
    let runs = if peer == Machine::Hercules { wish.boots.min(3) } else { wish.boots };
    for number in 1..=runs {
        for machine in pair(wish, peer) {
            let (_, seconds) = booted(machine, load, "vmb.mode=boot")?;
            println!("boot {number}/{runs} {} {seconds:.2} s", machine.name());
            samples.add(machine, "boot", seconds);
        }
    }
    Ok(samples.row("boot", "s", peer, goal))
}

fn idle(wish: &Wish, load: &Load) -> Outcome<Vec<Row>> {
    let mut samples = Samples::default();
    let runs = wish.rounds;
    for number in 1..=runs {
        for machine in pair(wish, Machine::Qemu) {
            let (mut running, _) = booted(machine, load, "vmb.mode=idle")?;
            running.until("IDLE-START", BOOT_LIMIT)?;
            std::thread::sleep(Duration::from_secs(5));
            let busy = running.busy(Duration::from_secs(10))?;
            let (all, beyond) = running.memory()?;
            let (all, beyond) = (all as f64 / 1024.0, beyond as f64 / 1024.0);
            println!(
                "idle {number}/{runs} {} {busy:.2} %, {all:.0} MiB, {beyond:.1} MiB beyond storage",
                machine.name()
            );
            samples.add(machine, "idle", busy);
            samples.add(machine, "memory", all);
            samples.add(machine, "memory beyond storage", beyond);
        }
    }
    Ok(vec![
        samples.row("idle", "%", Machine::Qemu, Goal::Ratio(1.0)),
        samples.row("memory", "MiB", Machine::Qemu, Goal::None),
        samples.row("memory beyond storage", "MiB", Machine::Qemu, Goal::Below(32.0)),
    ])
}

fn benchmarks(wish: &Wish, load: &Load, names: &[&str]) -> Outcome<Vec<Row>> {
    let mut mode = "vmb.mode=bench".to_owned();
    if !names.is_empty() {
        mode += &format!(" vmb.tests={}", names.join(","));
    }
    let mut results = Results::default();
    for number in 1..=wish.rounds {
        for machine in pair(wish, Machine::Qemu).into_iter().chain([Machine::Native]) {
            let (running, _) = booted(machine, load, &mode)?;
            results.take(machine, running, &format!("{number}/{}", wish.rounds))?;
        }
    }
    // A boot of Hercules takes most of a minute: one has to do.
    let decimal: Vec<&str> = DECIMAL.into_iter().filter(|item| names.is_empty() || names.contains(item)).collect();
    if !decimal.is_empty() && Machine::Hercules.version().is_some() {
        let mode = format!("vmb.mode=bench vmb.tests={}", decimal.join(","));
        let (running, _) = booted(Machine::Hercules, load, &mode)?;
        results.take(Machine::Hercules, running, "1/1")?;
    }
    let Results { samples, items, .. } = &results;
    let against = |(peer, goal): (Machine, Goal)| {
        let measured = |item: &&String| peer != Machine::Hercules || samples.median(peer, item).is_some();
        items.iter().filter(measured).map(|item| samples.row(item, "s", peer, goal)).collect::<Vec<_>>()
    };
    let peers = [(Machine::Qemu, Goal::Faster), (Machine::Hercules, Goal::Ratio(0.2)), (Machine::Native, Goal::None)];
    Ok(peers.into_iter().flat_map(against).collect())
}

/// What programs in guests have measured.
#[derive(Default)]
struct Results {
    samples: Samples,
    /// What came out, by item: it must be the same on every machine, or the times compare nothing.
    checks: Vec<(String, String)>,
    /// In the order in which they came.
    items: Vec<String>,
}

impl Results {
    /// Reads what a machine says until its programs have ended. `round` says which time it is.
    fn take(&mut self, machine: Machine, mut running: Running, round: &str) -> Outcome {
        let mut began = 0.0;
        loop {
            let line = running.next("BENCH-DONE", ROUND_LIMIT)?;
            if line.text.contains("BENCH-DONE") {
                return Ok(());
            }
            let words: Vec<&str> = line.text.split_whitespace().collect();
            match words[..] {
                ["bench-start", _] => began = running.processor_time()?,
                ["bench" | "real", name, seconds] => {
                    let seconds = seconds.parse().map_err(|_| format!("The guest said: {}", line.text))?;
                    self.add(machine, round, name, seconds);
                    if let Some(name) = net::processor(name) {
                        self.add(machine, round, &name, running.processor_time()? - began);
                    }
                }
                // Compilers fuse multiplications and additions as the processor can: so the last digits are its own.
                ["check", name, _] if machine == Machine::Native && FLOATING.contains(&name) => {}
                // What it makes of QUANTIZE or of the packed digits is not what all others do.
                ["check", "dfpround", _] if machine == Machine::Hercules => {}
                ["check", name, value] => match self.checks.iter().find(|(known, _)| known == name) {
                    None => self.checks.push((name.to_owned(), value.to_owned())),
                    Some((_, first)) if first == value => {}
                    Some((_, first)) => {
                        let text = format!("{name} came out as {value} on {}, {first} before.", machine.name());
                        return Err(text.into());
                    }
                },
                ["fail", name, ..] => println!("bench {round} {} {name}: {}", machine.name(), line.text),
                _ => {}
            }
        }
    }

    fn add(&mut self, machine: Machine, round: &str, item: &str, seconds: f64) {
        println!("bench {round} {} {item} {seconds:.3} s", machine.name());
        self.samples.add(machine, item, seconds);
        if !self.items.iter().any(|known| known == item) {
            self.items.push(item.to_owned());
        }
    }
}

/// Two jobs that have nothing to do with each other, on one CPU and on two; beside it how much faster two of the host's
/// own processors are than one, which is the most that can be had.
fn two_cpus(wish: &Wish, load: &Load) -> Outcome<Row> {
    let mut samples = Samples::default();
    for number in 1..=wish.rounds {
        for machine in [Machine::Two, Machine::Endicott, Machine::Native, Machine::Alone] {
            let (mut running, _) = booted(machine, load, "vmb.mode=bench vmb.tests=twojobs")?;
            for line in running.until("BENCH-DONE", ROUND_LIMIT)? {
                if let ["bench", _, seconds] = line.text.split_whitespace().collect::<Vec<_>>()[..] {
                    let seconds = seconds.parse().map_err(|_| format!("The guest said: {}", line.text))?;
                    println!("twocpus {number}/{} {} {seconds:.3} s", wish.rounds, machine.name());
                    samples.add(machine, "twocpus", seconds);
                }
            }
        }
    }
    // The time on one CPU divided by that on two.
    let [one, two, alone, native] = [Machine::Endicott, Machine::Two, Machine::Alone, Machine::Native]
        .map(|machine| samples.median(machine, "twocpus"));
    let host = alone.zip(native).map(|(alone, native)| (alone / native, "×"));
    let (item, goal) = ("twocpus".into(), Goal::AtLeast(1.9));
    Ok(Row { item, unit: "s", peer: Machine::Two, ours: one, theirs: two, goal, host })
}

/// Items of decimal arithmetic, of which QEMU can do next to nothing. Hercules of Debian has no vector registers.
const DECIMAL: [&str; 7] = ["decimal", "packedadd", "packedmul", "packedtext", "dfpadd", "dfpmul", "dfpround"];

/// Items of floating-point arithmetic.
const FLOATING: [&str; 2] = ["nbody", "matmul"];

/// Items whose geometric mean is looked at, against which peer, and what it should be at most.
const MEANS: [(&str, Machine, &[&str], f64); 4] = [
    ("mean of all", Machine::Qemu, &[], 0.2),
    (
        "mean, CPU-bound",
        Machine::Native,
        &[
            "intmix",
            "interp",
            "sha256",
            "chase256k",
            "chase16m",
            "memcpy1m",
            "memcpysmall",
            "bytes",
            "strlib",
            "srst",
            "mvcl",
        ],
        3.0,
    ),
    ("mean, floating point", Machine::Native, &FLOATING, 3.0),
    ("mean, system", Machine::Native, &["syscall", "pingpong", "forkexec", "pgfault"], 4.0),
];

/// Geometric means of the ratios of groups of items; where one of a group is missing, of the others.
fn means(rows: &[Row]) -> Vec<Row> {
    let mean = |&(name, peer, items, limit): &(&str, Machine, &[&str], f64)| {
        let of_group = |row: &&Row| {
            let wanted = if items.is_empty() { row.unit == "s" } else { items.contains(&row.item.as_str()) };
            row.peer == peer && wanted
        };
        let ratios: Vec<f64> = rows.iter().filter(of_group).filter_map(Row::ratio).collect();
        mean_row(name, peer, &ratios, limit)
    };
    MEANS.iter().filter_map(mean).collect()
}

/// The geometric mean of these ratios, if there are any, which should be so much at most.
fn mean_row(name: &str, peer: Machine, ratios: &[f64], limit: f64) -> Option<Row> {
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let (ours, theirs) = (Some(mean), Some(1.0));
    let row = Row { item: name.into(), unit: "×", peer, ours, theirs, goal: Goal::Ratio(limit), host: None };
    (!ratios.is_empty()).then_some(row)
}

/// Figures as they come, by machine and item.
#[derive(Default)]
struct Samples(Vec<(Machine, String, f64)>);

impl Samples {
    fn add(&mut self, machine: Machine, item: &str, value: f64) {
        self.0.push((machine, item.to_owned(), value));
    }

    fn median(&self, machine: Machine, item: &str) -> Option<f64> {
        let of_item = |sample: &&(Machine, String, f64)| sample.0 == machine && sample.1 == item;
        median(self.0.iter().filter(of_item).map(|sample| sample.2).collect())
    }

    fn row(&self, item: &str, unit: &'static str, peer: Machine, goal: Goal) -> Row {
        let (ours, theirs) = (self.median(Machine::Endicott, item), self.median(peer, item));
        Row { item: item.to_owned(), unit, peer, ours, theirs, goal, host: None }
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

fn table(rows: &[Row]) -> String {
    let figure = |value: Option<f64>, unit: &str| value.map_or("–".to_owned(), |value| format!("{value:.2} {unit}"));
    let mut text = String::new();
    for machine in [Machine::Qemu, Machine::Hercules, Machine::Native] {
        if rows.iter().any(|row| row.peer == machine) {
            let _ = writeln!(text, "{}: {}", machine.name(), machine.version().unwrap_or_default());
        }
    }
    // A column for what the host alone takes, where that is known of anything.
    let alone = rows.iter().any(|row| row.host.is_some());
    text.push_str("\n| item | Endicott | peer | | ratio | goal | |");
    text.push_str(if alone { " host alone |\n" } else { "\n" });
    text.push_str("|---|---:|---|---:|---:|---|---|");
    text.push_str(if alone { "---:|\n" } else { "\n" });
    for row in rows {
        let ratio = row.ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
        let met = match row.met() {
            Some(true) => "met",
            Some(false) => "**missed**",
            None => "",
        };
        let (ours, theirs) = (figure(row.ours, row.unit), figure(row.theirs, row.unit));
        let (item, peer, goal) = (&row.item, row.peer.name(), row.goal_text());
        let _ = write!(text, "| {item} | {ours} | {peer} | {theirs} | {ratio} | {goal} | {met} |");
        match row.host {
            Some((value, unit)) => text += &format!(" {} |\n", figure(Some(value), unit)),
            None => text.push_str(if alone { " |\n" } else { "\n" }),
        }
    }
    text
}

/// `latest.json`.
#[derive(Serialize)]
struct Latest<'a> {
    date: String,
    commit: &'a str,
    host: String,
    items: Vec<Item<'a>>,
}

/// A row there; its figures have as many digits as in the history.
#[derive(Serialize)]
struct Item<'a> {
    item: &'a str,
    unit: &'a str,
    endicott: Box<RawValue>,
    peer: &'a str,
    theirs: Box<RawValue>,
    ratio: Box<RawValue>,
    goal: String,
    met: Option<bool>,
}

/// A figure as both files have it.
fn number(value: Option<f64>) -> Box<RawValue> {
    let text = value.filter(|value| value.is_finite()).map_or("null".into(), |value| format!("{value:.4}"));
    RawValue::from_string(text).expect("digits with a point, and null, are JSON")
}

/// Appends the run to `benches/history.tsv` and writes it as `cache/bench/latest.json`.
fn record(rows: &[Row]) -> Outcome {
    let date = output(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%MZ"]))?.trim().to_owned();
    let mut git = Command::new("git");
    let commit = output(git.current_dir(host::root()).args(["describe", "--always", "--dirty"])).unwrap_or_default();
    let (commit, host) = (commit.trim(), processor());

    let history = host::root().join("benches/history.tsv");
    let mut lines = String::new();
    if !history.exists() {
        lines.push_str("date\tcommit\thost\titem\tunit\tendicott\tpeer\ttheirs\tratio\n");
    }
    let mut items = Vec::new();
    for row in rows {
        let (item, unit, peer) = (&row.item, row.unit, row.peer.name());
        let (ours, theirs, ratio) = (number(row.ours), number(row.theirs), number(row.ratio()));
        let _ = writeln!(lines, "{date}\t{commit}\t{host}\t{item}\t{unit}\t{ours}\t{peer}\t{theirs}\t{ratio}");
        let (goal, met) = (row.goal_text(), row.met());
        items.push(Item { item, unit, endicott: ours, peer, theirs, ratio, goal, met });
    }
    let json = serde_json::to_string(&Latest { date, commit, host, items }).expect("every key is a string") + "\n";
    let mut file = at(&history, OpenOptions::new().create(true).append(true).open(&history))?;
    at(&history, file.write_all(lines.as_bytes()))?;
    let folder = host::cache().join("bench");
    make_folder(&folder)?;
    host::write_whole(&folder.join("latest.json"), json.as_bytes())
}

/// The host's processor, in its own words, and how many the host has.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name").and_then(|rest| rest.split(": ").nth(1)));
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{count} x {}", model.unwrap_or(std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn the_latest_run_has_its_keys_in_their_order_and_four_places() {
        let (endicott, theirs, ratio) = (number(Some(1.5)), number(None), number(Some(f64::INFINITY)));
        let (goal, met) = (String::new(), None);
        let item = Item { item: "boot", unit: "s", endicott, peer: "qemu", theirs, ratio, goal, met };
        let latest = Latest { date: "D".into(), commit: "C", host: "H".into(), items: vec![item] };
        assert_eq!(
            serde_json::to_string(&latest).expect("every key is a string"),
            r#"{"date":"D","commit":"C","host":"H","items":[{"item":"boot","unit":"s","endicott":1.5000,"#.to_owned()
                + r#""peer":"qemu","theirs":null,"ratio":null,"goal":"","met":null}]}"#
        );
    }

    #[test]
    fn a_goal_is_judged_only_where_there_are_figures() {
        let row = |goal, ours, theirs| Row {
            item: "x".into(),
            unit: "s",
            peer: Machine::Qemu,
            ours,
            theirs,
            goal,
            host: None,
        };
        assert_eq!(row(Goal::Ratio(6.0), Some(6.0), Some(1.0)).met(), Some(true));
        assert_eq!(row(Goal::Faster, Some(1.0), Some(1.0)).met(), Some(false));
        assert_eq!(row(Goal::Below(32.0), Some(31.0), None).met(), Some(true));
        assert_eq!(row(Goal::Ratio(1.0), Some(1.0), None).met(), None);
        assert_eq!(row(Goal::AtLeast(1.9), Some(3.6), Some(2.0)).met(), Some(false));
    }

    #[test]
    fn means_are_geometric_and_of_their_group() {
        let row = |item: &str, peer, ours| Row {
            item: item.into(),
            unit: "s",
            peer,
            ours: Some(ours),
            theirs: Some(1.0),
            goal: Goal::None,
            host: None,
        };
        let rows = [
            row("nbody", Machine::Native, 2.0),
            row("matmul", Machine::Native, 8.0),
            row("nbody", Machine::Qemu, 0.25),
            row("syscall", Machine::Qemu, 0.01),
        ];
        let means = means(&rows);
        let of = |name: &str| means.iter().find(|row| row.item == name).and_then(Row::ratio);
        assert!((of("mean, floating point").expect("both are there") - 4.0).abs() < 1e-9);
        assert!((of("mean of all").expect("two are there") - 0.05).abs() < 1e-9);
        assert_eq!(of("mean, system"), None);
    }
}
