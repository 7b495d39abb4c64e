//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// Two senders (Lahav and Boker 2020, example 5.4): why options name their writers. Who reads z=1
// and then x=0 has read from the second sender, so y=1 happens before, and before w=1 too. Safe
// under SRA and RA, but not robust: the third thread may read z from the second sender, whose
// store is the later one, and still miss x=1, which came before the earlier one. With one buffer
// for each location the first sender's stores swap, and the third thread learns nothing from z.
name "2mp";
domain 4;
global x, y, z, w, out;

thread p1 {
  x.store(1, rel);
  z.store(1, rel);
}

thread p2 {
  y.store(1, rel);
  z.store(1, rel);
}

thread p3 {
  local a, b;
  a = z.load(acq);
  w.store(1 + a, rel);
  b = x.load(acq);
  out.store(1 + b, rel);
}

thread p4 {
  local c, d, o;
  c = w.load(acq);
  d = y.load(acq);
  o = wait(out != 0, acq);
  assert(!(o == 1 && c == 2 && d == 0));
}
