/*
 * Hand-over of pressure samples from the interrupt to the main loop without a lock:
 * one writer, one reader, and a size that is a power of two.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_RING_SIZE 64u
_Static_assert((SAMPLE_RING_SIZE & (SAMPLE_RING_SIZE - 1u)) == 0u, "the index mask needs a power of two");

typedef struct {
    uint16_t samples[SAMPLE_RING_SIZE];
    _Atomic uint32_t written; /* counts for ever; only the interrupt changes it */
    _Atomic uint32_t read;    /* only the main loop changes it */
    uint32_t dropped;
} sample_ring_t;

/* From the interrupt. When the reader is too slow the newest sample is thrown away and counted. */
bool sample_ring_put(sample_ring_t *ring, uint16_t sample)
{
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    if (written - read == SAMPLE_RING_SIZE) {
        ring->dropped++;
        return false;
    }
    ring->samples[written & (SAMPLE_RING_SIZE - 1u)] = sample;
    atomic_store_explicit(&ring->written, written + 1u, memory_order_release);
    return true;
}

/* From the main loop. False when there is nothing new. */
bool sample_ring_get(sample_ring_t *ring, uint16_t *sample)
{
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (read == atomic_load_explicit(&ring->written, memory_order_acquire)) {
        return false;
    }
    *sample = ring->samples[read & (SAMPLE_RING_SIZE - 1u)];
    atomic_store_explicit(&ring->read, read + 1u, memory_order_release);
    return true;
}

/* Median of three takes out single spikes from the pump's motor. */
uint16_t sample_median3(uint16_t a, uint16_t b, uint16_t c)
{
    uint16_t low = a < b ? a : b;
    uint16_t high = a < b ? b : a;
    if (c < low) {
        return low;
    }
    return c > high ? high : c;
}
