// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Strategy
    {
        /// <summary>Returns another reference to the same strategy, to be disposed of separately.</summary>
        public Strategy Share()
        {
            return new Strategy(Shared(Handle, native.ckpt_strategy_retain, native.ckpt_strategy_release));
        }

        /// <summary>Reports that the layer's activation was used. Smart counts it for known layers; composites notify their
        /// children. Executors call this; call it if the program runs layers without an executor.</summary>
        public void ObserveAccess(string layerName)
        {
            native.ckpt_strategy_observe_access(Handle, layerName);
        }

        /// <summary>Returns the strategy's name, for example "Interval(2)", "SizeBased(1MB)" or "Any(Smart,
        /// Interval(8))".</summary>
        public string Name
        {
            get
            {
                return native.ckpt_strategy_get_name(Handle);
            }
        }

        /// <summary>Resets the strategy to its state after creation, counters included; for a composite its children, too. The
        /// meaning of a yes stays as set.</summary>
        public void Reset()
        {
            native.ckpt_strategy_reset(Handle);
        }

        /// <summary>Gets or sets the meaning of a yes: <see cref="StrategyChosen.Recompute"/> or
        /// <see cref="StrategyChosen.Boundary"/>.</summary>
        public StrategyChosen Chosen
        {
            get
            {
                int value;
                native.ckpt_strategy_get_chosen(Handle, out value);
                return (StrategyChosen)value;
            }
            set
            {
                native.ckpt_strategy_set_chosen(Handle, (int)value);
            }
        }

        /// <summary>Returns the strategy's counters: a snapshot while other threads ask.</summary>
        public StrategyCounters GetCounters()
        {
            return StrategyCounters.Filled(filled => native.ckpt_strategy_get_counters(Handle, filled));
        }

        /// <summary>Returns the strategy's configuration.</summary>
        public StrategyInfo GetInfo()
        {
            return StrategyInfo.Filled(filled => native.ckpt_strategy_get_info(Handle, filled));
        }

        /// <summary>Returns the name, glob or rule at index (0 .. count - 1 of that list in <see cref="StrategyInfo"/>; else
        /// <see cref="CkptStatus.OutOfRange"/>) as it was set. list: <see cref="StrategyList.Names"/>,
        /// <see cref="StrategyList.Excluded"/> or <see cref="StrategyList.Rules"/>.</summary>
        public string GetPattern(StrategyList list, long index)
        {
            IntPtr value;
            native.ckpt_strategy_get_pattern(Handle, (int)list, index, out value);
            var text = Utf8.Text(value);
            GC.KeepAlive(this);
            return text;
        }

        /// <summary>Returns a new reference to the child at index (0 .. <c>ChildrenCount</c> - 1, else
        /// <see cref="CkptStatus.OutOfRange"/>), to be released; the last child of first is the fallback.</summary>
        public Strategy GetChild(long index)
        {
            return new Strategy(Created((out IntPtr created) =>
                native.ckpt_strategy_get_child(Handle, index, out created), native.ckpt_strategy_release));
        }

        /// <summary>Returns the text from which <c>Strategy.Create</c> creates an equal strategy. The text does not contain the
        /// meaning of a yes. <see cref="CkptStatus.Unsupported"/> for objects that text cannot express, which the message names:
        /// custom strategies, a tracker and a clock. <see cref="CkptStatus.OutOfRange"/> above 16 MiB, which is possible with
        /// shared children.</summary>
        public string Text
        {
            get
            {
                return native.ckpt_strategy_get_text(Handle);
            }
        }

        /// <summary>Unregisters a kind; strategies created with it stay valid. <see cref="CkptStatus.NotFound"/> for any other
        /// name. Synchronized.</summary>
        public static void Unregister(string name)
        {
            native.ckpt_strategy_unregister(name);
        }
    }
}
