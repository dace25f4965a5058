//! Control instructions (POP, chapter 10): bodies.
