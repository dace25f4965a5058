//! Bare guests: a loop for the scheduler, and one that touches every page of its storage for paging. They stand in for
//! users of CMS where what is measured is CP's.

use crate::bench::{Bench, Seat, Site, user};
use crate::run::{Run, Scale};
use std::time::Duration;

/// A looping user of an experiment with shares.
pub struct Contender {
    /// The operands of SET SHARE.
    pub share: &'static str,
    /// The percentage of the processor that CP promises.
    pub promised: f64,
}

/// BRC 15,*: branches to itself.
const LOOP: &str = "store s200 a7f40000";

/// R2 counts pages down from the number in R4, R1 goes through them from the second page on, R3 counts sweeps. R5
/// counts the instructions that a touch has with it, as a command has some:
///
/// ```text
/// 200 LR   2,4
/// 202 LHI  1,4096
/// 206 ST   3,0(,1)
/// 20A LHI  5,2000
/// 20E BRCT 5,20E
/// 212 AHI  1,4096
/// 216 BRCT 2,206
/// 21A AHI  3,1
/// 21E BRC  15,200
/// ```
const SWEEP: &str = "store s200 1824a718 10005030 1000a758 07d0a756 0000a71a 1000a726 fff8a73a 0001a7f4 fff1";

/// 31-bit addresses, supervisor state, at 200.
const START: [&str; 2] = ["store psw 00080000 80000200", "begin"];

/// Megabytes of a user for experiments, and its pages but the first.
const MEGABYTES: u64 = 16;
const PAGES: u64 = (MEGABYTES << 8) - 1;

/// Users that touch pages.
const TOUCHERS: usize = 8;

/// Part of the measured time that is let pass before.
const SETTLING: f64 = 0.5;

