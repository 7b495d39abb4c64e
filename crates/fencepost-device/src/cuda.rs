//! A card that understands CUDA, through its driver and NVRTC.
//!
//! Both are loaded when a card is opened. Memory is the card's own, taken with plain allocations.
//! Everything waits until it is done: a search looks at counters after every layer anyway.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;

use cudarc::driver::{result, sys};
use cudarc::nvrtc;
use fencepost_verdict::device::{ARGUMENTS, Device, Failure, Kernels, Memory};

use crate::cache::Cache;

/// Threads of a block.
const BLOCK: u64 = 128;
/// Most blocks of a launch; further numbers are taken by the same threads.
const MOST_BLOCKS: u64 = 1 << 16;
/// Memory that is left alone: the driver and other programs need some.
const LEFT_ALONE: u64 = 256 << 20;
/// The oldest cards on which threads of a warp go on independently of each other, so that one can
/// wait for another.
const OLDEST: i32 = 70;
/// The oldest cards that swap 128 bits at once.
const SWAPS_128_BITS: i32 = 90;

/// A card.
#[derive(Debug)]
pub struct Cuda {
    name: String,
    context: sys::CUcontext,
    /// Compute capability, as in `sm_90`.
    capability: i32,
    /// The compiler's version.
    compiler: String,
    cache: Cache,
}

// SAFETY: a context may be used by any thread that makes it its current one, which `enter` does.
unsafe impl Sync for Cuda {}
// SAFETY: as above; nothing in it belongs to a thread.
unsafe impl Send for Cuda {}

impl Cuda {
    /// Opens the card with this number; says in words why not. Compiled texts are kept in `cache`.
    pub fn open(number: u32, cache: Option<PathBuf>) -> Result<Self, String> {
        // SAFETY: loading the driver's library runs its initialisation, as every program that links
        // to it does.
        if !unsafe { sys::is_culib_present() } {
            return Err("no driver for CUDA was found (libcuda.so)".into());
        }
        // SAFETY: the same of the compiler.
        if !unsafe { nvrtc::sys::is_culib_present() } {
            let hint = "it comes with the CUDA toolkit; LD_LIBRARY_PATH may have to name its folder";
            return Err(format!("NVRTC was not found (libnvrtc.so): {hint}"));
        }
        result::init().map_err(|error| words("cuInit", error))?;
        let count = result::device::get_count().map_err(|error| words("cuDeviceGetCount", error))?;
        let ordinal = i32::try_from(number).ok().filter(|&number| number < count);
        let ordinal = ordinal.ok_or_else(|| match count {
            0 => "there is no card".to_owned(),
            count => format!("there is no card {number}: they are numbered from 0 to {}", count - 1),
        })?;
        let device = result::device::get(ordinal).map_err(|error| words("cuDeviceGet", error))?;
        let name = result::device::get_name(device).map_err(|error| words("cuDeviceGetName", error))?;
        let attribute = |which| {
            // SAFETY: `device` is one that the driver has given us.
            unsafe { result::device::get_attribute(device, which) }
                .map_err(|error| words("cuDeviceGetAttribute", error))
        };
        let major = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let capability = 10 * major + minor;
        if capability < OLDEST {
            return Err(format!("{name} is too old: its compute capability is {major}.{minor}, and 7.0 is needed"));
        }
        // SAFETY: `device` is one that the driver has given us. It is never released: the process
        // needs it to its end.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(|error| words("cuDevicePrimaryCtxRetain", error))?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are places for a number.
        unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) }
            .result()
            .map_err(|error| format!("nvrtcVersion: {error}"))?;
        let compiler = format!("nvrtc {major}.{minor}");
        Ok(Cuda { name, context, capability, compiler, cache: Cache(cache) })
    }

    /// Makes this card the one that the calls of this thread are about.
    fn enter(&self) -> Result<(), Failure> {
        // SAFETY: the context is retained for as long as the process runs.
        unsafe { result::ctx::set_current(self.context) }.map_err(|error| failure("cuCtxSetCurrent", error))
    }

    /// The text as a program of the card.
    fn compile(&self, text: &str, architecture: &str) -> Result<Vec<u8>, Failure> {
        let other = |what: &str, error: nvrtc::result::NvrtcError| Failure::Other(format!("{what}: {error}"));
        let text = CString::new(text).map_err(|error| Failure::Other(error.to_string()))?;
        let program = nvrtc::result::create_program(&text, None).map_err(|error| other("nvrtcCreateProgram", error))?;
        let options = [
            format!("--gpu-architecture={architecture}"),
            "--std=c++17".into(),
            "--device-int128".into(),
            "--disable-warnings".into(),
        ];
        // SAFETY: `program` was created above and is destroyed below, on every way.
        let compiled = unsafe { nvrtc::result::compile_program(program, &options) };
        let binary = match compiled {
            Ok(()) => {
                let mut size = 0;
                // SAFETY: `program` is compiled, and `size` a place for a number.
                unsafe { nvrtc::sys::nvrtcGetCUBINSize(program, &mut size) }
                    .result()
                    .and_then(|()| {
                        let mut binary = vec![0u8; size];
                        // SAFETY: there is room for `size` bytes.
                        unsafe { nvrtc::sys::nvrtcGetCUBIN(program, binary.as_mut_ptr().cast::<c_char>()) }
                            .result()
                            .map(|()| binary)
                    })
                    .map_err(|error| other("nvrtcGetCUBIN", error))
            }
            Err(error) => {
                // SAFETY: `program` has not been destroyed yet.
                let log = unsafe { nvrtc::result::get_program_log(program) }.unwrap_or_default();
                let log: Vec<u8> = log.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
                Err(Failure::Other(format!("nvrtcCompileProgram: {error}\n{}", String::from_utf8_lossy(&log))))
            }
        };
        // SAFETY: nobody uses it any more.
        let _ = unsafe { nvrtc::result::destroy_program(program) };
        binary
    }
}

