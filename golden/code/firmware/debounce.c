/*
 * Push buttons on the ramp console. A contact bounces for a few milliseconds,
 * so a level counts only after it has been seen in several samples in a row.
 */
#include <stdbool.h>
#include <stdint.h>

#define STABLE_SAMPLES 5u
#define LONG_PRESS_MS 1500u

typedef enum { BUTTON_NONE, BUTTON_PRESSED, BUTTON_RELEASED, BUTTON_HELD } button_event_t;

typedef struct {
    bool level;          /* last level believed */
    bool held_reported;  /* BUTTON_HELD comes once a press */
    uint8_t differing;   /* samples in a row that differ from level */
    uint32_t pressed_at; /* ms */
} button_t;

void button_init(button_t *button)
{
    button->level = false;
    button->held_reported = false;
    button->differing = 0;
    button->pressed_at = 0;
}

static button_event_t button_changed(button_t *button, uint32_t now_ms)
{
    button->level = !button->level;
    button->differing = 0;
    if (!button->level) {
        return BUTTON_RELEASED;
    }
    button->pressed_at = now_ms;
    button->held_reported = false;
    return BUTTON_PRESSED;
}

/* Call once a millisecond with the raw input. */
button_event_t button_sample(button_t *button, bool raw, uint32_t now_ms)
{
    if (raw != button->level) {
        button->differing++;
        return button->differing >= STABLE_SAMPLES ? button_changed(button, now_ms) : BUTTON_NONE;
    }
    button->differing = 0;
    /* Unsigned subtraction is right across the wrap of the tick counter. */
    if (button->level && !button->held_reported && now_ms - button->pressed_at >= LONG_PRESS_MS) {
        button->held_reported = true;
        return BUTTON_HELD;
    }
    return BUTTON_NONE;
}
