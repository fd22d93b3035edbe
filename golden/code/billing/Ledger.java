package billing;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Double-entry bookkeeping: every posting has two sides of the same amount, and nothing is ever deleted. */
public final class Ledger {

    /** One line of a posting; a debit is positive, a credit negative. */
    public record Entry(String account, BigDecimal amount) {}

    /** Entries that belong together. */
    public record Posting(LocalDate date, String text, List<Entry> entries) {
        public Posting {
            entries = List.copyOf(entries);
            BigDecimal sum = entries.stream().map(Entry::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
            if (sum.signum() != 0) {
                throw new UnbalancedPostingException(text, sum);
            }
        }

        /** The same posting with the signs turned round: the only way to undo one. */
        Posting reversed(LocalDate on) {
            List<Entry> turned = new ArrayList<>();
            for (Entry entry : entries) {
                turned.add(new Entry(entry.account(), entry.amount().negate()));
            }
            return new Posting(on, "Reversal: " + text, turned);
        }
    }

    /** Debits and credits of a posting differ. */
    public static final class UnbalancedPostingException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        UnbalancedPostingException(String text, BigDecimal difference) {
            super("'" + text + "' is out of balance by " + difference);
        }
    }

    private final List<Posting> postings = new ArrayList<>();
    private LocalDate closedUntil = LocalDate.MIN;

    public void post(Posting posting) {
        if (!posting.date().isAfter(closedUntil)) {
            throw new IllegalStateException("the books are closed until " + closedUntil);
        }
        postings.add(posting);
    }

    public void reverse(Posting posting, LocalDate on) {
        post(posting.reversed(on));
    }

    /** After this nothing dated on or before the day can be posted. */
    public void closePeriod(LocalDate lastDay) {
        closedUntil = lastDay;
    }

    /** Balance of each account up to and including the day, sorted by account. */
    public Map<String, BigDecimal> trialBalance(LocalDate day) {
        Map<String, BigDecimal> balances = new TreeMap<>();
        for (Posting posting : postings) {
            if (!posting.date().isAfter(day)) {
                posting.entries().forEach(entry -> balances.merge(entry.account(), entry.amount(), BigDecimal::add));
            }
        }
        return balances;
    }
}
