//! Fills a slot many times.

fn main() {
    let slot = queue::Slot::default();
    (0..100).for_each(|value| slot.put(value));
    println!("filled");
}
