//! Columns and paragraphs of plain text.

/// Every line of `text` broken into lines of at most `width` characters where words allow it.
pub fn paragraphs(text: &str, width: usize) -> String {
    text.lines().map(|line| wrap(line, width).join("\n") + "\n").collect()
}

/// One column of a table: how its cells are aligned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Rows with aligned columns, two spaces between them. The last column is not padded.
pub(super) fn table<const N: usize>(aligns: [Align; N], rows: &[[String; N]]) -> Vec<String> {
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for column in 0..N {
                let padding = " ".repeat(widths[column] - row[column].chars().count());
                match aligns[column] {
                    Align::Right => line += &(padding + &row[column]),
                    Align::Left => line += &(row[column].clone() + &padding),
                }
                if column + 1 < N {
                    line += "  ";
                }
            }
            line.trim_end().to_string()
        })
        .collect()
}

/// At most `width` characters, the last one `…` when something was cut.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// `text` broken into lines of at most `width` characters where words allow it.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}
