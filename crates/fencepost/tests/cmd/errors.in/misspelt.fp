//: ra rubost
global x;

thread t {
  x.store(1);
}
