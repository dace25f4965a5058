//! Bare guests that loop, for the scheduler, and that touch every page of their storage, for paging.

use crate::bare;
use crate::bench::{Bench, SYSTEM_PROGRAMMER, Seat, Site, user};
use crate::run::{RATIO, Run, Scale};
use std::cell::RefCell;
use std::time::Duration;

/// A looping user of an experiment with shares.
pub struct Contender {
    /// The operands of SET SHARE.
    pub share: &'static str,
    /// The percentage of the processor that CP promises.
    pub promised: f64,
}

/// Megabytes of a user for experiments, and its pages but the first.
const MEGABYTES: u64 = 16;
const PAGES: u64 = (MEGABYTES << 8) - 1;

/// A touch has so many instructions with it, as a command has some.
const TOUCH: u16 = 2000;

/// Users that touch pages.
const TOUCHERS: usize = 8;

/// Part of the measured time that is let pass before.
pub const SETTLING: f64 = 0.5;

/// Seconds as a duration.
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// One run: loops for one processor.
pub fn shares(site: &Site, contenders: &[Contender], scale: Scale) -> Result<Run, String> {
    let (mut bench, mut run) = (site.up("")?, Run::default());
    let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
    let program = bare::loops();
    let mut seats = Vec::new();
    for (n, contender) in contenders.iter().enumerate() {
        let (name, share) = (user(n + 1), contender.share);
        let seat = bench.seat(&name)?;
        bench.expects(&programmer, &format!("set share {name} {share}"), &name);
        bench.store(&seat, &program);
        seats.push(seat);
    }
    seats.iter().for_each(|seat| bench.start(seat, &program));
    bench.runs(seconds(scale.seconds * SETTLING));
    let before: Vec<u64> = seats.iter().map(|seat| seat.times().1).collect();
    let elapsed = bench.runs(seconds(scale.seconds)).as_micros() as f64;
    for ((seat, before), contender) in seats.iter().zip(before).zip(contenders) {
        let used = (seat.times().1 - before) as f64 * 100.0 / elapsed;
        run.row(format!("processor of a loop with {}", contender.share), "%", Some(contender.promised), used);
    }
    run.take(&mut bench);
    Ok(run)
}

/// What users that touch pages have done.
#[derive(Clone, Copy, Default)]
struct Work {
    touches: f64,
    /// Pages moved to and from page volumes, and to and from expanded storage.
    volumes: f64,
    expanded: f64,
    virtual_us: f64,
    total_us: f64,
}

impl Work {
    fn of(bench: &Bench, seat: &Seat) -> Result<Work, String> {
        let (sweeps, left) = (bench.register(seat, 3)?, bench.register(seat, 2)?);
        let (virtual_us, total_us) = seat.times();
        let [volumes, expanded] = seat.pages_moved();
        Ok(Work {
            touches: (u64::from(sweeps) * PAGES + PAGES.saturating_sub(left.into())) as f64,
            volumes: volumes as f64,
            expanded: expanded as f64,
            virtual_us: virtual_us as f64,
            total_us: total_us as f64,
        })
    }

    fn with(self, other: Work, apply: fn(f64, f64) -> f64) -> Work {
        Work {
            touches: apply(self.touches, other.touches),
            volumes: apply(self.volumes, other.volumes),
            expanded: apply(self.expanded, other.expanded),
            virtual_us: apply(self.virtual_us, other.virtual_us),
            total_us: apply(self.total_us, other.total_us),
        }
    }

    fn moved(&self) -> f64 {
        self.volumes + self.expanded
    }
}

/// What is set before users touch pages.
#[derive(Default)]
struct Setting {
    /// Real storage, in megabytes.
    megabytes: u64,
    /// Expanded storage, in megabytes.
    expanded: u64,
    /// What MAINT enters before.
    commands: Vec<String>,
}

impl Setting {
    /// So much of what all users touch is real storage.
    fn storage(part: f64) -> Setting {
        Setting { megabytes: (demand() * part).ceil() as u64, ..Setting::default() }
    }

    /// And this is entered before.
    fn after(mut self, command: String) -> Setting {
        self.commands.push(command);
        self
    }
}

/// What was seen of users that touch pages.
struct Touched {
    /// What each has done in the measured time.
    works: Vec<Work>,
    /// How many were in the eligible list, on the average.
    eligible: f64,
    /// Microseconds of the measured time.
    elapsed: f64,
}

impl Touched {
    fn all(&self) -> Work {
        self.works.iter().fold(Work::default(), |sum, one| sum.with(*one, |a, b| a + b))
    }
}

