/* Frames on the serial line between the bridge and the ramp console. */
#ifndef FIRMWARE_FRAME_H
#define FIRMWARE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_START 0x7Eu
#define FRAME_ESCAPE 0x7Du
#define FRAME_MAX_PAYLOAD 64u

/* Result of feeding one byte to the receiver. */
typedef enum {
    FRAME_MORE,      /* not complete yet */
    FRAME_COMPLETE,  /* payload and length are valid */
    FRAME_BAD_CRC,   /* damaged on the way; the sender will repeat it */
    FRAME_OVERFLOW   /* longer than FRAME_MAX_PAYLOAD; dropped */
} frame_result_t;

typedef struct {
    uint8_t payload[FRAME_MAX_PAYLOAD + 2u];
    size_t length;
    int in_frame;
    int escaped;
} frame_receiver_t;

uint16_t frame_crc16(const uint8_t *data, size_t length);
size_t frame_encode(const uint8_t *payload, size_t length, uint8_t *out);
void frame_receiver_init(frame_receiver_t *receiver);
frame_result_t frame_receive(frame_receiver_t *receiver, uint8_t byte);

#endif
