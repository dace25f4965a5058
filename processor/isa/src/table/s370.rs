//! Instructions of System/370 that later architectures dropped.

use crate::prelude::*;

instructions! {}
