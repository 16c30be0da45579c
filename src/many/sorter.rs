//! Records in order, of which there are more than memory should hold.

use crate::wire::{Error, Result};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::File,
    io::{BufReader, BufWriter, Read, Seek, Write},
};

/// Bytes of records that stand in memory before they are put on disk.
const HERE: usize = 1 << 20;
/// Runs of one size that are merged into one of the next: as many files are open at a time, for each size.
const RUNS: usize = 16;
/// Bytes of each run that are read at a time.
const WINDOW: usize = 1 << 13;

/// Puts records of `N` bytes in order, byte by byte from the first: numbers in them stand with their highest byte first. More than a
/// million bytes of them stand in files that have no name, and are gone with this.
pub struct Sorter<const N: usize> {
    here: Vec<[u8; N]>,
    /// Sorted runs on disk, and how many times they were merged.
    runs: Vec<(u32, File)>,
    most: usize,
}

impl<const N: usize> Default for Sorter<N> {
    fn default() -> Self {
        Sorter { here: Vec::new(), runs: Vec::new(), most: (HERE / N.max(1)).max(1) }
    }
}

fn io(e: std::io::Error) -> Error {
    Error::io(&std::env::temp_dir(), e)
}

impl<const N: usize> Sorter<N> {
    /// Adds a record.
    pub fn push(&mut self, record: [u8; N]) -> Result<()> {
        if self.here.len() == self.most {
            self.spill()?;
        }
        self.here.push(record);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.here.sort_unstable();
        let run = written(self.here.drain(..).map(Ok))?;
        self.runs.push((0, run));
        while let Some((level, _)) = self.runs.last()
            && let level = *level
            && let same = self.runs.iter().rev().take_while(|(other, _)| *other == level).count()
            && same >= RUNS
        {
            let runs = self.runs.split_off(self.runs.len() - same).into_iter().map(|(_, run)| run).collect();
            self.runs.push((level + 1, written(Sorted::<N>::new(runs, Vec::new())?)?));
        }
        Ok(())
    }

    /// All records, in order.
    pub fn end(mut self) -> Result<Sorted<N>> {
        self.here.sort_unstable();
        Sorted::new(self.runs.into_iter().map(|(_, run)| run).collect(), self.here)
    }
}

/// Writes records into a file that has no name.
fn written<const N: usize>(records: impl Iterator<Item = Result<[u8; N]>>) -> Result<File> {
    let mut out = BufWriter::with_capacity(1 << 16, tempfile::tempfile().map_err(io)?);
    for record in records {
        out.write_all(&record?).map_err(io)?;
    }
    let mut file = out.into_inner().map_err(|e| io(e.into_error()))?;
    file.rewind().map_err(io)?;
    Ok(file)
}

/// Records in order.
pub struct Sorted<const N: usize> {
    runs: Vec<BufReader<File>>,
    here: std::vec::IntoIter<[u8; N]>,
    /// The next record of each run, and of what stands in memory, which counts as the last run.
    next: BinaryHeap<Reverse<([u8; N], usize)>>,
}

impl<const N: usize> Sorted<N> {
    fn new(runs: Vec<File>, here: Vec<[u8; N]>) -> Result<Self> {
        let runs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(WINDOW, run)).collect();
        let mut sorted = Sorted { runs, here: here.into_iter(), next: BinaryHeap::new() };
        for run in 0..=sorted.runs.len() {
            sorted.refill(run)?;
        }
        Ok(sorted)
    }

    fn refill(&mut self, run: usize) -> Result<()> {
        let record = match self.runs.get_mut(run) {
            None => self.here.next(),
            Some(run) => {
                let mut record = [0; N];
                match run.read_exact(&mut record) {
                    Ok(()) => Some(record),
                    Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => None,
                    Err(e) => return Err(io(e)),
                }
            }
        };
        self.next.extend(record.map(|record| Reverse((record, run))));
        Ok(())
    }
}

impl<const N: usize> Iterator for Sorted<N> {
    type Item = Result<[u8; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((record, run)) = self.next.pop()?;
        Some(self.refill(run).map(|()| record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_order_however_many() {
        for (count, most) in [(0u32, 8), (5, 8), (8, 8), (9, 8), (3000, 8), (40_000, 100)] {
            let mut sorter = Sorter::<6> { most, ..Sorter::default() };
            let record = |i: u32| {
                let [a, b, c, d] = (i.wrapping_mul(2_654_435_761) % 1000).to_be_bytes();
                [a, b, c, d, i as u8, (i >> 8) as u8]
            };
            (0..count).for_each(|i| sorter.push(record(i)).unwrap());
            assert!(sorter.runs.len() < 3 * RUNS, "{}", sorter.runs.len());
            let mut expected: Vec<[u8; 6]> = (0..count).map(record).collect();
            expected.sort_unstable();
            assert!(sorter.end().unwrap().map(Result::unwrap).eq(expected), "{count} of {most}");
        }
    }
}