/// Users that touch all their pages in turn.
fn touch(site: &Site, run: &mut Run, setting: &Setting, scale: Scale) -> Result<Touched, String> {
    let expanded = match setting.expanded {
        0 => String::new(),
        megabytes => format!("\nXSTORE {megabytes}M"),
    };
    let mut bench = site.up(&format!("STORAGE {}M{expanded}", setting.megabytes))?;
    let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
    let program = bare::touches(PAGES as u16, TOUCH);
    let mut seats = Vec::new();
    for n in 1..=TOUCHERS {
        let seat = bench.seat(&user(n))?;
        bench.store(&seat, &program);
        seats.push(seat);
    }
    for command in &setting.commands {
        bench.commands(&programmer, command);
    }
    seats.iter().for_each(|seat| bench.start(seat, &program));
    bench.runs(seconds(scale.seconds * SETTLING));
    let works = |bench: &Bench| seats.iter().map(|seat| Work::of(bench, seat)).collect::<Result<Vec<_>, _>>();
    let before = works(&bench)?;
    let seen = RefCell::new((0.0, 0.0));
    let elapsed = bench.runs_and(seconds(scale.seconds), || {
        let mut seen = seen.borrow_mut();
        *seen = (seen.0 + bench.eligible() as f64, seen.1 + 1.0);
    });
    let after = works(&bench)?;
    run.take(&mut bench);
    let works = after.into_iter().zip(before).map(|(after, before)| after.with(before, |a, b| a - b)).collect();
    let (found, looks) = seen.into_inner();
    Ok(Touched { works, eligible: found / looks, elapsed: elapsed.as_micros() as f64 })
}

/// A step of Table 34: real and expanded storage in megabytes, and the report's ITR (H) and TVR (H).
struct Step(f64, f64, f64);

/// The steps whose ITR is in the report: 256M with 512M, 256M with 768M, 320M with 896M, 320M with 1G, 384M with 1G.
const STEPS: [Step; 5] = [
    Step(768.0, 69.55, 3.95),
    Step(1024.0, 143.41, 2.02),
    Step(1216.0, 166.25, 1.81),
    Step(1344.0, 189.57, 1.69),
    Step(1408.0, 192.06, 1.67),
];

/// The step whose storage holds all pages of our users: from there on the report's eligible list is empty.
const FITS: f64 = 1344.0;

/// CP's own part of real storage and the first pages of users, beside the pages that users touch.
const OWN: f64 = 1.15;

/// Megabytes that hold all that users touch.
fn demand() -> f64 {
    (TOUCHERS as u64 * MEGABYTES) as f64 * OWN
}

/// The curves of [`storage`].
pub const ITR_BY_STORAGE: &str = "ITR by storage";
/// See [`ITR_BY_STORAGE`].
pub const TVR_BY_STORAGE: &str = "TVR by storage";

/// One run of the steps of Table 34.
pub fn storage(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut steps = Vec::new();
    for Step(storage, ..) in STEPS {
        steps.push(touch(site, &mut run, &Setting::storage(storage / FITS), scale)?);
    }
    let base = &STEPS[STEPS.len() - 1];
    let last = steps[steps.len() - 1].all();
    let cost = |work: &Work| work.total_us / work.touches;
    for (step, touched) in STEPS.iter().zip(&steps) {
        let part = step.0 / FITS;
        let (name, seed) = (format!("ITR over the last step's, storage x {part:.2}"), Some(step.1 / base.1));
        run.point((ITR_BY_STORAGE, part), name, RATIO, seed, cost(&last) / cost(&touched.all()));
    }
    for (step, touched) in STEPS.iter().zip(&steps) {
        let (part, work) = (step.0 / FITS, touched.all());
        let name = format!("TVR, storage x {part:.2}");
        run.point((TVR_BY_STORAGE, part), name, RATIO, Some(step.2), work.total_us / work.virtual_us);
        let moved = work.moved() * 1000.0 / work.touches;
        run.row(format!("pages moved for 1000 touches, storage x {part:.2}"), "pages", None, moved);
        run.throughput(&format!("storage x {part:.2}"), "touches/s", work.touches, work.total_us, touched.elapsed);
    }
    Ok(run)
}

/// The part of what users touch that there is in storage while SET RESERVED and the like are measured.
const SHORT: f64 = 0.8;

/// One run of Table 62: one guest as the server, off and on.
pub fn reserved(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let off = touch(site, &mut run, &Setting::storage(SHORT), scale)?;
    let command = format!("set reserved {} {}", user(1), PAGES + 1);
    let on = touch(site, &mut run, &Setting::storage(SHORT).after(command), scale)?;
    let moved = |work: Work| work.moved() / work.touches;
    let (all_off, all_on) = (off.all(), on.all());
    let itr = (all_on.touches / all_on.total_us) / (all_off.touches / all_off.total_us);
    run.row("ITR, on over off", RATIO, Some(1.338), itr);
    run.row("PAGE/CMD, on over off", RATIO, Some(13.840 / 40.658), moved(all_on) / moved(all_off));
    let [server_off, server_on] = [off.works[0], on.works[0]];
    run.row("server's pages moved, on over off", RATIO, None, moved(server_on) / moved(server_off));
    run.row("server's touches, on over off", RATIO, None, server_on.touches / server_off.touches);
    Ok(run)
}

