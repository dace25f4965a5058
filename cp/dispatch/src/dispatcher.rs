//! The lists, and every way from one to another. The policy is told in the crate's own page.
//!
//! What is always so, and what `check` asserts in tests: a virtual CPU is on exactly one list; a processor runs at most
//! one and a virtual CPU is run by at most one processor; the counts by class and the sums of shares are those of the
//! lists.

use std::collections::{BTreeSet, HashMap};

use base::Tod;

use crate::load::Meters;
use crate::share::{Sums, WHOLE};
use crate::transaction::{Move, Moves, Transactions, Way};
use crate::{
    Decision, Event, Load, MAX_PROCESSORS, Maximum, Queued, Return, Share, Srm, Status, UserId, VcpuId, Wakes,
};

/// How long a wait lasts before it ends the transaction, in microseconds.
const TEST_IDLE: u64 = 300_000;
/// The longest that one run puts a limited user off, in microseconds.
const LONGEST_LIMIT: u64 = 60_000_000;
/// The elapsed time slice of class 1 at first, and its bounds, in microseconds.
const FIRST_SLICE: u64 = 2_000_000;
const SLICE_BOUNDS: (u64, u64) = (50_000, 16_000_000);

/// A user.
#[derive(Debug)]
struct User {
    share: Share,
    quickdsp: bool,
    maximum: Option<Maximum>,
    /// The clock of the maximum share: nothing of the user's runs before it.
    limit: Tod,
    /// Pages.
    working_set: u64,
    /// Its virtual CPUs, and how many of them are ready or running.
    vcpus: Vec<VcpuId>,
    active: u64,
    /// It has logged off: it is forgotten with the last of its virtual CPUs.
    gone: bool,
}

/// A virtual CPU.
#[derive(Debug)]
struct Vcpu {
    user: UserId,
    status: Status,
    /// The class of its transaction.
    class: usize,
    /// Where its artificial clock stands, and the deadline it is on the ready list under.
    clock: u64,
    deadline: u64,
    /// How long it usually runs at a time, in microseconds.
    usual: u64,
    /// How many more minor slices the bias for new transactions helps it.
    bias: u32,
    /// When its elapsed time slice began.
    slice_begun: Tod,
    /// When its transaction began, and how long that has been in the eligible list, in microseconds.
    begun: Tod,
    waited: u64,
    /// What it is in a set under: the eligible list's key, the end of test idle or of the limit.
    key: Tod,
    /// It has become ready while it ran.
    woken: bool,
    /// It is to be removed when it returns.
    removed: bool,
    /// Where it ran last.
    processor: usize,
    /// The pages that it counts for in the dispatch list, and whether it is on the limit list of LIMITSOFT.
    pages: u64,
    soft: bool,
    /// It gets what no other virtual CPU wants, which does not count against its maximum.
    surplus: bool,
}

impl Vcpu {
    fn in_queue(&self) -> bool {
        !matches!(self.status, Status::Dormant | Status::Eligible)
    }
}

/// The dispatcher of a system.
#[derive(Debug)]
pub struct Dispatcher {
    srm: Srm,
    users: HashMap<UserId, User>,
    vcpus: HashMap<VcpuId, Vcpu>,
    /// Those that are ready, by deadline.
    ready: BTreeSet<(u64, VcpuId)>,
    /// The eligible list of classes 1 to 3, by the time they should get in.
    eligible: [BTreeSet<(Tod, VcpuId)>; 3],
    /// Those in test idle, by its end.
    waiting: BTreeSet<(Tod, VcpuId)>,
    /// Those whose users have had their maximum share, by the time until which they wait: LIMITHARD, LIMITSOFT.
    limited: [BTreeSet<(Tod, VcpuId)>; 2],
    /// How many are in the dispatch list, by class, and their pages.
    in_queue: [usize; 4],
    in_storage: [u64; 4],
    dormant: usize,
    sums: Sums,
    /// The artificial clock: the latest point that one which was chosen had reached.
    clock: u64,
    /// What each processor runs.
    running: Vec<Option<VcpuId>>,
    /// The processors that sleep and have not been woken.
    idle: u128,
    /// The elapsed time slice of class 1.
    first_slice: u64,
    /// Smoothed expansion of each class.
    expansion: [f64; 4],
    meters: Meters,
    transactions: Transactions,
    moves: Moves,
    /// Processors to be woken by the event being handled.
    wakes: u128,
}

