//! Vector instructions (POP, chapters 21 to 25).

use crate::prelude::*;

instructions! {}
