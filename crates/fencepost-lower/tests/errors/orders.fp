global x;
thread t {
  local r;
  r = x.load(rel);
  r = x.load(aqc);
  x.store(1, acq);
  x.store(1, seq_cst);
  x.store(1, relaxed);
  r = x.fadd(1, weird);
  r = x.cas(0, 1, acq, rel);
  r = x.cas(0, 1, acquire, release);
  fence(rlx);
  fence(s);
  wait(x == 1, rel);
}