impl Dispatcher {
    /// A dispatcher for `processors` processors, 1 to [`MAX_PROCESSORS`]. None of them sleeps: each calls
    /// [`next`](Dispatcher::next) first.
    pub fn new(processors: usize, srm: Srm) -> Dispatcher {
        assert!((1..=MAX_PROCESSORS).contains(&processors), "a system has 1 to {MAX_PROCESSORS} processors");
        Dispatcher {
            srm,
            users: HashMap::new(),
            vcpus: HashMap::new(),
            ready: BTreeSet::new(),
            eligible: Default::default(),
            waiting: BTreeSet::new(),
            limited: Default::default(),
            in_queue: [0; 4],
            in_storage: [0; 4],
            dormant: 0,
            sums: Sums::default(),
            clock: 0,
            running: vec![None; processors],
            idle: 0,
            first_slice: FIRST_SLICE,
            expansion: [1.0; 4],
            meters: Meters::new(processors),
            transactions: Transactions::default(),
            moves: Moves::default(),
            wakes: 0,
        }
    }

    /// What can be tuned, as it is.
    pub fn srm(&self) -> &Srm {
        &self.srm
    }

    /// SET SRM. What waits in the eligible list may get in by it.
    pub fn set_srm(&mut self, at: Tod, srm: Srm) -> Wakes {
        self.srm = srm;
        self.moves.set_time(at);
        self.admit_waiting(at);
        self.take_wakes()
    }

    /// Tells what has happened at the time `at`. The processors returned must be woken.
    ///
    /// To name a user or virtual CPU that there is not, or is already, or a processor that runs nothing, is a mistake
    /// of the caller and panics, except for [`Event::Ready`]: news of work may come late.
    pub fn event(&mut self, at: Tod, event: Event) -> Wakes {
        self.moves.set_time(at);
        self.expire(at);
        match event {
            Event::User { user, share, quickdsp } => self.set_user(at, user, share, quickdsp),
            Event::Limit { user, maximum } => {
                let user = self.users.get_mut(&user).expect("a user that is limited is logged on");
                (user.maximum, user.limit) = (maximum, at);
            }
            Event::WorkingSet { user, pages } => {
                if let Some(user) = self.users.get_mut(&user) {
                    user.working_set = pages;
                }
            }
            Event::UserGone(user) => {
                let gone = self.users.get_mut(&user).expect("a user that logs off was logged on");
                gone.gone = true;
                if gone.vcpus.is_empty() {
                    self.users.remove(&user);
                } else {
                    let removed = |id: &VcpuId| self.vcpus[id].removed;
                    assert!(gone.vcpus.iter().all(removed), "the virtual CPUs of {user:?} go before it");
                }
            }
            Event::Add { vcpu, user } => self.add(at, vcpu, user),
            Event::Remove(vcpu) => self.remove(at, vcpu),
            Event::Ready(vcpu) => self.make_ready(at, vcpu),
            Event::Returned { processor, used, why } => self.returned(at, processor, used, why),
        }
        self.take_wakes()
    }

