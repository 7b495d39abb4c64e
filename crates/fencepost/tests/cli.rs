//! The command line as its users meet it. `cmd/*.md` are sessions with their
//! expected output (`TRYCMD=overwrite cargo test -p fencepost` rewrites it);
//! here is what a session cannot show.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn fencepost(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(args)
        .env_remove("FENCEPOST_TIMEOUT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencepost starts");
    // It may have stopped reading already; that is its right.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    child.wait_with_output().expect("fencepost ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A new empty directory for one test.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a scratch directory");
    path
}

const SB: &str = include_str!("cmd/check.in/sb.fp");
const MP: &str = include_str!("cmd/check.in/dir/mp.fp");

#[test]
fn sessions() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}

#[test]
fn a_repaired_file_is_robust_and_stays_as_it_is() {
    let dir = scratch("repair");
    let file = dir.join("sb.fp");
    std::fs::write(&file, SB).expect("a file");
    let path = file.to_str().expect("UTF-8");
    let repair = || fencepost(&["repair", path, "--model", "rc20", "--write", "--format", "json"], b"");
    let first = repair();
    assert_eq!(code(&first), 0);
    let report: serde_json::Value = serde_json::from_slice(&first.stdout).expect("JSON");
    assert_eq!((&report["verdict"], &report["written"]), (&"repaired".into(), &true.into()));
    assert_eq!(code(&fencepost(&["check", path, "--model", "rc20"], b"")), 0);
    let repaired = std::fs::read_to_string(&file).expect("a file");
    assert_ne!(repaired, SB);
    let second: serde_json::Value = serde_json::from_slice(&repair().stdout).expect("JSON");
    assert_eq!((&second["verdict"], &second["written"]), (&"unchanged".into(), &false.into()));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), repaired);
    assert_eq!(std::fs::read_dir(&dir).expect("a directory").count(), 1, "nothing is left behind");
    assert_eq!(code(&fencepost(&["repair", "-", "--write"], SB.as_bytes())), 2, "standard input cannot be changed");
}

#[test]
fn json_lines_keep_the_contract() {
    let dir = scratch("json");
    std::fs::write(dir.join("a.fp"), SB).expect("a file");
    std::fs::write(dir.join("b.fp"), MP).expect("a file");
    std::fs::write(dir.join("c.fp"), "thread {").expect("a file");
    let output = fencepost(&["check", dir.to_str().expect("UTF-8"), "--model", "ra", "--format", "json"], b"");
    assert_eq!(code(&output), 2);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    let (violation, robust, error) = (&lines[0], &lines[1], &lines[2]);
    for line in &lines {
        assert_eq!(line["schema"], "fencepost/1");
        assert!(line["file"].is_string());
    }
    assert_eq!((&violation["property"], &violation["model"]), (&"robustness".into(), &"ra".into()));
    assert_eq!(violation["program"], "store buffering");
    assert_eq!(violation["verdict"], "violation");
    let details = &violation["violation"];
    assert_eq!(details["kind"], "stale-read");
    assert_eq!(details["shape"], "SB");
    assert_eq!(details["stale_values"], serde_json::json!([0]));
    for place in [&details["access"], &details["conflicting"], &details["trace"][0]] {
        assert!(place["line"].is_u64() && place["column"].is_u64() && place["text"].is_string(), "{place}");
    }
    assert!(details["thread"].is_string() && details["location"].is_string());
    assert!(details["conflicting"]["thread"].is_string() && details["trace"][0]["effect"].is_string());
    assert_eq!(robust["verdict"], "robust");
    for figure in ["states", "transitions", "depth", "time_ms", "peak_bytes", "state_bits"] {
        assert!(robust["stats"][figure].is_number(), "{figure}");
    }
    assert_eq!(error["verdict"], "error");
    assert!(error["errors"][0]["line"].is_u64() && error["errors"][0]["message"].is_string());
}

const CLASSIC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../litmus/classic");

