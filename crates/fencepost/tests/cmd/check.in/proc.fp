domain 4;
global x, y;
proc swap(mine, yours) {
  local r;
  mine.store(1);
  r = yours.load();
}
thread left { swap(x, y); }
thread right { swap(y, x); }
