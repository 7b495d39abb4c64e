//! The site in a browser: real clicks, real keys. Pictures of it are left in
//! `target/site-pictures`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::browser::Browser;
use super::{checker, root, run};

/// Compressed, all of it.
const MOST_BYTES: u64 = 3 << 20;
/// From the question to its answer, in a worker that is not there yet. Without other work on the
/// machine it takes a fraction of that (docs/workbench.md); tests run beside other tests.
const FIRST_VERDICT_MS: f64 = 2_000.0;

const SB: &str = "litmus/classic/sb.fp";
/// What cannot be looked at in its entirety, with limits as they are here.
const ENDLESS: &str = "domain 256; global x, y, z; thread t[4] { local a, b; \
    while (1) { x.fadd(1); a = y.load(rlx); z.store(a + b, rlx); b = z.load(rlx); y.fadd(a); } }";

fn source(path: &str) -> String {
    super::read(&root().join(path)).expect("a file")
}

/// The address of the workbench with this program.
fn address(site: &Path, text: &str) -> String {
    use base64::Engine as _;
    let packed = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(text);
    format!("file://{}#fp:{packed}", site.join("workbench/index.html").display())
}

fn pictures(name: &str) -> PathBuf {
    root().join("target/site-pictures").join(name)
}

/// All questions about robustness are answered.
const ANSWERED: &str = "document.querySelectorAll('[data-cell^=check]:disabled').length === 0 && \
    document.querySelectorAll('[data-cell^=check]').length > 3 && document.getElementById('stop').disabled";

fn verdict(browser: &mut Browser, model: &str) -> String {
    browser.text(&format!("[data-cell='check {model}']"))
}

fn is_robust_everywhere(browser: &mut Browser) -> bool {
    let texts = browser.value("[...document.querySelectorAll('[data-cell^=check]')].map((cell) => cell.textContent)");
    texts.as_array().is_some_and(|texts| !texts.is_empty() && texts.iter().all(|text| text == "✓ robust"))
}

fn type_program(browser: &mut Browser, text: &str) {
    browser.click("#text");
    browser.value("document.getElementById('text').select()");
    browser.insert(text);
}

#[test]
fn the_site_works_in_a_browser() {
    if let Err(reason) = checker::compiler() {
        eprintln!("skipped: the workbench in a browser: {reason}");
        return;
    }
    let site = root().join("target/site-tested");
    let profile = root().join("target/site-browser");
    run(&[site.display().to_string()]).expect("the site is built");
    let size = compressed(&site);
    assert!(size < MOST_BYTES, "{size} bytes");
    let mut browser = match Browser::start(&profile) {
        Ok(browser) => browser,
        Err(reason) => {
            eprintln!("skipped: the workbench in a browser: {reason}");
            return;
        }
    };
    let browser = &mut browser;
    first_verdict(browser, &site);
    answers(browser);
    steps(browser);
    repair(browser);
    link(browser);
    problems(browser);
    keys(browser);
    limits(browser);
    stop(browser);
    languages(browser);
    contrast(browser, "workbench");
    narrow(browser);
    book(browser, &site);
    assert_eq!(browser.complaints, Vec::<String>::new());
}

fn compressed(site: &Path) -> u64 {
    let packed = Command::new("sh").args(["-c", "tar -cf - . | gzip -9 | wc -c"]).current_dir(site).output();
    let text = String::from_utf8(packed.expect("tar and gzip").stdout).expect("a number");
    text.trim().parse().expect("a number")
}

fn first_verdict(browser: &mut Browser, site: &Path) {
    browser.open(&address(site, &source(SB)));
    browser.until(ANSWERED);
    let time = |browser: &mut Browser, name: &str| {
        let mark = browser.value(&format!("performance.getEntriesByName('fencepost-{name}')[0].startTime"));
        mark.as_f64().expect("a time")
    };
    let (asked, answered) = (time(browser, "asked"), time(browser, "verdict"));
    println!("first verdict: {:.0} ms after the question, {answered:.0} ms after the page", answered - asked);
    assert!(answered - asked < FIRST_VERDICT_MS);
}

