//! Finds oddities in a model by serializing it: every `Derived` that is present is a finding.

use serde::{Serialize, Serializer, ser};

/// Why a value is a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// A constant or derived field disagrees with its rule.
    Odd,
    /// Bytes after a terminator.
    Tail,
    /// A NaN or an infinity.
    NotFinite,
    /// A value outside the known set of an enumeration.
    UnknownValue,
    /// Flag bits without a name.
    UnknownFlag,
    /// Bytes that the typed form cannot express.
    Extra,
}

impl Mark {
    const ALL: [Mark; 6] = [
        Mark::Odd,
        Mark::Tail,
        Mark::NotFinite,
        Mark::UnknownValue,
        Mark::UnknownFlag,
        Mark::Extra,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Odd => "odd-value",
            Mark::Tail => "text-tail",
            Mark::NotFinite => "not-finite",
            Mark::UnknownValue => "unknown-value",
            Mark::UnknownFlag => "unknown-flag",
            Mark::Extra => "extra-bytes",
        }
    }
}

/// Serializes `value` with a mark that only [`marks`] sees. Texts show the value itself.
pub fn marked<T: Serialize + ?Sized, S: Serializer>(
    mark: Mark,
    value: &T,
    s: S,
) -> Result<S::Ok, S::Error> {
    if s.is_human_readable() {
        value.serialize(s)
    } else {
        s.serialize_newtype_struct(mark.name(), value)
    }
}

/// All marks in a value: path, mark, and the marked value as compact JSON.
pub fn marks<T: Serialize + ?Sized>(value: &T) -> Vec<(String, Mark, String)> {
    let mut walk = Walk {
        path: String::new(),
        found: Vec::new(),
    };
    // The walk itself never fails; an error of the model just ends it. The trait object makes the
    // compiler generate one walk for all models instead of one per model.
    let _ = (&value as &dyn erased_serde::Serialize).serialize(&mut walk);
    walk.found
}

/// For `skip_serializing_if`: true if the field is false.
pub fn is_false(value: &bool) -> bool {
    !*value
}

/// For `skip_serializing_if`: true if the number is zero.
pub fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

struct Walk {
    path: String,
    found: Vec<(String, Mark, String)>,
}

impl Walk {
    fn step<T: Serialize + ?Sized>(
        &mut self,
        step: std::fmt::Arguments<'_>,
        value: &T,
    ) -> Result<(), Never> {
        use std::fmt::Write;
        let len = self.path.len();
        let _ = self.path.write_fmt(step);
        value.serialize(&mut *self)?;
        self.path.truncate(len);
        Ok(())
    }
    fn key<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Never> {
        if self.path.is_empty() {
            self.step(format_args!("{key}"), value)
        } else {
            self.step(format_args!(".{key}"), value)
        }
    }
}

/// The error of the walk: a `Serialize` implementation failed, which ends the walk.
#[derive(Debug)]
struct Never;
impl std::fmt::Display for Never {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
impl std::error::Error for Never {}
impl ser::Error for Never {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Never
    }
}

macro_rules! leaves {
    ($($f:ident($($t:ty)?))*) => { $(fn $f(self $(, _: $t)?) -> Result<(), Never> { Ok(()) })* };
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Items<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    leaves! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64)
        serialize_char(char) serialize_str(&str) serialize_bytes(&[u8]) serialize_none() serialize_unit()
        serialize_unit_struct(&'static str)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
    fn collect_str<T: std::fmt::Display + ?Sized>(self, _: &T) -> Result<(), Never> {
        Ok(())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Never> {
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        if let Some(mark) = Mark::ALL.into_iter().find(|m| m.name() == name) {
            let text = serde_json::to_string(value).unwrap_or_default();
            self.found.push((self.path.clone(), mark, text));
        }
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.key(variant, value)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, Never> {
        Ok(Items {
            walk: self,
            next: 0,
            key: String::new(),
        })
    }
    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Never> {
        self.serialize_seq(None)
    }
}

struct Items<'a> {
    walk: &'a mut Walk,
    next: usize,
    key: String,
}

impl Items<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        let i = self.next;
        self.next += 1;
        self.walk.step(format_args!("[{i}]"), value)
    }
}

macro_rules! sequences {
    ($($tr:ident $f:ident),*) => { $(impl ser::$tr for Items<'_> {
        type Ok = ();
        type Error = Never;
        fn $f<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> { self.item(value) }
        fn end(self) -> Result<(), Never> { Ok(()) }
    })* };
}
sequences!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field);

macro_rules! structs {
    ($($tr:ident),*) => { $(impl ser::$tr for Items<'_> {
        type Ok = ();
        type Error = Never;
        fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(),
            Never> { self.walk.key(key, value) }
        fn end(self) -> Result<(), Never> { Ok(()) }
    })* };
}
structs!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Items<'_> {
    type Ok = ();
    type Error = Never;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        self.key = serde_json::to_string(key)
            .unwrap_or_default()
            .trim_matches('"')
            .to_owned();
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        let key = std::mem::take(&mut self.key);
        self.walk.key(&key, value)
    }
    fn end(self) -> Result<(), Never> {
        Ok(())
    }
}
