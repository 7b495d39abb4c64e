//! Reading a program ends where its limits are, wherever that is, and says so.

use std::cell::Cell;

use fencepost_base::effort::{Effort, Exhausted};
use fencepost_lower::{Language, Reading, load, load_within};

/// A program of each language, with everything whose reading is a loop, and with some lines repeated
/// so often.
fn program(language: Language, times: usize) -> String {
    match language {
        Language::Fp => format!(
            "domain 4; const n = 2; global x, a[n] = {{0, 1}}; proc p(z) {{ z.store(1, rel); }}
             struct q[n] {{ global z; nonatomic d = {{0, 1}}; }} proc f(z) {{ if (z == 1) return 2; return z; }}
             thread t[n] {{ local r = 1, s; again: r = x.load(acq); if (r != 0) {{ p(x); }} else {{ p(a[0]); }}
               for (local i = 0; i < n; i = i + 1) {{ q[i].z.store(1); s = f(i); q[1].d = s; }}
               while (r < 3 && s == 0) {{ r = r + 1; wait(x == 1 || x == 2, acq); }}
               choose {{ }} or {{ goto again; }} {} }}",
            "x.store(1, rel);\n".repeat(times)
        ),
        Language::Tpl => format!(
            "max_value 3; global x, y; fn t {{ local r; r = CAS(y, 0, 1); wait(x, 1, 2); {} }}",
            "x.store(1);\n".repeat(times)
        ),
        Language::Txt => {
            let transition = |number| format!("transition s{number} s{} write 1 0\n", number + 1);
            format!(
                "# one\nthread t initial q0 transition q0 q1 lock transition q1 q2 read r + r 1
                 transition q2 q3 unlock transition q3 q0 check == r 0 transition q0 q4 write & r 1 3 end
                 thread u initial s0 {} end",
                (0..times).map(transition).collect::<String>()
            )
        }
        Language::Litmus => format!(
            "C test\n(* one *)\n{{ x=1; }}\nP0 (atomic_int* x) {{ int r = 0; while (r < 2) {{ r = r + 1; \
             if (r == 1) atomic_store_explicit(x, r, memory_order_relaxed); else break; }} {} }}\n\
             exists (0:r=1 /\\ x=1 \\/ ~(x=2))",
            "atomic_store(x, 1);\n".repeat(times)
        ),
    }
}

const LANGUAGES: [Language; 4] = [Language::Fp, Language::Tpl, Language::Txt, Language::Litmus];

#[test]
fn time_may_be_up_whenever_the_clock_is_looked_at() {
    for language in LANGUAGES {
        let (short, long) = (program(language, 1), program(language, 1_000));
        let exhausted = load_within(language, &short, Reading::default(), &Effort::new(u64::MAX, &|| true))
            .expect_err("no time at all");
        assert_eq!(exhausted, Exhausted::Time);
        let loaded = load(language, &long);
        assert!(loaded.program.is_some(), "{language:?}: {:?}", loaded.diagnostics);
        for most in 0.. {
            let asked = Cell::new(0);
            let expired = || asked.replace(asked.get() + 1) == most;
            match load_within(language, &long, Reading::default(), &Effort::new(u64::MAX, &expired)) {
                Err(exhausted) => assert_eq!((exhausted, asked.get()), (Exhausted::Time, most + 1)),
                Ok(again) => {
                    assert!(most > 3, "{language:?}: asked {most} times");
                    assert_eq!(again.program, loaded.program, "{language:?}");
                    break;
                }
            }
        }
    }
}

#[test]
fn memory_may_be_used_up_at_any_step() {
    for language in LANGUAGES {
        let text = program(language, 1);
        let program = load(language, &text).program;
        assert!(program.is_some(), "{language:?}");
        let mut enough = false;
        for bytes in (0..100_000).step_by(97) {
            match load_within(language, &text, Reading::default(), &Effort::new(bytes, &|| false)) {
                Err(exhausted) => {
                    assert_eq!(exhausted, Exhausted::Memory(bytes), "{language:?}");
                    assert!(!enough, "{language:?}: what is enough stays so");
                }
                Ok(loaded) => {
                    enough = true;
                    assert_eq!(loaded.program, program, "{language:?}");
                }
            }
        }
        assert!(enough, "{language:?}");
    }
}

#[test]
fn what_is_no_program_is_read_no_further_than_people_read_messages() {
    for (language, text) in [(Language::Fp, ""), (Language::Tpl, ""), (Language::Litmus, "C test\n{ }\n")] {
        let (few, many) = (text.to_string() + &"@ ".repeat(100), text.to_string() + &"@ ".repeat(100_000));
        let steps = |text: &str| {
            let asked = Cell::new(0u32);
            let expired = || asked.replace(asked.get() + 1) > 100;
            let loaded =
                load_within(language, text, Reading::default(), &Effort::new(u64::MAX, &expired)).expect("no limits");
            assert!(loaded.program.is_none() && !loaded.diagnostics.is_empty());
            asked.get()
        };
        assert_eq!(steps(&few), steps(&many), "{language:?}");
    }
}