/// The log of a command, as JSON.
fn log(arguments: &[&str], input: &str) -> (i32, serde_json::Value) {
    let output = fencepost(&[arguments, &["--format", "sarif"]].concat(), input.as_bytes());
    (code(&output), serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// The data of a page.
fn page_data(page: &str) -> serde_json::Value {
    let (_, data) = page.split_once("id=\"data\">").expect("there is data");
    serde_json::from_str(data.split_once("</script>").expect("it ends").0).expect("JSON")
}

#[test]
fn pages_have_what_was_found_and_what_was_not_decided() {
    let dir = scratch("pages");
    let file = dir.join("report.html");
    let path = file.to_str().expect("UTF-8");
    let check = || {
        let output =
            fencepost(&["check", "-", "--model", "ra,rc20,tso", "--format", "html", "-o", path], SB.as_bytes());
        assert_eq!((code(&output), text(&output.stdout).as_str()), (1, ""), "{}", text(&output.stderr));
        std::fs::read_to_string(&file).expect("a page")
    };
    let page = check();
    assert_eq!(check(), page, "the same bytes again");
    let data = page_data(&page);
    // With store buffers there is more to show.
    let findings = data["findings"].as_array().expect("findings");
    let shown: Vec<_> =
        findings.iter().map(|it| (&it["model"], &it["also"], it["runs"].as_array().map(Vec::len))).collect();
    let [tso, ra, none] = ["tso".into(), "ra".into(), serde_json::Value::Null];
    assert_eq!(shown, [(&tso, &none, Some(2)), (&ra, &serde_json::json!(["rc20"]), Some(1))], "{data}");
    let stale = &findings[1];
    assert!(stale["graph"]["nodes"].is_array() && stale["fix"]["text"].is_string(), "{stale}");
    assert_eq!(data["sources"]["<stdin>"].as_str().map(str::len), Some(SB.len()));
    assert!(page.contains("<title>fencepost: 2 findings, at worst: not robust</title>"));

    // To standard output, as with the other formats.
    let race = "nonatomic d; thread a { d = 1; } thread b { local r; r = d; assert(r == 0); }";
    let output = fencepost(&["verify", "-", "--model", "ra", "--format", "html"], race.as_bytes());
    let findings = page_data(&text(&output.stdout))["findings"].clone();
    assert_eq!((code(&output), &findings[0]["category"]), (1, &"race".into()), "{findings}");
    let output = fencepost(&["check", "-", "--format", "html", "--max-states", "1"], SB.as_bytes());
    assert!(text(&output.stdout).contains("Nothing was found, but not everything is decided"));
    let output = fencepost(&["check", "-", "--format", "html"], b"thread {");
    assert_eq!((code(&output), text(&output.stdout).contains("error: &lt;stdin&gt;")), (2, true));
    // Where nothing can be written is known before the search.
    for format in ["html", "human"] {
        let output = fencepost(&["check", "-", "--format", format, "-o", "/no/such/folder/report"], SB.as_bytes());
        assert_eq!((code(&output), text(&output.stdout).as_str()), (2, ""));
        assert!(text(&output.stderr).contains("cannot write `/no/such/folder/report`"));
    }
}

/// Nothing is wrong where what is asked for exists, and there is an execution to show.
#[test]
fn a_page_shows_what_a_condition_asks_for() {
    let thread = |own: &str, other: &str| {
        let (store, load) = ("atomic_store_explicit", "atomic_load_explicit");
        let order = "memory_order_relaxed";
        format!("(atomic_int* x, atomic_int* y) {{ {store}({own}, 1, {order}); int r = {load}({other}, {order}); }}")
    };
    let program = |quantifier: &str| {
        let (left, right) = (thread("x", "y"), thread("y", "x"));
        format!("C sb\n{{}}\nP0{left}\nP1{right}\n{quantifier} (0:r=0 /\\ 1:r=0)\n")
    };
    let page = |quantifier: &str| {
        let arguments = ["verify", "--language", "litmus", "--model", "cpp20", "--format", "html", "-"];
        let output = fencepost(&arguments, program(quantifier).as_bytes());
        (code(&output), text(&output.stdout))
    };
    let (exit, met) = page("exists");
    let finding = &page_data(&met)["findings"][0];
    assert_eq!((exit, &finding["category"]), (0, &"met".into()), "{met}");
    assert!(finding["graph"].is_object() && finding["runs"][0]["steps"].is_array(), "{finding}");
    assert!(met.contains("<title>fencepost: What is asked for exists</title>"));
    let (exit, wrong) = page("~exists");
    assert_eq!((exit, &page_data(&wrong)["findings"][0]["category"]), (1, &"condition".into()));
}

#[test]
fn code_scanning_has_what_was_found_and_what_was_not_decided() {
    let (code, found) = log(&["check", "-", "--model", "ra,rc20"], SB);
    let results = found["runs"][0]["results"].as_array().expect("results");
    assert_eq!((code, results.len()), (1, 2));
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&"robustness".into(), &"warning".into()));
    assert!(results[0]["message"]["text"].as_str().is_some_and(|text| text.contains("`x`")), "{found}");
    assert!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64());
    assert_eq!(results[0]["codeFlows"][0]["threadFlows"].as_array().map(Vec::len), Some(2));

    let race = "nonatomic d; thread a { d = 1; } thread b { local r; r = d; assert(r == 0); }";
    let (code, found) = log(&["verify", "-", "--model", "ra"], race);
    let rules: Vec<_> =
        found["runs"][0]["results"].as_array().expect("results").iter().map(|it| &it["ruleId"]).collect();
    assert_eq!((code, rules.contains(&&"race".into())), (1, true), "{found}");

    let test = "C t\n{}\nP0(int *x) { int r0 = *x; }\nexists (0:r0=1)\n";
    let (code, found) = log(&["verify", "-", "--language", "litmus", "--model", "sc"], test);
    let results = found["runs"][0]["results"].as_array().expect("results");
    assert_eq!((code, results.len(), &results[0]["ruleId"]), (1, 1, &"condition".into()), "{found}");

    let (code, found) = log(&["check", "-", "--model", "ra", "--max-states", "1"], SB);
    let told = &found["runs"][0]["invocations"][0];
    assert_eq!((code, &told["executionSuccessful"]), (3, &true.into()));
    assert_eq!(told["toolExecutionNotifications"][0]["level"], "warning", "{told}");

    // What fails under SC is the same for both models, and told once.
    let fine = "//: ra robust\n//: rc20 robust\nthread a { assert(0); }";
    let (code, found) = log(&["check", "-", "--model", "ra,rc20"], fine);
    let told = found["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications");
    assert_eq!((code, told.len(), &told[0]["level"]), (1, 1, &"warning".into()), "{found}");
    assert!(told[0]["message"]["text"].as_str().is_some_and(|text| text.starts_with("not as expected")), "{found}");

    for command in ["check", "verify"] {
        let (code, found) = log(&[command, "-", "nowhere.fp"], "thread {");
        let told = &found["runs"][0]["invocations"][0];
        assert_eq!((code, &told["executionSuccessful"]), (2, &false.into()), "{told}");
        let notifications = told["toolExecutionNotifications"].as_array().expect("notifications");
        assert!(notifications.len() >= 2 && notifications.iter().all(|it| it["level"] == "error"), "{told}");
    }
}

