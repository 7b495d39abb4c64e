//! Figures and tables as text, for every kind of benchmark.

use std::path::Path;

/// None of no values.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// Three significant digits, with a unit.
pub(crate) fn seconds(time: f64) -> String {
    match time {
        time if time < 0.0995 => format!("{:.1} ms", time * 1e3),
        time if time < 0.9995 => format!("{:.0} ms", time * 1e3),
        time if time < 9.995 => format!("{time:.2} s"),
        time => format!("{time:.1} s"),
    }
}

/// In binary megabytes.
pub(crate) fn mebibytes(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes < 10.0 { format!("{mebibytes:.1} MiB") } else { format!("{mebibytes:.0} MiB") }
}

/// Thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A ratio; nothing if there is none.
pub(crate) fn times(ratio: Option<f64>) -> String {
    match ratio {
        None => String::new(),
        Some(ratio) if ratio < 9.95 => format!("{ratio:.1}×"),
        Some(ratio) => format!("{ratio:.0}×"),
    }
}

/// Puts a new block between the markers that a page has for a kind of benchmark.
pub(crate) fn insert(page: &str, kind: &str, block: &str) -> Result<String, String> {
    let begin = format!("<!-- bench {kind}: begin (written by `cargo xtask bench`) -->");
    let end = format!("<!-- bench {kind}: end -->");
    let parts = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("no place for the tables: `{begin}` … `{end}`"))?;
    let lines: Vec<String> = block.trim().lines().map(wrapped).collect();
    Ok(format!("{before}{begin}\n\n{}\n\n{end}{after}", lines.join("\n")))
}

/// A line as lines of at most 100 columns, as pages have them. Rows of tables and pictures stay whole.
fn wrapped(line: &str) -> String {
    if line.starts_with(['|', '!']) {
        return line.to_string();
    }
    let indent = if line.starts_with("- ") { "\n  " } else { "\n" };
    let mut text = String::new();
    let mut column = 0;
    for word in line.split_inclusive(' ') {
        if column + word.trim_end().chars().count() > 100 {
            text.truncate(text.trim_end().len());
            text += indent;
            column = indent.len() - 1;
        }
        text += word;
        column += word.chars().count();
    }
    text
}

/// The same for the page of all benchmarks.
pub(crate) fn insert_in_page(kind: &str, block: &str) -> Result<(), String> {
    let page = Path::new("docs/benchmarks.md");
    let fail = |error: std::io::Error| format!("{}: {error}", page.display());
    let text = std::fs::read_to_string(page).map_err(fail)?;
    std::fs::write(page, insert(&text, kind, block)?).map_err(fail)
}

/// Every row of a table has as many cells as the first.
#[cfg(test)]
pub(crate) fn assert_tables_are_whole(text: &str) {
    let mut columns = None;
    for line in text.lines() {
        if line.starts_with('|') {
            let bars = line.matches('|').count();
            assert_eq!(*columns.get_or_insert(bars), bars, "{line}");
        } else {
            columns = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_means() {
        assert_eq!(geometric_mean(&[]), None);
        let close = |values: &[f64], expected: f64| {
            (geometric_mean(values).expect("values") - expected).abs() < 1e-9 * expected
        };
        assert!(close(&[7.0], 7.0));
        assert!(close(&[2.0, 8.0], 4.0));
        assert!(close(&[0.1, 10.0, 1.0], 1.0));
    }

    #[test]
    fn figures_have_units() {
        assert_eq!([0.0012, 0.25, 1.5, 12.34].map(seconds), ["1.2 ms", "250 ms", "1.50 s", "12.3 s"]);
        assert_eq!([1, 999, 1000, 1_234_567].map(grouped), ["1", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
        assert_eq!([3 << 19, 100 << 20].map(mebibytes), ["1.5 MiB", "100 MiB"]);
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let long = format!("- {}", "seventeen letters ".repeat(6));
        let first = format!("- {}", "seventeen letters ".repeat(5));
        let lines = format!("{}\n  seventeen letters ", first.trim_end());
        assert_eq!(wrapped(&long), lines);
        let row = format!("| {long} |");
        assert_eq!((wrapped(&row), wrapped("short ")), (row, "short ".to_string()));
    }

    #[test]
    fn a_block_replaces_the_one_before() {
        let page =
            "intro\n<!-- bench x: begin (written by `cargo xtask bench`) -->\nold\n<!-- bench x: end -->\noutro\n";
        let once = insert(page, "x", "new\n").expect("markers");
        assert_eq!(once, page.replace("\nold\n", "\n\nnew\n\n"));
        assert_eq!(insert(&once, "x", "new\n"), Ok(once.clone()));
        assert!(insert(page, "y", "new").is_err());
    }
}
