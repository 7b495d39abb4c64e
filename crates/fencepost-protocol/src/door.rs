//! How a process finds a reporter that waits for it.
//!
//! The door is one end of a socket that keeps packets apart. A packet is [`VERSION`] alone, with
//! two files: the reporter's end of a connection, and the [record](crate::record) of the run if
//! there is one. Nothing is ever sent the other way. A program that speaks another version sends
//! that, and no files, so the reporter knows why it hears nothing.

use core::ffi::CStr;
use core::fmt;

use crate::VERSION;

/// The variable of the environment that names the door.
pub const DOOR: &CStr = c"FENCEPOST_DOOR";
/// The variable of the environment that named a connection, before there were versions. It is set
/// so that a runtime of that time says something, and the reporter hears that it is old.
pub const CHANNEL: &CStr = c"FENCEPOST_CHANNEL";
/// The variable of the environment that has [`Options`](crate::Options).
pub const OPTIONS: &CStr = c"FENCEPOST_OPTIONS";
/// The variable of the environment that names the command to start as the reporter.
pub const REPORTER: &CStr = c"FENCEPOST_REPORTER";

/// A name as Rust has it.
pub const fn name(variable: &'static CStr) -> &'static str {
    match variable.to_str() {
        Ok(name) => name,
        Err(_) => "",
    }
}

/// Where the door is, as the environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// Which version the reporter speaks.
    pub version: u8,
    /// The file descriptor.
    pub file: i32,
    /// The number of the socket. Whoever has closed the door may have opened something else in its
    /// place.
    pub socket: u64,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.version, self.file, self.socket)
    }
}

impl Door {
    /// What the environment says; none if it is nothing that could be understood.
    pub fn read(text: &str) -> Option<Door> {
        let (version, rest) = text.split_once(':')?;
        let (file, socket) = rest.split_once(':')?;
        Some(Door { version: version.parse().ok()?, file: file.parse().ok()?, socket: socket.parse().ok()? })
    }

    /// Does the reporter speak our version?
    pub const fn is_ours(&self) -> bool {
        self.version == VERSION
    }
}

/// The version of who has sent this packet.
pub fn version_of(packet: &[u8]) -> Option<u8> {
    match packet {
        [] => None,
        [version] => Some(*version),
        // Before there were versions, messages were sent here.
        _ => Some(1),
    }
}

/// Two sides that do not speak the same version, in the words of the reporter, whose version is
/// [`VERSION`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The version of the program.
    pub program: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { program } = self;
        if *program < u64::from(VERSION) {
            write!(
                f,
                "it was built by an older fencepost: its runtime speaks version {program} of the protocol, this \
                 fencepost version {VERSION}; build it again with `fencepost cc`"
            )
        } else {
            write!(
                f,
                "it was built by a newer fencepost: its runtime speaks version {program} of the protocol, this \
                 fencepost version {VERSION}; use that fencepost to run it, or build it again with this one's \
                 `fencepost cc`"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::{Door, version_of};
    use crate::VERSION;

    #[test]
    fn the_name_of_a_door_is_read_as_it_is_written() {
        let door = Door { version: VERSION, file: 7, socket: 123_456 };
        assert_eq!(Door::read(&door.to_string()), Some(door));
        for nonsense in ["", "x", "5", "2:5", "2:x:1", ":::", "300:1:1"] {
            assert_eq!(Door::read(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn packets_tell_the_version() {
        assert_eq!(version_of(&[VERSION]), Some(VERSION));
        assert_eq!(version_of(b"{\"ev\":\"start\"}"), Some(1));
        assert_eq!(version_of(&[]), None);
    }
}
