package billing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Splits an amount of cents between several payers so that no cent is lost or invented.
 *
 * <p>Each payer gets the whole cents of their share; the cents left over go to those with the largest remainders
 * (Hamilton's method), ties to the one named first.
 */
public final class ProportionalSplit {

    private ProportionalSplit() {}

    /**
     * @param cents the amount, zero or more
     * @param weights one a payer, none negative, not all zero
     * @return cents by payer, in the order of the weights
     */
    public static List<Long> split(long cents, List<Long> weights) {
        long total = weights.stream().mapToLong(Long::longValue).sum();
        if (cents < 0 || total <= 0 || weights.stream().anyMatch(weight -> weight < 0)) {
            throw new IllegalArgumentException("cannot split " + cents + " by " + weights);
        }
        List<Long> shares = new ArrayList<>();
        List<Integer> byRemainder = new ArrayList<>();
        long given = 0;
        for (int payer = 0; payer < weights.size(); payer++) {
            long share = Math.multiplyExact(cents, weights.get(payer)) / total;
            shares.add(share);
            given += share;
            byRemainder.add(payer);
        }
        byRemainder.sort(Comparator.comparingLong((Integer payer) -> -(cents * weights.get(payer) % total)));
        for (int place = 0; place < cents - given; place++) {
            int payer = byRemainder.get(place);
            shares.set(payer, shares.get(payer) + 1);
        }
        return shares;
    }
}
