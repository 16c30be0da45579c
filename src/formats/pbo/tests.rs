use super::{Pbo, build};
use crate::{
    formats::{Members, Model},
    pipeline::addon,
    tree::{Blob, Form, Style},
    wire::Result,
};
use std::fs;

fn open(path: &std::path::Path) -> Result<Pbo> {
    Pbo::of(&Blob::open(path)?.unwrap())
}

/// An archive whose table is longer than what is read at first, left on disk.
#[test]
fn an_archive_on_disk_is_the_same_as_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for i in 0..3000u32 {
        fs::write(folder.join(format!("a_rather_long_name_of_a_file_{i}.sqf")), i.to_le_bytes().repeat(9)).unwrap();
    }
    let options = build::Options { compress: vec!["*1*".into()], ..build::Options::default() };
    let path = dir.path().join("x.pbo");
    let bytes = addon::from_folder(&folder, &options, None).unwrap().pbo.write().unwrap();
    fs::write(&path, &bytes).unwrap();
    let disk = open(&path).unwrap();
    assert_eq!(disk.entries().len(), 3000);
    let mut streamed = Vec::new();
    disk.write_to(&mut streamed).unwrap();
    assert!(streamed == bytes);
    let memory = Pbo::read(&bytes.clone().into()).unwrap();
    assert_eq!(disk.body_sha1().unwrap(), memory.body_sha1().unwrap());
    assert_eq!(disk.trailer().unwrap(), memory.trailer().unwrap());
    for i in [0, 1500, 2999] {
        assert_eq!(
            disk.get(i, Form::Document(Style::Json)).unwrap(),
            memory.get(i, Form::Document(Style::Json)).unwrap()
        );
    }
    fs::write(&path, &bytes[..100_000]).unwrap();
    assert!(open(&path).is_err());
    fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    assert!(open(&path).unwrap_err().to_string().contains("are left behind the entry table"));
}

/// What cannot be read any more is an error, and no entry takes the place of another.
#[test]
fn an_archive_that_becomes_shorter_is_no_archive_of_fewer_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for i in 0..1000u32 {
        fs::write(folder.join(format!("{i}.sqf")), i.to_le_bytes().repeat(9)).unwrap();
    }
    let path = dir.path().join("x.pbo");
    let options = build::Options { compress: vec!["9*".into()], ..build::Options::default() };
    let bytes = addon::from_folder(&folder, &options, None).unwrap().pbo.write().unwrap();
    fs::write(&path, &bytes).unwrap();
    let disk = open(&path).unwrap();
    assert!(disk.trailer().is_ok() && disk.fault().is_none());
    let all = disk.members();
    fs::write(&path, &bytes[..10_000]).unwrap();
    assert!(
        disk.members().iter().map(|member| &member.name).eq(all.iter().map(|member| &member.name)) && all.len() == 1000
    );
    assert!(disk.fault().is_none());
    disk.lint(&mut crate::lint::Lints::new());
    assert!(disk.fault().unwrap().to_string().contains("shorter"));
    disk.info();
    assert!(disk.fault().unwrap().to_string().contains("shorter"));
    assert!(disk.get(999, Form::Stored).is_err());
    assert!(disk.write_to(&mut Vec::new()).is_err());
}