/// Each model has its verdict, and each verdict its explanation.
fn answers(browser: &mut Browser) {
    for model in ["tso", "pso", "pgas", "ra", "rc20", "cpp20"] {
        assert_eq!(verdict(browser, model), "✗ not robust", "{model}");
    }
    browser.click("[data-cell='check ra']");
    assert_eq!(browser.text("#answer h2"), "ra: not robust");
    assert_eq!(browser.value("document.querySelectorAll('#answer .fp-timeline').length"), 1);
    assert_eq!(browser.value("document.querySelectorAll('#answer .fp-graph svg').length > 0"), true);
    browser.click("#verify");
    browser.until("document.querySelector(\"[data-cell='verify sra']\").textContent.startsWith('✓')");
    browser.click("th button[title]");
    assert!(browser.text("#answer h2").starts_with("sc:"));
    browser.click("[data-cell='check tso']");
    assert_eq!(browser.text("#answer h2"), "tso: not robust");
}

/// Steps of the run are lines of the program.
fn steps(browser: &mut Browser) {
    browser.click("[data-cell='check ra']");
    browser.click("#answer [aria-label='To the start']");
    assert!(browser.text("#answer .fp-count").starts_with("start of"));
    browser.click("#answer [aria-label='One step forward']");
    assert!(browser.text("#answer .fp-count").starts_with("step 1 of"));
    let line = browser.text(".gutter .is-step");
    assert!(source(SB).lines().nth(line.parse::<usize>().expect("a number") - 1).is_some_and(|line| line.contains("store")));
    browser.picture(&pictures("steps.png"));
}

/// One click, and the program is robust; another, and it is as it was.
fn repair(browser: &mut Browser) {
    let before = browser.value("document.getElementById('text').value");
    browser.click("[data-repair=all]");
    browser.until("document.querySelector('#repair h2')?.textContent.startsWith('Repaired')");
    browser.until(ANSWERED);
    assert!(is_robust_everywhere(browser));
    let added = browser.text("#repair .fp-added");
    assert!(added.contains("fence") || added.contains("xchg"), "{added}");
    browser.value("scrollTo(0, 0)");
    browser.picture(&pictures("repaired.png"));
    browser.click("#repair button");
    browser.until(ANSWERED);
    assert_eq!(browser.value("document.getElementById('text').value"), before);
    assert!(!is_robust_everywhere(browser));
}

/// The address has the program.
fn link(browser: &mut Browser) {
    type_program(browser, "// Über 🦀\nglobal x;\nthread t { x.store(1); }\n");
    browser.until("location.hash.startsWith('#fp=')");
    browser.until(ANSWERED);
    let address = browser.value("location.href");
    let text = browser.value("document.getElementById('text').value");
    browser.open(address.as_str().expect("an address"));
    browser.until(ANSWERED);
    assert_eq!(browser.value("document.getElementById('text').value"), text);
    browser.click("#share");
    browser.until("document.getElementById('shared').textContent !== ''");
}

/// What is wrong is said while one types, and there.
fn problems(browser: &mut Browser) {
    type_program(browser, "global x;\nthread t { y.store(1); }\n");
    browser.until("document.querySelector('#problems li') !== null");
    assert!(browser.text("#problems li").contains("line 2"));
    assert_eq!(browser.text(".sheet pre .has-error"), "y");
    assert_eq!(browser.text("#status"), "This is not a program yet.");
    browser.picture(&pictures("problem.png"));
    browser.click("#problems li button");
    browser.insert("x");
    browser.until(ANSWERED);
    assert!(is_robust_everywhere(browser));
    assert_eq!(browser.value("document.querySelector('#problems li')"), serde_json::Value::Null);
}

/// Without a mouse.
fn keys(browser: &mut Browser) {
    type_program(browser, "global x; thread t{x.store(1);}");
    browser.until(ANSWERED);
    browser.press("Tab", 9, 0);
    assert_eq!(browser.value("document.getElementById('text').value.endsWith('}  ')"), true);
    browser.press("Tab", 9, 8);
    // Escape lets the next Tab leave.
    browser.press("Escape", 27, 0);
    browser.press("Tab", 9, 0);
    assert_eq!(browser.value("document.activeElement.id !== 'text'"), true);
    browser.click("#format");
    browser.until("document.getElementById('text').value.split('\\n').length > 3");
    browser.until(ANSWERED);
    browser.value("document.getElementById('live').checked = false");
    browser.insert(" ");
    browser.until("document.getElementById('status').textContent.startsWith('Changed')");
    browser.press("Enter", 13, 2);
    browser.until(ANSWERED);
    browser.value("document.getElementById('live').checked = true");
}

