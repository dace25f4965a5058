//! Interruption codes (POP, chapter 6).

/// Program interruption codes, POP chapter 6, "Program-interruption conditions".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u16)]
pub enum Program {
    Operation = 0x01,
    PrivilegedOperation = 0x02,
    Execute = 0x03,
    Protection = 0x04,
    Addressing = 0x05,
    Specification = 0x06,
    Data = 0x07,
    FixedPointOverflow = 0x08,
    FixedPointDivide = 0x09,
    DecimalOverflow = 0x0a,
    DecimalDivide = 0x0b,
    HfpExponentOverflow = 0x0c,
    HfpExponentUnderflow = 0x0d,
    HfpSignificance = 0x0e,
    HfpDivide = 0x0f,
    SegmentTranslation = 0x10,
    PageTranslation = 0x11,
    TranslationSpecification = 0x12,
    SpecialOperation = 0x13,
    Operand = 0x15,
    TraceTable = 0x16,
    TransactionConstraint = 0x18,
    VectorProcessing = 0x1b,
    SpaceSwitchEvent = 0x1c,
    HfpSquareRoot = 0x1d,
    PcTranslationSpecification = 0x1f,
    AfxTranslation = 0x20,
    AsxTranslation = 0x21,
    LxTranslation = 0x22,
    ExTranslation = 0x23,
    PrimaryAuthority = 0x24,
    SecondaryAuthority = 0x25,
    AletSpecification = 0x28,
    AlenTranslation = 0x29,
    AleSequence = 0x2a,
    AsteValidity = 0x2b,
    AsteSequence = 0x2c,
    ExtendedAuthority = 0x2d,
    StackFull = 0x30,
    StackEmpty = 0x31,
    StackSpecification = 0x32,
    StackType = 0x33,
    StackOperation = 0x34,
    AsceType = 0x38,
    RegionFirstTranslation = 0x39,
    RegionSecondTranslation = 0x3a,
    RegionThirdTranslation = 0x3b,
    MonitorEvent = 0x40,
    PerEvent = 0x80,
}

impl Program {
    /// Whether the instruction is nullified, so that the old PSW designates it; otherwise it is suppressed,
    /// terminated or completed and the old PSW designates the next one (POP, chapter 6, table of "Program-interruption
    /// conditions").
    pub fn nullifies(self) -> bool {
        use Program::*;
        matches!(
            self,
            SegmentTranslation
                | PageTranslation
                | AsceType
                | RegionFirstTranslation
                | RegionSecondTranslation
                | RegionThirdTranslation
                | AfxTranslation
                | AsxTranslation
                | LxTranslation
                | ExTranslation
                | PrimaryAuthority
                | SecondaryAuthority
                | AletSpecification
                | AlenTranslation
                | AleSequence
                | AsteValidity
                | AsteSequence
                | ExtendedAuthority
                | StackFull
                | StackEmpty
                | StackSpecification
                | StackType
                | StackOperation
                | TraceTable
        )
    }
}

/// External interruption codes, POP chapter 6, "External interruption".
pub mod external {
    pub const INTERRUPT_KEY: u16 = 0x0040;
    pub const CLOCK_COMPARATOR: u16 = 0x1004;
    pub const CPU_TIMER: u16 = 0x1005;
    pub const MALFUNCTION_ALERT: u16 = 0x1200;
    pub const EMERGENCY_SIGNAL: u16 = 0x1201;
    pub const EXTERNAL_CALL: u16 = 0x1202;
    pub const SERVICE_SIGNAL: u16 = 0x2401;
    pub const CP_SERVICE: u16 = 0x2603;
    pub const IUCV: u16 = 0x4000;
}
