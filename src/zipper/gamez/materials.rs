//! Materials: used slots, unused slots and their bookkeeping, texture cycles (FORMAT.md).

use super::{
    free_list::astray,
    types::{Link, PTR, Ptr, ptr_if},
};
use refit_base::{
    game::Game,
    wire::{
        Defaulted, Derived, Describe, Encode, Error, F32, FieldGroup, Notation, Plain, Reader,
        Record, Result, Role, Str, Trace, Within, Writer, fit,
    },
};

refit_base::flags! {
    /// What a material is. `DECAL`: hits leave marks on it.
    pub struct MaterialFlags: u8 {
        TEXTURED = 0x01 "TEXTURED", DECAL = 0x02 "DECAL", CYCLED = 0x04 "CYCLED", ALWAYS = 0x10 "ALWAYS",
            FREE = 0x20 "FREE",
    }
}

refit_base::open_enum! {
    /// What flying into a material means in CS, where 6 and above come from the game's own `soils`
    /// data.
    pub enum CrimsonSoil: u32 {
        Default = 0 "DEFAULT", Water = 1 "WATER", Seafloor = 2 "SEAFLOOR", Quicksand = 3 "QUICKSAND", Lava = 4 "LAVA",
            Fire = 5 "FIRE",
        Player = 6 "PLAYER", Enemy = 7 "ENEMY", Airstrip = 8 "AIRSTRIP", OpenSesame = 9 "OPENSESAME",
            Death = 10 "DEATH",
        Buildings = 11 "BUILDINGS", DangerZone = 12 "DZONE", Dirt = 13 "DIRT",
    }
}

refit_base::open_enum! {
    /// What driving over a material means. RC knows the first six.
    pub enum Soil: u32 {
        Default = 0 "DEFAULT", Water = 1 "WATER", Seafloor = 2 "SEAFLOOR", Quicksand = 3 "QUICKSAND", Lava = 4 "LAVA",
            Fire = 5 "FIRE",
        Dirt = 6 "DIRT", Mud = 7 "MUD", Grass = 8 "GRASS", Concrete = 9 "CONCRETE", Snow = 10 "SNOW", Mech = 11 "MECH",
            Silt = 12 "SILT",
        NoSlip = 13 "NOSLIP",
    }
}

/// Sizes in bytes of a material record, and of a slot: the record and its two links.
const RECORD: usize = Material::size(Game::Mw);
pub(super) const SLOT: usize = RECORD + <[i16; 2]>::SIZE;

/// Slots of the material array of Crimson Skies; its head may say otherwise.
const CS_SLOTS: usize = 1000;

refit_base::record! {
    /// The header of a texture cycle, without its frames.
    #[derive(Default)]
    pub struct Cycle [Rc 28, Mw 28, Pm 28, Cs 28] {
        /// 1 when the cycle starts again at its end.
        looping: u32,
        /// The frame that was shown when the file was written.
        current_frame^: i32 = |_| 0,
        /// The position between two frames; 0.0 in known files.
        current_index~: F32 = |_| F32::from(0.0),
        /// Frames per second.
        speed: F32,
        mut capacity: u32,
        /// Frames in use. Absent while it is the number of `frames`.
        count~: u32 = |c| c.capacity,
        /// Address of the frames in the process that wrote the file. Absent for 1.
        frames_ptr^: Ptr = |_| PTR,
    } below {
        /// Positions of textures, one per frame.
        frames: Vec<Link>,
    }
}

super::counted!(Cycle: frames by capacity, "the number of frames");

refit_base::record! {
    /// A material. Absent fields have their usual values.
    #[derive(Default)]
    pub struct Material [Rc 40, Mw 40, Pm 40, Cs 40] {
        /// Position of its texture. A material without one has a plain colour.
        texture?: Link in texture,
        /// Name of its texture: mechlib only, where `texture` is an address.
        texture_name?: Str in below,
        /// Red, green, blue, 0.0 to 255.0. Absent for white, which those with a texture have.
        color^ @4: [F32; 3] = |_| WHITE,
        /// Alpha, 0 to 255.
        alpha^ @0: u8 = |_| 255 absent "for 255, which those with a texture have",
        /// The effect of driving over it.
        [Rc Mw Pm] soil^ @32: Soil = |_| Soil::Default hint "this is `crimson_soil` in Crimson Skies",
        /// The effect of flying into it.
        [Cs] crimson_soil^ @32: CrimsonSoil = |_| CrimsonSoil::Default hint "use `soil`: only Crimson Skies has this",
        /// Textures shown one after the other.
        cycle?: Cycle in below,
        /// The kind of material. Absent if it is only TEXTURED, CYCLED and ALWAYS, and these follow
        /// from the rest.
        flags^ @1: MaterialFlags = |m| m.flag_rule(m.game),
        /// Absent for 0x7FFF with a texture, otherwise for 0.
        rgb~ @2: u16 = |m| m.rgb_rule(),
        /// Unknown.
        field20~ @20: F32 = |_| F32::from(0.0),
        /// Unknown. Absent for 0.5.
        field24~: F32 = |_| HALF,
        /// Unknown. Absent for 0.5.
        field28~: F32 = |_| HALF,
        /// Absent for an address while there is a cycle, otherwise for 0.
        cycle_ptr^ @36: Ptr = |m| ptr_if(m.cycle.is_some()),
        /// The slots before and after it in the list of used slots, or of free ones, if they do not
        /// follow from its position.
        links~: [i16; 2] in below,
        /// Position of the texture; an address in mechlib.
        texture @16: part TextureWord,
    }
}

