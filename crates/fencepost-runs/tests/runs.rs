//! Sorted files do what sorted sets do, and notice when they are not what was written.

use std::collections::BTreeSet;

use fencepost_runs::{Cursor, Folder, Run, Sorted, Sorter};
use fencepost_testkit::ram::Ram;
use fencepost_testkit::random::Random;

/// Words that have much in common, as those of states do.
fn record(random: &mut Random, width: usize) -> Vec<u64> {
    let word = |random: &mut Random| match random.below(8) {
        0 => random.bits(),
        1 => u64::MAX,
        _ => random.below(5) as u64,
    };
    (0..width).map(|_| word(random)).collect()
}

fn write(folder: &Folder<'_>, records: &BTreeSet<Vec<u64>>, width: usize) -> Run {
    let mut writer = folder.create("run", width).expect("there is room");
    records.iter().for_each(|record| writer.push(record).expect("there is room"));
    writer.finish().expect("there is room")
}

fn read(folder: &Folder<'_>, run: &Run) -> BTreeSet<Vec<u64>> {
    let mut cursor = Cursor::new(folder.files(), run).expect("it is there");
    let mut records = BTreeSet::new();
    while cursor.advance().expect("it can be read") {
        let record = cursor.record().expect("there is one").to_vec();
        assert!(records.last().is_none_or(|last| *last < record), "ascending");
        records.insert(record);
    }
    assert!(cursor.record().is_none());
    records
}

#[test]
fn what_is_sorted_is_what_was_collected() {
    let mut random = Random::new(1);
    for width in [1, 2, 3, 5, 8, 9, 12, 13, 20] {
        for (bytes, sorters) in [(0, 1), (0, 3), (4_000, 2), (1 << 20, 2)] {
            let ram = Ram::default();
            let folder = Folder::new(&ram, "a-".into(), 100);
            let mut expected = BTreeSet::new();
            let mut collected = Vec::new();
            for _ in 0..sorters {
                let mut sorter = Sorter::new(width, bytes);
                for _ in 0..random.below(2_000) {
                    let record = record(&mut random, width);
                    let (first, second) = record.split_at(random.below(width + 1));
                    sorter.push(first, second, &folder).expect("there is room");
                    expected.insert(record);
                }
                collected.push(sorter.finish());
            }
            let mut sorted = Sorted::join(collected);
            sorted.narrow(width, 3, &folder).expect("there is room");
            assert!(sorted.runs().len() <= 3);
            let mut merge = sorted.merge(width, &folder).expect("it can be read");
            let mut found = Vec::new();
            while let Some(record) = merge.advance().expect("it can be read") {
                found.push(record.to_vec());
            }
            drop(merge);
            assert!(found.iter().eq(&expected), "{width} words, {bytes} bytes");
            sorted.remove(&folder).expect("they are there");
            assert_eq!(ram.bytes(), 0, "nothing is left");
        }
    }
}

#[test]
fn ascending_records_are_found() {
    let mut random = Random::new(2);
    for width in [1, 2, 4, 9] {
        for block in [1, 50, 1_000, 1 << 16] {
            let ram = Ram::default();
            let folder = Folder::new(&ram, "b-".into(), block);
            let records: BTreeSet<Vec<u64>> = (0..1_000).map(|_| record(&mut random, width)).collect();
            let run = write(&folder, &records, width);
            assert_eq!((run.len(), read(&folder, &run)), (records.len() as u64, records.clone()));
            for wanted in [2, 40, 1_500] {
                let mut asked: BTreeSet<Vec<u64>> = (0..wanted).map(|_| record(&mut random, width)).collect();
                asked.extend(records.iter().step_by(1_000 / wanted.min(1_000)).cloned());
                let mut cursor = Cursor::new(&ram, &run).expect("it is there");
                for record in &asked {
                    assert_eq!(cursor.find(record), Ok(records.contains(record)));
                    // The same again.
                    assert_eq!(cursor.find(record), Ok(records.contains(record)));
                }
            }
        }
    }
}

#[test]
fn few_records_are_found_without_reading_all() {
    let ram = Ram::default();
    let folder = Folder::new(&ram, "c-".into(), 100);
    let run = write(&folder, &(0..10_000).map(|number| vec![number]).collect(), 1);
    let before = ram.operations();
    let mut cursor = Cursor::new(&ram, &run).expect("it is there");
    for wanted in [17, 5_000, 9_990] {
        assert_eq!(cursor.find(&[wanted]), Ok(true));
    }
    assert!(ram.operations() - before < 20, "{} operations", ram.operations() - before);
}

#[test]
fn every_change_of_a_file_is_noticed() {
    let ram = Ram::default();
    let folder = Folder::new(&ram, "d-".into(), 200);
    let mut random = Random::new(3);
    let records: BTreeSet<Vec<u64>> = (0..200).map(|_| record(&mut random, 3)).collect();
    let run = write(&folder, &records, 3);
    let reopen = |ram: &Ram| Run::reopen(ram, run.name().to_owned(), 3, run.len(), run.bytes());
    assert_eq!(reopen(&ram), Ok(run.clone()));
    let read_all = |ram: &Ram| {
        let mut cursor = Cursor::new(ram, &run).expect("it is there");
        while cursor.advance()? {}
        Ok::<(), fencepost_runs::Error>(())
    };
    for byte in 0..run.bytes() as usize {
        let changed = ram.after_kill();
        changed.change(run.name(), |bytes| bytes[byte] ^= 1 << (byte % 8));
        assert!(reopen(&changed).is_err() && read_all(&changed).is_err(), "byte {byte}");
        let shorter = ram.after_kill();
        shorter.change(run.name(), |bytes| bytes.truncate(byte));
        assert!(reopen(&shorter).is_err() && read_all(&shorter).is_err(), "{byte} bytes");
    }
    let longer = ram.after_kill();
    longer.change(run.name(), |bytes| bytes.push(0));
    assert!(reopen(&longer).is_err());
    let other = |len, bytes| Run::reopen(&ram, run.name().to_owned(), 3, len, bytes);
    assert!(other(run.len() + 1, run.bytes()).is_err() && other(run.len(), run.bytes() - 1).is_err());
}
