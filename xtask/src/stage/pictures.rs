//! Computed textures: small, and good enough to distinguish a wall from a meadow.

use roundtrip_tests::by_hand;

const SIDE: u16 = 64;

/// A number between 0 and 1 that looks random, the same for the same place.
fn noise(x: u32, y: u32, seed: u32) -> f32 {
    let mut n =
        x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
    n = (n ^ (n >> 15)).wrapping_mul(0x2C1B_3C6D);
    n = (n ^ (n >> 12)).wrapping_mul(0x297A_2D39);
    ((n ^ (n >> 15)) & 0xFFFF) as f32 / 65535.0
}

/// The noise of larger spots, which repeats across the picture.
fn spots(x: u32, y: u32, size: u32, seed: u32) -> f32 {
    let n = u32::from(SIDE) / size;
    let at = |x: u32, y: u32| noise(x % n, y % n, seed);
    let (fx, fy) = (
        (x % size) as f32 / size as f32,
        (y % size) as f32 / size as f32,
    );
    let (x, y) = (x / size, y / size);
    let top = at(x, y) * (1.0 - fx) + at(x + 1, y) * fx;
    let bottom = at(x, y + 1) * (1.0 - fx) + at(x + 1, y + 1) * fx;
    top * (1.0 - fy) + bottom * fy
}

type Colour = [f32; 3];

fn mix(a: Colour, b: Colour, t: f32) -> Colour {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

fn grass(x: u32, y: u32) -> Colour {
    mix(
        [52.0, 84.0, 38.0],
        [132.0, 150.0, 72.0],
        spots(x, y, 16, 1) * 0.5 + noise(x, y, 2) * 0.5,
    )
}

fn brick(x: u32, y: u32) -> Colour {
    let row = y / 8;
    let shifted = x + if row.is_multiple_of(2) { 0 } else { 8 };
    if y.is_multiple_of(8) || shifted.is_multiple_of(16) {
        return mix([150.0, 146.0, 138.0], [176.0, 172.0, 160.0], noise(x, y, 3));
    }
    let stone = noise(shifted % 64 / 16, row, 4);
    mix(
        mix([124.0, 50.0, 36.0], [176.0, 84.0, 56.0], stone),
        [96.0, 40.0, 32.0],
        noise(x, y, 5) * 0.35,
    )
}

fn planks(x: u32, y: u32) -> Colour {
    if x.is_multiple_of(16) {
        return [52.0, 32.0, 16.0];
    }
    let grain = spots(x * 4 % 64, y / 2, 8, x / 16 + 6);
    mix(
        [112.0, 72.0, 36.0],
        [168.0, 120.0, 68.0],
        grain * 0.7 + noise(x, y / 4, 7) * 0.3,
    )
}

fn tiles(x: u32, y: u32) -> Colour {
    let edge = (y % 16) as f32 / 16.0;
    let round = ((x % 8) as f32 / 8.0 * std::f32::consts::PI).sin();
    mix(
        [64.0, 72.0, 92.0],
        [124.0, 136.0, 164.0],
        round * (0.35 + edge * 0.65),
    )
}

fn water(x: u32, y: u32, step: u32) -> Colour {
    let wave = |k: f32, s: f32| {
        ((x as f32 * k + y as f32 * s + step as f32 * 16.0) * std::f32::consts::TAU
            / f32::from(SIDE))
        .sin()
    };
    mix(
        [24.0, 76.0, 120.0],
        [120.0, 180.0, 208.0],
        (wave(1.0, 2.0) + wave(2.0, -1.0) + 2.0) / 4.0,
    )
}

fn steel(x: u32, y: u32) -> Colour {
    let plate = if x % 32 < 2 || y % 32 < 2 { 0.2 } else { 0.75 };
    let rivet = if (x % 32).abs_diff(5) < 2 && (y % 32).abs_diff(5) < 2 {
        0.4
    } else {
        0.0
    };
    mix(
        [72.0, 76.0, 84.0],
        [152.0, 160.0, 172.0],
        plate + rivet - spots(x, y, 16, 8) * 0.3,
    )
}

fn sign(x: u32, y: u32) -> Colour {
    let stripe = ((x + y) / 12).is_multiple_of(2);
    let edge = x < 4 || y < 4 || x > 59 || y > 59;
    if edge {
        [40.0; 3]
    } else if stripe {
        [232.0, 184.0, 40.0]
    } else {
        [36.0, 36.0, 40.0]
    }
}

fn word([r, g, b]: Colour) -> [u8; 2] {
    let part = |value: f32, most: f32| (value.clamp(0.0, 255.0) / 255.0 * most).round() as u16;
    (part(r, 31.0) << 11 | part(g, 63.0) << 5 | part(b, 31.0)).to_le_bytes()
}

fn pixels(of: impl Fn(u32, u32) -> Colour) -> Vec<u8> {
    let side = u32::from(SIDE);
    (0..side * side)
        .flat_map(|i| word(of(i % side, i / side)))
        .collect()
}

/// A fence of wire: the rest is the colour that is not drawn.
fn fence() -> Vec<u8> {
    let side = u32::from(SIDE);
    let wire = |x: u32, y: u32| (x + y) % 16 < 2 || (x + 64 - y) % 16 < 2 || y < 3;
    let one = |i: u32| {
        if wire(i % side, i / side) {
            word([168.0, 172.0, 176.0])
        } else {
            [0, 0]
        }
    };
    (0..side * side).flat_map(one).collect()
}

/// The crown of a tree, round, with holes.
fn crown() -> Vec<u8> {
    let side = u32::from(SIDE);
    let one = |i: u32| {
        let (x, y) = (i % side, i / side);
        let (dx, dy) = (x as f32 - 31.5, y as f32 - 26.0);
        let leaf = (dx * dx + dy * dy).sqrt() < 25.0 + noise(x / 3, y / 3, 9) * 6.0
            && noise(x / 2, y / 2, 10) > 0.12;
        let trunk = (28..36).contains(&x) && y > 44;
        match (leaf, trunk) {
            (true, _) => word(mix(
                [28.0, 70.0, 26.0],
                [92.0, 140.0, 56.0],
                noise(x / 2, y / 2, 11),
            )),
            (false, true) => word([84.0, 58.0, 34.0]),
            _ => [0, 0],
        }
    };
    (0..side * side).flat_map(one).collect()
}

/// Light that fades to its edge.
fn glow() -> Vec<u8> {
    pixels(|x, y| {
        let far = (x as f32 - 31.5).hypot(y as f32 - 31.5) / 32.0;
        mix([255.0, 220.0, 140.0], [0.0; 3], far.min(1.0))
    })
}

/// The packages of a mission, as the games name their pictures.
pub fn package() -> Vec<u8> {
    let size = (SIDE, SIDE);
    let plain = |name: &'static str, data: Vec<u8>| by_hand::Image::plain(name, size, data);
    let keyed = |name: &'static str, data: Vec<u8>| by_hand::Image {
        flags: 3,
        ..plain(name, data)
    };
    let mut glass = pixels(|x, y| water(x, y, 0));
    glass.extend(std::iter::repeat_n(
        150,
        usize::from(SIDE) * usize::from(SIDE),
    ));
    let images = [
        plain("bark", pixels(planks)),
        plain("brick", pixels(brick)),
        keyed("crown", crown()),
        keyed("fence", fence()),
        by_hand::Image {
            render_flags: 4,
            ..plain("glow", glow())
        },
        plain("grass", pixels(grass)),
        by_hand::Image {
            flags: 9,
            ..plain("pond", glass)
        },
        plain("sign", pixels(sign)),
        plain("tiles", pixels(tiles)),
        plain("wave01", pixels(|x, y| water(x, y, 0))),
        plain("wave02", pixels(|x, y| water(x, y, 1))),
        plain("wave03", pixels(|x, y| water(x, y, 2))),
        plain("wave04", pixels(|x, y| water(x, y, 3))),
    ];
    by_hand::package(&images, &[])
}

