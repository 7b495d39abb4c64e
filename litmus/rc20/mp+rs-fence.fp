//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=40
//: rc20 robust states=40
//: cpp20 robust states=40
// A release sequence whose head is a relaxed store behind a release fence, whose middle is a
// relaxed update, and whose reader is a relaxed load before an acquire fence.
name "mp+rs-fence";
domain 4;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread updater {
  flag.fadd(2, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(acq);
  s = data.load(rlx);
  assert(r % 2 == 0 || s == 1);
}
