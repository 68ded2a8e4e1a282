//! Formats tables as text.

/// Aligns the cells of a table's lines in columns. `sides` has a character for each column: `<` aligns left, `>` right.
/// Columns without a character are aligned left.
pub fn aligned(lines: &[Vec<String>], sides: &str) -> Vec<String> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let sides = || sides.chars().chain(std::iter::repeat('<'));
    let cell = |((cell, width), side): ((&String, &usize), char)| match side {
        '>' => format!("{cell:>width$}  "),
        _ => format!("{cell:width$}  "),
    };
    let line =
        |line: &Vec<String>| line.iter().zip(&widths).zip(sides()).map(cell).collect::<String>();
    lines.iter().map(|cells| line(cells).trim_end().to_owned() + "\n").collect()
}

/// Splits a text into words, as cells of a table line.
pub fn cells(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
