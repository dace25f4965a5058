//! CHANNEL SUBSYSTEM CALL: the commands we have, and the architected answers for those we have not.
//!
//! [`arch::io::chsc`] has the blocks.

use crate::ChannelSubsystem;
use arch::Program;
use arch::io::SubsystemId;
use arch::io::chsc::{
    BLOCK, PathDescription, PathRange, QueueDescription, Request, Response, SetIndicators, SubchannelDescription,
    SubchannelRange,
};
use zerocopy::{FromBytes, IntoBytes};

/// Response codes.
mod response {
    pub(super) const DONE: u16 = 0x0001;
    pub(super) const INVALID_FORMAT: u16 = 0x0003;
    pub(super) const UNSUPPORTED: u16 = 0x0004;
    /// Set domain attributes: the facility is not provided.
    pub(super) const NOT_PROVIDED: u16 = 0x0101;
}

/// General characteristics, by the numbers of their bits.
mod general {
    /// Adapter interruptions.
    pub(super) const ADAPTER_INTERRUPTIONS: usize = 41;
    /// Adapter interruptions of network adapters in QDIO mode.
    pub(super) const OF_NETWORKS: usize = 67;
}

/// Characteristics of CHANNEL SUBSYSTEM CALL itself, by the numbers of their bits.
mod calls {
    /// Where they begin, after the general ones, in bytes.
    pub(super) const BEGIN: usize = 2040;
    /// Store subchannel QDIO data.
    pub(super) const QUEUES: usize = 8;
    /// Set channel-subsystem adapter.
    pub(super) const INDICATORS: usize = 107;
}

impl ChannelSubsystem {
    /// CHANNEL SUBSYSTEM CALL on a copy of the block, which is then to be stored back. The condition code is always 0;
    /// a block with an impossible length is an operand exception.
    pub fn channel_subsystem_call(&mut self, block: &mut [u8; BLOCK]) -> Result<u8, Program> {
        let (Request { length, code }, _) = Request::read_from_prefix(block).expect("a block has a request");
        let request = usize::from(length.get());
        if !(8..=BLOCK - 8).contains(&request) || request % 8 != 0 {
            return Err(Program::Operand);
        }
        let data = match code.get() {
            0x0002 => channel_paths(self, block),
            0x0004 => descriptions(self, block, request),
            0x0021 => set_indicators(self, block, request),
            0x0024 => queues(self, block, request),
            0x0010 => Ok(characteristics(BLOCK - request - 8)),
            0x0031 => Err(response::NOT_PROVIDED),
            _ => Err(response::UNSUPPORTED),
        };
        let (code, data) = match data {
            Ok(data) => (response::DONE, data),
            Err(code) => (code, Vec::new()),
        };
        let room = &mut block[request..];
        let data = &data[..data.len().min(room.len() - 8)];
        let head = Response { length: (8 + data.len() as u16).into(), code: code.into(), ..Response::default() };
        head.write_to_prefix(room).expect("eight bytes are left");
        room[8..8 + data.len()].copy_from_slice(data);
        Ok(0)
    }
}

/// 0010, store channel-subsystem characteristics: a bit for each thing there is, the general ones first.
fn characteristics(room: usize) -> Vec<u8> {
    let mut bits = vec![0; room];
    let calls = [calls::QUEUES, calls::INDICATORS].map(|bit| 8 * calls::BEGIN + bit);
    for bit in [general::ADAPTER_INTERRUPTIONS, general::OF_NETWORKS].into_iter().chain(calls) {
        if let Some(byte) = bits.get_mut(bit / 8) {
            *byte |= 0x80 >> (bit % 8);
        }
    }
    bits
}