/// The answers about the classic litmus tests; the time is not theirs.
fn answers(options: &[&str]) -> Vec<serde_json::Value> {
    let output = fencepost(&[&["check", CLASSIC, "--format", "json"], options].concat(), b"");
    let read = |line: &str| {
        let mut answer: serde_json::Value = serde_json::from_str(line).expect("JSON");
        answer["stats"]["time_ms"] = 0.into();
        answer
    };
    text(&output.stdout).lines().map(read).collect()
}

#[test]
fn the_same_question_has_the_same_answer_to_the_byte() {
    let first = answers(&[]);
    assert!(first.len() > 50);
    assert_eq!(first, answers(&[]));
    let without_memory = |jobs| {
        let mut answers = answers(&["--jobs", jobs]);
        answers.iter_mut().for_each(|answer| answer["stats"]["peak_bytes"] = 0.into());
        answers
    };
    assert_eq!(without_memory("1"), without_memory("7"));
    let picture =
        |jobs| fencepost(&["graph", &format!("{CLASSIC}/iriw.fp"), "--model", "rc20", "--jobs", jobs], b"").stdout;
    assert!(!picture("1").is_empty());
    assert_eq!(picture("1"), picture("1"));
    assert_eq!(picture("1"), picture("7"));
}

#[test]
fn reductions_change_the_figures_and_nothing_else() {
    let with_figures = |options: &[&str]| -> (Vec<String>, u64) {
        let answers = answers(options);
        let states = answers.iter().filter_map(|answer| answer["stats"]["states"].as_u64()).sum();
        let shown = |answer: &serde_json::Value| format!("{} {}", answer["verdict"], answer["violation"]);
        (answers.iter().map(shown).collect(), states)
    };
    let (wanted, reduced) = with_figures(&[]);
    for option in ["--no-watch", "--no-por", "--no-symmetry", "--no-dead-bits", "--no-dead-registers", "--no-private"] {
        let (found, states) = with_figures(&[option]);
        assert_eq!(found, wanted, "{option}");
        assert_ne!(states, reduced, "{option} makes a difference somewhere");
    }
    let (found, states) = with_figures(&["--no-reductions"]);
    assert_eq!(found, wanted);
    assert!(states > reduced, "{states} states without reductions, {reduced} with");
}

