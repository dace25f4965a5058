//! The telnet layer (RFC 854, 855): takes a byte stream apart into data, commands, option requests and
//! subnegotiations, one byte at a time, so that it does not matter where packets are cut.

/// Codes of RFC 854 and RFC 885 that follow an IAC.
pub(crate) mod command {
    /// End of record (RFC 885).
    pub(crate) const EOR: u8 = 239;
    /// End of subnegotiation.
    pub(crate) const SE: u8 = 240;
    /// No operation.
    pub(crate) const NOP: u8 = 241;
    /// Break: the ATTN key.
    pub(crate) const BRK: u8 = 243;
    /// Interrupt process.
    pub(crate) const IP: u8 = 244;
    /// Abort output: the SYSREQ key in TN3270E.
    pub(crate) const AO: u8 = 245;
    /// Are you there.
    pub(crate) const AYT: u8 = 246;
    /// Erase character.
    pub(crate) const EC: u8 = 247;
    /// Erase line.
    pub(crate) const EL: u8 = 248;
    /// Start of subnegotiation.
    pub(crate) const SB: u8 = 250;
    /// Interpret as command.
    pub(crate) const IAC: u8 = 255;
}

/// Telnet options that a session speaks about.
pub(crate) mod option {
    /// Eight-bit data (RFC 856).
    pub(crate) const BINARY: u8 = 0;
    /// Which side echoes (RFC 857).
    pub(crate) const ECHO: u8 = 1;
    /// Timing mark (RFC 860).
    pub(crate) const TIMING_MARK: u8 = 6;
    /// Terminal type (RFC 1091).
    pub(crate) const TERMINAL_TYPE: u8 = 24;
    /// End of record (RFC 885).
    pub(crate) const END_OF_RECORD: u8 = 25;
    /// TN3270E (RFC 2355).
    pub(crate) const TN3270E: u8 = 40;
}

use command::{IAC, SB, SE};

/// The longest subnegotiation accepted, in bytes. Terminal types and device names are far shorter.
pub(crate) const SUBNEGOTIATION_MAX: usize = 1024;

/// The four verbs of option negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// The sender wants to use the option.
    Will = 251,
    /// The sender does not, or no longer, use the option.
    Wont = 252,
    /// The sender wants its partner to use the option.
    Do = 253,
    /// The sender wants its partner not to use the option.
    Dont = 254,
}

/// One thing found in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A byte of data; a doubled IAC has become one X'FF'.
    Data(u8),
    /// A command without operand, [`command`].
    Command(u8),
    /// WILL, WONT, DO or DONT with its option.
    Negotiate(Verb, u8),
    /// A subnegotiation: the option, then its text.
    Subnegotiation(u8, Vec<u8>),
    /// What came cannot be telnet; says why.
    Malformed(&'static str),
}

#[derive(Clone, Copy, Debug)]
enum State {
    Data,
    Iac,
    Verb(Verb),
    Sub,
    SubIac,
}

/// Takes a telnet stream apart.
#[derive(Debug)]
pub(crate) struct Decoder {
    state: State,
    sub: Vec<u8>,
}

impl Decoder {
    pub(crate) fn new() -> Decoder {
        Decoder { state: State::Data, sub: Vec::new() }
    }

