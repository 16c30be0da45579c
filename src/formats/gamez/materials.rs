//! Materials: used slots, unused slots and their bookkeeping, texture cycles (FORMAT.md).

use super::types::{Link, PTR, Ptr, ptr_if};
use crate::wire::{Odd, Usual};
use crate::{
    game::Game,
    wire::{Error, F32, Hex, Notation, Plain, Reader, Result, Role, Wire, Writer, fit, is_false},
};
use serde::{Deserialize, Serialize};

crate::flags! {
    /// What a material is. `DECAL`: hits leave marks on it.
    pub struct MaterialFlags: u8 {
        TEXTURED = 0x01 "TEXTURED", DECAL = 0x02 "DECAL", CYCLED = 0x04 "CYCLED", ALWAYS = 0x10 "ALWAYS", FREE = 0x20 "FREE",
    }
}

crate::open_enum! {
    /// What flying into a material means in CS, where 6 and above come from the game's own `soils` data.
    pub enum CrimsonSoil: u32 {
        Default = 0 "DEFAULT", Water = 1 "WATER", Seafloor = 2 "SEAFLOOR", Quicksand = 3 "QUICKSAND", Lava = 4 "LAVA", Fire = 5 "FIRE",
        Player = 6 "PLAYER", Enemy = 7 "ENEMY", Airstrip = 8 "AIRSTRIP", OpenSesame = 9 "OPENSESAME", Death = 10 "DEATH",
        Buildings = 11 "BUILDINGS", DangerZone = 12 "DZONE", Dirt = 13 "DIRT",
    }
}

crate::open_enum! {
    /// What driving over a material means. RC knows the first six.
    pub enum Soil: u32 {
        Default = 0 "DEFAULT", Water = 1 "WATER", Seafloor = 2 "SEAFLOOR", Quicksand = 3 "QUICKSAND", Lava = 4 "LAVA", Fire = 5 "FIRE",
        Dirt = 6 "DIRT", Mud = 7 "MUD", Grass = 8 "GRASS", Concrete = 9 "CONCRETE", Snow = 10 "SNOW", Mech = 11 "MECH", Silt = 12 "SILT",
        NoSlip = 13 "NOSLIP",
    }
}

/// Bytes of a slot's record, and of a slot: the record, and its two links.
const RECORD: usize = MaterialRecord::size(Game::Mw);
pub(super) const SLOT: usize = RECORD + 4;

/// Slots of the material array of Crimson Skies, whatever its head says.
const CS_SLOTS: usize = 1000;

crate::record! {
    /// The head of a texture cycle, without its frames.
    pub struct Cycle [Rc 28, Mw 28, Pm 28, Cs 28] {
        /// 1 when the cycle starts again at its end.
        looping: u32,
        /// The frame that was shown when the file was written.
        current_frame: Usual<i32> = |_| 0,
        /// Where between two frames it stood; 0.0 in known files.
        current_index: Odd<F32> = |_| F32::from(0.0),
        /// Frames a second.
        speed: F32,
        #[serde(skip)]
        capacity: u32,
        /// Frames in use. Absent while it is the number of `frames`.
        count: Odd<u32> = |c| c.capacity,
        /// Address of the frames in the process that wrote the file. Absent for 1.
        frames_ptr: Usual<Ptr> = |_| PTR,
    } below {
        /// Positions of textures, one each frame.
        frames: Vec<Link>,
    }
}

super::counted!(Cycle: frames by capacity, "the number of frames");

crate::record! {
    /// A slot as it is stored, without its links.
    pub(super) struct MaterialRecord [Rc 40, Mw 40, Pm 40, Cs 40] {
        /// 255 with a texture.
        alpha: u8,
        /// What the material is.
        flags: MaterialFlags,
        /// 0x7FFF with a texture, else 0.
        rgb: u16,
        /// Red, green, blue, 0.0 to 255.0; white with a texture.
        color: [F32; 3],
        /// Position of the texture; an address in mechlib.
        texture: u32,
        /// Unknown; 0.0.
        field20: F32,
        /// Unknown; 0.5 in a slot that is in use.
        field24: F32,
        /// Unknown; 0.5 in a slot that is in use.
        field28: F32,
        /// What driving or flying into it means.
        soil: u32,
        /// Not 0 when there is a cycle.
        cycle_ptr: Ptr,
    }
}

