use refit::{
    formats::motion::Motion,
    game::Game,
    tree::{Document, Style, text},
    wire::{Reader, Wire},
};
use std::time::Instant;
fn main() {
    let b = std::fs::read("/tmp/big/motion.zbd").unwrap();
    let m = Motion::read(&mut Reader::new(&b[..99_958], Game::Mw)).unwrap();
    let n = 40;
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(Motion::read(&mut Reader::new(&b[..99_958], Game::Mw)).unwrap());
    }
    println!("read {:?}", t.elapsed() / n);
    let t = Instant::now();
    let mut flat = String::new();
    for _ in 0..n {
        flat = serde_json::to_string(&m).unwrap();
    }
    println!("serde_json to_string {:?} {} bytes", t.elapsed() / n, flat.len());
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(text::lay_out(&flat, false));
    }
    println!("lay_out {:?}", t.elapsed() / n);
    let s = m.to_text(Style::Json).unwrap();
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(m.to_text(Style::Json).unwrap());
    }
    println!("to_text {:?} {} bytes", t.elapsed() / n, s.len());
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(Motion::from_text(&s, Style::Json).unwrap());
    }
    println!("from_text {:?}", t.elapsed() / n);
    let r = m.to_text(Style::Ron).unwrap();
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(m.to_text(Style::Ron).unwrap());
    }
    println!("ron to_text {:?}", t.elapsed() / n);
    let t = Instant::now();
    for _ in 0..n {
        std::hint::black_box(Motion::from_text(&r, Style::Ron).unwrap());
    }
    println!("ron from_text {:?}", t.elapsed() / n);
}