    /// What `processor`, which runs nothing, is to do now.
    pub fn next(&mut self, at: Tod, processor: usize) -> Decision {
        assert_eq!(self.running[processor], None, "processor {processor} gives back what it runs first");
        let bit = 1 << processor;
        self.idle &= !bit;
        self.moves.set_time(at);
        self.expire(at);
        self.meters.sample(at);
        if self.ready.is_empty()
            && let Some((_, id)) = self.limited[1].pop_first()
        {
            self.vcpus.get_mut(&id).expect("what is on a list exists").surplus = true;
            self.ready_now(id);
        }
        let Some((_, id)) = self.ready.pop_first() else {
            self.idle |= bit;
            // Only while virtual CPUs wait for a place does it matter that another one's test idle has ended.
            let anybody = self.eligible.iter().any(|list| !list.is_empty());
            let until = if anybody { self.waiting.first().map(|&(end, _)| end) } else { None };
            let limit = self.limited[0].first().map(|&(end, _)| end);
            return Decision::Idle { until: until.into_iter().chain(limit).min() };
        };
        let vcpu = self.vcpus.get_mut(&id).expect("what is on a list exists");
        vcpu.status = Status::Running(processor);
        vcpu.processor = processor;
        vcpu.woken = false;
        self.clock = self.clock.max(vcpu.clock);
        self.running[processor] = Some(id);
        self.meters.begin(processor, at);
        Decision::Run { vcpu: id, slice: self.srm.minor_slice, wakes: self.take_wakes() }
    }

    fn take_wakes(&mut self) -> Wakes {
        Wakes(std::mem::take(&mut self.wakes))
    }

    fn set_user(&mut self, at: Tod, id: UserId, share: Share, quickdsp: bool) {
        let user = self.users.entry(id).or_insert(User {
            share,
            quickdsp,
            maximum: None,
            limit: at,
            working_set: 0,
            vcpus: Vec::new(),
            active: 0,
            gone: false,
        });
        if user.active > 0 {
            self.sums.take(user.share);
            self.sums.add(share);
        }
        (user.share, user.quickdsp) = (share, quickdsp);
        if !quickdsp {
            return;
        }
        // Those of the user that wait in the eligible list get in.
        let waits = |id: &VcpuId| self.vcpus[id].status == Status::Eligible;
        let mut admitted: Vec<VcpuId> = self.users[&id].vcpus.iter().copied().filter(waits).collect();
        admitted.sort_unstable();
        for id in admitted {
            let vcpu = self.vcpus.get_mut(&id).expect("it was found above");
            self.eligible[vcpu.class - 1].remove(&(vcpu.key, id));
            vcpu.class = 0;
            self.count_in(id);
            self.put_ready(at, id);
        }
    }

    fn add(&mut self, at: Tod, id: VcpuId, user: UserId) {
        self.users.get_mut(&user).expect("a virtual CPU's user is known").vcpus.push(id);
        let vcpu = Vcpu {
            user,
            status: Status::Dormant,
            class: 1,
            clock: 0,
            deadline: 0,
            usual: 0,
            bias: 0,
            slice_begun: at,
            begun: at,
            waited: 0,
            key: at,
            woken: false,
            removed: false,
            processor: 0,
            pages: 0,
            soft: false,
            surplus: false,
        };
        let old = self.vcpus.insert(id, vcpu);
        assert!(old.is_none(), "{id:?} is defined once");
        self.dormant += 1;
    }

    fn remove(&mut self, at: Tod, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what is removed exists");
        if let Status::Running(_) = vcpu.status {
            vcpu.removed = true;
            return;
        }
        self.put_dormant(id);
        self.forget(id);
        self.admit_waiting(at);
    }

    /// Removes a dormant virtual CPU.
    fn forget(&mut self, id: VcpuId) {
        let vcpu = self.vcpus.remove(&id).expect("what is removed exists");
        let user = self.users.get_mut(&vcpu.user).expect("a user outlives its virtual CPUs");
        user.vcpus.retain(|other| *other != id);
        if user.gone && user.vcpus.is_empty() {
            self.users.remove(&vcpu.user);
        }
        self.dormant -= 1;
    }