/// Where there is no card, `cuda` says so, and `auto` searches on the processor. Where there is one,
/// all three say the same.
#[test]
fn devices_are_there_or_not() {
    let file = format!("{CLASSIC}/sb.fp");
    let ask = |device: &str| fencepost(&["check", "--ignore-expectations", "--device", device, &file], b"");
    let [here, anywhere, card, unknown] = ["cpu", "auto", "cuda", "opencl"].map(ask);
    assert_eq!((code(&here), code(&anywhere), text(&anywhere.stdout)), (1, 1, text(&here.stdout)));
    match code(&card) {
        2 => assert!(text(&card.stderr).contains("finds no card to search on: "), "{}", text(&card.stderr)),
        other => assert_eq!((other, text(&card.stdout)), (1, text(&here.stdout))),
    }
    let message = text(&unknown.stderr);
    assert_eq!(code(&unknown), 2);
    assert!(message.contains("expected `cpu`, `auto`, `cuda`, or `cuda:N`"), "{message}");
}

#[test]
fn observational_robustness_has_its_own_name() {
    let mp = b"domain 2; global x, y;
thread t { x.store(1, rlx); y.store(1, rlx); }
thread u { local a, b; a = y.load(rlx); b = x.load(rlx); if (a == 1) { assert(b == 1); } }";
    let output = fencepost(&["check", "-", "--model", "rc20", "--observational", "--format", "json"], mp);
    assert_eq!(code(&output), 1);
    let line: serde_json::Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    assert_eq!(line["property"], "observational-robustness");
    assert_eq!(line["violation"]["kind"], "tainted-use");
    assert_eq!(line["violation"]["location"], "x");
    assert_eq!(line["violation"]["access"]["text"], "assert(b == 1)");
    assert_eq!(line["violation"]["conflicting"]["text"], "b = x.load(rlx)");
    let unused = text(mp).replace("assert(b == 1);", "skip;");
    let output =
        fencepost(&["check", "-", "--model", "rc20", "--observational", "--format", "json"], unused.as_bytes());
    assert_eq!(code(&output), 0);
    let line: serde_json::Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    assert_eq!((&line["verdict"], &line["speculative"][0]["text"]), (&"robust".into(), &"b = x.load(rlx)".into()));
}

#[test]
fn standard_input_in_both_languages() {
    let output = fencepost(&["check", "-"], SB.as_bytes());
    assert_eq!(code(&output), 1);
    assert!(text(&output.stdout).starts_with("<stdin>: NOT ROBUST against cpp20\n"));
    let output = fencepost(&["check", "-", "--model", "ra", "--language", "tpl"], b"global x; fn a { x.store(1); }");
    assert_eq!((code(&output), text(&output.stdout)), (0, "<stdin>: ROBUST against ra\n".into()));
    let output = fencepost(&["check", "-", "--format", "json"], b"\xff");
    assert_eq!(code(&output), 2);
    assert!(text(&output.stdout).contains("\"line\":1,\"column\":1"));
}

