//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=19
//: rc20 violation states=19
//: cpp20 violation states=19
// Like sb+rmws, but each thread updates a location of its own. Two updates of different locations
// never meet, so they order nothing under release/acquire. (On x86 each of them drains the store
// buffer, and the program is fine.)
name "sb+rmws-apart";
domain 2;
global x, y, f, g;

thread left {
  local r;
  x.store(1, rel);
  f.fadd(0, acqrel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  g.fadd(0, acqrel);
  r = x.load(acq);
}
