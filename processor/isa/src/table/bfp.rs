//! Floating-point support and binary floating point (POP, chapters 9 and 19).

use crate::prelude::*;

instructions! {}
