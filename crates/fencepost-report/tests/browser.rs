//! Pages in a browser: it steps, opens, filters and changes colours as people would have it, and
//! complains about nothing.

use std::fs;
use std::path::PathBuf;

use fencepost_finding::{Evidence, Finding};
use fencepost_report::diagram::Extra;
use fencepost_report::finding;
use fencepost_report::html::{self, Origin, Part};
use fencepost_testkit::browser::{Browser, key};
use serde_json::Value;

use crate::pages::{everything, part_of};
use crate::support::samples;

const STEPS: &str = "#finding-1 .fp-steps";
const COUNT: &str = "#finding-1 .fp-count";
const FORWARD: &str = "#finding-1 [aria-label='One step forward']";
const BACK: &str = "#finding-1 [aria-label='One step back']";

/// A page on disk.
struct Page(PathBuf);

impl Page {
    fn new(name: &str, parts: &[Part]) -> Page {
        let path = std::env::temp_dir().join(format!("fencepost-{name}-{}.html", std::process::id()));
        let page = html::page(parts, &Origin { version: "1.2.3", command: "fencepost check <all> & more" });
        fs::write(&path, page).expect("a file for the page");
        Page(path)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A browser, unless there is none.
fn browser(test: &str, size: (u32, u32)) -> Option<Browser> {
    Browser::start(test, size).map_err(|reason| fencepost_testkit::skipped(test, &reason)).ok()
}

fn sb() -> Part {
    let (_, sample, outcome) = samples::violations().into_iter().find(|(name, ..)| *name == "sb").expect("a sample");
    part_of(&sample, &outcome)
}

#[test]
fn a_run_is_stepped_through() {
    let Some(browser) = browser("steps", (1280, 900)) else { return };
    let page = Page::new("steps", &[sb()]);
    browser.open_file(&page.0);
    // It begins where it goes wrong.
    assert_eq!(browser.text(COUNT), "step 4 of 4");
    let state = browser.text("#finding-1 .fp-state");
    assert!(state.contains("reads 0 from x, the initial value"), "{state}");
    assert!(state.contains("Stale: step 1 (t1) has overwritten it with 1"), "{state}");
    assert!(browser.text(STEPS).contains("⚠ stale"));
    let memory = || browser.text("#finding-1 .fp-memory");
    assert!(memory().contains("x\n0 1\nstep 1") || memory().contains("x 0 1 step 1"), "{}", memory());
    // Buttons.
    browser.click(BACK);
    assert_eq!(browser.text(COUNT), "step 3 of 4");
    browser.click(FORWARD);
    assert_eq!(browser.text(COUNT), "step 4 of 4");
    assert_eq!(browser.run(&format!("return document.querySelector(\"{FORWARD}\").ariaDisabled")), "true");
    // Keys go on where the mouse has stopped.
    browser.press(FORWARD, &[key::LEFT, key::LEFT].concat());
    assert_eq!(browser.text(COUNT), "step 2 of 4");
    // Keys, in the list and on the slider.
    browser.press(STEPS, key::HOME);
    assert_eq!(browser.text(COUNT), "start of 4");
    browser.press(STEPS, &[key::RIGHT, key::RIGHT, key::LEFT].concat());
    assert_eq!(browser.text(COUNT), "step 1 of 4");
    browser.press("#finding-1 input[type=range]", key::RIGHT);
    assert_eq!(browser.text(COUNT), "step 2 of 4");
    browser.press(STEPS, key::END);
    assert_eq!(browser.text(COUNT), "step 4 of 4");
    // A row, and an event of the graph, which show the same step.
    browser.click("#finding-1 .fp-steps tbody tr:nth-child(1)");
    assert_eq!(browser.text(COUNT), "step 1 of 4");
    let current = || browser.run("return document.querySelector('.fp-node.fp-current').dataset.step");
    assert_eq!(current(), "1");
    browser.click("#finding-1 .fp-node[data-step='3']");
    assert_eq!((browser.text(COUNT).as_str(), current()), ("step 3 of 4", Value::from("3")));
    // The whole file.
    browser.click("#finding-1 .fp-whole summary");
    assert!(browser.text("#finding-1 .fp-whole .fp-code").contains("name \"store buffering\";"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn colours_follow_the_reader() {
    let Some(browser) = browser("colours", (1280, 900)) else { return };
    let page = Page::new("colours", &everything());
    browser.open_file(&page.0);
    browser.run("document.querySelectorAll('details').forEach((details) => (details.open = true))");
    let ground = || browser.run("return getComputedStyle(document.body).backgroundColor");
    browser.prefer("light");
    assert_eq!(ground(), "rgb(255, 255, 255)");
    assert_eq!(browser.poor_contrasts(), [""; 0]);
    browser.prefer("dark");
    assert_eq!(ground(), "rgb(21, 23, 28)");
    assert_eq!(browser.poor_contrasts(), [""; 0]);
    browser.click("#theme");
    assert_eq!((browser.text("#theme").as_str(), ground()), ("Colours: light", Value::from("rgb(255, 255, 255)")));
    browser.click("#theme");
    assert_eq!((browser.text("#theme").as_str(), ground()), ("Colours: dark", Value::from("rgb(21, 23, 28)")));
    browser.click("#theme");
    assert_eq!(browser.text("#theme"), "Colours: automatic");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn findings_are_opened_and_filtered() {
    let Some(browser) = browser("filters", (1280, 900)) else { return };
    let page = Page::new("filters", &everything());
    browser.open_file(&page.0);
    let seen = "return [...document.querySelectorAll('.finding')].filter((finding) => finding.offsetParent).length";
    let all = browser.run(seen).as_u64().expect("a number");
    // What is closed is not even made.
    assert_eq!(browser.run("return document.querySelectorAll('.fp-timeline').length"), 1);
    browser.click("#finding-2 > summary");
    assert!(browser.text("#finding-2 .fp-timeline").contains("step by step"));
    // With the keyboard, too.
    browser.press("#finding-3 > summary", key::ENTER);
    assert!(browser.text("#finding-3 .fp-source").contains("Where"));
    browser.click("#tools button:first-child");
    assert!(browser.text(&format!("#finding-{all} .fp-timeline")).contains("step by step"));
    assert_eq!(browser.run("return document.querySelectorAll('.fp-finding').length"), all);
    browser.click("#tools button:nth-child(2)");
    let races = browser.run("return document.querySelectorAll('.finding[data-category=race]').length");
    browser.click(".counts li[data-category=race] button");
    assert_eq!(browser.run(seen).as_u64(), Some(all - races.as_u64().expect("a number")));
    browser.click(".counts li[data-category=race] button");
    browser.press("#tools input", "relay.c");
    let matching = browser.run(seen).as_u64().expect("a number");
    assert!(0 < matching && matching < all, "{matching} of {all}");
    assert_eq!(browser.text("#tools output"), format!("{matching} of {all} shown"));
    browser.open(&format!("file://{}#finding-4", page.0.display()));
    assert_eq!(browser.run("return document.getElementById('finding-4').open"), true);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Nothing is cut off and nothing makes the page wider than the screen.
#[test]
fn on_paper_everything_can_be_read() {
    // About what fits on a page between its margins.
    let Some(browser) = browser("paper", (740, 1000)) else { return };
    let page = Page::new("paper", &everything());
    browser.open_file(&page.0);
    let open = "return document.querySelectorAll('main > section > details[open]').length";
    let before = browser.run(open);
    let all = browser.run("return document.querySelectorAll('main > section > details').length");
    browser.print();
    assert_eq!(browser.run(open), all);
    let shown =
        "[...document.querySelectorAll('.finding')].filter((finding) => finding.querySelector('.fp-part')).length";
    assert_eq!(
        browser.run(&format!("return {shown}")),
        browser.run("return document.querySelectorAll('.finding').length")
    );
    // Nothing is cut off, and nothing is there to be used.
    let seen = "[...document.querySelectorAll('main *')].filter((element) => element.getClientRects().length > 0)";
    let cut = "['auto', 'scroll', 'hidden'].some((how) => getComputedStyle(element).overflow.includes(how))
        && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)";
    let cut = browser.run(&format!("return {seen}.filter((element) => {cut}).map((element) => element.className)"));
    assert_eq!(cut, serde_json::json!([]));
    let controls = "element.matches('.fp-controls *, .fp-tabs *, .tools *, #theme, .fp-part details:not([open]) *')";
    assert_eq!(browser.run(&format!("return {seen}.filter((element) => {controls}).length")), 0);
    // The header of a table would lie over its rows.
    let sticky = "getComputedStyle(element).position === 'sticky'";
    assert_eq!(browser.run(&format!("return {seen}.filter((element) => {sticky}).length")), 0);
    // Ink on paper, whatever the reader likes on the screen.
    assert_eq!(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), true);
    let ground = browser.run("return getComputedStyle(document.body).backgroundColor");
    assert_eq!(ground, "rgb(255, 255, 255)");
    assert_eq!(browser.poor_contrasts(), [""; 0]);
    browser.run("dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.run(open), before);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_phone_is_wide_enough() {
    let Some(browser) = browser("phone", (1280, 900)) else { return };
    let page = Page::new("phone", &everything());
    browser.resize(360, 740);
    browser.open_file(&page.0);
    browser.click("#tools button:first-child");
    browser.text("#finding-12 .fp-timeline");
    let widths =
        browser.run("const { scrollWidth, clientWidth } = document.documentElement; return [scrollWidth, clientWidth]");
    assert_eq!(widths[0], widths[1]);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_run_of_thousands_of_steps_stays_usable() {
    let Some(browser) = browser("long", (1280, 900)) else { return };
    let (_, sample, outcome) = samples::violations().into_iter().find(|(name, ..)| *name == "sb").expect("a sample");
    let mut found = finding::of_outcome_drawn(&sample.subject(), &outcome, Extra::default());
    lengthen(&mut found[0], 500);
    let mut part = Part::default();
    part.finding(&found[0]);
    part.source(sample.source().name(), sample.source().text());
    let page = Page::new("long", &[part]);
    browser.open_file(&page.0);
    assert_eq!(browser.text(COUNT), "step 2001 of 2001");
    // A step takes a few milliseconds; machines that are busy take longer.
    let time = browser.run(
        "const back = document.querySelector(\"#finding-1 [aria-label='One step back']\");
         const times = [...Array(5)].map(() => {
           const start = performance.now();
           back.click();
           document.body.offsetHeight;
           return performance.now() - start;
         });
         return times.sort((a, b) => a - b)[2];",
    );
    assert_eq!(browser.text(COUNT), "step 1996 of 2001");
    assert!(time.as_f64().is_some_and(|time| time < 500.0), "{time} ms for a step");
    // The row is in sight, and the page has not moved.
    let is_in_sight = browser.run(
        "const row = document.querySelector('.fp-steps tr[aria-current]').getBoundingClientRect();
         const list = document.querySelector('.fp-steps').getBoundingClientRect();
         return row.top >= list.top && row.bottom <= list.bottom && scrollY === 0;",
    );
    assert_eq!(is_in_sight, true);
    browser.press(STEPS, key::HOME);
    assert_eq!(browser.text(COUNT), "start of 2001");
}

/// The first steps of its run, again and again.
fn lengthen(finding: &mut Finding, times: usize) {
    let Evidence::Replayed(replayed) = &mut finding.evidence else { panic!("it was replayed") };
    let run = replayed.run.as_mut().expect("there is a run");
    let mut some = run.steps.clone();
    some.push(run.steps[0].clone());
    run.steps = some.iter().cycle().take(times * some.len()).cloned().collect();
}

/// What a program says is text.
#[test]
fn nothing_of_a_program_runs() {
    let Some(browser) = browser("hostile", (1280, 900)) else { return };
    let (_, sample, outcome) = samples::violations().into_iter().find(|(name, ..)| *name == "sb").expect("a sample");
    let mut part = Part::default();
    let hostile = "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">";
    for found in finding::of_outcome_drawn(&sample.subject(), &outcome, Extra::default()) {
        let notes = vec![hostile.to_string()];
        part.finding(&Finding {
            file: Some(hostile.into()),
            title: hostile.into(),
            message: hostile.into(),
            notes,
            ..found
        });
    }
    part.source(hostile, &format!("{hostile}\n").repeat(20));
    let page = Page::new("hostile", &[part]);
    browser.open_file(&page.0);
    browser.click("#finding-1 .fp-whole summary");
    assert!(browser.text("#finding-1 .fp-whole .fp-code").contains(hostile));
    assert_eq!(browser.run("return document.title.includes('owned') || document.images.length > 0"), false);
    // Even what got into the page would be stopped by its policy.
    browser.run(
        "const script = document.createElement('script');
         try { script.textContent = 'document.title = \"owned\"'; } catch { return; }
         document.body.append(script);",
    );
    assert_eq!(browser.run("return document.title.includes('owned')"), false);
    let load = "const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image);
                return new Promise((done) => document.addEventListener('securitypolicyviolation', (event) => done(event.blockedURI)))";
    assert_eq!(browser.run(load), "http://127.0.0.1:9/x.png");
}
