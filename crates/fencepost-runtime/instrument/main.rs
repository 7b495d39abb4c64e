//! Instruments objects of Rust's standard library for the sanitizer, with the LLVM of the toolchain
//! that they come from.
//!
//! `instrument LIBLLVM VERSION PASSES OPTION… -- OBJECT…`: each object is replaced by what becomes
//! of the bitcode that it carries. Other compilers' LLVM may read that bitcode differently, so the
//! version is compared first. `fencepost cargo` carries this file as text and compiles it with the
//! user's own compiler, once per toolchain: there is no LLVM that could be linked into fencepost
//! itself and that fits every toolchain.
//!
//! All calls are of LLVM's C interface, which is the same in all versions that are new enough to be
//! asked for. Nothing is freed: the process ends soon.

use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::ptr::null_mut;

/// Any object of LLVM's.
type Opaque = *mut c_void;
type Text = *const c_char;
/// What is wrong, as LLVM hands it out.
type Message = *mut c_char;

unsafe extern "C" {
    fn dlopen(file: Text, mode: c_int) -> Opaque;
    fn dlsym(library: Opaque, name: Text) -> Opaque;
    fn dlerror() -> Text;
}

/// Resolve all names at once.
const RTLD_NOW: c_int = 2;
/// `LLVMCodeGenLevelDefault`, `LLVMRelocPIC`, `LLVMCodeModelDefault`, `LLVMObjectFile`.
const LEVEL: c_int = 2;
const PIC: c_int = 2;
const MODEL: c_int = 0;
const OBJECT_FILE: c_int = 1;
/// The section that rustc puts bitcode into.
const BITCODE: &CStr = c".llvmbc";
/// `LLVMVoidTypeKind`, `LLVMPointerTypeKind`.
const VOID: c_int = 0;
const POINTER: c_int = 12;
/// `LLVMInternalLinkage`.
const INTERNAL: c_int = 8;
/// `LLVMIntNE`.
const DIFFERS: c_int = 33;
/// Functions that do nothing in the result, by parts of their mangled names. At the beginning and at
/// the end of each thread they take a lock, to remember where its stack ends: for a message if it
/// overflows. All threads would be ordered by that lock, and there would be a schedule for each order
/// in which it can be taken. Without them an overflow ends the program by its signal alone.
const LEFT_OUT: [&str; 3] = [
    "14stack_overflow3imp12make_handler",
    "14stack_overflow3imp12drop_handler",
    "14stack_overflow11thread_info16set_current_info",
];

/// The functions that wait for a condition, by parts of their mangled names: the module, and one of
/// the others. Their first parameters are the condition and the mutex, each of which begins with the
/// word that the kernel knows it by.
const CONDITIONS: &str = "7condvar5futex";
const WAITS: [&str; 2] = ["7Condvar4wait", "7Condvar12wait_timeout"];
/// What is told of them: the runtime cannot see what a wait in the kernel is for. Who waits for a
/// condition may be woken for no reason.
const TOLD: &CStr = c"__fencepost_condition_wait";

/// The function that takes a mutex for which it has to wait, by parts of its mangled name.
const TAKES: [&str; 2] = ["5mutex5futex", "14lock_contended"];
/// What is asked at its beginning: has the runtime taken the mutex for it? It does so where every
/// schedule is explored, in a single step. There would be very many ways to look at the word of the
/// mutex, and to sleep.
const ASKED: &CStr = c"__fencepost_takes_mutex";

/// The shared library.
struct Llvm(Opaque);

impl Llvm {
    fn open(path: &CStr) -> Result<Llvm, String> {
        // SAFETY: the path is a C string, and libLLVM's constructors expect nothing of who loads it.
        let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        match library.is_null() {
            false => Ok(Llvm(library)),
            // SAFETY: after a failure it is a C string.
            true => Err(unsafe { text(dlerror()) }),
        }
    }