/// A material. Fields that are absent have their usual values.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Position of its texture. A material without one has a plain colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<Link>,
    /// Name of its texture: mechlib only, where `texture` is an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture_name: Option<crate::wire::Str>,
    /// Red, green, blue, 0.0 to 255.0. White while absent.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub color: Usual<[F32; 3]>,
    /// 255 while absent.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub alpha: Usual<u8>,
    /// DEFAULT while absent. RC, MW and PM.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub soil: Usual<Soil>,
    /// DEFAULT while absent. CS.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub crimson_soil: Usual<CrimsonSoil>,
    /// Textures shown one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// TEXTURED, CYCLED and ALWAYS follow the rest while absent.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub flags: Usual<MaterialFlags>,
    /// 0x7FFF with a texture, else 0.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub rgb: Odd<u16>,
    /// Unknown. Absent for 0.0.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub field20: Odd<F32>,
    /// Unknown. Absent for 0.5.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub field24: Odd<F32>,
    /// Unknown. Absent for 0.5.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub field28: Odd<F32>,
    /// An address while there is a cycle, else 0.
    #[serde(default, skip_serializing_if = "Usual::is_none")]
    pub cycle_ptr: Usual<Ptr>,
    /// The slots before and behind it in the list of used slots, or of free ones, where they do not follow from its position.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub links: Odd<[i16; 2]>,
}

impl Material {
    fn flag_rule(&self, game: Game) -> MaterialFlags {
        MaterialFlags(0)
            .with(MaterialFlags::TEXTURED, self.texture.is_some())
            .with(MaterialFlags::CYCLED, self.cycle.is_some())
            .with(MaterialFlags::ALWAYS, game.itself() != Game::Rc)
    }

    /// The flags as stored.
    pub fn flags(&self, game: Game) -> MaterialFlags {
        self.flags.or(self.flag_rule(game))
    }

    /// True when a texture cycle stands behind the slots for a material with these flags and this pointer. Recoil's engine tests the
    /// flag, and so does the known reader of Crimson Skies; what MechWarrior 3 and Pirate's Moon test is not known, the pointer is taken.
    fn frames(flags: MaterialFlags, cycle_ptr: Ptr, i: usize, used: usize, game: Game) -> bool {
        match game.itself() {
            Game::Rc | Game::Cs => i < used && flags.has(MaterialFlags::CYCLED),
            _ => cycle_ptr.0 != 0,
        }
    }

    /// [`Material::frames`] of a slot that was read.
    fn is_framed(&self, i: usize, used: usize, game: Game) -> bool {
        Self::frames(self.flags.0.unwrap_or_default(), self.cycle_ptr.or(Hex(0)), i, used, game)
    }

    /// [`Material::frames`] of a slot that will be written.
    fn framed(&self, i: usize, used: usize, game: Game) -> bool {
        Self::frames(self.flags(game), self.cycle_ptr.or(ptr_if(self.cycle.is_some())), i, used, game)
    }

    fn rgb_rule(&self) -> u16 {
        if self.texture.is_some() { 0x7FFF } else { 0 }
    }

    /// From the stored slot. The flags are judged when the cycle is known: see [`Material::settle`].
    fn load(r: &mut Reader<'_>) -> Result<Self> {
        let s = MaterialRecord::read(r)?;
        let textured = s.flags.has(MaterialFlags::TEXTURED) || s.texture != 0;
        let mut m = Material { texture: textured.then_some(Link::to(s.texture as i32)), ..Material::default() };
        m.color = Usual::of(s.color, WHITE);
        m.alpha = Usual::of(s.alpha, 255);
        match r.game {
            Game::Cs => m.crimson_soil = Usual::of(CrimsonSoil::from_raw(s.soil), CrimsonSoil::Default),
            _ => m.soil = Usual::of(Soil::from_raw(s.soil), Soil::Default),
        }
        m.rgb = Odd::of(s.rgb, m.rgb_rule());
        m.field20 = Odd::of(s.field20, F32::from(0.0));
        m.field24 = Odd::of(s.field24, HALF());
        m.field28 = Odd::of(s.field28, HALF());
        m.flags = Usual(Some(s.flags));
        m.cycle_ptr = Usual(Some(s.cycle_ptr));
        Ok(m)
    }

