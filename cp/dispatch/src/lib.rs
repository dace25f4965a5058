//! The dispatcher: which virtual CPU a processor runs next, and for how long.
//!
//! Pure policy over names and a clock: it knows no virtual machine, takes no lock, reads no time. The world tells it
//! what happens ([`Dispatcher::event`]); a processor asks it what to do ([`Dispatcher::next`]).
//!
//! # Lists
//!
//! A virtual CPU that has nothing to do is on the **dormant list**, and costs nothing. When it becomes ready a
//! **transaction** begins, of class 1, and it goes to the **dispatch list**, from which processors take their work. If
//! as many of its class are in there as SET SRM DSPBUF allows, it waits in the **eligible list** instead. A transaction
//! that is not done within its class's elapsed time slice goes on in class 2, then 3, and may have to wait for its
//! place again. The slice of class 1 adapts so that most transactions end within it; that of class 2 is 6 times, that
//! of class 3 48 times as long. Users with QUICKDSP are class 0 and never wait in the eligible list.
//!
//! A virtual CPU that enters a wait stays in the dispatch list for 300 ms (**test idle**), for most have something to
//! do again soon; only then its transaction has ended and it is dormant.
//!
//! # Which virtual CPU is next
//!
//! Every virtual CPU has a **deadline** on the scheduler's artificial clock, and the earliest goes first. The clock of
//! one that runs advances by the time it has used divided by its share, so equal progress on that clock is fair
//! progress by share; the deadline is where the clock would be after the work expected of it (at most a minor time
//! slice, DSPSLICE). One that has slept begins at where the others are, so sleep is no credit, and short work has an
//! early deadline. A transaction that begins gets a still earlier one for a few slices (SET SRM IABIAS): a user is
//! looking at a screen. As every clock in the list advances, no virtual CPU waits for ever.
//!
//! Shares: ABSOLUTE shares are parts of the whole, RELATIVE ones divide what those leave, each among the users that
//! want to run at the moment. A user's share is divided among its virtual CPUs that do.
//!
//! A maximum share (LIMITHARD, LIMITSOFT) is kept by a clock of its own for each limited user: it advances by the time
//! used divided by the maximum, and a virtual CPU that has it ahead of the real time is on the **limit list** until it
//! is not. With LIMITSOFT a processor that finds nothing else to run takes its work from there.
//!
//! # Storage
//!
//! SET SRM STORBUF says how much of the host's storage the working sets of those in the dispatch list may make up: of
//! classes 1 to 3, of classes 2 and 3, of class 3. A virtual CPU that does not fit waits in the eligible list; one
//! virtual machine alone always fits. LDUBUF is about users whose pages are being brought in: it is kept, and holds no
//! user back.
//!
//! # Cost
//!
//! Each event costs the logarithm of how many are on the list concerned. Nothing is done periodically: a processor
//! that is told to idle without a time has no reason to wake up by itself.

mod dispatcher;
mod load;
mod share;
mod transaction;

pub use dispatcher::Dispatcher;
pub use load::Load;
pub use transaction::{Ended, Move, Transactions, Way};

use base::Tod;

/// A virtual CPU, under a number that the caller chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct VcpuId(pub u32);

/// A user: all virtual CPUs of one virtual machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct UserId(pub u32);

/// The most processors there can be.
pub const MAX_PROCESSORS: usize = 128;

/// SET SHARE: a user's part of the processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// 1 to 10,000, set against the others'; 100 is usual.
    Relative(u16),
    /// Tenths of a percent of all processors together, 1 to 1000.
    Absolute(u16),
}

impl Default for Share {
    fn default() -> Self {
        Share::Relative(100)
    }
}

/// A maximum share: SET SHARE ... LIMITSOFT or LIMITHARD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Maximum {
    /// So much of the processors and no more.
    pub share: Share,
    /// LIMITHARD: not even when no other user wants them.
    pub hard: bool,
}

/// SET SRM: what the system's owner may tune.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Srm {
    /// DSPSLICE: the minor time slice, in microseconds.
    pub minor_slice: u64,
    /// IABIAS INTENSITY: by how many percent of the usual way the first deadline of a transaction is nearer, 0 to 100.
    pub bias_intensity: u32,
    /// IABIAS DURATION: for how many minor slices.
    pub bias_duration: u32,
    /// DSPBUF: how many virtual CPUs may be in the dispatch list: of classes 1 to 3, of classes 2 and 3, of class 3.
    pub dispatch_buffer: [u32; 3],
    /// STORBUF: how many percent of the host's storage the working sets of the same may be.
    pub storage_buffer: [u32; 3],
    /// LDUBUF: how many percent of the paging devices' capacity users that are being loaded may claim.
    pub loading_buffer: [u32; 3],
    /// The pages of the host's storage; 0 if nothing is known of it, and STORBUF then holds no user back.
    pub pages: u64,
}

