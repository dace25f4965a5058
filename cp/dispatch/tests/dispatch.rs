//! The dispatcher in simulated systems: shares, transactions, lists, and what never happens.

use std::collections::{BTreeMap, BTreeSet};
use support::Random;

use base::Tod;
use dispatch::*;

fn at(us: u64) -> Tod {
    Tod(0).plus_micros(us)
}

/// What a virtual CPU of a simulated system does.
#[derive(Clone, Copy)]
enum Load1 {
    /// Computes without end.
    Batch,
    /// Thinks, then needs the processor for a while, again and again (both in microseconds).
    Interactive { think: u64, work: u64 },
}

struct Job {
    load: Load1,
    /// What is left of the work at hand, and since when it has been wanted.
    left: u64,
    since: u64,
    /// Processor time in all, and how long each piece of work took from wanting to done.
    used: u64,
    responses: Vec<u64>,
}

/// A system of processors that do what the dispatcher says, in simulated time.
struct System {
    dispatcher: Dispatcher,
    now: u64,
    jobs: BTreeMap<u32, Job>,
    /// What happens when: a processor returns or asks, a job wants to work.
    agenda: BTreeSet<(u64, What)>,
    random: Random,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Wants(u32),
    Asks(usize),
    Returns { processor: usize, vcpu: u32, ran: u64 },
}

impl System {
    fn new(processors: usize, srm: Srm, seed: u64) -> System {
        let agenda = (0..processors).map(|p| (0, What::Asks(p))).collect();
        let dispatcher = Dispatcher::new(processors, srm);
        System { dispatcher, now: 0, jobs: BTreeMap::new(), agenda, random: Random::seeded(seed) }
    }

    fn user(&mut self, user: u32, share: Share, quickdsp: bool) {
        self.event(Event::User { user: UserId(user), share, quickdsp });
    }

    fn job(&mut self, vcpu: u32, user: u32, load: Load1) {
        self.event(Event::Add { vcpu: VcpuId(vcpu), user: UserId(user) });
        let job = Job { load, left: 0, since: 0, used: 0, responses: Vec::new() };
        self.jobs.insert(vcpu, job);
        let first = match load {
            Load1::Batch => 0,
            Load1::Interactive { think, .. } => self.random.below(think.max(1)),
        };
        self.agenda.insert((self.now + first, What::Wants(vcpu)));
    }

    fn event(&mut self, event: Event) {
        for processor in self.dispatcher.event(at(self.now), event) {
            self.agenda.insert((self.now, What::Asks(processor)));
        }
    }

    fn ask(&mut self, processor: usize) {
        match self.dispatcher.next(at(self.now), processor) {
            Decision::Run { vcpu, slice, wakes } => {
                self.agenda.extend(wakes.map(|p| (self.now, What::Asks(p))));
                let ran = self.jobs[&vcpu.0].left.min(slice);
                self.agenda.insert((self.now + ran, What::Returns { processor, vcpu: vcpu.0, ran }));
            }
            Decision::Idle { until: Some(until) } => {
                self.agenda.insert((until.0 >> 12, What::Asks(processor)));
            }
            Decision::Idle { until: None } => {}
        }
    }

    fn run(&mut self, until: u64) {
        let mut busy: BTreeSet<usize> = self.agenda.iter().filter_map(|(_, w)| returning(w)).collect();
        while let Some(&(when, what)) = self.agenda.first() {
            if when > until {
                break;
            }
            self.agenda.pop_first();
            self.now = when;
            match what {
                What::Wants(id) => {
                    let job = self.jobs.get_mut(&id).unwrap();
                    job.since = when;
                    job.left = match job.load {
                        Load1::Batch => u64::MAX,
                        Load1::Interactive { work, .. } => work,
                    };
                    self.event(Event::Ready(VcpuId(id)));
                }
                // A processor may be woken by an event and by its time; while it runs, neither matters.
                What::Asks(processor) if busy.contains(&processor) => {}
                What::Asks(processor) => self.ask(processor),
                What::Returns { processor, vcpu, ran } => {
                    let job = self.jobs.get_mut(&vcpu).unwrap();
                    job.used += ran;
                    job.left -= if job.left == u64::MAX { 0 } else { ran };
                    let mut why = Return::SliceEnd;
                    if let Load1::Interactive { think, .. } = job.load
                        && job.left == 0
                    {
                        job.responses.push(when - job.since);
                        let think = think / 2 + self.random.below(think.max(1));
                        self.agenda.insert((when + think, What::Wants(vcpu)));
                        why = Return::Wait;
                    }
                    self.event(Event::Returned { processor, used: ran, why });
                    self.ask(processor);
                }
            }
            busy = self.agenda.iter().filter_map(|(_, w)| returning(w)).collect();
        }
        self.now = until;
    }

