domain 4;
global x;
proc enter() { atomic { x.store(1); } }
proc twice() { atomic { enter(); } }
thread nested {
  atomic {
    x.store(1);
    atomic { x.store(2); }
    enter();
  }
  twice();
}
thread jumps {
  local r;
  while (r == 0) {
    atomic {
      r = x.load();
      if (r == 1) break;
      choose { continue; } or { goto out; }
      inside: skip;
      do { r = 1; if (r) break; } while (r == 2);
    }
    goto inside;
  }
  atomic {
    goto inside;
    out: goto out;
  }
}
