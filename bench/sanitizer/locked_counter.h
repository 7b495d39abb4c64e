/* What the lock programs do with their `lock(me)` and `unlock(me)`. */

static long counter;
static long table[64];

static void *body(void *argument) {
    long me = (long)argument;
    for (long i = 0; i < size; i++) {
        lock(me);
        counter++;
        table[(i + me) % 64] += i;
        unlock(me);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < 64; i++)
        sum += table[i];
    CHECK(counter == threads * size);
    CHECK(sum == threads * (size * (size - 1) / 2));
    return 0;
}