    fn used(&self, vcpu: u32) -> u64 {
        self.jobs[&vcpu].used
    }
}

fn returning(what: &What) -> Option<usize> {
    if let What::Returns { processor, .. } = what { Some(*processor) } else { None }
}

/// Whether `part` of `whole` is `percent`, give or take `tolerance` percentage points.
#[track_caller]
fn is_percent(part: u64, whole: u64, percent: f64, tolerance: f64) {
    let is = part as f64 * 100.0 / whole as f64;
    assert!((is - percent).abs() <= tolerance, "{is:.1}% instead of {percent}%");
}

const SECOND: u64 = 1_000_000;

#[test]
fn a_user_may_log_off_while_a_virtual_cpu_is_being_run() {
    let mut d = Dispatcher::new(1, Srm::default());
    let (user, vcpu) = (UserId(1), VcpuId(1));
    d.event(at(0), Event::User { user, share: Share::default(), quickdsp: false });
    d.event(at(0), Event::Add { vcpu, user });
    d.event(at(0), Event::Ready(vcpu));
    assert!(matches!(d.next(at(1), 0), Decision::Run { .. }));
    d.event(at(2), Event::Remove(vcpu));
    d.event(at(2), Event::UserGone(user));
    d.event(at(3), Event::Returned { processor: 0, used: 2, why: Return::SliceEnd });
    assert!(matches!(d.next(at(4), 0), Decision::Idle { .. }));
    // The same user ID again is another user.
    d.event(at(5), Event::User { user, share: Share::default(), quickdsp: false });
    d.event(at(5), Event::UserGone(user));
}

#[test]
fn relative_shares_are_kept() {
    for processors in [1, 2] {
        let mut s = System::new(processors, Srm::default(), 1);
        for (n, share) in [100, 100, 200, 400, 50, 50, 300, 100].into_iter().enumerate() {
            s.user(n as u32, Share::Relative(share), false);
            s.job(n as u32, n as u32, Load1::Batch);
        }
        s.run(20 * SECOND);
        let whole = 20 * SECOND * processors as u64;
        for (n, share) in [100, 100, 200, 400, 50, 50, 300, 100].into_iter().enumerate() {
            is_percent(s.used(n as u32), whole, share as f64 / 13.0, 1.0);
        }
    }
}

#[test]
fn absolute_shares_are_parts_of_the_whole() {
    let mut s = System::new(1, Srm::default(), 1);
    s.user(0, Share::Absolute(300), false);
    s.user(1, Share::Relative(100), false);
    s.user(2, Share::Relative(300), false);
    (0..3).for_each(|n| s.job(n, n, Load1::Batch));
    s.run(10 * SECOND);
    is_percent(s.used(0), 10 * SECOND, 30.0, 1.0);
    is_percent(s.used(1), 10 * SECOND, 17.5, 1.0);
    is_percent(s.used(2), 10 * SECOND, 52.5, 1.0);
}

#[test]
fn more_virtual_cpus_are_not_a_larger_share() {
    let mut s = System::new(2, Srm::default(), 1);
    for user in 0..3 {
        s.user(user, Share::default(), false);
    }
    (0..4).for_each(|n| s.job(n, 0, Load1::Batch));
    (4..8).for_each(|n| s.job(n, 1, Load1::Batch));
    (8..10).for_each(|n| s.job(n, 2, Load1::Batch));
    s.run(10 * SECOND);
    for range in [0..4, 4..8, 8..10] {
        is_percent(range.map(|n| s.used(n)).sum(), 20 * SECOND, 33.3, 1.0);
    }
}

#[test]
fn what_one_does_not_use_is_the_others() {
    let mut s = System::new(2, Srm::default(), 1);
    s.user(0, Share::Relative(10_000), false);
    s.user(1, Share::Relative(1), false);
    s.user(2, Share::Relative(3), false);
    (0..3).for_each(|n| s.job(n, n, Load1::Batch));
    s.run(10 * SECOND);
    // The first has one processor to itself and cannot use more; the others divide the second.
    is_percent(s.used(0), 10 * SECOND, 100.0, 1.0);
    is_percent(s.used(1), 10 * SECOND, 25.0, 2.0);
    is_percent(s.used(2), 10 * SECOND, 75.0, 2.0);
}

