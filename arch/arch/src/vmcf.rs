//! VMCF: what programs and CP say to each other with DIAGNOSE X'68' and external interruptions X'4001' (VM/SP System
//! Programmer's Guide, SC19-6203, "The Virtual Machine Communication Facility").

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// VMCPARM: the parameter list of a subfunction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Parameters {
    /// VMCPFLG1: options, as [`option`] has them.
    pub flags: u8,
    /// VMCPFLG2: reserved.
    pub reserved: u8,
    /// VMCPFUNC: the subfunction, as [`function`] has them.
    pub function: U16,
    /// VMCPMID: the number that the source gave the message.
    pub message: U32,
    /// VMCPUSER: the user at the other end.
    pub user: [u8; 8],
    /// VMCPVADA: the address of data or of a buffer.
    pub address: U32,
    /// VMCPLENA: its length.
    pub length: U32,
    /// VMCPVADB: SEND/RECV, the address of the buffer for the reply.
    pub reply_address: U32,
    /// VMCPLENB: its length.
    pub reply_length: U32,
    /// VMCPUSE: eight bytes of the program's own, for the other end.
    pub doubleword: [u8; 8],
}
const _: () = assert!(size_of::<Parameters>() == 40);

/// VMCMHDR: what an interruption stores; the data of SENDX follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Header {
    /// VMCMSTAT: as [`status`] has it.
    pub status: u8,
    /// VMCMEFLG: what went wrong when data were moved, a return code of DIAGNOSE X'68'.
    pub error: u8,
    /// VMCMFUNC: the subfunction of the source.
    pub function: U16,
    /// VMCMMID: the number of the message.
    pub message: U32,
    /// VMCMUSER: the user at the other end.
    pub user: [u8; 8],
    /// VMCMVADA: where the data are with the source.
    pub address: U32,
    /// VMCMLENA: their length; of a response, how many were not moved.
    pub length: U32,
    /// VMCMVADB: where the source wants the reply.
    pub reply_address: U32,
    /// VMCMLENB: how long that may be; of a response, how much room is left.
    pub reply_length: U32,
    /// VMCMUSE: eight bytes of the other program's own.
    pub doubleword: [u8; 8],
}
const _: () = assert!(size_of::<Header>() == 40);

/// VMCPFLG1.
pub mod option {
    /// VMCPAUTS. AUTHORIZE: messages of one user only.
    pub const SPECIFIC: u8 = 0x80;
    /// VMCPPRTY. AUTHORIZE: priority messages, too; else: this is one.
    pub const PRIORITY: u8 = 0x40;
    /// VMCPSMSG. AUTHORIZE: what SMSG says, too.
    pub const SPECIAL: u8 = 0x20;
}

/// VMCPFUNC.
pub mod function {
    /// VMCF is used from now on.
    pub const AUTHORIZE: u16 = 0x0000;
    /// VMCF is not used any more.
    pub const UNAUTHORIZE: u16 = 0x0001;
    /// A message, whose data the other end moves.
    pub const SEND: u16 = 0x0002;
    /// SEND/RECV: a message that the other end answers with data.
    pub const SEND_RECEIVE: u16 = 0x0003;
    /// A message whose data come with the interruption.
    pub const SENDX: u16 = 0x0004;
    /// Moves the data of a message.
    pub const RECEIVE: u16 = 0x0005;
    /// Takes a message back.
    pub const CANCEL: u16 = 0x0006;
    /// Answers SEND/RECV.
    pub const REPLY: u16 = 0x0007;
    /// No messages for now.
    pub const QUIESCE: u16 = 0x0008;
    /// Messages again.
    pub const RESUME: u16 = 0x0009;
    /// Tells another user that this one is there.
    pub const IDENTIFY: u16 = 0x000a;
    /// Refuses a message.
    pub const REJECT: u16 = 0x000b;
}

/// VMCMSTAT.
pub mod status {
    /// VMCMRESP: the last that is heard of the message.
    pub const RESPONSE: u8 = 0x80;
    /// VMCMRJCT: the other end has refused it.
    pub const REJECTED: u8 = 0x40;
    /// VMCMPRTY: a priority message.
    pub const PRIORITY: u8 = 0x20;
}
