//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=531
//: rc20 violation kind=data-race location=object states=51
//: cpp20 violation kind=data-race location=object states=51
// Atomic reference counting as in arc, with the acquire fence before destruction forgotten. The one
// who drops last is not ordered after the uses of the others.
name "arc-no-fence";
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