/// What a limit prevents is not known.
fn limits(browser: &mut Browser) {
    browser.value("document.querySelector('.limits').open = true");
    browser.value("document.getElementById('states').value = '1000'");
    type_program(browser, ENDLESS);
    browser.until(ANSWERED);
    for model in ["ra", "cpp20"] {
        assert_eq!(verdict(browser, model), "? unknown", "{model}");
    }
    browser.click("[data-cell='check ra']");
    assert!(browser.text("#answer").contains("1000"), "the limit is named");
    assert!(!browser.text("#status").contains("robust: ra"));
    browser.value("document.getElementById('states').value = '2000000'");
}

/// A search that is stopped is not known either, and others go on.
fn stop(browser: &mut Browser) {
    browser.value("document.getElementById('states').value = '4000000000'");
    browser.value("document.getElementById('time').value = '100000'");
    browser.value("document.getElementById('memory').value = '1500'");
    browser.click("#check");
    browser.until("[...document.querySelectorAll('[data-cell]')].some((cell) => /… .* states/.test(cell.textContent))");
    browser.click("#stop");
    browser.until(ANSWERED);
    assert_eq!(verdict(browser, "ra"), "? unknown");
    browser.value("document.getElementById('states').value = '2000000'");
    browser.value("document.getElementById('time').value = '20'");
    browser.value("document.querySelector('.limits').open = false");
    type_program(browser, &source("litmus/classic/sb+fences.fp"));
    browser.until(ANSWERED);
    assert!(is_robust_everywhere(browser));
}

/// Examples come in several languages.
fn languages(browser: &mut Browser) {
    let choose = "(() => { const list = document.getElementById('example'); list.value = 'c/mp+rlx.litmus'; \
                  list.dispatchEvent(new Event('change')); })()";
    browser.value(choose);
    browser.until("document.getElementById('language').value === 'litmus'");
    browser.until(ANSWERED);
    assert_eq!(verdict(browser, "cpp20"), "✗ not robust");
    assert_eq!(verdict(browser, "tso"), "✓ robust");
}

/// Text and what is behind it differ as the guidelines ask for (AA), in the light and in the dark.
fn contrast(browser: &mut Browser, name: &str) {
    let script = include_str!("contrast.js");
    for theme in ["light", "dark"] {
        browser.value(&format!("document.documentElement.dataset.theme = '{theme}'"));
        let poor = browser.value(script);
        assert_eq!(poor, serde_json::json!([]), "{name}, {theme}");
        browser.picture(&pictures(&format!("{name}-{theme}.png")));
    }
    browser.value("delete document.documentElement.dataset.theme");
}

/// On a small screen nothing is wider than it.
fn narrow(browser: &mut Browser) {
    let size = |width: u32| serde_json::json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    browser.tell("Emulation.setDeviceMetricsOverride", size(390));
    assert_eq!(browser.value("document.documentElement.scrollWidth <= innerWidth"), true);
    browser.picture(&pictures("narrow.png"));
    browser.tell("Emulation.clearDeviceMetricsOverride", serde_json::json!({}));
}

/// Every page of the book can be read, and every link in it leads somewhere.
fn book(browser: &mut Browser, site: &Path) {
    browser.open(&format!("file://{}", site.join("index.html").display()));
    browser.until("document.querySelector('main h1') !== null");
    contrast(browser, "book");
    let pages = browser.value("[...document.querySelectorAll('.menu a')].map((link) => link.href)");
    let pages: Vec<String> = serde_json::from_value(pages).expect("addresses");
    assert!(pages.len() >= 5, "{pages:?}");
    for page in &pages {
        browser.open(page);
        let heading = browser.value("document.querySelector('main h1, main h2') !== null");
        assert_eq!(heading, true, "{page}");
        let links = browser.value("[...document.querySelectorAll('main a')].map((link) => link.href)");
        for link in serde_json::from_value::<Vec<String>>(links).expect("addresses") {
            let Some(path) = link.strip_prefix("file://") else { continue };
            let (path, fragment) = path.split_once('#').map_or((path, None), |(path, id)| (path, Some(id)));
            let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{page}: {link}: {error}"));
            let is_there = |id: &str| id.starts_with("fp:") || text.contains(&format!("id=\"{id}\""));
            assert!(fragment.is_none_or(is_there), "{page}: nothing has the name in {link}");
        }
    }
    browser.click("header a[href$='workbench/index.html']");
    browser.until(ANSWERED);
    browser.picture(&pictures("first.png"));
}