/// The texture word of a material, which has a texture if the flag is set or the word is not 0.
pub struct TextureWord;

impl FieldGroup<Material> for TextureWord {
    const SIZE: usize = u32::SIZE;
    fn load(m: &mut Material, bytes: &[u8], _: u32, game: Game, (): &()) {
        let word = Link::get(bytes);
        m.texture = (m.flags(game).has(MaterialFlags::TEXTURED) || word.index != 0).then_some(word);
    }
    fn store(m: &Material, bytes: &mut [u8], _: Game, (): &()) -> Result<()> {
        if let Some(texture) = &m.texture {
            texture.put(bytes);
        }
        Ok(())
    }
    fn describe(m: &Material, word: &mut Describe<'_>, _: Game, (): &()) {
        word.note(
            0,
            u32::SIZE,
            "texture",
            u32::KIND,
            if m.texture.is_some() {
                Role::Value
            } else {
                Role::Derived
            },
            None,
        );
    }
}

impl Material {
    /// True for materials that differ by their place among the others at most.
    pub fn is_like(&self, other: &Material) -> bool {
        let placeless = |material: &Material| {
            let mut material = Material {
                links: Derived(None),
                ..material.clone()
            };
            // Set while a file is read, and not while a tree is.
            material
                .cycle
                .iter_mut()
                .for_each(|cycle| cycle.capacity = 0);
            material
        };
        placeless(self) == placeless(other)
    }

    /// The positions of its textures.
    pub(crate) fn textures(&self) -> impl Iterator<Item = usize> + '_ {
        self.texture
            .iter()
            .chain(self.cycle.iter().flat_map(|cycle| &cycle.frames))
            .filter_map(Link::place)
    }

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

    /// True if a texture cycle for this slot follows the slots. Recoil's engine tests the flag, and
    /// so does the known reader of Crimson Skies; what MechWarrior 3 and Pirate's Moon test is
    /// unknown, so the pointer decides.
    fn is_framed(&self, i: usize, used: usize, game: Game) -> bool {
        match game.itself() {
            Game::Rc | Game::Cs => i < used && self.flags(game).has(MaterialFlags::CYCLED),
            _ => self.cycle_ptr.or(ptr_if(self.cycle.is_some())).0 != 0,
        }
    }

    /// Sets the cycle that was read after the slots. Flags and pointer were interpreted without it,
    /// so their rules are applied again.
    fn set_cycle(&mut self, cycle: Cycle, game: Game) {
        let (flags, ptr) = (self.flags(game), self.cycle_ptr.or(ptr_if(false)));
        self.cycle = Some(cycle);
        self.flags = Defaulted::of(flags, self.flag_rule(game));
        self.cycle_ptr = Defaulted::of(ptr, ptr_if(true));
    }

    fn rgb_rule(&self) -> u16 {
        if self.texture.is_some() { 0x7FFF } else { 0 }
    }

    /// Reads a material of a mechlib, which is followed by the name of its texture.
    fn load_named(r: &mut Reader<'_>) -> Result<Self> {
        let mut material = Material::read(r)?;
        if material.flags(r.game).has(MaterialFlags::TEXTURED) {
            let length: u32 = r.hidden("name length", Role::Derived)?;
            material.texture_name = Some(Str::from(r.bytes(
                length.into(),
                "texture_name",
                Notation::Text,
                Role::Value,
            )?));
        }
        // In a mechlib the field is an address, not a position, and 0 is a valid value.
        material.texture = material
            .texture
            .map(|texture| Link::address(texture.index as u32));
        Ok(material)
    }
}