    /// A material of a mechlib: the name of its texture stands behind it.
    fn load_named(r: &mut Reader<'_>) -> Result<Self> {
        let mut material = Material::load(r)?;
        let textured = material.flags.0.is_some_and(|f| f.has(MaterialFlags::TEXTURED));
        if textured {
            let length: u32 = r.hidden("name length", Role::Derived)?;
            material.texture_name = Some(crate::wire::Str::from(r.bytes(length.into(), "texture_name", Notation::Text, Role::Value)?));
        }
        // In a mechlib the field is an address, not a position: 0 is a value like any other.
        material.texture = match (textured, material.texture) {
            (_, Some(texture)) => Some(Link::address(texture.index as u32)),
            (_, None) => None,
        };
        material.settle(r.game);
        Ok(material)
    }

    fn settle(&mut self, game: Game) {
        self.flags.settle(self.flag_rule(game));
        self.cycle_ptr.settle(ptr_if(self.cycle.is_some()));
    }

    fn save(&self, w: &mut Writer) -> Result<()> {
        let soil = match (w.game, self.soil.0, self.crimson_soil.0) {
            (Game::Cs, None, soil) => soil.map_or(0, CrimsonSoil::raw),
            (Game::Cs, ..) => return Err(Error::say("this is `crimson_soil` in Crimson Skies").within("soil")),
            (_, soil, None) => soil.map_or(0, Soil::raw),
            _ => return Err(Error::say("only Crimson Skies has it").hint("use `soil`").within("crimson_soil")),
        };
        MaterialRecord {
            alpha: self.alpha.or(255),
            flags: self.flags(w.game),
            rgb: self.rgb.or(self.rgb_rule()),
            color: self.color.or(WHITE),
            texture: self.texture.as_ref().map_or(0, |t| t.index as u32),
            field20: self.field20.or(F32::from(0.0)),
            field24: self.field24.or(HALF()),
            field28: self.field28.or(HALF()),
            soil,
            cycle_ptr: self.cycle_ptr.or(ptr_if(self.cycle.is_some())),
        }
        .write(w)
    }
}

const WHITE: [F32; 3] = [F32::from_bits(0x437f_0000); 3];
#[allow(non_snake_case)]
const fn HALF() -> F32 {
    F32::from_bits(0x3f00_0000)
}

/// The 40 bytes of a regular unused slot.
fn unused(game: Game) -> [u8; 40] {
    let mut bytes = [0; 40];
    if let Some(flags) = bytes.get_mut(1) {
        *flags = if game.itself() == Game::Rc { 0 } else { MaterialFlags::FREE.0 };
    }
    bytes
}

/// The material array: what its head says, and the slots.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Materials {
    /// Slots in the file, at least. The array grows when the list is longer.
    pub slots: u32,
    /// The used slots, in order: their positions are what polygons refer to. Regular unused slots behind the last one are left out.
    pub materials: Vec<Option<Material>>,
    /// CS: the word that gives the number of slots in the other games, where it is neither 1000 nor the number of used slots.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub array_size: Odd<u32>,
    /// CS: that word is the number of used slots, not 1000. Two readings of real files disagree: both are usual.
    #[serde(default, skip_serializing_if = "is_false")]
    pub array_size_is_count: bool,
    /// Used slots, where that is not the length of the list.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub count: Odd<i32>,
    /// Head of the free list.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub index_free: Odd<i32>,
    /// Head of the used list.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub index_last: Odd<i32>,
}
crate::document!(Materials, "gamez-materials");

impl Materials {
    /// For each slot whether it has a texture cycle: such materials are counted apart in the references of models.
    pub fn cycled(&self) -> Vec<bool> {
        self.materials.iter().map(|m| m.as_ref().is_some_and(|m| m.cycle.is_some())).collect()
    }

    /// True where the list of used slots visits each of them once, or where no texture cycle depends on it.
    pub(super) fn list_is_whole(&self, game: Game) -> bool {
        let (used, slots) = (self.materials.len(), self.slots(game).unwrap_or(self.materials.len()));
        let mut seen = vec![false; used];
        let mut left = used;
        let mut at = self.index_last.or(used as i32 - 1);
        while let Some(i) = usize::try_from(at).ok()
            && let Some(seen @ false) = seen.get_mut(i)
        {
            *seen = true;
            left -= 1;
            at = self.next_of(i, used, slots);
        }
        left == 0 || !self.cycled().contains(&true)
    }

    fn slots(&self, game: Game) -> Result<usize> {
        if game == Game::Cs {
            let (slots, listed) = (self.slots, self.materials.len());
            if slots as usize != CS_SLOTS || listed > CS_SLOTS {
                return Err(Error::say(format!(
                    "`slots` is {slots} and {listed} materials are listed; Crimson Skies always has {CS_SLOTS}"
                ))
                .hint(format!("set `slots` to {CS_SLOTS} and list no more")));
            }
            return Ok(CS_SLOTS);
        }
        super::limit(self.slots as usize, self.materials.len(), "material slots")?;
        Ok(self.materials.len().max(self.slots as usize))
    }