    fn make_ready(&mut self, at: Tod, id: VcpuId) {
        let Some(vcpu) = self.vcpus.get_mut(&id) else { return };
        match vcpu.status {
            Status::Ready | Status::Eligible | Status::Limited => {}
            Status::Running(_) => vcpu.woken = true,
            Status::TestIdle => {
                self.waiting.remove(&(vcpu.key, id));
                self.go_on(at, id);
            }
            Status::PageWait => self.go_on(at, id),
            Status::Dormant => {
                let quickdsp = self.users[&vcpu.user].quickdsp;
                vcpu.class = if quickdsp { 0 } else { 1 };
                vcpu.bias = self.srm.bias_duration;
                (vcpu.begun, vcpu.slice_begun, vcpu.waited) = (at, at, 0);
                self.dormant -= 1;
                self.enter(at, id);
            }
        }
    }

    fn returned(&mut self, at: Tod, processor: usize, used: u64, why: Return) {
        let id = self.running[processor].take().expect("a processor returns what it was given");
        self.meters.end(processor, at);
        let weight = self.weight(id);
        let vcpu = self.vcpus.get_mut(&id).expect("what runs exists");
        vcpu.clock = vcpu.clock.saturating_add(advance(used, weight));
        let run = used.clamp(1, self.srm.minor_slice.max(1));
        vcpu.usual = if vcpu.usual == 0 { run } else { (vcpu.usual * 3 + run) / 4 };
        vcpu.bias = vcpu.bias.saturating_sub(1);
        let (woken, removed) = (vcpu.woken, vcpu.removed);
        self.spend(at, id, used);
        self.deactivate(id);
        if removed {
            self.put_dormant(id);
            self.forget(id);
            self.admit_waiting(at);
            return;
        }
        match why {
            Return::Wait if !woken => {
                let vcpu = self.vcpus.get_mut(&id).expect("what runs exists");
                vcpu.status = Status::TestIdle;
                vcpu.key = at.plus_micros(TEST_IDLE);
                self.waiting.insert((vcpu.key, id));
            }
            Return::PageWait if !woken => {
                self.vcpus.get_mut(&id).expect("what runs exists").status = Status::PageWait;
            }
            Return::Stopped if !woken => {
                self.put_dormant(id);
                self.admit_waiting(at);
            }
            _ => self.go_on(at, id),
        }
    }

    /// A virtual CPU of the dispatch list has more to do: in this elapsed time slice or in another.
    fn go_on(&mut self, at: Tod, id: VcpuId) {
        let vcpu = &self.vcpus[&id];
        if vcpu.class > 0 && at.micros_since(vcpu.slice_begun) >= self.slice(vcpu.class) {
            self.next_slice(at, id);
        } else {
            self.put_ready(at, id);
        }
    }

    /// Advances the clock of a user's maximum share by the time that was used.
    fn spend(&mut self, at: Tod, id: VcpuId, used: u64) {
        let vcpu = self.vcpus.get_mut(&id).expect("what has run exists");
        if std::mem::take(&mut vcpu.surplus) {
            return;
        }
        let user = &self.users[&vcpu.user];
        let Some(maximum) = user.maximum else { return };
        let weight = u128::from(self.sums.weight_instead(user.share, maximum.share));
        let all = weight * self.running.len() as u128;
        let way =
            u64::try_from(u128::from(used) * u128::from(WHOLE) / all.max(1)).unwrap_or(u64::MAX).min(LONGEST_LIMIT);
        let user = self.users.get_mut(&self.vcpus[&id].user).expect("it was found above");
        // What was not used before is no credit.
        user.limit = Tod(user.limit.0.max(at.0.saturating_sub(Tod(0).plus_micros(used).0))).plus_micros(way);
    }

    /// Counts a virtual CPU that gets into the dispatch list.
    fn count_in(&mut self, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what gets in exists");
        let user = &self.users[&vcpu.user];
        // The storage of a virtual machine is there once, for all of its virtual CPUs.
        vcpu.pages = user.working_set / user.vcpus.len().max(1) as u64;
        self.in_queue[vcpu.class] += 1;
        self.in_storage[vcpu.class] += vcpu.pages;
        self.moves.add(id, Way::AddDispatch, vcpu.class);
    }

