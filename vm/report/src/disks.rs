//! Disks: bare guests that read or write one record after the other, on volumes that take their time and on ones that
//! take none.

use crate::bare::{CYLINDERS, Disk, FIRST_CYLINDER, Style};
use crate::bench::{Bench, SYSTEM_PROGRAMMER, Seat, Site, number};
use crate::commands::READY;
use crate::guests::{SETTLING, seconds};
use crate::run::{RATIO, Run, Scale};
use crate::volumes::{DEDICATED, MINIDISK, REAL, VIRTUAL_DISK, VOLUMES, file, real, serial, user};

/// What is different about the disks of an experiment.
#[derive(Clone)]
struct Setting {
    /// How soon the host has what is written: the word in SYSTEM CONFIG.
    policy: &'static str,
    /// Channel paths to the control unit.
    paths: u32,
    /// Channel programs take their time.
    timed: bool,
    /// What MAINT enters.
    commands: Vec<String>,
    /// What the guests' users enter.
    own: Vec<&'static str>,
    /// The volume is the guest's own.
    dedicated: bool,
    /// How many guests.
    guests: usize,
    /// What a guest does.
    disk: Disk,
}

/// Instructions between two requests, for what is about processor time.
const BETWEEN: u16 = 500;

/// All tracks that a guest may use.
const TRACKS: u32 = (CYLINDERS - FIRST_CYLINDER) * 15;

/// Guests that read all over a minidisk: without the minidisk cache, and in no time.
fn usual() -> Setting {
    let disk = Disk {
        device: MINIDISK,
        style: Style::Locate,
        writes: false,
        tracks: TRACKS,
        instructions: BETWEEN,
        shift: 0,
        seed: 0,
    };
    Setting {
        policy: "LAZY",
        paths: 4,
        timed: false,
        commands: vec!["set mdcache system off".into()],
        own: Vec::new(),
        dedicated: false,
        guests: 1,
        disk,
    }
}

/// What guests did while it was measured.
#[derive(Clone, Copy, Default)]
struct Done {
    requests: f64,
    virtual_us: f64,
    total_us: f64,
    elapsed: f64,
    /// Tracks that channel programs used: what the minidisk cache did not serve.
    used: f64,
    /// Channel programs on the fast path.
    fast: f64,
    guests: f64,
}

impl Done {
    /// Milliseconds from a request to its end, of which the guest's own instructions take hardly any.
    fn response(&self) -> f64 {
        self.elapsed * self.guests / self.requests / 1000.0
    }

    /// Microseconds of processor time for a request.
    fn cost(&self) -> f64 {
        self.total_us / self.requests
    }

    fn throughput(&self, run: &mut Run, of: &str) {
        run.throughput(of, "I/Os/s", self.requests, self.total_us, self.elapsed);
    }
}

/// Statements for SYSTEM CONFIG.
fn statements(setting: &Setting) -> String {
    let mut text = format!(
        "SUBSYSTEM 03 TYPE 3990-3 PATHS {} TIMING {}\n",
        setting.paths,
        if setting.timed { "ON" } else { "OFF" }
    );
    for n in 1..=VOLUMES {
        text += &format!("DASD {:04X} {} {}\n", real(n), file(n), setting.policy);
        if !setting.dedicated {
            text += &format!("USER_VOLUME_LIST {}\n", serial(n));
        }
    }
    text
}

/// The volumes, made and formatted by CMS if they are not there yet.
fn prepare(site: &Site) -> Result<(), String> {
    if site.folder.join(file(VOLUMES)).exists() {
        return Ok(());
    }
    for n in 1..=VOLUMES {
        let path = site.folder.join(file(n));
        if !path.exists() {
            (site.hands.volume)(&path, &serial(n))?;
        }
    }
    let formatted = format(site);
    if formatted.is_err() {
        // What is half done is done anew.
        drop(std::fs::remove_file(site.folder.join(file(VOLUMES))));
    }
    formatted
}

