//! Queued direct I/O, and the network adapters that use it: what lies in storage, what commands carry, and what the
//! messages between a driver and an adapter (OSA in QDIO mode) look like.
//!
//! There is no public manual of these. The layouts are those that Linux's drivers `qdio` and `qeth` declare.

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The type and model of the control unit of an OSA, and those of its devices.
pub const OSA: (u16, u8, u16, u8) = (0x1731, 0x01, 0x1732, 0x01);
/// The same of HiperSockets.
pub const HIPERSOCKETS: (u16, u8, u16, u8) = (0x1731, 0x05, 0x1732, 0x05);
/// Buffers of a queue.
pub const BUFFERS: usize = 128;
/// Elements of a buffer.
pub const ELEMENTS: usize = 16;

/// Commands.
pub mod command {
    /// Read configuration data.
    pub const READ_CONFIGURATION: u8 = 0xfa;
    /// Establish queues.
    pub const ESTABLISH: u8 = 0x1b;
    /// Activate queues.
    pub const ACTIVATE: u8 = 0x1f;
}

/// States of a buffer: whose it is, and what is in it.
pub mod state {
    /// An input buffer that the adapter may fill.
    pub const INPUT_EMPTY: u8 = 0x41;
    /// An input buffer with data.
    pub const INPUT_PRIMED: u8 = 0x82;
    /// An output buffer with data for the adapter.
    pub const OUTPUT_PRIMED: u8 = 0x62;
    /// An output buffer that was sent.
    pub const OUTPUT_EMPTY: u8 = 0xa1;
    /// An output buffer that could not be sent.
    pub const OUTPUT_ERROR: u8 = 0xaf;
}

/// Bits of [`Element::flags`].
pub mod element {
    /// No element of the buffer follows.
    pub const LAST: u8 = 0x40;
}

/// Bits of [`Element::request`], of the first element.
pub mod request {
    /// The program wants to be told when the buffer was sent.
    pub const TELL: u8 = 0x40;
}

/// One of 16 parts of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Element {
    /// X'00': [`element`].
    pub flags: u8,
    /// X'01': reserved.
    pub reserved_1: u8,
    /// X'02': a count of what is contiguous.
    pub count: u8,
    /// X'03': [`request`].
    pub request: u8,
    /// X'04': bytes.
    pub length: U32,
    /// X'08': where they are, an absolute address.
    pub address: U64,
}
const _: () = assert!(size_of::<Element>() == 16);

/// Where one queue lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QueueDescriptor {
    /// X'00': the storage-list-information block.
    pub information: U64,
    /// X'08': the storage list: addresses of 128 buffers.
    pub list: U64,
    /// X'10': the states of the buffers, a byte each.
    pub states: U64,
    /// X'18': reserved.
    pub reserved_18: U32,
    /// X'1C': storage keys.
    pub keys: U16,
    /// X'1E': reserved.
    pub reserved_1e: U16,
}
const _: () = assert!(size_of::<QueueDescriptor>() == 32);

/// What ESTABLISH carries, without the descriptors that follow: those of input queues first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Establish {
    /// X'00': the format of queues; 0: of a network adapter, 2: of HiperSockets.
    pub format: u8,
    /// X'01': the format of parameters.
    pub parameter_format: u8,
    /// X'02': reserved.
    pub reserved_2: [u8; 3],
    /// X'05': input queues.
    pub inputs: u8,
    /// X'06': reserved.
    pub reserved_6: u8,
    /// X'07': output queues.
    pub outputs: u8,
    /// X'08': reserved.
    pub reserved_8: u8,
    /// X'09': words of an input queue's descriptor.
    pub input_words: u8,
    /// X'0A': reserved.
    pub reserved_a: u8,
    /// X'0B': words of an output queue's descriptor.
    pub output_words: u8,
    /// X'0C': reserved.
    pub reserved_c: [U32; 9],
    /// X'30': the queue-information block.
    pub information: U64,
    /// X'38': reserved.
    pub reserved_38: U32,
    /// X'3C': the storage key of that block.
    pub key: u8,
    /// X'3D': reserved.
    pub reserved_3d: [u8; 3],
}
const _: () = assert!(size_of::<Establish>() == 0x40);