/// One run: what LOCK keeps of one guest, a part of its storage.
pub fn locked(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let off = touch(site, &mut run, &Setting::storage(SHORT), scale)?;
    // All pages of its storage are brought in, and stay.
    let command = format!("lock {} 0 {:x}", user(1), PAGES);
    let on = touch(site, &mut run, &Setting::storage(SHORT).after(command), scale)?;
    let moved = |work: Work| work.moved() * 1000.0 / work.touches;
    let others = |touched: &Touched| {
        let sum = touched.works[1..].iter().fold(Work::default(), |sum, one| sum.with(*one, |a, b| a + b));
        moved(sum)
    };
    run.row("pages moved for 1000 touches of the guest, not locked", "pages", None, moved(off.works[0]));
    run.row("pages moved for 1000 touches of the guest, locked", "pages", None, moved(on.works[0]));
    run.row("its touches, locked over not", RATIO, None, on.works[0].touches / off.works[0].touches);
    run.row("pages moved for 1000 touches of the others, locked over not", RATIO, None, others(&on) / others(&off));
    Ok(run)
}

/// The curve of [`expanded`].
pub const PAGES_BY_EXPANDED: &str = "pages by expanded storage";

/// One run: expanded storage beside too little real storage. The 3090's 64 MB beside 64 MB took 60 to 70 percent of the
/// paging to devices away.
pub fn expanded(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let real = 0.4;
    let mut first = None;
    for part in [0.0, 0.2, 0.4, 0.6] {
        let mut setting = Setting::storage(real);
        setting.expanded = (demand() * part) as u64;
        let touched = touch(site, &mut run, &setting, scale)?;
        let work = touched.all();
        let to_volumes = work.volumes * 1000.0 / work.touches;
        let name = format!("pages to and from volumes for 1000 touches, expanded x {part:.2}");
        run.point((PAGES_BY_EXPANDED, part), name, "pages", None, to_volumes);
        let to_expanded = work.expanded * 1000.0 / work.touches;
        run.row(format!("XSTORE moves for 1000 touches, expanded x {part:.2}"), "pages", None, to_expanded);
        let of = format!("expanded x {part:.2}");
        run.throughput(&of, "touches/s", work.touches, work.total_us, touched.elapsed);
        let before = *first.get_or_insert(to_volumes);
        if part == real {
            run.row("pages to and from volumes, as much expanded as real over none", RATIO, Some(0.35), {
                to_volumes / before
            });
        }
    }
    Ok(run)
}

/// The curve of [`buffer`].
pub const ELIGIBLE_BY_BUFFER: &str = "eligible list by DSPBUF";

/// SET SRM DSPBUF for all classes alike.
fn dispatch_list(most: u32) -> String {
    format!("set srm dspbuf {most} {most} {most}")
}

/// One run: SET SRM DSPBUF holds users back where storage is short, and the others find theirs.
pub fn buffer(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut all = Vec::new();
    for most in [16, 6, 4] {
        let touched = touch(site, &mut run, &Setting::storage(SHORT).after(dispatch_list(most)), scale)?;
        let work = touched.all();
        let name = format!("AVG ELIST SIZE, DSPBUF {most}");
        run.point((ELIGIBLE_BY_BUFFER, f64::from(most)), name, "users", None, touched.eligible);
        let moved = work.moved() * 1000.0 / work.touches;
        run.row(format!("pages moved for 1000 touches, DSPBUF {most}"), "pages", None, moved);
        run.throughput(&format!("DSPBUF {most}"), "touches/s", work.touches, work.total_us, touched.elapsed);
        all.push(moved);
    }
    run.row("pages moved, DSPBUF 4 over 16", RATIO, None, all[2] / all[0]);
    Ok(run)
}

/// One run: a user with QUICKDSP does not wait in the eligible list.
pub fn quick(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let setting = || Setting::storage(SHORT).after(dispatch_list(4));
    let off = touch(site, &mut run, &setting(), scale)?;
    let on = touch(site, &mut run, &setting().after(format!("set quickdsp {} on", user(TOUCHERS))), scale)?;
    let part = |touched: &Touched| 100.0 * touched.works[TOUCHERS - 1].total_us / touched.all().total_us;
    run.row("processor time of a user without QUICKDSP", "%", None, part(&off));
    run.row("processor time of the same with QUICKDSP", "%", None, part(&on));
    run.row("AVG ELIST SIZE without", "users", None, off.eligible);
    run.row("AVG ELIST SIZE with", "users", None, on.eligible);
    Ok(run)
}
