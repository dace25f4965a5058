//! Pictures of what lies where on a disk, as SVG: a bar for each stretch of it, and below it a line for each piece.

use std::fmt::Write;

/// A stretch of a disk, from 0 to `size`.
pub(super) struct Bar {
    pub title: String,
    pub size: u64,
    /// In the order in which they are listed.
    pub pieces: Vec<Piece>,
}

/// A piece of it, from `first` to the one before `end`.
pub(super) struct Piece {
    pub first: u64,
    pub end: u64,
    pub title: String,
    pub shade: Shade,
}

/// How a piece is coloured.
pub(super) enum Shade {
    Free,
    Wrong,
    /// The same name has the same colour in every picture.
    Of(String),
}

impl Shade {
    fn colour(&self) -> String {
        match self {
            Shade::Wrong => "#d33".into(),
            Shade::Free => "#eee".into(),
            Shade::Of(name) => {
                let hue = name.bytes().fold(7u32, |hue, byte| hue.wrapping_mul(31) + u32::from(byte)) % 360;
                format!("hsl({hue},55%,65%)")
            }
        }
    }
}

/// The picture of some bars, one below the other.
pub(super) fn svg(bars: &[Bar]) -> String {
    const WIDTH: f64 = 900.0;
    const LINE: usize = 18;
    let height = 20 + bars.iter().map(|bar| 90 + LINE * bar.pieces.len()).sum::<usize>();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"940\" height=\"{height}\" font-family=\"monospace\" \
         font-size=\"12\">\n<rect width=\"940\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let mut top = 0;
    for bar in bars {
        let end = bar.pieces.iter().map(|piece| piece.end).max().unwrap_or(0).max(bar.size).max(1);
        let x = |at: u64| 20.0 + at as f64 * WIDTH / end as f64;
        let _ = writeln!(out, "<text x=\"20\" y=\"{}\" font-size=\"16\">{}</text>", top + 24, escaped(&bar.title));
        for (n, piece) in bar.pieces.iter().enumerate() {
            let (left, width) = (x(piece.first), (x(piece.end) - x(piece.first)).max(1.0));
            let (colour, title, y) = (piece.shade.colour(), escaped(&piece.title), top + 104 + LINE * n);
            let _ = write!(
                out,
                "<rect x=\"{left:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"40\" fill=\"{colour}\" stroke=\"#555\" \
                 stroke-width=\"0.5\"><title>{title}</title></rect>\n\
                 <rect x=\"20\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\" stroke=\"#555\"/>\n\
                 <text x=\"38\" y=\"{y}\">{title}</text>\n",
                top + 36,
                y - 9
            );
        }
        top += 90 + LINE * bar.pieces.len();
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
