#[test]
#[ignore = "a measurement"]
fn speed_of_png() {
    use super::picture::*;
    let file = bytes::Bytes::from(std::fs::read(std::env::var("TX").unwrap()).unwrap());
    let p = super::Package::read(&file).unwrap();
    let pics: Vec<Picture> = p.images.iter().map(|i| super::convert::render(i, &p.palettes).main).collect();
    for small in [false, true] {
        let t = std::time::Instant::now();
        let files: Vec<Vec<u8>> = pics.iter().map(|p| p.encode(small).unwrap()).collect();
        println!("{small} {:?} {} MB", t.elapsed(), files.iter().map(|f| f.len()).sum::<usize>() / 1000000);
    }
}
