//! The same tests on our own processor.

use crate::image::{TESTS_MAX, Test, text_address};
use arch::{Absolute, PAGE, mask};
use cpu::{Architecture, cr0};
use vectors::machine::{Event, Machine};
use vectors::{Registers, SCRATCH, SCRATCH_LEN};

/// A CPU in the problem state with the storage the oracle's program has.
pub struct Ours {
    machine: Machine,
    psw: u64,
    patience: Option<u8>,
}

/// What a test left here.
pub struct Outcome {
    /// The registers and storage after it.
    pub after: Registers,
    /// What ended it.
    pub event: Event,
    /// The instruction address: after the last instruction, or where the old PSW points.
    pub address: u64,
}

impl Outcome {
    /// Whether it was stopped because it would not end.
    pub fn is_endless(&self) -> bool {
        matches!(&self.event, Event::Other(why) if why == "Budget")
    }
}

/// Storage that tests may use has this key, and so does their PSW.
const KEY: u8 = 8;
const SIZE: u64 = 16 << 20;

impl Ours {
    /// Where the oracle's program has nothing mapped, storage here is protected.
    pub fn new() -> Ours {
        let mut machine = Machine::new(Architecture::Z, SIZE);
        machine.prepare_interruptions();
        let text = text_address(0)..text_address(TESTS_MAX);
        let scratch = SCRATCH & !(PAGE - 1)..SCRATCH + SCRATCH_LEN as u64;
        for frame in (0..SIZE).step_by(PAGE as usize) {
            let key = if scratch.contains(&frame) || text.contains(&(frame + PAGE)) { KEY << 4 } else { 0xf8 };
            machine.storage.set_key(Absolute(frame), key).expect("the frame exists");
        }
        machine.state.cr[0] |= cr0::AFP | cr0::VECTOR;
        machine.state.control_changed();
        let psw = mask::PROBLEM | u64::from(KEY) << 52 | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
        Ours { machine, psw, patience: None }
    }

    /// In the supervisor state, with no protection: as on a machine without Linux.
    pub fn bare() -> Ours {
        let mut ours = Ours::new();
        ours.psw = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
        ours
    }

    /// Has code translated when it has been interpreted so often; 0: never.
    pub fn set_patience(&mut self, executions: u8) {
        self.machine.set_patience(executions);
        self.patience = Some(executions);
    }

    /// Instructions executed so far, and the breaking-event address.
    pub fn counts(&self) -> (u64, u64) {
        (self.machine.state.instructions, self.machine.state.breaking_event)
    }

    /// Runs a test whose first instruction lies at `address`.
    pub fn run(&mut self, test: &Test, address: u64) -> Outcome {
        let m = &mut self.machine;
        m.storage.write(Absolute(SCRATCH & !(PAGE - 1)), &[0; 2 * PAGE as usize]).expect("the scratch pages exist");
        m.load(&test.before);
        let mut text = test.text.clone();
        text.extend_from_slice(&[0, 0]); // no instruction: an operation exception right here is the test's end
        m.storage.write(Absolute(address), &text).expect("the text lies in storage");
        m.state.set_psw_mask(self.psw);
        m.state.ia = address;
        // A panic is our own bug: reported as any other difference, with the test that shows it.
        let event = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| m.run(200_000))) {
            Ok(event) => event,
            Err(panic) => {
                let why = panic.downcast_ref::<String>().map(String::as_str);
                let why = why.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Event::Other(format!("panic: {why}"))
            }
        };
        let outcome = Outcome { after: m.registers(), event, address: m.state.ia };
        if matches!(&outcome.event, Event::Other(why) if why.starts_with("panic")) {
            let patience = self.patience;
            *self = Ours::new();
            if let Some(executions) = patience {
                self.set_patience(executions);
            }
        }
        outcome
    }
}

/// One on each engine.
pub struct Engines([(&'static str, Ours); 2]);

impl Engines {
    /// What is interpreted, and what is translated when it is executed for the first time.
    pub fn new() -> Engines {
        Engines([("interpreted", 0), ("translated", 1)].map(|(engine, patience)| {
            let mut ours = Ours::new();
            ours.set_patience(patience);
            (engine, ours)
        }))
    }

    /// As [`Ours::run`], on each.
    pub fn run(&mut self, test: &Test, address: u64) -> [(&'static str, Outcome); 2] {
        self.0.each_mut().map(|(engine, ours)| (*engine, ours.run(test, address)))
    }

    /// Instructions that were executed as host code.
    pub fn translated() -> u64 {
        engine::statistics().executed
    }
}

impl Default for Engines {
    fn default() -> Engines {
        Engines::new()
    }
}

impl Default for Ours {
    fn default() -> Ours {
        Ours::new()
    }
}
