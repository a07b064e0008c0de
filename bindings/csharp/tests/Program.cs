using System;
using System.Collections.Generic;
using System.Reflection;

internal static class Program
{
    // Topic "memory" is every static method without parameters of the class MemoryTests.
    internal static int Main(string[] arguments)
    {
        if (arguments.Length == 0)
        {
            Console.Error.WriteLine("usage: CkptTests TOPIC [ARGUMENT...]");
            return 2;
        }
        if (arguments[0] == "child") return Children.Run(arguments);
        foreach (var type in typeof(Program).Assembly.GetTypes())
        {
            if (!string.Equals(type.Name, arguments[0] + "Tests", StringComparison.OrdinalIgnoreCase)) continue;
            var tests = new List<KeyValuePair<string, Action>>();
            foreach (var method in type.GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                if (method.GetParameters().Length != 0 || method.ReturnType != typeof(void) || method.Name.Contains("<")) continue;
                if (method.IsPrivate) continue;
                tests.Add(new KeyValuePair<string, Action>(method.Name, (Action)method.CreateDelegate(typeof(Action))));
            }
            return Check.Run(tests);
        }
        Console.Error.WriteLine("no topic " + arguments[0]);
        return 2;
    }
}
