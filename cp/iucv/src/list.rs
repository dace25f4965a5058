//! The parameter list: 40 bytes, of which each function uses some.

use base::ebcdic;

/// The length of a parameter list and of the buffer for interruptions.
pub const LENGTH: usize = 40;

/// A parameter list, or what an interruption stores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List(pub [u8; LENGTH]);

impl Default for List {
    fn default() -> List {
        List([0; LENGTH])
    }
}

/// Where fields are.
mod at {
    pub(super) const PATH: usize = 0;
    pub(super) const FLAGS: usize = 2;
    /// The return code of a function, the type of an interruption.
    pub(super) const CODE: usize = 3;
    pub(super) const MESSAGE: usize = 4;
    pub(super) const LIMIT: usize = 4;
    pub(super) const CLASS: usize = 8;
    pub(super) const NAME: usize = 8;
    pub(super) const AUDIT: usize = 8;
    pub(super) const DATA: usize = 12;
    pub(super) const ADDRESS: usize = 12;
    pub(super) const LENGTH: usize = 16;
    pub(super) const USER: usize = 16;
    pub(super) const SOURCE_CLASS: usize = 20;
    pub(super) const TAG: usize = 24;
    pub(super) const ANSWER: usize = 28;
    pub(super) const ANSWER_LENGTH: usize = 32;
}

macro_rules! fields {
    ($($(#[$doc:meta])+ $get:ident $set:ident $type:ty = $at:ident;)+) => {
        impl List {
            $(
                $(#[$doc])+
                pub fn $get(&self) -> $type {
                    <$type>::from_be_bytes(self.bytes(at::$at))
                }

                /// Puts a value there.
                pub fn $set(&mut self, value: $type) {
                    self.put(at::$at, &value.to_be_bytes());
                }
            )+
        }
    };
}

fields! {
    /// IPPATHID: the path.
    path set_path u16 = PATH;
    /// IPFLAGS1.
    flags set_flags u8 = FLAGS;
    /// IPTYPE: the type of an interruption; IPRCODE of a function.
    kind set_kind u8 = CODE;
    /// IPMSGID: the message.
    message set_message u32 = MESSAGE;
    /// IPMSGLIM: how many messages a path may have.
    limit set_limit u16 = LIMIT;
    /// IPTRGCLS: the class that the receiver knows the message by.
    class set_class u32 = CLASS;
    /// IPBFADR1, cut to 31 bits.
    address_word set_address u32 = ADDRESS;
    /// IPBFLN1F.
    length set_length u32 = LENGTH;
    /// IPSRCCLS: the class that the sender knows it by.
    source_class set_source_class u32 = SOURCE_CLASS;
    /// IPMSGTAG: whatever the sender likes.
    tag set_tag u32 = TAG;
    /// IPBFADR2.
    answer_word set_answer u32 = ANSWER;
    /// IPBFLN2F.
    answer_length set_answer_length u32 = ANSWER_LENGTH;
}

impl List {
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("the field lies in the list")
    }

    fn put(&mut self, at: usize, value: &[u8]) {
        self.0[at..at + value.len()].copy_from_slice(value);
    }

    /// The buffer's address.
    pub fn address(&self) -> u32 {
        self.address_word() & 0x7fff_ffff
    }

    /// The answer area's address.
    pub fn answer(&self) -> u32 {
        self.answer_word() & 0x7fff_ffff
    }

    /// IPPRMMSG: a message that is in the list.
    pub fn data(&self) -> [u8; 8] {
        self.bytes(at::DATA)
    }

    /// Puts eight bytes of data into the parameter list.
    pub fn set_data(&mut self, data: [u8; 8]) {
        self.put(at::DATA, &data);
    }

    /// IPVMID: a user ID or the name of a service.
    pub fn name(&self) -> String {
        ebcdic::to_string(&self.bytes::<8>(at::NAME)).trim_end_matches([' ', '\0']).to_string()
    }

    /// Puts a name there, of which eight characters count.
    pub fn set_name(&mut self, name: &str) {
        self.put(at::NAME, &ebcdic::padded::<8>(name));
    }

    /// IPUSER: sixteen bytes for the other end.
    pub fn user(&self) -> [u8; 16] {
        self.bytes(at::USER)
    }

    /// Puts sixteen bytes for the other end there.
    pub fn set_user(&mut self, user: [u8; 16]) {
        self.put(at::USER, &user);
    }

    /// IPAUDIT, of which three bytes are stored.
    pub fn audit(&self) -> u32 {
        u32::from_be_bytes(self.bytes(at::AUDIT)) >> 8
    }

    /// Puts the three low bytes of `audit` there.
    pub fn set_audit(&mut self, audit: u32) {
        self.put(at::AUDIT, &(audit << 8).to_be_bytes());
    }
}
