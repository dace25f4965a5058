//! What programs and disks say to each other: parameters of commands, and what disks say they are (IBM 3990 Reference;
//! IBM 3880 description). What Linux's drivers and CP read of it is the specification, too.

mod identity;
mod parameters;
mod subsystem;

pub use identity::{
    CkdCharacteristics, ConfigurationData, FbaCharacteristics, GeneralQualifier, NodeElement, RoundedFactors,
    TokenQualifier,
};
pub use parameters::{
    Cchh, DefineExtent, FbaDefineExtent, FbaLocate, HomeAddress, LocateRecord, LocateRecordExtended, Prefix, Seek,
};
pub use subsystem::{SubsystemStatistics, SubsystemStatus, VolumeStorage};
