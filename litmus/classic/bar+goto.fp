//: tso violation shape=SB states=21
//: pso violation shape=SB states=21
//: pgas violation shape=SB states=21
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// The barrier with busy loops written with labels and jumps: the same violation as bar+loops.
name "bar+goto";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  again:
  r = y.load(acq);
  if (r != 1) goto again;
}

thread right {
  local r;
  y.store(1, rel);
  again:
  r = x.load(acq);
  if (r != 1) goto again;
}
