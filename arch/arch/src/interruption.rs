//! Interruption codes (POP, chapter 6).

/// Program interruption codes, POP chapter 6, "Program-interruption conditions".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u16)]
pub enum Program {
    /// An operation code that is not, or not here.
    Operation = 0x01,
    /// A privileged instruction in the problem state.
    PrivilegedOperation = 0x02,
    /// EXECUTE of EXECUTE.
    Execute = 0x03,
    /// An access that key-controlled, low-address, access-list-controlled or DAT protection forbids.
    Protection = 0x04,
    /// An absolute address with no storage.
    Addressing = 0x05,
    /// An odd address, register or PSW that the instruction may not have.
    Specification = 0x06,
    /// Digits, signs or BFP conditions; the data-exception code tells which.
    Data = 0x07,
    /// A signed result that does not fit, with the mask bit on.
    FixedPointOverflow = 0x08,
    /// A quotient that does not fit, or a zero divisor, in fixed point.
    FixedPointDivide = 0x09,
    /// A decimal result that does not fit, with the mask bit on.
    DecimalOverflow = 0x0a,
    /// A decimal quotient that does not fit, or a zero divisor.
    DecimalDivide = 0x0b,
    /// A characteristic above 127.
    HfpExponentOverflow = 0x0c,
    /// A characteristic below 0, with the mask bit on.
    HfpExponentUnderflow = 0x0d,
    /// A zero fraction after addition or subtraction, with the mask bit on.
    HfpSignificance = 0x0e,
    /// A zero divisor in hexadecimal floating point.
    HfpDivide = 0x0f,
    /// An invalid segment-table entry, or none.
    SegmentTranslation = 0x10,
    /// An invalid page-table entry, or none.
    PageTranslation = 0x11,
    /// A translation-table entry or control register of a wrong form.
    TranslationSpecification = 0x12,
    /// An instruction in a mode or with controls that it may not have.
    SpecialOperation = 0x13,
    /// A page that CP has taken away is missed, or has come (SET PAGEX).
    PseudoPageFault = 0x14,
    /// An operand of a wrong value, of an I/O instruction for one.
    Operand = 0x15,
    /// A trace entry that would reach the next page.
    TraceTable = 0x16,
    /// An ASN-first-table or ASN-second-table entry of a wrong form (ESA/390).
    AsnTranslationSpecification = 0x17,
    /// A constrained transaction that broke a constraint.
    TransactionConstraint = 0x18,
    /// A vector floating-point condition; the vector-exception code tells which.
    VectorProcessing = 0x1b,
    /// An address space was entered or left with its event control on.
    SpaceSwitchEvent = 0x1c,
    /// The square root of a negative number, in hexadecimal floating point.
    HfpSquareRoot = 0x1d,
    /// An entry-table entry of PROGRAM CALL that asks for a mode that cannot be.
    PcTranslationSpecification = 0x1f,
    /// An invalid ASN-first-table entry.
    AfxTranslation = 0x20,
    /// An invalid ASN-second-table entry.
    AsxTranslation = 0x21,
    /// An invalid linkage index of PROGRAM CALL, or one outside its table.
    LxTranslation = 0x22,
    /// An invalid entry index of PROGRAM CALL, or one outside its table.
    ExTranslation = 0x23,
    /// No primary authority for the address space.
    PrimaryAuthority = 0x24,
    /// No secondary authority for the address space.
    SecondaryAuthority = 0x25,
    /// An invalid linkage-first-table entry, or none.
    LfxTranslation = 0x26,
    /// An invalid linkage-second-table entry.
    LsxTranslation = 0x27,
    /// An access-list-entry token whose reserved bits are not zero.
    AletSpecification = 0x28,
    /// An access-list entry that is invalid or outside the list.
    AlenTranslation = 0x29,
    /// An access-list entry of another sequence number than its token's.
    AleSequence = 0x2a,
    /// An invalid ASN-second-table entry of an access-list entry.
    AsteValidity = 0x2b,
    /// An ASN-second-table entry of another sequence number than its access-list entry's.
    AsteSequence = 0x2c,
    /// No extended authority for an access-list entry.
    ExtendedAuthority = 0x2d,
    /// A linkage-second-table entry of another sequence number than the caller's.
    LsteSequence = 0x2e,
    /// An ASN-second-table entry of another instance than the program named.
    AsteInstance = 0x2f,
    /// No room in the linkage stack.
    StackFull = 0x30,
    /// No entry to take from the linkage stack.
    StackEmpty = 0x31,
    /// An entry of the linkage stack with a size or a link that cannot be.
    StackSpecification = 0x32,
    /// An entry of the linkage stack that is no state entry.
    StackType = 0x33,
    /// An entry of the linkage stack that may not be unstacked.
    StackOperation = 0x34,
    /// An address beyond what the address-space-control element's table covers.
    AsceType = 0x38,
    /// An invalid region-first-table entry, or none.
    RegionFirstTranslation = 0x39,
    /// An invalid region-second-table entry, or none.
    RegionSecondTranslation = 0x3a,
    /// An invalid region-third-table entry, or none.
    RegionThirdTranslation = 0x3b,
    /// MONITOR CALL of a class that is on.
    MonitorEvent = 0x40,
    /// A program event recorded; added to another code.
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
                | PseudoPageFault
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
                | LfxTranslation
                | LsxTranslation
                | LsteSequence
                | AsteInstance
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
    /// The interrupt key of the operator.
    pub const INTERRUPT_KEY: u16 = 0x0040;
    /// The TOD clock is past the clock comparator.
    pub const CLOCK_COMPARATOR: u16 = 0x1004;
    /// The CPU timer is negative.
    pub const CPU_TIMER: u16 = 0x1005;
    /// Another CPU is in the check-stop state or has lost power.
    pub const MALFUNCTION_ALERT: u16 = 0x1200;
    /// Another CPU sent it with SIGNAL PROCESSOR; one is kept for each CPU.
    pub const EMERGENCY_SIGNAL: u16 = 0x1201;
    /// Another CPU sent it with SIGNAL PROCESSOR; one alone is kept.
    pub const EXTERNAL_CALL: u16 = 0x1202;
    /// The service element has an answer or an event.
    pub const SERVICE_SIGNAL: u16 = 0x2401;
    /// CP's services: block I/O that has ended, a page that has come; the parameter tells which.
    pub const CP_SERVICE: u16 = 0x2603;
    /// IUCV has something for the virtual machine.
    pub const IUCV: u16 = 0x4000;
    /// VMCF has something for the virtual machine.
    pub const VMCF: u16 = 0x4001;
}
