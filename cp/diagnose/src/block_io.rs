//! DIAGNOSE X'A4' and X'250', and *BLOCKIO: minidisks read and written block by block, without a channel program.

use crate::Call;
use virtualmachine::block_path::BlockPath;
use arch::diagnose::{
    BlockConnect, BlockInit, BlockInit64, BlockIo, BlockMessage, BlockReply, BlockRequest, BlockRequest64,
    BlockRequests, BlockRequests64, SyncBlock, SyncBlockIo,
};
use arch::interruption::external;
use arch::io::DeviceStatus;
use arch::{Program, Real};
use cpu::{External, Interruption};
use devices::dasd::Request as Metered;
use iucv::block::reason;
use iucv::{List, flag};
use minidisk::BlockEnvironment;
use minidisk::blocks::{BlockDisk, BlockError};
use std::sync::atomic::Ordering;
use zerocopy::{FromBytes, IntoBytes, transmute, transmute_mut, transmute_ref};

/// One request of a list.
struct Request {
    write: bool,
    /// The block's number on the minidisk, from 0.
    block: u64,
    buffer: Real,
}

/// How the requests of one call are done: with which storage key (in the left half), and whether past the minidisk
/// cache. The meter counts what they use of the disk.
struct Manner<'a> {
    key: u8,
    bypass: bool,
    meter: Metered<'a>,
}

impl Manner<'_> {
    fn new(disk: &BlockDisk, key: u8, bypass: bool) -> Manner<'_> {
        Manner { key, bypass, meter: disk.request() }
    }
}

impl Call<'_> {
    /// Whether the program may use `length` bytes of its storage at `at` with this key (in the left half of the byte),
    /// to store if `store`.
    fn may_use(&self, at: Real, length: usize, key: u8, store: bool) -> Result<(), BlockError> {
        let core = self.core();
        for (address, range) in crate::pieces(at, length) {
            let last = Real(address.0 + (range.len() as u64 - 1));
            let found = core.state.storage().key(core.state.absolute(last)).map_err(|_| BlockError::Addressing)?;
            let fetches = !store && found & storage::key::FETCH == 0;
            if key >> 4 != 0 && found >> 4 != key >> 4 && !fetches {
                return Err(BlockError::Protection);
            }
        }
        Ok(())
    }

    fn transfer(&self, disk: &BlockDisk, request: &Request, manner: &mut Manner<'_>) -> Result<(), BlockError> {
        let mut data = vec![0; disk.size()];
        self.may_use(request.buffer, data.len(), manner.key, !request.write)?;
        if request.write {
            self.read(request.buffer, &mut data).map_err(|_| BlockError::Addressing)?;
            return disk.write(request.block, &data, &mut manner.meter);
        }
        disk.read(request.block, &mut data, manner.bypass, &mut manner.meter)?;
        self.write(request.buffer, &data).map_err(|_| BlockError::Addressing)
    }
}

