//! What the pages for browsers see of CP: [`web::system::System`], as far as it goes.

use directory::Password;
use minidisk::real::{self, State};
use minidisk::{Place, map};
use nucleus::logon;
use nucleus::system::Cp;
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use terminals::server::Notes;
use virtualmachine::vmdbk::Vmdbk;
use web::system::{Counters, Disk, Extent, Lines, Processor, SpoolFile, Storage, System, User, Visitor};

/// Microseconds of a second.
const SECOND: f64 = 1e6;

/// CP and its terminals, as the pages see them.
pub(crate) struct Pages {
    pub cp: Arc<Cp>,
    pub notes: Arc<Notes>,
}

impl System for Pages {
    fn admit(&self, userid: &str, password: &str, local: bool) -> Option<Visitor> {
        // One that is not there takes as long as one with another password.
        let user = self.cp.user(userid).filter(|user| may_log_on(&self.cp, user));
        let good = match &user {
            Some(user) => logon::admits(&self.cp, user, Some(password), local),
            None => {
                if let Some(operator) = self.cp.user(&self.cp.config.operator) {
                    let _ = self.cp.password(&operator).verify(password);
                }
                false
            }
        };
        user.filter(|_| good).map(|user| Visitor { userid: user.userid.clone(), classes: user.classes.to_string() })
    }

    fn classes(&self, userid: &str) -> Option<String> {
        let user = self.cp.user(userid).filter(|user| may_log_on(&self.cp, user))?;
        // SET PRIVCLASS of a user that is logged on counts, too.
        let now = self.cp.vmdbk(userid).map(|vmdbk| vmdbk.lock().classes.to_string());
        Some(now.unwrap_or_else(|| user.classes.to_string()))
    }

    fn tell_operator(&self, text: &str) {
        self.cp.notify_operator(text);
    }

    fn terminal(&self, peer: SocketAddr, local: bool) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        self.notes.seat(ours, peer, local)?;
        Ok(theirs)
    }

    fn counters(&self) -> Counters {
        let cp = &self.cp;
        let load = cp.processors.dispatcher(|dispatcher, at| dispatcher.load(at));
        let users = cp.vmdbks();
        let (spool_files, spool_pages) = spool::ask(&cp.spool, |spool| {
            spool.all_files().fold((0, 0), |(files, pages), file| (files + 1, pages + u64::from(file.blocks)))
        });
        Counters {
            up_seconds: cp.now().micros_since(cp.started) as f64 / SECOND,
            system: cp.config.name.clone(),
            processors: cp.counts.iter().map(processor).collect(),
            users: users.len() as u64,
            disconnected: users.iter().filter(|user| user.is_disconnected()).count() as u64,
            dispatch_list: load.in_queue.iter().sum::<usize>() as u64,
            eligible_list: load.eligible.iter().sum::<usize>() as u64,
            dormant: load.dormant as u64,
            storage: storage(cp),
            spool_files,
            spool_pages,
        }
    }

    fn users(&self) -> Vec<User> {
        self.cp.vmdbks().iter().map(user).collect()
    }

    fn disks(&self) -> Vec<Disk> {
        let users = self.cp.users();
        self.cp.disks.reals().iter().map(|real| disk(&self.cp, &users, real)).collect()
    }

    fn spool(&self) -> Vec<SpoolFile> {
        let row = |file: &spool::SpoolFile| SpoolFile {
            owner: file.owner.clone(),
            spid: file.spid,
            queue: file.queue.name().into(),
            originator: file.originator.clone(),
            class: file.class.to_string(),
            name: format!("{} {}", file.name, file.kind).trim().into(),
            records: file.records,
            held: file.hold.any(),
        };
        spool::ask(&self.cp.spool, |spool| spool.all_files().map(row).collect())
    }

    fn log(&self, from: u64) -> Option<Lines> {
        self.console(&self.cp.config.operator, from)
    }

    fn console(&self, userid: &str, from: u64) -> Option<Lines> {
        let vmdbk = self.cp.vmdbk(userid)?;
        let (first, lines) = vmdbk.console().tail.get_or_insert_default().from(from);
        Some(Lines { first, lines })
    }
}

/// Whether the user may log on to the pages: with a password of the user's own.
fn may_log_on(cp: &Cp, user: &directory::User) -> bool {
    !user.barred && matches!(cp.password(user), Password::Hash(_))
}

fn processor(counts: &monitor::processor::Processor) -> Processor {
    Processor {
        busy_seconds: counts.busy.load(Relaxed) as f64 / SECOND,
        emulation_seconds: counts.emulation.load(Relaxed) as f64 / SECOND,
        dispatched: counts.dispatched.load(Relaxed),
        sie: counts.interpreted(),
        started: counts.started.load(Relaxed),
    }
}

fn storage(cp: &Cp) -> Storage {
    let paging = cp.paging.as_ref().map(|paging| paging.picture());
    let frames = cp.frames();
    let of = |what: fn(&realstorage::frames::Frames) -> u64| frames.as_ref().map_or(0, what);
    Storage {
        paged: paging.is_some(),
        real: of(|frames| frames.installed),
        paging_area: of(|frames| frames.paging()),
        pageable: of(|frames| frames.pageable),
        locked: of(|frames| frames.locked),
        free_storage: of(|frames| frames.free_storage),
        expanded: cp.expanded.installed() << 8,
        slots: paging.as_ref().map_or(0, |paging| paging.slots.0),
        slots_used: paging.as_ref().map_or(0, |paging| paging.slots.1),
        reads: paging.as_ref().map_or(0, |paging| paging.counts.reads),
        writes: paging.as_ref().map_or(0, |paging| paging.counts.writes),
    }
}

fn user(vmdbk: &Arc<Vmdbk>) -> User {
    let terminal = vmdbk.console().terminal.as_ref().map(|terminal| terminal.device());
    let (virtual_us, total_us) = vmdbk.times();
    let configuration = vmdbk.machine().configuration.clone();
    let started = configuration.css().counts().starts;
    let ipl = vmdbk.lock().ipl.clone();
    User {
        userid: vmdbk.userid.clone(),
        terminal,
        storage_mb: configuration.storage().size() >> 20,
        resident: vmdbk.resident().0,
        virtual_seconds: virtual_us as f64 / SECOND,
        total_seconds: total_us as f64 / SECOND,
        started,
        ipl,
    }
}

fn disk(cp: &Cp, users: &[Arc<directory::User>], real: &real::Real) -> Disk {
    let kind = real.volume.kind();
    let (units, unit) = real::size(&kind);
    let rows = if real.has_minidisks() { map::rows(users, &real.serial, units) } else { Vec::new() };
    let extents = rows.into_iter().map(|row| {
        let place = Place::Real { rdev: real.number, start: row.start as u32, count: (row.end - row.start + 1) as u32 };
        let (owner, vdev) = row.owner.map(|(owner, vdev)| (owner, format!("{vdev:04X}"))).unzip();
        let links = if owner.is_some() { cp.disks.links_to(&place).len() as u64 } else { 0 };
        Extent { owner, vdev, start: row.start, end: row.end, links, overlaps: row.overlaps }
    });
    Disk {
        number: format!("{:04X}", real.number),
        serial: real.serial.clone(),
        kind: real::device_type(&kind),
        units,
        unit: unit.into(),
        state: match &real.state {
            State::Owned => "OWNED".into(),
            State::System => "SYSTEM".into(),
            State::Free => "FREE".into(),
            State::Offline => "OFFLINE".into(),
            State::Attached { userid, .. } => userid.clone(),
        },
        extents: extents.collect(),
    }
}
