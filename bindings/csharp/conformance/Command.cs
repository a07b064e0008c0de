using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

// An error in the scenario file, not in the library.
internal sealed class MisuseException : Exception
{
    internal MisuseException(string message) : base(message)
    {
    }
}

// One command: its words, without the key=value words.
internal sealed class Command
{
    private readonly List<string> words = new List<string>();
    private readonly Dictionary<string, string> options = new Dictionary<string, string>();
    private readonly HashSet<string> used = new HashSet<string>();

    internal Command(string line)
    {
        foreach (var word in line.Split(' '))
        {
            if (word.Length == 0) continue;
            var equals = word.IndexOf('=');
            if (equals > 0 && word.Take(equals).All(c => (c >= 'a' && c <= 'z') || c == '_')) options[word.Substring(0,
                equals)] = Unescaped(word.Substring(equals + 1));
            else words.Add(Unescaped(word));
        }
    }

    // Decodes a word: "\s" is a space, "\\" a backslash, "-" alone the empty string.
    private static string Unescaped(string word)
    {
        if (word == "-") return "";
        var text = new StringBuilder();
        for (var i = 0; i < word.Length; ++i)
        {
            if (word[i] != '\\' || i + 1 == word.Length) text.Append(word[i]);
            else text.Append(word[++i] == 's' ? ' ' : word[i]);
        }
        return text.ToString();
    }

    internal string Name
    {
        get { return words[0]; }
    }

    // Arguments are counted from 1.
    internal int Count
    {
        get { return words.Count - 1; }
    }

    internal string Text(int i)
    {
        if (i >= words.Count) throw new MisuseException(Name + ": missing argument " + i);
        return words[i];
    }

    internal long Integer(int i)
    {
        return ToInteger(Text(i));
    }

    internal double Number(int i)
    {
        return ToNumber(Text(i));
    }

    internal bool Has(string key)
    {
        return options.ContainsKey(key);
    }

    internal string Text(string key, string otherwise)
    {
        used.Add(key);
        string value;
        return options.TryGetValue(key, out value) ? value : otherwise;
    }

    internal long Integer(string key, long otherwise)
    {
        var value = Text(key, null);
        return value == null ? otherwise : ToInteger(value);
    }

    internal double Number(string key, double otherwise)
    {
        var value = Text(key, null);
        return value == null ? otherwise : ToNumber(value);
    }

    internal string[] Names(string key)
    {
        var value = Text(key, "");
        return value == "" ? new string[0] : value.Split(',');
    }

    internal void CheckAllUsed()
    {
        foreach (var option in options.Keys)
            if (!used.Contains(option)) throw new MisuseException(Name + ": unknown option " + option);
    }

    internal static long ToInteger(string text)
    {
        long value;
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture,
            out value)) throw new MisuseException(text + ": expected an integer");
        return value;
    }

    internal static double ToNumber(string text)
    {
        switch (text)
        {
            case "nan": return double.NaN;
            case "inf": return double.PositiveInfinity;
            case "-inf": return double.NegativeInfinity;
        }
        double value;
        if (!double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value)) throw new MisuseException(text
            + ": expected a number");
        return value;
    }

    internal static long[] ToShape(string text)
    {
        return text == "" ? new long[0] : text.Split('x').Select(ToInteger).ToArray();
    }
}
