//! The report as a picture: a bar for each row, with the floor as a line.

use std::fmt::Write as _;

use crate::report::Report;

/// Positions and sizes, in pixels.
const LEFT: f64 = 150.0;
const WIDTH: f64 = 480.0;
const ROW: f64 = 26.0;
const TOP: f64 = 48.0;

/// Colours of front end, backend and driver. Distinguishable with colour blindness, on white and on black.
const COLORS: [(&str, &str); 3] =
    [("context3d", "#0072b2"), ("backend-gl", "#e69f00"), ("driver", "#999999")];

impl Report {
    /// The report as SVG: a bar for each row, split into front end, backend and driver, with a line at the floor.
    pub fn svg(&self) -> String {
        let largest = self.rows.iter().map(|row| row.total.median()).fold(1.0, f64::max);
        let scale = WIDTH / largest;
        let height = self.rows.iter().fold(TOP, |height, _| height + ROW) + 12.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"{height}\" viewBox=\"0 0 760 {height}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"760\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"12\" y=\"20\" font-weight=\"bold\">Nanoseconds per draw: {}</text>\n",
            escaped(&self.driver)
        );
        let mut x = LEFT;
        for (name, color) in COLORS {
            put(
                &mut svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"29\" width=\"10\" height=\"10\" fill=\"{color}\"/>"
                ),
            );
            put(&mut svg, format_args!("<text x=\"{}\" y=\"38\">{name}</text>", x + 14.0));
            x += 110.0;
        }
        put(&mut svg, format_args!("<text x=\"{x}\" y=\"38\">│ the same calls by hand</text>"));
        let mut y = TOP;
        for row in &self.rows {
            put(
                &mut svg,
                format_args!("<text x=\"12\" y=\"{}\">{}</text>", y + 14.0, escaped(&row.name)),
            );
            let mut x = LEFT;
            let parts = row.parts().unwrap_or([row.total.median(), 0.0, 0.0]);
            for (part, (_, color)) in parts.into_iter().zip(COLORS) {
                let width = part * scale;
                put(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"18\" fill=\"{color}\"/>"
                    ),
                );
                x += width;
            }
            let ratio = row.ratio().map_or(String::new(), |ratio| format!(" ({ratio:.2}×)"));
            put(
                &mut svg,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{}\">{:.0}{ratio}</text>",
                    x + 6.0,
                    y + 14.0,
                    row.total.median()
                ),
            );
            if let Some(floor) = &row.floor {
                let x = LEFT + floor.median() * scale;
                put(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x:.1}\" y=\"{}\" width=\"2\" height=\"24\" fill=\"black\"/>",
                        y - 3.0
                    ),
                );
            }
            y += ROW;
        }
        svg + "</svg>\n"
    }
}

fn put(svg: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = writeln!(svg, "{line}");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
