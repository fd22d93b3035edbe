/** A deck plan on which people choose where to sit; works with the keyboard alone. */

declare const h: (tag: string, props: Record<string, unknown> | null, ...children: unknown[]) => unknown;

export interface Seat {
  readonly label: string;
  readonly row: number;
  readonly column: number;
  readonly taken: boolean;
}

export interface SeatPickerProps {
  readonly seats: readonly Seat[];
  readonly chosen: ReadonlySet<string>;
  readonly partySize: number;
  readonly onChange: (chosen: Set<string>) => void;
}

/** Adds or removes a seat; when the party is complete the one chosen first makes room. */
export function toggleSeat(chosen: ReadonlySet<string>, label: string, partySize: number): Set<string> {
  const next = new Set(chosen);
  if (next.delete(label)) {
    return next;
  }
  if (next.size >= partySize) {
    const [first] = next;
    if (first !== undefined) {
      next.delete(first);
    }
  }
  return next.add(label);
}

/** Free places side by side in one row, so that a family is not torn apart. */
export function suggestTogether(seats: readonly Seat[], partySize: number): string[] {
  const free = seats.filter((seat) => !seat.taken).sort((a, b) => a.row - b.row || a.column - b.column);
  let run: Seat[] = [];
  for (const seat of free) {
    const last = run[run.length - 1];
    const adjacent = last !== undefined && last.row === seat.row && last.column + 1 === seat.column;
    run = adjacent ? [...run, seat] : [seat];
    if (run.length === partySize) {
      return run.map((place) => place.label);
    }
  }
  return [];
}

export function SeatPicker({ seats, chosen, partySize, onChange }: SeatPickerProps): unknown {
  return (
    <div role="group" aria-label="Deck plan" class="deck">
      {seats.map((seat) => (
        <button
          type="button"
          disabled={seat.taken}
          aria-pressed={chosen.has(seat.label)}
          style={{ gridRow: seat.row, gridColumn: seat.column }}
          onClick={() => onChange(toggleSeat(chosen, seat.label, partySize))}
        >
          {seat.label}
        </button>
      ))}
    </div>
  );
}