impl Default for Srm {
    fn default() -> Self {
        Srm {
            minor_slice: 5_000,
            bias_intensity: 90,
            bias_duration: 2,
            dispatch_buffer: [32_767; 3],
            storage_buffer: [125, 105, 95],
            loading_buffer: [100, 75, 60],
            pages: 0,
        }
    }
}

/// Something that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A user logs on, or its share or QUICKDSP is set anew.
    User {
        /// The user.
        user: UserId,
        /// Its share.
        share: Share,
        /// Whether it never waits in the eligible list.
        quickdsp: bool,
    },
    /// A user's maximum share is set, or taken away.
    Limit {
        /// The user.
        user: UserId,
        /// The maximum.
        maximum: Option<Maximum>,
    },
    /// How many pages of storage a user works with. It counts when a virtual CPU of it gets into the dispatch list
    /// next.
    WorkingSet {
        /// The user.
        user: UserId,
        /// Pages.
        pages: u64,
    },
    /// A user has logged off, after its virtual CPUs were removed. One that a processor runs goes when it comes back.
    UserGone(UserId),
    /// A virtual CPU is defined. It is dormant.
    Add {
        /// Its name.
        vcpu: VcpuId,
        /// Whose it is.
        user: UserId,
    },
    /// A virtual CPU is gone. If it runs, it is gone when it returns.
    Remove(VcpuId),
    /// A virtual CPU has something to do: an interruption it is enabled for, BEGIN, a page that has arrived. It may be
    /// told again and again, and while the CPU runs: then it does not go to sleep when it returns.
    Ready(VcpuId),
    /// A processor has stopped running what it was given.
    Returned {
        /// Which processor.
        processor: usize,
        /// The processor time used, in microseconds.
        used: u64,
        /// Why it has stopped.
        why: Return,
    },
}

/// Why a virtual CPU is given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// It has more to do.
    SliceEnd,
    /// It is in a wait state with nothing to do: test idle.
    Wait,
    /// It waits for a page. It stays in the dispatch list until it is ready.
    PageWait,
    /// It was stopped, or its user logged off: dormant at once.
    Stopped,
}

/// What a processor is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Run this virtual CPU, and then tell [`Event::Returned`].
    Run {
        /// Which.
        vcpu: VcpuId,
        /// For at most so many microseconds.
        slice: u64,
        /// Other processors to be woken, for time has passed and let others in from the eligible list.
        wakes: Wakes,
    },
    /// Nothing to run: sleep until an event wakes this processor, or until that time and ask again.
    Idle {
        /// The time, if there is a reason to ask again without an event.
        until: Option<Tod>,
    },
}

/// Idle processors that there is work for now: each must be made to call [`Dispatcher::next`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wakes(pub(crate) u128);

impl Iterator for Wakes {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let processor = self.0.trailing_zeros();
        if processor == u128::BITS {
            return None;
        }
        self.0 &= self.0 - 1;
        Some(processor as usize)
    }
}

/// Where a virtual CPU is, as INDICATE QUEUES shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// On the dormant list.
    Dormant,
    /// On the eligible list.
    Eligible,
    /// In the dispatch list, and could run.
    Ready,
    /// In the dispatch list, and runs on this processor.
    Running(usize),
    /// In the dispatch list, but its user has had its maximum share: the limit list.
    Limited,
    /// In the dispatch list, waiting for less than 300 ms.
    TestIdle,
    /// In the dispatch list, waiting for a page.
    PageWait,
}

/// A line of INDICATE QUEUES.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    /// Which virtual CPU.
    pub vcpu: VcpuId,
    /// The class of its transaction, 0 to 3.
    pub class: u8,
    /// Where it is.
    pub status: Status,
    /// Its deadline on the artificial clock, in microseconds from now; negative if it is late. For the eligible list,
    /// the time by which it should get in.
    pub deadline: i64,
    /// Whether the bias for new transactions still helps it.
    pub interactive: bool,
}
