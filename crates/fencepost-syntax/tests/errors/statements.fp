global x;
thread t {
  local r;
  r = x.laod();
  r = x.load(acq
  x.store();
  x.store(1, rlx, acq);
  x.fadd 1;
  r = 1 +;
  r = (1 + 2;
  r + 1;
  whlie (r) { skip; }
  nondet(0, 1);
  r = nondet(1);
  r = lock(x);
  r = CAS(x, 0, 1);
  r = 1 + wait(x == 1);
  goto 5;
  do { skip; }
  local q = x.load();
  if (r == 1) l: skip;
  r = 99999999999999999999;
  r = 12ab;
  r = 0x;
  int = 3;
}
