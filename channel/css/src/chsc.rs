//! CHANNEL SUBSYSTEM CALL: the commands we have, and the architected answers for those we have not.
//!
//! A request is a block of one page: length and code, then operands; the response follows the request, with its own
//! length and a response code.

use crate::ChannelSubsystem;
use arch::Program;

/// Bytes of a CHSC block.
pub const BLOCK: usize = 4096;

/// Response codes.
mod response {
    pub const DONE: u16 = 0x0001;
    pub const INVALID_FORMAT: u16 = 0x0003;
    pub const UNSUPPORTED: u16 = 0x0004;
    /// Set domain attributes: the facility is not provided.
    pub const NOT_PROVIDED: u16 = 0x0101;
}

impl ChannelSubsystem {
    /// CHANNEL SUBSYSTEM CALL on a copy of the block, which is then to be stored back. The condition code is always 0;
    /// a block with an impossible length is an operand exception.
    pub fn channel_subsystem_call(&mut self, block: &mut [u8; BLOCK]) -> Result<u8, Program> {
        let request = usize::from(half(block, 0));
        if !(8..=BLOCK - 8).contains(&request) || request % 8 != 0 {
            return Err(Program::Operand);
        }
        let data = match half(block, 2) {
            0x0002 => channel_paths(self, block),
            0x0004 => descriptions(self, block, request),
            0x0010 => Ok(vec![0; BLOCK - request - 8]),
            0x0031 => Err(response::NOT_PROVIDED),
            _ => Err(response::UNSUPPORTED),
        };
        let (code, data) = match data {
            Ok(data) => (response::DONE, data),
            Err(code) => (code, Vec::new()),
        };
        let room = &mut block[request..];
        let data = &data[..data.len().min(room.len() - 8)];
        room[..2].copy_from_slice(&(8 + data.len() as u16).to_be_bytes());
        room[2..4].copy_from_slice(&code.to_be_bytes());
        room[4..8].fill(0);
        room[8..8 + data.len()].copy_from_slice(data);
        Ok(0)
    }
}

/// 0004, store subchannel description: for each subchannel of a range its device number and paths, 32 bytes.
fn descriptions(css: &ChannelSubsystem, block: &[u8; BLOCK], request: usize) -> Result<Vec<u8>, u16> {
    let (first, last) = (half(block, 6), half(block, 10));
    if request != 0x10 || first > last || half(block, 4) & 0x0030 != 0 {
        return Err(response::INVALID_FORMAT);
    }
    let most = (BLOCK - request - 8) / 32;
    let mut data = Vec::new();
    for n in (first..=last).take(most) {
        let mut entry = [0; 32];
        if let Some(s) = css.subchannels.get(usize::from(n)) {
            entry[0] = 0x80 | if s.pmcw.valid() { 0x40 } else { 0 };
            entry[1] = s.pmcw.device() as u8;
            entry[2..4].copy_from_slice(&s.pmcw.device().to_be_bytes());
            entry[4] = s.pmcw.pim;
            entry[6..8].copy_from_slice(&n.to_be_bytes());
            entry[8..16].copy_from_slice(&s.pmcw.chpid);
        }
        data.extend(entry);
    }
    Ok(data)
}

/// 0002, store channel-path description, format 0: eight bytes for each channel path of a range that exists.
fn channel_paths(css: &ChannelSubsystem, block: &[u8; BLOCK]) -> Result<Vec<u8>, u16> {
    let (first, last) = (block[7], block[11]);
    let formats = half(block, 4) & 0x3f00 != 0 || block[6] & 0x0f != 0;
    if formats || first > last {
        return Err(response::INVALID_FORMAT);
    }
    let exists = |chpid| css.subchannels.iter().any(|s| s.on_path(chpid));
    let mut data = Vec::new();
    for chpid in (first..=last).filter(|&chpid| exists(chpid)) {
        // Valid; no link; of the type that block-multiplexing parallel channels have.
        data.extend([0x80, 0, 0x01, chpid, 0, 0, 0, 0]);
    }
    Ok(data)
}

fn half(block: &[u8; BLOCK], at: usize) -> u16 {
    u16::from_be_bytes([block[at], block[at + 1]])
}