    /// The links of a slot, previous and next, that follow from its position: new materials are put in front of the list of used slots, so
    /// that it runs downward; the list of free ones runs upward.
    fn links(i: usize, count: usize, slots: usize) -> [i16; 2] {
        let first = if i < count { 0 } else { count };
        let end = if i < count { count } else { slots };
        let above = if i + 1 < end { (i + 1) as i16 } else { -1 };
        let below = if i > first { (i as i64 - 1) as i16 } else { -1 };
        if i < count { [above, below] } else { [below, above] }
    }

    /// The slot that a slot names as the next one in its list.
    fn next_of(&self, i: usize, used: usize, slots: usize) -> i32 {
        let rule = Self::links(i, used, slots);
        let [_, next] = self.materials.get(i).and_then(Option::as_ref).map_or(rule, |m| m.links.or(rule));
        next.into()
    }

    /// The order of the texture cycles of these slots: that in which the list of used slots visits them, from its head on, which is
    /// the highest slot in known files; ascending where the list does not visit each of them once.
    ///
    /// Recoil's engine reads and writes them so. That the others do the same is likely, for the links are the same; no source says it.
    fn cycle_order(cycled: &[bool], head: i32, next: impl Fn(usize) -> i32) -> Vec<usize> {
        let ascending: Vec<usize> = cycled.iter().enumerate().filter_map(|(i, c)| c.then_some(i)).collect();
        let mut order = Vec::with_capacity(ascending.len());
        let mut seen = vec![false; cycled.len()];
        let mut at = head;
        while let Some(i) = usize::try_from(at).ok()
            && let Some(seen @ false) = seen.get_mut(i)
        {
            *seen = true;
            if cycled.get(i) == Some(&true) {
                order.push(i);
            }
            at = next(i);
        }
        if order.len() == ascending.len() { order } else { ascending }
    }

    fn count(&self) -> i32 {
        self.count.or(self.materials.len() as i32)
    }

    fn free_rule(&self, game: Game, slots: usize) -> i32 {
        if self.count() as i64 == slots as i64 && game != Game::Cs { -1 } else { self.count() }
    }

    /// Reads the section.
    pub fn load(r: &mut Reader<'_>) -> Result<Self> {
        let game = r.game;
        let array_size: u32 = r.hidden("array_size", Role::Derived)?;
        let count: i32 = r.hidden("count", Role::Derived)?;
        let index_free: i32 = r.hidden("index_free", Role::Derived)?;
        let index_last: i32 = r.hidden("index_last", Role::Derived)?;
        let slots = if game == Game::Cs { CS_SLOTS } else { array_size as usize };
        let used = usize::try_from(count).unwrap_or(0).min(slots);
        if game == Game::Cs && used as i64 != i64::from(count) {
            return Err(r.error(format!("{count} used slots of {CS_SLOTS}")).within("count"));
        }
        let at = r.offset();
        let slot_bytes = r.take_many(slots as u64, SLOT as u64)?;
        let mut bytes = r.inner(slot_bytes, at);
        let mut out = Materials { slots: slots as u32, ..Materials::default() };
        out.array_size = Odd::of(array_size, slots as u32);
        let free = unused(game);
        for i in 0..slots {
            let regular = i >= used && bytes.peek(RECORD) == free && {
                let links = bytes.peek(SLOT).get(RECORD..).map(<[i16; 2] as Plain>::get);
                links == Some(Self::links(i, used, slots))
            };
            if regular {
                bytes.take(SLOT)?;
                bytes.note(SLOT, &format!("materials[{i}]"), Notation::Bytes, Role::Derived);
                continue;
            }
            let material = bytes.within("materials", |r| {
                r.item(i, |r| {
                    let mut material = Material::load(r)?;
                    material.links = Odd::of(r.hidden("links", Role::Derived)?, Self::links(i, used, slots));
                    Ok(material)
                })
            })?;
            out.materials.resize(i, None);
            out.materials.push(Some(material));
        }
        out.materials.resize(out.materials.len().max(used).max(slots.saturating_sub(super::ROOM)), None);
        // Cycle blocks stand behind all slots, in the order of the list of used slots.
        let cycled: Vec<bool> =
            out.materials.iter().enumerate().map(|(i, m)| m.as_ref().is_some_and(|m| m.is_framed(i, used, game))).collect();
        for i in Self::cycle_order(&cycled, index_last, |i| out.next_of(i, used, slots)) {
            if let Some(Some(material)) = out.materials.get_mut(i) {
                material.cycle = Some(r.within("materials", |r| r.item(i, |r| r.within("cycle", Cycle::load)))?);
            }
        }
        for material in out.materials.iter_mut().flatten() {
            material.settle(game);
        }
        out.count = Odd::of(count, out.materials.len() as i32);
        out.array_size_is_count = game == Game::Cs && array_size != slots as u32 && i64::from(array_size) == i64::from(count);
        if out.array_size_is_count {
            out.array_size = Odd(None);
        }
        out.index_free = Odd::of(index_free, out.free_rule(game, slots));
        out.index_last = Odd::of(index_last, out.count().wrapping_sub(1));
        Ok(out)
    }

