//! Hexadecimal floating point (POP, chapter 18).

use crate::prelude::*;

instructions! {}
