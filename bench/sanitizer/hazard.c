/* A stack with hazard pointers: a fence between announcing a node and looking at it again. */
#include "bench.h"
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    long value;
};

static _Atomic(struct node *) top;
static struct {
    _Alignas(64) _Atomic(struct node *) node;
} hazards[MOST_THREADS];
static long sums[MOST_THREADS];

static void push(struct node *node) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    do
        atomic_store_explicit(&node->next, old, memory_order_release);
    while (!atomic_compare_exchange_weak_explicit(&top, &old, node, memory_order_acq_rel, memory_order_acquire));
}

static struct node *pop(long me) {
    for (;;) {
        struct node *node = atomic_load_explicit(&top, memory_order_acquire);
        if (node == NULL) {
            atomic_store_explicit(&hazards[me].node, NULL, memory_order_release);
            return NULL;
        }
        atomic_store_explicit(&hazards[me].node, node, memory_order_release);
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&top, memory_order_acquire) != node)
            continue;
        struct node *next = atomic_load_explicit(&node->next, memory_order_acquire);
        struct node *expected = node;
        if (atomic_compare_exchange_strong_explicit(&top, &expected, next, memory_order_acq_rel, memory_order_acquire)) {
            atomic_store_explicit(&hazards[me].node, NULL, memory_order_release);
            return node;
        }
    }
}

/* Until nobody announces the node any more. */
static void wait_for_others(struct node *node) {
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < threads; i++)
        while (atomic_load_explicit(&hazards[i].node, memory_order_acquire) == node)
            sched_yield();
}

static void *body(void *argument) {
    long me = (long)argument;
    struct node *mine = malloc(sizeof *mine);
    for (long i = 0; i < size; i++) {
        mine->value = i;
        push(mine);
        while ((mine = pop(me)) == NULL)
            sched_yield();
        wait_for_others(mine);
        sums[me] += mine->value;
    }
    free(mine);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < threads; i++)
        sum += sums[i];
    CHECK(sum == threads * (size * (size - 1) / 2));
    return 0;
}
