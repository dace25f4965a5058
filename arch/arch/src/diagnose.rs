//! What programs and CP say to each other in storage: the parameter lists and blocks of DIAGNOSE (CP Programming
//! Services, SC24-5520).

mod block_io;
mod channel_io;
mod console;
mod device;
mod dump;
mod guest;
mod handshake;
mod information;
mod segment;
mod spool;

pub use block_io::{
    BlockConnect, BlockInit, BlockInit64, BlockIo, BlockMessage, BlockReply, BlockRequest, BlockRequest64,
    BlockRequests, BlockRequests64, SyncBlock, SyncBlockIo,
};
pub use channel_io::{Csw, Hcpsgiop, SgioEnd, sgio_flag};
pub use console::ConsoleCcw;
pub use device::{DeviceInformation, DisplayInformation, RealType, TerminalType, VirtualType, display_flag};
pub use dump::{DumpCpu, DumpHeader, DumpPart, DumpText, PART};
pub use guest::{GuestData, GuestDataRequest};
pub use handshake::{HANDSHAKE_VERSION, HANDSHAKE_WORDS, PageFaultHandshake};
pub use information::{ExtendedIdentification, ExtendedTimer, PseudoTimer, StorageExtent};
pub use segment::FindSegment;
pub use spool::{SpoolCharacteristics, SpoolOrigin};
