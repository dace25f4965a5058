//! What is pending, told to the outside without locks: CPUs poll [`Pending`], devices ring a [`Doorbell`].

use base::Held;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

/// What the outside is told, the moment it happens. The listener may be called with the channel subsystem locked and
/// so must not lock it; waking a CPU is what it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The set of interruption subclasses with a pending interruption has changed to this; bit 0 (X'80') is ISC 0, as
    /// in control register 6.
    Interruptions(u8),
    /// A channel report is pending (a machine-check condition).
    ChannelReport,
    /// [`ChannelSubsystem::attend`](crate::ChannelSubsystem::attend) has something to do.
    Work,
}

type Listener = Arc<dyn Fn(Notice) + Send + Sync>;

/// The pending conditions of one channel subsystem, readable without its lock.
#[derive(Default)]
pub struct Pending {
    iscs: AtomicU8,
    report: AtomicBool,
    work: AtomicBool,
    rung: Mutex<Vec<u16>>,
    listener: RwLock<Option<Listener>>,
}

impl Pending {
    /// Interruption subclasses with a pending interruption; bit 0 (X'80') is ISC 0.
    #[inline]
    pub fn iscs(&self) -> u8 {
        self.iscs.load(SeqCst)
    }

    /// Whether [`ChannelSubsystem::attend`](crate::ChannelSubsystem::attend) is to be called.
    #[inline]
    pub fn work(&self) -> bool {
        self.work.load(SeqCst)
    }

    /// Whether the machine-check condition "channel report pending" is pending.
    #[inline]
    pub fn channel_report(&self) -> bool {
        self.report.load(SeqCst)
    }

    /// A CPU takes the channel-report-pending machine check: true once for each condition.
    pub fn take_channel_report(&self) -> bool {
        self.report.swap(false, SeqCst)
    }

    /// The listener that is told from now on.
    pub fn listen(&self, listener: impl Fn(Notice) + Send + Sync + 'static) {
        *self.listener.write().held() = Some(Arc::new(listener));
    }

    pub(crate) fn set_iscs(&self, iscs: u8) {
        if self.iscs.swap(iscs, SeqCst) != iscs {
            self.tell(Notice::Interruptions(iscs));
        }
    }

    pub(crate) fn set_report(&self, pending: bool) {
        if !self.report.swap(pending, SeqCst) && pending {
            self.tell(Notice::ChannelReport);
        }
    }

    /// As in a checkpoint: nothing is told.
    pub(crate) fn restore_report(&self, pending: bool) {
        self.report.store(pending, SeqCst);
    }

    pub(crate) fn set_work(&self) {
        self.work.store(true, SeqCst);
        self.tell(Notice::Work);
    }

    /// The subchannels of devices that rang their bells; afterwards there is no work.
    pub(crate) fn take_work(&self) -> Vec<u16> {
        self.work.store(false, SeqCst);
        std::mem::take(&mut *self.rung.lock().held())
    }

    fn tell(&self, notice: Notice) {
        let listener = self.listener.read().held().clone();
        if let Some(listener) = listener {
            listener(notice);
        }
    }
}

/// A device's bell: rung by whatever the device waits for.
#[derive(Clone)]
pub struct Doorbell {
    pub(crate) pending: Arc<Pending>,
    pub(crate) subchannel: u16,
}

impl Doorbell {
    /// Has the channel subsystem ask the device again, soon; takes no lock that is held for long.
    pub fn ring(&self) {
        self.pending.rung.lock().held().push(self.subchannel);
        self.pending.set_work();
    }
}
