//! Converts space, angles and colours between the games and glTF.
//!
//! **Axes.** glTF is right-handed with y up, and so are the games, so nothing is mirrored. No
//! reference states this directly; it follows from these facts:
//!
//! * y is the height, x runs from left to right, and z runs *down* from the bottom of the map to
//!   its top (../gamez/FORMAT.md: the rows of cells begin at the bottom and each is 256 lower in
//!   z). Seen from above, x to the right and z towards the lower edge with y towards the eye is a
//!   right-handed system; north is −z.
//! * The quaternions of motions "work fine in Blender", which is right-handed (seed document on
//!   motions).
//! * Trees of 'mechs are named `*.flt`: they were made from OpenFlight files, which are
//!   right-handed and whose faces are counter-clockwise seen from their front, as in glTF. The
//!   references do not mention the order of corners; this is the reason to keep it.
//!
//! **Matrices.** The engine multiplies a row by a matrix: its three rows are the images of x, y and
//! z (../gamez/FORMAT.md and the head of that page: "three basis rows, then the translation"). glTF
//! stores matrices by columns for products with a column, which is the same sequence of numbers.
//!
//! **Colours.** The games multiply sRGB values, glTF multiplies linear light: colours of corners
//! and of materials are converted from sRGB, so that the product with a texture looks as in the
//! game.

use refit_base::wire::F32;
use std::sync::LazyLock;

pub(super) type V3 = [f64; 3];

pub(super) fn dot([x, y, z]: V3, [u, v, w]: V3) -> f64 {
    x * u + y * v + z * w
}

pub(super) fn cross([x, y, z]: V3, [u, v, w]: V3) -> V3 {
    [y * w - z * v, z * u - x * w, x * v - y * u]
}

fn scaled(a: V3, k: f64) -> V3 {
    a.map(|x| x * k)
}

pub(super) fn minus([x, y, z]: V3, [u, v, w]: V3) -> V3 {
    [x - u, y - v, z - w]
}

/// A vector of length 1; `None` for a vector without a direction.
fn unit(a: V3) -> Option<V3> {
    let length = dot(a, a).sqrt();
    (length.is_finite() && length > 1e-30).then(|| scaled(a, 1.0 / length))
}

/// Converts to f32 without negative zero; `None` if it is too large.
fn single(a: V3) -> Option<[f32; 3]> {
    let out = a.map(|x| x as f32 + 0.0);
    out.iter().all(|x| x.is_finite()).then_some(out)
}

/// A point; `None` if it is not finite.
pub fn point(p: &[F32; 3]) -> Option<[f32; 3]> {
    single(p.map(|x| x.get().into()))
}

/// A normal of length 1; `None` if it has no direction.
pub fn normal(n: &[F32; 3]) -> Option<[f32; 3]> {
    single(unit(n.map(|x| x.get().into()))?)
}

/// The normal of a triangle; `None` if it has no area.
pub fn face_normal(triangle: [[f32; 3]; 3]) -> Option<[f32; 3]> {
    let [a, b, c] = triangle.map(|p| p.map(f64::from));
    single(unit(cross(minus(b, a), minus(c, a)))?)
}

/// A quaternion w, x, y, z as glTF's x, y, z, w, of length 1; `None` if it is not a rotation.
pub fn rotation(q: &[F32; 4]) -> Option<[f32; 4]> {
    let [w, x, y, z] = q.map(|v| f64::from(v.get()));
    quaternion([x, y, z, w])
}

fn quaternion(q: [f64; 4]) -> Option<[f32; 4]> {
    let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    (length.is_finite() && length > 1e-15).then(|| q.map(|v| (v / length) as f32 + 0.0))
}

/// The transformation of a node relative to its parent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place {
    /// Probably in metres.
    pub translation: [f32; 3],
    /// x, y, z, w.
    pub rotation: [f32; 4],
    /// Along the node's own axes.
    pub scale: [f32; 3],
    /// False for a sheared matrix, which the three values cannot represent.
    pub whole: bool,
}

/// Decomposes a matrix: three rows and a translation. `None` if it is not finite.
pub fn place(rows: &[F32; 9], translation: &[F32; 3]) -> Option<Place> {
    let [a, b, c, d, e, f, g, h, i] = rows.map(|x| f64::from(x.get()));
    let (x, y, z) = ([a, b, c], [d, e, f], [g, h, i]);
    // An orthonormal basis as close to the rows as their order allows; rows without a direction get
    // an arbitrary one.
    let free = |axis: V3| {
        if dot(axis, [1.0, 0.0, 0.0]).abs() < 0.9 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        }
    };
    let across = |row: V3, axis: V3| unit(minus(row, scaled(axis, dot(row, axis))));
    let first = unit(x)
        .or_else(|| unit(cross(unit(y)?, unit(z)?)))
        .or_else(|| across(free(unit(y)?), unit(y)?));
    let first = first
        .or_else(|| across(free(unit(z)?), unit(z)?))
        .unwrap_or([1.0, 0.0, 0.0]);
    let second = across(y, first)
        .or_else(|| unit(cross(unit(z)?, first)))
        .or_else(|| across(free(first), first))?;
    let third = cross(first, second);
    let length = |row: V3| dot(row, row).sqrt();
    // A mirroring matrix gets a negative z scale.
    let depth = length(z) * if dot(z, third) < 0.0 { -1.0 } else { 1.0 };
    let scales = [length(x), length(y), depth];
    let largest = scales.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
    let off = |row: V3, axis: V3, scale: f64| {
        minus(row, scaled(axis, scale))
            .iter()
            .any(|d| d.abs() > 1e-3 * largest)
    };
    let whole =
        !(off(x, first, scales[0]) || off(y, second, scales[1]) || off(z, third, scales[2]));
    // A deviation in the last bits of a sine is not a scale.
    let scale = single(scales.map(|s| if (s - 1.0).abs() < 1e-5 { 1.0 } else { s }))?;
    Some(Place {
        translation: point(translation)?,
        rotation: turn(first, second, third)?,
        scale,
        whole,
    })
}

