//! `cargo xtask package`: what is installed, in the folders of a system, and a Debian package.
//!
//! `target/package` then has `bin`, `share/man/man1`, the completions of three shells and the
//! documentation. `cargo deb` makes a package of it, if it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The greatest size of the command, in MiB.
const LARGEST: u64 = 15;

/// Scripts for shells: what `fencepost completions` calls them, and where they belong.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/fencepost"),
    ("zsh", "share/zsh/vendor-completions/_fencepost"),
    ("fish", "share/fish/vendor_completions.d/fencepost.fish"),
];

/// The folder in which `cargo deb` finds what only Debian wants.
const DEBIAN: &str = "package-debian";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let build = match arguments {
        [] => true,
        [only] if only == "--no-build" => false,
        _ => return Err("usage: cargo xtask package [--no-build]".into()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().map_err(|error| error.to_string())?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let (built, package) = (target.join("release"), target.join("package"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if build {
        succeed(
            Command::new(&cargo).args(["build", "--release", "--locked", "--package", "fencepost"]).current_dir(&root),
        )?;
    }
    let binary = built.join("fencepost");
    let size = fs::metadata(&binary).map_err(|error| format!("{}: {error}", binary.display()))?.len();
    println!("{}: {:.1} MiB", binary.display(), size as f64 / f64::from(1 << 20));
    if size > LARGEST << 20 {
        return Err(format!("that is more than {LARGEST} MiB"));
    }
    if package.exists() {
        fs::remove_dir_all(&package).map_err(|error| format!("{}: {error}", package.display()))?;
    }
    for name in ["fencepost", "cargo-fencepost"] {
        put(&built.join(name), &package.join("bin").join(name))?;
    }
    succeed(Command::new(&binary).arg("man").arg(package.join("share/man/man1")))?;
    for (shell, place) in COMPLETIONS {
        let script = output(Command::new(&binary).args(["completions", shell]))?;
        write(&package.join(place), &script)?;
    }
    let documentation = package.join("share/doc/fencepost");
    for page in pages(&root)? {
        let name = page.strip_prefix(&root).unwrap_or(&page);
        put(&page, &documentation.join(name))?;
    }
    // Debian wants what has changed under this name.
    let changes = output(Command::new("gzip").args(["-9", "-n", "-c"]).arg(root.join("CHANGELOG.md")))?;
    write(&documentation.join("changelog.gz"), &changes)?;
    put(&root.join("LICENSE-APACHE"), &documentation.join("LICENSE-APACHE"))?;
    put(&root.join("LICENSE-MIT"), &documentation.join("LICENSE-MIT"))?;
    println!("{}: bin, man pages, completions, documentation", package.display());
    if Command::new(&cargo).args(["deb", "--version"]).output().is_ok_and(|output| output.status.success()) {
        let debian = target.join(DEBIAN);
        write(&debian.join("changelog"), debian_changes(&root)?.as_bytes())?;
        write(&debian.join("copyright"), debian_copyright(&root)?.as_bytes())?;
        let deb = ["deb", "--no-build", "--no-strip", "--package", "fencepost"];
        succeed(Command::new(&cargo).args(deb).current_dir(&root))?;
    } else {
        println!("no Debian package: `cargo install cargo-deb` is needed for that");
    }
    Ok(())
}

/// What has changed in the Debian package: nothing but what has changed in what it packages.
fn debian_changes(root: &Path) -> Result<String, String> {
    // The date of the sources, so that the same sources make the same package.
    let date = output(Command::new("git").args(["log", "-1", "--format=%cD"]).current_dir(root))
        .or_else(|_| output(Command::new("date").arg("-R")))?;
    let version = env!("CARGO_PKG_VERSION");
    let date = String::from_utf8_lossy(&date);
    Ok(format!(
        "fencepost ({version}-1) unstable; urgency=medium\n\n  * Packaged from the sources of {version}: see changelog.gz.\n\n \
         -- The fencepost developers <maintainers@fencepost.invalid>  {date}"
    ))
}

/// The licences as Debian wants them told: what all systems have is named, and not repeated.
fn debian_copyright(root: &Path) -> Result<String, String> {
    let path = root.join("LICENSE-MIT");
    let mit = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    // An empty line would end the paragraph.
    let mit: String = mit.lines().map(|line| format!(" {}\n", if line.is_empty() { "." } else { line })).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: fencepost\n\n\
         Files: *\nCopyright: 2026 The fencepost authors\nLicense: MIT or Apache-2.0\n\nLicense: MIT\n{mit}\nLicense: Apache-2.0\n On Debian systems, the text of this licence is in\n \
         /usr/share/common-licenses/Apache-2.0.\n"
    ))
}

/// The documentation.
fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |error: std::io::Error| format!("docs: {error}");
    let mut pages: Vec<PathBuf> = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

fn put(from: &Path, to: &Path) -> Result<(), String> {
    let parent = to.parent().unwrap_or(to);
    let done = fs::create_dir_all(parent).and_then(|()| fs::copy(from, to));
    done.map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    let done = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::write(path, text));
    done.map_err(|error| format!("{}: {error}", path.display()))
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("{command:?} failed")) }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}
