//! The server: fids, and what each message does.

use crate::attributes::{Mapping, PERMISSIONS, SET_ID, change, file_type, new_mode, qid_kind};
use crate::folder::{self, Folder, Place};
use crate::locks::{Lock, Locks, Owner, Part};
use crate::wire::*;
use base::layout::little::{U16, U32};
use rustix::fs::{Dir, DirEntry, FileType, OFlags, Stat, Timespec, Timestamps};
use rustix::io::{Errno, Result};
use rustix::process::{Resource, getrlimit};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// The longest message.
pub const LONGEST: u32 = 1 << 20;
/// The shortest that a client may want.
const SHORTEST: u32 = 4096;
/// The protocol.
const DIALECT: &[u8] = b"9P2000.L";
/// The most fids.
const FIDS: usize = 1 << 16;
/// The part of the process's descriptors that one client's fids may have, and bounds of that.
const SHARE_OF_DESCRIPTORS: usize = 4;
const LEAST: usize = 64;
const MOST: usize = 16 << 10;
/// The most names of one WALK.
const NAMES: u16 = 16;
/// No fid.
const NO_FID: u32 = u32::MAX;
/// In UNLINKAT: it is a folder.
const REMOVE_FOLDER: u32 = 0x200;
/// The type that `statfs` shows in the guest: that of Linux's own client.
const MAGIC: u32 = 0x0102_1997;
/// Bytes before the data of a reply to READ and READDIR.
const BEFORE_DATA: usize = size_of::<Header>() + 4;
/// No owner and no group: it stays as it is.
const SAME: u32 = u32::MAX;

/// Requests that a share for reading alone refuses. OPEN looks for itself.
const CHANGES: [u8; 11] = [
    message::CREATE,
    message::SYMLINK,
    message::MKNOD,
    message::RENAME,
    message::SETATTR,
    message::LINK,
    message::MKDIR,
    message::RENAMEAT,
    message::UNLINKAT,
    message::WRITE,
    message::REMOVE,
];

/// Flags of OPEN and CREATE: Linux's for most processors.
mod flag {
    pub(super) const ACCESS: u32 = 0o3;
    pub(super) const EXCLUSIVE: u32 = 0o200;
    /// Those that mean something here, beside the access: TRUNC, APPEND, DSYNC, SYNC.
    pub(super) const TRUNCATE: u32 = 0o1000;
    pub(super) const APPEND: u32 = 0o2000;
    pub(super) const DATA_SYNC: u32 = 0o10000;
    pub(super) const SYNC: u32 = 0o4_000_000;
    pub(super) const FOLDER: u32 = 0o200_000;
}

/// Where the file of a fid is.
#[derive(Clone)]
enum At {
    Place(Place),
    /// It has no name any more, but there are fids that stand for it.
    Gone(Arc<OwnedFd>),
}

/// What a fid has open.
enum Opened {
    File(OwnedFd),
    Folder(Listing),
}

/// A folder that is being read.
struct Listing {
    dir: Dir,
    /// Entries before the next one.
    passed: u64,
    /// The next one, if it was read and had no room.
    waits: Option<DirEntry>,
    device: u64,
}

struct Fid {
    at: At,
    open: Option<Opened>,
}

/// A server, and the session of its one client.
pub struct Server {
    folder: Folder,
    mapping: Mapping,
    /// The longest message, as agreed upon; 0: there is no session yet.
    longest: u32,
    fids: HashMap<u32, Fid>,
    locks: Locks,
    /// So many descriptors of the host the client's fids have at most.
    most: usize,
}

impl Server {
    /// A server of this folder.
    pub fn new(folder: Folder) -> std::io::Result<Server> {
        let device = folder::stat(&folder.handle(&Place::default())?)?.st_dev as u64;
        let mapping = Mapping::new(device)?;
        // Other shares, disks and connections of this process want some, too.
        let all = getrlimit(Resource::Nofile).current.map_or(MOST, |all| all as usize);
        let most = (all / SHARE_OF_DESCRIPTORS).clamp(LEAST, MOST);
        Ok(Server { folder, mapping, longest: 0, fids: HashMap::new(), locks: Locks::default(), most })
    }