const WHITE: [F32; 3] = [F32::from_bits(0x437f_0000); 3];
const HALF: F32 = F32::from_bits(0x3f00_0000);

/// The record of a regular unused slot.
fn unused(game: Game) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    let flags = if game.itself() == Game::Rc {
        MaterialFlags(0)
    } else {
        MaterialFlags::FREE
    };
    flags.put(bytes.within_mut(Material::place_flags(game)));
    bytes
}

refit_base::record! {
    /// The fields before the slots of the materials.
    pub(super) struct MaterialsHead [Rc 16, Mw 16, Pm 16, Cs 16] {
        /// Slots. CS has 1000 of them, whatever the value.
        mut array_size: u32,
        /// Slots in use. They come first.
        mut count: i32,
        /// The first free slot, or −1.
        mut index_free: i32,
        /// The last slot in use.
        mut index_last: i32,
    }
}

refit_base::record! {
    /// The material array: its header and its slots.
    #[derive(Default)]
    pub struct Materials {
        /// Minimum number of slots in the file. The array grows if the list is longer.
        slots: u32,
        /// The used slots, in order. Polygons refer to their positions. Regular unused slots after
        /// the last one are omitted.
        materials: Vec<Option<Material>>,
        /// CS: the word that gives the number of slots in the other games, if it is neither 1000
        /// nor the number of used slots.
        array_size~: u32,
        /// CS: that word is the number of used slots, not 1000. Two readings of real files
        /// disagree: both are usual.
        array_size_is_count!: bool,
        /// Used slots, if that is not the length of the list.
        count~: i32,
        /// Head of the free list.
        index_free~: i32,
        /// Head of the used list.
        index_last~: i32,
    }
}
refit_base::document!(Materials, "gamez-materials");

impl Materials {
    /// Whether each slot has a texture cycle: models count the references to such materials
    /// separately.
    pub fn cycled(&self) -> Vec<bool> {
        self.materials
            .iter()
            .map(|m| m.as_ref().is_some_and(|m| m.cycle.is_some()))
            .collect()
    }

    /// True if the list of used slots visits each of them once and ends; in other games than Recoil
    /// also if no texture cycle depends on it. Recoil's engine walks the whole list, cycles or not,
    /// up to a negative number.
    pub(super) fn list_is_whole(&self, game: Game) -> bool {
        let (used, slots) = self.used(game);
        let head = self.index_last.or(used as i32 - 1);
        let list = Self::walk(used, head, |i| self.next_of(i, used, slots));
        let end = list
            .last()
            .map_or(head, |last| self.next_of(*last, used, slots));
        match game.itself() {
            Game::Rc => list.len() == used && end < 0,
            _ => list.len() == used || !self.cycled().contains(&true),
        }
    }

    /// The used slots, which come first, and all slots.
    fn used(&self, game: Game) -> (usize, usize) {
        let slots = self.slots(game).unwrap_or(self.materials.len());
        let used = usize::try_from(self.count()).unwrap_or(0);
        (used.min(slots), slots)
    }

    /// Where the list of free slots leads astray: see [`astray`].
    pub(super) fn free_list_astray(&self, game: Game) -> Option<String> {
        let (used, slots) = self.used(game);
        astray(
            self.index_free.or(self.free_rule(game, slots)),
            slots,
            |i| i >= used,
            |i| self.next_of(i, used, slots),
        )
    }

    /// The slots of a list from its head on, up to the first that is out of range or comes again.
    fn walk(slots: usize, head: i32, next: impl Fn(usize) -> i32) -> Vec<usize> {
        let (mut seen, mut out, mut at) = (vec![false; slots], Vec::new(), head);
        while let Some(i) = usize::try_from(at).ok()
            && let Some(seen @ false) = seen.get_mut(i)
        {
            *seen = true;
            out.push(i);
            at = next(i);
        }
        out
    }

    pub(super) fn slots(&self, game: Game) -> Result<usize> {
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
        Ok(super::grown(self.slots as usize, self.materials.len()))
    }

    /// Enlarges the array if no slot is free.
    pub fn leave_room(&mut self, game: Game) {
        if game != Game::Cs && self.slots as usize <= self.materials.len() {
            self.slots = u32::try_from(self.materials.len() + 1).unwrap_or(self.slots);
        }
    }

    /// The default links of a slot, previous and next, by its position: new materials are put in
    /// front of the list of used slots, so it runs downward; the list of free slots runs upward.
    fn links(i: usize, count: usize, slots: usize) -> [i16; 2] {
        let first = if i < count { 0 } else { count };
        let end = if i < count { count } else { slots };
        let above = if i + 1 < end { (i + 1) as i16 } else { -1 };
        let below = if i > first { (i as i64 - 1) as i16 } else { -1 };
        if i < count {
            [above, below]
        } else {
            [below, above]
        }
    }

