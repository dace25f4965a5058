//! What CP's monitor writes for programs: records, control elements, and what is said over the path to *MONITOR (CP
//! Programming Services, SC24-5520, "*MONITOR"; the monitor records of VM Performance, SC24-5642).
//!
//! Every record is a row of one table: its domain and number, the name of its layout, of which kind it is, and its
//! fields with their offsets. The types that CP fills in, the assertions about offsets and the page of the layouts are
//! made of the row. A field stands in the table only if CP has a count for it. What lies between is zero.

mod application;
mod control;
mod event;
mod processor;
mod system;
mod user;

pub use application::{
    ApplicationConfiguration, ApplicationEvent, ApplicationList, ApplicationSample, ApplicationWideList, function,
};
pub use control::{
    DeviceConfiguration, DomainDetail, EndOfFrame, EventCommand, EventProfile, EventsSuspended, ExpandedConfiguration,
    LoggedOn, MemoryConfiguration, PagingConfiguration, ProcessorConfiguration, SampleCommand, SampleProfile,
    SchedulerConfiguration, SystemConfiguration,
};
pub use event::{AddDispatch, AddEligible, Attach, Detach, DropDispatch, QuickDispatchSet, ShareSet, SrmSet};
pub use processor::{DeviceActivity, ProcessorActivity};
pub use system::{
    AuxiliaryStorage, Communication, ExpandedStorage, ProcessorTime, RealStorage, RealStorageProcessor,
    SchedulerGlobal, SchedulerProcessor, SystemProcessor, Transactions, UserWait,
};
pub use user::{LogoffData, LogonData, SharedSegment, StorageManagement, UserActivity, UserInteraction};

use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// MRRECHDR: what every record begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RecordHeader {
    /// MRHDRLEN: the bytes of the record, these included.
    pub length: U16,
    /// Zero.
    pub reserved_02: [u8; 2],
    /// MRHDRDM: the domain.
    pub domain: u8,
    /// Zero.
    pub reserved_05: u8,
    /// MRHDRRC: the number of the record in its domain.
    pub record: U16,
    /// MRHDRTOD: when it was built: the TOD clock.
    pub tod: U64,
    /// Zero.
    pub reserved_10: [u8; 4],
}
const _: () = assert!(size_of::<RecordHeader>() == 20);

/// A control element: where records are in the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ControlElement {
    /// X'E2' samples, X'C5' events.
    pub kind: u8,
    /// Which of the domains have records there: X'8000' system, X'4000' monitor, X'2000' scheduler, X'1000' storage,
    /// X'0800' user, X'0400' processor, X'0200' I/O, X'0100' seeks, X'0080' virtual networks, X'0040' ISFC, X'0020'
    /// application data, X'0010' SSI.
    pub domains: U16,
    /// Zero.
    pub reserved_03: u8,
    /// The address of the first byte.
    pub start: U32,
    /// The address of the last byte.
    pub end: U32,
}
const _: () = assert!(size_of::<ControlElement>() == 12);

/// A page of a file that MONWRITE has written: what a message of *MONITOR said. The pages that it names follow, those
/// of one element after those of the other, as they were in the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MonwriteControl {
    /// What the interruption of the message has stored: the path, the type X'08' or X'09' at X'03', and the message.
    pub interruption: [u8; 40],
    /// The control elements; zeros follow the last.
    pub elements: [ControlElement; 338],
}
const _: () = assert!(size_of::<MonwriteControl>() == 4096);

/// IPUSER of a CONNECT to *MONITOR.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MonitorConnect {
    /// X'01': the segment may have other readers. X'00': it is for this one alone.
    pub shared: u8,
    /// X'80': samples are wanted; X'40': events.
    pub wanted: u8,
    /// Not looked at.
    pub reserved_02: [u8; 6],
    /// The name of the segment.
    pub segment: [u8; 8],
}
const _: () = assert!(size_of::<MonitorConnect>() == 16);

/// IPUSER of the interruption that says that the path is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MonitorConnected {
    /// X'01'.
    pub version: u8,
    /// Not zero: events are recorded.
    pub events: u8,
    /// Not zero: samples are taken.
    pub samples: u8,
    /// Zero.
    pub reserved_03: [u8; 13],
}
const _: () = assert!(size_of::<MonitorConnected>() == 16);

