<?php

declare(strict_types=1);

namespace Portal;

/** Readable, stable addresses for the notices on the web site. */
final class NoticeSlug
{
    private const MAX_LENGTH = 60;

    private const LETTERS = [
        'ä' => 'ae', 'ö' => 'oe', 'ü' => 'ue', 'ß' => 'ss', 'æ' => 'ae', 'ø' => 'o', 'å' => 'a',
        'é' => 'e', 'è' => 'e', 'ê' => 'e', 'ñ' => 'n', 'ç' => 'c',
    ];

    /** @param callable(string): bool $isTaken */
    public static function unique(string $title, callable $isTaken): string
    {
        $slug = self::fromTitle($title);
        if (!$isTaken($slug)) {
            return $slug;
        }
        for ($number = 2; ; $number++) {
            $candidate = $slug . '-' . $number;
            if (!$isTaken($candidate)) {
                return $candidate;
            }
        }
    }

    /** Lower case letters, digits and single dashes; an empty title becomes "notice". */
    public static function fromTitle(string $title): string
    {
        $plain = strtr(mb_strtolower($title), self::LETTERS);
        $dashed = trim((string) preg_replace('/[^a-z0-9]+/', '-', $plain), '-');

        return $dashed === '' ? 'notice' : self::shorten($dashed);
    }

    /** Cut at a dash where there is one, so that no word is chopped in half. */
    private static function shorten(string $slug): string
    {
        if (strlen($slug) <= self::MAX_LENGTH) {
            return $slug;
        }
        $head = substr($slug, 0, self::MAX_LENGTH + 1);
        $dash = strrpos($head, '-');

        return $dash === false ? substr($slug, 0, self::MAX_LENGTH) : substr($head, 0, $dash);
    }
}