    /// The next slot in the list of this slot.
    fn next_of(&self, i: usize, used: usize, slots: usize) -> i32 {
        let rule = Self::links(i, used, slots);
        let [_, next] = self
            .materials
            .get(i)
            .and_then(Option::as_ref)
            .map_or(rule, |m| m.links.or(rule));
        next.into()
    }

    /// The order of the texture cycles: that of the list of used slots, which starts at the highest
    /// slot in known files; ascending if the list does not visit each slot once.
    ///
    /// Recoil's engine reads and writes them so. The other games probably do the same, as their
    /// links are the same, but no source confirms it.
    fn cycle_order(cycled: &[bool], head: i32, next: impl Fn(usize) -> i32) -> Vec<usize> {
        let ascending: Vec<usize> = cycled
            .iter()
            .enumerate()
            .filter_map(|(i, c)| c.then_some(i))
            .collect();
        let mut order = Self::walk(cycled.len(), head, next);
        order.retain(|i| cycled.get(*i) == Some(&true));
        if order.len() == ascending.len() {
            order
        } else {
            ascending
        }
    }

    fn count(&self) -> i32 {
        self.count.or(self.materials.len() as i32)
    }

    fn free_rule(&self, game: Game, slots: usize) -> i32 {
        if self.count() as i64 == slots as i64 && game != Game::Cs {
            -1
        } else {
            self.count()
        }
    }

    /// Reads the section.
    pub(crate) fn load(r: &mut Reader<'_>) -> Result<Self> {
        let game = r.game;
        let MaterialsHead {
            array_size,
            count,
            index_free,
            index_last,
        } = MaterialsHead::read(r).map_err(|e| e.within("head"))?;
        let slots = if game == Game::Cs {
            CS_SLOTS
        } else {
            array_size as usize
        };
        let used = usize::try_from(count).unwrap_or(0).min(slots);
        if game == Game::Cs && used as i64 != i64::from(count) {
            return Err(r
                .error(format!("{count} used slots of {CS_SLOTS}"))
                .within("count"));
        }
        let at = r.offset();
        let slot_bytes = r.take_many(slots as u64, SLOT as u64)?;
        let mut out = Materials {
            slots: slots as u32,
            ..Materials::default()
        };
        out.array_size = Derived::of(array_size, slots as u32);
        let free = unused(game);
        for (i, slot) in slot_bytes.chunks_exact(SLOT).enumerate() {
            let (record, links) = slot.split_at_checked(RECORD).unwrap_or_default();
            let (links, rule) = (<[i16; 2]>::get(links), Self::links(i, used, slots));
            if i >= used && record == free && links == rule {
                continue;
            }
            out.materials.resize(i, None);
            out.materials.push(Some(Material {
                links: Derived::of(links, rule),
                ..Material::load(record, game, &())
            }));
        }
        out.materials.resize(
            out.materials
                .len()
                .max(used)
                .max(slots.saturating_sub(super::ROOM)),
            None,
        );
        // The cycle blocks follow all slots, in the order of the list of used slots.
        let cycled: Vec<bool> = out
            .materials
            .iter()
            .enumerate()
            .map(|(i, m)| m.as_ref().is_some_and(|m| m.is_framed(i, used, game)))
            .collect();
        let order = Self::cycle_order(&cycled, index_last, |i| out.next_of(i, used, slots));
        let cycles = order.into_iter().try_for_each(|i| {
            let Some(Some(material)) = out.materials.get_mut(i) else {
                return Ok(());
            };
            let cycle = r.within("materials", |r| {
                r.item(i, |r| r.within("cycle", Cycle::load))
            })?;
            material.set_cycle(cycle, game);
            Ok(())
        });
        if let Some(trace) = r.trace() {
            out.describe_slots(r.inner(slot_bytes, at), trace)?;
        }
        cycles?;
        out.count = Derived::of(count, out.materials.len() as i32);
        if game == Game::Cs
            && array_size != slots as u32
            && i64::from(array_size) == i64::from(count)
        {
            (out.array_size_is_count, out.array_size) = (true, Derived(None));
        }
        out.index_free = Derived::of(index_free, out.free_rule(game, slots));
        out.index_last = Derived::of(index_last, out.count().wrapping_sub(1));
        Ok(out)
    }

