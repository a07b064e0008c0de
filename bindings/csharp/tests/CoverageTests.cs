using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Ckpt;

// Everything in the C API is reachable from C#: checks each exported function against the low-level module and the public classes.
internal static class CoverageTests
{
    private static readonly Dictionary<string, string> noWrapper = new Dictionary<string, string>
    {
        { "ckpt_get_api", "a table of C function pointers, for programs that load the library themselves" },
        { "ckpt_start_thread", "threads of the language: System.Threading.Thread" },
        { "ckpt_tree_add", "swig/tree.hpp has a function for each kind of value" },
        { "ckpt_tree_get", "swig/tree.hpp has a function for each kind of value" },
        { "ckpt_memory_tracker_subscribe", "csharp_subscribe; its listener reads the event in place" },
        { "ckpt_strategy_create_custom", "csharp_strategy; its functions read the question in place" },
    };

    // Structs without a class, and the reasons.
    private static readonly Dictionary<string, string> noValues = new Dictionary<string, string>
    {
        { "ckpt_strategy_callbacks", "a director fills the table of functions" },
        { "ckpt_strategy_question", "a director passes the question's members" },
        { "ckpt_storage_callbacks", "a director fills the table of functions" },
        { "ckpt_stateful_callbacks", "a director fills the table of functions" },
        { "ckpt_coordinator_callbacks", "a director fills the table of functions" },
        { "ckpt_driver_callbacks", "a director fills the table of functions" },
        { "ckpt_layer_callbacks", "a director fills the table of functions" },
        { "ckpt_checkpoint_task_callbacks", "a director fills the table of functions" },
        { "ckpt_tree_node", "swig/tree.hpp has a function for each kind of value" },
        { "ckpt_blas", "Blas.Set takes the struct's members" },
    };

    private static readonly Dictionary<string, string> notCalled = new Dictionary<string, string>
    {
        { "ckpt_tree_create_from_text", "Reader.Get reads trees where they are saved" },
        { "ckpt_tree_get_text", "State.Set writes trees where they are saved" },
        { "ckpt_callback_error", "the text of an exception that a function of yours threw becomes the reason" },
        { "ckpt_struct_init", "the classes of structs begin with the defaults" },
        { "ckpt_strategy_create", "ckpt_strategy_create_with_options makes the same from a text alone" },
    };

    private static List<string> Listed()
    {
        var table = File.ReadAllText(Environment.GetEnvironmentVariable("CKPT_API_TABLE"));
        return Regex.Matches(table, @"\n  [^\n]*\(\*(ckpt_\w+)\)").Cast<Match>().Select(match => match.Groups[1].Value).ToList();
    }

    private static List<string> ListedStructs()
    {
        var folder = Path.GetDirectoryName(Environment.GetEnvironmentVariable("CKPT_API_TABLE"));
        var headers = Directory.GetFiles(folder, "*.h").Where(header => Path.GetFileName(header) != "s3.h").Select(File.ReadAllText);
        var names = headers.SelectMany(text => Regex.Matches(text, @"#define (CKPT_\w+)_INIT\b").Cast<Match>())
                           .Select(match => match.Groups[1].Value.ToLowerInvariant()).ToList();
        Check.That(names.Count > 40, "structs: " + names.Count);
        return names;
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
        Check.That(listed.Count > 250, "functions: " + listed.Count);
        foreach (var name in listed)
        {
            if (noWrapper.ContainsKey(name)) Check.That(!functions.Contains(name), name + " is wrapped: strike it from noWrapper");
            else Check.That(functions.Contains(name), name + " has no wrapper");
        }
    }

