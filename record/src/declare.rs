//! The syntax tree of a declaration.

use syn::{Attribute, Expr, Ident, LitStr, Type, Visibility};

/// `games { … } pub struct Name [Game SIZE, …] with Context above { … } { … } below { … }`
pub struct Record {
    /// All games there are, in the order of their numbers.
    pub all_games: Vec<GameName>,
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub name: Ident,
    /// The games that have the record, and its size there; empty for a part of the tree whose bytes
    /// other records declare.
    pub games: Vec<(Ident, usize)>,
    /// The context for reading and writing, such as tables of names.
    pub context: Option<Type>,
    pub above: Vec<Field>,
    pub fields: Vec<Field>,
    pub below: Vec<Field>,
    /// Games that the declaration does not name and that have the layout of another one: the game,
    /// the other.
    pub inherited: Vec<(Ident, Ident)>,
}

/// `Mw`, or `RcDemo like Rc "the demos of Recoil"`: a game whose layout is that of another one in
/// records that do not name it.
pub struct GameName {
    pub name: Ident,
    /// The other game, and this one in words.
    pub like: Option<(Ident, LitStr)>,
}

/// The word before a field's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// None: in the struct and in the tree.
    Tree,
    /// `mut`: in the struct, not in the tree.
    State,
    /// `let`: stored by its rule, not in the struct.
    Derived,
    /// `const`: names the file or its version, not in the tree; with a rule not in the struct
    /// either.
    Constant,
}

/// The mark after a field's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldMark {
    /// None: it is always there.
    Plain,
    /// `?`: optional.
    Maybe,
    /// `~`: absent while it follows its rule; another value is a finding.
    Derived,
    /// `^`: absent while it follows its rule; another value is as good.
    Default,
    /// `!`: absent while it is false, zero or empty.
    NotEmpty,
    /// `*`: a list, absent while empty.
    List,
}

/// The position of a field.
pub enum FieldPlace {
    /// After the one before it.
    Next,
    /// At an offset.
    At(usize),
    /// At an offset in each game; `None` for all others.
    PerGame(Vec<(Option<Ident>, usize)>),
}

/// The syntax after the colon.
pub enum Shape {
    /// A value of a type.
    Value(Type),
    /// A bit of the flag word.
    Bit(Expr),
    /// The flag word, of this integer.
    Flags(Type),
    /// Bytes that are zero.
    Pad(usize),
    /// Several fields together, by a type that reads and writes them.
    Part(Type),
}

/// One line of the declaration.
pub struct Field {
    pub attrs: Vec<Attribute>,
    /// The games that have it; empty for all.
    pub games: Vec<Ident>,
    /// It overlaps other fields.
    pub over: bool,
    pub keeping: Keeping,
    /// The field of the struct that contains it: `outer.name`.
    pub outer: Option<Ident>,
    pub name: Ident,
    pub mark: FieldMark,
    pub place: FieldPlace,
    pub shape: Shape,
    pub clauses: Clauses,
}

/// The syntax after the type of a field.
#[derive(Default)]
pub struct Clauses {
    /// The codec of the value.
    pub as_: Option<Type>,
    /// The field that the codec needs.
    pub with: Option<Ident>,
    /// The part with its bytes.
    pub in_: Option<Ident>,
    pub on: Option<Expr>,
    pub off: Option<Expr>,
    pub if_: Option<Expr>,
    pub none: Option<Expr>,
    pub else_: Option<Expr>,
    /// Absent only in trees: the bytes always contain a value.
    pub always: bool,
    pub rule: Option<Expr>,
    /// The rule may fail, as for a count that does not fit.
    pub tries: bool,
    /// Zeros, and nothing in the tree, while this is false.
    pub when: Option<Expr>,
    /// What to do in a game without the field.
    pub hint: Option<LitStr>,
    /// When it is absent, for the schema; by default, the constant of the rule.
    pub absent: Option<LitStr>,
    /// Its key in sources.
    pub key: Option<SourceKey>,
}

/// `"NEAR_CLIP"`, or `2 "NEAR_CLIP"`: keys of a lower rank come first.
pub struct SourceKey {
    pub rank: u8,
    pub name: LitStr,
}