/// The quaternion of the rotation that maps the axes to these three vectors.
fn turn([a, b, c]: V3, [d, e, f]: V3, [g, h, i]: V3) -> Option<[f32; 4]> {
    // The largest of the four is not near zero, and the others are derived from it.
    let [w, x, y, z] = [a + e + i, a - e - i, e - a - i, i - a - e];
    let most = w.max(x).max(y).max(z);
    let q = if w >= most {
        [f - h, g - c, b - d, 1.0 + w]
    } else if x >= most {
        [1.0 + x, b + d, c + g, f - h]
    } else if y >= most {
        [b + d, 1.0 + y, f + h, g - c]
    } else {
        [c + g, f + h, 1.0 + z, b - d]
    };
    quaternion(q)
}

/// Converts an sRGB value of 0.0 to 1.0 to linear light.
fn curve(v: f32) -> f32 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        libm::powf((v + 0.055) / 1.055, 2.4)
    }
}

/// The linear light of a colour of 0.0 to 1.0. Values outside are clamped; NaN becomes 1.
pub fn light(v: F32) -> f32 {
    if v.get().is_nan() {
        1.0
    } else {
        curve(v.get().clamp(0.0, 1.0))
    }
}

/// The linear light of a colour of 0.0 to 255.0: see [`light`].
pub fn color(c: &[F32; 3]) -> [f32; 3] {
    static BYTES: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|i| curve(i as f32 / 255.0)));
    c.map(|v| {
        let byte = v.get() as u8;
        match BYTES.get(usize::from(byte)) {
            Some(known) if f32::from(byte) == v.get() => *known,
            _ => light(F32::from(v.get() / 255.0)),
        }
    })
}

/// The colour of 0.0 to 255.0 for linear light: the inverse of [`color`], up to the precision of
/// bytes. Whole numbers survive the round trip.
pub fn shown(light: [f32; 3]) -> [F32; 3] {
    light.map(|v| {
        let v = if v.is_nan() { 1.0 } else { v.clamp(0.0, 1.0) };
        let part = if v <= 0.003_130_8 {
            v * 12.92
        } else {
            1.055 * libm::powf(v, 1.0 / 2.4) - 0.055
        };
        let full = part * 255.0;
        // A value stored as a byte, either sRGB or linear, gives a whole number except for its last
        // bits.
        F32::from(if (full - full.round()).abs() < 0.02 {
            full.round()
        } else {
            full
        })
    })
}

/// The game's point for a glTF point.
pub fn game_point(p: [f32; 3]) -> [F32; 3] {
    p.map(F32::from)
}

/// The game's quaternion w, x, y, z for glTF's x, y, z, w: see [`rotation`].
pub fn game_rotation([x, y, z, w]: [f32; 4]) -> [F32; 4] {
    [w, x, y, z].map(F32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(values: [f32; 9]) -> [F32; 9] {
        values.map(F32::from)
    }

    /// The image of a point under a glTF transformation.
    fn image(place: &Place, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = place.rotation.map(f64::from);
        let p = [0, 1, 2].map(|i| p[i] * f64::from(place.scale[i]));
        let t = scaled(cross([x, y, z], p), 2.0);
        let u = cross([x, y, z], t);
        [0, 1, 2].map(|i| p[i] + w * t[i] + u[i] + f64::from(place.translation[i]))
    }

    #[test]
    fn a_place_moves_points_like_the_matrix() {
        let translation = [1.0f32, -2.0, 3.0].map(F32::from);
        let (s, c) = (0.6f32, 0.8f32);
        let cases = [
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c],
            [2.0 * c, 2.0 * s, 0.0, -3.0 * s, 3.0 * c, 0.0, 0.0, 0.0, 0.5],
            [-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0],
            [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0],
            // Mirrored, and flat.
            [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [c, s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
        ];
        for rows in cases {
            let place = place(&f(rows), &translation).unwrap();
            assert!(place.whole, "{rows:?}");
            for p in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -4.0, 5.0]] {
                // A row times the matrix, as in the engine.
                let game = [0, 1, 2].map(|i| {
                    p[0] * f64::from(rows[i])
                        + p[1] * f64::from(rows[3 + i])
                        + p[2] * f64::from(rows[6 + i])
                        + f64::from(translation[i].get())
                });
                let found = image(&place, p);
                assert!(
                    (0..3).all(|i| (game[i] - found[i]).abs() < 1e-5),
                    "{rows:?}: {game:?} is {found:?}"
                );
            }
        }
        assert!(
            !place(
                &f([1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0]),
                &translation
            )
            .unwrap()
            .whole
        );
        assert_eq!(place(&f([f32::NAN; 9]), &translation), None);
        assert_eq!(place(&f([f32::MAX; 9]), &translation), None);
    }

    #[test]
    fn colours_are_converted_to_linear_light() {
        let of = |v: f32| color(&[F32::from(v); 3])[0];
        assert_eq!(
            [of(0.0), of(255.0), of(-5.0), of(1e9), of(f32::NAN)],
            [0.0, 1.0, 0.0, 1.0, 1.0]
        );
        assert!((of(128.0) - 0.2158).abs() < 1e-3 && (of(127.5) - 0.2140).abs() < 1e-3);
    }
}
