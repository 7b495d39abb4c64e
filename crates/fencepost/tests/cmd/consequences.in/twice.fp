domain 3;
global x, y, a, b, inside;

thread left {
  local r, s;
  x.store(1, rel);
  r = y.load(acq);
  a.store(1, rel);
  s = b.load(acq);
  if (r + s == 0) { inside.fadd(1, acqrel); }
}

thread right {
  local r, s;
  y.store(1, rel);
  r = x.load(acq);
  b.store(1, rel);
  s = a.load(acq);
  if (r + s == 0) {
    r = inside.load(acq);
    assert(r == 0);
  }
}
