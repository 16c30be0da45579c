//! Conversions between numbers of sources and of files: degrees, launches, and the inverse of
//! rounded values.
//!
//! The order of operations and the points of rounding to f32 match the studio's tool: every bit
//! counts.

use refit_base::wire::{F32, Vec3};
use std::f64::consts::PI;

/// Converts degrees to radians: multiplies first, then divides.
pub fn rad(degrees: F32) -> F32 {
    F32::from((f64::from(degrees.get()) * PI / 180.0) as f32)
}

/// The direction of a launch. Forward is -Z; a pitch of 90 is straight up. These are not spherical
/// coordinates: height and horizontal length add up to one.
pub fn direction(yaw: F32, pitch: F32) -> Vec3 {
    let k = f64::from(pitch.get()) * f64::from(1f32 / 90f32);
    let h = 1.0 - k.abs();
    let r = f64::from(yaw.get() * (PI / 180.0) as f32);
    let side = |ratio: f64| F32::from(((0.0 - f64::from(ratio as f32)) * h) as f32);
    [side(r.sin()), F32::from(k as f32), side(r.cos())]
}

/// The square of a distance, rounded once.
pub fn square(distance: F32) -> F32 {
    let d = f64::from(distance.get());
    F32::from((d * d) as f32)
}

/// The value near `guess` that a person would write and that reproduces the stored value: tries
/// decimals with up to four places first, then the guess, then its neighbours.
pub fn inverse(guess: f64, gives: impl Fn(F32) -> bool) -> Option<F32> {
    let decimals = [1.0, 10.0, 100.0, 1000.0, 10000.0]
        .into_iter()
        .map(|scale: f64| F32::from(((guess * scale).round() / scale) as f32));
    let near = guess as f32;
    let around = (1..=64).flat_map(|n: u32| {
        let step = |n: i64| {
            F32::from_bits(u32::try_from(i64::from(near.to_bits()) + n).unwrap_or_default())
        };
        [step(i64::from(n)), step(-i64::from(n))]
    });
    let mut all = decimals.chain([F32::from(near)]).chain(around);
    // -0.0 degrees are -0.0 radians.
    let signed = |f: F32| {
        if f.get() == 0.0 && guess.is_sign_negative() {
            F32::from(-0.0)
        } else {
            f
        }
    };
    all.find_map(|f| {
        [f, signed(f)]
            .into_iter()
            .find(|f| f.get().is_finite() && gives(*f))
    })
}

/// The degrees that give these radians, or the nearest ones.
pub fn degrees(radians: F32) -> F32 {
    let guess = f64::from(radians.get()) * 180.0 / PI;
    inverse(guess, |d| rad(d) == radians).unwrap_or(F32::from(guess as f32))
}

/// The distance whose square is stored, or the nearest one.
pub fn root(stored: F32) -> F32 {
    let guess = f64::from(stored.get()).sqrt();
    inverse(guess, |d| square(d) == stored).unwrap_or(F32::from(guess as f32))
}

/// The yaw and pitch that give a direction, or the nearest ones.
pub fn launch(stored: Vec3) -> [F32; 2] {
    let [x, y, z] = stored.map(|f| f64::from(f.get()));
    let guess = y * 90.0;
    let zero = F32::from(0.0);
    let pitch =
        inverse(guess, |p| direction(zero, p)[1] == stored[1]).unwrap_or(F32::from(guess as f32));
    let yaw = (-x).atan2(-z) * 180.0 / PI;
    // Adding or subtracting a full turn changes the signs of zeros.
    let found = [yaw, yaw + 360.0, yaw - 360.0]
        .into_iter()
        .find_map(|yaw| inverse(yaw, |yaw| direction(yaw, pitch) == stored));
    [found.unwrap_or(F32::from(yaw as f32)), pitch]
}

/// The factor between two vectors, for multiplication by component in f32.
pub fn factor(stored: Vec3, unit: Vec3) -> F32 {
    let largest = (0..3usize).fold(0, |best, i| {
        let size = |i: usize| unit.get(i).map_or(0.0, |f| f.get().abs());
        if size(i) > size(best) { i } else { best }
    });
    let part = |v: &Vec3| v.get(largest).map_or(0.0, |f| f64::from(f.get()));
    let (whole, one) = (part(&stored), part(&unit));
    let guess = if one == 0.0 { 0.0 } else { whole / one };
    inverse(guess, |f| times(unit, f) == stored).unwrap_or(F32::from(guess as f32))
}

/// A vector times a number, in f32.
pub fn times(unit: Vec3, by: F32) -> Vec3 {
    unit.map(|part| F32::from(part.get() * by.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(value: f32) -> F32 {
        F32::from(value)
    }

    #[test]
    fn degrees_become_the_radians_of_the_files() {
        assert_eq!(rad(f(90.0)).bits(), 0x3fc9_0fdb);
        assert_eq!(rad(f(135.0)).bits(), 0x4016_cbe4);
        for degrees_ in [
            0.0, -0.0, 1.0, 33.3, -12.25, 359.9999, 1e-3, 720.0, 123_456.8,
        ] {
            assert_eq!(
                rad(degrees(rad(f(degrees_)))),
                rad(f(degrees_)),
                "{degrees_}"
            );
        }
        assert_eq!(degrees(rad(f(33.3))), f(33.3));
    }

    #[test]
    fn launches_match_the_studios() {
        assert_eq!(
            direction(f(0.0), f(75.0)).map(F32::bits),
            [0, 0x3f55_5556, 0xbe2a_aaa9]
        );
        assert_eq!(
            direction(f(30.0), f(45.0)).map(F32::get),
            [-0.25, 0.5, -0.433_012_7]
        );
        for (yaw, pitch, speed) in [
            (0.0, 75.0, 20.0),
            (30.0, 45.0, 3.5),
            (180.0, 10.0, 1.0),
            (-180.0, 10.0, 0.1),
            (12.34, -60.0, 99.0),
        ] {
            let stored = direction(f(yaw), f(pitch));
            let [back, up] = launch(stored);
            assert_eq!(direction(back, up), stored, "{yaw} {pitch}");
            assert_eq!(
                times(stored, factor(times(stored, f(speed)), stored)),
                times(stored, f(speed))
            );
        }
        assert_eq!(launch(direction(f(30.0), f(45.0))), [f(30.0), f(45.0)]);
    }

    #[test]
    fn distances_are_squared_once() {
        assert_eq!(square(f(50.0)), f(2500.0));
        assert_eq!(root(f(72_900.0)), f(270.0));
        assert_eq!(square(root(square(f(12.7)))), square(f(12.7)));
    }
}
