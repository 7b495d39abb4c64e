//! How messages are written and read: JSON, from one description of each.
//!
//! What is sent implements [`Wire`]. The macros below do that for structures and for choices, so
//! that fields are named in one place. Texts are written to any [`fmt::Write`]. They are read from
//! a [`Tree`], the result of a JSON parser, which is the reporter's affair.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::{Action, Order};

/// A JSON value.
pub trait Tree: Sized {
    /// The value, if it is a number from 0 on.
    fn number(&self) -> Option<u64>;
    /// The value, if it is true or false.
    fn flag(&self) -> Option<bool>;
    /// The value, if it is a text.
    fn text(&self) -> Option<&str>;
    /// The parts, if it is an array.
    fn items(&self) -> Option<impl Iterator<Item = Self>>;
    /// The parts with their names, if it is an object.
    fn fields(&self) -> Option<impl Iterator<Item = (&str, Self)>>;
    /// The part of this name, if it is an object that has one.
    fn field(&self, name: &str) -> Option<Self>;
}

/// Why a value is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The innermost field that is missing or wrong.
    pub field: &'static str,
    /// What should be there.
    pub expected: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.field, self.expected)
    }
}

/// What can be sent.
pub trait Wire: Sized {
    /// What it is, for people.
    const EXPECTED: &'static str;

    /// Writes it. Fails only if `to` does.
    fn write(&self, to: &mut dyn Write) -> fmt::Result;

    /// Reads it; the error says what is wrong inside, if it is not the whole.
    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>>;

    /// Is it left out of an object?
    fn is_absent(&self) -> bool {
        false
    }

    /// What it means to be left out.
    fn absent() -> Option<Self> {
        None
    }
}

/// Reads a field of an object.
pub fn field<T: Wire>(from: &impl Tree, name: &'static str) -> Result<T, Option<Malformed>> {
    let malformed = Malformed { field: name, expected: T::EXPECTED };
    match from.field(name) {
        Some(value) => T::read(&value).map_err(|inside| Some(inside.unwrap_or(malformed))),
        None => T::absent().ok_or(Some(malformed)),
    }
}

/// Writes a field of an object, unless it is left out.
pub fn write_field(to: &mut dyn Write, comma: &mut bool, name: &str, value: &impl Wire) -> fmt::Result {
    if value.is_absent() {
        return Ok(());
    }
    if core::mem::replace(comma, true) {
        to.write_char(',')?;
    }
    write!(to, "\"{name}\":")?;
    value.write(to)
}

impl Wire for u64 {
    const EXPECTED: &'static str = "a number";

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        write!(to, "{self}")
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        from.number().ok_or(None)
    }
}

impl Wire for bool {
    const EXPECTED: &'static str = "true or false";

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        write!(to, "{self}")
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        from.flag().ok_or(None)
    }
}

fn write_text(text: &str, to: &mut dyn Write) -> fmt::Result {
    to.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                to.write_char('\\')?;
                to.write_char(c)?;
            }
            c if (c as u32) < 0x20 => write!(to, "\\u{:04x}", c as u32)?,
            c => to.write_char(c)?,
        }
    }
    to.write_char('"')
}

impl Wire for String {
    const EXPECTED: &'static str = "a text";

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        write_text(self, to)
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        from.text().map(str::to_owned).ok_or(None)
    }
}

impl<T: Wire> Wire for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        self.iter().try_for_each(|value| value.write(to))
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        T::read(from).map(Some)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Wire> Wire for Vec<T> {
    const EXPECTED: &'static str = "a list";

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        to.write_char('[')?;
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                to.write_char(',')?;
            }
            item.write(to)?;
        }
        to.write_char(']')
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        from.items().ok_or(None)?.map(|item| T::read(&item)).collect()
    }
}

/// Texts by name, in order.
impl Wire for Vec<(String, String)> {
    const EXPECTED: &'static str = "an object of texts";

    fn write(&self, to: &mut dyn Write) -> fmt::Result {
        to.write_char('{')?;
        for (index, (name, value)) in self.iter().enumerate() {
            if index > 0 {
                to.write_char(',')?;
            }
            write_text(name, to)?;
            to.write_char(':')?;
            write_text(value, to)?;
        }
        to.write_char('}')
    }

    fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
        let pair = |(name, value): (&str, _)| Ok((name.to_owned(), String::read(&value)?));
        from.fields().ok_or(None)?.map(pair).collect()
    }
}

macro_rules! named {
    ($type:ty, $expected:literal) => {
        impl Wire for $type {
            const EXPECTED: &'static str = $expected;

            fn write(&self, to: &mut dyn Write) -> fmt::Result {
                write_text(self.name(), to)
            }

            fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
                let name = from.text().ok_or(None)?;
                <$type>::ALL.into_iter().find(|known| known.name() == name).ok_or(None)
            }
        }
    };
}

named!(Order, "a memory order");
named!(Action, "an operation");

/// A structure whose fields are sent by their names.
macro_rules! structure {
    ($(#[$attribute:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $name {
            fn write_fields(&self, to: &mut dyn fmt::Write, comma: &mut bool) -> fmt::Result {
                $(wire::write_field(to, comma, stringify!($field), &self.$field)?;)*
                let _ = (to, comma);
                Ok(())
            }
        }

        impl Wire for $name {
            const EXPECTED: &'static str = "an object";

            fn write(&self, to: &mut dyn fmt::Write) -> fmt::Result {
                to.write_char('{')?;
                self.write_fields(to, &mut false)?;
                to.write_char('}')
            }

            fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
                let _ = from;
                Ok($name { $($field: wire::field(from, stringify!($field))?,)* })
            }
        }
    };
}

/// One of several structures, told apart by a field.
macro_rules! choice {
    ($(#[$attribute:meta])* $name:ident by $tag:literal {
        $($(#[$about:meta])* $text:literal => $variant:ident($type:ty),)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$about])* $variant($type),)*
        }

        impl Wire for $name {
            const EXPECTED: &'static str = "an object";

            fn write(&self, to: &mut dyn fmt::Write) -> fmt::Result {
                match self {
                    $($name::$variant(inner) => {
                        to.write_str(concat!("{\"", $tag, "\":\"", $text, "\""))?;
                        inner.write_fields(to, &mut true)?;
                    })*
                }
                to.write_char('}')
            }

            fn read(from: &impl Tree) -> Result<Self, Option<Malformed>> {
                let tag = from.field($tag);
                match tag.as_ref().and_then(Tree::text) {
                    $(Some($text) => Wire::read(from).map($name::$variant),)*
                    _ => Err(Some(Malformed { field: $tag, expected: concat!("one of" $(, " ", $text)*) })),
                }
            }
        }
    };
}

pub(crate) use {choice, structure};