/// Who changes shares and reserves pages.
const SYSTEM_PROGRAMMER: &str = "MAINT";

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// One run: loops for one processor.
pub fn shares(site: &Site, contenders: &[Contender], scale: Scale) -> Result<Run, String> {
    let (mut bench, mut run) = (site.up("")?, Run::default());
    let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
    let mut seats = Vec::new();
    for (n, contender) in contenders.iter().enumerate() {
        let (name, share) = (user(n + 1), contender.share);
        let seat = bench.seat(&name)?;
        bench.expects(&programmer, &format!("set share {name} {share}"), &name);
        bench.types(&seat, LOOP);
        seats.push(seat);
    }
    for seat in &seats {
        start(&bench, seat);
    }
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

/// Begins what was stored; the machine then runs for ever, and is not waited for.
fn start(bench: &Bench, seat: &Seat) {
    for line in START {
        bench.begins(seat, line);
    }
}

/// What users that touch pages have done.
#[derive(Clone, Copy, Default)]
struct Work {
    touches: f64,
    moved: f64,
    virtual_us: f64,
    total_us: f64,
}

impl Work {
    fn of(bench: &Bench, seat: &Seat) -> Result<Work, String> {
        let register = |name: &str| {
            let answer = bench.asks(seat, &format!("display {name}"));
            let digits = answer.split_once("= ").and_then(|(_, rest)| rest.split_whitespace().next());
            let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            number.ok_or_else(|| format!("\"display {name}\" showed {:?}", answer.trim()))
        };
        let (sweeps, left) = (register("g3")?, register("g2")?);
        let (virtual_us, total_us) = seat.times();
        Ok(Work {
            touches: (u64::from(sweeps) * PAGES + PAGES.saturating_sub(left.into())) as f64,
            moved: seat.pages_moved() as f64,
            virtual_us: virtual_us as f64,
            total_us: total_us as f64,
        })
    }

    fn since(self, before: Work) -> Work {
        Work {
            touches: self.touches - before.touches,
            moved: self.moved - before.moved,
            virtual_us: self.virtual_us - before.virtual_us,
            total_us: self.total_us - before.total_us,
        }
    }

    fn plus(self, other: Work) -> Work {
        Work {
            touches: self.touches + other.touches,
            moved: self.moved + other.moved,
            virtual_us: self.virtual_us + other.virtual_us,
            total_us: self.total_us + other.total_us,
        }
    }
}

/// Users that touch all their pages in this much real storage, the first with so many pages reserved: what each has
/// done in the measured time.
fn touch(site: &Site, run: &mut Run, megabytes: u64, reserved: u64, scale: Scale) -> Result<Vec<Work>, String> {
    let mut bench = site.up(&format!("STORAGE {megabytes}M"))?;
    let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
    let mut seats = Vec::new();
    for n in 1..=TOUCHERS {
        let seat = bench.seat(&user(n))?;
        bench.types(&seat, SWEEP);
        bench.types(&seat, &format!("store g4 {PAGES:x}"));
        seats.push(seat);
    }
    if reserved > 0 {
        let name = user(1);
        let shown = bench.types(&programmer, &format!("set reserved {name} {reserved}"));
        if shown.contains("HCP") {
            return Err(format!("SET RESERVED showed {:?}", shown.trim()));
        }
    }
    for seat in &seats {
        start(&bench, seat);
    }
    bench.runs(seconds(scale.seconds * SETTLING));
    let before = seats.iter().map(|seat| Work::of(&bench, seat)).collect::<Result<Vec<_>, _>>()?;
    bench.runs(seconds(scale.seconds));
    let after = seats.iter().map(|seat| Work::of(&bench, seat)).collect::<Result<Vec<_>, _>>()?;
    run.take(&mut bench);
    Ok(after.into_iter().zip(before).map(|(after, before)| after.since(before)).collect())
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

/// One run of the steps of Table 34.
pub fn storage(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let demand = (TOUCHERS as u64 * MEGABYTES) as f64 * OWN;
    let mut steps = Vec::new();
    for Step(storage, ..) in STEPS {
        let works = touch(site, &mut run, (storage / FITS * demand).ceil() as u64, 0, scale)?;
        steps.push(works.into_iter().fold(Work::default(), Work::plus));
    }
    let base = &STEPS[STEPS.len() - 1];
    let last = steps[steps.len() - 1];
    let cost = |work: &Work| work.total_us / work.touches;
    for (step, work) in STEPS.iter().zip(&steps) {
        let part = step.0 / FITS;
        let itr = cost(&last) / cost(work);
        run.row(format!("ITR, storage x {part:.2}"), "of the last step's", Some(step.1 / base.1), itr);
    }
    for (step, work) in STEPS.iter().zip(&steps) {
        let part = step.0 / FITS;
        run.row(format!("TVR, storage x {part:.2}"), "", Some(step.2), work.total_us / work.virtual_us);
        let moved = work.moved * 1000.0 / work.touches;
        run.row(format!("pages moved for 1000 touches, storage x {part:.2}"), "pages", None, moved);
    }
    Ok(run)
}

/// The part of what users touch that there is in storage while SET RESERVED is measured.
const SHORT: f64 = 0.8;

/// One run of Table 62: one guest as the server, off and on.
pub fn reserved(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let megabytes = ((TOUCHERS as u64 * MEGABYTES) as f64 * OWN * SHORT) as u64;
    let off = touch(site, &mut run, megabytes, 0, scale)?;
    let on = touch(site, &mut run, megabytes, PAGES + 1, scale)?;
    let moved = |work: Work| work.moved / work.touches;
    let total = |works: &[Work]| works.iter().copied().fold(Work::default(), Work::plus);
    let (all_off, all_on) = (total(&off), total(&on));
    let itr = (all_on.touches / all_on.total_us) / (all_off.touches / all_off.total_us);
    run.row("ITR, on over off", "", Some(1.338), itr);
    run.row("PAGE/CMD, on over off", "", Some(13.840 / 40.658), moved(all_on) / moved(all_off));
    run.row("server's pages moved, on over off", "", None, moved(on[0]) / moved(off[0]));
    run.row("server's touches, on over off", "", None, on[0].touches / off[0].touches);
    Ok(run)
}
