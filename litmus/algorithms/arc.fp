//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=531
//: rc20 robust states=1205
//: cpp20 robust states=1205
// Atomic reference counting as in Rust's Arc (Doko and Vafeiadis 2017; Margalit and Lahav 2021,
// figure 6). The owner hands out references through a mailbox as long as it likes, two workers take
// them, use the object and drop them; the last one to drop destroys the object. Counting up is
// relaxed: a reference can only be copied by who has one. Counting down releases, and only the last
// one acquires, by a fence: every count is an update, so it stands at the end of the release
// sequences of all others. The weak count is left out.
name "arc";
domain 8;
global strong = 1, mailbox;
nonatomic object = 1;

proc use() {
  local r;
  r = object;
  assert(r == 1);
}

proc drop() {
  local r;
  r = strong.fsub(1, rel);
  if (r == 1) {
    fence(acq);
    object = 0;
  }
}

thread owner {
  local more = 1;
  while (more) {
    more = nondet(0, 1);
    if (more) {
      use();
      strong.fadd(1, rlx);
      mailbox.bcas(0, 1, rel);
    }
  }
  drop();
}

thread worker[2] {
  while (1) {
    mailbox.bcas(1, 0, acq);
    use();
    drop();
  }
}
