using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Ckpt;

// The conformance runner of C#; see bindings/conformance/README.md.
internal static class Program
{
    internal static int Main(string[] words)
    {
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        Console.SetOut(output);
        Console.SetError(new StreamWriter(Console.OpenStandardError(), new UTF8Encoding(false)) { AutoFlush = true });
        try
        {
            if (words.Length == 2 && words[0] == "write") return Matrix.Write(words[1]);
            if (words.Length == 2 && words[0] == "read") return Matrix.Read(words[1]);
            if (words.Length == 2 && words[0] == "write-trees") return Matrix.WriteTrees(words[1]);
            if (words.Length == 2 && words[0] == "read-trees") return Matrix.ReadTrees(words[1]);
            if (words.Length < 3
                || words[0] != "run") throw new MisuseException("usage: runner run SCRATCH FILE... | write DIR | read DIR");
            var run = new Run(words[1]);
            foreach (var path in words.Skip(2)) run.File(path);
            return run.Report() ? 0 : 1;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error is MisuseException ? error.Message : error.ToString());
            return 2;
        }
    }
}

// Runs files and counts scenarios, commands and failures.
internal sealed class Run
{
    private readonly string scratch;
    private string path;
    private Scenario scenario;
    private List<string> printed = new List<string>();
    private string detail = "";
    private int number;
    private int commandLine;
    private int scenarios;
    private int commands;
    private int wrong;

    internal Run(string scratch)
    {
        this.scratch = scratch;
    }

    internal void File(string file)
    {
        path = file;
        number = 0;
        var expected = new List<string>();
        foreach (var line in System.IO.File.ReadAllLines(file, new UTF8Encoding(false)))
        {
            ++number;
            if (line.Length == 0 || line[0] == '#') continue;
            if (line == "=" || line.StartsWith("= ", StringComparison.Ordinal))
            {
                expected.Add(line.Length < 2 ? "" : line.Substring(2));
                continue;
            }
            Compare(expected);
            expected.Clear();
            Console.WriteLine(line);
            if (line.StartsWith("== ", StringComparison.Ordinal))
            {
                Close();
                scenario = new Scenario(scratch + "/" + ++scenarios);
            }
            else
            {
                Execute(line);
            }
        }
        Compare(expected);
        Close();
    }

    internal bool Report()
    {
        Console.WriteLine(scenarios + " scenarios, " + commands + " commands, " + wrong + " wrong");
        return wrong == 0 && commands > 0;
    }

    private void Close()
    {
        if (scenario != null) scenario.Dispose();
        scenario = null;
    }

    private void Execute(string line)
    {
        ++commands;
        commandLine = number;
        if (scenario == null) throw new MisuseException(Where() + "a command before the first scenario");
        try
        {
            var command = new Command(line);
            printed = scenario.Run(command).ToList();
            command.CheckAllUsed();
        }
        catch (CkptException error)
        {
            printed = new List<string> { "error " + error.StatusName };
            detail = error.Message;
        }
        catch (MisuseException error)
        {
            throw new MisuseException(Where() + error.Message);
        }
        catch (Exception error)
        {
            throw new MisuseException(Where() + error);
        }
        foreach (var text in printed) Console.WriteLine("= " + text);
    }

    private void Compare(List<string> expected)
    {
        if (!printed.SequenceEqual(expected))
        {
            ++wrong;
            Console.Error.WriteLine(Where() + "wrong. Expected:");
            foreach (var text in expected) Console.Error.WriteLine("  = " + text);
            Console.Error.WriteLine("printed:");
            foreach (var text in printed) Console.Error.WriteLine("  = " + text);
            if (detail != "") Console.Error.WriteLine("  (" + detail + ")");
        }
        printed = new List<string>();
        detail = "";
    }

    private string Where()
    {
        return path + ":" + commandLine + ": ";
    }
}
