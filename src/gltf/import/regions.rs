//! Regions of ground: soil, zones and craters, from the name or the extras of a material or object.
//!
//! In a name they are in brackets, `grass [soil=WATER zones=1,2 craters=no]`, because names pass
//! through all programs. Extras have the same keys.

use refit_base::{
    game::Game,
    tree::text,
    wire::{Defaulted, Error, Result},
};
use refit_zipper::gamez::{
    materials::{CrimsonSoil, Material, Soil},
    types::ZoneSet,
};
use serde_json::{Value, json};

/// The properties of a region.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Region {
    /// The name of its soil.
    pub soil: Option<String>,
    /// Its zones.
    pub zones: Option<ZoneSet>,
    /// Whether craters may form.
    pub craters: Option<bool>,
}

/// The keys of regions.
const KEYS: [&str; 3] = ["soil", "zones", "craters"];

impl Region {
    /// Reads a name and extras. Returns the name without the properties of the region. The name
    /// overrides the extras.
    pub fn read(name: &str, extras: Option<&Value>) -> Result<(String, Region)> {
        let mut region = Region::default();
        for key in KEYS {
            if let Some(value) = extras.and_then(|extras| extras.get(key)) {
                region
                    .set(key, &text_of(value))
                    .map_err(|e| e.within(key))?;
            }
        }
        let plain = region.read_name(name)?;
        Ok((plain, region))
    }

    fn read_name(&mut self, name: &str) -> Result<String> {
        let Some((before, rest)) = name.split_once('[') else {
            return Ok(name.to_owned());
        };
        let Some((inside, behind)) = rest.split_once(']') else {
            return Ok(name.to_owned());
        };
        let words: Vec<(&str, &str)> = inside
            .split_whitespace()
            .map(|word| word.split_once('=').unwrap_or((word, "yes")))
            .collect();
        // Other brackets are part of a name.
        if !words.iter().any(|(key, _)| KEYS.contains(key)) {
            return Ok(name.to_owned());
        }
        for (key, value) in words {
            self.set(key, value).map_err(|e| e.within(key.to_owned()))?;
        }
        Ok(format!("{}{behind}", before.trim_end()))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "soil" => self.soil = Some(value.to_uppercase()),
            "zones" => self.zones = Some(zones(value)?),
            "craters" => {
                self.craters = Some(match value {
                    "yes" | "true" | "1" => true,
                    "no" | "false" | "0" => false,
                    _ => return Err(Error::say(format!("{value:?} is neither yes nor no"))),
                });
            }
            _ => {
                return Err(Error::say("unknown")
                    .hint("a region has soil=NAME, zones=1,2 and craters=yes or no"));
            }
        }
        Ok(())
    }

    /// This region, completed with the properties of `other`.
    pub fn or(self, other: &Region) -> Region {
        Region {
            soil: self.soil.or_else(|| other.soil.clone()),
            zones: self.zones.or(other.zones),
            craters: self.craters.or(other.craters),
        }
    }

    /// Sets the soil of a material. Returns an error for a soil that the game does not have.
    pub fn paint(&self, material: &mut Material, game: Game) -> Result<()> {
        let Some(soil) = &self.soil else {
            return Ok(());
        };
        let unknown = |e: Error| e.within("soil");
        if game == Game::Cs {
            let soil: CrimsonSoil = text::from_value(&json!(soil)).map_err(unknown)?;
            material.crimson_soil = Defaulted::of(soil, CrimsonSoil::Default);
        } else {
            let name = soil;
            let soil: Soil = text::from_value(&json!(name)).map_err(unknown)?;
            if game.itself() == Game::Rc && soil.raw() > 5 {
                return Err(unknown(
                    Error::say(format!("Recoil does not know the soil {name}"))
                        .hint("it knows DEFAULT, WATER, SEAFLOOR, QUICKSAND, LAVA and FIRE"),
                ));
            }
            material.soil = Defaulted::of(soil, Soil::Default);
        }
        Ok(())
    }
}

/// A value of extras as the text of a name: programs have numbers, texts and lists.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text_of).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn zones(list: &str) -> Result<ZoneSet> {
    let numbers: Option<Vec<u8>> = list
        .split(',')
        .map(|number| number.trim().parse::<u8>().ok())
        .collect();
    let set = numbers.as_deref().and_then(ZoneSet::build);
    set.ok_or_else(|| {
        Error::say(format!(
            "{list:?} is not a list of at most three zones, 0 to 255"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extras_define_regions() {
        let (name, region) = Region::read("grass [soil=lava zones=1,2 craters].001", None).unwrap();
        assert_eq!(name, "grass.001");
        let zones = region.zones.and_then(ZoneSet::zones);
        assert_eq!(
            (region.soil.as_deref(), zones, region.craters),
            (Some("LAVA"), Some(vec![1, 2]), Some(true))
        );
        // The name takes precedence; a list in extras equals one in a name.
        let extras = json!({ "soil": "WATER", "zones": [3], "craters": 0, "index": 7 });
        let (_, region) = Region::read("lake [soil=FIRE]", Some(&extras)).unwrap();
        let zones = region.zones.and_then(ZoneSet::zones);
        assert_eq!(
            (region.soil.as_deref(), zones, region.craters),
            (Some("FIRE"), Some(vec![3]), Some(false))
        );
        let (name, region) = Region::read("rock [old] two", None).unwrap();
        assert_eq!(
            (name.as_str(), region),
            ("rock [old] two", Region::default())
        );
    }

    #[test]
    fn unknown_properties_of_regions_are_errors() {
        for name in [
            "a [soil=LAVA deep=2]",
            "a [zones=1,2,3,4]",
            "a [zones=x]",
            "a [craters=maybe]",
        ] {
            assert!(Region::read(name, None).is_err(), "{name}");
        }
        let read = |soil: &str| Region::read(&format!("a [soil={soil}]"), None).unwrap().1;
        assert!(
            read("mud")
                .paint(&mut Material::default(), Game::Rc)
                .is_err()
        );
        assert!(
            read("mud")
                .paint(&mut Material::default(), Game::Mw)
                .is_ok()
        );
        assert!(
            read("mud")
                .paint(&mut Material::default(), Game::Cs)
                .is_err()
        );
        assert!(
            read("nothing")
                .paint(&mut Material::default(), Game::Mw)
                .is_err()
        );
    }
}