#[test]
fn a_changed_share_holds_from_then_on() {
    let mut s = System::new(1, Srm::default(), 1);
    for n in 0..2 {
        s.user(n, Share::default(), false);
        s.job(n, n, Load1::Batch);
    }
    s.run(5 * SECOND);
    let before = s.used(0);
    s.user(0, Share::Relative(300), false);
    s.run(15 * SECOND);
    is_percent(before, 5 * SECOND, 50.0, 1.0);
    is_percent(s.used(0) - before, 10 * SECOND, 75.0, 1.0);
}

#[test]
fn a_hard_limit_is_kept_even_by_one_alone() {
    for (processors, tenths) in [(1, 100), (1, 500), (2, 250)] {
        let mut s = System::new(processors, Srm::default(), 1);
        s.user(0, Share::default(), false);
        s.event(Event::Limit {
            user: UserId(0),
            maximum: Some(Maximum { share: Share::Absolute(tenths), hard: true }),
        });
        (0..processors as u32).for_each(|vcpu| s.job(vcpu, 0, Load1::Batch));
        s.run(20 * SECOND);
        let used = (0..processors as u32).map(|vcpu| s.used(vcpu)).sum();
        is_percent(used, 20 * SECOND * processors as u64, f64::from(tenths) / 10.0, 1.0);
    }
}

#[test]
fn a_soft_limit_gives_what_nobody_else_wants() {
    let limited = Event::Limit { user: UserId(0), maximum: Some(Maximum { share: Share::Absolute(200), hard: false }) };
    let mut s = System::new(1, Srm::default(), 1);
    s.user(0, Share::Relative(1000), false);
    s.event(limited);
    s.job(0, 0, Load1::Batch);
    s.run(10 * SECOND);
    is_percent(s.used(0), 10 * SECOND, 100.0, 1.0);
    s.user(1, Share::Relative(100), false);
    s.job(1, 1, Load1::Batch);
    s.run(30 * SECOND);
    is_percent(s.used(1), 20 * SECOND, 80.0, 3.0);
    s.event(Event::Limit { user: UserId(0), maximum: None });
    let before = s.used(1);
    s.run(50 * SECOND);
    is_percent(s.used(1) - before, 20 * SECOND, 9.1, 2.0);
}

#[test]
fn a_relative_maximum_is_set_against_the_others() {
    let mut s = System::new(1, Srm::default(), 1);
    for n in 0..3 {
        s.user(n, Share::Relative(300), false);
        s.job(n, n, Load1::Batch);
    }
    s.event(Event::Limit { user: UserId(0), maximum: Some(Maximum { share: Share::Relative(150), hard: true }) });
    s.run(20 * SECOND);
    is_percent(s.used(0), 20 * SECOND, 20.0, 2.0);
}

/// Working sets of 60 pages in a host of 100: by STORBUF two of class 1 fit, one of class 3, and all get their turns.
#[test]
fn storbuf_keeps_out_whose_pages_do_not_fit() {
    let srm = Srm { pages: 100, storage_buffer: [125, 105, 95], ..Srm::default() };
    let mut s = System::new(1, srm, 1);
    for n in 0..4 {
        s.user(n, Share::default(), n == 3);
        s.event(Event::WorkingSet { user: UserId(n), pages: 60 });
    }
    (0..3).for_each(|n| s.job(n, n, Load1::Batch));
    s.run(SECOND / 10);
    assert_eq!(s.dispatcher.load(at(s.now)).in_queue, [0, 2, 0, 0]);
    assert_eq!(s.dispatcher.load(at(s.now)).eligible, [0, 1, 0, 0]);
    s.job(3, 3, Load1::Batch);
    s.run(SECOND / 5);
    assert_eq!(s.dispatcher.load(at(s.now)).in_queue, [1, 2, 0, 0], "QUICKDSP waits for nobody");
    s.run(1200 * SECOND);
    let used: Vec<u64> = (0..3).map(|n| s.used(n)).collect();
    assert!(used.iter().min().unwrap() * 3 > *used.iter().max().unwrap(), "{used:?}");
    s.dispatcher.check();
    // One alone always fits.
    let mut s = System::new(1, Srm { pages: 100, ..Srm::default() }, 1);
    s.user(0, Share::default(), false);
    s.event(Event::WorkingSet { user: UserId(0), pages: 1000 });
    s.job(0, 0, Load1::Batch);
    s.run(10 * SECOND);
    is_percent(s.used(0), 10 * SECOND, 100.0, 1.0);
}

