//! What programs and the channel subsystem say to each other in storage (POP, chapters 13 to 17).
//!
//! Words whose bits have names keep their word form with masks beside them, because programs compare and merge them as
//! words: what STORE SUBCHANNEL gave must come back unchanged through MODIFY SUBCHANNEL.
//!
//! Words are numbered and bits are counted as in the manual; masks are of the full word unless said otherwise.

pub mod chsc;
mod measurement;
mod report;
mod request;
mod sense_id;
mod status;
mod subchannel;

pub use chsc::path_type;
pub use measurement::{MeasurementBlock0, MeasurementBlock1};
pub use report::{Crw, crw_flag};
pub use request::{Ccw, CcwFormat, Orb, ccw_flag, command, orb_flag};
pub use sense_id::{Ciw, SenseId};
pub use status::{DeviceStatus, Esw, IoInterruption, Irb, Scsw, erw_flag, scsw_flag, subchannel_status};
pub use subchannel::{Pmcw, Schib, pmcw_characteristic, pmcw_flag};

use crate::Program;

/// The subchannel number and set that instructions take in general register 1, and that interruptions store at
/// absolute 184: `X'0001nnnn'` (POP, chapter 14, "Subsystem-identification word").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct SubsystemId(u16);

impl SubsystemId {
    /// The identification of subchannel `number` of subchannel set 0, the only one we provide.
    pub fn new(number: u16) -> SubsystemId {
        SubsystemId(number)
    }

    /// From bits 32-63 of general register 1; an operand exception if the word does not name set 0.
    pub fn decode(word: u32) -> Result<SubsystemId, Program> {
        if word >> 16 == 1 { Ok(SubsystemId(word as u16)) } else { Err(Program::Operand) }
    }

    /// The word as programs see it.
    pub fn encode(self) -> u32 {
        0x0001_0000 | u32::from(self.0)
    }

    /// The subchannel number.
    pub fn number(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::IntoBytes;

    #[test]
    fn a_ccw_has_two_forms() {
        let ccw =
            Ccw { command: 2, flags: ccw_flag::CHAIN_COMMAND | ccw_flag::SUPPRESS_LENGTH, count: 80, address: 0x68 };
        assert_eq!(ccw.encode(CcwFormat::Zero), [0x02, 0, 0, 0x68, 0x60, 0, 0, 80]);
        assert_eq!(ccw.encode(CcwFormat::One), [0x02, 0x60, 0, 80, 0, 0, 0, 0x68]);
        for format in [CcwFormat::Zero, CcwFormat::One] {
            assert_eq!(Ccw::decode(format, ccw.encode(format)), ccw);
        }
    }

    #[test]
    fn subsystem_ids_name_set_zero() {
        assert_eq!(SubsystemId::decode(0x0001_0007), Ok(SubsystemId::new(7)));
        assert_eq!(SubsystemId::decode(0x0000_0007), Err(Program::Operand));
        assert_eq!(SubsystemId::decode(0x0003_0007), Err(Program::Operand), "set 1");
        assert_eq!(SubsystemId::new(7).encode(), 0x0001_0007);
    }

    #[test]
    fn fields_lie_where_the_manual_has_them() {
        let mut pmcw = Pmcw { flags: 0x0081_0009.into(), ..Pmcw::default() };
        pmcw.set_isc(3);
        assert_eq!(pmcw.as_bytes()[4..8], [0x18, 0x81, 0x00, 0x09]);
        assert!(pmcw.enabled() && pmcw.valid() && pmcw.isc() == 3 && pmcw.device() == 9);

        let loader = Orb::new(0, 0x0080_ff00, 0x300);
        assert_eq!((loader.format(), loader.lpm(), loader.key()), (CcwFormat::One, 0xff, 0));
        assert_eq!(loader.check(), Ok(()));
        assert_eq!(Orb { program: 0x8000_0000.into(), ..loader }.check(), Err(Program::Operand));
        assert_eq!(Orb { flags: 0x0080_ff02.into(), ..loader }.check(), Err(Program::Operand));

        let code = IoInterruption::new(SubsystemId::new(5), 0x1234_5678.into(), 3);
        assert_eq!(code.as_bytes(), [0, 1, 0, 5, 0x12, 0x34, 0x56, 0x78, 0x18, 0, 0, 0]);

        let mut crw = Crw::new(Crw::SUBCHANNEL, Crw::PARAMETERS_INITIALIZED, 5);
        crw.source |= crw_flag::OVERFLOW;
        assert_eq!(crw.as_bytes(), [0x23, 0x04, 0, 5]);

        let mut esw = Esw::default();
        esw.set_sense_count(32);
        assert_eq!(esw.as_bytes()[4..6], [0x01, 0x20]);
    }

    #[test]
    fn sense_id_begins_with_ff() {
        let mut id = SenseId::new(0x3990, 0xe9, 0x3390, 0x0a);
        assert_eq!(id.encode(), [0xff, 0x39, 0x90, 0xe9, 0x33, 0x90, 0x0a]);
        id.commands.push(Ciw::new(0, 0xfa, 256));
        assert_eq!(id.encode()[7..], [0, 0x40, 0xfa, 0x01, 0x00]);
    }
}
