package gateway

import (
	"errors"
	"sync"
	"time"
)

// ErrOpen is returned without calling the service while it is being left alone.
var ErrOpen = errors.New("breaker: service is resting")

type breakerState int

const (
	closed breakerState = iota
	open
	halfOpen
)

// Breaker stops hammering a backend that keeps failing. After Threshold failures in a row
// it answers ErrOpen at once; when Rest has passed it lets a single probe through.
type Breaker struct {
	Threshold int
	Rest      time.Duration
	Now       func() time.Time

	mu       sync.Mutex
	state    breakerState
	failures int
	openedAt time.Time
}

// Call runs fn unless the breaker is open.
func (b *Breaker) Call(fn func() error) error {
	if err := b.admit(); err != nil {
		return err
	}
	err := fn()
	b.record(err)
	return err
}

func (b *Breaker) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.state {
	case halfOpen:
		return ErrOpen
	case open:
		if b.Now().Sub(b.openedAt) < b.Rest {
			return ErrOpen
		}
		b.state = halfOpen
	}
	return nil
}

func (b *Breaker) record(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.state, b.failures = closed, 0
		return
	}
	b.failures++
	if b.state == halfOpen || b.failures >= b.Threshold {
		b.state, b.openedAt = open, b.Now()
	}
}
