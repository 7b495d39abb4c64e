global x;

thread t {
  assert(0);
}