/// Twenty that compute, ten that answer keystrokes with 2 ms of work: these notice little of those.
#[test]
fn interactive_before_batch() {
    for seed in 1..=3 {
        let mut s = System::new(1, Srm::default(), seed);
        for n in 0..30 {
            s.user(n, Share::default(), false);
            let load = if n < 20 { Load1::Batch } else { Load1::Interactive { think: SECOND, work: 2_000 } };
            s.job(n, n, load);
        }
        s.run(30 * SECOND);
        let mut responses: Vec<u64> = (20..30).flat_map(|n| s.jobs[&n].responses.clone()).collect();
        responses.sort_unstable();
        let (median, most) = (responses[responses.len() / 2], responses[responses.len() * 95 / 100]);
        assert!(responses.len() > 200 && median <= 8_000 && most <= 16_000, "seed {seed}: {median} {most} us");
        // In turn they would wait for 20 slices of 5 ms.
        let batch: Vec<u64> = (0..20).map(|n| s.used(n)).collect();
        let (least, most) = (batch.iter().min().unwrap(), batch.iter().max().unwrap());
        assert!(most - least <= 20_000, "seed {seed}: batch is served alike, {least} to {most} us");
    }
}

/// A flood of new transactions, and one user with the smallest share that computes.
#[test]
fn no_one_starves() {
    for seed in 1..=3 {
        let mut s = System::new(1, Srm::default(), seed);
        s.user(0, Share::Relative(10), false);
        s.job(0, 0, Load1::Batch);
        for n in 1..=50 {
            s.user(n, Share::Relative(100), false);
            // Long enough a thought to end each transaction; altogether more work than there is time.
            s.job(n, n, Load1::Interactive { think: 400_000, work: 20_000 });
        }
        let mut before = 0;
        for second in 1..=60 {
            s.run(second * 5 * SECOND);
            assert!(s.used(0) > before, "seed {seed}: nothing in the five seconds before {}", second * 5);
            before = s.used(0);
        }
        let others: Vec<u64> = (1..=50).map(|n| s.used(n)).collect();
        assert!(others.iter().min().unwrap() * 100 > others.iter().max().unwrap() * 80, "seed {seed}: {others:?}");
    }
}

#[test]
fn test_idle_ends_after_300_ms_and_with_it_the_transaction() {
    let mut d = Dispatcher::new(1, Srm::default());
    let (user, vcpu) = (UserId(0), VcpuId(7));
    d.event(at(0), Event::User { user, share: Share::default(), quickdsp: false });
    d.event(at(0), Event::Add { vcpu, user });
    assert_eq!(d.next(at(0), 0), Decision::Idle { until: None });
    assert_eq!(d.event(at(10), Event::Ready(vcpu)).collect::<Vec<_>>(), [0], "the processor that sleeps is woken");
    assert_eq!(d.event(at(10), Event::Ready(vcpu)).next(), None);
    assert_eq!(d.next(at(20), 0), Decision::Run { vcpu, slice: 5_000, wakes: Wakes::default() });
    d.event(at(1_000), Event::Returned { processor: 0, used: 980, why: Return::Wait });
    assert_eq!(d.status(vcpu), Some(Status::TestIdle));
    assert_eq!(d.load(at(300_999)).in_queue, [0, 1, 0, 0]);
    let load = d.load(at(301_000));
    assert_eq!((load.in_queue, load.dormant), ([0; 4], 1));
    d.next(at(301_000), 0);
    assert_eq!(d.status(vcpu), Some(Status::Dormant));
    d.check();
}

