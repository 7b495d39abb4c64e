//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// Why a potential needs several lists (Lahav and Boker 2020, example 5.3): the third thread's
// write must be readable before x=1 and y=0, while the thread itself goes on to read y=1 and
// x=0. Allowed under SRA: the two readers disagree about which store came first, as in IRIW, and
// the write of z orders nothing between the two stores. On the machines they cannot disagree.
// The third thread hands on 1 + 2a + b, which is 3 when a=1 and b=0.
name "several-lists";
domain 8;
global x, y, z, out;

thread p1 {
  x.store(1, rel);
}

thread p2 {
  y.store(1, rel);
}

thread p3 {
  local a, b;
  z.store(1, rel);
  a = y.load(acq);
  b = x.load(acq);
  out.store(1 + 2 * a + b, rel);
}

thread p4 {
  local c, d, e, o;
  c = z.load(acq);
  d = x.load(acq);
  e = y.load(acq);
  o = wait(out != 0, acq);
  assert(!(o == 3 && c == 1 && d == 1 && e == 0));
}
