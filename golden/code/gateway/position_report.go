package gateway

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotPosition says that the message is well formed but of another type.
var ErrNotPosition = errors.New("ais: not a class A position report")

// Position is what the map needs of a vessel's broadcast.
type Position struct {
	MMSI      uint32
	Knots     float64
	Longitude float64
	Latitude  float64
}

// bits is a six-bit armoured payload unpacked to single bits.
type bits []byte

// unarmour undoes the printable coding of the payload: each character carries six bits.
func unarmour(payload string) (bits, error) {
	out := make(bits, 0, len(payload)*6)
	for _, char := range []byte(payload) {
		value := int(char) - 48
		if value > 40 {
			value -= 8
		}
		if value < 0 || value > 63 {
			return nil, fmt.Errorf("ais: %q is not a payload character", char)
		}
		for shift := 5; shift >= 0; shift-- {
			out = append(out, byte(value>>shift)&1)
		}
	}
	return out, nil
}

func (b bits) unsigned(start, length int) uint32 {
	var value uint32
	for _, bit := range b[start : start+length] {
		value = value<<1 | uint32(bit)
	}
	return value
}

func (b bits) signed(start, length int) int32 {
	value := int64(b.unsigned(start, length))
	if b[start] == 1 {
		value -= 1 << length
	}
	return int32(value)
}

// ParseSentence reads a single-fragment !AIVDM sentence.
func ParseSentence(sentence string) (Position, error) {
	fields := strings.Split(sentence, ",")
	if len(fields) != 7 || fields[0] != "!AIVDM" {
		return Position{}, errors.New("ais: not an AIVDM sentence")
	}
	data, err := unarmour(fields[5])
	if err != nil {
		return Position{}, err
	}
	if len(data) < 168 || data.unsigned(0, 6) < 1 || data.unsigned(0, 6) > 3 {
		return Position{}, ErrNotPosition
	}
	return Position{
		MMSI:      data.unsigned(8, 30),
		Knots:     float64(data.unsigned(50, 10)) / 10,
		Longitude: float64(data.signed(61, 28)) / 600000,
		Latitude:  float64(data.signed(89, 27)) / 600000,
	}, nil
}
