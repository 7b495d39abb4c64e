global x, counter, a[2], x;
nonatomic d, x;
const N = M;
const counter = 1;
proc p(l, l) { l.load(); }
thread t {
  local r, r, counter;
  rr = 1;
  r = q;
  r = countr;
  conter.store(1);
  r = a;
  a.store(1);
  a[2].store(1);
  a[0 - 1].store(1);
  x[0].store(1);
  r.store(1);
  N.load();
  goto nowhere;
  again: skip;
  again: goto agian;
  break;
  continue;
  r = me;
  r = x.store(1);
  x = r.load();
  x.store(acq);
}
thread t { skip; }