#[test]
fn limits_come_from_the_environment_too() {
    for (name, value, wanted) in
        [("FENCEPOST_MAX_STATES", "1", 3), ("FENCEPOST_MEMORY", "1", 3), ("FENCEPOST_TIMEOUT", "never", 2)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        let status = command
            .args(["check", "tests/cmd/check.in/dir/mp.fp"])
            .env(name, value)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.expect("fencepost runs").code(), Some(wanted), "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_located() {
    let dir = scratch("bytes");
    let file = dir.join("bad.fp");
    std::fs::write(&file, b"global x;\nthread \xff\xfe {}\n").expect("a file");
    let output = fencepost(&["check", file.to_str().expect("UTF-8")], b"");
    assert_eq!(code(&output), 2);
    let message = text(&output.stderr);
    assert!(message.contains("bad.fp:2:8") && message.contains("offset 17"), "{message}");
    for bytes in [&b"\0\0\0"[..], b"", b"\n\n", b"\xef\xbb\xbf", b"\xf0\x9f\x92\xa5"] {
        let code = code(&fencepost(&["check", "-"], bytes));
        assert!(code == 0 || code == 2, "{bytes:?}");
    }
}

#[test]
fn hostile_programs_end_in_a_verdict_or_a_message() {
    let limits = ["--timeout", "2s", "--memory", "64M"];
    let nested = format!("thread t {{ {} }}", "if (1) { ".repeat(100_000));
    let parentheses = format!("thread t {{ local r; r = {}1; }}", "(".repeat(100_000));
    let sums = format!("thread t {{ local r; r = 1{}; }}", " + 1".repeat(100_000));
    let wide = "domain 2147483648; global x, y; thread t { x.store(2147483647); } thread s { local r; r = x.load(); }";
    let endless = "domain 2000000000; global x; thread t { local r; while (1) { r = x.fadd(1); } }";
    let huge_domain = "domain 99999999999999999999; global x; thread t { x.store(1); }";
    let many = "global x; thread t[10000] { local r; r = x.fadd(1); }";
    let shifts = ["(".repeat(60), "r".into(), " >> s)".repeat(60)].concat();
    let shifts =
        format!("domain 64; global x; thread t {{ local r, s; r = x.load(); s = x.fadd(1); x.store({shifts}); }}");
    for program in [nested.as_str(), &parentheses, &sums, wide, endless, huge_domain, many, &shifts] {
        let output = fencepost(&[&["check", "-"], &limits[..]].concat(), program.as_bytes());
        let start: String = program.chars().take(60).collect();
        assert!([0, 1, 2, 3].contains(&code(&output)), "{start}: {} {}", code(&output), text(&output.stderr));
        if code(&output) == 2 {
            assert!(text(&output.stderr).contains("error: "), "{start}");
        }
        for model in ["sc", "ra", "rc20"] {
            let output = fencepost(&["export", "-", "--to", "promela", "--model", model], program.as_bytes());
            assert!([0, 2].contains(&code(&output)), "{start}: {} {}", code(&output), text(&output.stderr));
        }
    }
    assert_eq!(code(&fencepost(&["check", "-"], wide.as_bytes())), 0);
    for limit in [["--timeout", "200ms"], ["--memory", "1M"], ["--max-states", "1000"]] {
        let output = fencepost(&[&["check", "-", "--format", "json"], &limit[..]].concat(), endless.as_bytes());
        assert_eq!(code(&output), 3, "{limit:?}");
        let reason = limit[0].trim_start_matches('-');
        assert!(text(&output.stdout).contains(&format!(r#""verdict":"unknown","reason":"{reason}""#)), "{limit:?}");
    }
}

#[test]
fn what_a_file_expects_is_no_open_result() {
    let suppressed = |result: &serde_json::Value| -> Vec<String> {
        let list = result["suppressions"].as_array().expect("a list, if only an empty one").iter();
        list.map(|it| {
            assert_eq!((&it["kind"], &it["status"]), (&"inSource".into(), &"accepted".into()));
            assert!(it["location"]["physicalLocation"]["region"]["startLine"].is_u64());
            it["justification"].as_str().expect("why").to_string()
        })
        .collect()
    };
    let results = |arguments: &[&str], input: &str| -> Vec<(String, Vec<String>)> {
        let (_, found) = log(arguments, input);
        let results = found["runs"][0]["results"].as_array().expect("results").clone();
        results.iter().map(|it| (it["properties"]["model"].as_str().expect("a model").into(), suppressed(it))).collect()
    };
    let line = |number| vec![format!("Line {number} expects it.")];
    // One of two models is expected to differ from SC.
    let one = format!("//: ra violation shape=SB\n{SB}");
    let check = ["check", "-", "--model", "ra,rc20"];
    assert_eq!(results(&check, &one), [("ra".into(), line(1)), ("rc20".into(), vec![])]);
    assert_eq!(results(&[&check[..], &["--ignore-expectations"]].concat(), &one)[0].1, Vec::<String>::new());
    // In another way than it does.
    let other = format!("//: ra violation shape=MP\n{SB}");
    assert_eq!(results(&check, &other)[0].1, Vec::<String>::new());
    // What fails under SC has a line of its own, for both commands.
    let fails = "//: ra robust\n//: sc assertion-fails\n//: rc20 assertion-fails\nthread t { assert(0); }";
    assert_eq!(results(&["check", "-", "--model", "ra"], fails), [("sc".into(), line(2))]);
    assert_eq!(results(&["verify", "-", "--model", "sc"], fails)[0].1, line(2));
    assert_eq!(results(&["verify", "-", "--model", "ra"], fails)[0].1, Vec::<String>::new());
    let test = "C t\n(*: sc never *)\n{}\nP0(int *x) { int r0 = *x; }\nexists (0:r0=1)\n";
    assert_eq!(results(&["verify", "-", "--language", "litmus", "--model", "sc"], test)[0].1, line(2));
}

#[test]
fn a_program_that_cannot_be_read_within_the_limits_is_unknown() {
    for (arguments, reason) in [
        (["check", "-", "--timeout", "0s"], "timeout"),
        (["verify", "-", "--timeout", "0s"], "timeout"),
        (["repair", "-", "--memory", "100"], "memory"),
        (["relax", "-", "--memory", "100"], "memory"),
    ] {
        let output = fencepost(&[&arguments[..], &["--format", "json"]].concat(), SB.as_bytes());
        assert_eq!(code(&output), 3, "{arguments:?}");
        let answer = format!(r#""verdict":"unknown","reason":"{reason}""#);
        assert!(text(&output.stdout).contains(&answer), "{arguments:?}: {}", text(&output.stdout));
        assert_eq!(text(&output.stdout).lines().count(), 1, "one answer for all models");
        let output = fencepost(&arguments, SB.as_bytes());
        assert_eq!(code(&output), 3, "{arguments:?}");
        assert!(text(&output.stderr).contains("while the program was read"), "{arguments:?}");
    }
    let log = fencepost(&["check", "-", "--timeout", "0s", "--format", "sarif"], SB.as_bytes());
    assert!(text(&log.stdout).contains("nothing is decided: time ran out while the program was read"));
    let dir = scratch("unread");
    let picture = dir.join("out.svg");
    let output = fencepost(&["graph", "-", "-o", picture.to_str().expect("UTF-8"), "--timeout", "0s"], SB.as_bytes());
    assert_eq!((code(&output), picture.exists()), (3, false));
}

#[test]
fn formatting_in_place_is_stable() {
    let dir = scratch("fmt");
    let file = dir.join("ugly.fp");
    std::fs::write(&file, include_str!("cmd/fmt.in/ugly.fp")).expect("a file");
    let path = file.to_str().expect("UTF-8");
    assert_eq!(code(&fencepost(&["fmt", "--check", path], b"")), 1);
    assert_eq!(code(&fencepost(&["fmt", path], b"")), 0);
    assert_eq!(code(&fencepost(&["fmt", "--check", path], b"")), 0);
    let piped = fencepost(&["fmt", "-"], include_bytes!("cmd/fmt.in/ugly.fp"));
    assert_eq!(text(&piped.stdout), std::fs::read_to_string(&file).expect("a file"));
    std::fs::write(&file, "thread {").expect("a file");
    assert_eq!(code(&fencepost(&["fmt", path], b"")), 2);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "thread {");
}

#[test]
fn pictures_are_written_only_for_violations() {
    let dir = scratch("graph");
    let picture = dir.join("out.svg");
    let path = picture.to_str().expect("UTF-8");
    assert_eq!(code(&fencepost(&["graph", "-", "-o", path], MP.as_bytes())), 0);
    assert!(!picture.exists());
    assert_eq!(code(&fencepost(&["graph", "-", "-o", path], SB.as_bytes())), 0);
    assert!(std::fs::read_to_string(&picture).expect("a picture").starts_with("<svg "));
    let nowhere = dir.join("no/such/directory.svg");
    assert_eq!(code(&fencepost(&["graph", "-", "-o", nowhere.to_str().expect("UTF-8")], SB.as_bytes())), 2);
}

#[test]
fn all_executions_are_numbered_files() {
    let dir = scratch("graph-all");
    let path = dir.join("out.svg");
    let all = |options: &[&str]| {
        let output = ["graph", "-", "--all", "--model", "tso", "-o", path.to_str().expect("UTF-8")];
        fencepost(&[&output, options].concat(), SB.as_bytes())
    };
    let picture = |number: usize| std::fs::read_to_string(dir.join(format!("out-{number}.svg"))).ok();
    let some = all(&["--limit", "3"]);
    assert_eq!(code(&some), 0);
    assert!(text(&some.stderr).contains("4 executions under tso; 3 drawn, 1 left out"), "{}", text(&some.stderr));
    assert!(picture(3).is_some_and(|svg| svg.contains("execution 3 of 4 under tso")));
    assert!(picture(4).is_none() && !path.exists());
    assert_eq!(code(&all(&[])), 0);
    let pictures: std::collections::BTreeSet<String> = (1..=4).filter_map(picture).collect();
    assert_eq!(pictures.len(), 4, "each execution once");
    let stopped = all(&["--max-states", "3"]);
    assert_eq!(code(&stopped), 3);
    assert!(text(&stopped.stderr).contains("There may be more"), "{}", text(&stopped.stderr));
    assert_eq!(code(&fencepost(&["graph", "-", "--limit", "3"], SB.as_bytes())), 2, "without --all it means nothing");
}

#[test]
fn the_first_command_of_the_readme_finds_all_as_expected() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../litmus");
    let output = fencepost(&["check", corpus, "--timeout", "60s"], b"");
    let shown = text(&output.stdout);
    assert!(shown.ends_with(" files: all as expected\n"), "{shown}");
    assert_eq!(code(&output), 0);
    let files = shown.lines().filter(|line| line.ends_with("(as expected)")).count();
    assert!(shown.ends_with(&format!("\n{files} files: all as expected\n")), "one line per file");
    assert_eq!(code(&fencepost(&["fmt", "--check", corpus], b"")), 0, "the example of the help");
}

#[test]
fn json_says_whether_it_is_as_expected() {
    let answers = |options: &[&str], program: &str| -> (i32, Vec<serde_json::Value>) {
        let output = fencepost(&[&["check", "-", "--format", "json"], options].concat(), program.as_bytes());
        let lines = text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        (code(&output), lines)
    };
    let expecting = format!("//: ra violation shape=SB\n//: rc20 robust\n{SB}");
    let both = ["--model", "ra,rc20"];
    let (exit, found) = answers(&both, &expecting);
    assert_eq!(exit, 1);
    assert_eq!(found[0]["expectation"], serde_json::json!({ "met": true }));
    assert_eq!(found[1]["expectation"]["met"], false);
    assert_eq!(found[1]["expectation"]["difference"], "line 2 expects rc20 robust, found violation");
    let (exit, found) = answers(&["--model", "ra"], &expecting);
    assert_eq!((exit, found.len()), (0, 1));
    let (exit, found) = answers(&[&both[..], &["--max-states", "1"]].concat(), &expecting);
    assert_eq!((exit, &found[0]["expectation"]), (3, &serde_json::json!({})));
    let (exit, found) = answers(&[&both[..], &["--ignore-expectations"]].concat(), &expecting);
    assert_eq!((exit, &found[0]["expectation"]), (1, &serde_json::Value::Null));
}

/// A program that no search comes to the end of.
#[cfg(target_os = "linux")]
const ENDLESS: &str = "domain 2000000000; global x, y;
thread t { local r; while (1) { r = x.fadd(1); assert(r < 1999999999); } }
thread u { local r; while (1) { r = y.fadd(1); assert(r < 1999999999); } }";

/// Sends a signal as soon as the program is ready for it, which the kernel knows.
#[cfg(target_os = "linux")]
fn interrupted(args: &[&str], signal: rustix::process::Signal) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(args)
        .env_remove("FENCEPOST_TIMEOUT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencepost starts");
    child.stdin.take().expect("a pipe").write_all(ENDLESS.as_bytes()).expect("it reads");
    let is_ready = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of signals");
        let caught = u64::from_str_radix(caught.trim(), 16).expect("hexadecimal");
        caught & (1 << (signal.as_raw() - 1)) != 0
    };
    // Reading the program takes no time that could be measured: whoever has worked for several ticks
    // of the clock is at the search, which has no end.
    let is_searching = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it runs");
        let after_name = stat.rsplit_once(')').expect("a name in parentheses").1;
        after_name.split_whitespace().nth(11).is_some_and(|ticks| ticks.parse::<u64>().expect("a number") > 5)
    };
    while !(is_ready() && is_searching()) {
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, signal).expect("it can be sent a signal");
    child.wait_with_output().expect("fencepost ends")
}

