"use strict";

/**
 * Bytes for the thermal printer in the ticket kiosk. Only the few commands the
 * machine really understands; everything else is laid out here.
 */

const ESC = 0x1b;
const GS = 0x1d;
const COLUMNS = 42;

/** Break text at blanks so that no line is wider than the paper roll. */
function wrap(text, width = COLUMNS) {
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  if (line) {
    lines.push(line);
  }
  return lines;
}

/** Name on the left, amount flush right, dots between. */
function priceLine(name, amount, width = COLUMNS) {
  const price = amount.toFixed(2);
  const room = width - price.length - 1;
  const label = name.length > room ? name.slice(0, room) : name;
  return `${label}${".".repeat(width - label.length - price.length)}${price}`;
}

class ReceiptPrinter {
  constructor(write) {
    this.write = write;
    this.buffer = [];
  }

  reset() {
    this.buffer.push(ESC, 0x40);
    return this;
  }

  bold(on) {
    this.buffer.push(ESC, 0x45, on ? 1 : 0);
    return this;
  }

  text(line) {
    for (const char of line) {
      const code = char.codePointAt(0);
      this.buffer.push(code < 0x80 ? code : 0x3f);
    }
    this.buffer.push(0x0a);
    return this;
  }

  /** Feed past the knife, then cut, leaving a tongue so that the ticket does not drop on the floor. */
  cut() {
    this.buffer.push(ESC, 0x64, 4, GS, 0x56, 1);
    return this;
  }

  async flush() {
    const bytes = Uint8Array.from(this.buffer);
    this.buffer = [];
    await this.write(bytes);
    return bytes.length;
  }
}

module.exports = { ReceiptPrinter, wrap, priceLine, COLUMNS };
