//! The page: what is there without a script, and the data for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::escape::{json, prose, text};
use super::view::Category;
use super::{Answer, Entry, FINDING_SCRIPT, FINDING_STYLE, Origin, Part, Text};

const PAGE_SCRIPT: &str = include_str!("../../assets/page.js");
const PAGE_STYLE: &str = include_str!("../../assets/page.css");
/// Fewer findings than this are seen at a glance.
const MANY: usize = 6;

/// What the scripts need.
#[derive(Serialize)]
struct Data<'a> {
    findings: Vec<Value>,
    sources: BTreeMap<&'a str, &'a Text>,
}

/// One page with everything that the parts have to say, the worst first.
pub fn page(parts: &[Part], origin: &Origin<'_>) -> String {
    let findings = ranked(parts);
    let data = Data {
        findings: findings.iter().map(with_models).collect(),
        sources: parts.iter().flat_map(|part| &part.sources).map(|(file, text)| (file.as_str(), text)).collect(),
    };
    // Strings and numbers: nothing in them can fail to serialise.
    let data = serde_json::to_string(&data).expect("wire types serialise");
    let answers: Vec<&Answer> = parts.iter().flat_map(|part| &part.answers).collect();
    let conclusion = conclusion(&findings, &answers, parts);
    let mut page = Page(String::new());
    page.head(&conclusion);
    page.line("<body class=\"fp-theme\">\n<a class=\"skip\" href=\"#findings\">To the findings</a>");
    page.line("<header class=\"top\">\n<h1>fencepost</h1>");
    page.line(&format!("<p class=\"conclusion\">{}</p>", text(&conclusion)));
    page.line(&format!("<p class=\"command\"><code>{}</code></p>", text(origin.command)));
    page.line("<button type=\"button\" id=\"theme\" hidden>Colours: automatic</button>\n</header>\n<main>");
    page.line("<noscript><p class=\"notice\">Steps, sources and graphs need JavaScript.</p></noscript>");
    page.findings(&findings);
    page.verdicts(&answers);
    page.notices(parts);
    page.figures(parts, &answers);
    page.line("</main>");
    page.line(&format!("<footer>fencepost {}</footer>", text(origin.version)));
    page.line(&format!("<script type=\"application/json\" id=\"data\">{}</script>", json(&data)));
    for script in [FINDING_SCRIPT, PAGE_SCRIPT] {
        page.line(&format!("<script>{script}</script>"));
    }
    page.line("</body>\n</html>");
    page.0
}

/// What was found, each thing once: what nobody expects first, and then the worst.
fn ranked(parts: &[Part]) -> Vec<Entry> {
    let mut known = BTreeSet::new();
    let mut all: Vec<Entry> = Vec::new();
    for entry in parts.iter().flat_map(|part| &part.findings).filter(|entry| known.insert(&entry.identity)) {
        match all.iter_mut().find(|other| other.subject == entry.subject) {
            Some(same) => same.models.extend(entry.models.iter().cloned()),
            None => all.push(entry.clone()),
        }
    }
    all.sort_by_key(|entry| (entry.is_expected, entry.category));
    all
}

fn with_models(entry: &Entry) -> Value {
    let mut view = entry.view.clone();
    if let Some(also) = entry.models.get(1..).filter(|also| !also.is_empty()) {
        view["also"] = also.into();
    }
    view
}