    /// The client's fids may have so many descriptors of the host, rather than a part of what the process has.
    pub fn limit_descriptors(&mut self, most: usize) {
        self.most = most;
    }

    /// Refuses another descriptor for a fid if there are as many as there may be.
    fn room_for_descriptor(&self) -> Result<()> {
        // Each fid has two at most, so few fids need not be counted.
        if 2 * self.fids.len() < self.most {
            return Ok(());
        }
        let of = |fid: &Fid| usize::from(fid.open.is_some()) + usize::from(matches!(fid.at, At::Gone(_)));
        if self.fids.values().map(of).sum::<usize>() < self.most { Ok(()) } else { Err(Errno::MFILE) }
    }

    /// Ends the session: the client has gone.
    pub fn reset(&mut self) {
        self.longest = 0;
        self.fids.clear();
        self.locks = Locks::default();
    }

    /// How many fids the client has.
    pub fn fids(&self) -> usize {
        self.fids.len()
    }

    /// Does what a message asks for. The reply has at most `room` bytes; it is empty if there is no room even for an
    /// error, or if what came is no message.
    pub fn answer(&mut self, request: &[u8], room: usize, reply: &mut Vec<u8>) {
        reply.clear();
        let Ok((header, _)) = Header::read_from_prefix(request) else { return };
        put(reply, &Header { kind: header.kind.wrapping_add(1), ..header });
        let length = header.size.get() as usize;
        let whole = (size_of::<Header>()..=request.len().min(LONGEST as usize)).contains(&length);
        let result = match whole {
            true => {
                let mut rest = Reader(&request[size_of::<Header>()..length]);
                self.perform(header.kind, &mut rest, room.min(LONGEST as usize), reply)
            }
            false => Err(MALFORMED),
        };
        let long = if reply.len() > room { Err(Errno::NOBUFS) } else { Ok(()) };
        if let Err(error) = result.and(long) {
            reply.clear();
            put(reply, &Header { kind: message::ERROR, ..header });
            put(reply, &U32::new(error.raw_os_error() as u32));
        }
        if reply.len() > room {
            reply.clear();
            return;
        }
        let size = U32::new(reply.len() as u32);
        reply[..4].copy_from_slice(size.as_bytes());
    }

    fn perform(&mut self, kind: u8, rest: &mut Reader<'_>, room: usize, reply: &mut Vec<u8>) -> Result<()> {
        if kind != message::VERSION && self.longest == 0 {
            return Err(Errno::PROTO);
        }
        if CHANGES.contains(&kind) && !self.folder.writable() {
            // REMOVE lets go of its fid in any case.
            if kind == message::REMOVE {
                self.clunk(rest.word()?)?;
            }
            return Err(Errno::ROFS);
        }
        let room = room.min(self.longest as usize);
        match kind {
            message::VERSION => self.version(rest, reply),
            message::ATTACH => self.attach(rest, reply),
            message::WALK => self.walk(rest, reply),
            message::CLUNK => self.clunk(rest.word()?),
            message::REMOVE => self.remove(rest),
            // Each request is done before the next one is looked at.
            message::FLUSH => rest.take::<U16>().map(|_| ()),
            message::GETATTR => self.get_attributes(rest, reply),
            message::SETATTR => self.set_attributes(rest),
            message::STATFS => self.file_system(rest, reply),
            message::OPEN => self.open(rest, reply),
            message::CREATE => self.create(rest, reply),
            message::READ => self.read(rest, room, reply),
            message::WRITE => self.write(rest, reply),
            message::FSYNC => self.sync(rest),
            message::READDIR => self.list(rest, room, reply),
            message::MKDIR | message::MKNOD | message::SYMLINK => self.make(kind, rest, reply),
            message::LINK => self.link(rest),
            message::READLINK => {
                let handle = self.handle(rest.word()?)?;
                put_string(reply, &folder::read_link(&handle)?);
                Ok(())
            }
            message::RENAME => {
                let (fid, to) = (rest.word()?, rest.word()?);
                let (old, new) = (self.place(fid)?, self.place(to)?.join(rest.name()?)?);
                self.rename(&old, &new)
            }
            message::RENAMEAT => {
                let old = self.place(rest.word()?)?.join(rest.name()?)?;
                let new = self.place(rest.word()?)?.join(rest.name()?)?;
                self.rename(&old, &new)
            }
            message::UNLINKAT => {
                let place = self.place(rest.word()?)?.join(rest.name()?)?;
                let folder = rest.word()? & REMOVE_FOLDER != 0;
                self.unlink(&place, folder)
            }
            message::LOCK => self.lock(rest, reply),
            message::GETLOCK => self.get_lock(rest, reply),
            // Nothing here authenticates, and there are no extended attributes.
            _ => Err(Errno::OPNOTSUPP),
        }
    }