    /// A function by its name.
    ///
    /// # Safety
    ///
    /// `F` is a pointer to a function with the signature that LLVM's headers give for the name.
    unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<Opaque>()) };
        // SAFETY: both are valid; the library is never closed.
        let found = unsafe { dlsym(self.0, name.as_ptr()) };
        match found.is_null() {
            true => Err(format!("this LLVM has no {}", name.to_string_lossy())),
            // SAFETY: a pointer of the same size, which is such a function as the caller says.
            false => Ok(unsafe { std::mem::transmute_copy(&found) }),
        }
    }
}

/// # Safety
///
/// It is null or a C string.
unsafe fn text(text: Text) -> String {
    match text.is_null() {
        true => "no reason given".into(),
        // SAFETY: as the caller says.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

/// What is asked for.
struct Request {
    library: CString,
    version: String,
    passes: CString,
    options: Vec<CString>,
    objects: Vec<CString>,
}

impl Request {
    fn read() -> Option<Request> {
        let mut words = env::args().skip(1);
        let mut next = || CString::new(words.next()?).ok();
        let (library, version, passes) = (next()?, next()?, next()?);
        let mut lists = [Vec::new(), Vec::new()];
        let mut list = 0;
        for word in words {
            match word.as_str() {
                "--" if list == 0 => list = 1,
                _ => lists[list].push(CString::new(word).ok()?),
            }
        }
        let [options, objects] = lists;
        Some(Request { library, version: version.into_string().ok()?, passes, options, objects })
    }
}

#[allow(clippy::print_stderr, reason = "it is a program of its own, whose errors are shown")]
fn main() -> ExitCode {
    let Some(request) = Request::read() else {
        let _ = writeln!(io::stderr(), "usage: instrument LIBLLVM VERSION PASSES OPTION… -- OBJECT…");
        return ExitCode::from(2);
    };
    match run(&request) {
        // LLVM's destructors have nothing to do that matters.
        Ok(()) => std::process::exit(0),
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(request: &Request) -> Result<(), String> {
    let llvm = Llvm::open(&request.library)?;
    // SAFETY: the signatures are those of `llvm-c`: Core.h, Target.h, Support.h. The arguments are
    // valid for the time of the calls, and options, which LLVM keeps, until the process ends.
    unsafe {
        let mut version: [c_uint; 3] = [0; 3];
        let [major, minor, patch] = &mut version;
        let get: unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) = llvm.function(c"LLVMGetVersion")?;
        get(major, minor, patch);
        let found = version.map(|number| number.to_string()).join(".");
        if found != request.version {
            return Err(format!("it is LLVM {found}, and the compiler has used LLVM {}", request.version));
        }
        for name in [
            c"LLVMInitializeX86TargetInfo",
            c"LLVMInitializeX86Target",
            c"LLVMInitializeX86TargetMC",
            c"LLVMInitializeX86AsmPrinter",
            c"LLVMInitializeX86AsmParser",
        ] {
            llvm.function::<unsafe extern "C" fn()>(name)?();
        }
        let name = c"instrument".as_ptr();
        let options: Vec<Text> =
            std::iter::once(name).chain(request.options.iter().map(|word| word.as_ptr())).collect();
        let parse: unsafe extern "C" fn(c_int, *const Text, Text) = llvm.function(c"LLVMParseCommandLineOptions")?;
        parse(options.len() as c_int, options.as_ptr(), c"".as_ptr());
    }
    for object in &request.objects {
        instrument(&llvm, object, &request.passes)
            .map_err(|message| format!("{}: {message}", object.to_string_lossy()))?;
    }
    Ok(())
}

fn instrument(llvm: &Llvm, path: &CStr, passes: &CStr) -> Result<(), String> {
    // SAFETY: the signatures are those of `llvm-c`: Core.h, Object.h, BitReader.h, TargetMachine.h,
    // Transforms/PassBuilder.h. Every pointer comes from LLVM itself and is used before anything
    // that it points into could be freed, which nothing is.
    unsafe {
        let context = llvm.function::<unsafe extern "C" fn() -> Opaque>(c"LLVMContextCreate")?();
        let module = read(llvm, context, path)?;
        leave_out(llvm, context, module)?;
        tell_of_waits(llvm, context, module)?;
        ask_for_mutexes(llvm, context, module)?;
        let mut message: Message = null_mut();
        let triple = llvm.function::<unsafe extern "C" fn(Opaque) -> Text>(c"LLVMGetTarget")?(module);
        let mut target: Opaque = null_mut();
        let find: unsafe extern "C" fn(Text, *mut Opaque, *mut Message) -> c_int =
            llvm.function(c"LLVMGetTargetFromTriple")?;
        if find(triple, &mut target, &mut message) != 0 {
            return Err(text(message));
        }
        let make: unsafe extern "C" fn(Opaque, Text, Text, Text, c_int, c_int, c_int) -> Opaque =
            llvm.function(c"LLVMCreateTargetMachine")?;
        let machine = make(target, triple, c"x86-64".as_ptr(), c"".as_ptr(), LEVEL, PIC, MODEL);
        let options = llvm.function::<unsafe extern "C" fn() -> Opaque>(c"LLVMCreatePassBuilderOptions")?();
        let run: unsafe extern "C" fn(Opaque, Text, Opaque, Opaque) -> Opaque = llvm.function(c"LLVMRunPasses")?;
        let error = run(module, passes.as_ptr(), machine, options);
        if !error.is_null() {
            let explain: unsafe extern "C" fn(Opaque) -> Text = llvm.function(c"LLVMGetErrorMessage")?;
            return Err(text(explain(error)));
        }
        let emit: unsafe extern "C" fn(Opaque, Opaque, Text, c_int, *mut Message) -> c_int =
            llvm.function(c"LLVMTargetMachineEmitToFile")?;
        match emit(machine, module, path.as_ptr(), OBJECT_FILE, &mut message) {
            0 => Ok(()),
            _ => Err(text(message)),
        }
    }
}

/// Makes the functions of the list return at once, with zero if they return something.
///
/// # Safety
///
/// The module is of this context, which is one of this LLVM's.
unsafe fn leave_out(llvm: &Llvm, context: Opaque, module: Opaque) -> Result<(), String> {
    // SAFETY: as in `instrument`. A block that nobody jumps to any more may stay.
    unsafe {
        let body: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetFirstBasicBlock")?;
        let signature: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGlobalGetValueType")?;
        let result: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetReturnType")?;
        let kind: unsafe extern "C" fn(Opaque) -> c_int = llvm.function(c"LLVMGetTypeKind")?;
        let zero: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMConstNull")?;
        let insert: unsafe extern "C" fn(Opaque, Opaque, Text) -> Opaque =
            llvm.function(c"LLVMInsertBasicBlockInContext")?;
        let builder = llvm.function::<unsafe extern "C" fn(Opaque) -> Opaque>(c"LLVMCreateBuilderInContext")?(context);
        let go: unsafe extern "C" fn(Opaque, Opaque) = llvm.function(c"LLVMPositionBuilderAtEnd")?;
        let return_nothing: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMBuildRetVoid")?;
        let return_value: unsafe extern "C" fn(Opaque, Opaque) -> Opaque = llvm.function(c"LLVMBuildRet")?;
        for function in functions(llvm, module, |name| LEFT_OUT.iter().any(|part| name.contains(part)))? {
            go(builder, insert(context, body(function), c"".as_ptr()));
            let result = result(signature(function));
            match kind(result) {
                VOID => return_nothing(builder),
                _ => return_value(builder, zero(result)),
            };
        }
    }
    Ok(())
}

/// Puts functions that say so around those that wait for a condition. They have frames of their own,
/// in which nothing is that an earlier wait has left: the state of the thread is known by its stack.
///
/// # Safety
///
/// The module is of this context, which is one of this LLVM's.
unsafe fn tell_of_waits(llvm: &Llvm, context: Opaque, module: Opaque) -> Result<(), String> {
    // SAFETY: as in `instrument`. The call has as many arguments as its type says, all pointers.
    unsafe {
        let is_wait = |name: &str| name.contains(CONDITIONS) && WAITS.iter().any(|part| name.contains(part));
        let waits = functions(llvm, module, is_wait)?;
        if waits.is_empty() {
            return Ok(());
        }
        let parameters: unsafe extern "C" fn(Opaque) -> c_uint = llvm.function(c"LLVMCountParams")?;
        let parameter: unsafe extern "C" fn(Opaque, c_uint) -> Opaque = llvm.function(c"LLVMGetParam")?;
        let kind: unsafe extern "C" fn(Opaque) -> c_int = llvm.function(c"LLVMGetTypeKind")?;
        let of: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMTypeOf")?;
        let nothing = llvm.function::<unsafe extern "C" fn(Opaque) -> Opaque>(c"LLVMVoidTypeInContext")?(context);
        let pointer: unsafe extern "C" fn(Opaque, c_uint) -> Opaque = llvm.function(c"LLVMPointerTypeInContext")?;
        let mut pointers = [pointer(context, 0); 2];
        let signature: unsafe extern "C" fn(Opaque, *mut Opaque, c_uint, c_int) -> Opaque =
            llvm.function(c"LLVMFunctionType")?;
        let signature = signature(nothing, pointers.as_mut_ptr(), pointers.len() as c_uint, 0);
        let declare: unsafe extern "C" fn(Opaque, Text, Opaque) -> Opaque = llvm.function(c"LLVMAddFunction")?;
        let told = declare(module, TOLD.as_ptr(), signature);
        let name: unsafe extern "C" fn(Opaque, *mut usize) -> Text = llvm.function(c"LLVMGetValueName2")?;
        let rename: unsafe extern "C" fn(Opaque, Text, usize) = llvm.function(c"LLVMSetValueName2")?;
        let replace: unsafe extern "C" fn(Opaque, Opaque) = llvm.function(c"LLVMReplaceAllUsesWith")?;
        let link: unsafe extern "C" fn(Opaque, c_int) = llvm.function(c"LLVMSetLinkage")?;
        let type_of: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGlobalGetValueType")?;
        let result: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetReturnType")?;
        let insert: unsafe extern "C" fn(Opaque, Opaque, Text) -> Opaque =
            llvm.function(c"LLVMAppendBasicBlockInContext")?;
        let builder = llvm.function::<unsafe extern "C" fn(Opaque) -> Opaque>(c"LLVMCreateBuilderInContext")?(context);
        let go: unsafe extern "C" fn(Opaque, Opaque) = llvm.function(c"LLVMPositionBuilderAtEnd")?;
        let call: unsafe extern "C" fn(Opaque, Opaque, Opaque, *mut Opaque, c_uint, Text) -> Opaque =
            llvm.function(c"LLVMBuildCall2")?;
        let return_nothing: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMBuildRetVoid")?;
        let return_value: unsafe extern "C" fn(Opaque, Opaque) -> Opaque = llvm.function(c"LLVMBuildRet")?;
        for function in waits {
            // With other parameters it is told nothing, and what is tried afterwards fails.
            let is_pointer = |number| number < parameters(function) && kind(of(parameter(function, number))) == POINTER;
            if !(is_pointer(0) && is_pointer(1)) {
                continue;
            }
            let mut length = 0;
            let called = CString::from(CStr::from_ptr(name(function, &mut length)));
            rename(function, c"fencepost.waits".as_ptr(), c"fencepost.waits".count_bytes());
            link(function, INTERNAL);
            let outer = declare(module, called.as_ptr(), type_of(function));
            replace(function, outer);
            go(builder, insert(context, outer, c"".as_ptr()));
            let mut arguments: Vec<Opaque> = (0..parameters(outer)).map(|number| parameter(outer, number)).collect();
            call(builder, signature, told, arguments.as_mut_ptr(), pointers.len() as c_uint, c"".as_ptr());
            let count = arguments.len() as c_uint;
            let answer = call(builder, type_of(function), function, arguments.as_mut_ptr(), count, c"".as_ptr());
            match kind(result(type_of(function))) {
                VOID => return_nothing(builder),
                _ => return_value(builder, answer),
            };
        }
    }
    Ok(())
}

/// Makes the function that waits for a mutex return at once if the answer is that it was taken.
///
/// # Safety
///
/// The module is of this context, which is one of this LLVM's.
unsafe fn ask_for_mutexes(llvm: &Llvm, context: Opaque, module: Opaque) -> Result<(), String> {
    // SAFETY: as in `instrument`. Variables stay in the block that the function begins with, which
    // nobody can jump to, so that the block before has no values that depend on where it came from.
    unsafe {
        let kind: unsafe extern "C" fn(Opaque) -> c_int = llvm.function(c"LLVMGetTypeKind")?;
        let of: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMTypeOf")?;
        let parameters: unsafe extern "C" fn(Opaque) -> c_uint = llvm.function(c"LLVMCountParams")?;
        let parameter: unsafe extern "C" fn(Opaque, c_uint) -> Opaque = llvm.function(c"LLVMGetParam")?;
        let type_of: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGlobalGetValueType")?;
        let result: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetReturnType")?;
        let pointer: unsafe extern "C" fn(Opaque, c_uint) -> Opaque = llvm.function(c"LLVMPointerTypeInContext")?;
        let byte = llvm.function::<unsafe extern "C" fn(Opaque) -> Opaque>(c"LLVMInt8TypeInContext")?(context);
        let zero: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMConstNull")?;
        let signature: unsafe extern "C" fn(Opaque, *mut Opaque, c_uint, c_int) -> Opaque =
            llvm.function(c"LLVMFunctionType")?;
        let declare: unsafe extern "C" fn(Opaque, Text, Opaque) -> Opaque = llvm.function(c"LLVMAddFunction")?;
        let body: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetFirstBasicBlock")?;
        let first: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetFirstInstruction")?;
        let variable: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMIsAAllocaInst")?;
        let take_out: unsafe extern "C" fn(Opaque) = llvm.function(c"LLVMInstructionRemoveFromParent")?;
        let put: unsafe extern "C" fn(Opaque, Opaque) = llvm.function(c"LLVMInsertIntoBuilder")?;
        let insert: unsafe extern "C" fn(Opaque, Opaque, Text) -> Opaque =
            llvm.function(c"LLVMInsertBasicBlockInContext")?;
        let builder = llvm.function::<unsafe extern "C" fn(Opaque) -> Opaque>(c"LLVMCreateBuilderInContext")?(context);
        let go: unsafe extern "C" fn(Opaque, Opaque) = llvm.function(c"LLVMPositionBuilderAtEnd")?;
        let call: unsafe extern "C" fn(Opaque, Opaque, Opaque, *mut Opaque, c_uint, Text) -> Opaque =
            llvm.function(c"LLVMBuildCall2")?;
        let compare: unsafe extern "C" fn(Opaque, c_int, Opaque, Opaque, Text) -> Opaque =
            llvm.function(c"LLVMBuildICmp")?;
        let branch: unsafe extern "C" fn(Opaque, Opaque, Opaque, Opaque) -> Opaque =
            llvm.function(c"LLVMBuildCondBr")?;
        let leave: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMBuildRetVoid")?;
        for function in functions(llvm, module, |name| TAKES.iter().all(|part| name.contains(part)))? {
            let is_known = parameters(function) == 1
                && kind(of(parameter(function, 0))) == POINTER
                && kind(result(type_of(function))) == VOID;
            if !is_known {
                continue;
            }
            let signature = signature(byte, [pointer(context, 0)].as_mut_ptr(), 1, 0);
            let asked = declare(module, ASKED.as_ptr(), signature);
            let usual = body(function);
            let taken = insert(context, usual, c"".as_ptr());
            go(builder, taken);
            leave(builder);
            go(builder, insert(context, taken, c"".as_ptr()));
            while !variable(first(usual)).is_null() {
                let moved = first(usual);
                take_out(moved);
                put(builder, moved);
            }
            let answer = call(builder, signature, asked, [parameter(function, 0)].as_mut_ptr(), 1, c"".as_ptr());
            branch(builder, compare(builder, DIFFERS, answer, zero(byte), c"".as_ptr()), taken, usual);
        }
    }
    Ok(())
}

/// The functions that the module defines and whose names are wanted.
///
/// # Safety
///
/// The module is one of this LLVM's.
unsafe fn functions(llvm: &Llvm, module: Opaque, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Opaque>, String> {
    // SAFETY: as in `instrument`.
    unsafe {
        let first: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetFirstFunction")?;
        let next: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetNextFunction")?;
        let name: unsafe extern "C" fn(Opaque, *mut usize) -> Text = llvm.function(c"LLVMGetValueName2")?;
        let body: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMGetFirstBasicBlock")?;
        let mut found = Vec::new();
        let mut function = first(module);
        while !function.is_null() {
            let mut length = 0;
            let called = name(function, &mut length);
            let called = std::slice::from_raw_parts(called.cast::<u8>(), length);
            if !body(function).is_null() && is_wanted(std::str::from_utf8(called).unwrap_or_default()) {
                found.push(function);
            }
            function = next(function);
        }
        Ok(found)
    }
}

/// The module whose bitcode an object carries.
///
/// # Safety
///
/// The context is one of this LLVM's.
unsafe fn read(llvm: &Llvm, context: Opaque, path: &CStr) -> Result<Opaque, String> {
    // SAFETY: as in `instrument`. The bytes of a section are part of the buffer, which stays.
    unsafe {
        let (mut buffer, mut message): (Opaque, Message) = (null_mut(), null_mut());
        let load: unsafe extern "C" fn(Text, *mut Opaque, *mut Message) -> c_int =
            llvm.function(c"LLVMCreateMemoryBufferWithContentsOfFile")?;
        if load(path.as_ptr(), &mut buffer, &mut message) != 0 {
            return Err(text(message));
        }
        let open: unsafe extern "C" fn(Opaque, Opaque, *mut Message) -> Opaque = llvm.function(c"LLVMCreateBinary")?;
        let binary = open(buffer, context, &mut message);
        if binary.is_null() {
            return Err(text(message));
        }
        let sections: unsafe extern "C" fn(Opaque) -> Opaque = llvm.function(c"LLVMObjectFileCopySectionIterator")?;
        let is_end: unsafe extern "C" fn(Opaque, Opaque) -> c_int =
            llvm.function(c"LLVMObjectFileIsSectionIteratorAtEnd")?;
        let name: unsafe extern "C" fn(Opaque) -> Text = llvm.function(c"LLVMGetSectionName")?;
        let size: unsafe extern "C" fn(Opaque) -> u64 = llvm.function(c"LLVMGetSectionSize")?;
        let contents: unsafe extern "C" fn(Opaque) -> Text = llvm.function(c"LLVMGetSectionContents")?;
        let next: unsafe extern "C" fn(Opaque) = llvm.function(c"LLVMMoveToNextSection")?;
        let copy: unsafe extern "C" fn(Text, usize, Text) -> Opaque =
            llvm.function(c"LLVMCreateMemoryBufferWithMemoryRangeCopy")?;
        let parse: unsafe extern "C" fn(Opaque, Opaque, *mut Opaque) -> c_int =
            llvm.function(c"LLVMParseBitcodeInContext2")?;
        let section = sections(binary);
        while is_end(binary, section) == 0 {
            let called = name(section);
            if !called.is_null() && CStr::from_ptr(called) == BITCODE {
                let bitcode = copy(contents(section), size(section) as usize, c"bitcode".as_ptr());
                let mut module: Opaque = null_mut();
                return match parse(context, bitcode, &mut module) {
                    0 => Ok(module),
                    _ => Err("its bitcode cannot be read".into()),
                };
            }
            next(section);
        }
        Err("it has no bitcode".into())
    }
}