/// What came of it, in a sentence.
fn conclusion(findings: &[Entry], answers: &[&Answer], parts: &[Part]) -> String {
    let mut notices = parts.iter().flat_map(|part| &part.notices).peekable();
    let is_undecided = answers.iter().any(|answer| answer.tone == "unsure");
    let has_notices = notices.peek().is_some();
    let but = match () {
        () if notices.any(|(what, _)| what.starts_with("error: ")) => Some("not everything could be looked at"),
        () if is_undecided => Some("not everything is decided"),
        () if has_notices => Some("there are remarks below"),
        () => None,
    };
    let expected = findings.iter().filter(|entry| entry.is_expected).count();
    let count = if findings.len() == 1 { "1 finding".into() } else { format!("{} findings", findings.len()) };
    let what = match findings {
        [] if answers.is_empty() && but.is_none() => "Nothing was found in these runs".into(),
        [] => "Nothing was found".into(),
        _ if expected == findings.len() => format!("{count}, all as expected"),
        _ if findings.iter().all(|entry| entry.category == Category::Met) => "What is asked for exists".into(),
        [worst, ..] => format!("{count}, at worst: {}", worst.category.title().to_lowercase()),
    };
    match but {
        Some(but) if findings.is_empty() => format!("{what}, but {but}"),
        Some(but) => format!("{what}, and {but}"),
        None => what,
    }
}