    /// Counts a virtual CPU that leaves the dispatch list.
    fn count_out(&mut self, id: VcpuId) {
        let vcpu = &self.vcpus[&id];
        self.in_queue[vcpu.class] -= 1;
        self.in_storage[vcpu.class] -= vcpu.pages;
        self.moves.add(id, Way::DropDispatch, vcpu.class);
    }

    /// The elapsed time slice of a class, in microseconds.
    fn slice(&self, class: usize) -> u64 {
        self.first_slice * [0, 1, 6, 48][class]
    }

    /// The elapsed time slice of a virtual CPU has ended: its transaction goes on in the next class, and if others wait
    /// for a place, it goes after them.
    fn next_slice(&mut self, at: Tod, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what runs exists");
        let class = vcpu.class;
        if class == 1 {
            // Six in a hundred longer for one that was not done, one in a hundred shorter for one that was: in balance,
            // six of seven are.
            self.first_slice = (self.first_slice + self.first_slice * 6 / 100).min(SLICE_BOUNDS.1);
        }
        self.count_out(id);
        let vcpu = self.vcpus.get_mut(&id).expect("what runs exists");
        vcpu.class = (class + 1).min(3);
        vcpu.slice_begun = at;
        // Those that wait come first; what is left of the room is for this one.
        vcpu.status = Status::Dormant;
        self.admit_waiting(at);
        self.enter(at, id);
    }

    /// Lets a virtual CPU that is on no list into the dispatch list, or into the eligible list if there is no room.
    fn enter(&mut self, at: Tod, id: VcpuId) {
        let vcpu = &self.vcpus[&id];
        let class = vcpu.class;
        // No virtual CPU gets in before another of the same class that waits.
        if class == 0 || self.room(class, id) && self.eligible[class - 1].is_empty() {
            self.count_in(id);
            return self.put_ready(at, id);
        }
        // The time by which it should get in: a slice of its class, sooner with a larger share.
        let share = match self.users[&vcpu.user].share {
            Share::Relative(r) => u64::from(r).max(1),
            Share::Absolute(a) => u64::from(a).max(1) * 10,
        };
        let key = at.plus_micros(self.slice(class).saturating_mul(100) / share);
        let vcpu = self.vcpus.get_mut(&id).expect("it was found above");
        vcpu.status = Status::Eligible;
        vcpu.key = key;
        // The wait is counted from now: when it gets in, the difference to then is added.
        vcpu.slice_begun = at;
        self.moves.add(id, Way::AddEligible, class);
        self.eligible[class - 1].insert((key, id));
    }

    /// The pages that a virtual CPU would bring into the dispatch list.
    fn demand(&self, id: VcpuId) -> u64 {
        let user = &self.users[&self.vcpus[&id].user];
        user.working_set / user.vcpus.len().max(1) as u64
    }

    /// Whether DSPBUF and STORBUF let a virtual CPU of `class` into the dispatch list. Where only others of its virtual
    /// machine are there, it has room: they may wait for it.
    fn room(&self, class: usize, id: VcpuId) -> bool {
        let pages = self.demand(id);
        let fellows = || self.users[&self.vcpus[&id].user].vcpus.iter().map(|fellow| &self.vcpus[fellow]);
        (1..=class).all(|c| {
            let count = self.in_queue[c..].iter().sum::<usize>();
            let storage = self.in_storage[c..].iter().sum::<u64>();
            let most = self.srm.pages * u64::from(self.srm.storage_buffer[c - 1]) / 100;
            let own = || fellows().filter(|it| it.in_queue() && it.class >= c).map(|it| it.pages).sum::<u64>();
            let fits = self.srm.pages == 0 || count == 0 || storage + pages <= most || storage == own();
            count < self.srm.dispatch_buffer[c - 1] as usize && fits
        })
    }

