//: ra robust
//: rc20 robust
//: sc assertion-fails
global x;

thread t {
  x.store(1);
  assert(0);
}