/// For the policy: this script, or this style, may stand in the page.
fn hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn head(&mut self, conclusion: &str) {
        let hashes = |contents: [&str; 2]| contents.map(hash).join(" ");
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'",
            hashes([FINDING_SCRIPT, PAGE_SCRIPT]),
            hashes([FINDING_STYLE, PAGE_STYLE]),
        );
        self.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
        self.line(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"));
        self.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        self.line("<meta name=\"referrer\" content=\"no-referrer\">");
        self.line(&format!("<title>fencepost: {}</title>", text(conclusion)));
        for style in [FINDING_STYLE, PAGE_STYLE] {
            self.line(&format!("<style>{style}</style>"));
        }
        self.line("</head>");
    }

    fn findings(&mut self, findings: &[Entry]) {
        self.line(
            "<section id=\"findings\" aria-labelledby=\"findings-title\">\n<h2 id=\"findings-title\">Findings</h2>",
        );
        if findings.is_empty() {
            self.line("<p>There are none.</p>");
        } else {
            self.counts(findings);
        }
        for (index, entry) in findings.iter().enumerate() {
            self.finding(index, entry);
        }
        self.line("</section>");
    }

    /// How many there are of each category. The script makes filters of them.
    fn counts(&mut self, findings: &[Entry]) {
        self.line("<ul class=\"counts\">");
        for category in Category::ALL {
            let count = findings.iter().filter(|entry| entry.category == category).count();
            if count > 0 {
                let (name, title, what) = (category.as_str(), category.title(), category.explanation());
                self.line(&format!(
                    "<li data-category=\"{name}\"><span class=\"fp-badge fp-{name}\">{count} {title}</span> {what}</li>"
                ));
            }
        }
        self.line("</ul>");
        let many = if findings.len() < MANY { "" } else { " data-many" };
        self.line(&format!("<div class=\"tools\" id=\"tools\" hidden{many}></div>"));
    }

    fn finding(&mut self, index: usize, entry: &Entry) {
        let Entry { category, title, place, message, models, .. } = entry;
        let (name, badge, number) = (category.as_str(), category.title(), index + 1);
        let open = if index == 0 { " open" } else { "" };
        self.line(&format!(
            "<details class=\"finding\" id=\"finding-{number}\" data-index=\"{index}\" data-category=\"{name}\"{open}>"
        ));
        let expected = if entry.is_expected { "<span class=\"fp-badge expected\">expected</span>" } else { "" };
        let under = text(&models.join(", "));
        self.line(&format!(
            "<summary><span class=\"fp-badge fp-{name}\">{badge}</span>{expected}<h3>{}</h3>\
             <span class=\"place\">{} · under {under}</span></summary>",
            prose(title),
            text(place)
        ));
        self.line(&format!("<div class=\"body\"><p>{}</p></div>\n</details>", prose(message)));
    }

    fn verdicts(&mut self, answers: &[&Answer]) {
        if answers.is_empty() {
            return;
        }
        self.line("<section aria-labelledby=\"verdicts-title\">\n<h2 id=\"verdicts-title\">Verdicts</h2>");
        self.table("verdicts", &["file", "verdict", "models", "remarks"]);
        for of_file in answers.chunk_by(|a, b| a.file == b.file) {
            let mut groups: Vec<(&Answer, Vec<&str>)> = Vec::new();
            for answer in of_file {
                let is_alike = |known: &Answer| {
                    (&known.verdict, &known.detail, known.is_expected)
                        == (&answer.verdict, &answer.detail, answer.is_expected)
                };
                match groups.iter_mut().find(|(known, _)| is_alike(known)) {
                    Some((_, models)) => models.push(&answer.model),
                    None => groups.push((answer, vec![&answer.model])),
                }
            }
            for (row, (answer, models)) in groups.iter().enumerate() {
                let Answer { file, verdict, tone, detail, is_expected, .. } = answer;
                let head = match row {
                    0 => format!("<th scope=\"rowgroup\" rowspan=\"{}\">{}</th>", groups.len(), text(file)),
                    _ => String::new(),
                };
                let expected = match is_expected {
                    Some(true) => " <span class=\"muted\">(as expected)</span>",
                    Some(false) => " <strong class=\"bad\">(not as expected)</strong>",
                    None => "",
                };
                self.line(&format!(
                    "<tr>{head}<td><strong class=\"{tone}\">{}</strong>{expected}</td><td>{}</td><td>{}</td></tr>",
                    text(verdict),
                    text(&models.join(", ")),
                    prose(detail)
                ));
            }
        }
        self.line("</tbody>\n</table>\n</div>");
        for answer in answers.iter().filter(|answer| !answer.states.is_empty()) {
            let Answer { file, model, states, .. } = answer;
            self.line(&format!(
                "<details><summary>Final states of {} under {} ({})</summary>\n<ul class=\"states\">",
                text(file),
                text(model),
                states.len()
            ));
            for state in states {
                self.line(&format!("<li><code>{}</code></li>", text(state)));
            }
            self.line("</ul>\n</details>");
        }
        self.line("</section>");
    }

    /// The beginning of a table, which scrolls by itself where it is too wide for the page.
    fn table(&mut self, class: &str, columns: &[&str]) {
        let heads: String = columns.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
        self.line(&format!("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{class}\">"));
        self.line(&format!("<table class=\"{class}\">\n<thead><tr>{heads}</tr></thead>\n<tbody>"));
    }

    fn notices(&mut self, parts: &[Part]) {
        let notices: Vec<_> = parts.iter().flat_map(|part| &part.notices).collect();
        if notices.is_empty() {
            return;
        }
        self.line(
            "<section aria-labelledby=\"notices-title\">\n<h2 id=\"notices-title\">Not decided, not read</h2>\n<ul>",
        );
        for (what, said) in notices {
            self.line(&format!("<li><strong>{}</strong>: {}</li>", text(what), text(said)));
        }
        self.line("</ul>\n</section>");
    }

    fn figures(&mut self, parts: &[Part], answers: &[&Answer]) {
        let remarks: Vec<_> = parts.iter().flat_map(|part| &part.figures).collect();
        if remarks.is_empty() && answers.is_empty() {
            return;
        }
        self.line("<section aria-labelledby=\"figures-title\">\n<h2 id=\"figures-title\">Statistics</h2>");
        for remark in remarks {
            self.line(&format!("<p>{}</p>", text(remark)));
        }
        if !answers.is_empty() {
            self.line("<details><summary>What each verdict took</summary>");
            self.table("figures", &["file", "model", "states", "transitions", "depth", "bits per state"]);
            for Answer { file, model, figures, .. } in answers {
                let mut row = String::new();
                for number in [figures.states, figures.transitions, figures.depth, figures.state_bits] {
                    let _ = write!(row, "<td>{number}</td>");
                }
                self.line(&format!("<tr><th scope=\"row\">{}</th><td>{}</td>{row}</tr>", text(file), text(model)));
            }
            self.line("</tbody>\n</table>\n</div>\n</details>");
        }
        self.line("</section>");
    }
}
