//! What the checker answers, natively: a browser runs the same code.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fencepost_web::Host;
use serde_json::{Value, json};

const HOST: Host<'_> = Host { now: &|| Duration::ZERO, progress: &|_, _| {} };

fn ask(request: &Value) -> Value {
    ask_of(request, &HOST)
}

fn ask_of(request: &Value, host: &Host<'_>) -> Value {
    serde_json::from_str(&fencepost_web::answer(&request.to_string(), host)).expect("JSON")
}

fn corpus(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus").join(path);
    std::fs::read_to_string(path).expect("a program")
}

fn about(request: Value, language: &str, text: &str) -> Value {
    let mut request = request;
    request["name"] = format!("program.{language}").into();
    request["language"] = language.into();
    request["text"] = text.into();
    request
}

#[test]
fn every_model_is_told() {
    let answer = ask(&json!({ "ask": "models" }));
    let models = answer["models"].as_array().expect("a list");
    let names: Vec<&str> = models.iter().map(|model| model["name"].as_str().expect("a name")).collect();
    assert_eq!(names, fencepost::models().iter().map(|model| model.name()).collect::<Vec<_>>());
    for model in models {
        // There is no robustness against SC itself, nor against SRA.
        let has_robustness = !["sc", "sra"].contains(&model["name"].as_str().expect("a name"));
        assert_eq!(model["robustness"], has_robustness, "{model}");
        assert!(model["essay"].as_str().is_some_and(|essay| essay.len() > 100), "{model}");
    }
}

#[test]
fn verdicts_are_those_that_the_corpus_expects() {
    for (path, model, verdict) in [
        ("classic/sb.fp", "ra", "violation"),
        ("classic/sb.fp", "tso", "violation"),
        ("classic/sb+fences.fp", "ra", "robust"),
        ("classic/mp.fp", "ra", "robust"),
        ("c/mp+rlx.litmus", "tso", "robust"),
        ("c/mp+rlx.litmus", "cpp20", "violation"),
        ("trencher/sb.txt", "tso", "violation"),
    ] {
        let language = path.rsplit('.').next().expect("an extension");
        let answer = ask(&about(json!({ "ask": "check", "model": model }), language, &corpus(path)));
        assert_eq!(answer["report"]["verdict"], verdict, "{path} {model}");
        let tone = if verdict == "robust" { "good" } else { "bad" };
        assert_eq!(answer["conclusion"]["tone"], tone, "{path} {model}");
        assert_eq!(
            answer["findings"].as_array().is_some_and(|found| found.is_empty()),
            verdict == "robust",
            "{answer}"
        );
    }
}

#[test]
fn a_finding_can_be_shown() {
    let answer = ask(&about(json!({ "ask": "check", "model": "ra" }), "fp", &corpus("classic/sb.fp")));
    let finding = &answer["findings"][0];
    assert_eq!((finding["shape"].as_str(), finding["file"].as_str()), (Some("SB"), Some("program.fp")));
    assert!(finding["runs"][0]["steps"].as_array().is_some_and(|steps| steps.len() >= 3), "{finding}");
    assert!(finding["graph"]["nodes"].as_array().is_some_and(|nodes| nodes.len() >= 4), "{finding}");
    assert!(answer["text"].as_str().is_some_and(|text| text.contains("program.fp")), "{answer}");
}

#[test]
fn limits_make_an_answer_unknown() {
    let text = corpus("algorithms/chase-lev-rlx.fp");
    let limited = |limits: Value, host: &Host<'_>| {
        let answer = ask_of(&about(json!({ "ask": "check", "model": "ra", "limits": limits }), "fp", &text), host);
        assert_eq!(answer["report"]["verdict"], "unknown", "{answer}");
        assert_eq!(answer["conclusion"]["tone"], "unsure");
        answer["report"]["reason"].clone()
    };
    assert_eq!(limited(json!({ "states": 100 }), &HOST), "max-states");
    assert_eq!(limited(json!({ "bytes": 1 << 12 }), &HOST), "memory");
    // A second passes whenever somebody asks for the time.
    let ticks = AtomicU64::new(0);
    let host = Host { now: &|| Duration::from_secs(ticks.fetch_add(1, Ordering::Relaxed)), ..HOST };
    assert_eq!(limited(json!({ "milliseconds": 3_000 }), &host), "timeout");
}

