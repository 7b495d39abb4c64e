global x, a[2];
proc pop(l) {
  local r;
  r = l.load();
  if (r == 0) { return 0; }
  l.store(0);
}
proc mixed(v) {
  if (v == 0) { return; }
  return v + 1;
}
proc nothing(l) { l.store(1); return; }
proc forever(l) {
  local r;
  while (1) { r = l.load(); if (r == 1) return r; }
}
proc sometimes(l) {
  local r;
  while (true) { r = l.load(); if (r == 1) return r; else break; }
}
proc all_ways(v) {
  if (v == 0) return 1;
  else if (v == 1) { choose { return 2; } or { return nowhere; } }
  else { for (;;) { skip; } }
}
proc inside(l) { atomic { l.store(1); return 2; } }
proc parameter(v) { return v; }
thread t {
  local r;
  r = pop(x);
  r = nothing(x);
  r = parameter(x);
  rr = parameter(1);
  x = parameter(1);
  r = missing(x);
  r = malloc(2);
  printf(r);
  r = CAS(x, 0, 1);
  r = NULL;
  r = inside(x);
  atomic { r = parameter(2); return; }
  return 1;
}