/// Where in the queue-information block an adapter says what it can, and the bit for telling of output.
pub const INFORMATION_CAN: (u64, u8) = (3, 0x40);

/// What precedes a frame in a buffer, at layer 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FrameHead {
    /// X'00': [`FrameHead::LAYER_2`].
    pub kind: u8,
    /// X'01': reserved.
    pub reserved_1: [u8; 2],
    /// X'03': to how many the frame goes: [`cast`].
    pub cast: u8,
    /// X'04': the port.
    pub port: u8,
    /// X'05': the length of the head.
    pub head: u8,
    /// X'06': the length of the frame.
    pub length: U16,
    /// X'08': a number that grows.
    pub sequence: U16,
    /// X'0A': the VLAN.
    pub vlan: U16,
    /// X'0C': reserved.
    pub reserved_c: [U32; 5],
}
const _: () = assert!(size_of::<FrameHead>() == 32);

impl FrameHead {
    /// The kind of heads of layer 2.
    pub const LAYER_2: u8 = 2;
}

/// To how many a frame goes.
pub mod cast {
    /// To several.
    pub const MULTI: u8 = 1;
    /// To all.
    pub const BROAD: u8 = 2;
    /// To one.
    pub const UNI: u8 = 4;
}

/// What precedes a packet in a buffer, at layer 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct PacketHead {
    /// X'00': [`PacketHead::LAYER_3`].
    pub kind: u8,
    /// X'01': [`packet`], and in the low bits to how many it goes.
    pub flags: u8,
    /// X'02': the check sum of what comes.
    pub sum: U16,
    /// X'04': a token.
    pub token: U32,
    /// X'08': the length of what follows.
    pub length: U16,
    /// X'0A': its priority.
    pub priority: u8,
    /// X'0B': more about it.
    pub more: u8,
    /// X'0C': the VLAN.
    pub vlan: U16,
    /// X'0E': where the frame begins.
    pub offset: U16,
    /// X'10': where the packet goes next, an address of IPv6.
    pub next: [u8; 12],
    /// X'1C': its last word, or the same for IPv4.
    pub next_4: [u8; 4],
}
const _: () = assert!(size_of::<PacketHead>() == 32);

impl PacketHead {
    /// The kind of heads of layer 3.
    pub const LAYER_3: u8 = 1;
}

/// [`PacketHead::flags`].
pub mod packet {
    /// A packet of IPv6.
    pub const IPV6: u8 = 0x80;
    /// A whole frame, which the adapter passes through.
    pub const PASS: u8 = 0x10;
    /// To how many it goes.
    pub const CAST: u8 = 0x07;
    /// To several.
    pub const MULTI: u8 = 4;
    /// To all.
    pub const BROAD: u8 = 5;
    /// To one.
    pub const UNI: u8 = 6;
}

/// What a driver activates a control channel with; the adapter answers with the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Activation {
    /// X'00': [`Activation::HEAD`].
    pub head: U32,
    /// X'04': a number that grows.
    pub sequence: U32,
    /// X'08': what it is; in an answer the low bits are 2.
    pub kind: u8,
    /// X'09': in a refusal, why.
    pub cause: u8,
    /// X'0A': reserved.
    pub reserved_a: u8,
    /// X'0B': the port.
    pub port: u8,
    /// X'0C': the sender's token.
    pub token: U32,
    /// X'10': a level of functions.
    pub level: U16,
    /// X'12': in an answer the level of the adapter's code.
    pub code: [u8; 4],
    /// X'16': the name of a port, EBCDIC.
    pub name: [u8; 8],
    /// X'1E': the device number of the data device.
    pub device: U16,
    /// X'20': its real address.
    pub address: U16,
}
const _: () = assert!(size_of::<Activation>() == 0x22);

impl Activation {
    /// What an activation begins with.
    pub const HEAD: u32 = 0x0000_8000;
}