    /// Lets in from the eligible list those virtual CPUs that there is room for, the most urgent first.
    fn admit_waiting(&mut self, at: Tod) {
        loop {
            let heads = (1..=3).filter_map(|class| self.eligible[class - 1].first().map(|&(key, id)| (key, class, id)));
            let first = heads.filter(|&(_, class, id)| self.room(class, id)).min();
            let Some((key, class, id)) = first else { return };
            self.eligible[class - 1].remove(&(key, id));
            let vcpu = self.vcpus.get_mut(&id).expect("what is on a list exists");
            vcpu.waited += at.micros_since(vcpu.slice_begun);
            vcpu.slice_begun = at;
            self.count_in(id);
            self.put_ready(at, id);
        }
    }

    /// Puts a virtual CPU that is in the dispatch list among those that are ready, or on the limit list.
    fn put_ready(&mut self, at: Tod, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what becomes ready exists");
        let user = &self.users[&vcpu.user];
        match user.maximum {
            Some(maximum) if user.limit > at => {
                (vcpu.status, vcpu.key, vcpu.soft) = (Status::Limited, user.limit, !maximum.hard);
                self.limited[usize::from(vcpu.soft)].insert((vcpu.key, id));
                if !maximum.hard {
                    self.wake_for(id);
                }
            }
            _ => self.ready_now(id),
        }
    }

    /// Picks a processor that sleeps, if there is one, to wake for a virtual CPU.
    fn wake_for(&mut self, id: VcpuId) {
        // The processor that it ran on last has its storage in the cache.
        let last = 1 << self.vcpus[&id].processor;
        let free = self.idle & !self.wakes;
        let chosen = if free & last != 0 { last } else { free & free.wrapping_neg() };
        self.wakes |= chosen;
        self.idle &= !chosen;
    }

    /// Puts a virtual CPU among those that are ready, and picks a processor to wake for it.
    fn ready_now(&mut self, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what becomes ready exists");
        vcpu.status = Status::Ready;
        // Sleep is no credit: a virtual CPU that comes late begins where the others are.
        vcpu.clock = vcpu.clock.max(self.clock);
        let user = self.users.get_mut(&vcpu.user).expect("a user outlives its virtual CPUs");
        user.active += 1;
        if user.active == 1 {
            self.sums.add(user.share);
        }
        let weight = self.weight(id);
        let vcpu = self.vcpus.get_mut(&id).expect("it was found above");
        // Even a short run is taken as a part of a slice, or the order among short ones would depend on nothing else.
        let slice = self.srm.minor_slice;
        let expected = if vcpu.usual == 0 { slice } else { vcpu.usual.clamp(slice / 20, slice) };
        let mut way = advance(expected, weight);
        if vcpu.bias > 0 {
            let strength = u64::from(self.srm.bias_intensity.min(100)) * u64::from(vcpu.bias);
            way -= (u128::from(way) * u128::from(strength) / (100 * u128::from(self.srm.bias_duration.max(vcpu.bias))))
                as u64;
        }
        vcpu.deadline = vcpu.clock.saturating_add(way);
        self.ready.insert((vcpu.deadline, id));
        self.wake_for(id);
    }

    /// A virtual CPU is no longer ready or running.
    fn deactivate(&mut self, id: VcpuId) {
        let user = self.users.get_mut(&self.vcpus[&id].user).expect("a user outlives its virtual CPUs");
        user.active -= 1;
        if user.active == 0 {
            self.sums.take(user.share);
        }
    }