fn format(site: &Site) -> Result<(), String> {
    let mut bench = site.up(&statements(&usual()))?;
    for n in 1..=VOLUMES {
        let seat = bench.seat(&user(n))?;
        bench.types(&seat, "ipl cms parm autocr");
        bench.types(&seat, "access (noprof nodisk");
        bench.types(&seat, "set rdymsg smsg");
        bench.expects(&seat, &format!("format {MINIDISK:x} b"), "Enter 1");
        bench.expects(&seat, "1", "label");
        bench.expects(&seat, "REPORT", READY);
    }
    match bench.failed.first() {
        None => Ok(()),
        Some(failed) => Err(format!("the disks could not be formatted: {failed}")),
    }
}

/// What was counted so far.
fn done(bench: &Bench, programmer: &Seat, seats: &[Seat]) -> Result<Done, String> {
    let mut done = Done { guests: seats.len() as f64, ..Done::default() };
    for seat in seats {
        done.requests += f64::from(bench.register(seat, 3)?);
        done.virtual_us += seat.times().0 as f64;
        done.total_us += seat.times().1 as f64;
        let answer = bench.asks(seat, "query ioassist");
        done.fast += number(&answer, "DONE=").ok_or_else(|| format!("QUERY IOASSIST showed {answer:?}"))?;
    }
    let answer = bench.asks(programmer, &format!("query cache {REAL}"));
    let sum = |key: &str| answer.lines().filter_map(|line| number(line, key)).sum::<f64>();
    done.used = sum(" READS=") + sum(" WRITES=");
    Ok(done)
}

/// One run of guests.
fn drive(site: &Site, run: &mut Run, setting: &Setting, scale: Scale) -> Result<Done, String> {
    prepare(site)?;
    let mut bench = site.up(&statements(setting))?;
    let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
    for command in &setting.commands {
        bench.commands(&programmer, command);
    }
    let program = |n: usize| Disk { seed: n as u32 * 7919, ..setting.disk }.program();
    let mut seats = Vec::new();
    for n in 1..=setting.guests {
        let seat = bench.seat(&user(n))?;
        if setting.dedicated {
            bench.commands(&programmer, &format!("attach {:x} to {} as {DEDICATED:x}", real(n), user(n)));
        }
        for line in &setting.own {
            bench.commands(&seat, line);
        }
        bench.store(&seat, &program(n));
        seats.push(seat);
    }
    if setting.timed {
        bench.commands(&programmer, &format!("set timing off {REAL}"));
    }
    seats.iter().enumerate().for_each(|(n, seat)| bench.start(seat, &program(n + 1)));
    // Caches become warm in no time.
    bench.runs(seconds(scale.seconds * SETTLING));
    if setting.timed {
        bench.commands_at_once(&programmer, &format!("set timing on {REAL}"));
        bench.runs(seconds(scale.seconds * SETTLING));
    }
    let before = done(&bench, &programmer, &seats)?;
    let elapsed = bench.runs(seconds(scale.seconds)).as_micros() as f64;
    let after = done(&bench, &programmer, &seats)?;
    for seat in &seats {
        bench.lines += 1;
        if bench.register(seat, 3)? == 0 {
            let [psw, status] = ["display psw", "display c00.10"].map(|command| bench.asks(seat, command));
            bench.failed.push(format!("a guest does no I/O: {} {}", psw.trim(), status.trim()));
        }
    }
    run.take(&mut bench);
    Ok(Done {
        requests: after.requests - before.requests,
        virtual_us: after.virtual_us - before.virtual_us,
        total_us: after.total_us - before.total_us,
        used: after.used - before.used,
        fast: after.fast - before.fast,
        elapsed,
        guests: after.guests,
    })
}