    /// Writes the section.
    pub fn save(&self, w: &mut Writer) -> Result<()> {
        let game = w.game;
        let slots = self.slots(game)?;
        let size: u32 = fit(slots, "the number of material slots")?;
        if self.array_size_is_count && game != Game::Cs {
            return Err(Error::say("only Crimson Skies has it").within("array_size_is_count"));
        }
        let usual = if self.array_size_is_count {
            fit(usize::try_from(self.count()).unwrap_or(usize::MAX), "the number of used slots")?
        } else {
            size
        };
        w.u32(self.array_size.or(usual));
        w.put(&self.count());
        w.put(&self.index_free.or(self.free_rule(game, slots)));
        w.put(&self.index_last.or(self.count().wrapping_sub(1)));
        let used = usize::try_from(self.count()).unwrap_or(0).min(slots);
        let free = unused(game);
        for i in 0..slots {
            let rule = Self::links(i, used, slots);
            match self.materials.get(i) {
                Some(Some(material)) => {
                    material.save(w)?;
                    w.put(&material.links.or(rule));
                }
                _ => {
                    w.raw(&free);
                    w.put(&rule);
                }
            }
        }
        let cycled: Vec<bool> = self.materials.iter().map(|m| m.as_ref().is_some_and(|m| m.cycle.is_some())).collect();
        for (i, (material, has)) in self.materials.iter().zip(&cycled).enumerate() {
            let framed = material.as_ref().is_some_and(|m| m.framed(i, used, game));
            if framed != *has {
                let error = match has {
                    true => "the material has a cycle, its flags or its pointer say that it has none",
                    false => "the material's flags or pointer say that it has a cycle, but it has none",
                };
                return Err(Error::say(error).hint("remove `flags` and `cycle_ptr` from it").within(format!("[{i}]")).within("materials"));
            }
        }
        let last = self.index_last.or(self.count().wrapping_sub(1));
        for i in Self::cycle_order(&cycled, last, |i| self.next_of(i, used, slots)) {
            if let Some(Material { cycle: Some(cycle), .. }) = self.materials.get(i).and_then(Option::as_ref) {
                cycle.save(w)?;
            }
        }
        Ok(())
    }

    /// Reads the `materials` member of a mechlib (FORMAT.md): no links, no unused slots, names behind the records.
    pub fn load_mechlib(r: &mut Reader<'_>) -> Result<Vec<Material>> {
        let count: u32 = r.hidden("count", Role::Derived)?;
        r.within("materials", |r| (0..count as usize).map(|i| r.item(i, Material::load_named)).collect())
    }

    /// Writes what [`Materials::load_mechlib`] reads.
    pub fn save_mechlib(materials: &[Material], w: &mut Writer) -> Result<()> {
        let count: u32 = fit(materials.len(), "the number of materials")?;
        w.u32(count);
        for (i, material) in materials.iter().enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("materials");
            if material.cycle.is_some() {
                return Err(step(Error::say("materials of a mechlib have no texture cycles")));
            }
            material.save(w).map_err(step)?;
            match (&material.texture_name, material.flags(w.game).has(MaterialFlags::TEXTURED)) {
                (Some(name), true) => {
                    w.u32(fit(name.0.len(), "the length of a texture's name").map_err(step)?);
                    w.raw(&name.0);
                }
                (None, false) => {}
                (Some(_), false) => return Err(step(Error::say("`texture_name` without `texture`"))),
                (None, true) => return Err(step(Error::say("a textured material needs its `texture_name`"))),
            }
        }
        Ok(())
    }
}
