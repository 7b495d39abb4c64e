domain 8;
global x = 5;
nonatomic out;
proc get(r) { r = x.load(acq); }
proc outer(r) { get(r); }
proc count_down(n) {
  while (n > 0) { n = n - 1; }
}
proc wait_for(v) { v = wait(x == 1); }
proc guess(g) { g = nondet(0, 1); }
proc store(d) { local t; t = x.load(acq); d = t; }
proc read_only(n) { local t = n; t = t + n; x.store(t); }
proc unused(u) { u = 1; }
thread a {
  local v, out_of;
  get(v);
  get(v);
  get(3);
  outer(v);
  count_down(3);
  wait_for(v);
  guess(v);
  store(out);
  v = out;
  store(v);
  read_only(v);
  read_only(2);
}
