//! Decimal instructions (POP, chapter 8).

use crate::prelude::*;

instructions! {}
