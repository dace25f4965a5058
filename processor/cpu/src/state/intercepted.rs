//! Instructions that a CPU recognises and checks, but that belong to the configuration or to CP.

use super::operand::At;
use arch::Absolute;

/// I/O instructions (POP, chapter 14) with their checked operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IoInstruction {
    /// CLEAR SUBCHANNEL: the subchannel is in general register 1.
    ClearSubchannel,
    /// HALT SUBCHANNEL: the subchannel is in general register 1.
    HaltSubchannel,
    /// MODIFY SUBCHANNEL: the address of the SCHIB.
    ModifySubchannel(At),
    /// RESET CHANNEL PATH: the path is in general register 1.
    ResetChannelPath,
    /// RESUME SUBCHANNEL: the subchannel is in general register 1.
    ResumeSubchannel,
    /// SET ADDRESS LIMIT: the address is in general register 1.
    SetAddressLimit,
    /// SET CHANNEL MONITOR: controls in general register 1, the origin in 2.
    SetChannelMonitor,
    /// START SUBCHANNEL: the address of the ORB.
    StartSubchannel(At),
    /// STORE CHANNEL PATH STATUS: where it goes.
    StoreChannelPathStatus(At),
    /// STORE CHANNEL REPORT WORD: where it goes.
    StoreChannelReportWord(At),
    /// STORE SUBCHANNEL: where the SCHIB goes.
    StoreSubchannel(At),
    /// TEST PENDING INTERRUPTION: where the code goes, or address 0.
    TestPendingInterruption(At),
    /// TEST SUBCHANNEL: where the IRB goes.
    TestSubchannel(At),
    /// CANCEL SUBCHANNEL: the subchannel is in general register 1.
    CancelSubchannel,
    /// CHANNEL SUBSYSTEM CALL: the register that holds the address of the command block.
    ChannelSubsystemCall {
        /// The R2 field.
        r2: u8,
    },
    /// SIGNAL ADAPTER (queued direct I/O): function in general register 0, subchannel or token in 1.
    SignalAdapter,
    /// EXTRACT and SET BUFFER STATE (QDIO enhanced buffer-state management): token in general register 1, count in R3.
    BufferState {
        /// The R3 field.
        r3: u8,
    },
    /// CALL LOGICAL PROCESSOR: R2 holds the address of the request block; with `list` on, R1 gets what there is.
    CallLogicalProcessor {
        /// The R1 field.
        r1: u8,
        /// The R2 field.
        r2: u8,
        /// What there is is asked for.
        list: bool,
        /// The number of the logical processor, from the instruction.
        processor: u8,
    },
    /// A PCI instruction: the register that has the function handle in its left half.
    PciFunction {
        /// The register with the handle.
        handle: u8,
        /// The register that gets the status.
        status: u8,
    },
    /// NQAP, DQAP, PQAP (adjunct processors): queue in general register 0, status in 1.
    AdjunctProcessor,
}

/// What was intercepted. Register operands stay in their registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intercepted {
    /// An I/O instruction.
    Io(IoInstruction),
    /// DIAGNOSE: the code is the second-operand address, bits 48-63.
    Diagnose {
        /// The R1 field.
        r1: u8,
        /// The R3 field.
        r3: u8,
        /// The function code.
        code: u16,
    },
    /// SIGNAL PROCESSOR: the CPU address is in R3, the parameter in R1 if that is odd, else in R1+1; R1 gets status.
    SignalProcessor {
        /// The R1 field.
        r1: u8,
        /// The R3 field.
        r3: u8,
        /// The order code.
        order: u8,
    },
    /// SERVICE CALL: command word in `r1`, address of the SCCB in `r2`.
    ServiceCall {
        /// The R1 field.
        r1: u8,
        /// The R2 field.
        r2: u8,
    },
    /// STORE SYSTEM INFORMATION: where the block goes; selectors are in general registers 0 and 1.
    StoreSystemInformation(At),
    /// STORE HYPERVISOR INFORMATION: function code in R1, address of the response buffer in R2, return code in R2+1.
    StoreHypervisorInformation {
        /// The R1 field.
        r1: u8,
        /// The R2 field.
        r2: u8,
    },
    /// PERFORM RANDOM NUMBER OPERATION, true random numbers: raw ones to R1 and R1+1, conditioned ones to R2 and R2+1.
    TrueRandomNumbers {
        /// The R1 field.
        r1: u8,
        /// The R2 field.
        r2: u8,
    },
    /// IUCV: the parameter list's address is in general register 1, the function in 0.
    Iucv,
    /// START INTERPRETIVE EXECUTION of the guest that has its state description at this absolute address.
    StartInterpretiveExecution(Absolute),
    /// An instruction of an interpreted guest that is its host's.
    Interpreted {
        /// The instruction, zeros after it.
        text: [u8; 6],
        /// The length of the EXECUTE that fetched it, 0 if none did.
        executed: u8,
        /// The guest has no such instruction.
        unknown: bool,
    },
    /// MOVE PAGE of an interpreted guest, of which its host lacks a page.
    MissingPage {
        /// The instruction, zeros after it.
        text: [u8; 6],
        /// The length of the EXECUTE that fetched it, 0 if none did.
        executed: u8,
        /// The host's table entries for the first operand and the second: see [`arch::interpretation::entry`].
        entries: [u64; 2],
    },
    /// The PSW loaded has the wait bit on: nothing more to do until an interruption.
    Wait,
}
