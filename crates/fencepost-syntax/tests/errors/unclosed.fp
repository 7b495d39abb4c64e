thread a {
  if (1) {
    skip;

thread b {
  skip
}
}
