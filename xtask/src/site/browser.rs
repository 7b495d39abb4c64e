//! A browser without a window, for tests: Chromium, told what to do through a pipe.
//!
//! The protocol is Chromium's own (`--remote-debugging-pipe`): messages of JSON, each with a zero
//! byte behind it, on the file descriptors 3 and 4. A shell puts our pipes there.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// What takes longer does not come. Machines that are tested on are slow.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// The page.
    session: Option<String>,
    count: u64,
    /// What the console has to complain about.
    pub(super) complaints: Vec<String>,
}

impl Browser {
    /// # Errors
    /// With the reason, if there is none.
    pub(super) fn start(profile: &Path) -> Result<Self, String> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let answers = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
        let name = names.into_iter().find(answers).ok_or("there is no Chromium")?;
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh", name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("Chromium does not start: {error}"))?;
        let input = child.stdin.take().expect("it is piped");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { return };
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Browser { child, input, messages, session: None, count: 0, complaints: Vec::new() };
        let page = browser.tell("Target.createTarget", json!({ "url": "about:blank", "width": 1400, "height": 1000 }));
        let attached = browser.tell("Target.attachToTarget", json!({ "targetId": page["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Runtime", "Log", "Page"] {
            browser.tell(&format!("{domain}.enable"), json!({}));
        }
        Ok(browser)
    }

    /// Tells the browser to do something, and waits until it has.
    pub(super) fn tell(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let mut message = json!({ "id": self.count, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        write!(self.input, "{message}\0").and_then(|()| self.input.flush()).expect("Chromium listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.count {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    /// Keeps what must not happen.
    fn hear(&mut self, event: &Value) {
        let params = &event["params"];
        let is_complaint = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => ["error", "warning", "assert"].contains(&params["type"].as_str().unwrap_or("")),
            Some("Log.entryAdded") => ["error", "warning"].contains(&params["entry"]["level"].as_str().unwrap_or("")),
            _ => false,
        };
        if is_complaint {
            self.complaints.push(params.to_string());
        }
    }

    pub(super) fn open(&mut self, address: &str) {
        // The same page with another fragment would not be loaded again.
        self.tell("Page.navigate", json!({ "url": "about:blank" }));
        let opened = self.tell("Page.navigate", json!({ "url": address }));
        assert!(opened.get("errorText").is_none(), "{address}: {opened}");
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of an expression in the page.
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.tell("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(super) fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).textContent"));
        text.as_str().expect("a text").to_string()
    }

    /// Waits for something to be so.
    pub(super) fn until(&mut self, condition: &str) {
        let start = Instant::now();
        while self.value(condition) != true {
            if start.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText");
                panic!("it does not happen that {condition}\n{}\ncomplaints: {:?}", page.as_str().unwrap_or(""), self.complaints);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks where the element is, as a mouse does.
    pub(super) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const element = document.querySelector({selector:?}); element.scrollIntoView({{ block: 'center' }}); \
             const {{ x, y, width, height }} = element.getBoundingClientRect(); \
             const [at, down] = [x + width / 2, y + height / 2]; \
             const hit = document.elementFromPoint(at, down); \
             return [at, down, element.contains(hit) || (hit !== null && hit.contains(element))]; }})()"
        ));
        assert_eq!(place[2], true, "{selector} can be seen");
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.tell("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses a key that has a name; 2 is Ctrl, 8 is Shift.
    pub(super) fn press(&mut self, key: &str, code: u32, modifiers: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers });
            self.tell("Input.dispatchKeyEvent", params);
        }
    }

    /// Types a text where the keyboard is.
    pub(super) fn insert(&mut self, text: &str) {
        self.tell("Input.insertText", json!({ "text": text }));
    }

    /// What there is to see.
    pub(super) fn picture(&mut self, path: &Path) {
        let picture = self.tell("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = BASE64_STANDARD.decode(picture["data"].as_str().expect("a picture")).expect("base64");
        super::write(path, bytes).expect("a file");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
