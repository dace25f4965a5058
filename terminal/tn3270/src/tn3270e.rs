//! The messages of TN3270E (RFC 2355): device-type and functions negotiation, data headers, the BIND image.

use crate::datastream::Size;
use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Codes inside a TN3270E subnegotiation.
pub(crate) mod verb {
    pub(crate) const ASSOCIATE: u8 = 0;
    pub(crate) const CONNECT: u8 = 1;
    pub(crate) const DEVICE_TYPE: u8 = 2;
    pub(crate) const FUNCTIONS: u8 = 3;
    pub(crate) const IS: u8 = 4;
    pub(crate) const REASON: u8 = 5;
    pub(crate) const REJECT: u8 = 6;
    pub(crate) const REQUEST: u8 = 7;
    pub(crate) const SEND: u8 = 8;
}

/// DATA-TYPE of a record's header.
pub(crate) mod data_type {
    pub(crate) const DATA_3270: u8 = 0;
    pub(crate) const RESPONSE: u8 = 2;
    pub(crate) const BIND_IMAGE: u8 = 3;
    pub(crate) const UNBIND: u8 = 4;
    pub(crate) const NVT_DATA: u8 = 5;
    pub(crate) const SSCP_LU_DATA: u8 = 7;
}

/// RESPONSE-FLAG of a record from the host: none wanted, or always one.
pub(crate) const NO_RESPONSE: u8 = 0;
/// A response is wanted in any case.
pub(crate) const ALWAYS_RESPONSE: u8 = 2;

/// The header of a record; its data follow.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Header {
    /// See [`data_type`].
    pub data_type: u8,
    pub request: u8,
    pub response: u8,
    pub sequence: U16,
}
const _: () = assert!(size_of::<Header>() == 5);

/// A function that client and server may agree to use (RFC 2355, *FUNCTIONS*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// The server sends the BIND image when a session begins and UNBIND when it ends.
    BindImage = 0,
    /// Data stream control for printers.
    DataStreamCtl = 1,
    /// Positive and negative responses to records.
    Responses = 2,
    /// SNA character stream control codes for printers.
    ScsCtlCodes = 3,
    /// The SYSREQ key (IAC AO).
    SysReq = 4,
}

/// A set of [`Function`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Functions(u8);

impl Functions {
    /// No function.
    pub const NONE: Functions = Functions(0);

    /// The functions a display server uses: BIND-IMAGE, RESPONSES and SYSREQ.
    pub const DISPLAY: Functions =
        Functions(1 << Function::BindImage as u8 | 1 << Function::Responses as u8 | 1 << Function::SysReq as u8);

    /// This set and `function`.
    pub const fn with(self, function: Function) -> Functions {
        Functions(self.0 | 1 << function as u8)
    }

    /// This set less `function`.
    pub const fn without(self, function: Function) -> Functions {
        Functions(self.0 & !(1 << function as u8))
    }

    /// Whether `function` is in the set.
    pub const fn has(self, function: Function) -> bool {
        self.0 & 1 << function as u8 != 0
    }

    /// Reads a function list; the second value says whether it named anything this set cannot hold.
    pub(crate) fn from_list(list: &[u8]) -> (Functions, bool) {
        let (mut set, mut other) = (0, false);
        for &code in list {
            if code <= Function::SysReq as u8 {
                set |= 1 << code;
            } else {
                other = true;
            }
        }
        (Functions(set), other)
    }

    /// The function list as it is sent.
    pub(crate) fn list(self) -> Vec<u8> {
        (0..8).filter(|code| self.0 & 1 << code != 0).collect()
    }

    pub(crate) fn intersection(self, other: Functions) -> Functions {
        Functions(self.0 & other.0)
    }

    pub(crate) fn is_subset_of(self, other: Functions) -> bool {
        self.0 & !other.0 == 0
    }
}

