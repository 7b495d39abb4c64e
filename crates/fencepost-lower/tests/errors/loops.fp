global x;
proc p(n) {
  for (local i = 0; i < n; i = i + 1) { x.store(i); }
  for (local i = 0; i < n; i = i + 1) { x.store(i); }
  i = 1;
}
thread t {
  local j;
  for (local j = 0; j < 2; j = j + 1) { skip; }
  for (local k = 0; k < l; k = k + 1) { continue; }
  for (j = 0; j < 2; x = 1) { break; }
  k = 1;
  p(2);
  x.load(std::memory_order_acquire);
  x.load(Ordering::SeqCst);
  x.store(1, memory_order_release);
  x.load(memory_order_consume);
  x.fadd(1, Ordering::AcqRel);
  fence(std::memory_order_acq_rel);
  x.store(1, std::memory_order::acquire);
  x.load(Foo::bar);
}
