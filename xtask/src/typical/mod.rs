//! Files with the proportions of real ones, made byte by byte from the references, without refit's writers: as owners of the four games
//! and readers of their engines measured them (counts, distributions, the oddities that shipped files have). refit must read them
//! exactly, have nothing worse to say of them than *unusual*, and show nothing odd in their trees but what shipped files have too.

pub mod anims;
pub mod files;
pub mod recoil;
pub mod texts;
pub mod worlds;

pub use recoil::{recoil_animations, recoil_world};

/// Words behind each other.
#[derive(Default)]
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    fn word(&mut self, word: u32) -> &mut Self {
        self.0.extend(word.to_le_bytes());
        self
    }
    fn words(&mut self, words: &[u32]) -> &mut Self {
        words.iter().for_each(|word| {
            self.word(*word);
        });
        self
    }
    fn float(&mut self, float: f32) -> &mut Self {
        self.word(float.to_bits())
    }
    fn floats(&mut self, floats: &[f32]) -> &mut Self {
        floats.iter().for_each(|float| {
            self.float(*float);
        });
        self
    }
    fn half(&mut self, half: i16) -> &mut Self {
        self.0.extend(half.to_le_bytes());
        self
    }
    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }
    fn zeros(&mut self, n: usize) -> &mut Self {
        self.0.resize(self.0.len() + n, 0);
        self
    }
    /// A text in a field of so many bytes, over what stood in it.
    fn text(&mut self, text: &str, field: usize, before: &str) -> &mut Self {
        let mut bytes = before.as_bytes().to_vec();
        bytes.resize(field, 0);
        for (to, from) in bytes.iter_mut().zip(text.bytes().chain([0])) {
            *to = from;
        }
        self.0.extend(bytes);
        self
    }
    fn at(&self) -> u32 {
        self.0.len() as u32
    }
}

const NONE: u32 = u32::MAX;

/// The engine's square root.
fn root(x: f32) -> f32 {
    f32::from_bits((x.to_bits() >> 1) + 0x1FC0_0000)
}

/// A file, and what refit should find it to be.
pub struct Typical {
    /// Its place in a folder of its game.
    pub path: &'static str,
    /// Its game, by the name that refit gives it; `None` where the content does not tell.
    pub game: Option<&'static str>,
    /// Its format.
    pub format: &'static str,
    /// Findings that shipped files have too: each is named by those who measured them.
    pub found: &'static [&'static str],
    make: fn(usize) -> Vec<u8>,
}

impl Typical {
    /// Where it stands in `golden/`, if it does, as small as it can be while it still has all that the large one has.
    pub fn golden(&self) -> Option<String> {
        let name = self.path.rsplit('/').next()?;
        let game = self.path.split('/').next()?;
        // Packages, banks and scripts have golden files of these shapes already; a world of Recoil has all its slots.
        let small = match self.format {
            "anim" | "mechlib" | "motion" | "savegame" | "rof" | "zmap" => true,
            "gamez" => game != "rc",
            "reader" => !self.path.ends_with("ZBD/zrdr.zbd"),
            _ => false,
        };
        small.then(|| format!("{}/{game}_typical_{name}", self.format))
    }

    /// The file. `scale` divides the number of what there is most of; 1 is as large as shipped files.
    pub fn bytes(&self, scale: usize) -> Vec<u8> {
        (self.make)(scale.max(1))
    }
}

const fn file(path: &'static str, format: &'static str, found: &'static [&'static str], make: fn(usize) -> Vec<u8>) -> Typical {
    let game = match path.as_bytes() {
        [b'r', ..] => Some("rc"),
        [b'm', ..] => Some("mw"),
        [b'p', b'm', ..] => Some("pm"),
        [b'c', ..] => Some("cs"),
        _ => None,
    };
    Typical { path, game, format, found, make }
}

const fn untold(mut typical: Typical) -> Typical {
    typical.game = None;
    typical
}