/// `DIAGNOSE X'A4'`: synchronous block I/O.
///
/// Rx: the address of a block of 88 bytes: device number, key, 01 to write or 02 to read, block size (at 4), address of
/// the list (at 8) and its number of entries, 1 to 500 (at 12). An entry is a block number from 1 and an address. At 16
/// it gets how many blocks were done, at 20 the status, and sense bytes. Condition code 0, else register 15 says why:
/// with 1, 2 no disk, 5 busy, as another user has it reserved; with 2, 8 block size, 10 list, 11 count, 12 buffer; with
/// 3, 13 an I/O error.
pub fn synchronous_block_io(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    call.specification(address.0.is_multiple_of(4))?;
    let mut block = SyncBlockIo::default();
    call.read(address, block.as_mut_bytes())?;
    let write = match block.operation {
        1 => true,
        2 => false,
        _ => return Err(Program::Operand.into()),
    };
    if block.key & 0x0f != 0 || block.zeros != [0; 5] {
        return Err(Program::Operand.into());
    }
    let answer = |code: u64, cc: u8| {
        call.set_gr(15, code);
        call.set_cc(cc);
        Ok(())
    };
    let Some(link) = call.cp.disks().link(&call.vmdbk.userid, block.device.get()) else { return answer(2, 1) };
    let Some(disk) = BlockDisk::new(&link, block.block_size.get()) else { return answer(8, 2) };
    let (list, count) = (Real(block.list.into()), block.count.get());
    if !list.0.is_multiple_of(8) {
        return answer(10, 2);
    }
    if !(1..=500).contains(&count) {
        return answer(11, 2);
    }
    let mut entries = vec![SyncBlock::default(); count as usize];
    if call.read(list, entries.as_mut_bytes()).is_err() {
        return answer(10, 2);
    }
    call.count_io(true);
    let mut result = Ok(());
    let mut done = 0u32;
    let mut manner = Manner::new(&disk, block.key, false);
    for entry in &entries {
        let number = u64::from(entry.number);
        let request = Request { write, block: number.wrapping_sub(1), buffer: Real(entry.buffer.into()) };
        result = call.transfer(&disk, &request, &mut manner);
        if result.is_err() {
            break;
        }
        done += 1;
    }
    call.take(manner.meter.end());
    block.done.set(done);
    let (code, cc) = match result {
        Ok(()) => (0, 0),
        Err(BlockError::Addressing | BlockError::Protection) => (12, 2),
        Err(BlockError::Reserved) => (5, 1),
        Err(_) => (13, 3),
    };
    (block.status, block.path) = (DeviceStatus::ENDED, 0x80);
    (block.reserved_15, block.reserved_20) = Default::default();
    block.sense_count.set(0);
    block.sense = [0; 32];
    if let Err(error) = result
        && code == 13
    {
        // Unit check, and sense as the control unit has it.
        block.status |= DeviceStatus::UNIT_CHECK;
        block.sense_count.set(32);
        match error {
            BlockError::ReadOnly => block.sense[1] = 0x02,
            BlockError::Number => block.sense[1] = 0x04,
            BlockError::RecordSize => block.sense[1] = 0x08,
            _ => block.sense[0] = 0x10,
        }
    }
    call.write(address, block.as_bytes())?;
    answer(code, cc)
}

/// Return codes of DIAGNOSE X'250'.
mod rc {
    pub(super) const GOOD: u64 = 0;
    pub(super) const READ_ONLY: u64 = 4;
    pub(super) const STARTED: u64 = 8;
    pub(super) const PARTIAL: u64 = 12;
    pub(super) const NO_DEVICE: u64 = 16;
    pub(super) const UNSUPPORTED: u64 = 20;
    pub(super) const BLOCK_SIZE: u64 = 24;
    pub(super) const NOT_ESTABLISHED: u64 = 28;
    pub(super) const ESTABLISHED: u64 = 28;
    pub(super) const COUNT: u64 = 36;
    pub(super) const NONE_DONE: u64 = 40;
}

