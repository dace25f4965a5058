//! Adapters beside the channel subsystem: queued direct I/O, PCI functions, adjunct processors. Privilege and operands
//! are checked here; the configuration says what there is.

use super::{operand, privileged_operand};
use crate::general::pair;
use crate::prelude::*;
use arch::ultravisor::Header;
use base::layout::{U16, U64};
use std::mem::offset_of;
use zerocopy::IntoBytes;

fn hand_over(s: &mut State, what: IoInstruction) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.intercept(Intercepted::Io(what))
}

/// SIGA.
pub(crate) fn signal_adapter(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    hand_over(s, IoInstruction::SignalAdapter)
}

/// EQBS: queue and first buffer in R1, state in R2, count in R3.
pub(crate) fn extract_buffer_state(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    hand_over(s, IoInstruction::BufferState { r3: i.r3 })
}

/// SQBS: queue and first buffer in R1, count in R3; the state is the second-operand address.
pub(crate) fn set_buffer_state(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    hand_over(s, IoInstruction::BufferState { r3: i.r3 })
}

/// CLP. With bit 0 of the fourth field on, R1 only gets a mask of the logical processors there are.
pub(crate) fn call_logical_processor(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let list = i.r3 & 8 != 0;
    hand_over(s, IoInstruction::CallLogicalProcessor { r1: i.r1, r2: i.r2, list, processor: i.m4 })
}

/// PCILG, PCILGI, RPCIT, PCISTG, PCISTGI: the function handle is in R2, and what belongs to it in R2+1.
pub(crate) fn pci_in_pair(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    pair(i.r2)?;
    s.intercept(Intercepted::Io(IoInstruction::PciFunction { handle: i.r2, status: i.r2 }))
}

/// RPCIT: the handle is in R1.
pub(crate) fn refresh_pci_translations(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    pair(i.r2)?;
    s.intercept(Intercepted::Io(IoInstruction::PciFunction { handle: i.r1, status: i.r1 }))
}

/// PCISTB, PCISTBI: the handle is in R1, the length in it too, the address within the function in R3.
pub(crate) fn pci_store_block(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = operand(s, i, 8)?;
    let _ = at;
    s.intercept(Intercepted::Io(IoInstruction::PciFunction { handle: i.r1, status: i.r1 }))
}

/// PCIWB: whatever was stored is there at once.
pub(crate) fn pci_write_barrier(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()
}

/// MPCIFC, STPCIFC: the handle is in R1; the function-information block is on a doubleword boundary.
pub(crate) fn pci_function_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address(s, i.x2, i.b2, i.d2);
    Cpu::aligned(s, at, 8)?;
    s.intercept(Intercepted::Io(IoInstruction::PciFunction { handle: i.r1, status: i.r1 }))
}

/// SIC: how adapter interruptions of a subclass are suppressed. There are no adapters to interrupt, so that the
/// operands are right is all there is to it: format 0 in R1 (bits 32-47), a mode from 0 to 2 (bits 48-63).
pub(crate) fn set_interruption_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    if s.gr[i.r1 as usize] as u32 > 2 {
        return Err(Program::Operand.into());
    }
    Ok(())
}

/// NQAP, DQAP: the message operands are in even-odd pairs.
pub(crate) fn adjunct_processor_message(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    pair(i.r1)?;
    pair(i.r2)?;
    s.intercept(Intercepted::Io(IoInstruction::AdjunctProcessor))
}

/// PQAP: function code in bits 32-39 of register 0. QCI, the configuration query, is the processor's own: no queues.
pub(crate) fn process_adjunct_processor_queue(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    const QUERY_CONFIGURATION: u8 = 4;
    if (s.gr[0] >> 24) as u8 != QUERY_CONFIGURATION {
        return s.intercept(Intercepted::Io(IoInstruction::AdjunctProcessor));
    }
    let at = Cpu::address_in(s, 2);
    Cpu::aligned(s, at, 8)?;
    s.write_bytes(at, &[0; 128])?;
    s.cc = 0;
    Ok(())
}

/// PTF: this configuration's polarization is horizontal and stays so. CC: 0 no topology change is pending (function 2),
/// 2 rejected, with the reason in bits 48-55 of R1: 1, as it is already; 0, it cannot be.
pub(crate) fn perform_topology_function(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let reason = match s.gr[i.r1 as usize] {
        0 => 1,
        1 => 0,
        2 => {
            s.cc = 0;
            return Ok(());
        }
        _ => return Err(Program::Specification.into()),
    };
    s.gr[i.r1 as usize] |= reason << 8;
    s.cc = 2;
    Ok(())
}

/// STHYI: both registers are even, and two.
pub(crate) fn store_hypervisor_information(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    pair(i.r1)?;
    pair(i.r2)?;
    if i.r1 == i.r2 {
        return Err(Program::Specification.into());
    }
    s.intercept(Intercepted::StoreHypervisorInformation { r1: i.r1, r2: i.r2 })
}

/// UVC: there is no ultravisor, so that the only call is the query for calls (command 1), which finds itself. CC 0, or
/// 1 with a return code in the control block: 2 no such command, 5 the block's length is wrong.
pub(crate) fn ultravisor_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let at = Cpu::address_in(s, i.r2);
    Cpu::aligned(s, at, 8)?;
    let mut header: Header = s.read_layout(at)?;
    const QUERY: u16 = 1;
    const SHORTEST_QUERY: u16 = 0xa0;
    let code: u16 = match header.command.get() {
        QUERY if header.length.get() < SHORTEST_QUERY => 5,
        QUERY => 1,
        _ => 2,
    };
    if code == 1 {
        let mut block = [0; SHORTEST_QUERY as usize - 8];
        // The list of installed calls begins at byte 16.
        block[8] = 0x80;
        let behind = s.further(at, 8);
        s.write_bytes(behind, &block)?;
    }
    (header.code, header.reason) = (code.into(), U16::ZERO);
    let to = s.further(at, offset_of!(Header, code) as u64);
    s.write_bytes(to, &header.as_bytes()[offset_of!(Header, code)..])?;
    s.cc = (code != 1) as u8;
    Ok(())
}

/// LRIC: the eight doublewords of run-time-instrumentation controls.
pub(crate) fn load_run_time_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    s.run_time_controls = s.read_layout::<[U64; 8]>(at)?.map(U64::get);
    Ok(())
}

/// STRIC: what LRIC loaded.
pub(crate) fn store_run_time_controls(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 8)?;
    let controls = s.run_time_controls.map(U64::new);
    s.write_bytes(at, controls.as_bytes())
}
