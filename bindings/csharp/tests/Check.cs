using System;
using System.Collections.Generic;

// Assertions and the entry point of tests: CkptTests TOPIC runs every test of a topic.
internal static class Check
{
    private static int checks;

    internal static void That(bool holds, string what)
    {
        ++checks;
        if (!holds) throw new InvalidOperationException("does not hold: " + what);
    }

    internal static void Equal<T>(T expected, T actual, string what)
    {
        ++checks;
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new InvalidOperationException(what + ": expected " + expected + ", got " + actual);
    }

    internal static void Contains(string part, string text, string what)
    {
        That(text != null && text.Contains(part), what + " has \"" + part + "\": " + text);
    }

    internal static TException Throws<TException>(Action act, string what) where TException : Exception
    {
        ++checks;
        try
        {
            act();
        }
        catch (Exception error)
        {
            if (error.GetType() == typeof(TException)) return (TException)error;
            throw new InvalidOperationException(what + ": expected " + typeof(TException).Name + ", got " + error);
        }
        throw new InvalidOperationException(what + ": expected " + typeof(TException).Name + ", nothing was thrown");
    }

    internal static int Run(IEnumerable<KeyValuePair<string, Action>> tests)
    {
        var failures = 0;
        var count = 0;
        foreach (var test in tests)
        {
            ++count;
            try
            {
                test.Value();
                Console.WriteLine("ok " + test.Key);
            }
            catch (Exception error)
            {
                ++failures;
                Console.WriteLine("FAILED " + test.Key + ": " + error);
            }
        }
        Console.WriteLine(count + " tests, " + checks + " checks, " + failures + " failed");
        if (count == 0 || checks == 0) return 2;
        return failures == 0 ? 0 : 1;
    }
}
