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
    /// Segment- and region-table entries may stand for large pages.
    pub const ENHANCED_DAT: u64 = bit64(40);
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

/// Bits of control register 14 in use.
pub mod cr14 {
    use base::bits::bit64;
    /// Channel reports interrupt as machine checks.
    pub const CHANNEL_REPORT: u64 = bit64(35);
}