/// Why a device type or name is refused: the REASON codes of DEVICE-TYPE REJECT (RFC 2355).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Reject {
    /// The client asked for a name that is another's partner.
    #[error("the name belongs to another device's partner")]
    ConnPartner = 0,
    /// The device is in use by another session.
    #[error("the device is in use")]
    DeviceInUse = 1,
    /// ASSOCIATE for a device that cannot be associated.
    #[error("it cannot be associated with that device")]
    InvAssociate = 2,
    /// There is no such device name.
    #[error("there is no device of this name")]
    InvName = 3,
    /// The device type is not supported.
    #[error("this terminal type is not supported")]
    InvDeviceType = 4,
    /// The device name and the device type do not go together.
    #[error("the name and the terminal type do not go together")]
    TypeNameError = 5,
    /// Any other error.
    #[error("it is not said why")]
    UnknownError = 6,
    /// The request is not supported.
    #[error("requests of this kind are not supported")]
    UnsupportedReq = 7,
}

impl Reject {
    /// The reason of this code; any other is as good as [`Reject::UnknownError`].
    pub(crate) fn from_code(code: u8) -> Reject {
        use Reject::*;
        let known = [
            ConnPartner,
            DeviceInUse,
            InvAssociate,
            InvName,
            InvDeviceType,
            TypeNameError,
            UnknownError,
            UnsupportedReq,
        ];
        known.into_iter().find(|reason| *reason as u8 == code).unwrap_or(UnknownError)
    }
}

/// The client's answer to a record that asked for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// The record was carried out.
    Positive,
    /// Command reject: the command is unknown.
    CommandReject,
    /// Intervention required.
    InterventionRequired,
    /// Operation check: the data stream was invalid.
    OperationCheck,
    /// The component is disconnected.
    ComponentDisconnected,
    /// Negative for a reason RFC 2355 does not know.
    Other(u8),
}

impl Response {
    /// Reads RESPONSE-FLAG and the data of a RESPONSE record.
    pub(crate) fn parse(flag: u8, data: &[u8]) -> Response {
        match (flag, data.first()) {
            (0, _) => Response::Positive,
            (_, Some(0)) => Response::CommandReject,
            (_, Some(1)) => Response::InterventionRequired,
            (_, Some(2)) => Response::OperationCheck,
            (_, Some(3)) => Response::ComponentDisconnected,
            (_, Some(&code)) => Response::Other(code),
            (_, None) => Response::Other(0xff),
        }
    }
}

/// What a client says in a TN3270E subnegotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// DEVICE-TYPE REQUEST, with the name of CONNECT or ASSOCIATE.
    DeviceType { device_type: String, connect: Option<String>, associate: Option<String> },
    /// FUNCTIONS REQUEST with its list.
    FunctionsRequest(Vec<u8>),
    /// FUNCTIONS IS with its list.
    FunctionsIs(Vec<u8>),
}

impl Message {
    /// Reads the text of a subnegotiation; an error says what is wrong.
    pub(crate) fn parse(text: &[u8]) -> Result<Message, &'static str> {
        match text {
            [verb::DEVICE_TYPE, verb::REQUEST, rest @ ..] => {
                let end = rest.iter().position(|&b| matches!(b, verb::ASSOCIATE | verb::CONNECT)).unwrap_or(rest.len());
                let device_type = ascii(&rest[..end]).ok_or("a device type that is not ASCII text")?;
                let (mut connect, mut associate) = (None, None);
                if let Some((&keyword, name)) = rest[end..].split_first() {
                    let name = ascii(name).ok_or("a device name that is not ASCII text")?;
                    if keyword == verb::CONNECT {
                        connect = Some(name);
                    } else {
                        associate = Some(name);
                    }
                }
                Ok(Message::DeviceType { device_type, connect, associate })
            }
            [verb::FUNCTIONS, verb::REQUEST, list @ ..] => Ok(Message::FunctionsRequest(list.to_vec())),
            [verb::FUNCTIONS, verb::IS, list @ ..] => Ok(Message::FunctionsIs(list.to_vec())),
            _ => Err("a TN3270E subnegotiation that RFC 2355 does not know"),
        }
    }
}