/// What messages on control channels begin with, up to their body at X'40'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MessageHead {
    /// X'00': the transport's head.
    pub transport: U32,
    /// X'04': a number that grows.
    pub sequence: U32,
    /// X'08': the length of the transport's head.
    pub transport_length: U32,
    /// X'0C': the length of all.
    pub length: U32,
    /// X'10': what the transport carries.
    pub carries: U32,
    /// X'14': reserved.
    pub reserved_14: U32,
    /// X'18': [`MessageHead::CONNECTION`] and others.
    pub kind: u8,
    /// X'19': the protocol.
    pub protocol: u8,
    /// X'1A': reserved.
    pub reserved_1a: U16,
    /// X'1C': a number that grows.
    pub number: U32,
    /// X'20': the number that is answered.
    pub answers: U32,
    /// X'24': where the body is, and how long it is.
    pub body: [U16; 4],
    /// X'2C': the receiver's token.
    pub token: U32,
    /// X'30': reserved.
    pub reserved_30: [U32; 4],
}
const _: () = assert!(size_of::<MessageHead>() == 0x40);

impl MessageHead {
    /// A message about the connection.
    pub const CONNECTION: u8 = 0x81;
    /// A message about what uses the connection.
    pub const USER: u8 = 0x41;
    /// A command for the adapter.
    pub const COMMAND: u8 = 0xc1;
}

/// A command for the adapter, and its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct AdapterCommand {
    /// X'00': [`adapter`].
    pub command: u8,
    /// X'01': which side began: 0 the driver, 1 the adapter.
    pub initiator: u8,
    /// X'02': the number of the command, which its answer has too.
    pub number: U16,
    /// X'04': how it went: [`outcome`].
    pub outcome: U16,
    /// X'06': the kind of adapter.
    pub kind: u8,
    /// X'07': the port.
    pub port: u8,
    /// X'08': layers: 1 layer 3, 2 layer 2.
    pub version: u8,
    /// X'09': parameters.
    pub parameters: u8,
    /// X'0A': version of IP.
    pub ip: U16,
    /// X'0C': what the adapter can do for the driver: [`assist`].
    pub can: U32,
    /// X'10': what of that is on.
    pub does: U32,
}
const _: () = assert!(size_of::<AdapterCommand>() == 0x14);

/// Commands for the adapter.
pub mod adapter {
    /// STARTLAN: the driver begins; from the adapter: the link is up.
    pub const START_LAN: u8 = 0x01;
    /// STOPLAN: the driver ends; from the adapter: the link is down.
    pub const STOP_LAN: u8 = 0x02;
    /// SETVMAC.
    pub const SET_MAC: u8 = 0x21;
    /// DELVMAC.
    pub const DELETE_MAC: u8 = 0x22;
    /// SETGMAC.
    pub const SET_GROUP: u8 = 0x23;
    /// DELGMAC.
    pub const DELETE_GROUP: u8 = 0x24;
    /// SETVLAN.
    pub const SET_VLAN: u8 = 0x25;
    /// DELVLAN.
    pub const DELETE_VLAN: u8 = 0x26;
    /// SETIP: an address of the driver's, at layer 3.
    pub const SET_IP: u8 = 0xb1;
    /// DELIP.
    pub const DELETE_IP: u8 = 0xb7;
    /// SETIPM: a group of the driver's, at layer 3.
    pub const SET_IP_GROUP: u8 = 0xb4;
    /// DELIPM.
    pub const DELETE_IP_GROUP: u8 = 0xb5;
    /// SETASSPARMS: what the adapter can do is begun and ended.
    pub const ASSIST: u8 = 0xb3;
    /// SETRTG: whether the driver is a router.
    pub const ROUTING: u8 = 0xb6;
    /// CREATE_ADDR: the hardware address, and what makes one of IPv6 of it.
    pub const CREATE_ADDRESS: u8 = 0xc3;
    /// DESTROY_ADDR.
    pub const DESTROY_ADDRESS: u8 = 0xc4;
    /// QIPASSIST: what the adapter can do.
    pub const QUERY_ASSISTS: u8 = 0xb2;
    /// SETADAPTERPARMS.
    pub const PARAMETERS: u8 = 0xb8;
}

