using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace Backoffice
{
    /// <summary>Writes tables that a spreadsheet opens without asking questions.</summary>
    public sealed class CsvExport
    {
        private const char Separator = ';';
        private readonly TextWriter output;
        private readonly CultureInfo culture;

        public CsvExport(TextWriter output, CultureInfo culture)
        {
            this.output = output;
            this.culture = culture;
        }

        /// <summary>Number of rows written, the header not counted.</summary>
        public int Rows { get; private set; }

        public void Header(IEnumerable<string> names)
        {
            WriteLine(names);
        }

        public void Row(IEnumerable<object?> values)
        {
            var cells = new List<string>();
            foreach (object? value in values)
            {
                cells.Add(Render(value));
            }

            WriteLine(cells);
            Rows++;
        }

        private string Render(object? value)
        {
            return value switch
            {
                null => string.Empty,
                DateTime moment => moment.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture),
                decimal amount => amount.ToString("0.00", culture),
                IFormattable other => other.ToString(null, culture),
                _ => Disarm(value.ToString() ?? string.Empty),
            };
        }

        /// <summary>A cell that begins like a formula would be run by the spreadsheet; an apostrophe stops that.</summary>
        private static string Disarm(string text)
        {
            return text.Length > 0 && "=+-@\t".Contains(text[0]) ? "'" + text : text;
        }

        private void WriteLine(IEnumerable<string> cells)
        {
            var line = new StringBuilder();
            foreach (string cell in cells)
            {
                if (line.Length > 0)
                {
                    line.Append(Separator);
                }

                line.Append(Quote(cell));
            }

            output.Write(line.Append("\r\n"));
        }

        private static string Quote(string cell)
        {
            bool needed = cell.Length == 0 || cell.IndexOfAny(new[] { Separator, '"', '\r', '\n' }) >= 0;
            return needed ? "\"" + cell.Replace("\"", "\"\"") + "\"" : cell;
        }
    }
}