/// The same pictures of the door and the walls for the games' own renderer: half as large.
pub fn small_package() -> Vec<u8> {
    let half = |of: fn(u32, u32) -> Colour| {
        (0..1024u32)
            .flat_map(|i| word(of(i % 32 * 2, i / 32 * 2)))
            .collect()
    };
    let plain = |name: &'static str, of| by_hand::Image::plain(name, (32, 32), half(of));
    by_hand::package(
        &[
            plain("bark", planks),
            plain("brick", brick),
            plain("grass", grass),
        ],
        &[],
    )
}

/// Pictures of 'mechs.
pub fn hulls() -> Vec<u8> {
    by_hand::package(
        &[by_hand::Image::plain("hull", (SIDE, SIDE), pixels(steel))],
        &[],
    )
}

/// One of many textures of noise, of 128 by 128 pixels, for measurements.
pub fn many(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|i| format!("many{i:04}")).collect();
    let image = |(i, name): (usize, &String)| {
        let seed = i as u32;
        let tint: Colour = std::array::from_fn(|k| 64.0 + 160.0 * noise(seed, k as u32, 12));
        let data = (0..256 * 256u32)
            .flat_map(|p| word(mix([16.0; 3], tint, noise(p % 256 / 4, p / 1024, seed))));
        (name.clone(), data.collect::<Vec<u8>>())
    };
    let made: Vec<(String, Vec<u8>)> = names.iter().enumerate().map(image).collect();
    let images: Vec<_> = made
        .iter()
        .map(|(name, data)| by_hand::Image::plain(name, (256, 256), data.clone()))
        .collect();
    by_hand::package(&images, &[])
}