/// The eight bytes of a message: where its control elements are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MonitorMessage {
    /// The address of the first byte of the first of them.
    pub start: U32,
    /// The address of the last byte of the last of them.
    pub end: U32,
}
const _: () = assert!(size_of::<MonitorMessage>() == 8);

/// When a record is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// At each interval.
    Sample,
    /// At each interval, with what was seen at the high-frequency rate meanwhile.
    HighFrequency,
    /// When a reader connects, or monitoring is started.
    Configuration,
    /// When it happens.
    Event,
    /// Wherever a page is full.
    Frame,
}

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// From the beginning of the record, in bytes.
    pub offset: usize,
    /// In bytes.
    pub length: usize,
    /// What it is called here.
    pub name: &'static str,
    /// What it says.
    pub description: &'static str,
}

/// A record's row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The domain, 0 to 10.
    pub domain: u8,
    /// The number in the domain.
    pub record: u16,
    /// The identifier: MR and this is the name of the DSECT.
    pub id: &'static str,
    /// When it is written.
    pub kind: Kind,
    /// What it says.
    pub description: &'static str,
    /// The bytes that every such record has. Some go on with text or data.
    pub length: usize,
    /// Its fields after the header.
    pub fields: &'static [Field],
}

/// A record.
pub trait Record: IntoBytes + Immutable {
    /// Its row.
    const LAYOUT: Layout;
    /// Its header.
    fn header_mut(&mut self) -> &mut RecordHeader;
}

