//! Control instructions (POP, chapter 10).

use crate::prelude::*;

instructions! {}