#[cfg(target_os = "linux")]
#[test]
fn signals_end_a_search_with_what_is_known() {
    use rustix::process::Signal;
    let many = ["--max-states", "1000000000000"];
    for (command, words) in [
        (&["check", "-", "--model", "ra"][..], &["UNKNOWN (interrupted) against ra", "states", "time"][..]),
        (
            &["verify", "-", "--model", "ra", "--timeout", "none"],
            &["UNKNOWN (interrupted) under ra", "states", "tried"],
        ),
        (&["repair", "-", "--model", "ra"], &["UNKNOWN (interrupted) against ra (1 check)"]),
        (&["relax", "-", "--model", "ra"], &["UNKNOWN (interrupted) against ra (1 check)"]),
        (&["graph", "-", "--model", "ra"], &["UNKNOWN (interrupted) against ra"]),
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            let output = interrupted(&[command, &many].concat(), signal);
            let shown = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{command:?}: {shown}");
            words.iter().for_each(|word| assert!(shown.contains(word), "{command:?}: {word}: {shown}"));
        }
    }
    for command in ["check", "verify", "repair"] {
        let output =
            interrupted(&[&[command, "-", "--format", "json", "--model", "ra"], &many[..]].concat(), Signal::INT);
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
        assert_eq!((&line["verdict"], &line["reason"]), (&"unknown".into(), &"interrupted".into()), "{command}");
        assert!(line["stats"]["time_ms"].is_number() || line["checks"].is_number(), "{command}");
        assert_eq!(output.status.code(), Some(3), "{command}");
    }
}

