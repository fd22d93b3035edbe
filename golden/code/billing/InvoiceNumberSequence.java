package billing;

import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Gives out invoice numbers without a hole, starting again at one each year.
 *
 * <p>The tax office wants an unbroken series, so a number whose invoice could not be stored is handed back and used for
 * the next one.
 */
public final class InvoiceNumberSequence {

    private final Clock clock;
    private final Map<Integer, Integer> lastByYear = new HashMap<>();
    private final Map<Integer, Deque<Integer>> returnedByYear = new HashMap<>();

    public InvoiceNumberSequence(Clock clock) {
        this.clock = clock;
    }

    /** A number such as {@code 2025-000042}; the smallest one handed back comes first. */
    public synchronized String next() {
        int year = LocalDate.now(clock).getYear();
        Deque<Integer> returned = returnedByYear.get(year);
        int number = returned != null && !returned.isEmpty()
                ? returned.removeFirst()
                : lastByYear.merge(year, 1, Integer::sum);
        return format(year, number);
    }

    /** Hand back a number that was not used after all. */
    public synchronized void giveBack(String invoiceNumber) {
        int year = Integer.parseInt(invoiceNumber.substring(0, 4));
        int number = Integer.parseInt(invoiceNumber.substring(5));
        if (number > lastByYear.getOrDefault(year, 0)) {
            throw new IllegalArgumentException(invoiceNumber + " was never given out");
        }
        Deque<Integer> returned = returnedByYear.computeIfAbsent(year, key -> new ArrayDeque<>());
        Deque<Integer> larger = new ArrayDeque<>();
        while (!returned.isEmpty() && returned.peekLast() > number) {
            larger.addFirst(returned.removeLast());
        }
        returned.addLast(number);
        returned.addAll(larger);
    }

    private static String format(int year, int number) {
        return String.format("%04d-%06d", year, number);
    }
}
