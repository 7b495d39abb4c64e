/* Matrix product; each thread computes some rows. Nothing is shared but what nobody writes. */
#include "bench.h"

static double *left, *right, *product;

static void *body(void *argument) {
    for (long row = (long)argument; row < size; row += threads)
        for (long column = 0; column < size; column++) {
            double sum = 0;
            for (long i = 0; i < size; i++)
                sum += left[row * size + i] * right[i * size + column];
            product[row * size + column] = sum;
        }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    size_t cells = (size_t)size * (size_t)size;
    left = malloc(cells * sizeof *left);
    right = malloc(cells * sizeof *right);
    product = malloc(cells * sizeof *product);
    for (long i = 0; i < (long)cells; i++) {
        left[i] = (double)(i % 7);
        right[i] = i / size == i % size ? 2 : 0;
    }
    run_threads(body);
    for (size_t i = 0; i < cells; i++)
        CHECK(product[i] == 2 * left[i]);
    return 0;
}