/// On a full disk, a limit on the size of files standing in for it.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_stays_as_it_was() {
    let dir = scratch("full");
    let comment = "// a comment that takes some room\n".repeat(200);
    let unformatted = format!("{comment}{}", SB.replace("  x.store", " x.store"));
    for (name, arguments) in [
        ("a.fp", "fmt a.fp"),
        ("b.fp", "repair b.fp --model ra --write"),
        ("c.fp", "graph b.fp --model ra --format svg -o c.fp"),
    ] {
        std::fs::write(dir.join("b.fp"), &unformatted).expect("a file");
        std::fs::write(dir.join(name), &unformatted).expect("a file");
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {arguments}");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_fencepost")])
            .current_dir(&dir)
            .output()
            .expect("a shell");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(&format!("cannot write `{name}`: ")), "{arguments}: {message}");
        let left = std::fs::read_to_string(dir.join(name)).expect("the file");
        assert!(left == unformatted, "{arguments}: the file is as it was");
        let hidden = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().starts_with('.')
        };
        assert!(!std::fs::read_dir(&dir).expect("a directory").any(hidden), "{arguments}: nothing is left behind");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for arguments in ["--help", "--version", "check --help", "cc --help", "models", "completions bash", "check -"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .args(arguments.split(' '))
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .expect("fencepost starts");
        let _ = child.stdin.take().expect("a pipe").write_all(SB.as_bytes());
        let output = child.wait_with_output().expect("fencepost ends");
        assert_eq!(code(&output), 2, "{arguments}");
        assert!(text(&output.stderr).starts_with("error: cannot write the results: "), "{arguments}");
    }
}