/// What an adapter can do for a driver.
pub mod assist {
    /// ARP is the adapter's.
    pub const ARP: u32 = 0x0000_0001;
    /// Packets to all.
    pub const BROADCAST: u32 = 0x0000_0010;
    /// IPv6.
    pub const IPV6: u32 = 0x0000_0020;
    /// Packets to groups.
    pub const MULTICAST: u32 = 0x0000_0040;
    /// Whole frames are passed through.
    pub const PASS: u32 = 0x0000_1000;
    /// SETADAPTERPARMS.
    pub const PARAMETERS: u32 = 0x0000_0400;
}

/// How a command went.
pub mod outcome {
    /// The adapter does not know it.
    pub const NOT_SUPPORTED: u16 = 0x0004;
    /// The link is down.
    pub const LAN_OFFLINE: u16 = 0xe080;
    /// The address is registered already.
    pub const DUPLICATE_MAC: u16 = 0x2005;
    /// The address is not registered.
    pub const UNKNOWN_MAC: u16 = 0x2010;
    /// The address of IP is registered already.
    pub const DUPLICATE_IP: u16 = 0xe005;
    /// The adapter cannot take one more address of IP.
    pub const TOO_MANY: u16 = 0x0002;
    /// The address of IP is not registered.
    pub const UNKNOWN_IP: u16 = 0x0011;
    /// The adapter may not have this address.
    pub const NOT_AUTHORIZED: u16 = 0x200c;
}

/// What follows [`AdapterCommand`] in SETASSPARMS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Assist {
    /// X'00': which of [`assist`].
    pub which: U32,
    /// X'04': the length.
    pub length: U16,
    /// X'06': [`assisting`].
    pub command: U16,
    /// X'08': how it went.
    pub outcome: U16,
    /// X'0A': how many messages there are.
    pub total: u8,
    /// X'0B': which of them this is.
    pub number: u8,
}
const _: () = assert!(size_of::<Assist>() == 12);

/// Commands in SETASSPARMS.
pub mod assisting {
    /// Begin.
    pub const START: u16 = 1;
    /// End.
    pub const STOP: u16 = 2;
    /// Settings.
    pub const CONFIGURE: u16 = 3;
    /// On.
    pub const ENABLE: u16 = 4;
    /// Off.
    pub const DISABLE: u16 = 5;
    /// Of ARP: forget all addresses.
    pub const FLUSH: u16 = 7;
}

/// What follows [`AdapterCommand`] in SETADAPTERPARMS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Parameters {
    /// X'00': what there is.
    pub can: U32,
    /// X'04': reserved.
    pub reserved_4: U32,
    /// X'08': the length.
    pub length: U16,
    /// X'0A': reserved.
    pub reserved_a: U16,
    /// X'0C': [`parameter`].
    pub command: U32,
    /// X'10': how it went.
    pub outcome: U16,
    /// X'12': how many messages there are.
    pub total: u8,
    /// X'13': which of them this is.
    pub number: u8,
    /// X'14': [`Parameters::VIRTUAL_MAC`].
    pub flags: u8,
    /// X'15': reserved.
    pub reserved_15: [u8; 3],
}
const _: () = assert!(size_of::<Parameters>() == 24);

impl Parameters {
    /// The address belongs to this adapter alone.
    pub const VIRTUAL_MAC: u8 = 0x80;
}

/// Commands in SETADAPTERPARMS.
pub mod parameter {
    /// Which of these commands there are.
    pub const QUERY: u32 = 0x0000_0001;
    /// The adapter's address.
    pub const MAC: u32 = 0x0000_0002;
}

/// What [`parameter::QUERY`] answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Supported {
    /// X'00': types of LAN.
    pub lans: U32,
    /// X'04': the type: 3 is Ethernet at a gigabit.
    pub lan: u8,
    /// X'05': reserved.
    pub reserved_5: [u8; 3],
    /// X'08': [`parameter`]s.
    pub commands: U32,
    /// X'0C': reserved.
    pub reserved_c: [U32; 2],
}
const _: () = assert!(size_of::<Supported>() == 20);

/// What [`parameter::MAC`] carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ChangeMac {
    /// X'00': 0 to read it.
    pub operation: U32,
    /// X'04': the length of an address.
    pub size: U32,
    /// X'08': how many.
    pub count: U32,
    /// X'0C': the address.
    pub mac: [u8; 6],
}
const _: () = assert!(size_of::<ChangeMac>() == 18);