    /// Reports the fields of the slots to `trace`.
    fn describe_slots(&self, mut slots: Reader<'_>, trace: &dyn Trace) -> Result<()> {
        for i in 0.. {
            if slots.is_empty() {
                break;
            }
            let Some(Some(material)) = self.materials.get(i) else {
                slots.take(SLOT)?;
                slots.note(
                    SLOT,
                    &format!("materials[{i}]"),
                    Notation::Bytes,
                    Role::Derived,
                );
                continue;
            };
            slots.note_within(format_args!("materials[{i}]"), |slots| {
                material.describe(slots.peek(RECORD), slots.offset(), slots.game, &(), trace);
                slots.take(RECORD)?;
                slots.hidden::<[i16; 2]>(
                    "links",
                    if material.links.is_none() {
                        Role::Derived
                    } else {
                        Role::Value
                    },
                )
            })?;
        }
        Ok(())
    }

    /// Writes the section.
    pub(crate) fn save(&self, w: &mut Writer) -> Result<()> {
        let game = w.game;
        let slots = self.slots(game)?;
        let size: u32 = fit(slots, "the number of material slots")?;
        if self.array_size_is_count && game != Game::Cs {
            return Err(Error::say("only Crimson Skies has it").within("array_size_is_count"));
        }
        let usual = if self.array_size_is_count {
            fit(
                usize::try_from(self.count()).unwrap_or(usize::MAX),
                "the number of used slots",
            )?
        } else {
            size
        };
        let head = MaterialsHead {
            array_size: self.array_size.or(usual),
            count: self.count(),
            index_free: self.index_free.or(self.free_rule(game, slots)),
            index_last: self.index_last.or(self.count().wrapping_sub(1)),
        };
        head.write(w)?;
        let used = usize::try_from(self.count()).unwrap_or(0).min(slots);
        let free = unused(game);
        for i in 0..slots {
            let rule = Self::links(i, used, slots);
            match self.materials.get(i) {
                Some(Some(material)) => {
                    material.write(w)?;
                    w.put(&material.links.or(rule));
                }
                _ => {
                    w.raw(&free);
                    w.put(&rule);
                }
            }
        }
        let cycled = self.cycled();
        for (i, (material, has)) in self.materials.iter().zip(&cycled).enumerate() {
            let framed = material
                .as_ref()
                .is_some_and(|m| m.is_framed(i, used, game));
            if framed != *has {
                let error = match has {
                    true => {
                        "the material has a cycle, but its flags or its pointer say that it has none"
                    }
                    false => {
                        "the material's flags or pointer say that it has a cycle, but it has none"
                    }
                };
                return Err(Error::say(error)
                    .hint("remove `flags` and `cycle_ptr` from it")
                    .within(format!("[{i}]"))
                    .within("materials"));
            }
        }
        let last = self.index_last.or(self.count().wrapping_sub(1));
        for i in Self::cycle_order(&cycled, last, |i| self.next_of(i, used, slots)) {
            if let Some(Material {
                cycle: Some(cycle), ..
            }) = self.materials.get(i).and_then(Option::as_ref)
            {
                cycle.save(w)?;
            }
        }
        Ok(())
    }

    /// Reads the `materials` member of a mechlib (FORMAT.md): no links, no unused slots; a name
    /// follows each record.
    pub(crate) fn load_mechlib(r: &mut Reader<'_>) -> Result<Vec<Material>> {
        let count: u32 = r.hidden("count", Role::Derived)?;
        r.within("materials", |r| {
            (0..count as usize)
                .map(|i| r.item(i, Material::load_named))
                .collect()
        })
    }

    /// Writes what [`Materials::load_mechlib`] reads.
    pub(crate) fn save_mechlib(materials: &[Material], w: &mut Writer) -> Result<()> {
        let count: u32 = fit(materials.len(), "the number of materials")?;
        w.u32(count);
        for (i, material) in materials.iter().enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("materials");
            if material.cycle.is_some() {
                return Err(step(Error::say(
                    "materials of a mechlib have no texture cycles",
                )));
            }
            material.write(w).map_err(step)?;
            match (
                &material.texture_name,
                material.flags(w.game).has(MaterialFlags::TEXTURED),
            ) {
                (Some(name), true) => {
                    w.u32(fit(name.0.len(), "the length of a texture's name").map_err(step)?);
                    w.raw(&name.0);
                }
                (None, false) => {}
                (Some(_), false) => {
                    return Err(step(Error::say("`texture_name` without `texture`")));
                }
                (None, true) => {
                    return Err(step(Error::say(
                        "a textured material needs its `texture_name`",
                    )));
                }
            }
        }
        Ok(())
    }
}
