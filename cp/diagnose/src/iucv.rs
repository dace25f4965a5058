//! IUCV, the instruction: the function in general register 0, the parameter list at the real address in general
//! register 1.
//!
//! What the functions do is in the crate `iucv`; here the list is fetched and stored, and interruptions are presented.

use crate::{Call, block_io};
use arch::interruption::external;
use arch::{Program, Real};
use cpu::{Interruption, attention};
use iucv::area::Space;
use iucv::service::{BLOCK_IO, MONITOR};
use iucv::{Answer, LENGTH, List, code, function};
use std::sync::Arc;
use virtualmachine::block_path::Iucv;
use virtualmachine::machine::Machine;
use virtualmachine::vmdbk::Vmdbk;

/// Performs the IUCV function in general register 0 with the parameter list that general register 1 points to.
pub fn perform(call: &Call<'_>) -> Result<(), Interruption> {
    let function = call.gr(0) as u32;
    if function == function::QUERY {
        call.set_gr(0, LENGTH as u64);
        call.set_gr(1, call.vmdbk.user.options.max_connections.into());
        call.set_cc(0);
        return Ok(());
    }
    call.specification(function <= function::SET_CONTROL_MASK)?;
    let at = call.address(1);
    if matches!(function, function::RETRIEVE_BUFFER | function::TEST_MESSAGE) {
        // These have no parameter list: their answer is a condition code alone.
        let answer = answer(call, &mut List::default(), function)?;
        call.set_cc(answer.unwrap_or(1));
        return Ok(());
    }
    call.specification(at.0.is_multiple_of(8))?;
    let mut list = List::default();
    call.read(at, &mut list.0)?;
    let masks = matches!(function, function::SET_MASK | function::SET_CONTROL_MASK);
    let answer = answer(call, &mut list, function)?;
    if !masks {
        list.set_kind(answer.err().unwrap_or(0));
    }
    call.write(at, &list.0)?;
    call.set_cc(answer.unwrap_or(1));
    Ok(())
}

/// The program's real storage.
pub(super) fn space(call: &Call<'_>) -> Space {
    let core = call.core();
    Space {
        storage: call.machine.configuration.storage().clone(),
        prefix: core.state.prefix,
        prefix_area: core.state.architecture().prefix_area(),
    }
}

/// Performs a function. `list` becomes what the program will find in its parameter list.
fn answer(call: &Call<'_>, list: &mut List, function: u32) -> Result<Answer, Interruption> {
    let id = call.vmdbk.id;
    if function == function::DECLARE_BUFFER {
        call.read(Real(list.address().into()), &mut [0; LENGTH])?;
        return Ok(call.vmdbk.iucv().declare(id, call.cpu, list.address()));
    }
    let monitored = call.vmdbk.iucv().reads_monitor(id);
    let answer = ordinary(call, list, function);
    // What a reader of the monitor does may be what CP has waited for.
    let deeds = [function::REPLY, function::REJECT, function::SEVER, function::QUIESCE, function::RESUME];
    if monitored && (deeds.contains(&function) || function == function::RETRIEVE_BUFFER) {
        call.cp.monitor_answered();
    }
    answer
}

fn ordinary(call: &Call<'_>, list: &mut List, function: u32) -> Result<Answer, Interruption> {
    let (id, cpu) = (call.vmdbk.id, call.cpu);
    if function == function::CONNECT && list.name() == MONITOR && call.vmdbk.iucv().has_buffer(id, None) {
        return Ok(call.cp.connect_monitor(call.vmdbk, list));
    }
    let space = space(call);
    let mut guard = call.vmdbk.iucv();
    let iucv: &mut Iucv = &mut guard;
    if !iucv.has_buffer(id, None) {
        return Ok(Err(code::NO_BUFFER));
    }
    if function == function::SEND
        && let Some(begun) = iucv.begin_blocks(id, list)
    {
        let disk = match begun {
            Ok(disk) => disk,
            Err(code) => return Ok(Err(code)),
        };
        // IUCV is not locked during the I/O: other virtual machines do not wait for it.
        drop(guard);
        call.count_io(false);
        let (reply, time) = block_io::sent(call, &disk.environment, list);
        let (vmdbk, list) = (call.vmdbk.clone(), list.clone());
        call.cp.disks().later(time, move || vmdbk.iucv().end_blocks(id, &list, &disk, reply));
        return Ok(Ok(0));
    }
    Ok(match function {
        function::TEST_MESSAGE => iucv.test_message(id),
        function::RETRIEVE_BUFFER => iucv.retrieve(id, cpu),
        function::DESCRIBE => iucv.describe(id, list),
        function::SEND => iucv.send(id, &space, list),
        function::RECEIVE => iucv.receive(id, &space, list),
        function::REPLY => iucv.reply(id, &space, list),
        function::TEST_COMPLETION => iucv.test_completion(id, list),
        function::REJECT => iucv.reject(id, list),
        function::PURGE => iucv.purge(id, list),
        function::ACCEPT => iucv.accept(id, list),
        function::CONNECT if list.name() == BLOCK_IO => {
            // A disk that goes is no longer found before its paths are severed. So one that is found with IUCV locked
            // has its path severed when it goes.
            let disk = block_io::connected(call, &list.user());
            iucv.connect_blocks(id, list, disk)
        }
        function::CONNECT => iucv.connect(id, list),
        function::QUIESCE => iucv.quiesce(id, list, true),
        function::RESUME => iucv.quiesce(id, list, false),
        function::SEVER => iucv.sever(id, list),
        function::SET_MASK => iucv.set_mask(id, cpu, list.0[0], false),
        function::SET_CONTROL_MASK => iucv.set_mask(id, cpu, list.0[0], true),
        _ => return Err(Program::Specification.into()),
    })
}

/// Presents an interruption of IUCV or VMCF to a virtual CPU that is enabled for it, if there is one. False: program
/// interruptions without end.
pub fn present(vmdbk: &Arc<Vmdbk>, machine: &Machine, cpu: u16) -> bool {
    let mut core = machine.configuration.cpu(cpu);
    let open = core.state.open;
    let taken = if open & attention::IUCV != 0 { vmdbk.iucv().take(vmdbk.id, cpu) } else { None };
    let result = match taken {
        Some(interruption) => {
            let buffer = core.state.absolute(Real(interruption.buffer.into()));
            // A buffer that the prefix has been moved away from is the program's own mistake.
            let _ = core.state.storage().write(buffer, &interruption.list.0);
            Some(core.state.external_interruption(external::IUCV, 0, None, None))
        }
        None if open & attention::VMCF != 0 && vmdbk.vmcf().take(vmdbk.id).is_some() => {
            Some(core.state.external_interruption(external::VMCF, 0, None, None))
        }
        None => None,
    };
    // What is left, and what the CPU has been disabled for in the meantime, it looks at when it is enabled.
    let left = |class: u32, is_pending: bool| if is_pending { class } else { 0 };
    let classes = left(attention::IUCV, vmdbk.iucv().is_pending(vmdbk.id, cpu))
        | left(attention::VMCF, vmdbk.vmcf().is_pending(vmdbk.id));
    core.state.signals().raise(classes);
    result.is_none_or(|result| engine::complete(&mut core.state, result, 0))
}