    /// Takes a virtual CPU from whatever list it is on to the dormant list. One that ran has been deactivated.
    fn put_dormant(&mut self, id: VcpuId) {
        let vcpu = self.vcpus.get_mut(&id).expect("what becomes dormant exists");
        let (status, class, key, deadline, soft) = (vcpu.status, vcpu.class, vcpu.key, vcpu.deadline, vcpu.soft);
        vcpu.status = Status::Dormant;
        match status {
            Status::Dormant => return,
            Status::Eligible => {
                self.eligible[class - 1].remove(&(key, id));
            }
            Status::Ready => {
                self.ready.remove(&(deadline, id));
                self.deactivate(id);
            }
            Status::TestIdle => {
                self.waiting.remove(&(key, id));
            }
            Status::Limited => {
                self.limited[usize::from(soft)].remove(&(key, id));
            }
            Status::Running(_) | Status::PageWait => {}
        }
        self.dormant += 1;
        if status != Status::Eligible {
            self.count_out(id);
        }
    }

    /// Ends the transactions whose test idle is over, and the waits of those that have had their maximum.
    fn expire(&mut self, at: Tod) {
        for soft in 0..2 {
            while let Some(&(until, id)) = self.limited[soft].first()
                && until <= at
            {
                self.limited[soft].pop_first();
                // Another virtual CPU of the user may have used up more in the meantime.
                self.put_ready(at, id);
            }
        }
        while let Some(&(end, id)) = self.waiting.first() {
            if end > at {
                return;
            }
            let vcpu = &self.vcpus[&id];
            let (class, waited) = (vcpu.class, vcpu.waited);
            let whole = end.micros_since(vcpu.begun).saturating_sub(TEST_IDLE).max(1);
            let factor = whole as f64 / whole.saturating_sub(waited).max(1) as f64;
            self.expansion[class] += (factor - self.expansion[class]) / 16.0;
            if class == 1 {
                self.first_slice = (self.first_slice - self.first_slice / 100).max(SLICE_BOUNDS.0);
            }
            let several = self.users[&vcpu.user].vcpus.len() > 1;
            let trivial = class == 1 || class == 0 && whole <= self.first_slice;
            self.transactions.count(several, trivial, whole);
            self.put_dormant(id);
            self.admit_waiting(at);
        }
    }

    /// The part of the processors that is this virtual CPU's at the moment; it is ready or running.
    fn weight(&self, id: VcpuId) -> u64 {
        let user = &self.users[&self.vcpus[&id].user];
        (self.sums.weight(user.share) / user.active.max(1)).max(1)
    }

    /// The transactions that have ended.
    pub fn transactions(&self) -> Transactions {
        self.transactions
    }

    /// The elapsed time slice of class 1, in microseconds, and the pages of those in the dispatch list.
    pub fn pressure(&self) -> (u64, u64) {
        (self.first_slice, self.in_storage.iter().sum())
    }

    /// Whether moves between the lists are to be kept for [`take_moves`](Dispatcher::take_moves).
    pub fn want_moves(&mut self, wanted: bool) {
        self.moves.want(wanted);
    }

    /// The moves since they were taken last, as many as are kept.
    pub fn take_moves(&mut self) -> Vec<Move> {
        self.moves.take()
    }

    /// Where a virtual CPU is, and the class of its transaction.
    pub fn place(&self, vcpu: VcpuId) -> Option<(Status, u8)> {
        self.vcpus.get(&vcpu).map(|vcpu| (vcpu.status, vcpu.class as u8))
    }

    /// INDICATE LOAD.
    pub fn load(&mut self, at: Tod) -> Load {
        self.meters.sample(at);
        let (processors, average) = self.meters.percent();
        let eligible = [0, self.eligible[0].len(), self.eligible[1].len(), self.eligible[2].len()];
        let expansion = self.expansion.map(|e| e.round().clamp(1.0, 999.0) as u32);
        let (mut in_queue, mut dormant) = (self.in_queue, self.dormant);
        // Test idle that is over counts as over, though there was no reason to move these yet.
        for (_, id) in self.waiting.iter().take_while(|(end, _)| *end <= at) {
            in_queue[self.vcpus[id].class] -= 1;
            dormant += 1;
        }
        let limited = self.limited.iter().map(BTreeSet::len).sum();
        Load { limited, average, processors, in_queue, eligible, dormant, expansion }
    }

