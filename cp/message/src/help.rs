//! HELP that is taken from the source: the comment above a function is what HELP says of it.

/// The documentation comment above the public function `name` in `source`, line by line.
pub fn documentation(source: &'static str, name: &str) -> Vec<&'static str> {
    let Some(end) = source.find(&format!("pub fn {name}(")) else { return Vec::new() };
    let mut lines: Vec<&str> = source[..end].lines().rev().map_while(|line| line.strip_prefix("///")).collect();
    lines.reverse();
    lines.into_iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect()
}
