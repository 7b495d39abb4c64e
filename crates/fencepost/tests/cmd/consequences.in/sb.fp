global x, y, inside;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
  if (r == 0) { inside.fadd(1, acqrel); }
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
  if (r == 0) {
    r = inside.load(acq);
    assert(r == 0);
  }
}
