//! The book: `docs/` as pages. `docs/SUMMARY.md` says which pages there are and in which order.
//!
//! Markdown is read by `pulldown-cmark`. What is done here besides: headings get anchors as they
//! have where the sources are read, links to pages become links to their `.html`, and programs get a
//! link to the workbench.

use std::fs;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::{escape, read, write};

const STYLE: &str = include_str!("book.css");

/// A line of the table of contents.
#[derive(Debug)]
enum Entry {
    Part(String),
    Page(Page),
}

#[derive(Clone, Debug)]
struct Page {
    title: String,
    /// Below `docs/`, with `/`.
    path: String,
    depth: usize,
}

impl Page {
    /// Below the site. The first page is also the first of the site.
    fn target(&self) -> String {
        let stem = self.path.strip_suffix(".md").unwrap_or(&self.path);
        format!("{stem}.html")
    }
}

/// Writes the book to `out`.
pub(super) fn build(docs: &Path, out: &Path, has_workbench: bool) -> Result<(), String> {
    let entries = contents(&read(&docs.join("SUMMARY.md"))?);
    let pages: Vec<&Page> =
        entries.iter().filter_map(|entry| if let Entry::Page(page) = entry { Some(page) } else { None }).collect();
    for (index, page) in pages.iter().enumerate() {
        let text = read(&docs.join(&page.path))?;
        let around = [index.checked_sub(1).map(|before| pages[before]), pages.get(index + 1).copied()];
        let view = View { entries: &entries, page, around, has_workbench };
        write(&out.join(page.target()), view.html(&text))?;
        if index == 0 {
            let target = escape(&page.target());
            let forward = format!(
                "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>fencepost</title>\n<meta http-equiv=\"refresh\" content=\"0; url={target}\">\n<a href=\"{target}\">fencepost</a>\n"
            );
            write(&out.join("index.html"), forward)?;
        }
    }
    write(&out.join("book.css"), STYLE)?;
    write(&out.join("finding.css"), read(&super::root().join("crates/fencepost-report/assets/finding.css"))?)?;
    write(&out.join("theme.js"), read(&super::root().join("crates/fencepost-web/www/theme.js"))?)?;
    pictures(docs, docs, out)
}

/// What a line of `SUMMARY.md` says: a part, or a page.
fn contents(summary: &str) -> Vec<Entry> {
    let entry = |line: &str| {
        if let Some(part) = line.strip_prefix("# ") {
            return (part != "Summary").then(|| Entry::Part(part.to_string()));
        }
        let (before, rest) = line.split_once('[')?;
        let (title, rest) = rest.split_once("](")?;
        let (path, _) = rest.split_once(')')?;
        let depth = before.chars().take_while(|c| *c == ' ').count() / 2;
        Some(Entry::Page(Page { title: title.to_string(), path: path.trim_start_matches("./").to_string(), depth }))
    };
    summary.lines().filter_map(entry).collect()
}

/// Everything in `docs/` that is a picture.
fn pictures(docs: &Path, folder: &Path, out: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() {
            pictures(docs, &path, out)?;
        } else if path.extension().is_some_and(|extension| extension == "svg" || extension == "png") {
            let inner = path.strip_prefix(docs).unwrap_or(&path);
            write(&out.join(inner), fs::read(&path).map_err(told)?)?;
        }
    }
    Ok(())
}

/// What a page needs to know.
struct View<'a> {
    entries: &'a [Entry],
    page: &'a Page,
    around: [Option<&'a Page>; 2],
    has_workbench: bool,
}