    // Sessions and fids.

    fn version(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let (version, name) = (rest.take::<Version>()?, rest.string()?);
        self.reset();
        let longest = version.msize.get().min(LONGEST);
        if longest < SHORTEST {
            return Err(Errno::MSGSIZE);
        }
        let known = name == DIALECT;
        if known {
            self.longest = longest;
        }
        put(reply, &Version { msize: longest.into() });
        put_string(reply, if known { DIALECT } else { b"unknown" });
        Ok(())
    }

    fn attach(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let attach: Attach = rest.take()?;
        let (_user, tree) = (rest.string()?, rest.string()?);
        if attach.afid.get() != NO_FID || !matches!(tree, b"" | b"/") {
            return Err(Errno::NOENT);
        }
        let place = Place::default();
        let qid = self.qid(&place)?;
        self.add(attach.fid.get(), At::Place(place))?;
        put(reply, &qid);
        Ok(())
    }

    fn walk(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let walk: Walk = rest.take()?;
        let (fid, new, count) = (walk.fid.get(), walk.new.get(), walk.count.get());
        if count > NAMES {
            return Err(MALFORMED);
        }
        let from = self.fid(fid)?;
        if fid == new && from.open.is_some() || fid != new && self.fids.contains_key(&new) {
            return Err(Errno::INVAL);
        }
        let (mut at, mut qids) = (from.at.clone(), Vec::new());
        for _ in 0..count {
            match self.step(&at, rest.string()?) {
                Ok((place, qid)) => {
                    at = At::Place(place);
                    qids.push(qid);
                }
                Err(error) if qids.is_empty() => return Err(error),
                // The reply says how far it went.
                Err(_) => break,
            }
        }
        if qids.len() == usize::from(count) {
            if fid == new {
                self.fids.remove(&fid);
            }
            self.add(new, at)?;
        }
        put(reply, &U16::new(qids.len() as u16));
        qids.iter().for_each(|qid| put(reply, qid));
        Ok(())
    }

    /// One name of a walk.
    fn step(&mut self, from: &At, name: &[u8]) -> Result<(Place, Qid)> {
        let At::Place(from) = from else { return Err(Errno::NOENT) };
        let place = match name {
            b"." => from.clone(),
            // Above the folder there is nothing: its parent is itself.
            b".." => from.parent(),
            _ => from.join(as_name(name)?)?,
        };
        let qid = self.qid(&place)?;
        Ok((place, qid))
    }

    fn add(&mut self, number: u32, at: At) -> Result<()> {
        if number == NO_FID {
            return Err(Errno::INVAL);
        }
        if self.fids.len() >= FIDS {
            return Err(Errno::MFILE);
        }
        match self.fids.entry(number) {
            Slot::Occupied(_) => Err(Errno::INVAL),
            Slot::Vacant(slot) => {
                slot.insert(Fid { at, open: None });
                Ok(())
            }
        }
    }

    fn clunk(&mut self, fid: u32) -> Result<()> {
        self.fids.remove(&fid).ok_or(Errno::BADF)?;
        self.locks.let_go(fid);
        Ok(())
    }

    fn fid(&self, fid: u32) -> Result<&Fid> {
        self.fids.get(&fid).ok_or(Errno::BADF)
    }

    /// The place of what a fid stands for.
    fn place(&self, fid: u32) -> Result<Place> {
        match &self.fid(fid)?.at {
            At::Place(place) => Ok(place.clone()),
            At::Gone(_) => Err(Errno::NOENT),
        }
    }

