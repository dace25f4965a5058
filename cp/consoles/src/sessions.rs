//! What the program around CP tells it: what happens at its terminals, and that time passes.

use crate::display::Key;
use crate::terminal::{Kind, Terminal};
use base::Tod;
use std::sync::Arc;

/// CP, as a host with terminals sees it: what happens at a terminal, and time that passes.
pub trait Sessions: Send + Sync {
    /// The time that CP's clock shows.
    fn now(&self) -> Tod;
    /// When [`Sessions::tick`] has something to do next.
    fn deadline(&self) -> Option<Tod>;
    /// Does what is due now.
    fn tick(&self);
    /// A terminal appears. `name` is where it is (`0009`, `L0003`); without one it becomes the next logical device.
    /// `local` says that its user is at this host.
    fn connect(&self, kind: Kind, name: Option<&str>, origin: &str, local: bool) -> Arc<Terminal>;
    /// A key of a display was pressed, with the contents of the fields that were changed.
    fn key(&self, terminal: u32, key: Key, fields: &[String]);
    /// A display has sent a record to a guest that has its screen.
    fn inbound(&self, terminal: u32, record: &[u8]);
    /// A line was typed.
    fn line(&self, terminal: u32, line: &str);
    /// A terminal has shown some of its output: a virtual machine that waits for that goes on.
    fn relieve(&self, terminal: &Terminal);
    /// A terminal is gone.
    fn hang_up(&self, terminal: u32);
    /// A notice on the operator's console.
    fn notify_operator(&self, text: &str);
}