#[test]
fn an_interruption_while_it_runs_keeps_it_from_sleeping() {
    let mut d = Dispatcher::new(1, Srm::default());
    let (user, vcpu) = (UserId(0), VcpuId(1));
    d.event(at(0), Event::User { user, share: Share::default(), quickdsp: false });
    d.event(at(0), Event::Add { vcpu, user });
    for why in [Return::Wait, Return::PageWait, Return::Stopped] {
        d.event(at(0), Event::Ready(vcpu));
        assert!(matches!(d.next(at(0), 0), Decision::Run { .. }));
        d.event(at(1), Event::Ready(vcpu));
        d.event(at(2), Event::Returned { processor: 0, used: 2, why });
        assert_eq!(d.status(vcpu), Some(Status::Ready), "{why:?}");
        assert!(matches!(d.next(at(2), 0), Decision::Run { .. }));
        d.event(at(3), Event::Returned { processor: 0, used: 1, why });
        assert_ne!(d.status(vcpu), Some(Status::Ready), "{why:?}: once");
        d.event(at(3), Event::Ready(vcpu));
        d.next(at(3), 0);
        d.event(at(4), Event::Returned { processor: 0, used: 1, why: Return::Stopped });
    }
    // A processor whose virtual CPU is removed under it gives it back, and it is gone.
    d.event(at(5), Event::Ready(vcpu));
    d.next(at(5), 0);
    d.event(at(6), Event::Remove(vcpu));
    assert!(d.status(vcpu).is_some());
    d.event(at(7), Event::Returned { processor: 0, used: 1, why: Return::SliceEnd });
    assert_eq!(d.status(vcpu), None);
    assert_eq!(d.event(at(8), Event::Ready(vcpu)).next(), None, "late news does no harm");
    d.event(at(8), Event::UserGone(user));
    d.check();
}

#[test]
fn a_virtual_cpu_returns_to_the_processor_it_ran_on() {
    let mut d = Dispatcher::new(4, Srm::default());
    let (user, vcpu) = (UserId(0), VcpuId(1));
    d.event(at(0), Event::User { user, share: Share::default(), quickdsp: false });
    d.event(at(0), Event::Add { vcpu, user });
    (0..4).for_each(|p| assert!(matches!(d.next(at(0), p), Decision::Idle { .. })));
    d.event(at(0), Event::Ready(vcpu));
    d.next(at(0), 2);
    d.event(at(1), Event::Returned { processor: 2, used: 1, why: Return::Wait });
    (0..4).for_each(|p| assert!(matches!(d.next(at(1), p), Decision::Idle { .. })));
    assert_eq!(d.event(at(2), Event::Ready(vcpu)).collect::<Vec<_>>(), [2]);
}

#[test]
fn transactions_that_take_long_go_on_in_classes_2_and_3() {
    let mut s = System::new(1, Srm::default(), 1);
    s.user(0, Share::default(), false);
    s.user(1, Share::default(), true);
    s.job(0, 0, Load1::Batch);
    s.job(1, 1, Load1::Batch);
    let classes = |s: &mut System| s.dispatcher.load(at(s.now)).in_queue;
    s.run(SECOND);
    assert_eq!(classes(&mut s), [1, 1, 0, 0]);
    s.run(4 * SECOND);
    assert_eq!(classes(&mut s), [1, 0, 1, 0]);
    s.run(30 * SECOND);
    assert_eq!(classes(&mut s), [1, 0, 0, 1], "QUICKDSP stays class 0");
}

#[test]
fn dspbuf_keeps_some_in_the_eligible_list_and_each_gets_its_turn() {
    let srm = Srm { dispatch_buffer: [3, 2, 2], ..Srm::default() };
    let mut s = System::new(1, srm.clone(), 1);
    for n in 0..8 {
        s.user(n, Share::default(), n == 7);
        s.job(n, n, Load1::Batch);
    }
    s.run(SECOND);
    let load = s.dispatcher.load(at(s.now));
    assert_eq!((load.in_queue, load.eligible), ([1, 3, 0, 0], [0, 4, 0, 0]));
    assert_eq!(s.dispatcher.status(VcpuId(5)), Some(Status::Eligible));
    let lines = s.dispatcher.queues(at(s.now));
    assert!(matches!(lines[0].status, Status::Running(0)) && lines[7].status == Status::Eligible);
    s.run(1000 * SECOND);
    s.dispatcher.check();
    let load = s.dispatcher.load(at(s.now));
    assert_eq!((load.in_queue[0], load.in_queue[3], load.eligible[3]), (1, 2, 5));
    let used: Vec<u64> = (0..7).map(|n| s.used(n)).collect();
    assert!(used.iter().all(|&u| u > 30 * SECOND), "{used:?}");
    s.user(3, Share::default(), true);
    assert_ne!(s.dispatcher.status(VcpuId(3)), Some(Status::Eligible), "QUICKDSP gets one in at once");
    s.dispatcher.check();
    let wakes = s.dispatcher.set_srm(at(s.now), Srm::default()).count();
    assert_eq!((wakes, s.dispatcher.load(at(s.now)).eligible), (0, [0; 4]));
}

