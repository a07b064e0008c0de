using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Ckpt;

// Everything that the C API can do is reachable from C#: each exported function against the low-level module and the layer above
// it.
internal static class CoverageTests
{
    private static readonly Dictionary<string, string> noWrapper = new Dictionary<string, string>
    {
        { "ckpt_get_api", "a table of C function pointers, for programs that load the library themselves" },
        { "ckpt_strategy_callbacks_init", "a director fills the table of functions" },
        { "ckpt_strategy_question_init", "a director passes the question's members" },
        { "ckpt_strategy_config_init", "CheckpointConfig has the defaults" },
        { "ckpt_storage_callbacks_init", "a director fills the table of functions" },
        { "ckpt_stateful_callbacks_init", "a director fills the table of functions" },
        { "ckpt_coordinator_callbacks_init", "a director fills the table of functions" },
        { "ckpt_layer_callbacks_init", "a director fills the table of functions" },
        { "ckpt_checkpoint_task_callbacks_init", "a director fills the table of functions" },
        { "ckpt_blas_init", "Blas.Set takes the struct's members" },
        { "ckpt_strategy_info_init", "languages get it with the next issue" },
        { "ckpt_strategy_get_info", "languages get it with the next issue" },
        { "ckpt_strategy_get_pattern", "languages get it with the next issue" },
        { "ckpt_strategy_get_child", "languages get it with the next issue" },
        { "ckpt_strategy_get_text", "languages get it with the next issue" },
        { "ckpt_threshold_observe_failure", "languages get it with the next issue" },
    };

    private static readonly Dictionary<string, string> notCalled = new Dictionary<string, string>
    {
        { "ckpt_callback_error", "the text of an exception that a function of yours threw becomes the reason" },
    };

    private static List<string> Listed()
    {
        var table = File.ReadAllText(Environment.GetEnvironmentVariable("CKPT_API_TABLE"));
        return Regex.Matches(table, @"\n  [^\n]*\(\*(ckpt_\w+)\)").Cast<Match>().Select(match => match.Groups[1].Value).ToList();
    }

    private static Type Low(string name)
    {
        return typeof(CkptException).Assembly.GetType("Ckpt.Interop." + name);
    }

    internal static void EveryFunctionIsWrapped()
    {
        var functions = new HashSet<string>(Low("native").GetMethods(BindingFlags.Static | BindingFlags.Public).Select(method =>
            method.Name));
        var listed = Listed();
        Check.That(listed.Count > 300, "functions: " + listed.Count);
        foreach (var name in listed)
        {
            if (noWrapper.ContainsKey(name)) Check.That(!functions.Contains(name), name + " is wrapped: strike it from noWrapper");
            else if (name.EndsWith("_init")) Check.That(Low(name.Substring(0, name.Length - 5)) != null,
                name + ": the struct has no class");
            else Check.That(functions.Contains(name), name + " has no wrapper");
        }
    }

    internal static void EveryFunctionIsUsed()
    {
        var text = string.Concat(Directory.GetFiles(Environment.GetEnvironmentVariable("CKPT_CSHARP_SOURCES"), "*.cs",
            SearchOption.AllDirectories)
                                     .Select(File.ReadAllText));
        foreach (var name in Listed())
        {
            if (noWrapper.ContainsKey(name) || notCalled.ContainsKey(name)) continue;
            var used = name.EndsWith("_init") ? @"new (Ckpt\.Interop\.)?" + name.Substring(0, name.Length - 5) + @"\("
                : @"native(PINVOKE)?\." + name + @"\b";
            Check.That(Regex.IsMatch(text, used), "the layer never uses " + name);
        }
    }

    internal static void ExceptionsHaveReasonsAndExist()
    {
        var listed = Listed();
        foreach (var entry in noWrapper.Concat(notCalled))
        {
            Check.That(listed.Contains(entry.Key), entry.Key);
            Check.That(entry.Value.Length > 10, entry.Key + " has a reason");
        }
    }

    internal static void NothingLowLevelIsPublic()
    {
        foreach (var type in typeof(CkptException).Assembly.GetExportedTypes())
            Check.That(type.Namespace != "Ckpt.Interop", type.FullName + " is internal");
    }

    internal static void NumbersOf64BitsStay64Bits()
    {
        foreach (var name in new[] { "ckpt_tensor_get_bytes", "ckpt_dtype_bits" })
            Check.Equal(typeof(long), Low("native").GetMethod(name).ReturnType, name);
        foreach (var name in new[] { "current_bytes", "allocations" })
            Check.Equal(typeof(long), Low("ckpt_memory_stats").GetProperty(name).PropertyType, name);
        Check.Equal(typeof(ulong), Low("ckpt_memory_stats").GetProperty("sequence").PropertyType, "sequence");
    }
}
