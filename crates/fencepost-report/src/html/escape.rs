//! Text that is not ours, where markup is expected.

/// Between tags and within attributes in quotation marks.
pub(super) fn text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            // A page cannot have them.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// The same, with names in backquotes as code.
pub(super) fn prose(words: &str) -> String {
    let mut safe = String::new();
    let mut rest = words;
    while let Some((before, code, after)) =
        rest.split_once('`').and_then(|(before, rest)| rest.split_once('`').map(|(code, after)| (before, code, after)))
    {
        safe += &format!("{}<code>{}</code>", text(before), text(code));
        rest = after;
    }
    safe + &text(rest)
}

/// JSON as the content of a script element, which ends at `</script` wherever that stands.
pub(super) fn json(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            super::text("<a href=\"x\" b='&'>\u{1b}\n"),
            "&lt;a href=&quot;x&quot; b=&#39;&amp;&#39;&gt;\u{fffd}\n"
        );
        assert_eq!(super::prose("`<a>` and `b` or `c"), "<code>&lt;a&gt;</code> and <code>b</code> or `c");
        let text = "</script><!--<script>&";
        let safe = super::json(&serde_json::to_string(text).expect("a string"));
        assert!(!safe.contains(['<', '>', '&']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("well-formed"), text);
    }
}