    internal static void EveryFunctionIsUsed()
    {
        var folders = Environment.GetEnvironmentVariable("CKPT_CSHARP_SOURCES").Split(':');
        var text = string.Concat(folders.SelectMany(folder => Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories))
                                        .Select(File.ReadAllText));
        foreach (var name in Listed())
        {
            if (noWrapper.ContainsKey(name) || notCalled.ContainsKey(name)) continue;
            Check.That(Regex.IsMatch(text, @"native(PINVOKE)?\." + name + @"\b"), "the layer never uses " + name);
        }
        foreach (var name in ListedStructs())
        {
            if (noValues.ContainsKey(name)) continue;
            Check.That(Low(name) != null, name + ": the struct has no class");
            Check.That(Regex.IsMatch(text, @"new (Ckpt\.Interop\.)?" + name + @"\("), "the layer never makes " + name);
        }
    }

    internal static void ExceptionsHaveReasonsAndExist()
    {
        var listed = Listed();
        listed.AddRange(ListedStructs());
        foreach (var entry in noWrapper.Concat(notCalled).Concat(noValues))
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

    // Loads System.Xml.Linq too.
    private static readonly string[] ofTheReference = { "SaveOptions", "LoadOptions" };

    private static IEnumerable<Type> Given()
    {
        return typeof(CkptException).Assembly.GetExportedTypes().Where(type => Native(type) != null);
    }

    private static MethodInfo Native(Type type)
    {
        return type.GetMethods(BindingFlags.Static | BindingFlags.NonPublic).FirstOrDefault(method => method.Name == "Native");
    }

    private static object New(Type type)
    {
        return type == typeof(Step) ? new Step(null) : Activator.CreateInstance(type);
    }

    // Returns the numbers and addresses of the struct that an object is converted to, by the members' names.
    private static Dictionary<string, object> Numbers(object given, Ckpt.Interop.CallMemory memory)
    {
        return Numbers(Native(given.GetType()).Invoke(null, new[] { given, memory }));
    }

    private static Dictionary<string, object> Numbers(object native)
    {
        return native.GetType().GetProperties().Where(property => property.CanRead && !property.PropertyType.IsPointer)
            .ToDictionary(property => property.Name, property => property.GetValue(native));
    }

    internal static void OptionsHaveTheLibrarysDefaults()
    {
        var compared = 0;
        foreach (var type in Given())
        {
            using (var memory = new Ckpt.Interop.CallMemory())
            {
                var created = Numbers(New(type), memory);
                foreach (var member in Numbers(Activator.CreateInstance(Native(type).ReturnType)))
                    Check.Equal(member.Value, created[member.Key], type.Name + ": " + member.Key);
                compared += created.Count;
            }
        }
        Check.That(compared > 90, "compared: " + compared);
    }

    private static readonly string[] notOfStructs = { "LayerProfile.Name", "AsyncManagerOptions.CancelAtExit",
        "SaveOptions.CheckpointPrefix" };

    internal static void EveryOptionReachesTheLibrary()
    {
        var values = new Dictionary<Type, object>
        {
            { typeof(int), 7 }, { typeof(long), 7L }, { typeof(ulong), 7UL }, { typeof(double), 0.625 }, { typeof(string), "seven" },
            { typeof(long?), 7L }, { typeof(double?), 0.625 }, { typeof(TimeSpan), TimeSpan.FromSeconds(7) },
        };
        var reached = 0;
        foreach (var type in Given())
        {
            foreach (var property in type.GetProperties().Where(property => property.CanWrite && property.SetMethod.IsPublic))
            {
                var given = New(type);
                var before = property.GetValue(given);
                object value;
                if (property.PropertyType == typeof(bool)) value = !(bool)before;
                else if (property.PropertyType.IsEnum) value = Enum.ToObject(property.PropertyType, 7);
                else if (!values.TryGetValue(property.PropertyType, out value)) continue; // objects and arrays
                if (notOfStructs.Contains(type.Name + "." + property.Name)) continue;
                property.SetValue(given, value);
                using (var memory = new Ckpt.Interop.CallMemory())
                {
                    var created = Numbers(given, memory);
                    var changed = Numbers(New(type), memory).Count(member => !Equals(member.Value, created[member.Key]));
                    Check.That(changed == 1 || changed == 2 && Nullable.GetUnderlyingType(property.PropertyType) != null,
                        type.Name + "." + property.Name + " changes " + changed + " members");
                    Check.Contains(property.Name + "=", given.ToString(), "shown");
                    ++reached;
                }
            }
        }
        Check.That(reached > 80, "reached: " + reached);
    }

    // No public name conflicts with one of System.*: programs use both namespaces.
    internal static void NoNameConflictsWithSystem()
    {
        var platform = AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string;
        if (platform == null) return; // Mono
        var taken = new HashSet<string>();
        foreach (var path in platform.Split(':').Where(path => Path.GetFileName(path).StartsWith("System.")))
        {
            foreach (var type in Assembly.Load(AssemblyName.GetAssemblyName(path)).GetExportedTypes())
                if (type.Namespace != null && type.Namespace.StartsWith("System", StringComparison.Ordinal)) taken.Add(type.Name);
        }
        Check.That(taken.Contains("TimeoutException") && taken.Count > 3000, "System's names: " + taken.Count);
        var same = typeof(CkptException).Assembly.GetExportedTypes().Select(type => type.Name).Where(taken.Contains);
        Check.Equal("", string.Join(" ", same.Except(ofTheReference)), "names of System");
    }

    // An unknown number from a newer library is shown unchanged.
    internal static void UnknownConstantsAreNoError()
    {
        using (var info = new Ckpt.Interop.ckpt_checkpoint_task_info { kind = 77, state = 99 })
        {
            var created = new CheckpointTaskInfo(info);
            Check.Equal(99, (int)created.State, "state");
            Check.Contains("State=99", created.ToString(), "shown");
        }
        using (var decision = new Ckpt.Interop.ckpt_decision { reason = 1000, policy = -5 })
            Check.Equal(1000, (int)new Decision(decision).Reason, "reason");
        var error = CkptException.Of(-1000, "of a newer library");
        Check.Equal(typeof(CkptException), error.GetType(), "no subclass");
        Check.Equal("UNKNOWN", error.StatusName, "its name");
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
