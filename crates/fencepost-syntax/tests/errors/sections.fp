domain 4;
global x, atomic;
thread wrong {
  local bound, r;
  atomic x.store(1);
  bound;
  bound r < 3;
  atomic { bound(r < 3) }
  atomik { r = 1; }
  atomic { r = 2; };
}