/// One run of Table 30: SET IOASSIST off and on, for a minidisk or a volume of the guest's own.
pub fn fast_path(site: &Site, scale: Scale, dedicated: bool) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.dedicated = dedicated;
    if dedicated {
        // The minidisk begins at cylinder 1.
        (setting.disk.device, setting.disk.shift) = (DEDICATED, -1);
    }
    setting.own = vec!["set ioassist off"];
    let off = drive(site, &mut run, &setting, scale)?;
    setting.own = vec!["set ioassist on"];
    let on = drive(site, &mut run, &setting, scale)?;
    let itr = if dedicated { 19.006 / 14.901 } else { 18.991 / 13.906 };
    let [tvr_off, tvr_on] = if dedicated { [1.77, 1.38] } else { [1.89, 1.40] };
    run.row("ITR, fast path over none", RATIO, Some(itr), off.cost() / on.cost());
    run.row("TVR, no fast path", RATIO, Some(tvr_off), off.total_us / off.virtual_us);
    run.row("TVR, fast path", RATIO, Some(tvr_on), on.total_us / on.virtual_us);
    run.row("on the fast path, IOASSIST off", "%", None, 100.0 * off.fast / off.requests);
    run.row("on the fast path, IOASSIST on", "%", None, 100.0 * on.fast / on.requests);
    off.throughput(&mut run, "no fast path");
    on.throughput(&mut run, "fast path");
    Ok(run)
}

/// One run: channel programs that locate a record, and ones that search for it.
pub fn styles(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    let locate = drive(site, &mut run, &setting, scale)?;
    setting.disk.style = Style::Search;
    let search = drive(site, &mut run, &setting, scale)?;
    run.row("ITR, search over locate", RATIO, None, locate.cost() / search.cost());
    run.row("on the fast path, locate", "%", None, 100.0 * locate.fast / locate.requests);
    run.row("on the fast path, search", "%", None, 100.0 * search.fast / search.requests);
    locate.throughput(&mut run, "locate");
    search.throughput(&mut run, "search");
    Ok(run)
}

/// The control units' own caches are off.
fn uncached() -> String {
    format!("set cache subsystem off {REAL}")
}

/// Tracks of the guest in front of the minidisk cache: some 14 MB.
const WORKING: u32 = 300;

/// The curve of [`minidisk_cache`].
pub const IO_BY_CACHE: &str = "I/O by minidisk cache";

/// One run of the minidisk cache: none, a third of what is read, and half of it.
pub fn minidisk_cache(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    setting.disk.tracks = WORKING;
    let mut first = None;
    for (megabytes, seeds) in [(0, [1.0, 1.0, 1.0]), (5, [0.64, 0.68, 0.98]), (7, [0.48, 0.49, 0.89])] {
        setting.commands = vec![uncached()];
        setting.commands.extend(match megabytes {
            0 => vec!["set mdcache system off".to_owned()],
            most => vec![format!("set mdcache storage {most}M {most}M"), "set mdcache system on".to_owned()],
        });
        let done = drive(site, &mut run, &setting, scale)?;
        let of = [done.used / done.requests, done.response(), done.cost()];
        let base = *first.get_or_insert(of);
        let name = format!("DASD I/Os, cache of {megabytes} MB over none");
        run.point((IO_BY_CACHE, f64::from(megabytes)), name, RATIO, Some(seeds[0]), of[0] / base[0]);
        run.row(format!("elapsed time, {megabytes} MB over none"), RATIO, Some(seeds[1]), of[1] / base[1]);
        run.row(format!("processor time, {megabytes} MB over none"), RATIO, Some(seeds[2]), of[2] / base[2]);
        run.row(format!("elapsed time of an I/O, {megabytes} MB"), "ms", None, of[1]);
    }
    Ok(run)
}

/// One run: the same few records from the disk, from the control unit's cache and from the minidisk cache.
pub fn hits(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    setting.disk.tracks = 30;
    let off = "set mdcache system off".to_owned();
    setting.commands = vec![uncached(), off.clone()];
    let disk = drive(site, &mut run, &setting, scale)?.response();
    setting.commands = vec![off];
    let unit = drive(site, &mut run, &setting, scale)?.response();
    setting.commands = vec!["set mdcache storage 8M 8M".into(), "set mdcache system on".into()];
    let cache = drive(site, &mut run, &setting, scale)?.response();
    run.row("control unit's cache over minidisk cache", RATIO, Some(2.1 / 0.3), unit / cache);
    run.row("disk over control unit's cache", RATIO, None, disk / unit);
    run.row("an I/O, from the disk", "ms", None, disk);
    run.row("an I/O, from the control unit's cache", "ms", None, unit);
    run.row("an I/O, from the minidisk cache", "ms", None, cache);
    Ok(run)
}

