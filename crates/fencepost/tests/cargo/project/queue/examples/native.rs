//! Two threads count in C, at the same time if there is an argument.

struct Counter(*mut i64);

unsafe impl Send for Counter {}

fn main() {
    let both = std::env::args().nth(1).is_some();
    let mut counter = 0_i64;
    let other = Counter(&raw mut counter);
    let thread = std::thread::spawn(move || {
        let Counter(counter) = { other };
        unsafe { queue::count(counter) }
    });
    if both {
        unsafe { queue::count(&raw mut counter) };
        thread.join().unwrap();
    } else {
        thread.join().unwrap();
        unsafe { queue::count(&raw mut counter) };
    }
    println!("counted to {counter}");
}