#[test]
fn help_on_the_compilers_is_ours() {
    for command in ["cc", "c++"] {
        let output = fencepost(&[command, "--help"], b"");
        let shown = text(&output.stdout);
        assert_eq!(code(&output), 0);
        assert!(shown.contains("FENCEPOST_CC") && shown.contains("--compiler clang --help"), "{shown}");
        assert!(shown.contains(&format!("Usage: fencepost {command} ")), "{shown}");
    }
}

#[test]
fn what_diagnostics_advise_works() {
    let returned = "domain 8; global x = 5; nonatomic out;
proc get(r) { local t; t = x.load(acq); if (t == 0) { goto end; } r = t; end: }
thread a { local v; get(out); v = out; assert(v == 5); }
thread b { local i; i = 0; while (i < 3) { i = i + 1; } assert(i == 3); }";
    let output = fencepost(&["check", "-"], returned.as_bytes());
    assert_eq!((code(&output), text(&output.stderr)), (0, String::new()), "{}", text(&output.stdout));
}

#[test]
fn colours_only_on_request() {
    let plain = fencepost(&["check", "-"], SB.as_bytes());
    assert!(!plain.stdout.contains(&0x1b));
    let coloured = fencepost(&["check", "-", "--color", "always"], SB.as_bytes());
    assert!(coloured.stdout.contains(&0x1b));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = fencepost(&["completions", shell], b"");
        assert_eq!(code(&output), 0);
        assert!(text(&output.stdout).contains("fencepost"), "{shell}");
    }
}

#[test]
fn a_reader_who_leaves_gets_no_complaint() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencepost starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("fencepost ends");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn stale_values_are_numbers_of_the_program() {
    let text = b"C negative\n{ x=-1; y=-1; }
        P0 (atomic_int* x, atomic_int* y) {
          atomic_store_explicit(x, 1, memory_order_relaxed);
          int r = atomic_load_explicit(y, memory_order_relaxed);
        }
        P1 (atomic_int* x, atomic_int* y) {
          atomic_store_explicit(y, 1, memory_order_relaxed);
          int r = atomic_load_explicit(x, memory_order_relaxed);
        }
        exists (0:r=-1 /\\ 1:r=-1)\n";
    let output = fencepost(&["check", "--format", "json", "--language", "litmus", "-"], text);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("\"stale_values\":[-1]"), "{printed}");
}
