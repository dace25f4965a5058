//! A guest that is interpreted: its storage is part of a space of its host (START INTERPRETIVE EXECUTION).
//!
//! The guest's CPU is a [`State`] like any other, over the *host's* storage. Wherever a `State` holds an [`Absolute`]
//! that it got from the access path, that is a frame of the host's. The one place where a guest absolute address
//! becomes one is [`State::reach`], after prefixing and before the TLB. So an entry of the TLB holds both translations
//! at once. What is decoded, marked and translated to host code is found by the same addresses as everything else. A
//! CPU that is no guest pays one test where it translates, and nothing where it finds.
//!
//! Where the host has no frame, the instruction ends in [`Interruption::Host`] with nothing changed. The exception is
//! the host's, and the guest executes the instruction again when the host has seen to it.

use crate::dat::{Fault, HostFault, Place};
use crate::exception_id::FETCH_STORE_INDICATION;
use crate::state::{Access, At, HostSpace, Interpretation, Interruption, Space, State};
use arch::{Absolute, PAGE, Program, Real};

impl HostSpace {
    /// The storage from `first` to `last` of the primary space that `host` has now.
    pub fn of(host: &State, first: u64, last: u64) -> HostSpace {
        HostSpace {
            asce: host.cr[1],
            prefix: host.prefix,
            rules: host.dat_rules(),
            indicates: host.has(FETCH_STORE_INDICATION),
            first,
            last,
        }
    }
}

impl State {
    /// Makes this CPU, which is not running, one that `host` interprets, in `space` and with `prefix`; or, if it is
    /// one, goes on there. Translations are kept if they still hold. The prefix area must lie in the space; if it is
    /// not there to be stored into, that is the host's exception.
    pub fn interpret_in(
        &mut self,
        host: &State,
        space: HostSpace,
        prefix: u64,
    ) -> Result<&mut Interpretation, HostFault> {
        let mut frames = [Absolute(0); 2];
        for (n, frame) in frames.iter_mut().enumerate() {
            let at = Absolute(prefix + n as u64 * PAGE);
            *frame = space.frame(self.storage(), at, Access::Store).map_err(|fault| match fault {
                Fault::Host(fault) => fault,
                Fault::Own { code, .. } => HostFault { code, id: at.0 },
            })?;
        }
        let holds = self.prefix == prefix && self.interpretation.as_ref().is_some_and(|i| i.space == space);
        self.prefix = prefix;
        if !holds {
            self.purge_tlb();
        }
        let interpretation = Interpretation {
            space,
            host: (host.shared().clone(), host.address),
            prefix: frames,
            load_control: 0,
            interceptions: 0,
            controls: 0,
            per: false,
            control_area: None,
            fault: None,
            purged: false,
        };
        Ok(self.interpretation.insert(Box::new(interpretation)))
    }

    /// Where in storage an absolute address is: there, unless the CPU is interpreted.
    #[inline]
    pub(crate) fn reach(&self, at: Absolute, access: Access) -> Result<Absolute, Fault> {
        match &self.interpretation {
            None => Ok(at),
            Some(interpretation) => interpretation.space.frame(self.storage(), at, access),
        }
    }

    /// Where the frame is that the CPU knows by this absolute address; an addressing exception if it does not exist.
    pub fn frame(&mut self, at: Absolute, access: Access) -> Result<Absolute, Interruption> {
        let found = self.reach(at, access).and_then(|frame| match self.storage().key(frame) {
            Ok(_) => Ok(frame),
            Err(_) => Err(Program::Addressing.into()),
        });
        found.map_err(|fault| self.access_exception(fault, at.0, Space::Real, access))
    }

    /// Where the host's tables have these two operands, if it lacks a page of one of them at least and no other
    /// exception is to be recognized first: see [`arch::interpretation::entry`].
    pub fn host_entries(&mut self, operands: [At; 2]) -> Option<[u64; 2]> {
        let mut entries = [(0, false); 2];
        for (found, at) in entries.iter_mut().zip(operands) {
            let (asce, _) = self.resolve_space(Space::Mode { ar: at.ar }).ok()?;
            let place = match asce {
                Some(asce) => self.walk(asce, at.address).ok()?.place,
                None => Place::Real(Real(at.address)),
            };
            let absolute = match place {
                Place::Real(real) => self.absolute(real),
                Place::Absolute(absolute) => absolute,
            };
            *found = self.interpretation.as_ref()?.space.entry(self.storage(), absolute)?;
        }
        let [(first, first_missing), (second, second_missing)] = entries;
        (first_missing || second_missing).then_some([first, second])
    }

    /// The host has no frame for what an instruction needs.
    pub(crate) fn host_fault(&mut self, fault: HostFault) -> Interruption {
        if let Some(interpretation) = &mut self.interpretation {
            interpretation.fault = Some(fault);
        }
        Interruption::Host
    }

    /// The doubleword at a location of the prefix area.
    pub fn assigned_u64(&mut self, real: Real) -> u64 {
        self.load_real_u64(real.0)
    }
}
