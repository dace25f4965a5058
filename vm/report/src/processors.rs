//! What processors, time slices and the dispatcher cost: bare guests that count, or that wake by the clock.

use crate::bare;
use crate::bench::{Bench, SYSTEM_PROGRAMMER, Seat, Site, user};
use crate::guests::{SETTLING, seconds};
use crate::run::{RATIO, Run, Scale};

/// Instructions of a turn of a guest that counts.
const TURN: u16 = 2000;

/// Guests with this program, which have run for a while.
fn begin(bench: &mut Bench, guests: usize, program: &bare::Program, scale: Scale) -> Result<Vec<Seat>, String> {
    begin_all(bench, &vec![program; guests], scale)
}

/// The same, each with a program of its own.
fn begin_all(bench: &mut Bench, programs: &[&bare::Program], scale: Scale) -> Result<Vec<Seat>, String> {
    let mut seats = Vec::new();
    for (n, program) in programs.iter().enumerate() {
        let seat = bench.seat(&user(n + 1))?;
        bench.store(&seat, program);
        seats.push(seat);
    }
    seats.iter().zip(programs).for_each(|(seat, program)| bench.start(seat, program));
    if bench.cp().processors.count() > 1 {
        bench.start_processors()?;
    }
    bench.runs(seconds(scale.seconds * SETTLING));
    Ok(seats)
}

/// The sum of a register of all guests.
fn sum(bench: &Bench, seats: &[Seat], register: u8) -> Result<f64, String> {
    seats.iter().try_fold(0.0, |sum, seat| Ok(sum + f64::from(bench.register(seat, register)?)))
}

/// The sum of the guests' total processor time, in microseconds.
fn total(seats: &[Seat]) -> f64 {
    seats.iter().map(|seat| seat.times().1).sum::<u64>() as f64
}

/// The curves of [`slices`].
pub const SIE_BY_SLICE: &str = "SIE by time slice";

/// One run: guests that count, with several minor time slices.
pub fn slices(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut all = Vec::new();
    for milliseconds in [1, 2, 5, 15, 50] {
        let mut bench = site.up("")?;
        let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
        bench.commands(&programmer, &format!("set srm dspslice {milliseconds}"));
        let seats = begin(&mut bench, 4, &bare::counts(TURN), scale)?;
        let (before, work, used) = (bench.counts(), sum(&bench, &seats, 3)?, total(&seats));
        let elapsed = bench.runs(seconds(scale.seconds)).as_micros() as f64;
        let counts = bench.counts().since(before);
        let (work, used) = (sum(&bench, &seats, 3)? - work, total(&seats) - used);
        let dispatched = counts.dispatched * 1e6 / elapsed;
        let name = format!("dispatches, DSPSLICE {milliseconds} ms");
        run.point((SIE_BY_SLICE, f64::from(milliseconds)), name, "1/s", None, dispatched);
        run.throughput(&format!("DSPSLICE {milliseconds} ms"), "turns/s", work, used, elapsed);
        all.push((work / used, dispatched));
        run.take(&mut bench);
    }
    // The 9221 with three times the slice: ITR + 2.7 %.
    run.row("ITR, 15 ms over 5 ms", RATIO, Some(1.027), all[3].0 / all[2].0);
    run.row("dispatches, 15 ms over 5 ms", RATIO, None, all[3].1 / all[2].1);
    Ok(run)
}

/// Guests that wake each so many microseconds begin a new transaction each time: they sleep for more than 300 ms.
const SELDOM: u32 = 400_000;

/// One run: how late guests are served that sleep most of the time, beside guests that loop, with a bias for new
/// transactions and without.
pub fn bias(site: &Site, scale: Scale) -> Result<Run, String> {
    const SLEEPERS: u32 = 8;
    let mut run = Run::default();
    let mut all = Vec::new();
    for (what, setting) in [("off", "0"), ("on", "90 2")] {
        let mut bench = site.up("")?;
        let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
        bench.commands(&programmer, &format!("set srm iabias {setting}"));
        // Each sleeps for another time, so that they do not wake together.
        let sleepers: Vec<_> = (0..SLEEPERS).map(|n| bare::wakes(SELDOM + 11_000 * n, TURN)).collect();
        let counts = bare::counts(TURN);
        let programs: Vec<_> = sleepers.iter().chain([&counts; 4]).collect();
        let mut seats = begin_all(&mut bench, &programs, scale)?;
        seats.truncate(sleepers.len());
        let before = (sum(&bench, &seats, 3)?, sum(&bench, &seats, 6)?);
        // There are few transactions in a second.
        bench.runs(seconds(4.0 * scale.seconds));
        let (woken, late) = (sum(&bench, &seats, 3)? - before.0, sum(&bench, &seats, 6)? - before.1);
        run.row(format!("a new transaction is served after, IABIAS {what}"), "ms", None, late / woken / 1000.0);
        run.row(format!("new transactions, IABIAS {what}"), "", None, woken);
        all.push(late / woken);
        run.take(&mut bench);
    }
    run.row("time to be served, on over off", RATIO, None, all[1] / all[0]);
    Ok(run)
}

