//! Bits of control registers.

/// Bits of control register 0 in use (POP, chapter 4, "Control registers").
pub mod cr0 {
    use base::bits::bit64;
    /// Transactional execution; and no filtering of program interruptions in it.
    pub const TRANSACTIONS: u64 = bit64(8);
    pub const NO_FILTERING: u64 = bit64(9);
    pub const COUNTER_EXTRACTION: u64 = bit64(15);
    pub const SSM_SUPPRESSION: u64 = bit64(33);
    pub const LOW_ADDRESS_PROTECTION: u64 = bit64(35);
    pub const EXTRACTION_AUTHORITY: u64 = bit64(36);
    pub const SECONDARY_SPACE: u64 = bit64(37);
    pub const FETCH_PROTECTION_OVERRIDE: u64 = bit64(38);
    pub const STORAGE_PROTECTION_OVERRIDE: u64 = bit64(39);
    pub const ENHANCED_DAT: u64 = bit64(40);
    pub const AFP: u64 = bit64(45);
    pub const VECTOR: u64 = bit64(46);
    pub const MALFUNCTION_ALERT: u64 = bit64(48);
    pub const EMERGENCY_SIGNAL: u64 = bit64(49);
    pub const EXTERNAL_CALL: u64 = bit64(50);
    pub const CLOCK_COMPARATOR: u64 = bit64(52);
    pub const CPU_TIMER: u64 = bit64(53);
    pub const SERVICE_SIGNAL: u64 = bit64(54);
    pub const INTERRUPT_KEY: u64 = bit64(57);
    pub const IUCV: u64 = bit64(62);
}

/// Bits of control register 2 in use.
pub mod cr2 {
    use base::bits::bit64;
    pub const GUARDED_STORAGE: u64 = bit64(59);
}

/// Bits of control register 14 in use.
pub mod cr14 {
    use base::bits::bit64;
    pub const CHANNEL_REPORT: u64 = bit64(35);
}