#[test]
fn indicate_load_shows_utilisation() {
    let mut s = System::new(2, Srm::default(), 1);
    for n in 0..2 {
        s.user(n, Share::default(), false);
    }
    s.job(0, 0, Load1::Batch);
    s.job(1, 1, Load1::Interactive { think: 10_000, work: 10_000 });
    s.run(300 * SECOND);
    let load = s.dispatcher.load(at(s.now));
    assert!((70..80).contains(&load.average), "{load:?}");
    assert_eq!(load.processors.len(), 2);
    assert_eq!(load.expansion, [1; 4]);
}

/// Everything that can happen, in any order, on any number of processors.
#[test]
fn whatever_happens_the_lists_stay_whole() {
    for seed in 1..=60 {
        let mut random = Random::seeded(seed);
        let processors = 1 + random.below(5) as usize;
        let limits = [1 + random.below(8) as u32, 1 + random.below(6) as u32, 1 + random.below(4) as u32];
        let srm = Srm { dispatch_buffer: if random.one_in(2) { limits } else { [32_767; 3] }, ..Srm::default() };
        let mut d = Dispatcher::new(processors, srm);
        let mut now = 0;
        let mut runs: Vec<Option<VcpuId>> = vec![None; processors];
        let mut there: Vec<VcpuId> = Vec::new();
        let mut going: BTreeSet<VcpuId> = BTreeSet::new();
        for user in 0..4 {
            let share = if user == 3 { Share::Absolute(200) } else { Share::Relative(100 * (user as u16 + 1)) };
            d.event(at(0), Event::User { user: UserId(user), share, quickdsp: user == 2 });
        }
        for step in 0..4000u32 {
            now += random.below(40_000);
            match random.below(12) {
                0 if there.len() < 24 => {
                    let vcpu = VcpuId(step);
                    d.event(at(now), Event::Add { vcpu, user: UserId(random.below(4) as u32) });
                    there.push(vcpu);
                }
                1 if there.len() > 12 => {
                    let vcpu = there.swap_remove(random.below(there.len()));
                    d.event(at(now), Event::Remove(vcpu));
                    going.insert(vcpu);
                }
                2 => {
                    let share = Share::Relative(1 + random.below(10_000) as u16);
                    let user = UserId(random.below(4) as u32);
                    d.event(at(now), Event::User { user, share, quickdsp: random.one_in(2) });
                }
                3..7 if !there.is_empty() => drop(d.event(at(now), Event::Ready(random.pick(&there)))),
                _ => {
                    let processor = random.below(processors);
                    if runs[processor].take().is_some() {
                        let whys =
                            [Return::SliceEnd, Return::Wait, Return::PageWait, Return::Stopped, Return::SliceEnd];
                        let why = random.pick(&whys);
                        d.event(at(now), Event::Returned { processor, used: random.below(6_000), why });
                    } else if let Decision::Run { vcpu, .. } = d.next(at(now), processor) {
                        assert!(!runs.contains(&Some(vcpu)), "seed {seed}: {vcpu:?} is given to two processors");
                        assert!(there.contains(&vcpu), "seed {seed}: {vcpu:?} was removed");
                        runs[processor] = Some(vcpu);
                    }
                }
            }
            d.check();
        }
        assert!(going.iter().all(|&v| d.status(v).is_none() || runs.contains(&Some(v))), "seed {seed}");
    }
}

/// Ten thousand machines of which almost all sleep: what the few do costs no more for it, and no processor is told to
/// wake up by itself.
#[test]
fn a_thousand_idle_machines_cost_nothing() {
    let mut d = Dispatcher::new(2, Srm::default());
    for n in 0..10_000 {
        d.event(at(0), Event::User { user: UserId(n), share: Share::default(), quickdsp: false });
        d.event(at(0), Event::Add { vcpu: VcpuId(n), user: UserId(n) });
    }
    assert_eq!(d.next(at(0), 0), Decision::Idle { until: None });
    assert_eq!(d.next(at(0), 1), Decision::Idle { until: None });
    let started = std::time::Instant::now();
    for n in 0..200_000u64 {
        let vcpu = VcpuId((n * 7919 % 10_000) as u32);
        assert_eq!(d.event(at(n * 100), Event::Ready(vcpu)).count(), 1);
        assert!(matches!(d.next(at(n * 100), 0), Decision::Run { .. }));
        d.event(at(n * 100 + 50), Event::Returned { processor: 0, used: 50, why: Return::Wait });
        assert!(matches!(d.next(at(n * 100 + 50), 0), Decision::Idle { until: None }));
    }
    let each = started.elapsed() / 200_000;
    println!("{each:?} for a wake-up, a dispatch and a return");
    assert!(each.as_micros() < 50);
}
