//! A learning switch: ports come and go, and rules hold for all of them.

use crate::port::Port;
use crate::queue::Settings;
use crate::table::{Rules, Shared};
use base::Clock;
use std::sync::Arc;

/// A switch. Ports keep it: it is there as long as one of them is.
#[derive(Clone)]
pub struct Switch {
    shared: Arc<Shared>,
}

impl Switch {
    /// A switch without ports, whose time is that of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Switch {
        Switch { shared: Arc::new(Shared::new(clock)) }
    }

    /// A new port. Frames for it are dropped until [`Port::set_up`].
    pub fn port(&self, settings: Settings) -> Port {
        let (queue, number) = self.shared.add(settings);
        Port { queue, switch: self.shared.clone(), number }
    }

    /// How many ports it has.
    pub fn ports(&self) -> usize {
        self.shared.ports()
    }

    /// How many addresses it knows.
    pub fn addresses(&self) -> usize {
        self.shared.addresses()
    }

    /// What holds for all ports.
    pub fn rules(&self) -> Rules {
        self.shared.rules()
    }

    /// Changes what holds for all ports.
    pub fn set_rules(&self, rules: Rules) {
        self.shared.set_rules(rules);
    }
}