#[test]
fn a_search_says_how_far_it_is() {
    let most = AtomicU64::new(0);
    let host = Host {
        progress: &|_, progress| {
            most.fetch_max(progress.states, Ordering::Relaxed);
        },
        ..HOST
    };
    let text = corpus("algorithms/peterson-ra.fp");
    ask_of(&about(json!({ "ask": "check", "model": "ra" }), "fp", &text), &host);
    assert!(most.into_inner() > 10);
}

#[test]
fn what_is_no_program_is_told_in_units_of_a_page() {
    // An emoji has two units of UTF-16 and four bytes.
    let text = "// 🦀\nglobal x;\nthread t { y.store(1); }\n";
    for question in ["read", "check", "verify", "repair"] {
        let request = json!({ "ask": question, "model": "ra", "models": ["ra"] });
        let answer = ask(&about(request, "fp", text));
        let problem = &answer["diagnostics"][0];
        let units: Vec<u16> = text.encode_utf16().collect();
        let [from, to] = ["from", "to"].map(|end| problem["at"][end].as_u64().expect("a number") as usize);
        assert_eq!(String::from_utf16(&units[from..to]).expect("a word"), "y", "{question}: {answer}");
        assert_eq!((problem["severity"].as_str(), problem["at"]["line"].as_u64()), (Some("error"), Some(3)));
        assert!(answer.get("program").is_none());
    }
}

#[test]
fn a_program_is_read_with_its_warnings() {
    let answer = ask(&about(json!({ "ask": "read" }), "fp", &corpus("classic/sb.fp")));
    assert_eq!((answer["program"].as_str(), answer["diagnostics"].as_array().map(Vec::len)), (Some("sb"), Some(0)));
}

#[test]
fn a_repair_is_robust() {
    let models = ["tso", "ra"];
    let text = corpus("classic/sb.fp");
    let answer = ask(&about(json!({ "ask": "repair", "models": models }), "fp", &text));
    assert_eq!(answer["report"]["verdict"], "repaired", "{answer}");
    let repaired = answer["repaired"].as_str().expect("a text");
    assert_ne!(repaired, text);
    for model in models {
        let answer = ask(&about(json!({ "ask": "check", "model": model }), "fp", repaired));
        assert_eq!(answer["report"]["verdict"], "robust", "{model}: {answer}");
    }
}

#[test]
fn what_a_program_says_of_itself_is_verified() {
    let ask_for = |model: &str| {
        let request = json!({ "ask": "verify", "model": model });
        ask(&about(request, "litmus", &corpus("c/mp+rlx.litmus")))["conclusion"].clone()
    };
    let [weak, strong] = [ask_for("cpp20"), ask_for("tso")];
    assert!(weak["detail"].as_str().is_some_and(|detail| detail.contains("Sometimes")), "{weak}");
    assert!(strong["detail"].as_str().is_some_and(|detail| detail.contains("Never")), "{strong}");
}

#[test]
fn a_text_is_laid_out() {
    let answer = ask(&about(json!({ "ask": "format" }), "fp", "global x;thread t{x.store(1);}"));
    assert_eq!(answer["formatted"], "global x;\nthread t { x.store(1); }\n");
    let answer = ask(&about(json!({ "ask": "format" }), "fp", "thread {"));
    assert_eq!(answer["diagnostics"][0]["severity"], "error", "{answer}");
}

#[test]
fn shapes_are_explained() {
    let answer = ask(&json!({ "ask": "explain", "shape": "IRIW" }));
    assert!(answer["picture"].is_string() && answer["story"].is_string(), "{answer}");
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let bad = [
        json!({ "ask": "what" }),
        json!({ "ask": "explain", "shape": "XYZ" }),
        about(json!({ "ask": "check", "model": "power" }), "fp", "global x; thread t { x.store(1); }"),
        about(json!({ "ask": "read" }), "pdf", ""),
        json!(17),
    ];
    for request in bad {
        assert!(ask(&request)["error"].is_string(), "{request}");
    }
}
