nonatomic d;

thread p[2] {
  d = me;
}
