#include "frame.h"

/* CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, no reflection. */
uint16_t frame_crc16(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xFFFFu;
    for (size_t i = 0; i < length; i++) {
        crc = (uint16_t)(crc ^ ((uint16_t)data[i] << 8));
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x8000u) ? (uint16_t)((crc << 1) ^ 0x1021u) : (uint16_t)(crc << 1);
        }
    }
    return crc;
}

/* A start or escape byte inside the data is sent as escape and the byte with bit 5 flipped. */
static size_t put_stuffed(uint8_t *out, size_t at, uint8_t byte)
{
    if (byte == FRAME_START || byte == FRAME_ESCAPE) {
        out[at++] = FRAME_ESCAPE;
        byte ^= 0x20u;
    }
    out[at++] = byte;
    return at;
}

/* The worst case needs 2 * (length + 2) + 2 bytes of room. Returns the bytes used. */
size_t frame_encode(const uint8_t *payload, size_t length, uint8_t *out)
{
    uint16_t crc = frame_crc16(payload, length);
    size_t at = 0;
    out[at++] = FRAME_START;
    for (size_t i = 0; i < length; i++) {
        at = put_stuffed(out, at, payload[i]);
    }
    at = put_stuffed(out, at, (uint8_t)(crc >> 8));
    at = put_stuffed(out, at, (uint8_t)(crc & 0xFFu));
    out[at++] = FRAME_START;
    return at;
}

void frame_receiver_init(frame_receiver_t *receiver)
{
    receiver->length = 0;
    receiver->in_frame = 0;
    receiver->escaped = 0;
}

static frame_result_t finish(frame_receiver_t *receiver)
{
    if (receiver->length < 2u) {
        return FRAME_MORE; /* two start bytes in a row: idle line */
    }
    size_t body = receiver->length - 2u;
    uint16_t sent = (uint16_t)((receiver->payload[body] << 8) | receiver->payload[body + 1u]);
    receiver->length = body;
    return frame_crc16(receiver->payload, body) == sent ? FRAME_COMPLETE : FRAME_BAD_CRC;
}

frame_result_t frame_receive(frame_receiver_t *receiver, uint8_t byte)
{
    if (byte == FRAME_START) {
        frame_result_t result = receiver->in_frame ? finish(receiver) : FRAME_MORE;
        receiver->in_frame = result == FRAME_MORE;
        if (receiver->in_frame) {
            receiver->length = 0;
        }
        receiver->escaped = 0;
        return result;
    }
    if (!receiver->in_frame) {
        return FRAME_MORE;
    }
    if (byte == FRAME_ESCAPE) {
        receiver->escaped = 1;
        return FRAME_MORE;
    }
    if (receiver->length == sizeof receiver->payload) {
        receiver->in_frame = 0;
        return FRAME_OVERFLOW;
    }
    receiver->payload[receiver->length++] = receiver->escaped ? (uint8_t)(byte ^ 0x20u) : byte;
    receiver->escaped = 0;
    return FRAME_MORE;
}