fn words(what: &str, error: result::DriverError) -> String {
    let text = error.error_string().ok().map(CStr::to_string_lossy);
    format!("{what}: {}", text.unwrap_or_else(|| format!("{error:?}").into()))
}

fn failure(what: &str, error: result::DriverError) -> Failure {
    match error.0 {
        sys::cudaError_enum::CUDA_ERROR_OUT_OF_MEMORY => Failure::Full,
        _ => Failure::Other(words(what, error)),
    }
}

impl Device for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn swaps_128_bits(&self) -> bool {
        self.capability >= SWAPS_128_BITS
    }

    fn load(&self, text: &str) -> Result<Box<dyn Kernels + '_>, Failure> {
        self.enter()?;
        let architecture = format!("sm_{}", self.capability);
        let binary = self.cache.get(&[text, &architecture, &self.compiler], || self.compile(text, &architecture))?;
        // SAFETY: the bytes are a program that the compiler has made, whole: a cached one has the
        // right digest.
        let module = unsafe { result::module::load_data(binary.as_ptr().cast::<c_void>()) };
        let module = module.map_err(|error| failure("cuModuleLoadData", error))?;
        Ok(Box::new(Loaded { card: self, module, allocated: Vec::new() }))
    }
}

/// A program of the card, and its memory.
struct Loaded<'a> {
    card: &'a Cuda,
    module: sys::CUmodule,
    /// What has not been released.
    allocated: Vec<u64>,
}

impl Kernels for Loaded<'_> {
    fn free_bytes(&mut self) -> Result<u64, Failure> {
        self.card.enter()?;
        let (free, _) = result::mem_get_info().map_err(|error| failure("cuMemGetInfo", error))?;
        Ok((free as u64).saturating_sub(LEFT_ALONE))
    }

    fn allocate(&mut self, words: u64) -> Result<Memory, Failure> {
        self.card.enter()?;
        let bytes = words.max(1) as usize * 8;
        // SAFETY: nobody reads the memory before it is set to 0.
        let address = unsafe { result::malloc_sync(bytes) }.map_err(|error| failure("cuMemAlloc", error))?;
        self.allocated.push(address);
        // SAFETY: it was allocated with this size.
        unsafe { result::memset_d8_sync(address, 0, bytes) }.map_err(|error| failure("cuMemsetD8", error))?;
        Ok(Memory { address, words })
    }

    fn release(&mut self, memory: Memory) -> Result<(), Failure> {
        self.card.enter()?;
        self.allocated.retain(|&address| address != memory.address);
        // SAFETY: `memory` is given up, and nothing runs that uses it.
        unsafe { result::free_sync(memory.address) }.map_err(|error| failure("cuMemFree", error))
    }

    fn write(&mut self, memory: &Memory, words: &[u64]) -> Result<(), Failure> {
        assert!(words.len() as u64 <= memory.words, "there is room for {} words", memory.words);
        self.card.enter()?;
        // SAFETY: there is room.
        unsafe { result::memcpy_htod_sync(memory.address, words) }.map_err(|error| failure("cuMemcpyHtoD", error))
    }

    fn read(&mut self, memory: &Memory, words: &mut [u64]) -> Result<(), Failure> {
        assert!(words.len() as u64 <= memory.words, "there are {} words", memory.words);
        self.card.enter()?;
        // SAFETY: there are so many words.
        unsafe { result::memcpy_dtoh_sync(words, memory.address) }.map_err(|error| failure("cuMemcpyDtoH", error))
    }

    fn run(&mut self, kernel: &str, count: u64, arguments: &[u64]) -> Result<(), Failure> {
        if count == 0 {
            return Ok(());
        }
        self.card.enter()?;
        let name = CString::new(kernel).map_err(|error| Failure::Other(error.to_string()))?;
        // SAFETY: the module is loaded as long as we are there.
        let function = unsafe { result::module::get_function(self.module, name) };
        let function = function.map_err(|error| failure(kernel, error))?;
        let mut words = [0u64; ARGUMENTS + 1];
        words[0] = count;
        words[1..=arguments.len()].copy_from_slice(arguments);
        let mut places = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        let blocks = count.div_ceil(BLOCK).min(MOST_BLOCKS) as u32;
        // SAFETY: every kernel takes so many words; addresses among them are of memory that is not
        // released before the launch is over, which is waited for.
        let launched = unsafe {
            result::launch_kernel(function, (blocks, 1, 1), (BLOCK as u32, 1, 1), 0, std::ptr::null_mut(), &mut places)
        };
        launched.map_err(|error| failure(kernel, error))?;
        result::ctx::synchronize().map_err(|error| failure(kernel, error))
    }
}

impl Drop for Loaded<'_> {
    fn drop(&mut self) {
        if self.card.enter().is_err() {
            return;
        }
        for &address in &self.allocated {
            // SAFETY: nothing runs any more that uses it.
            let _ = unsafe { result::free_sync(address) };
        }
        // SAFETY: the same.
        let _ = unsafe { result::module::unload(self.module) };
    }
}
