using System;
using System.Collections.Generic;
using System.Linq;

namespace Backoffice
{
    /// <summary>A stretch of duty; the end is not part of it.</summary>
    public sealed record Shift(string Person, DateTime Start, DateTime End)
    {
        public TimeSpan Length => End - Start;
    }

    /// <summary>Something about a plan that the law does not allow.</summary>
    public sealed record Violation(string Person, DateTime At, string Reason);

    /// <summary>Checks duty plans against the rules on rest.</summary>
    public sealed class ShiftRoster
    {
        public static readonly TimeSpan MinimumDailyRest = TimeSpan.FromHours(10);
        public static readonly TimeSpan MinimumWeeklyRest = TimeSpan.FromHours(77);

        private readonly List<Shift> shifts = new();

        public void Add(Shift shift)
        {
            if (shift.End <= shift.Start)
            {
                throw new ArgumentException($"{shift.Person}: a shift has to end after it starts", nameof(shift));
            }

            shifts.Add(shift);
        }

        /// <summary>All violations, by person and then by time.</summary>
        public IReadOnlyList<Violation> Check()
        {
            return shifts
                .GroupBy(shift => shift.Person)
                .OrderBy(group => group.Key, StringComparer.Ordinal)
                .SelectMany(group => CheckPerson(group.OrderBy(shift => shift.Start).ToList()))
                .ToList();
        }

        private static IEnumerable<Violation> CheckPerson(List<Shift> own)
        {
            for (int i = 1; i < own.Count; i++)
            {
                TimeSpan rest = own[i].Start - own[i - 1].End;
                if (rest < TimeSpan.Zero)
                {
                    yield return new Violation(own[i].Person, own[i].Start, "two shifts overlap");
                }
                else if (rest < MinimumDailyRest)
                {
                    yield return new Violation(own[i].Person, own[i].Start, $"only {rest.TotalHours:0.#} hours of rest");
                }
            }

            foreach (Shift first in own)
            {
                TimeSpan worked = WorkedBetween(own, first.Start, first.Start.AddDays(7));
                if (TimeSpan.FromDays(7) - worked < MinimumWeeklyRest)
                {
                    yield return new Violation(first.Person, first.Start, "too little rest in the week that begins here");
                }
            }
        }

        /// <summary>Hours of duty inside a window; shifts that stick out are counted in part.</summary>
        private static TimeSpan WorkedBetween(IEnumerable<Shift> own, DateTime from, DateTime until)
        {
            TimeSpan sum = TimeSpan.Zero;
            foreach (Shift shift in own)
            {
                DateTime start = shift.Start > from ? shift.Start : from;
                DateTime end = shift.End < until ? shift.End : until;
                sum += end > start ? end - start : TimeSpan.Zero;
            }

            return sum;
        }
    }
}
