/** Requests made while the boat has no signal: kept, and sent again in order when it is back. */

export interface Pending<T> {
  readonly key: string;
  readonly payload: T;
  readonly attempts: number;
}

export type Sender<T> = (payload: T, key: string) => Promise<"done" | "retry" | "refused">;

export interface Storage<T> {
  load(): Pending<T>[];
  save(items: readonly Pending<T>[]): void;
}

export const MAX_ATTEMPTS = 20;

/**
 * First in, first out. The key goes with every attempt so that the server can tell a repetition
 * from a second order; a request that the server refuses is set aside instead of blocking the rest.
 */
export class RetryQueue<T> {
  private items: Pending<T>[];
  private flushing = false;
  readonly rejected: Pending<T>[] = [];

  constructor(
    private readonly send: Sender<T>,
    private readonly storage: Storage<T>,
  ) {
    this.items = storage.load();
  }

  get length(): number {
    return this.items.length;
  }

  enqueue(key: string, payload: T): void {
    if (this.items.some((item) => item.key === key)) {
      return;
    }
    this.items.push({ key, payload, attempts: 0 });
    this.storage.save(this.items);
  }

  /** Sends until the queue is empty or the network fails again. Safe to call twice. */
  async flush(): Promise<void> {
    if (this.flushing) {
      return;
    }
    this.flushing = true;
    try {
      while (this.items.length > 0 && (await this.sendFirst())) {
        this.storage.save(this.items);
      }
    } finally {
      this.flushing = false;
      this.storage.save(this.items);
    }
  }

  private async sendFirst(): Promise<boolean> {
    const first = this.items[0];
    if (first === undefined) {
      return false;
    }
    const outcome = await this.send(first.payload, first.key).catch(() => "retry" as const);
    if (outcome === "retry" && first.attempts + 1 < MAX_ATTEMPTS) {
      this.items[0] = { ...first, attempts: first.attempts + 1 };
      return false;
    }
    this.items.shift();
    if (outcome !== "done") {
      this.rejected.push(first);
    }
    return true;
  }
}