/// `DIAGNOSE X'250'`: block I/O.
///
/// Ry is the function, Rx the address of a list of 64 bytes that begins with the device number and X'80' if addresses
/// have 64 bits; Rx+1 gets the return code. 0 (INIT) takes the block size and an offset, and says which block numbers
/// there are; 4 says that the disk is read-only. 1 (IOREQ) reads and writes up to 256 blocks, each with a status: 0
/// done, 1 no such block, 2 addressing, 3 read-only, 4 record size, 5 I/O error, 6 type, 7 protection, 11 reserved by
/// another user; return code 12 means some, 40 none of them. Asked to go on meanwhile, it returns 8 and the end is
/// external interruption X'2603'. 2 (REMOVE) ends it.
pub fn block_io(call: &Call<'_>) -> Result<(), Interruption> {
    let address = call.address(call.r1);
    call.specification(address.0.is_multiple_of(8) && call.r1 < 15)?;
    let mut list = [0; 64];
    call.read(address, &mut list)?;
    let (start, _) = BlockIo::read_from_prefix(&list).expect("it is shorter");
    let function = call.gr(call.r3) as u32;
    let link = call.cp.disks().link(&call.vmdbk.userid, start.device.get());
    let answer = |code: u64| {
        call.set_gr(call.r1 + 1, code);
        call.set_cc(match code {
            rc::GOOD | rc::READ_ONLY | rc::STARTED => 0,
            rc::PARTIAL => 1,
            _ => 2,
        });
        Ok(())
    };
    let wide = match start.mode {
        0 => false,
        0x80 => true,
        _ => return Err(Program::Specification.into()),
    };
    let Some(link) = link else { return answer(rc::NO_DEVICE) };
    let generation = call.vmdbk.generation.load(Ordering::Acquire);
    let mut environment = link.block_io();
    if environment.as_ref().is_some_and(|found| found.generation != generation) {
        *environment = None;
    }
    match function {
        0 if environment.is_some() => answer(rc::ESTABLISHED),
        0 => {
            let narrow: &mut BlockInit = transmute_mut!(&mut list);
            let size = narrow.block_size.get();
            if !size.is_power_of_two() || !(512..=4096).contains(&size) {
                return answer(rc::BLOCK_SIZE);
            }
            let Some(disk) = BlockDisk::new(&link, size) else { return answer(rc::UNSUPPORTED) };
            let extent = |offset: i64| (1i64.wrapping_sub(offset), (disk.count() as i64).wrapping_sub(offset));
            let offset = if wide {
                let wide: &mut BlockInit64 = transmute_mut!(&mut list);
                let (first, last) = extent(wide.offset.get());
                (wide.first, wide.last) = (first.into(), last.into());
                wide.offset.get()
            } else {
                let offset = narrow.offset.get().into();
                let (first, last) = extent(offset);
                (narrow.first, narrow.last) = ((first as i32).into(), (last as i32).into());
                offset
            };
            call.write(address, &list)?;
            let code = if disk.read_only { rc::READ_ONLY } else { rc::GOOD };
            *environment = Some(BlockEnvironment { disk, offset, generation });
            answer(code)
        }
        1 => {
            let found = environment.clone();
            drop(environment);
            let Some(environment) = found else { return answer(rc::NOT_ESTABLISHED) };
            request(call, &environment, &list, wide, answer)
        }
        2 => match environment.take() {
            Some(_) => answer(rc::GOOD),
            None => answer(rc::NOT_ESTABLISHED),
        },
        _ => Err(Program::Specification.into()),
    }
}

/// What the return code says of `done` blocks of `count`.
fn done_of(done: u32, count: u32) -> u64 {
    match done {
        0 => rc::NONE_DONE,
        _ if done < count => rc::PARTIAL,
        _ => rc::GOOD,
    }
}

/// One request: X'01' to write and X'02' to read block `number`, as the program counts them.
fn perform_one(
    call: &Call<'_>,
    environment: &BlockEnvironment,
    kind: u8,
    number: i64,
    buffer: Real,
    manner: &mut Manner<'_>,
) -> Result<(), BlockError> {
    let physical = number.wrapping_add(environment.offset).wrapping_sub(1);
    match (kind, u64::try_from(physical)) {
        (1 | 2, Ok(block)) => call.transfer(&environment.disk, &Request { write: kind == 1, block, buffer }, manner),
        (1 | 2, Err(_)) => Err(BlockError::Number),
        _ => Err(BlockError::Type),
    }
}

/// Performs `count` requests of a list and puts the status of each into it. Returns how many were done, and how many
/// nanoseconds that takes (SET TIMING).
fn perform_list(
    call: &Call<'_>,
    environment: &BlockEnvironment,
    at: Real,
    count: u32,
    wide: bool,
    key: u8,
    bypass: bool,
) -> Result<(u32, u64), Interruption> {
    /// In both forms.
    const STATUS: usize = std::mem::offset_of!(BlockRequest, status);
    const _: () = assert!(STATUS == std::mem::offset_of!(BlockRequest64, status));
    let length = if wide { size_of::<BlockRequest64>() } else { size_of::<BlockRequest>() };
    let mut entries = vec![0; count as usize * length];
    call.read(at, &mut entries)?;
    let mut done = 0;
    let mut manner = Manner::new(&environment.disk, key, bypass);
    for entry in entries.chunks_mut(length) {
        let (kind, number, buffer) = if wide {
            let entry = BlockRequest64::ref_from_bytes(entry).expect("entries are as long");
            (entry.kind, entry.number.get(), entry.buffer.get())
        } else {
            let entry = BlockRequest::ref_from_bytes(entry).expect("entries are as long");
            (entry.kind, entry.number.into(), entry.buffer.into())
        };
        let result = perform_one(call, environment, kind, number, Real(buffer), &mut manner);
        entry[STATUS] = result.map_or_else(|error| error as u8, |()| 0);
        done += u32::from(result.is_ok());
    }
    call.write(at, &entries)?;
    Ok((done, manner.meter.end()))
}

