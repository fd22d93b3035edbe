"use strict";

/**
 * Limits how often a kiosk may ask the booking server, with room for short bursts.
 * Tokens trickle in at a steady rate up to the burst size; each request takes one.
 */
class TokenBucket {
  /**
   * @param {number} perSecond how many tokens arrive each second
   * @param {number} burst most tokens that can be saved up
   * @param {() => number} now clock in milliseconds
   */
  constructor(perSecond, burst, now = Date.now) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new RangeError("rate must be positive and burst at least one");
    }
    this.perSecond = perSecond;
    this.burst = burst;
    this.now = now;
    this.tokens = burst;
    this.updated = now();
  }

  /** Takes a token if there is one; never waits. */
  tryTake(count = 1) {
    this.refill();
    if (this.tokens < count) {
      return false;
    }
    this.tokens -= count;
    return true;
  }

  /** Milliseconds until `count` tokens will be there. */
  waitTime(count = 1) {
    this.refill();
    const missing = count - this.tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.perSecond) * 1000);
  }

  refill() {
    const moment = this.now();
    // A clock set back must not empty the bucket.
    const elapsed = Math.max(0, moment - this.updated);
    this.tokens = Math.min(this.burst, this.tokens + (elapsed / 1000) * this.perSecond);
    this.updated = moment;
  }
}

/** One bucket a kiosk, made when first seen and dropped after an hour of silence. */
class BucketRegistry {
  constructor(make, now = Date.now, idleMs = 3_600_000) {
    this.make = make;
    this.now = now;
    this.idleMs = idleMs;
    this.entries = new Map();
  }

  get(kioskId) {
    const entry = this.entries.get(kioskId) ?? { bucket: this.make() };
    entry.seen = this.now();
    this.entries.set(kioskId, entry);
    return entry.bucket;
  }

  sweep() {
    const limit = this.now() - this.idleMs;
    for (const [id, entry] of this.entries) {
      if (entry.seen < limit) {
        this.entries.delete(id);
      }
    }
    return this.entries.size;
  }
}

module.exports = { TokenBucket, BucketRegistry };