/// All files.
pub const ALL: &[Typical] = &[
    file("rc/zbd/m1/gamez.zbd", "gamez", &[], |_| recoil::recoil_world()),
    // Released records in the order of their release.
    file("rc/zbd/m6/gamez.zbd", "gamez", &[], |_| recoil::recoil_world_with_freed()),
    // Calls of other files' animations.
    file("rc/zbd/m1/anim.zbd", "anim", &["anim-call"], |scale| recoil::recoil_animations((480 / scale).max(5))),
    file("rc/zbd/m1/zrdr.zbd", "reader", &[], |_| files::recoil_readers()),
    // 16 of 281 sounds are there twice.
    untold(file("rc/zbd/soundsL.zbd", "sounds", &["archive-shadowed"], |_| files::recoil_sounds())),
    file("rc/zbd/m1/texture8.zbd", "textures", &[], |_| files::recoil_textures(true)),
    file("rc/zbd/m1/rtexture4.zbd", "textures", &[], |_| files::recoil_textures(false)),
    // `testdb.gs` sources a script that is nowhere.
    untold(file("rc/zbd/interp.zbd", "interp", &["interp-source"], |_| files::recoil_scripts())),
    file("rc/maps/m1.zmap", "zmap", &[], |_| files::map()),
    // `Mines/DummyMineData` is empty.
    file("rc/SavedGames/slot1.sav", "savegame", &["archive-empty-member"], |_| files::recoil_save()),
    file("rc/messages.dll", "messages", &[], |_| texts::messages(true, 749)),
    untold(file("mw/Mech3Msg.dll", "messages", &[], |_| texts::messages(false, 400))),
    file("cs/strings.dll", "messages", &[], |_| texts::strings()),
    file("mw/zbd/c1/gamez.zbd", "gamez", &[], |scale| worlds::world(worlds::Game::Mw, scale)),
    file("mw/zbd/c1/anim.zbd", "anim", &["anim-call"], |scale| anims::animations(worlds::Game::Mw, (480 / scale).max(5))),
    file("mw/zbd/c1/reader.zbd", "reader", &[], |_| files::mech_readers(1)),
    untold(file("mw/zbd/soundsL.zbd", "sounds", &["archive-shadowed"], |_| files::mech_sounds(1))),
    file("mw/zbd/motion.zbd", "motion", &["motion-open"], |_| files::motions(1)),
    file("mw/zbd/mechlib.zbd", "mechlib", &[], |_| files::mechs(1)),
    untold(file("mw/zbd/c1/texture.zbd", "textures", &[], |_| files::mech_textures(false))),
    file("mw/DefaultCtlConfig.zrd", "zrd_text", &[], |_| files::controls()),
    file("mw/pilots/one.mw3", "savegame", &[], |_| files::mech_save()),
    file("pm/zbd/c1/gamez.zbd", "gamez", &[], |scale| worlds::world(worlds::Game::Pm, scale)),
    file("pm/zbd/c1/anim.zbd", "anim", &["anim-call"], |scale| anims::animations(worlds::Game::Pm, (480 / scale).max(5))),
    file("pm/zbd/c1/reader.zbd", "reader", &[], |_| files::mech_readers(2)),
    file("pm/zbd/soundsL.zbd", "sounds", &["archive-shadowed"], |_| files::mech_sounds(2)),
    file("pm/zbd/motion.zbd", "motion", &["motion-open"], |_| files::motions(2)),
    file("pm/zbd/mechlib.zbd", "mechlib", &[], |_| files::mechs(2)),
    untold(file("pm/zbd/c1/texture.zbd", "textures", &[], |_| files::mech_textures(true))),
    file("cs/ZBD/C1/gamez.zbd", "gamez", &[], |scale| worlds::world(worlds::Game::Cs, scale)),
    // No world; free slots in an editor's order; other bytes behind `geometry`, `cockpit1` and `rung6`.
    file("cs/ZBD/planes.zbd", "planes", &["gamez-free-list", "gamez-no-world", "text-tail"], |_| worlds::planes()),
    file("cs/ZBD/C1/M01/mis_anim.zbd", "anim", &[], |scale| anims::animations(worlds::Game::Cs, (573 / scale).max(5))),
    // 29 names are there twice.
    file("cs/ZBD/zrdr.zbd", "reader", &["archive-shadowed"], |_| files::crimson_readers(true)),
    file("cs/ZBD/C1/M01/zrdr.zbd", "reader", &[], |_| files::crimson_readers(false)),
    file("cs/ZBD/soundsl.zbd", "sounds", &[], |_| files::crimson_sounds(true)),
    file("cs/ZBD/soundsh.zbd", "sounds", &[], |_| files::crimson_sounds(false)),
    untold(file("cs/ZBD/C1/texture.zbd", "textures", &[], |_| files::crimson_textures(true))),
    untold(file("cs/ZBD/C1/rtexture8.zbd", "textures", &[], |_| files::crimson_textures(false))),
    untold(file("cs/ZBD/interp.zbd", "interp", &[], |_| files::crimson_scripts())),
    file("cs/GOSDATA/ASSETS/crimson.rof", "rof", &[], |_| files::resources()),
    // Sections have one name several times.
    file("cs/SavedGames/Zachary/Mission.102", "savegame", &["archive-shadowed"], |_| files::crimson_save()),
    file("addons/test.pbo", "pbo", &[], |_| files::addon()),
];

/// The files of them that stand in `golden/`: path below it, and bytes.
pub fn golden() -> impl Iterator<Item = (String, Vec<u8>)> {
    ALL.iter().filter_map(|typical| Some((typical.golden()?, typical.bytes(usize::MAX))))
}

/// `cargo xtask typical DIR`: writes all of them into a folder.
pub fn task(mut args: crate::Args) -> anyhow::Result<()> {
    let scale = args.value("--scale")?.unwrap_or(1);
    let paths = args.rest()?;
    let [folder] = paths.as_slice() else { anyhow::bail!("where to? cargo xtask typical DIR") };
    for typical in ALL {
        let path = folder.join(typical.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let bytes = typical.bytes(scale);
        std::fs::write(&path, &bytes)?;
        println!("{} {}", path.display(), bytes.len());
    }
    Ok(())
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
