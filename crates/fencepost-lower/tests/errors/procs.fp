global x;
proc location(l) { l.store(1); }
proc value(v) { x.store(v + 1); }
proc both(b) { b.store(b); }
proc self(l) { self(l); }
proc ping() { pong(); }
proc pong() { ping(); }
proc uncalled(l) { l.store(nothing); }
proc bad_body(l) { l.store(zzz); }
thread t {
  location(1);
  value(x);
  both(x);
  both(1);
  location(x, x);
  locaton(x);
  fadd(x, 1);
  self(x);
  ping();
  bad_body(x);
  bad_body(x);
  location(q);
}