/// One run: a virtual disk in storage, and a real one.
pub fn virtual_disk(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    // Processor time is compared where neither takes time.
    let at_once = drive(site, &mut run, &usual(), scale)?;
    setting.commands.push(uncached());
    let real = drive(site, &mut run, &setting, scale)?;
    setting.disk.device = VIRTUAL_DISK;
    setting.disk.style = Style::FixedBlock;
    let virtual_disk = drive(site, &mut run, &setting, scale)?;
    run.row("elapsed time, virtual disk over real", RATIO, Some(0.24), virtual_disk.response() / real.response());
    run.row("processor time, virtual disk over real", RATIO, Some(1.09), virtual_disk.cost() / at_once.cost());
    run.row("an I/O, real disk", "ms", None, real.response());
    run.row("an I/O, virtual disk", "ms", None, virtual_disk.response());
    run.row("processor time of an I/O, real disk", "us", None, at_once.cost());
    run.row("processor time of an I/O, virtual disk", "us", None, virtual_disk.cost());
    Ok(run)
}

/// One run of Table 45: DASD fast write off and on.
pub fn fast_write(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    setting.disk.writes = true;
    setting.disk.tracks = 30;
    let mut all = Vec::new();
    for (what, seed) in [("off", 26.3), ("on", 6.7)] {
        setting.commands = vec!["set mdcache system off".into(), format!("set dasdfw {what} {REAL}")];
        let response = drive(site, &mut run, &setting, scale)?.response();
        run.row(format!("Resp, DASD fast write {what}"), "ms", Some(seed), response);
        all.push(response);
    }
    run.row("Resp, on over off", RATIO, Some(6.7 / 26.3), all[1] / all[0]);
    Ok(run)
}

/// One run of Table 40's first pair: the control unit's cache off and on, for reads.
pub fn control_unit(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    setting.disk.tracks = 30;
    let mut all = Vec::new();
    for (what, seed) in [("off", 14.5), ("on", 4.8)] {
        setting.commands = vec!["set mdcache system off".into(), format!("set cache subsystem {what} {REAL}")];
        let response = drive(site, &mut run, &setting, scale)?.response();
        run.row(format!("Resp, cache {what}"), "ms", Some(seed), response);
        all.push(response);
    }
    run.row("Resp, on over off", RATIO, Some(4.8 / 14.5), all[1] / all[0]);
    Ok(run)
}

/// The curve of [`paths`].
pub const RESPONSE_BY_GUESTS: &str = "response by guests";

/// One run: guests with a volume each, over one channel path and over four.
pub fn paths(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.timed = true;
    setting.commands.push(uncached());
    let mut responses = Vec::new();
    setting.paths = 1;
    for guests in 1..=VOLUMES {
        setting.guests = guests;
        let response = drive(site, &mut run, &setting, scale)?.response();
        let name = format!("Resp, one path, {guests} volumes busy");
        run.point((RESPONSE_BY_GUESTS, guests as f64), name, "ms", None, response);
        responses.push(response);
    }
    setting.paths = 4;
    let four = drive(site, &mut run, &setting, scale)?.response();
    run.row("Resp, four paths, 4 volumes busy", "ms", None, four);
    run.row("Resp of one path, 4 volumes over 1", RATIO, None, responses[VOLUMES - 1] / responses[0]);
    run.row("Resp of 4 volumes, four paths over one", RATIO, None, four / responses[VOLUMES - 1]);
    Ok(run)
}

/// One run: how soon what is written survives the end of the host.
pub fn policies(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut setting = usual();
    setting.disk.writes = true;
    let mut all = Vec::new();
    for policy in ["THROUGH", "SAFE", "LAZY"] {
        setting.policy = policy;
        let done = drive(site, &mut run, &setting, scale)?;
        done.throughput(&mut run, policy);
        all.push(done.requests / done.elapsed);
    }
    run.row("writes, LAZY over THROUGH", RATIO, None, all[2] / all[0]);
    run.row("writes, SAFE over THROUGH", RATIO, None, all[1] / all[0]);
    Ok(run)
}