impl View<'_> {
    /// From this page to the top of the site.
    fn up(&self) -> String {
        "../".repeat(self.page.path.matches('/').count())
    }

    fn html(&self, text: &str) -> String {
        let up = self.up();
        let title = escape(&plain(&self.page.title));
        let workbench = if self.has_workbench {
            format!("<a href=\"{up}workbench/index.html\">Workbench</a>")
        } else {
            String::new()
        };
        let step = |page: Option<&Page>, kind: &str, sign: &str| {
            page.map_or(String::new(), |page| {
                format!("<a rel=\"{kind}\" href=\"{up}{}\">{sign} {}</a>", escape(&page.target()), inline(&page.title))
            })
        };
        let (before, after) = (step(self.around[0], "prev", "←"), step(self.around[1], "next", "→"));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · fencepost</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{up}finding.css\">\n\
             <link rel=\"stylesheet\" href=\"{up}book.css\">\n<script src=\"{up}theme.js\"></script>\n</head>\n\
             <body class=\"fp-theme\">\n<a class=\"skip\" href=\"#page\">To the text</a>\n\
             <header class=\"top\"><a class=\"name\" href=\"{up}index.html\">fencepost</a> {workbench}\n\
             <button type=\"button\" id=\"theme\">Theme</button></header>\n<div class=\"book\">\n{}\n\
             <main id=\"page\">\n{}\n<nav class=\"steps\" aria-label=\"Neighbours\">{before} {after}</nav>\n</main>\n</div>\n</body>\n</html>\n",
            self.menu(),
            self.body(text),
        )
    }

    /// All pages.
    fn menu(&self) -> String {
        let up = self.up();
        let line = |entry: &Entry| match entry {
            Entry::Part(title) => format!("<li class=\"part\">{}</li>\n", escape(title)),
            Entry::Page(page) => {
                let here = if page.path == self.page.path { " aria-current=\"page\"" } else { "" };
                let target = escape(&page.target());
                let depth = page.depth;
                format!("<li class=\"depth-{depth}\"><a href=\"{up}{target}\"{here}>{}</a></li>\n", inline(&page.title))
            }
        };
        let lines: String = self.entries.iter().map(line).collect();
        // Open where there is room for it beside the text (book.css).
        format!(
            "<nav class=\"menu\" aria-label=\"Contents\"><details open><summary>Contents</summary><ul>\n{lines}</ul></details></nav>"
        )
    }

    /// The page itself.
    fn body(&self, text: &str) -> String {
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
        let mut anchors: Vec<String> = Vec::new();
        let mut outside = Vec::new();
        for index in 0..events.len() {
            let new = match &events[index] {
                Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                    let heading: String = events[index + 1..].iter().map_while(words).collect();
                    let anchor = unique(anchor(&heading), &mut anchors);
                    let (level, classes, attrs) = (*level, classes.clone(), attrs.clone());
                    Some(Event::Start(Tag::Heading { level, id: Some(anchor.into()), classes, attrs }))
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let target = self.link(dest_url);
                    outside.push(target.is_none());
                    Some(match target {
                        Some(target) => Event::Start(Tag::Link {
                            link_type: *link_type,
                            dest_url: target.into(),
                            title: title.clone(),
                            id: id.clone(),
                        }),
                        // Only the sources have it.
                        None => Event::InlineHtml(CowStr::from(format!(
                            "<span title=\"{} in the sources\">",
                            escape(dest_url)
                        ))),
                    })
                }
                Event::End(TagEnd::Link) => {
                    outside.pop().is_some_and(|is| is).then(|| Event::InlineHtml("</span>".into()))
                }
                _ => None,
            };
            if let Some(new) = new {
                events[index] = new;
            }
        }
        let mut body = String::new();
        html::push_html(&mut body, with_extras(events, &self.up(), self.has_workbench).into_iter());
        body
    }

    /// Where a link leads on the site; nothing, if it leaves `docs/`.
    fn link(&self, target: &str) -> Option<String> {
        if target.contains("://") || target.starts_with("mailto:") || target.starts_with('#') {
            return Some(target.to_string());
        }
        let (file, fragment) =
            target.split_once('#').map_or((target, String::new()), |(file, id)| (file, format!("#{id}")));
        let from = Path::new(&self.page.path).parent().unwrap_or(Path::new(""));
        let mut inner = PathBuf::new();
        for part in from.join(file).components() {
            match part {
                Component::ParentDir if !inner.pop() => return None,
                Component::ParentDir | Component::CurDir => {}
                part => inner.push(part),
            }
        }
        let is_page =
            self.entries.iter().any(|entry| matches!(entry, Entry::Page(page) if Path::new(&page.path) == inner));
        match file.strip_suffix(".md") {
            Some(stem) if is_page => Some(format!("{stem}.html{fragment}")),
            None if file.ends_with(".svg") || file.ends_with(".png") => Some(target.to_string()),
            _ => None,
        }
    }
}

/// The words of a heading, up to its end.
fn words<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::End(TagEnd::Heading(_)) => None,
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => Some(""),
    }
}

/// As the places where sources are read make them.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// A second heading of the same name gets a number.
fn unique(anchor: String, known: &mut Vec<String>) -> String {
    let count = known.iter().filter(|other| **other == anchor).count();
    known.push(anchor.clone());
    if count == 0 { anchor } else { format!("{anchor}-{count}") }
}

/// Wide tables can be scrolled; programs can be opened.
fn with_extras<'a>(events: Vec<Event<'a>>, up: &str, has_workbench: bool) -> Vec<Event<'a>> {
    let html = |text: String| Event::Html(text.into());
    let mut result = Vec::with_capacity(events.len());
    // The block of code that this is in: its language, and its text.
    let mut block: Option<(String, String)> = None;
    for event in events {
        match event {
            Event::Start(Tag::Table(_)) => {
                let region = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">\n";
                result.extend([html(region.into()), event]);
            }
            Event::End(TagEnd::Table) => result.extend([event, html("</div>\n".into())]),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(ref info))) => {
                // Behind the language stands what tests do with it.
                let language = info.split_whitespace().next().unwrap_or_default().to_string();
                block = Some((language, String::new()));
                result.push(event);
            }
            Event::Text(text) => {
                let Some((language, all)) = &mut block else {
                    result.push(Event::Text(text));
                    continue;
                };
                all.push_str(&text);
                // What differs from machine to machine.
                let is_session = language == "console";
                result.push(Event::Text(if is_session { text.replace("[..]", "…").into() } else { text }));
            }
            Event::End(TagEnd::CodeBlock) => {
                result.push(event);
                let program = block.take().filter(|(language, text)| language == "fp" && text.contains("thread "));
                if let Some((_, text)) = program.filter(|_| has_workbench) {
                    let text = BASE64_URL_SAFE_NO_PAD.encode(text);
                    let address = format!("{up}workbench/index.html#fp:{text}");
                    result
                        .push(html(format!("<p class=\"open\"><a href=\"{address}\">Open in the workbench</a></p>\n")));
                }
            }
            event => result.push(event),
        }
    }
    result
}

/// A title with its code words.
fn inline(title: &str) -> String {
    let mut result = String::new();
    let events = Parser::new(title)
        .filter(|event| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)));
    html::push_html(&mut result, events);
    result
}

/// A title without marks.
fn plain(title: &str) -> String {
    title.replace('`', "")
}