/// 0004, store subchannel description: for each subchannel of a range its device number and paths, 32 bytes.
fn descriptions(css: &ChannelSubsystem, block: &[u8; BLOCK], request: usize) -> Result<Vec<u8>, u16> {
    let (range, _) = SubchannelRange::ref_from_prefix(block).expect("a block has a request");
    let (first, last) = (range.first.get(), range.last.get());
    if request != 0x10 || first > last || range.flags.get() & 0x0030 != 0 {
        return Err(response::INVALID_FORMAT);
    }
    let most = (BLOCK - request - 8) / 32;
    let mut data = Vec::new();
    for n in (first..=last).take(most) {
        let subchannel = css.subchannels.get(usize::from(n));
        let entry = subchannel.map_or(SubchannelDescription::default(), |s| SubchannelDescription {
            flags: 0x80 | if s.pmcw.valid() { 0x40 } else { 0 },
            unit_address: s.pmcw.device() as u8,
            device: s.pmcw.device().into(),
            path_mask: s.pmcw.pim,
            subchannel: n.into(),
            chpid: s.pmcw.chpid,
            ..SubchannelDescription::default()
        });
        data.extend_from_slice(entry.as_bytes());
    }
    Ok(data)
}

/// 0024, store subchannel QDIO data: for each subchannel of a range what its queues are like, 32 bytes.
fn queues(css: &ChannelSubsystem, block: &[u8; BLOCK], request: usize) -> Result<Vec<u8>, u16> {
    let (range, _) = SubchannelRange::ref_from_prefix(block).expect("a block has a request");
    let (first, last) = (range.first.get(), range.last.get());
    if request != 0x10 || first > last || range.flags.get() & 0x003f != 0 {
        return Err(response::INVALID_FORMAT);
    }
    let most = (BLOCK - request - 8) / size_of::<QueueDescription>();
    let mut data = Vec::new();
    for n in (first..=last).take(most) {
        let device = css.subchannels.get(usize::from(n)).and_then(|s| s.device.as_ref());
        let mut entry = device.and_then(|device| device.queues()).unwrap_or_default();
        entry.subchannel = n.into();
        data.extend_from_slice(entry.as_bytes());
    }
    Ok(data)
}

/// 0021, set channel-subsystem adapter: where a device indicates.
fn set_indicators(css: &mut ChannelSubsystem, block: &[u8; BLOCK], request: usize) -> Result<Vec<u8>, u16> {
    let (wanted, _) = SetIndicators::ref_from_prefix(block).expect("a block has a request");
    let (summary, own) = (wanted.summary.get(), wanted.device.get());
    let there = |at: u64| css.storage.contains(arch::Absolute(at), 1);
    let id = SubsystemId::decode(wanted.subchannel.get()).map_err(|_| response::INVALID_FORMAT)?;
    let wrong = request < size_of::<SetIndicators>() || wanted.operation != 0 || (summary == 0) != (own == 0);
    if wrong || !there(summary) || !there(own) {
        return Err(response::INVALID_FORMAT);
    }
    let s = css.subchannels.get_mut(usize::from(id.number())).and_then(|s| s.device.as_mut());
    let device = s.filter(|device| device.queues().is_some()).ok_or(response::INVALID_FORMAT)?;
    device.indicate_at((summary != 0).then_some((summary, own, wanted.isc & 7)));
    Ok(Vec::new())
}

/// 0002, store channel-path description, format 0: eight bytes for each channel path of a range that exists.
fn channel_paths(css: &ChannelSubsystem, block: &[u8; BLOCK]) -> Result<Vec<u8>, u16> {
    let (&PathRange { flags, format, first, last, .. }, _) =
        PathRange::ref_from_prefix(block).expect("a block has a request");
    if flags.get() & 0x3f00 != 0 || format & 0x0f != 0 || first > last {
        return Err(response::INVALID_FORMAT);
    }
    let path_type = |chpid| css.subchannels.iter().find_map(|s| s.path_type(chpid));
    let mut data = Vec::new();
    for (chpid, kind) in (first..=last).filter_map(|chpid| Some((chpid, path_type(chpid)?))) {
        // Valid; no link.
        let entry = PathDescription { flags: 0x80, kind, chpid, ..PathDescription::default() };
        data.extend_from_slice(entry.as_bytes());
    }
    Ok(data)
}
