//! Decimal floating point (POP, chapter 20).

use crate::prelude::*;

instructions! {}
