//! Reading ahead. What a guest will probably want next is brought into storage by a thread of its own, while the guest
//! works on what it has.
//!
//! Of a guest that reads in order the next tracks are *staged*: read, unpacked and kept among the image's recent
//! tracks. They are read in [runs](crate::host::HostFile::read_run), or the host is told meanwhile of the tracks after
//! them. Of a guest that comes back to a cylinder the host is told that the cylinder is wanted
//! ([`will_need`](crate::host::HostFile::will_need)). Its other tracks are then in the host's storage when they are
//! read. The [habits](super::habits) say which guest it is.
//!
//! What goes wrong here is found again, and told, when the guest itself reads. Images with injected failures of the
//! host do not read ahead: tests count their requests.

use super::files::{Files, read_unit};
use super::habits::{WINDOW, Wish};
use super::layer::Layer;
use super::recent::Unit;
use crate::error::MediaError;
use crate::format::unit::{self, parsed};
use crate::host::Room;
use crate::model::Kind;
use base::Held;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};

/// Tracks, or groups of blocks, that are one piece of work: where the host has processors, several threads unpack.
const PIECE: usize = 4;
/// As many where they are read in one run.
const RUN: usize = 8;
/// Threads at most.
const THREADS: usize = 4;
/// Requests that wait for the thread; what comes when there are more is not read ahead.
const WAITING: usize = 64;

type Queue = (Mutex<VecDeque<(Weak<Files>, Wish)>>, Condvar);

static QUEUE: OnceLock<Queue> = OnceLock::new();

/// Has a thread do it, some time soon.
pub(super) fn ask(files: &Arc<Files>, wish: Wish) {
    let (queue, bell) = QUEUE.get_or_init(|| {
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get());
        for _ in 0..(processors / 2).clamp(1, THREADS) {
            // Without threads nothing is read ahead.
            let _ = std::thread::Builder::new().name("dasd ahead".into()).spawn(run);
        }
        Queue::default()
    });
    let pieces = match wish {
        Wish::Stage(units) => {
            let past = files.reads_past();
            let piece = if past { RUN } else { PIECE };
            // The host fetches what comes after these, while they are unpacked.
            let near = (!past).then(|| Wish::Near(units.end..units.end.saturating_add(WINDOW)));
            let pieces = units.clone().step_by(piece).map(move |at| at..units.end.min(at + piece as u32));
            pieces.map(Wish::Stage).chain(near).collect()
        }
        wish => vec![wish],
    };
    let mut queue = queue.lock().held();
    if queue.len() < WAITING {
        queue.extend(pieces.into_iter().map(|wish| (Arc::downgrade(files), wish)));
        bell.notify_all();
    }
}

fn run() {
    let (queue, bell) = QUEUE.wait();
    let mut room = Room::default();
    loop {
        let next = bell.wait_while(queue.lock().held(), |queue| queue.is_empty()).held().pop_front();
        let Some((files, wish)) = next.and_then(|(files, wish)| Some((files.upgrade()?, wish))) else { continue };
        match wish {
            Wish::Stage(units) => files.stage(units, &mut room),
            Wish::Near(units) => files.will_need(units),
        }
    }
}

/// A thread's turn to bring units into storage. Other threads that want one of them wait until it ends, however it
/// does.
struct Turn<'a> {
    files: &'a Files,
    units: Range<u32>,
}

impl<'a> Turn<'a> {
    fn new(files: &'a Files, units: Range<u32>) -> Turn<'a> {
        files.staging.lock().held().push(units.clone());
        Turn { files, units }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.files.staging.lock().held().retain(|other| *other != self.units);
        self.files.staged.notify_all();
    }
}

impl Files {
    /// As [`Files::recall`], by a guest that reads: what it may want next is brought nearer.
    pub(super) fn recall_to_read(self: &Arc<Files>, unit: u32) -> Option<Unit> {
        let (found, wish) = self.recent().read(unit, self.kind);
        if let Some(wish) = wish.filter(|_| self.ahead) {
            ask(self, wish);
        }
        match found {
            None if self.wait_for_staging(unit) => self.recall(unit),
            found => found,
        }
    }

    /// Brings units into storage, up to the first that cannot be read, or the end of the image.
    pub(super) fn stage(&self, units: Range<u32>, room: &mut Room) {
        let mut rest = units;
        let missing = |units: &Range<u32>| {
            let recent = self.recent();
            units.clone().find(|&unit| !recent.has(unit))
        };
        while let Some(first) = missing(&rest) {
            // Held until the units are remembered, so that no write comes between.
            let stack = self.shared();
            let some = match stack.as_slice() {
                [] => return,
                [Layer::Ckd(ckd)] => ckd.run(first..rest.end),
                _ => first..first + 1,
            };
            rest.start = some.end;
            let turn = Turn::new(self, some);
            if self.stage_some(&stack, &turn.units, room).is_err() {
                return;
            }
        }
    }

    fn stage_some(&self, stack: &[Layer], units: &Range<u32>, room: &mut Room) -> Result<(), MediaError> {
        let put = |unit, bytes| {
            let staged = match self.kind {
                Kind::Ckd { .. } => Unit::Track(Arc::new(parsed(self.kind, unit, bytes)?)),
                Kind::Fba { .. } => Unit::Group(Arc::new(bytes)),
            };
            self.recent().put(unit, staged);
            Ok(())
        };
        match stack {
            [Layer::Ckd(ckd)] if units.len() > 1 => {
                let keep = self.once.lock().held().again(units);
                let mut tracks = units.clone().zip(ckd.read_run(units, keep, room)?);
                tracks.try_for_each(|(unit, track)| put(unit, track?.to_vec()))
            }
            _ => units.clone().try_for_each(|unit| put(unit, read_unit(stack, unit)?)),
        }
    }

    /// Whether what is staged is read past the host's storage.
    pub(super) fn reads_past(&self) -> bool {
        // The calling thread may have the lock already. While another thread writes, the answer does not matter much.
        match self.stack.try_read().as_ref().map(|stack| stack.as_slice()) {
            Ok([Layer::Ckd(ckd)]) => ckd.reads_past(),
            _ => false,
        }
    }

    /// Returns when no thread is bringing this unit into storage, and whether one was. Such a thread has all the locks
    /// it takes.
    fn wait_for_staging(&self, unit: u32) -> bool {
        let busy = |staging: &mut Vec<Range<u32>>| staging.iter().any(|units| units.contains(&unit));
        let mut staging = self.staging.lock().held();
        let waits = busy(&mut staging);
        drop(self.staged.wait_while(staging, busy).held());
        waits
    }

    /// Tells the host that these units will be read soon.
    pub(super) fn will_need(&self, units: Range<u32>) {
        let stack = self.shared();
        let units = units.start..units.end.min(unit::count(self.kind));
        let newest = |unit| stack.iter().rposition(|layer| layer.has(unit));
        for (layer, file) in stack.iter().enumerate() {
            let here: Vec<u32> = units.clone().filter(|&unit| newest(unit) == Some(layer)).collect();
            file.will_need(&here);
        }
    }
}
