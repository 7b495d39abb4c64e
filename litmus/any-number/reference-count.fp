//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// A reference count. The owner hands out references through a mailbox as long as it likes; any
// number of workers take them, use the object and drop them. The last one to drop destroys the object.
// The count wraps around at 8, which is bounded here: the owner makes no more than six references.
name "reference-count";
domain 8;
global strong = 1, mailbox;
nonatomic object = 1;

thread owner {
  local more = 1, made, r;
  while (more && made < 6) {
    more = nondet(0, 1);
    if (more) {
      strong.fadd(1, rlx);
      mailbox.bcas(0, 1, rel);
      made = made + 1;
    }
  }
  r = strong.fsub(1, rel);
  if (r == 1) {
    fence(acq);
    object = 0;
  }
}

thread worker[*] {
  local r;
  mailbox.bcas(1, 0, acq);
  r = object;
  assert(r == 1);
  r = strong.fsub(1, rel);
  if (r == 1) {
    fence(acq);
    object = 0;
  }
}