    /// A descriptor that stands for the same as the fid.
    fn handle(&self, fid: u32) -> Result<Arc<OwnedFd>> {
        match &self.fid(fid)?.at {
            At::Place(place) => Ok(Arc::new(self.folder.handle(place)?)),
            At::Gone(handle) => Ok(handle.clone()),
        }
    }

    fn stat(&self, fid: u32) -> Result<Stat> {
        match &self.fid(fid)?.open {
            Some(Opened::File(file)) => folder::stat(file),
            _ => folder::stat(&*self.handle(fid)?),
        }
    }

    fn qid(&mut self, place: &Place) -> Result<Qid> {
        let stat = folder::stat(&self.folder.handle(place)?)?;
        Ok(self.mapping.qid(&stat))
    }

    // Attributes.

    fn get_attributes(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let get: Getattr = rest.take()?;
        let stat = self.stat(get.fid.get())?;
        put(reply, &self.mapping.attributes(&stat));
        Ok(())
    }

    fn set_attributes(&mut self, rest: &mut Reader<'_>) -> Result<()> {
        let set: Setattr = rest.take()?;
        let (fid, valid) = (set.fid.get(), set.valid.get());
        let has = |bit: u32| valid & bit != 0;
        let (stat, handle) = (self.stat(fid)?, self.handle(fid)?);
        // All that may be refused is looked at before anything changes.
        let owner = has(change::UID) && ![self.mapping.uid(&stat), SAME].contains(&set.uid.get());
        let group = has(change::GID) && ![self.mapping.gid(&stat), SAME].contains(&set.gid.get());
        if owner || group {
            return Err(Errno::PERM);
        }
        let mode = has(change::MODE).then(|| new_mode(stat.st_mode, set.mode.get())).transpose()?;
        if has(change::SIZE) {
            let size = set.size.get();
            match &self.fid(fid)?.open {
                // A file that is open for writing is so still when its mode would not let it be opened.
                Some(Opened::File(file)) => rustix::fs::ftruncate(file, size).or_else(|_| truncate(&handle, size))?,
                _ => truncate(&handle, size)?,
            }
        }
        if has(change::ACCESSED) || has(change::MODIFIED) {
            let time = |bit, set_bit, time: &Time| match (has(bit), has(set_bit)) {
                (false, _) => Ok(Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT }),
                (true, false) => Ok(Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW }),
                (true, true) if time.nanoseconds.get() < 1_000_000_000 => {
                    Ok(Timespec { tv_sec: time.seconds.get() as i64, tv_nsec: time.nanoseconds.get() as _ })
                }
                _ => Err(Errno::INVAL),
            };
            let times = Timestamps {
                last_access: time(change::ACCESSED, change::ACCESSED_SET, &set.accessed)?,
                last_modification: time(change::MODIFIED, change::MODIFIED_SET, &set.modified)?,
            };
            folder::set_times(&handle, &times)?;
        }
        mode.map_or(Ok(()), |mode| folder::set_mode(&handle, mode))
    }

    fn file_system(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let handle = self.handle(rest.word()?)?;
        let found = rustix::fs::fstatvfs(&*handle)?;
        put(
            reply,
            &Statfs {
                kind: MAGIC.into(),
                block: (found.f_frsize as u32).into(),
                blocks: found.f_blocks.into(),
                free: found.f_bfree.into(),
                available: found.f_bavail.into(),
                files: found.f_files.into(),
                files_free: found.f_ffree.into(),
                id: 0.into(),
                name: (found.f_namemax as u32).into(),
            },
        );
        Ok(())
    }

    // Open files.

    fn open(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let open: Open = rest.take()?;
        let (fid, flags) = (open.fid.get(), open.flags.get());
        if self.fid(fid)?.open.is_some() {
            return Err(Errno::INVAL);
        }
        self.room_for_descriptor()?;
        let handle = self.handle(fid)?;
        let stat = folder::stat(&handle)?;
        let host = host_flags(flags)?;
        let writes = host.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::TRUNC);
        let opened = match file_type(&stat) {
            FileType::Directory if writes => return Err(Errno::ISDIR),
            FileType::Directory => {
                let dir = folder::open_folder(&handle)?;
                Opened::Folder(Listing { dir, passed: 0, waits: None, device: stat.st_dev as u64 })
            }
            _ if flags & flag::FOLDER != 0 => return Err(Errno::NOTDIR),
            _ if writes && !self.folder.writable() => return Err(Errno::ROFS),
            _ => Opened::File(folder::open(&handle, host)?),
        };
        let qid = self.mapping.qid(&stat);
        self.opened(fid, opened, qid, reply)
    }

    fn create(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let (fid, name) = (rest.word()?, rest.name()?);
        let create: Create = rest.take()?;
        let (flags, mode) = (create.flags.get(), create.mode.get());
        if self.fid(fid)?.open.is_some() {
            return Err(Errno::INVAL);
        }
        self.room_for_descriptor()?;
        let place = self.place(fid)?.join(name)?;
        let mode = new_mode(0, mode)? & PERMISSIONS;
        let host = host_flags(flags)?;
        let file = match self.folder.create(&place, host - OFlags::TRUNC, mode) {
            // It is there by now. Whatever it is, it is opened as any other.
            Err(Errno::EXIST) if flags & flag::EXCLUSIVE == 0 => folder::open(&self.folder.handle(&place)?, host)?,
            result => result?,
        };
        let stat = folder::stat(&file)?;
        let qid = self.mapping.qid(&stat);
        if let Some(fid) = self.fids.get_mut(&fid) {
            fid.at = At::Place(place);
        }
        self.opened(fid, Opened::File(file), qid, reply)
    }

    /// The fid has this open now.
    fn opened(&mut self, fid: u32, opened: Opened, qid: Qid, reply: &mut Vec<u8>) -> Result<()> {
        self.fids.get_mut(&fid).ok_or(Errno::BADF)?.open = Some(opened);
        // The client chooses how much it reads and writes at once.
        put(reply, &crate::wire::Opened { qid, unit: 0.into() });
        Ok(())
    }

    fn file(&self, fid: u32) -> Result<&OwnedFd> {
        match &self.fid(fid)?.open {
            Some(Opened::File(file)) => Ok(file),
            Some(Opened::Folder(_)) => Err(Errno::ISDIR),
            None => Err(Errno::BADF),
        }
    }

    fn read(&mut self, rest: &mut Reader<'_>, room: usize, reply: &mut Vec<u8>) -> Result<()> {
        let read: Transfer = rest.take()?;
        let file = self.file(read.fid.get())?;
        let count = (read.count.get() as usize).min(room.saturating_sub(BEFORE_DATA));
        let at = reply.len();
        reply.resize(at + 4 + count, 0);
        let data = &mut reply[at + 4..];
        let count = retry(|| rustix::io::pread(file, &mut *data, read.offset.get()))?;
        reply.truncate(at + 4 + count);
        reply[at..at + 4].copy_from_slice(U32::new(count as u32).as_bytes());
        Ok(())
    }

    fn write(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let write: Transfer = rest.take()?;
        let data = rest.0.get(..write.count.get() as usize).ok_or(MALFORMED)?;
        let file = self.file(write.fid.get())?;
        let count = retry(|| rustix::io::pwrite(file, data, write.offset.get()))?;
        put(reply, &U32::new(count as u32));
        Ok(())
    }

    fn sync(&mut self, rest: &mut Reader<'_>) -> Result<()> {
        let fid = rest.word()?;
        // Older clients do not say whether the data alone are meant.
        let data = rest.word().unwrap_or(0) != 0;
        match &self.fid(fid)?.open {
            Some(Opened::File(file)) if data => rustix::fs::fdatasync(file),
            Some(Opened::File(file)) => rustix::fs::fsync(file),
            Some(Opened::Folder(listing)) => rustix::fs::fsync(listing.dir.fd()?),
            None => Err(Errno::BADF),
        }
    }

    fn list(&mut self, rest: &mut Reader<'_>, room: usize, reply: &mut Vec<u8>) -> Result<()> {
        let read: Transfer = rest.take()?;
        let most = (read.count.get() as usize).min(room.saturating_sub(BEFORE_DATA));
        let fid = self.fids.get_mut(&read.fid.get()).ok_or(Errno::BADF)?;
        let top = matches!(&fid.at, At::Place(place) if place.is_root());
        let listing = match &mut fid.open {
            Some(Opened::Folder(listing)) => listing,
            Some(Opened::File(_)) => return Err(Errno::NOTDIR),
            None => return Err(Errno::BADF),
        };
        listing.seek(read.offset.get())?;
        let at = reply.len();
        put(reply, &U32::new(0));
        while let Some(entry) = listing.next()? {
            let name = entry.file_name().to_bytes();
            if reply.len() - at - 4 + size_of::<Entry>() + 2 + name.len() > most {
                listing.waits = Some(entry);
                break;
            }
            listing.passed += 1;
            // What is above the folder has no number here.
            let number = if top && name == b".." { 0 } else { self.mapping.number(listing.device, entry.ino()) };
            let kind = entry.file_type();
            let qid = Qid { kind: qid_kind(kind), version: 0.into(), path: number.into() };
            put(reply, &Entry { qid, offset: listing.passed.into(), kind: entry_kind(kind) });
            put_string(reply, name);
        }
        let count = U32::new((reply.len() - at - 4) as u32);
        reply[at..at + 4].copy_from_slice(count.as_bytes());
        // Without an entry the client would take it for the end.
        if count == 0 && listing.waits.is_some() { Err(Errno::INVAL) } else { Ok(()) }
    }

    // Names.

    fn make(&mut self, kind: u8, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let (fid, name) = (rest.word()?, rest.name()?);
        let place = self.place(fid)?.join(name)?;
        match kind {
            message::MKDIR => {
                // The client sets the set-group-ID bit where the parent has it, and so does the host.
                self.folder.make_folder(&place, rest.take::<Mkdir>()?.mode.get() & !SET_ID & crate::attributes::MODE)?
            }
            message::SYMLINK => {
                let target = rest.string()?;
                rest.word()?;
                self.folder.make_link(&place, target)?
            }
            _ => {
                let mode = rest.take::<Mknod>()?.mode.get();
                let what = FileType::from_raw_mode(mode);
                if !matches!(what, FileType::Fifo | FileType::Socket | FileType::RegularFile) {
                    return Err(Errno::PERM);
                }
                self.folder.make_special(&place, what, new_mode(0, mode)? & PERMISSIONS)?
            }
        }
        let qid = self.qid(&place)?;
        put(reply, &qid);
        Ok(())
    }

    fn link(&mut self, rest: &mut Reader<'_>) -> Result<()> {
        let Two { first, second } = rest.take()?;
        let new = self.place(first.get())?.join(rest.name()?)?;
        self.folder.link(&self.place(second.get())?, &new)
    }

    fn rename(&mut self, old: &Place, new: &Place) -> Result<()> {
        let identity = |place| {
            let stat = self.folder.handle(place).and_then(|handle| folder::stat(&handle)).ok()?;
            Some((stat.st_dev, stat.st_ino))
        };
        // Of two names of one file, both stay.
        let same = identity(new).is_some_and(|target| identity(old) == Some(target));
        let replaced = self.keep(new)?;
        self.folder.rename(old, new)?;
        if same {
            return Ok(());
        }
        self.gone(new, replaced);
        for fid in self.fids.values_mut() {
            if let At::Place(place) = &mut fid.at
                && let Some(moved) = place.moved(old, new)
            {
                *place = moved;
            }
        }
        Ok(())
    }

    fn unlink(&mut self, place: &Place, folder: bool) -> Result<()> {
        let kept = self.keep(place)?;
        self.folder.remove(place, folder)?;
        self.gone(place, kept);
        Ok(())
    }

    fn remove(&mut self, rest: &mut Reader<'_>) -> Result<()> {
        let fid = rest.word()?;
        let place = self.place(fid);
        let folder = self.stat(fid).is_ok_and(|stat| file_type(&stat) == FileType::Directory);
        self.clunk(fid)?;
        self.unlink(&place?, folder)
    }

    /// A descriptor of what is at a place, if fids stand for it.
    fn keep(&self, place: &Place) -> Result<Option<Arc<OwnedFd>>> {
        let named = self.fids.values().any(|fid| matches!(&fid.at, At::Place(other) if other == place));
        if !named {
            return Ok(None);
        }
        self.room_for_descriptor()?;
        Ok(self.folder.handle(place).ok().map(Arc::new))
    }

    /// What was at a place has no name any more.
    fn gone(&mut self, place: &Place, kept: Option<Arc<OwnedFd>>) {
        let Some(kept) = kept else { return };
        for fid in self.fids.values_mut() {
            if matches!(&fid.at, At::Place(other) if other == place) {
                fid.at = At::Gone(kept.clone());
            }
        }
    }

    // Locks.

    fn lock(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let asked: crate::wire::Lock = rest.take()?;
        let owner = Owner { process: asked.process.get(), client: rest.string()?.to_vec() };
        let part = self.part(asked.fid.get(), asked.start.get(), asked.length.get())?;
        let status = match asked.kind {
            UNLOCKED => self.locks.unlock(&part, &owner),
            kind @ 0..UNLOCKED => self.locks.lock(Lock { part, owner, writes: kind == 1, fid: asked.fid.get() }),
            _ => return Err(Errno::INVAL),
        };
        reply.push(status as u8);
        Ok(())
    }

    fn get_lock(&mut self, rest: &mut Reader<'_>, reply: &mut Vec<u8>) -> Result<()> {
        let fid = rest.word()?;
        let asked: Getlock = rest.take()?;
        let owner = Owner { process: asked.process.get(), client: rest.string()?.to_vec() };
        let part = self.part(fid, asked.start.get(), asked.length.get())?;
        if asked.kind >= UNLOCKED {
            return Err(Errno::INVAL);
        }
        let wanted = Lock { part, owner, writes: asked.kind == 1, fid };
        let (answer, client) = match self.locks.in_the_way(&wanted) {
            Some(lock) => {
                let (start, length) = (lock.part.first.into(), lock.part.length().into());
                let process = lock.owner.process.into();
                (Getlock { kind: u8::from(lock.writes), start, length, process }, &lock.owner.client)
            }
            None => (Getlock { kind: UNLOCKED, ..asked }, &wanted.owner.client),
        };
        put(reply, &answer);
        put_string(reply, client);
        Ok(())
    }

    fn part(&mut self, fid: u32, start: u64, length: u64) -> Result<Part> {
        let stat = self.stat(fid)?;
        let file = self.mapping.qid(&stat).path.get();
        Part::new(file, start, length).ok_or(Errno::INVAL)
    }
}

