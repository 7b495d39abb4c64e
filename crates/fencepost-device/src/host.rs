//! A processor that plays a card: the text is compiled as C++ and runs as a program of its own.
//!
//! Its kernels run for one number after the other. We talk to it through its standard input and
//! output, in words: a command, its arguments, and an answer.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use fencepost_verdict::device::{ARGUMENTS, Device, Failure, Kernels, Memory};

/// The part of the program that listens.
const LISTENER: &str = include_str!("listener.h");

/// A processor.
#[derive(Debug)]
pub struct Host {
    compiler: String,
    most_words: u64,
    wide: bool,
    name: String,
}

impl Host {
    /// One that compiles with this command and has this many words of memory; `wide` is whether it
    /// says that it can swap 128 bits at once.
    pub fn new(compiler: &str, most_words: u64, wide: bool) -> Self {
        Host { compiler: compiler.into(), most_words, wide, name: format!("the processor ({compiler})") }
    }

    fn compile(&self, text: &str, program: &PathBuf) -> std::io::Result<()> {
        let mut compiler = Command::new(&self.compiler)
            .args(["-std=c++17", "-O1", "-w", "-x", "c++", "-", "-o"])
            .arg(program)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let kernels: String = names(text).map(|name| format!("{{\"{name}\", {name}}},")).collect();
        let listener = LISTENER.replace("ALL_KERNELS", &kernels);
        let mut input = compiler.stdin.take().expect("it is piped");
        let text = format!("#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n{text}\n{listener}");
        input.write_all(text.as_bytes())?;
        drop(input);
        let output = compiler.wait_with_output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }
}

/// The kernels of a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("KERNEL ")?.split_once('(')).map(|(name, _)| name)
}

impl Device for Host {
    fn name(&self) -> &str {
        &self.name
    }

    fn swaps_128_bits(&self) -> bool {
        self.wide
    }

    fn load(&self, text: &str) -> Result<Box<dyn Kernels + '_>, Failure> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static LOADED: AtomicU64 = AtomicU64::new(0);
        let number = LOADED.fetch_add(1, Ordering::Relaxed);
        let program = std::env::temp_dir().join(format!("fencepost-device-{}-{number}", std::process::id()));
        let child = self
            .compile(text, &program)
            .and_then(|()| Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn());
        // It goes on running without its file.
        let _ = std::fs::remove_file(&program);
        let mut child = child.map_err(other)?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let names = names(text).map(str::to_owned).collect();
        Ok(Box::new(Running { child, talk: RefCell::new((input, output)), names, left: self.most_words }))
    }
}

fn other(error: std::io::Error) -> Failure {
    Failure::Other(error.to_string())
}

/// The program.
struct Running {
    child: Child,
    talk: RefCell<(ChildStdin, ChildStdout)>,
    names: Vec<String>,
    /// Words that can still be allocated.
    left: u64,
}

/// What the program is told to do, as in `listener.h`.
#[derive(Clone, Copy)]
enum Order {
    Allocate,
    Release,
    Write,
    Read,
    Run,
}

impl Running {
    /// Gives an order with these words, and takes this many in return.
    fn order(&self, order: Order, words: &[u64], answer: &mut [u64]) -> Result<(), Failure> {
        let (input, output) = &mut *self.talk.borrow_mut();
        let bytes: Vec<u8> =
            std::iter::once(&(order as u64)).chain(words).flat_map(|word| word.to_le_bytes()).collect();
        let mut told = vec![0; answer.len() * 8];
        let talked = input.write_all(&bytes).and_then(|()| input.flush()).and_then(|()| output.read_exact(&mut told));
        talked.map_err(other)?;
        for (word, bytes) in answer.iter_mut().zip(told.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
        Ok(())
    }
}

impl Kernels for Running {
    fn free_bytes(&mut self) -> Result<u64, Failure> {
        Ok(self.left.saturating_mul(8))
    }

    fn allocate(&mut self, words: u64) -> Result<Memory, Failure> {
        self.left = self.left.checked_sub(words).ok_or(Failure::Full)?;
        let mut address = [0];
        self.order(Order::Allocate, &[words], &mut address)?;
        match address {
            [0] => Err(Failure::Full),
            [address] => Ok(Memory { address, words }),
        }
    }

    fn release(&mut self, memory: Memory) -> Result<(), Failure> {
        self.left += memory.words;
        self.order(Order::Release, &[memory.address], &mut [])
    }

    fn write(&mut self, memory: &Memory, words: &[u64]) -> Result<(), Failure> {
        self.order(Order::Write, &[&[memory.address, words.len() as u64], words].concat(), &mut [])
    }

    fn read(&mut self, memory: &Memory, words: &mut [u64]) -> Result<(), Failure> {
        self.order(Order::Read, &[memory.address, words.len() as u64], words)
    }

    fn run(&mut self, kernel: &str, count: u64, arguments: &[u64]) -> Result<(), Failure> {
        let number = self.names.iter().position(|name| name == kernel);
        let number = number.ok_or_else(|| Failure::Other(format!("there is no kernel `{kernel}`")))?;
        let mut words = vec![number as u64, count];
        words.extend(arguments);
        words.resize(2 + ARGUMENTS, 0);
        self.order(Order::Run, &words, &mut [0])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
