domain 2;
global mem_0;
global mem_1;

thread one {
  local l, d;
  L0:
  choose {
    goto L1;
  } or {
    goto L13;
  }
  L1:
  atomic {
    goto L3;
    L3:
    l = mem_0.load(rlx);
    goto L5;
    L5:
    if (l != 0) goto L9;
    goto L7;
    L7:
    mem_0.store(1, rlx);
    goto L11;
    L9:
    assume(0);
    goto L9;
    L11:
  }
  goto L25;
  L13:
  atomic {
    goto L15;
    L15:
    l = mem_0.load(rlx);
    goto L17;
    L17:
    if (l != 0) goto L23;
    goto L19;
    L19:
    mem_0.store(1, rlx);
    goto L21;
    L21:
    assume(0);
    goto L21;
    L23:
  }
  goto L32;
  L25:
  d = mem_1.load(rlx);
  goto L27;
  L27:
  mem_1.store(int(1 - d), rlx);
  goto L29;
  L29:
  mem_0.store(0, rlx);
  goto L31;
  L31:
  goto L33;
  L32:
  goto L0;
  L33:
}

thread two {
  local l, d;
  L0:
  choose {
    goto L1;
  } or {
    goto L13;
  }
  L1:
  atomic {
    goto L3;
    L3:
    l = mem_0.load(rlx);
    goto L5;
    L5:
    if (l != 0) goto L9;
    goto L7;
    L7:
    mem_0.store(1, rlx);
    goto L11;
    L9:
    assume(0);
    goto L9;
    L11:
  }
  goto L25;
  L13:
  atomic {
    goto L15;
    L15:
    l = mem_0.load(rlx);
    goto L17;
    L17:
    if (l != 0) goto L23;
    goto L19;
    L19:
    mem_0.store(1, rlx);
    goto L21;
    L21:
    assume(0);
    goto L21;
    L23:
  }
  goto L32;
  L25:
  d = mem_1.load(rlx);
  goto L27;
  L27:
  mem_1.store(int(1 - d), rlx);
  goto L29;
  L29:
  mem_0.store(0, rlx);
  goto L31;
  L31:
  goto L33;
  L32:
  goto L0;
  L33:
}