/// Makes types and rows of records.
macro_rules! records {
    ($table:ident: $(
        $(#[doc = $doc:literal])+
        $id:ident = $type:ident $domain:literal $record:literal $kind:ident $length:literal {
            $($(#[doc = $what:literal])* $offset:literal $field:ident: $of:ty,)*
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, zerocopy::FromBytes, zerocopy::IntoBytes)]
            #[derive(zerocopy::Immutable, zerocopy::KnownLayout, zerocopy::Unaligned)]
            #[repr(C)]
            pub struct $type {
                /// What every record begins with.
                pub header: $crate::monitor::RecordHeader,
                $($(#[doc = $what])* #[doc = concat!(" (Offset ", stringify!($offset), ")")] pub $field: $of,)*
            }
            const _: () = assert!(size_of::<$type>() == $length);
            $(const _: () = assert!(std::mem::offset_of!($type, $field) == $offset);)*
            impl $crate::monitor::Record for $type {
                const LAYOUT: $crate::monitor::Layout = $crate::monitor::Layout {
                    domain: $domain,
                    record: $record,
                    id: stringify!($id),
                    kind: $crate::monitor::Kind::$kind,
                    description: concat!($($doc),+),
                    length: $length,
                    fields: &[$($crate::monitor::Field {
                        offset: $offset,
                        length: size_of::<$of>(),
                        name: stringify!($field),
                        description: concat!($($what),*),
                    },)*],
                };

                fn header_mut(&mut self) -> &mut $crate::monitor::RecordHeader {
                    &mut self.header
                }
            }
        )+
        /// The rows of this file.
        pub(super) static $table: &[$crate::monitor::Layout] =
            &[$(<$type as $crate::monitor::Record>::LAYOUT),+];
    };
}
use records;

/// Every record that CP writes, in the order of domains and numbers. Fields without a description are reserved.
pub fn layouts() -> Vec<Layout> {
    let tables = [system::TABLE, control::TABLE, event::TABLE, user::TABLE, processor::TABLE, application::TABLE];
    let mut all: Vec<Layout> = tables.into_iter().flatten().copied().collect();
    all.sort_by_key(|layout| (layout.domain, layout.record));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn headers_are_as_readers_know_them() {
        let header = RecordHeader {
            length: 100.into(),
            domain: 4,
            record: 0x103.into(),
            tod: 0x0102_0304_0506_0708.into(),
            ..RecordHeader::default()
        };
        let bytes = [0, 100, 0, 0, 4, 0, 1, 3, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0];
        assert_eq!(header.as_bytes(), bytes);
    }

    #[test]
    fn every_record_is_there_once() {
        let all = layouts();
        for two in all.windows(2) {
            assert!((two[0].domain, two[0].record) < (two[1].domain, two[1].record), "{}", two[1].id);
            assert_ne!(two[0].id, two[1].id);
        }
        for layout in &all {
            let mut end = size_of::<RecordHeader>();
            for field in layout.fields {
                assert_eq!(field.offset, end, "{}.{}: no gap that is not reserved", layout.id, field.name);
                end += field.length;
                let reserved = field.name.starts_with("reserved");
                assert_eq!(field.description.is_empty(), reserved, "{}.{}", layout.id, field.name);
            }
            assert_eq!(end, layout.length, "{}", layout.id);
        }
    }

    /// What public programs that read such records rely on.
    #[test]
    fn offsets_of_public_layouts() {
        assert_eq!((offset_of!(SystemProcessor, cpu), offset_of!(SystemProcessor, soft_abends)), (20, 24));
        assert_eq!((offset_of!(SystemProcessor, diagnoses), offset_of!(SystemProcessor, simulated)), (28, 32));
        assert_eq!(offset_of!(SystemProcessor, started), 48);
        assert_eq!((offset_of!(ProcessorTime, emulation), offset_of!(ProcessorTime, users)), (24, 32));
        assert_eq!((offset_of!(Transactions, logged_on), offset_of!(Transactions, dormant)), (20, 24));
        assert_eq!((offset_of!(Transactions, mp_trivial_time), offset_of!(Transactions, mp_trivial)), (28, 36));
        assert_eq!((offset_of!(Transactions, mp_other_time), offset_of!(Transactions, mp_other)), (40, 48));
        assert_eq!((offset_of!(Transactions, up_trivial_time), offset_of!(Transactions, up_trivial)), (52, 60));
        assert_eq!((offset_of!(Transactions, up_other_time), offset_of!(Transactions, up_other)), (64, 72));
        assert_eq!((offset_of!(SchedulerGlobal, in_list), offset_of!(SchedulerGlobal, class_1)), (20, 24));
        assert_eq!((offset_of!(UserInteraction, page_wait), offset_of!(UserInteraction, limited)), (44, 48));
        assert_eq!((offset_of!(UserWait, page_wait), offset_of!(UserWait, cpu_wait)), (40, 44));
        assert_eq!((offset_of!(UserWait, running), offset_of!(UserWait, other)), (48, 56));
        assert_eq!(offset_of!(AuxiliaryStorage, spool_used), 48);
        assert_eq!(offset_of!(ExpandedStorage, blocks), 20);
        assert_eq!((offset_of!(MemoryConfiguration, real), offset_of!(MemoryConfiguration, generated)), (20, 24));
        assert_eq!(
            (offset_of!(ExpandedConfiguration, configured), offset_of!(ExpandedConfiguration, installed)),
            (20, 28)
        );
        assert_eq!((offset_of!(UserActivity, userid), offset_of!(UserActivity, cpu)), (20, 28));
        assert_eq!((offset_of!(UserActivity, mode), offset_of!(UserActivity, list)), (31, 32));
        assert_eq!((offset_of!(UserInteraction, userid), offset_of!(UserInteraction, cpu)), (20, 28));
        assert_eq!((offset_of!(QuickDispatchSet, userid), offset_of!(QuickDispatchSet, state)), (20, 28));
        assert_eq!(offset_of!(EventCommand, length), 20);
        assert_eq!((offset_of!(SampleCommand, issued), offset_of!(SampleCommand, length)), (20, 28));
        assert_eq!((offset_of!(ApplicationSample, length), offset_of!(ApplicationSample, userid)), (20, 24));
        assert_eq!((offset_of!(ApplicationSample, product), offset_of!(ApplicationSample, data)), (32, 48));
        let sizes = layouts();
        let size = |id| sizes.iter().find(|layout| layout.id == id).map(|layout| layout.length);
        for (id, length) in [
            ("SYTSYP", 96),
            ("SYTRSG", 128),
            ("SYTRSP", 48),
            ("SYTASG", 84),
            ("SYTUSR", 100),
            ("SYTSCG", 156),
            ("SYTUWT", 80),
            ("SYTXSG", 188),
            ("MTRXSG", 36),
            ("MTRECM", 24),
            ("MTRSCM", 32),
            ("SCLSQD", 32),
            ("APLSDT", 52),
        ] {
            assert_eq!(size(id), Some(length), "{id}");
        }
    }
}
