//! What START INTERPRETIVE EXECUTION and its program say to each other in storage: the state description, 512 bytes at
//! an absolute address (Interpretive Execution, SA22-7095; extended for z/Architecture).
//!
//! The program that issues SIE is the *host*, the machine that the description is of is its *guest*. General registers
//! 0 to 13, access, floating-point and vector registers are the host's at the time; the rest of the guest is here.

/// A value in a state description.
trait Field {
    fn decode(bytes: &[u8]) -> Self;
}

macro_rules! big_endian {
    ($($type:ty)*) => { $(
        impl Field for $type {
            fn decode(bytes: &[u8]) -> $type {
                let (value, _) = bytes.split_first_chunk().expect("fields lie in the description");
                <$type>::from_be_bytes(*value)
            }
        }
    )* };
}
big_endian!(u8 u16 u32 u64);

impl<const N: usize> Field for [u64; N] {
    fn decode(bytes: &[u8]) -> [u64; N] {
        std::array::from_fn(|n| u64::decode(&bytes[8 * n..]))
    }
}

macro_rules! layout {
    ($($at:literal $offset:ident $name:ident: $type:ty, $what:literal;)*) => {
        /// The state description as values.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct StateDescription {
            $(#[doc = $what] pub $name: $type,)*
        }

        impl StateDescription {
            /// The values in these bytes.
            pub fn decode(bytes: &[u8; StateDescription::SIZE]) -> StateDescription {
                StateDescription { $($name: Field::decode(&bytes[$at..]),)* }
            }
        }

        /// Where each value lies.
        pub mod offset {
            $(#[doc = $what] pub const $offset: u64 = $at;)*
        }

        const _: () = { $(assert!($at + size_of::<$type>() <= StateDescription::SIZE);)* };
    };
}

layout! {
    0x000 FLAGS flags: u32, "What the guest's CPU is in, and what others want of it: [`flag`]. Changed by others meanwhile.";
    0x004 PREFIX prefix: u32, "The guest's prefix, in bits 1-18.";
    0x028 CPU_TIMER cpu_timer: u64, "The CPU timer.";
    0x030 CLOCK_COMPARATOR clock_comparator: u64, "The clock comparator.";
    0x038 EPOCH epoch: u64, "Added to the host's TOD clock to give the guest's.";
    0x044 LOAD_CONTROL load_control: u16, "LCTL and LCTLG are intercepted for these control registers, 0 leftmost.";
    0x048 INTERCEPTIONS interceptions: u32, "Which instructions and interruptions are intercepted: [`intercept`].";
    0x04c CONTROLS controls: u32, "Execution controls A.";
    0x050 CODE code: u8, "Why interpretive execution ended: [`code`].";
    0x051 STATUS status: u8, "Of an intercepted instruction, whether it was the target of EXECUTE: [`EXECUTED`].";
    0x052 HOST_CPU host_cpu: u16, "The host CPU that ran the guest last, which may still know its translations.";
    0x056 INSTRUCTION instruction: u16, "The first halfword of an intercepted instruction.";
    0x058 PARAMETERS parameters: u32, "The rest of it; or, in the left half, why the description is not valid.";
    0x05c CONTROL_AREA_HIGH control_area_high: u32, "The left half of the address of the system-control area.";
    0x064 CONTROL_AREA control_area: u32, "The address of the system-control area; 0: none.";
    0x06c TOD_PROGRAMMABLE tod_programmable: u32, "The TOD programmable register.";
    0x080 ORIGIN origin: u64, "The host virtual address of the guest's absolute 0, a multiple of a megabyte.";
    0x088 LIMIT limit: u64, "The host virtual address of the last megabyte of the guest's storage.";
    0x090 PSW psw: [u64; 2], "The PSW.";
    0x0a0 GENERAL general: [u64; 2], "General registers 14 and 15.";
    0x0c4 EXTERNAL_CPU external_cpu: u16, "Of an external interruption, the CPU address.";
    0x0c6 EXTERNAL_CODE external_code: u16, "Its code.";
    0x0cc PROGRAM_LENGTH program_length: u16, "Of a program interruption, the instruction length in bytes.";
    0x0ce PROGRAM_CODE program_code: u16, "Its code.";
    0x0d0 DATA_CODE data_code: u32, "The data- or vector-exception code.";
    0x0d4 MONITOR_CLASS monitor_class: u16, "The monitor class.";
    0x0d6 PER_CODE per_code: u8, "PER events.";
    0x0d7 PER_ATMID per_atmid: u8, "And the mode they happened in.";
    0x0d8 PER_ADDRESS per_address: u64, "The address of the instruction that caused a PER event.";
    0x0e0 EXCEPTION_ACCESS exception_access: u8, "The access register of an access exception.";
    0x0e8 TRANSLATION_EXCEPTION translation_exception: u64, "The translation-exception identification, or monitor code.";
    0x100 CONTROL control: [u64; 16], "The control registers.";
    0x180 BREAKING_EVENT breaking_event: u64, "The breaking-event address.";
    0x1a0 FACILITIES facilities: u32, "The address of the guest's facility list; 0: none.";
}

impl StateDescription {
    /// Its size; it lies on a boundary of as much.
    pub const SIZE: usize = 512;

    /// The guest absolute address of the prefix area.
    pub fn prefix(&self) -> u64 {
        u64::from(self.prefix) & 0x7fff_e000
    }

    /// The host virtual address of the last byte of the guest's storage.
    pub fn last_byte(&self) -> u64 {
        self.limit | 0xf_ffff
    }

    /// The host virtual address of the guest's absolute 0.
    pub fn first_byte(&self) -> u64 {
        self.origin & !0xf_ffff
    }

    /// The host absolute address of the system-control area.
    pub fn system_control_area(&self) -> Option<u64> {
        let address = u64::from(self.control_area_high) << 32 | u64::from(self.control_area);
        (address & !7 != 0).then_some(address & !7)
    }
}

/// Bits of [`StateDescription::flags`].
pub mod flag {
    /// Intervention requests: stop; an I/O interruption; an external one. The last two wait until the PSW lets them in.
    pub const STOP: u32 = 0x0400_0000;
    pub const IO: u32 = 0x0200_0000;
    pub const EXTERNAL: u32 = 0x0100_0000;
    /// The guest is in z/Architecture.
    pub const Z: u32 = 0x0000_0800;
    /// PER events are the host's: program interruptions with one are intercepted.
    pub const PER: u32 = 0x0000_0001;
}

/// Bits of [`StateDescription::interceptions`].
pub mod intercept {
    pub const OPERATION_EXCEPTION: u32 = 0x8000_0000;
    pub const PROGRAM_INTERRUPTION: u32 = 0x2000_0000;
    pub const LOAD_PSW: u32 = 0x0040_0000;
    pub const STORE_CONTROL: u32 = 0x0004_0000;
    pub const INSERT_KEY: u32 = 0x0000_4000;
    pub const SET_KEY: u32 = 0x0000_2000;
    pub const RESET_REFERENCE: u32 = 0x0000_1000;
    pub const TEST_PROTECTION: u32 = 0x0000_0200;
}

/// Values of [`StateDescription::code`]. 0: a host interruption, or nothing yet.
pub mod code {
    pub const INSTRUCTION: u8 = 0x04;
    pub const PROGRAM: u8 = 0x08;
    pub const EXTERNAL_REQUEST: u8 = 0x10;
    pub const EXTERNAL_INTERRUPTION: u8 = 0x14;
    pub const IO_REQUEST: u8 = 0x18;
    pub const WAIT: u8 = 0x1c;
    pub const VALIDITY: u8 = 0x20;
    pub const STOP: u8 = 0x28;
    pub const OPERATION_EXCEPTION: u8 = 0x2c;
}

/// Why a description is not valid, in the left half of [`StateDescription::parameters`].
pub mod validity {
    /// The guest is in an architecture that is not interpreted.
    pub const ARCHITECTURE: u16 = 0x0001;
    /// The storage's limit lies before its origin.
    pub const EXTENT: u16 = 0x0004;
    /// The prefix area lies outside the guest's storage.
    pub const PREFIX: u16 = 0x0037;
}

/// [`StateDescription::status`] of an instruction that EXECUTE fetched; the length of EXECUTE in bytes is added,
/// shifted left by four bits.
pub const EXECUTED: u8 = 0x01;

/// In the first doubleword of the system-control area: somebody looks into the guest's translation tables, and
/// instructions that change them are intercepted.
pub const TABLES_LOCKED: u64 = 0x8000_0000_0000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_where_programs_put_them() {
        let mut bytes = [0; StateDescription::SIZE];
        bytes[0x90..0x98].copy_from_slice(&0x0001_0001_8000_0000u64.to_be_bytes());
        bytes[0x178..0x180].copy_from_slice(&15u64.to_be_bytes());
        bytes[0x04..0x08].copy_from_slice(&0xffff_ffffu32.to_be_bytes());
        bytes[0x5c..0x60].copy_from_slice(&1u32.to_be_bytes());
        bytes[0x64..0x68].copy_from_slice(&0x2004u32.to_be_bytes());
        let description = StateDescription::decode(&bytes);
        assert_eq!(description.psw[0], 0x0001_0001_8000_0000);
        assert_eq!(description.control[15], 15);
        assert_eq!(description.prefix(), 0x7fff_e000);
        assert_eq!(description.system_control_area(), Some(0x1_0000_2000));
    }
}
