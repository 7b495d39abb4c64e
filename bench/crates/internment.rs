//! RUSTSEC-2020-0017: the last user of a value frees it while the next one takes it.

use internment::ArcIntern;
use std::thread;

fn main() {
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(ArcIntern::new(String::from("a value")).len(), 7);
                }
            });
        }
    });
}
