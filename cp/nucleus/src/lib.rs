//! nucleus
