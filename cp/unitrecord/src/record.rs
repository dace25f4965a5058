//! SPOOL CONSOLE START: a console's lines on their way to its file.

use crate::unit::{SharedUnit, lock_unit};
use base::ebcdic;
use consoles::Record;
use spool::Shared;

/// WRITE, SPACE 1.
const PRINT: u8 = 0x09;
/// The print positions of the printer that a console's file would be printed on.
const WIDTH: usize = 132;

/// Writes a console's lines to its spool file.
pub struct Recorder {
    unit: SharedUnit,
    spool: Shared,
    /// The line that the guest has not ended yet.
    partial: String,
}

impl Recorder {
    /// A recorder that writes on `unit`, in a file of `spool`.
    pub fn new(unit: SharedUnit, spool: Shared) -> Recorder {
        Recorder { unit, spool, partial: String::new() }
    }

    /// Records a line that the guest has not ended.
    fn flush(&mut self) {
        if !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            self.put(&line);
        }
    }

    fn put(&self, line: &str) {
        let line = ebcdic::from_str(line);
        let mut unit = lock_unit(&self.unit);
        // A console does not stop because its record cannot be kept.
        let _ = unit.write(&self.spool, PRINT, &line[..line.len().min(WIDTH)]);
        for more in line.chunks(WIDTH).skip(1) {
            let _ = unit.write(&self.spool, PRINT, more);
        }
    }
}

impl Record for Recorder {
    fn line(&mut self, text: &str) {
        self.flush();
        self.put(text);
    }

    fn print(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            self.partial.push_str(line);
            if lines.peek().is_some() {
                let line = std::mem::take(&mut self.partial);
                self.put(&line);
            } else if self.partial.len() >= 4 * WIDTH {
                self.flush();
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
    }
}
