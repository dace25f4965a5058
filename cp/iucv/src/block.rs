//! *BLOCKIO: paths with their other end at a disk of the virtual machine, read and written in blocks.
//!
//! CONNECT names the disk in IPUSER: the device number (bytes 0-1), the block size (4-7) and what is to be added to
//! block numbers for the minidisk's own, which begin with 1 (8-11). The connection is complete with the numbers of the
//! first and the last block in IPUSER (bytes 0-3, 4-7) and X'80' in byte 8 if the disk may only be read; or the path is
//! severed, and byte 0 says why: 16 there is no such disk, 20 it has no blocks, 24 the block size, 28 there is such a
//! path already.
//!
//! SEND asks for I/O. Byte 0 of the class is X'01' to write and X'02' to read one block: the parameter list has its
//! number and buffer address instead of data. X'03' is for a list (IPBFADR1, IPBFLN1F) of up to 256 requests of 16
//! bytes, as DIAGNOSE X'250' has them. Byte 1 is the storage key, and X'01' in byte 2 goes past the minidisk cache. The
//! reply is in the parameter list of the completion: a status (bytes 0-3: of one block what DIAGNOSE X'250' says of it,
//! of a list 0, 12 some or 40 none done), and how many blocks were done.
//!
//! A SEND is looked at with the table of paths locked, and its blocks are moved without it: [`Iucv::begin_blocks`],
//! then [`Iucv::end_blocks`].

use crate::path::Grant;
use crate::service::Service;
use crate::{Answer, Completion, Disk, Iucv, List, Path, Peer, Stage, code, flag, kind};
use arch::iucv::BlockIoUser;
use base::layout::U32;
use std::sync::Arc;
use zerocopy::transmute;

/// Why a path was severed: the first byte of IPUSER.
pub mod reason {
    /// There is no such disk.
    pub const NO_DEVICE: u8 = 16;
    /// The disk cannot be used in blocks.
    pub const UNSUPPORTED: u8 = 20;
    /// The block size is not a power of two from 512 to 4096.
    pub const BLOCK_SIZE: u8 = 24;
    /// There is a path to the disk already.
    pub const ESTABLISHED: u8 = 28;
}

impl<D: Disk> Iucv<D> {
    /// CONNECT to *BLOCKIO; `disk` is what IPUSER names, or why that cannot be.
    pub fn connect_blocks(&mut self, id: u32, list: &mut List, disk: Result<D, u8>) -> Answer {
        let me = self.members.get(&id).ok_or(code::NO_BUFFER)?;
        let mine = me.free_path().ok_or(code::OWN_PATHS)?;
        let open = |device: &Arc<D::Device>| {
            let mut disks = me.paths.values().filter_map(|path| path.block.as_ref());
            disks.any(|disk| Arc::ptr_eq(disk.device(), device))
        };
        let disk = match disk {
            Ok(disk) if open(disk.device()) => Err(reason::ESTABLISHED),
            disk => disk,
        };
        let stage = if disk.is_ok() { Stage::Open } else { Stage::Severed };
        let mut path = Path::new(Peer::Service(Service::BlockIo), stage, list, Grant { limit: None, priority: true });
        list.set_path(mine);
        list.set_limit(path.limit);
        let mut told = List::default();
        told.set_path(mine);
        let mut user = [0; 16];
        match disk {
            Ok(disk) => {
                let (first, last) = disk.extent();
                let flags = if disk.is_read_only() { 0x80 } else { 0 };
                let (first, last) = (U32::new(first), U32::new(last));
                user = transmute!(BlockIoUser { first, last, flags, ..BlockIoUser::default() });
                told.set_kind(kind::CONNECTION_COMPLETE);
                told.set_limit(path.limit);
                path.block = Some(Arc::new(disk));
            }
            Err(reason) => {
                user[0] = reason;
                told.set_kind(kind::SEVERED);
            }
        }
        told.set_user(user);
        self.enter_path(id, mine, path);
        self.control(id, told);
        Ok(0)
    }

    /// SEND on a path of *BLOCKIO: the message is on its way to this disk, and has its number. `None` if the path leads
    /// elsewhere.
    pub fn begin_blocks(&mut self, id: u32, list: &mut List) -> Option<Result<Arc<D>, u8>> {
        let priority = list.flags() & flag::PRIORITY != 0;
        let path = self.path(id, list.path()).filter(|path| path.peer == Peer::Service(Service::BlockIo))?;
        let begun = match &path.block {
            Some(_) if path.outstanding >= path.limit => Err(code::MESSAGE_LIMIT),
            Some(_) if priority && !path.priority => Err(code::NO_PRIORITY),
            Some(_) if list.flags() & flag::BUFFER_LIST != 0 => Err(code::BAD_LIST),
            Some(disk) if path.stage == Stage::Open => Ok(disk.clone()),
            _ => Err(code::INVALID_PATH),
        };
        if begun.is_ok() {
            path.outstanding += 1;
            list.set_message(self.message_number());
        }
        Some(begun)
    }

    /// The blocks of a message have been moved: it is complete.
    pub fn end_blocks(&mut self, id: u32, list: &List, disk: &Arc<D>, reply: [u8; 8]) {
        // Another virtual CPU may have severed the path meanwhile.
        let same = |path: &mut Path<D>| path.block.as_ref().is_some_and(|there| Arc::ptr_eq(there, disk));
        if !self.path(id, list.path()).is_some_and(same) {
            return;
        }
        let one_way = list.flags() & flag::ONE_WAY != 0;
        let order = self.order();
        let completion = Completion {
            path: list.path(),
            id: list.message(),
            audit: 0,
            reply: (!one_way).then_some(reply),
            source_class: list.source_class(),
            tag: list.tag(),
            residual: 0,
            one_way,
        };
        if let Some(member) = self.member(id) {
            let priority = usize::from(list.flags() & flag::PRIORITY != 0);
            member.completions[priority].insert(order, completion);
            member.tell();
        }
    }

    /// The disk is detached: paths to it are severed.
    pub fn sever_blocks(&mut self, id: u32, device: &Arc<D::Device>) {
        let Some(member) = self.member(id) else { return };
        let leads = |path: &Path<D>| path.block.as_ref().is_some_and(|disk| Arc::ptr_eq(disk.device(), device));
        let gone: Vec<u16> = member.paths.iter().filter(|(_, path)| leads(path)).map(|(&number, _)| number).collect();
        for number in gone {
            member.forget(number);
            if let Some(path) = member.paths.get_mut(&number) {
                (path.stage, path.block, path.outstanding) = (Stage::Severed, None, 0);
            }
            let mut severed = List::default();
            severed.set_path(number);
            severed.set_kind(kind::SEVERED);
            let mut user = [0; 16];
            user[0] = reason::NO_DEVICE;
            severed.set_user(user);
            member.control.push_back(severed);
            member.tell();
        }
    }
}
