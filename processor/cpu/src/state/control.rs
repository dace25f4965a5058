//! Bits of control registers.

/// Bits of control register 0 in use (POP, chapter 4, "Control registers").
pub mod cr0 {
    use base::bits::bit64;
    /// Transactional execution; and no filtering of program interruptions in it.
    pub const TRANSACTIONS: u64 = bit64(8);
    /// Program interruptions of transactions are not filtered.
    pub const NO_FILTERING: u64 = bit64(9);
    /// Counters may be extracted in the problem state.
    pub const COUNTER_EXTRACTION: u64 = bit64(15);
    /// SET SYSTEM MASK ends in a special-operation exception.
    pub const SSM_SUPPRESSION: u64 = bit64(33);
    /// Stores into the lowest 512 bytes of pages 0 and 1 are forbidden.
    pub const LOW_ADDRESS_PROTECTION: u64 = bit64(35);
    /// Address-space numbers and keys may be extracted in the problem state.
    pub const EXTRACTION_AUTHORITY: u64 = bit64(36);
    /// The secondary space may be used.
    pub const SECONDARY_SPACE: u64 = bit64(37);
    /// The lowest 2048 bytes may be fetched whatever their key.
    pub const FETCH_PROTECTION_OVERRIDE: u64 = bit64(38);
    /// Frames with key 9 may be stored into and fetched whatever the access key.
    pub const STORAGE_PROTECTION_OVERRIDE: u64 = bit64(39);
    /// Address-space functions (ESA/390; z/Architecture always has them): long entries of the tables of address spaces
    /// and entry points.
    pub const ADDRESS_SPACE_FUNCTIONS: u64 = bit64(47);
    /// Address-space numbers and linkage indexes may be used again: they have instances and sequence numbers.
    pub const REUSE: u64 = bit64(44);
    /// Segment- and region-table entries may stand for large pages.
    pub const ENHANCED_DAT: u64 = bit64(40);
    /// Pages can be forbidden to instructions.
    pub const EXECUTION_PROTECTION: u64 = bit64(43);
    /// All sixteen floating-point registers and the FPC register may be used.
    pub const AFP: u64 = bit64(45);
    /// Vector instructions may be used.
    pub const VECTOR: u64 = bit64(46);
    /// Malfunction alerts interrupt.
    pub const MALFUNCTION_ALERT: u64 = bit64(48);
    /// Emergency signals interrupt.
    pub const EMERGENCY_SIGNAL: u64 = bit64(49);
    /// External calls interrupt.
    pub const EXTERNAL_CALL: u64 = bit64(50);
    /// The clock comparator interrupts.
    pub const CLOCK_COMPARATOR: u64 = bit64(52);
    /// The CPU timer interrupts.
    pub const CPU_TIMER: u64 = bit64(53);
    /// Service signals interrupt.
    pub const SERVICE_SIGNAL: u64 = bit64(54);
    /// The interrupt key interrupts.
    pub const INTERRUPT_KEY: u64 = bit64(57);
    /// IUCV interrupts.
    pub const IUCV: u64 = bit64(62);
    /// VMCF interrupts.
    pub const VMCF: u64 = bit64(63);
}

/// Bits of control register 2 in use.
pub mod cr2 {
    use base::bits::bit64;
    /// Guarded-storage instructions may be used.
    pub const GUARDED_STORAGE: u64 = bit64(59);
}

/// Bits of control register 12 in use.
pub mod cr12 {
    use base::bits::bit64;
    /// Branches are traced, in z/Architecture.
    pub const BRANCHES: u64 = bit64(0);
    /// Branches are traced, in ESA/390.
    pub const BRANCHES_ESA: u64 = bit64(32);
    /// Changes to and from the 64-bit addressing mode are traced.
    pub const MODES: u64 = bit64(1);
    /// What changes address spaces is traced.
    pub const SPACES: u64 = bit64(62);
    /// TRACE makes entries.
    pub const EXPLICIT: u64 = bit64(63);
}

/// Bits of control register 14 in use.
pub mod cr14 {
    use base::bits::bit64;
    /// Address-space numbers may be translated.
    pub const ASN_TRANSLATION: u64 = bit64(44);
    /// Channel reports interrupt as machine checks.
    pub const CHANNEL_REPORT: u64 = bit64(35);
}
