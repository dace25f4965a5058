//! The channel subsystem's side of a unit: a reader's cards come from spool files, a punch's and a printer's go there.

use crate::unit::{SharedUnit, lock_unit};
use devices::{Card, NotReady, Printer1403, Punch2540, Reader2540, RecordSink, RecordSource};
use directory::SpoolKind;
use spool::Shared;

struct Cards {
    unit: SharedUnit,
    spool: Shared,
}

impl RecordSource for Cards {
    fn read(&mut self) -> Card {
        let mut unit = lock_unit(&self.unit);
        if unit.not_ready { Card::Empty } else { unit.read(&self.spool) }
    }
}

impl RecordSink for Cards {
    fn record(&mut self, command: u8, data: &[u8]) -> Result<(), NotReady> {
        let mut unit = lock_unit(&self.unit);
        if unit.not_ready { Err(NotReady) } else { unit.write(&self.spool, command, data) }
    }
}

/// The channel subsystem's device for a unit.
pub fn device(unit: &SharedUnit, spool: &Shared) -> Box<dyn css::Device> {
    let cards = Box::new(Cards { unit: unit.clone(), spool: spool.clone() });
    let kind = lock_unit(unit).kind;
    match kind {
        SpoolKind::Reader => {
            let reader = Reader2540::new(cards);
            lock_unit(unit).ready = Some(reader.ready_switch());
            Box::new(reader)
        }
        SpoolKind::Punch => Box::new(Punch2540::new(cards)),
        SpoolKind::Printer => Box::new(Printer1403::new(cards)),
    }
}
