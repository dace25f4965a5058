//! I/O instructions (POP, chapter 14).

use crate::prelude::*;

instructions! {}
