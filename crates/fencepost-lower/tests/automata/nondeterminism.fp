domain 2;
global mem_0;
global mem_1;

thread chooser {
  local r;
  choose {
    goto L1;
  } or {
    goto L4;
  } or {
    goto L3;
  }
  L1:
  mem_0.store(1, rlx);
  r = mem_1.load(rlx);
  L3:
  goto L7;
  L4:
  mem_1.store(1, rlx);
  r = mem_0.load(rlx);
  goto L3;
  L7:
}

thread other {
  local r;
  choose {
    goto L1;
  } or {
    goto L4;
  } or {
    goto L3;
  }
  L1:
  mem_0.store(1, rlx);
  r = mem_1.load(rlx);
  L3:
  goto L7;
  L4:
  mem_1.store(1, rlx);
  r = mem_0.load(rlx);
  goto L3;
  L7:
}
