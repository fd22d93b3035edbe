// Package gateway stands between the public web site and the services behind it.
package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Errors of Verify. They are apart for the log; the visitor sees the same page for both.
var (
	ErrForged  = errors.New("session: signature does not match")
	ErrExpired = errors.New("session: too old")
)

// MaxAge is how long a visitor stays logged in without doing anything.
const MaxAge = 30 * time.Minute

// Signer makes and checks session cookies without keeping any state on the server.
type Signer struct {
	keys [][]byte
	now  func() time.Time
}

// NewSigner takes the current key first, then retired ones which are still accepted.
func NewSigner(now func() time.Time, keys ...[]byte) *Signer {
	return &Signer{keys: keys, now: now}
}

// Issue returns a cookie value for the user.
func (s *Signer) Issue(user string) string {
	stamp := strconv.FormatInt(s.now().Unix(), 10)
	payload := base64.RawURLEncoding.EncodeToString([]byte(user)) + "." + stamp
	return payload + "." + sign(s.keys[0], payload)
}

// Verify returns the user named by a cookie value.
func (s *Signer) Verify(cookie string) (string, error) {
	cut := strings.LastIndexByte(cookie, '.')
	if cut < 0 {
		return "", ErrForged
	}
	payload, signature := cookie[:cut], cookie[cut+1:]
	if !s.anyKeySigned(payload, signature) {
		return "", ErrForged
	}
	encoded, stamp, found := strings.Cut(payload, ".")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if !found || err != nil {
		return "", ErrForged
	}
	if s.now().Sub(time.Unix(seconds, 0)) > MaxAge {
		return "", ErrExpired
	}
	user, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", ErrForged
	}
	return string(user), nil
}

// anyKeySigned compares in constant time, so that the answer's delay tells nothing.
func (s *Signer) anyKeySigned(payload, signature string) bool {
	for _, key := range s.keys {
		if hmac.Equal([]byte(sign(key, payload)), []byte(signature)) {
			return true
		}
	}
	return false
}

func sign(key []byte, payload string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