/// The disk that CONNECT to *BLOCKIO names in IPUSER, or why there is none.
pub(super) fn connected(call: &Call<'_>, user: &[u8; 16]) -> Result<BlockPath, u8> {
    let user: &BlockConnect = transmute_ref!(user);
    let link = call.cp.disks().link(&call.vmdbk.userid, user.device.get()).ok_or(reason::NO_DEVICE)?;
    let size = user.block_size.get();
    if !size.is_power_of_two() || !(512..=4096).contains(&size) {
        return Err(reason::BLOCK_SIZE);
    }
    let disk = BlockDisk::new(&link, size).ok_or(reason::UNSUPPORTED)?;
    let generation = call.vmdbk.generation.load(Ordering::Acquire);
    let environment = BlockEnvironment { disk, offset: user.offset.into(), generation };
    Ok(BlockPath { link, environment })
}

/// Performs what a message to *BLOCKIO asks for. Returns the reply (a status, and how many blocks were done), and how
/// many nanoseconds the I/O takes (SET TIMING).
pub(super) fn sent(call: &Call<'_>, environment: &BlockEnvironment, list: &List) -> ([u8; 8], u64) {
    let [kind, key, flags, _] = list.class().to_be_bytes();
    let bypass = flags & 1 != 0;
    let (status, done, time) = if list.flags() & flag::PARAMETER_DATA != 0 {
        let message: BlockMessage = transmute!(list.data());
        let buffer = Real(u64::from(message.buffer.get() & 0x7fff_ffff));
        let number = message.number.into();
        let mut manner = Manner::new(&environment.disk, key, bypass);
        match perform_one(call, environment, kind, number, buffer, &mut manner) {
            Ok(()) => (0, 1, manner.meter.end()),
            Err(error) => (error as u32, 0, 0),
        }
    } else {
        let (at, count) = (Real(list.address().into()), list.length() / 16);
        let whole = list.length().is_multiple_of(16) && (1..=256).contains(&count);
        match (kind, whole) {
            (3, true) => match perform_list(call, environment, at, count, false, key, bypass) {
                Ok((done, time)) => (done_of(done, count) as u32, done, time),
                Err(_) => (BlockError::Addressing as u32, 0, 0),
            },
            (3, false) => (rc::COUNT as u32, 0, 0),
            _ => (BlockError::Type as u32, 0, 0),
        }
    };
    (transmute!(BlockReply { status: status.into(), done: done.into() }), time)
}

fn request(
    call: &Call<'_>,
    environment: &BlockEnvironment,
    list: &[u8; 64],
    wide: bool,
    answer: impl Fn(u64) -> Result<(), Interruption>,
) -> Result<(), Interruption> {
    let narrow: &BlockRequests = transmute_ref!(list);
    let long: &BlockRequests64 = transmute_ref!(list);
    let (key, flags, count) = (narrow.key, narrow.flags, narrow.count.get());
    if !(1..=256).contains(&count) {
        return answer(rc::COUNT);
    }
    let at = Real(if wide { long.list.get() } else { narrow.list.into() });
    call.count_io(true);
    let (done, time) = perform_list(call, environment, at, count, wide, key, flags & 1 != 0)?;
    if flags & 2 == 0 {
        call.take(time);
        return answer(done_of(done, count));
    }
    // The work is done already; a program that asked to go on meanwhile is told in the way that it asked for.
    let status = u16::from(done < count);
    let interruption = External {
        code: external::CP_SERVICE,
        subcode: if wide { 0x0700 } else { 0x0300 } | status,
        parameter: (!wide).then(|| narrow.parameter.get()),
        parameter64: wide.then(|| long.parameter.get()),
    };
    let (vmdbk, generation) = (call.vmdbk.clone(), environment.generation);
    call.cp.disks().later(time, move || {
        if vmdbk.generation.load(Ordering::Acquire) == generation {
            vmdbk.machine().configuration.external(interruption);
        }
    });
    answer(rc::STARTED)
}