    /// Takes the next byte; an item when one is complete.
    pub(crate) fn push(&mut self, byte: u8) -> Option<Item> {
        let (state, item) = match (self.state, byte) {
            (State::Data, IAC) => (State::Iac, None),
            (State::Data, b) => (State::Data, Some(Item::Data(b))),
            (State::Iac, IAC) => (State::Data, Some(Item::Data(IAC))),
            (State::Iac, 251) => (State::Verb(Verb::Will), None),
            (State::Iac, 252) => (State::Verb(Verb::Wont), None),
            (State::Iac, 253) => (State::Verb(Verb::Do), None),
            (State::Iac, 254) => (State::Verb(Verb::Dont), None),
            (State::Iac, SB) => {
                self.sub.clear();
                (State::Sub, None)
            }
            (State::Iac, SE) => (State::Data, Some(Item::Malformed("an end of subnegotiation without its start"))),
            (State::Iac, b) => (State::Data, Some(Item::Command(b))),
            (State::Verb(verb), b) => (State::Data, Some(Item::Negotiate(verb, b))),
            (State::Sub, IAC) => (State::SubIac, None),
            (State::Sub, b) => self.keep(b),
            (State::SubIac, IAC) => self.keep(IAC),
            (State::SubIac, SE) if self.sub.is_empty() => {
                (State::Data, Some(Item::Malformed("an empty subnegotiation")))
            }
            (State::SubIac, SE) => {
                let text = self.sub.split_off(1);
                (State::Data, Some(Item::Subnegotiation(self.sub[0], text)))
            }
            (State::SubIac, _) => (State::Data, Some(Item::Malformed("a telnet command inside a subnegotiation"))),
        };
        self.state = state;
        item
    }

    fn keep(&mut self, byte: u8) -> (State, Option<Item>) {
        if self.sub.len() >= SUBNEGOTIATION_MAX {
            return (State::Data, Some(Item::Malformed("a subnegotiation that is too long")));
        }
        self.sub.push(byte);
        (State::Sub, None)
    }
}

/// Appends `data` to `out` with every X'FF' doubled.
pub(crate) fn escape(out: &mut Vec<u8>, data: &[u8]) {
    for &b in data {
        if b == IAC {
            out.push(IAC);
        }
        out.push(b);
    }
}

/// Appends `IAC verb option`.
pub(crate) fn negotiate(out: &mut Vec<u8>, verb: Verb, option: u8) {
    out.extend([IAC, verb as u8, option]);
}

/// Appends the subnegotiation `IAC SB option text IAC SE`.
pub(crate) fn subnegotiate(out: &mut Vec<u8>, option: u8, text: &[u8]) {
    out.extend([IAC, SB, option]);
    escape(out, text);
    out.extend([IAC, SE]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(bytes: &[u8]) -> Vec<Item> {
        let mut decoder = Decoder::new();
        bytes.iter().filter_map(|&b| decoder.push(b)).collect()
    }

    #[test]
    fn data_with_a_doubled_iac() {
        assert_eq!(items(&[1, 255, 255, 2]), [Item::Data(1), Item::Data(255), Item::Data(2)]);
    }

    #[test]
    fn commands_and_options() {
        assert_eq!(
            items(&[255, 239, 255, 251, 24, 255, 254, 40, 255, 244]),
            [
                Item::Command(command::EOR),
                Item::Negotiate(Verb::Will, 24),
                Item::Negotiate(Verb::Dont, 40),
                Item::Command(command::IP)
            ]
        );
    }

    #[test]
    fn a_subnegotiation_may_hold_a_doubled_iac() {
        assert_eq!(
            items(&[255, 250, 24, 0, b'X', 255, 255, 255, 240, 7]),
            [Item::Subnegotiation(24, vec![0, b'X', 255]), Item::Data(7)]
        );
    }

    #[test]
    fn what_is_not_telnet_is_named() {
        assert!(matches!(items(&[255, 240])[..], [Item::Malformed(_)]));
        assert!(matches!(items(&[255, 250, 255, 240])[..], [Item::Malformed(_)]));
        assert!(matches!(items(&[255, 250, 24, 255, 241])[..], [Item::Malformed(_)]));
        let mut long = vec![255, 250, 24];
        long.extend([b'x'; SUBNEGOTIATION_MAX]);
        assert!(matches!(items(&long)[..], [Item::Malformed(_)]));
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut out = Vec::new();
        subnegotiate(&mut out, 40, &[1, 255, 2]);
        negotiate(&mut out, Verb::Do, 25);
        assert_eq!(items(&out), [Item::Subnegotiation(40, vec![1, 255, 2]), Item::Negotiate(Verb::Do, 25)]);
    }
}
