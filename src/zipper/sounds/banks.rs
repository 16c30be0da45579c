//! The declarations of `sounds.zrd`, and banks made from it (FORMAT.md).

use super::sound::{self, Ceiling, Shaped};
use crate::reader::{ReaderDoc, View};
use bytes::Bytes;
use refit_base::wire::Result;

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
    /// All qualities, best first.
    pub const ALL: [Quality; 3] = [Quality::High, Quality::Medium, Quality::Low];

    /// The key in `sounds.zrd`.
    fn key(self) -> &'static str {
        match self {
            Quality::High => "HIGH",
            Quality::Medium => "MED",
            Quality::Low => "LOW",
        }
    }

    /// Recoil's default if nothing is declared.
    fn usual(self) -> Ceiling {
        match self {
            Quality::High => Ceiling {
                rate: 44_100,
                bits: 16,
                channels: 2,
            },
            Quality::Medium => Ceiling {
                rate: 22_050,
                bits: 16,
                channels: 1,
            },
            Quality::Low => Ceiling {
                rate: 11_025,
                bits: 8,
                channels: 1,
            },
        }
    }

    /// The name of the bank's file.
    pub fn file(self) -> &'static str {
        match self {
            Quality::High => "soundsH.zbd",
            Quality::Medium => "soundsM.zbd",
            Quality::Low => "soundsL.zbd",
        }
    }

    /// The quality of a bank, by its file name.
    pub fn of_file(name: &str) -> Option<Self> {
        Quality::ALL
            .into_iter()
            .find(|quality| quality.file().eq_ignore_ascii_case(name))
    }
}

/// The declaration of a sound for a bank.
#[derive(Clone, PartialEq, Debug)]
enum Declared {
    /// The bank's limits for the sound.
    Most(Ceiling),
    /// Another file that the bank contains instead.
    Other(String),
}

/// A sample of `sounds.zrd`.
#[derive(Clone, PartialEq, Debug)]
struct Sample {
    file: String,
    banks: [Declared; 3],
}

/// The declarations in `sounds.zrd`.
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
                // The game uses the first sample of a name.
                if !samples
                    .iter()
                    .any(|other| other.file.eq_ignore_ascii_case(&sample.file))
                {
                    samples.push(sample);
                }
                continue;
            }
            open.extend(items.into_iter().rev());
        }
        Declarations { samples }
    }

    fn sample(items: &[View<'_>]) -> Option<Sample> {
        let [id, file, keys @ ..] = items else {
            return None;
        };
        id.text()?;
        let file = file
            .text()
            .filter(|file| file.to_ascii_lowercase().ends_with(".wav"))?
            .into_owned();
        let of = |quality: Quality| {
            let at = keys
                .iter()
                .position(|key| key.text().is_some_and(|text| text == quality.key()));
            let value = at.and_then(|at| keys.get(at + 1));
            if let Some(other) = value
                .and_then(|v| v.text())
                .filter(|text| text.to_ascii_lowercase().ends_with(".wav"))
            {
                return Declared::Other(other.into_owned());
            }
            let numbers: Vec<i32> = value
                .and_then(|v| v.items())
                .into_iter()
                .flatten()
                .filter_map(View::int)
                .collect();
            let usual = quality.usual();
            let positive = |n: i32| u32::try_from(n).ok().filter(|n| *n > 0);
            let [rate, bits, channels] =
                [0, 1, 2].map(|i| numbers.get(i).copied().and_then(positive));
            let small = |n: Option<u32>, usual: u16| {
                n.map_or(usual, |n| u16::try_from(n).unwrap_or(u16::MAX))
            };
            Declared::Most(Ceiling {
                rate: rate.unwrap_or(usual.rate),
                bits: small(bits, usual.bits),
                channels: small(channels, usual.channels),
            })
        };
        Some(Sample {
            file,
            banks: Quality::ALL.map(of),
        })
    }

    /// True if nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The files of a bank, in the order of their declarations, without duplicates.
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

    /// The bank's limits for a file, or the default for an undeclared one.
    pub fn ceiling(&self, file: &str, quality: Quality) -> Ceiling {
        let sample = self
            .samples
            .iter()
            .find(|sample| sample.file.eq_ignore_ascii_case(file));
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
    /// Its converted file.
    pub shaped: Shaped,
}

/// A bank made from WAV files: declared ones in the order of their declarations, then the others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bank {
    /// The members.
    pub sounds: Vec<Filled>,
    /// Declared files that do not exist.
    pub missing: Vec<String>,
    /// Files without a declaration.
    pub undeclared: Vec<String>,
}

/// Makes a bank. Each file is converted to its limits; `packed` means that the game plays ADPCM
/// (`sound::below`).
///
/// Returns an error, with the name, if a file is not a readable sound.
pub fn fill(
    files: &[(String, Bytes)],
    declared: &Declarations,
    quality: Quality,
    packed: bool,
) -> Result<Bank> {
    let mut bank = Bank::default();
    let mut order: Vec<usize> = Vec::new();
    for name in declared.files(quality) {
        match files
            .iter()
            .position(|(file, _)| file.eq_ignore_ascii_case(name))
        {
            Some(at) => order.push(at),
            None => bank.missing.push(name.to_owned()),
        }
    }
    // A file declared for another bank counts as declared, too.
    let elsewhere: Vec<&str> = Quality::ALL
        .into_iter()
        .flat_map(|quality| declared.files(quality))
        .collect();
    for (at, (name, _)) in files.iter().enumerate() {
        if !order.contains(&at)
            && !elsewhere
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name))
        {
            bank.undeclared.push(name.clone());
            order.push(at);
        }
    }
    let one = |at: &usize| {
        let (name, file) = files.get(*at)?;
        let shaped = sound::below(file, declared.ceiling(name, quality), packed)
            .map_err(|e| e.in_file(name.as_str()));
        Some(shaped.map(|shaped| Filled {
            name: name.clone(),
            shaped,
        }))
    };
    bank.sounds = refit_base::par::try_times(order.len(), |i| one(order.get(i)?))?;
    Ok(bank)
}
