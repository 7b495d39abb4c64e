//! A browser that does what people do: opens pages, clicks, presses keys.
//!
//! It is Chromium without a window, driven through chromedriver by the WebDriver protocol, of which
//! only what tests need is here. Where there is none of both, a test says so and is skipped.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// Keys that have no character, as WebDriver calls them.
pub mod key {
    /// To the left.
    pub const LEFT: &str = "\u{e012}";
    /// To the right.
    pub const RIGHT: &str = "\u{e014}";
    /// To the beginning.
    pub const HOME: &str = "\u{e011}";
    /// To the end.
    pub const END: &str = "\u{e010}";
    /// To the next element.
    pub const TAB: &str = "\u{e004}";
    /// Confirm.
    pub const ENTER: &str = "\u{e007}";
    /// Leave.
    pub const ESCAPE: &str = "\u{e00c}";
    /// With what follows.
    pub const CONTROL: &str = "\u{e009}";
    /// With what follows.
    pub const SHIFT: &str = "\u{e008}";
}

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

impl Browser {
    /// Starts one, with a window of this size.
    ///
    /// # Errors
    /// Why there is none.
    pub fn start(name: &str, (width, height): (u32, u32)) -> Result<Browser, String> {
        let found = |names: &[&str]| names.iter().find_map(|name| on_path(name));
        let driver = found(&["chromedriver"]).ok_or("there is no chromedriver")?;
        let chromium = found(&["chromium", "chromium-browser", "google-chrome"]).ok_or("there is no Chromium")?;
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("chromedriver: {error}"))?;
        let Some(port) = port_of(&mut driver) else {
            let _ = driver.kill();
            let _ = driver.wait();
            return Err("chromedriver does not say where it listens".into());
        };
        let profile = std::env::temp_dir().join(format!("fencepost-browser-{name}-{}", std::process::id()));
        let mut browser = Browser { driver, port, session: String::new(), profile };
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--no-first-run",
            format!("--user-data-dir={}", browser.profile.display()),
            format!("--window-size={width},{height}"),
        ]);
        let options = json!({ "binary": chromium, "args": arguments });
        let wanted = json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
        let started = browser.post("/session", &json!({ "capabilities": { "alwaysMatch": wanted } }))?;
        browser.session = started["sessionId"].as_str().ok_or("chromedriver has started no session")?.to_string();
        // What is made when something is clicked may come a little later.
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
        browser.ask("/timeouts", &json!({ "implicit": patience / 4, "script": patience }));
        Ok(browser)
    }

    /// Opens a page and waits until it is there.
    ///
    /// # Panics
    /// Like everything that follows: if the browser does not do it.
    pub fn open(&self, url: &str) {
        self.ask("/url", &json!({ "url": url }));
    }

    /// Opens a file.
    pub fn open_file(&self, path: &Path) {
        self.open(&format!("file://{}", path.display()));
    }

    /// Clicks on what a CSS selector selects, which must be seen.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.ask(&format!("/element/{element}/click"), &json!({}));
    }

    /// Presses keys while an element has the focus.
    pub fn press(&self, selector: &str, keys: &str) {
        let element = self.element(selector);
        self.ask(&format!("/element/{element}/value"), &json!({ "text": keys }));
    }

    /// The text of an element, as it is seen.
    pub fn text(&self, selector: &str) -> String {
        let element = self.element(selector);
        let text = self.get(&format!("/element/{element}/text"));
        text.as_str().unwrap_or_default().to_string()
    }

    /// The value of a function with this body.
    pub fn run(&self, script: &str) -> Value {
        self.ask("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// From now on the reader prefers a dark page, or a light one.
    pub fn prefer(&self, colors: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": colors }]);
        let params = json!({ "features": feature });
        self.ask("/goog/cdp/execute", &json!({ "cmd": "Emulation.setEmulatedMedia", "params": params }));
    }

    /// From now on the page is as it is printed, for a reader who prefers a dark one.
    pub fn print(&self) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        let params = json!({ "media": "print", "features": feature });
        self.ask("/goog/cdp/execute", &json!({ "cmd": "Emulation.setEmulatedMedia", "params": params }));
        self.run("dispatchEvent(new Event('beforeprint'))");
    }

    /// The page has this much room now, as on a phone.
    pub fn resize(&self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("/goog/cdp/execute", &json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": params }));
    }

    /// Text that is seen and has a contrast below 4.5 to 1, as WCAG counts it.
    pub fn poor_contrasts(&self) -> Vec<String> {
        let poor = self.run(
            "const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
         const luminance = (color) => {
           const [r, g, b] = numbers(color).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
           return 0.2126 * r + 0.7152 * g + 0.0722 * b;
         };
         const isClear = (color) => numbers(color)[3] === 0;
         const ground = (element) => {
           for (let at = element; at; at = at.parentElement) {
             const { backgroundColor } = getComputedStyle(at);
             if (!isClear(backgroundColor)) return backgroundColor;
           }
           return 'rgb(255, 255, 255)';
         };
         const poor = new Set();
         for (const element of document.body.querySelectorAll('*')) {
           const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
           if (!hasText || element.closest('script, svg') || !element.offsetParent) continue;
           const [a, b] = [getComputedStyle(element).color, ground(element)].map(luminance);
           const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
           if (contrast < 4.5) poor.add(`${element.tagName} ${element.className} ${contrast.toFixed(2)}`);
         }
         return [...poor];",
        );
        let poor = poor.as_array().cloned().unwrap_or_default();
        poor.iter().map(|one| one.as_str().unwrap_or_default().to_string()).collect()
    }

    /// A picture of what is seen, as PNG in base64.
    pub fn picture(&self) -> String {
        self.get("/screenshot").as_str().unwrap_or_default().to_string()
    }

    /// What the page has complained about since the last time.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.ask("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].as_str().unwrap_or_default().to_string()).collect()
    }

    fn element(&self, selector: &str) -> String {
        let found = self.ask("/element", &json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|object| object.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("`{selector}` selects nothing")).to_string()
    }

    fn ask(&self, what: &str, body: &Value) -> Value {
        self.post(&format!("/session/{}{what}", self.session), body)
            .unwrap_or_else(|error| panic!("{what} {body}: {error}"))
    }

    fn get(&self, what: &str) -> Value {
        self.request("GET", &format!("/session/{}{what}", self.session), "")
            .unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.request("POST", path, &body.to_string())
    }

    fn request(&self, method: &str, path: &str, body: &str) -> Result<Value, String> {
        let answer = self.exchange(method, path, body).map_err(|error| error.to_string())?;
        let value =
            serde_json::from_str::<Value>(&answer).map_err(|error| format!("{error}: {answer}"))?["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or_default())),
            None => Ok(value),
        }
    }

    fn exchange(&self, method: &str, path: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        String::from_utf8(answer).map_err(io::Error::other)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.request("DELETE", &format!("/session/{}", self.session), "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Where a driver listens, which it says in a line.
fn port_of(driver: &mut Child) -> Option<u16> {
    let said = BufReader::new(driver.stdout.as_mut()?).lines().map_while(Result::ok);
    // Before, it says that it starts on port 0.
    let port = |line: String| line.rsplit_once("successfully on port ")?.1.trim_end_matches('.').parse().ok();
    said.into_iter().find_map(port)
}