/// Printable ASCII text of at most 64 characters.
fn ascii(bytes: &[u8]) -> Option<String> {
    (bytes.len() <= 64 && bytes.iter().all(|b| (0x20..0x7f).contains(b)))
        .then(|| bytes.iter().map(|&b| b as char).collect())
}

/// Whether `name` can be a device name: one to eight of A–Z, 0–9, `$`, `#`, `@`, `-`, `_` or `.`.
pub(crate) fn is_device_name(name: &str) -> bool {
    (1..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"$#@-_.".contains(&b))
}

/// The BIND image of an LU 2 session (*SNA Formats*, BIND): the screen sizes are what a client reads from it.
/// `alternate` is `None` when the terminal itself is to say its size by a query reply.
pub(crate) fn bind_image(alternate: Option<Size>, host: &str, device: &str) -> Vec<u8> {
    let (rows, cols, usage) = match alternate {
        Some(size) => (size.rows as u8, size.cols as u8, 0x7f),
        None => (0, 0, 0x03),
    };
    #[rustfmt::skip]
    let mut image = vec![
        0x31, 0x01, 0x03, 0x03,             // BIND; format and type; FM and TS profile 3
        0xb1, 0x90, 0x30, 0x80,             // protocols of primary, secondary, and both
        0x00, 0x00, 0x87, 0xf8, 0x00, 0x00, // pacing; largest requests, 1024 and 3840 bytes
        0x02, 0x80, 0x00, 0x00, 0x00, 0x00, // LU type 2; queries are allowed
        24, 80, rows, cols, usage,          // default and alternate size, and which of them count
        0x00, 0x00,                         // compression, cryptography
    ];
    for name in [host, device] {
        let name = base::ebcdic::from_str(name);
        image.push(name.len() as u8);
        image.extend(&name);
        if image.len() == 28 + name.len() {
            // Between the two names: no user data, no user request correlation.
            image.extend([0, 0]);
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_type_requests() {
        let mut text = vec![2, 7];
        text.extend(b"IBM-3278-2-E");
        let plain = Message::DeviceType { device_type: "IBM-3278-2-E".into(), connect: None, associate: None };
        assert_eq!(Message::parse(&text), Ok(plain));
        text.push(verb::CONNECT);
        text.extend(b"GRAF01");
        let Ok(Message::DeviceType { connect, .. }) = Message::parse(&text) else { panic!("a device type") };
        assert_eq!(connect.as_deref(), Some("GRAF01"));
        assert!(Message::parse(&[2, 7, 0x80]).is_err());
        assert!(Message::parse(&[2]).is_err());
        assert!(Message::parse(&[]).is_err());
    }

    #[test]
    fn function_lists() {
        assert_eq!(Functions::from_list(&[0, 2, 4, 5]), (Functions::DISPLAY, true));
        assert_eq!(Functions::DISPLAY.list(), [0, 2, 4]);
        assert_eq!(Functions::DISPLAY.without(Function::BindImage).list(), [2, 4]);
        assert!(Functions::NONE.list().is_empty());
    }

    #[test]
    fn the_bind_image_holds_the_sizes_where_clients_look() {
        let image = bind_image(Some(Size::new(43, 80)), "HOST", "L0001");
        assert_eq!(image[20..25], [24, 80, 43, 80, 0x7f]);
        assert_eq!(image[27], 4);
        assert_eq!(image[28..32], [0xc8, 0xd6, 0xe2, 0xe3]);
        assert_eq!(image[32..], [0, 0, 5, 0xd3, 0xf0, 0xf0, 0xf0, 0xf1]);
        assert_eq!(bind_image(None, "", "")[20..25], [24, 80, 0, 0, 0x03]);
    }
}
