<?php

declare(strict_types=1);

namespace Portal;

/**
 * Slows down people who guess passwords: a sliding window of failed logins for each
 * account and each address. The account is never locked for good, since that would let
 * anybody shut out the harbour master.
 */
final class LoginThrottle
{
    public const WINDOW_SECONDS = 900;
    public const FREE_FAILURES = 5;
    public const MAX_DELAY_SECONDS = 60;

    /** @var array<string, list<int>> times of failures by key */
    private array $failures = [];

    /** @param \Closure(): int $clock seconds */
    public function __construct(private readonly \Closure $clock)
    {
    }

    public function recordFailure(string $account, string $address): void
    {
        $now = ($this->clock)();
        foreach ($this->keys($account, $address) as $key) {
            $this->failures[$key][] = $now;
        }
    }

    /** A good password clears the account, not the address: one success must not whitewash a botnet. */
    public function recordSuccess(string $account): void
    {
        unset($this->failures['account:' . mb_strtolower($account)]);
    }

    /** Seconds to wait before the next attempt is looked at. */
    public function delayFor(string $account, string $address): int
    {
        $worst = 0;
        foreach ($this->keys($account, $address) as $key) {
            $excess = count($this->recent($key)) - self::FREE_FAILURES;
            if ($excess > 0) {
                $worst = max($worst, min(self::MAX_DELAY_SECONDS, 2 ** min($excess, 10)));
            }
        }

        return $worst;
    }

    /** @return list<string> */
    private function keys(string $account, string $address): array
    {
        return ['account:' . mb_strtolower($account), 'address:' . $address];
    }

    /** @return list<int> */
    private function recent(string $key): array
    {
        $oldest = ($this->clock)() - self::WINDOW_SECONDS;
        $kept = array_values(array_filter($this->failures[$key] ?? [], static fn (int $at): bool => $at > $oldest));
        $this->failures[$key] = $kept;

        return $kept;
    }
}
