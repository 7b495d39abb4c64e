//! What the user asked for: `FENCEPOST_OPTIONS`, the keys of `TSAN_OPTIONS` that mean the same, and
//! what the program was compiled with (`__fencepost_default_options`, `__tsan_default_options`).
//! Later ones win, in the reverse of this order.
//!
//! Keys for the reporter are passed on to it as they are.

use std::ffi::CStr;
use std::sync::OnceLock;

use fencepost_protocol::door::{self, OPTIONS};
use fencepost_protocol::{Key, Options, pairs};

use crate::environment;
use crate::memory::Apart;

/// What was asked for.
#[derive(Default)]
struct Asked {
    options: Options,
    /// Everything that was understood, for the reporter.
    given: Vec<(String, String)>,
    /// What was not, in words.
    complaints: Vec<String>,
}

impl Asked {
    /// Takes over what `text` says about the options that are `known`.
    fn read(&mut self, text: &str, known: impl Fn(Key) -> bool) {
        for (name, value) in pairs(text) {
            match Key::named(name) {
                Some(key) if !known(key) => {}
                Some(key) if self.options.set(key, value) => self.given.push((name.to_string(), value.to_string())),
                // Thread sanitizers have many that mean nothing here.
                None if !known(Key::Help) => {}
                _ => self.complaints.push(format!("cannot understand {name}={value} in the options")),
            }
        }
    }
}

static ASKED: Apart<OnceLock<Asked>> = Apart(OnceLock::new());

/// What applies.
#[inline]
pub(crate) fn get() -> &'static Options {
    &asked().options
}

/// What was given, for the reporter.
pub(crate) fn given() -> &'static [(String, String)] {
    &asked().given
}

#[inline]
fn asked() -> &'static Asked {
    ASKED.get_or_init(Asked::default)
}

/// Reads the environment, once, and says what it does not understand.
pub(crate) fn read() {
    let mut asked = Asked::default();
    let any = |_: Key| true;
    if let Some(text) = compiled_in(c"__tsan_default_options") {
        asked.read(&text, Key::is_shared);
    }
    if let Some(text) = compiled_in(c"__fencepost_default_options") {
        asked.read(&text, any);
    }
    if let Some(text) = environment::variable("TSAN_OPTIONS") {
        asked.read(&text, Key::is_shared);
    }
    if let Some(text) = environment::variable(door::name(OPTIONS)) {
        asked.read(&text, any);
    }
    if asked.options.help {
        let mut text = String::from("Keys of FENCEPOST_OPTIONS (key=value:key=value):\n");
        for key in Key::ALL {
            text += &format!("  {:<20} {}\n", key.name(), key.meaning());
        }
        crate::channel::print(&text);
    }
    for complaint in &asked.complaints {
        crate::channel::print(&format!("fencepost: {complaint}; `FENCEPOST_OPTIONS=help=1` lists the keys\n"));
    }
    let _ = ASKED.set(asked);
}

/// What a function of the program without arguments returns, if there is such a function.
fn compiled_in(name: &CStr) -> Option<String> {
    // SAFETY: looks a name up.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if function.is_null() {
        return None;
    }
    // SAFETY: by convention of the sanitizers a function of this name takes nothing and returns a
    // string or null.
    let text = unsafe {
        let function: extern "C" fn() -> *const libc::c_char = std::mem::transmute(function);
        function()
    };
    if text.is_null() {
        return None;
    }
    // SAFETY: as above, a string that ends with zero and lives for ever.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::Asked;
    use fencepost_protocol::{Key, Options};

    #[test]
    fn what_is_understood_is_passed_on_and_the_rest_is_named() {
        let mut asked = Asked::default();
        asked.read("seed=7:halt_on_error=yes:seed=x:colour=1", |_| true);
        assert_eq!((asked.options.seed, asked.options.halt), (7, true));
        assert_eq!(asked.given.len(), 2, "{:?}", asked.given);
        assert_eq!(asked.complaints.len(), 2, "{:?}", asked.complaints);
    }

    #[test]
    fn what_only_thread_sanitizers_know_is_left_to_them() {
        let mut asked = Asked::default();
        asked.read("seed=7:history_size=x:second_deadlock_stack=1", Key::is_shared);
        assert_eq!((asked.options, asked.complaints.len()), (Options::DEFAULT, 0));
    }
}
