//! One debugger, from its first packet to its last.

use crate::Stream;
use crate::target::{Machine, kind_of, tid};
use complex::Configuration;
use complex::debug::Event;
use engine::Stop;
use gdbstub::common::Signal;
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

/// What a session waits for.
pub(crate) enum Input {
    /// The debugger has sent this; nothing: it is gone.
    Bytes(Vec<u8>),
    /// The machine has stopped.
    Event,
    /// The machine has come to its end.
    End(u8),
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// The debugger has left the machine to itself.
    Left,
    /// The debugger wants the machine's end.
    Killed,
}

/// The debugger's end of the connection. What is written goes out in one piece.
struct Wire {
    stream: Box<dyn Stream>,
    out: Vec<u8>,
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.out.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out)?;
        self.out.clear();
        self.stream.flush()
    }
}

/// The reason that GDB is told.
fn reason(machine: &mut Machine, cpu: u16, event: Event) -> MultiThreadStopReason<u64> {
    machine.current = cpu;
    let tid = tid(cpu);
    match event {
        Event::Stop(Stop::Instruction) => MultiThreadStopReason::SwBreak(tid),
        Event::Stop(Stop::Access(touched)) => {
            let (kind, addr) = (kind_of(touched.area), touched.address);
            MultiThreadStopReason::Watch { tid, kind, addr }
        }
        Event::Stepped => MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGTRAP },
        Event::DisabledWait(_) => MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGABRT },
        Event::ProgramLoop => MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGSEGV },
    }
}

type Stub<'a> = GdbStubStateMachine<'a, Machine, Wire>;

/// Serves a debugger until it is gone.
pub(crate) fn serve(
    stream: Box<dyn Stream>,
    configuration: &Arc<Configuration>,
    sender: Sender<Input>,
    inputs: &Receiver<Input>,
) -> Ended {
    let events = sender.clone();
    configuration.debug(move || {
        let _ = events.send(Input::Event);
    });
    let Ok(second) = stream.second() else { return Ended::Left };
    let Ok(third) = stream.second() else { return Ended::Left };
    let read = move || reader(second, &sender);
    if thread::Builder::new().name("debugger's packets".into()).spawn(read).is_err() {
        return Ended::Left;
    }
    let ended = converse(stream, configuration, inputs);
    third.close();
    ended
}

/// Hands on what the debugger sends.
fn reader(mut stream: Box<dyn Stream>, sender: &Sender<Input>) {
    let mut buffer = [0; 4096];
    loop {
        let bytes = match stream.read(&mut buffer) {
            Ok(count) => buffer[..count].to_vec(),
            Err(_) => Vec::new(),
        };
        let over = bytes.is_empty();
        if sender.send(Input::Bytes(bytes)).is_err() || over {
            return;
        }
    }
}

fn converse(stream: Box<dyn Stream>, configuration: &Arc<Configuration>, inputs: &Receiver<Input>) -> Ended {
    let mut machine = Machine::new(configuration.clone());
    let Ok(stub) = GdbStub::builder(Wire { stream, out: Vec::new() }).packet_buffer_size(16 << 10).build() else {
        return Ended::Left;
    };
    let Ok(mut stub) = stub.run_state_machine(&mut machine) else { return Ended::Left };
    for input in inputs {
        let next = match input {
            Input::Bytes(bytes) if bytes.is_empty() => return Ended::Left,
            Input::Bytes(bytes) => received(stub, &mut machine, &bytes),
            Input::Event => told(stub, &mut machine),
            Input::End(code) => {
                if let GdbStubStateMachine::Running(running) = stub {
                    let _ = running.report_stop(&mut machine, MultiThreadStopReason::Exited(code));
                }
                return Ended::Left;
            }
        };
        stub = match next {
            Ok(GdbStubStateMachine::Disconnected(over)) => {
                let killed = over.get_reason() == DisconnectReason::Kill;
                return if killed { Ended::Killed } else { Ended::Left };
            }
            Ok(stub) => stub,
            // A debugger that does not speak the protocol, or does not listen.
            Err(()) => return Ended::Left,
        };
    }
    Ended::Left
}

fn received<'a>(mut stub: Stub<'a>, machine: &mut Machine, bytes: &[u8]) -> Result<Stub<'a>, ()> {
    for &byte in bytes {
        let next = match stub {
            GdbStubStateMachine::Idle(idle) => idle.incoming_data(machine, byte),
            GdbStubStateMachine::Running(running) => running.incoming_data(machine, byte),
            other => return Ok(other),
        };
        stub = next.map_err(drop)?;
        if let GdbStubStateMachine::CtrlCInterrupt(interrupted) = stub {
            machine.configuration.freeze();
            // A CPU that stopped by itself at this moment is what GDB is told of.
            let why = match machine.configuration.take_event() {
                Some((cpu, event)) => reason(machine, cpu, event),
                None => {
                    let tid = tid(machine.current);
                    MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGINT }
                }
            };
            stub = interrupted.interrupt_handled(machine, Some(why)).map_err(drop)?;
        }
    }
    Ok(stub)
}

/// The machine has stopped, and perhaps GDB knows already.
fn told<'a>(stub: Stub<'a>, machine: &mut Machine) -> Result<Stub<'a>, ()> {
    match stub {
        GdbStubStateMachine::Running(running) => match machine.configuration.take_event() {
            Some((cpu, event)) => {
                let why = reason(machine, cpu, event);
                running.report_stop(machine, why).map_err(drop)
            }
            None => Ok(running.into()),
        },
        other => Ok(other),
    }
}