/// The kind of a lock that is none.
const UNLOCKED: u8 = 2;

impl Listing {
    /// Goes on after so many entries.
    fn seek(&mut self, entries: u64) -> Result<()> {
        if entries < self.passed {
            self.dir.rewind();
            (self.passed, self.waits) = (0, None);
        }
        while self.passed < entries && self.next()?.is_some() {
            self.passed += 1;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<DirEntry>> {
        match self.waits.take() {
            Some(entry) => Ok(Some(entry)),
            None => self.dir.read().transpose(),
        }
    }
}

/// What Linux calls the type of an entry in a folder.
fn entry_kind(kind: FileType) -> u8 {
    match kind {
        FileType::Fifo => 1,
        FileType::CharacterDevice => 2,
        FileType::Directory => 4,
        FileType::BlockDevice => 6,
        FileType::RegularFile => 8,
        FileType::Symlink => 10,
        FileType::Socket => 12,
        _ => 0,
    }
}

/// The host's flags for those of the guest.
fn host_flags(flags: u32) -> Result<OFlags> {
    let access = match flags & flag::ACCESS {
        0 => OFlags::RDONLY,
        1 => OFlags::WRONLY,
        2 => OFlags::RDWR,
        _ => return Err(Errno::INVAL),
    };
    let others = [
        (flag::TRUNCATE, OFlags::TRUNC),
        (flag::APPEND, OFlags::APPEND),
        (flag::DATA_SYNC, OFlags::DSYNC),
        (flag::SYNC, OFlags::SYNC),
    ];
    Ok(others.into_iter().filter(|(bit, _)| flags & bit != 0).fold(access, |all, (_, host)| all | host))
}

fn truncate(handle: &OwnedFd, size: u64) -> Result<()> {
    rustix::fs::ftruncate(folder::open(handle, OFlags::WRONLY)?, size)
}

/// Asks again if a signal came between.
fn retry<T>(mut ask: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match ask() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}
