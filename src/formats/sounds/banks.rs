//! What `sounds.zrd` declares, and banks made by it (FORMAT.md).

use super::sound::{self, Ceiling, Shaped};
use crate::{
    formats::reader::{ReaderDoc, View},
    wire::Result,
};
use bytes::Bytes;

/// The three banks of a game, as its options call them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// `soundsH.zbd`.
    High,
    /// `soundsM.zbd`.
    Medium,
    /// `soundsL.zbd`.
    Low,
}

impl Quality {
    /// All, the best first.
    pub const ALL: [Quality; 3] = [Quality::High, Quality::Medium, Quality::Low];

    /// The key in `sounds.zrd`.
    fn key(self) -> &'static str {
        match self {
            Quality::High => "HIGH",
            Quality::Medium => "MED",
            Quality::Low => "LOW",
        }
    }

    /// What Recoil takes where nothing is declared.
    fn usual(self) -> Ceiling {
        match self {
            Quality::High => Ceiling { rate: 44_100, bits: 16, channels: 2 },
            Quality::Medium => Ceiling { rate: 22_050, bits: 16, channels: 1 },
            Quality::Low => Ceiling { rate: 11_025, bits: 8, channels: 1 },
        }
    }

    /// The bank's file.
    pub fn file(self) -> &'static str {
        match self {
            Quality::High => "soundsH.zbd",
            Quality::Medium => "soundsM.zbd",
            Quality::Low => "soundsL.zbd",
        }
    }

    /// Of a bank's file, by its name.
    pub fn of_file(name: &str) -> Option<Self> {
        Quality::ALL.into_iter().find(|quality| quality.file().eq_ignore_ascii_case(name))
    }
}

/// What is declared of a sound for a bank.
#[derive(Clone, PartialEq, Debug)]
enum Declared {
    /// The most that the bank takes of it.
    Most(Ceiling),
    /// Another file, which the bank has instead.
    Other(String),
}

/// A sample of `sounds.zrd`.
#[derive(Clone, PartialEq, Debug)]
struct Sample {
    file: String,
    banks: [Declared; 3],
}

/// What `sounds.zrd` declares.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Declarations {
    samples: Vec<Sample>,
}

fn position(quality: Quality) -> usize {
    quality as usize
}

impl Declarations {
    /// Finds the samples of a reader file: lists that begin with a name and the name of a WAV file.
    pub fn of(doc: &ReaderDoc) -> Self {
        let mut samples: Vec<Sample> = Vec::new();
        let mut open = vec![doc.view()];
        while let Some(view) = open.pop() {
            let Some(items) = view.items() else { continue };
            let items: Vec<View<'_>> = items.collect();
            if let Some(sample) = Self::sample(&items) {
                // The game takes the first of a name.
                if !samples.iter().any(|other| other.file.eq_ignore_ascii_case(&sample.file)) {
                    samples.push(sample);
                }
                continue;
            }
            open.extend(items.into_iter().rev());
        }
        Declarations { samples }
    }

    fn sample(items: &[View<'_>]) -> Option<Sample> {
        let [id, file, keys @ ..] = items else { return None };
        id.text()?;
        let file = file.text().filter(|file| file.to_ascii_lowercase().ends_with(".wav"))?.into_owned();
        let of = |quality: Quality| {
            let at = keys.iter().position(|key| key.text().is_some_and(|text| text == quality.key()));
            let value = at.and_then(|at| keys.get(at + 1));
            if let Some(other) = value.and_then(|v| v.text()).filter(|text| text.to_ascii_lowercase().ends_with(".wav")) {
                return Declared::Other(other.into_owned());
            }
            let numbers: Vec<i32> = value.and_then(|v| v.items()).into_iter().flatten().filter_map(View::int).collect();
            let usual = quality.usual();
            let positive = |n: i32| u32::try_from(n).ok().filter(|n| *n > 0);
            let [rate, bits, channels] = [0, 1, 2].map(|i| numbers.get(i).copied().and_then(positive));
            let small = |n: Option<u32>, usual: u16| n.map_or(usual, |n| u16::try_from(n).unwrap_or(u16::MAX));
            Declared::Most(Ceiling {
                rate: rate.unwrap_or(usual.rate),
                bits: small(bits, usual.bits),
                channels: small(channels, usual.channels),
            })
        };
        Some(Sample { file, banks: Quality::ALL.map(of) })
    }

    /// True where nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The files that a bank holds, in the order in which they are declared, each once.
    pub fn files(&self, quality: Quality) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for sample in &self.samples {
            let file = match sample.banks.get(position(quality)) {
                Some(Declared::Other(other)) => other.as_str(),
                _ => sample.file.as_str(),
            };
            if !out.iter().any(|known| known.eq_ignore_ascii_case(file)) {
                out.push(file);
            }
        }
        out
    }

    /// The most that a bank takes of a file; what is usual for a file that is not declared.
    pub fn ceiling(&self, file: &str, quality: Quality) -> Ceiling {
        let sample = self.samples.iter().find(|sample| sample.file.eq_ignore_ascii_case(file));
        match sample.and_then(|sample| sample.banks.get(position(quality))) {
            Some(Declared::Most(ceiling)) => *ceiling,
            _ => quality.usual(),
        }
    }
}

/// A sound of a bank.
#[derive(Clone, PartialEq, Debug)]
pub struct Filled {
    /// Its name in the bank.
    pub name: String,
    /// What became of its file.
    pub shaped: Shaped,
}

/// A bank made of WAV files: of those that are declared in the order of their declarations, then of the others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bank {
    /// The members.
    pub sounds: Vec<Filled>,
    /// Files that are declared, and not there.
    pub missing: Vec<String>,
    /// Files that nobody declares.
    pub undeclared: Vec<String>,
}

/// Makes a bank. Each file is brought below its ceiling; `packed` says that the game plays ADPCM ([`sound::below`]).
///
/// Fails on a file that is no sound that can be read, and says which.
pub fn fill(files: &[(String, Bytes)], declared: &Declarations, quality: Quality, packed: bool) -> Result<Bank> {
    use rayon::prelude::*;
    let mut bank = Bank::default();
    let mut order: Vec<usize> = Vec::new();
    for name in declared.files(quality) {
        match files.iter().position(|(file, _)| file.eq_ignore_ascii_case(name)) {
            Some(at) => order.push(at),
            None => bank.missing.push(name.to_owned()),
        }
    }
    // A file that is in another bank only counts as declared, too.
    let elsewhere: Vec<&str> = Quality::ALL.into_iter().flat_map(|quality| declared.files(quality)).collect();
    for (at, (name, _)) in files.iter().enumerate() {
        if !order.contains(&at) && !elsewhere.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            bank.undeclared.push(name.clone());
            order.push(at);
        }
    }
    let one = |at: &usize| {
        let (name, file) = files.get(*at)?;
        let shaped = sound::below(file, declared.ceiling(name, quality), packed).map_err(|e| e.in_file(name.as_str()));
        Some(shaped.map(|shaped| Filled { name: name.clone(), shaped }))
    };
    bank.sounds = order.par_iter().filter_map(one).collect::<Result<_>>()?;
    Ok(bank)
}