    /// Where a virtual CPU is.
    pub fn status(&self, vcpu: VcpuId) -> Option<Status> {
        self.vcpus.get(&vcpu).map(|v| v.status)
    }

    /// INDICATE QUEUES: the dispatch list, running ones first, then by deadline; then the eligible list.
    pub fn queues(&self, at: Tod) -> Vec<Queued> {
        let listed = self.vcpus.iter().filter(|(_, v)| v.status != Status::Dormant);
        let mut lines: Vec<Queued> = listed
            .map(|(&vcpu, v)| Queued {
                vcpu,
                class: v.class as u8,
                status: v.status,
                deadline: match v.status {
                    Status::Eligible => v.key.micros_since(at) as i64 - at.micros_since(v.key) as i64,
                    _ => v.deadline.wrapping_sub(self.clock) as i64,
                },
                interactive: v.bias > 0,
            })
            .collect();
        let rank = |status| match status {
            Status::Running(_) => 0,
            Status::Eligible => 2,
            _ => 1,
        };
        lines.sort_by_key(|line| (rank(line.status), line.deadline, line.vcpu));
        lines
    }

    /// Asserts what is always so. For tests: it looks at everything.
    pub fn check(&self) {
        let count = |status: fn(&Status) -> bool| self.vcpus.values().filter(|v| status(&v.status)).count();
        assert_eq!(count(|s| *s == Status::Dormant), self.dormant);
        assert_eq!(count(|s| *s == Status::Ready), self.ready.len());
        assert_eq!(count(|s| *s == Status::TestIdle), self.waiting.len());
        assert_eq!(count(|s| *s == Status::Limited), self.limited.iter().map(BTreeSet::len).sum::<usize>());
        assert_eq!(count(|s| *s == Status::Eligible), self.eligible.iter().map(BTreeSet::len).sum::<usize>());
        assert_eq!(count(|s| matches!(s, Status::Running(_))), self.running.iter().flatten().count());
        let (mut in_queue, mut in_storage, mut sums) = ([0; 4], [0; 4], Sums::default());
        for (id, vcpu) in &self.vcpus {
            match vcpu.status {
                Status::Ready => assert!(self.ready.contains(&(vcpu.deadline, *id))),
                Status::Running(p) => assert_eq!(self.running[p], Some(*id)),
                Status::TestIdle => assert!(self.waiting.contains(&(vcpu.key, *id))),
                Status::Limited => assert!(self.limited[usize::from(vcpu.soft)].contains(&(vcpu.key, *id))),
                Status::Eligible => assert!(self.eligible[vcpu.class - 1].contains(&(vcpu.key, *id))),
                Status::Dormant | Status::PageWait => {}
            }
            in_queue[vcpu.class] += usize::from(vcpu.in_queue());
            in_storage[vcpu.class] += if vcpu.in_queue() { vcpu.pages } else { 0 };
        }
        assert_eq!((in_queue, in_storage), (self.in_queue, self.in_storage));
        for (id, user) in &self.users {
            let active = |v: &&Vcpu| v.user == *id && matches!(v.status, Status::Ready | Status::Running(_));
            let active = self.vcpus.values().filter(active).count() as u64;
            assert_eq!(active, user.active);
            if active > 0 {
                sums.add(user.share);
            }
        }
        assert_eq!(sums, self.sums);
        // While a processor sleeps that was not woken, there is a woken one for everything that is ready.
        let asleep = self.idle.count_ones() as usize;
        let coming = self.running.iter().filter(|r| r.is_none()).count() - asleep;
        assert!(asleep == 0 || self.ready.len() <= coming, "work waits while processors sleep");
    }
}

/// How far the artificial clock of one whose part of the processors is `weight` goes in `used` microseconds.
fn advance(used: u64, weight: u64) -> u64 {
    u64::try_from(u128::from(used) * u128::from(WHOLE) / u128::from(weight)).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)
}