/// How many processors the host has.
fn host() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a host with one processor lacks.
pub fn two() -> Option<String> {
    (host() < 2).then(|| "not on this host: it has one processor, and two are compared".into())
}

/// What a host with fewer than six processors lacks.
pub fn six() -> Option<String> {
    (host() < 6).then(|| format!("not on this host: it has {} processors, and up to six are compared", host()))
}

/// The curve of [`ways`].
pub const ITR_BY_PROCESSORS: &str = "ITR by processors";

/// One run of Table 31: guests that count, two for each processor.
fn ways(site: &Site, scale: Scale, steps: &[(usize, f64)]) -> Result<Run, String> {
    let mut run = Run::default();
    let mut first = None;
    for &(processors, seed) in steps {
        let mut bench = site.up(&format!("PROCESSORS {processors}"))?;
        let seats = begin(&mut bench, 2 * processors, &bare::counts(TURN), scale)?;
        let (work, used) = (sum(&bench, &seats, 3)?, total(&seats));
        let elapsed = bench.runs(seconds(scale.seconds)).as_micros() as f64;
        let (work, used) = (sum(&bench, &seats, 3)? - work, total(&seats) - used);
        let rate = work / elapsed;
        let one = *first.get_or_insert(rate);
        let name = format!("ITRR, {processors} processors");
        run.point((ITR_BY_PROCESSORS, processors as f64), name, RATIO, Some(seed), rate / one);
        run.throughput(&format!("{processors} processors"), "turns/s", work, used, elapsed);
        run.take(&mut bench);
    }
    Ok(run)
}

/// One run with one and two processors.
pub fn two_ways(site: &Site, scale: Scale) -> Result<Run, String> {
    ways(site, scale, &[(1, 1.0), (2, 1.957)])
}

/// One run with all steps of the report.
pub fn six_ways(site: &Site, scale: Scale) -> Result<Run, String> {
    ways(site, scale, &[(1, 1.0), (2, 1.957), (3, 2.764), (6, 5.284)])
}

/// The curves of [`large_system`].
pub const WAIT_BY_USERS: &str = "lock wait by users";
/// See [`WAIT_BY_USERS`].
pub const COST_BY_USERS: &str = "cost of an event by users";

/// All guests together wake so often in a second.
const WAKES: u32 = 5_000;

/// One run: the lock of the dispatcher, which all processors share, with ten, a hundred and a thousand users. All of
/// them together wake equally often, so that only their number differs.
pub fn large_system(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut all = Vec::new();
    for users in [10, 100, 1000] {
        let mut bench = site.up("PROCESSORS 2")?;
        let program = bare::wakes(users * (1_000_000 / WAKES), TURN / 10);
        let seats = begin(&mut bench, users as usize, &program, scale)?;
        let (lock, before, used) = (bench.cp().processors.contention(), bench.counts(), total(&seats));
        let elapsed = bench.runs(seconds(scale.seconds)).as_micros() as f64;
        let lock = bench.cp().processors.contention().since(lock);
        let (counts, used) = (bench.counts().since(before), total(&seats) - used);
        let at = f64::from(users);
        let wait = lock.waited_ns as f64 / lock.taken as f64;
        run.point((WAIT_BY_USERS, at), format!("wait for the lock, {users} users"), "ns", None, wait);
        let contended = 100.0 * lock.contended as f64 / lock.taken as f64;
        run.row(format!("found taken, {users} users"), "%", None, contended);
        run.row(format!("dispatches, {users} users"), "1/s", None, counts.dispatched * 1e6 / elapsed);
        run.row(format!("taken for a dispatch, {users} users"), "times", None, lock.taken as f64 / counts.dispatched);
        let cost = used / counts.dispatched;
        run.point((COST_BY_USERS, at), format!("processor time of a dispatch, {users} users"), "us", None, cost);
        all.push(cost);
        run.take(&mut bench);
    }
    run.row("processor time of a dispatch, 1000 users over 100", RATIO, None, all[2] / all[1]);
    Ok(run)
}
