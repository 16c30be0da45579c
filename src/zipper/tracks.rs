//! Music on the games' discs: audio tracks after the data track, which no installation copies.
//!
//! The author of mech3ax measured lengths and checksums on their own discs of MechWarrior 3 and
//! Pirate's Moon with Exact Audio Copy (which corrects the drive's offset; without that every
//! checksum differs). The two tracks of MechWarrior sound alike on all discs, but have another
//! order on the first American one, and other checksums on each.
//!
//! Recoil plays the disc through Windows: for a mission it takes the track
//! `number mod (tracks - 2) + 2`. The lengths of its tracks have not been published. Crimson Skies
//! has no music on its disc.

use refit_base::{contract::Info, game::Game};

/// Size of an audio sector in bytes: 588 samples of two channels.
pub const SECTOR: usize = 2352;
/// Sectors per second.
const SECTORS: u32 = 75;

/// A track of audio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Track {
    /// The disc: game, version, and country if it matters.
    pub disc: &'static str,
    /// The game to which the tracks belong.
    pub game: Game,
    /// Its number on the disc; track 1 is the data.
    pub number: u32,
    /// Its length in sectors.
    pub sectors: u32,
    /// CRC-32 of its samples.
    pub crc: u32,
}

const fn track(game: Game, disc: &'static str, number: u32, sectors: u32, crc: u32) -> Track {
    Track {
        disc,
        game,
        number,
        sectors,
        crc,
    }
}

/// All tracks with known measurements.
pub const TRACKS: &[Track] = &[
    track(Game::Mw, "MechWarrior 3 1.0 (US)", 2, 14_394, 0x515b_ecae),
    track(Game::Mw, "MechWarrior 3 1.0 (US)", 3, 13_956, 0x45d6_4143),
    track(
        Game::Mw,
        "MechWarrior 3 1.0 (German)",
        2,
        13_956,
        0xedcc_302c,
    ),
    track(
        Game::Mw,
        "MechWarrior 3 1.0 (German)",
        3,
        14_544,
        0xa262_c28b,
    ),
    track(Game::Mw, "MechWarrior 3 1.1 (US)", 2, 13_956, 0x8256_86b5),
    track(Game::Mw, "MechWarrior 3 1.1 (US)", 3, 14_394, 0x2162_7377),
    track(Game::Mw, "MechWarrior 3 1.2 (US)", 2, 13_956, 0xdb5f_6872),
    track(Game::Mw, "MechWarrior 3 1.2 (US)", 3, 14_394, 0x6150_2511),
    track(Game::Pm, "Pirate's Moon 1.2", 2, 42_211, 0x535b_d032),
];

/// A length in the notation of discs: minutes, seconds, and sectors of the last second.
fn time(sectors: u32) -> String {
    format!(
        "{}:{:02}.{:02}",
        sectors / SECTORS / 60,
        sectors / SECTORS % 60,
        sectors % SECTORS
    )
}

impl std::fmt::Display for Track {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: track {}, {}, {} bytes of audio, CRC {:08X}",
            self.disc,
            self.number,
            time(self.sectors),
            self.bytes(),
            self.crc
        )
    }
}

impl Track {
    /// Size of the audio in bytes; a WAV file has 44 more.
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * SECTOR as u64
    }
}

/// The description of a game's music for `info`.
pub fn tell(game: Game) -> Vec<String> {
    match game {
        Game::Rc => vec![
            "Recoil plays track (number of the mission) mod (tracks - 2) + 2 of its disc; the lengths of its tracks \
            are not known"
                .to_owned(),
        ],
        Game::Cs => Vec::new(),
        game => TRACKS.iter().filter(|track| track.game == game).map(Track::to_string).collect(),
    }
}

/// Identifies the audio of a WAV file (44,100 Hz, 16 bits, stereo) among the known tracks; empty if
/// no track has this length.
pub fn identify(audio: &[u8]) -> Info {
    let same: Vec<&Track> = TRACKS
        .iter()
        .filter(|track| track.bytes() == audio.len() as u64)
        .collect();
    if same.is_empty() {
        return Info::new();
    }
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(audio);
    let result = match same.iter().find(|track| track.crc == crc) {
        Some(track) => format!("{}, track {}: exact", track.disc, track.number),
        None => {
            let like: Vec<String> = same
                .iter()
                .map(|track| format!("{}, track {}", track.disc, track.number))
                .collect();
            format!(
                "as long as {}, but with another CRC: perhaps read without the drive's offset",
                like.join("; ")
            )
        }
    };
    vec![
        ("CD track", result.into()),
        ("CRC", format!("{crc:08X}").into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owner's table also has lengths as times, and sizes in MiB, truncated to two digits
    /// (except for Pirate's Moon).
    #[test]
    fn lengths_are_those_of_the_discs() {
        let mebibytes = |track: &Track| (track.bytes() * 100) >> 20;
        for track in TRACKS {
            let expected = match track.sectors {
                14_394 => ("3:11.69", 3228),
                13_956 => ("3:06.06", 3130),
                14_544 => ("3:13.69", 3262),
                42_211 => ("9:22.61", 9468),
                other => panic!("{other}"),
            };
            assert_eq!(
                (time(track.sectors).as_str(), mebibytes(track)),
                expected,
                "{track}"
            );
        }
        assert_eq!(tell(Game::Mw).len(), 8);
        assert_eq!(
            tell(Game::Pm),
            ["Pirate's Moon 1.2: track 2, 9:22.61, 99280272 bytes of audio, CRC 535BD032"]
        );
        assert!(tell(Game::Cs).is_empty());
    }

    #[test]
    fn a_rip_is_identified_by_its_length_and_checksum() {
        assert!(identify(&[0; 2352]).is_empty());
        // Four bytes that turn the checksum of silence into the wanted one: the checksum is linear,
        // so they can be solved bit by bit.
        let wanted = TRACKS[1];
        let mut audio = vec![0; wanted.bytes() as usize];
        let text = |audio: &[u8]| identify(audio)[0].1.as_str().unwrap().to_owned();
        let of_silence = text(&audio);
        assert!(
            of_silence.starts_with(
                "as long as MechWarrior 3 1.0 (US), track 3; MechWarrior 3 1.0 (German), track 2;"
            ),
            "{of_silence}"
        );
        let sum = |audio: &[u8]| crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(audio);
        let (at, silence) = (audio.len() - 4, sum(&audio));
        let mut rows: Vec<(u32, u32)> = (0..32)
            .map(|bit| {
                let mut end = [0; 4];
                end[bit as usize / 8] = 1u8 << (bit % 8);
                audio[at..].copy_from_slice(&end);
                (sum(&audio) ^ silence, 1u32 << bit)
            })
            .collect();
        let mut left = wanted.crc ^ silence;
        let mut bits = 0;
        for bit in (0..32).rev() {
            let Some(n) = rows.iter().position(|(effect, _)| effect >> bit == 1) else {
                continue;
            };
            let (effect, cause) = rows.swap_remove(n);
            for row in rows.iter_mut().filter(|row| row.0 >> bit & 1 == 1) {
                *row = (row.0 ^ effect, row.1 ^ cause);
            }
            if left >> bit & 1 == 1 {
                (left, bits) = (left ^ effect, bits ^ cause);
            }
        }
        audio[at..].copy_from_slice(&bits.to_le_bytes());
        assert_eq!(text(&audio), "MechWarrior 3 1.0 (US), track 3: exact");
    }
}
