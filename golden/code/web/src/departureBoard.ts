/** The big screen in the waiting room: which sailings to show, in which words and colours. */

export type Status = "on-time" | "delayed" | "boarding" | "cancelled" | "gone";

export interface Departure {
  readonly id: string;
  readonly destination: string;
  readonly scheduled: Date;
  readonly expected: Date | null;
  readonly cancelled: boolean;
}

export interface Row {
  readonly time: string;
  readonly destination: string;
  readonly status: Status;
  readonly note: string;
}

const MINUTE = 60_000;
const BOARDING_MINUTES = 12;
const KEEP_GONE_MINUTES = 3;
/** Shorter delays are not worth alarming anyone about. */
export const DELAY_THRESHOLD_MINUTES = 4;

export function statusOf(departure: Departure, now: Date): Status {
  if (departure.cancelled) {
    return "cancelled";
  }
  const leaves = departure.expected ?? departure.scheduled;
  const minutesLeft = (leaves.getTime() - now.getTime()) / MINUTE;
  if (minutesLeft <= 0) {
    return "gone";
  }
  if (minutesLeft <= BOARDING_MINUTES) {
    return "boarding";
  }
  const late = (leaves.getTime() - departure.scheduled.getTime()) / MINUTE;
  return late > DELAY_THRESHOLD_MINUTES ? "delayed" : "on-time";
}

/** Soonest first; ships that left linger a moment so that latecomers understand why the quay is empty. */
export function boardRows(departures: readonly Departure[], now: Date, limit = 8): Row[] {
  const oldest = now.getTime() - KEEP_GONE_MINUTES * MINUTE;
  return departures
    .filter((departure) => (departure.expected ?? departure.scheduled).getTime() >= oldest)
    .sort((a, b) => a.scheduled.getTime() - b.scheduled.getTime())
    .slice(0, limit)
    .map((departure) => toRow(departure, now));
}

function toRow(departure: Departure, now: Date): Row {
  const status = statusOf(departure, now);
  const expected = departure.expected;
  const note = status === "delayed" && expected !== null ? `about ${clock(expected)}` : "";
  return { time: clock(departure.scheduled), destination: departure.destination, status, note };
}

function clock(moment: Date): string {
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${pad(moment.getHours())}:${pad(moment.getMinutes())}`;
}
