//! Instructions that a CPU recognises and checks, but that belong to the configuration or to CP.

use super::operand::At;
use arch::Absolute;

/// I/O instructions (POP, chapter 14) with their checked operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IoInstruction {
    ClearSubchannel,
    HaltSubchannel,
    ModifySubchannel(At),
    ResetChannelPath,
    ResumeSubchannel,
    SetAddressLimit,
    SetChannelMonitor,
    StartSubchannel(At),
    StoreChannelPathStatus(At),
    StoreChannelReportWord(At),
    StoreSubchannel(At),
    TestPendingInterruption(At),
    TestSubchannel(At),
    CancelSubchannel,
    /// CHANNEL SUBSYSTEM CALL: the register that holds the address of the command block.
    ChannelSubsystemCall {
        r2: u8,
    },
    /// SIGNAL ADAPTER (queued direct I/O): function in general register 0, subchannel or token in 1.
    SignalAdapter,
    /// EXTRACT and SET BUFFER STATE (QDIO enhanced buffer-state management): token in general register 1, count in R3.
    BufferState {
        r3: u8,
    },
    /// CALL LOGICAL PROCESSOR: R2 holds the address of the request block; with `list` on, R1 gets what there is.
    CallLogicalProcessor {
        r1: u8,
        r2: u8,
        list: bool,
        processor: u8,
    },
    /// A PCI instruction: the register that has the function handle in its left half.
    PciFunction {
        handle: u8,
        status: u8,
    },
    /// NQAP, DQAP, PQAP (adjunct processors): queue in general register 0, status in 1.
    AdjunctProcessor,
}

/// What was intercepted. Register operands stay in their registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intercepted {
    Io(IoInstruction),
    /// DIAGNOSE: the code is the second-operand address, bits 48-63.
    Diagnose {
        r1: u8,
        r3: u8,
        code: u16,
    },
    SignalProcessor {
        r1: u8,
        r3: u8,
        order: u8,
    },
    /// SERVICE CALL: command word in `r1`, address of the SCCB in `r2`.
    ServiceCall {
        r1: u8,
        r2: u8,
    },
    StoreSystemInformation(At),
    /// STORE HYPERVISOR INFORMATION: function code in R1, address of the response buffer in R2, return code in R2+1.
    StoreHypervisorInformation {
        r1: u8,
        r2: u8,
    },
    /// PERFORM RANDOM NUMBER OPERATION, true random numbers: raw ones to R1 and R1+1, conditioned ones to R2 and R2+1.
    TrueRandomNumbers {
        r1: u8,
        r2: u8,
    },
    /// IUCV: the parameter list's address is in general register 1, the function in 0.
    Iucv,
    /// START INTERPRETIVE EXECUTION of the guest that has its state description at this absolute address.
    StartInterpretiveExecution(Absolute),
    /// An instruction of an interpreted guest that is its host's.
    Interpreted {
        text: [u8; 6],
        /// The length of the EXECUTE that fetched it, 0 if none did.
        executed: u8,
        /// The guest has no such instruction.
        unknown: bool,
    },
    /// The PSW loaded has the wait bit on: nothing more to do until an interruption.
    Wait,
}
