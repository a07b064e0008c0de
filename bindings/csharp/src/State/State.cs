using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The data to save and restore: groups of named tensors, and JSON values by key. Tensors are shared, not copied: a
    /// save reads and a load writes their memory. Use from one thread at a time, and not while a save or load uses it.</summary>
    public sealed unsafe partial class State : NativeObject
    {
        /// <summary>Key of the position in the data, which is a separate field of the manifest.</summary>
        public const string DataPosition = native.CKPT_STATE_DATA_POSITION;

        /// <summary>Key of a controller's state, which is a separate field of the manifest.</summary>
        public const string Controller = native.CKPT_STATE_CONTROLLER;

        /// <summary>Adds an array, which is pinned while the state or a save of it needs it: a load fills it in place.</summary>
        /// <typeparam name="T">A number, or bool.</typeparam>
        /// <param name="group">Stored in a separate file; at most 64 bytes.</param>
        /// <param name="name">Not blank.</param>
        /// <param name="elements">Shared, not copied.</param>
        /// <param name="shape">None: one dimension.</param>
        /// <returns>This state.</returns>
        public State Add<T>(string group, string name, Memory<T> elements, params long[] shape) where T : struct
        {
            using (var tensor = Tensor.Borrow(elements, shape)) return Add(group, name, tensor);
        }

        /// <summary>Adds one block of this rank to a tensor of AddShardedTensor. Two ranks may have the same block; other blocks
        /// must not overlap. Throws CkptOutOfRangeException when it exceeds the tensor.</summary>
        /// <param name="group">Group of that tensor.</param>
        /// <param name="name">Name of that tensor.</param>
        /// <param name="offsets">Where the block begins in each dimension.</param>
        /// <param name="tensor">The block: shared, not copied; its shape is the block's lengths.</param>
        /// <returns>This state.</returns>
        public State AddBlock(string group, string name, long[] offsets, Tensor tensor)
        {
            if (offsets == null) throw new ArgumentNullException("offsets");
            fixed (long* places = offsets)
                native.ckpt_state_add_block(Handle, group, name, places, offsets.Length, HandleOf(tensor));
            return this;
        }

        /// <summary>Adds one block of this rank from an array, which is pinned while the state or a save of it needs it: a load
        /// fills it in place.</summary>
        /// <typeparam name="T">A number, or bool.</typeparam>
        /// <param name="group">Group of that tensor.</param>
        /// <param name="name">Name of that tensor.</param>
        /// <param name="offsets">Where the block begins in each dimension.</param>
        /// <param name="elements">Shared, not copied.</param>
        /// <param name="shape">The block's lengths; none: one dimension.</param>
        /// <returns>This state.</returns>
        public State AddBlock<T>(string group, string name, long[] offsets, Memory<T> elements, params long[] shape) where T : struct
        {
            using (var block = Tensor.Borrow(elements, shape)) return AddBlock(group, name, offsets, block);
        }

        /// <summary>Adds a chain's parameters under their names.</summary>
        /// <param name="chain">The chain; its memory is shared.</param>
        /// <param name="group">Stored in a separate file.</param>
        /// <returns>This state.</returns>
        public State Add(Chain chain, string group = "model")
        {
            if (chain == null) throw new ArgumentNullException("chain");
            foreach (var parameter in chain.Parameters()) Add(group, parameter.Name, parameter.Value);
            return this;
        }

        /// <summary>Adds an optimizer's tensors under their names; the caller stores its number of steps.</summary>
        /// <param name="optimizer">The optimizer; its memory is shared.</param>
        /// <param name="group">Stored in a separate file.</param>
        /// <returns>This state.</returns>
        public State Add(Optimizer optimizer, string group = "optimizer")
        {
            if (optimizer == null) throw new ArgumentNullException("optimizer");
            foreach (var tensor in optimizer.Tensors()) Add(group, tensor.Key, tensor.Value);
            return this;
        }

        /// <summary>Creates a state of a model and an optional optimizer: groups "model" and "optimizer".</summary>
        /// <param name="model">The model; its memory is shared.</param>
        /// <param name="optimizer">The optimizer; the caller stores its number of steps. null: none.</param>
        public static State Of(Chain model, [AllowNull] Optimizer optimizer = null)
        {
            var state = new State().Add(model);
            return optimizer == null ? state : state.Add(optimizer);
        }

        /// <summary>Creates a state of a model and an optional optimizer that list their contents.</summary>
        /// <param name="model">Lists the model.</param>
        /// <param name="optimizer">Lists the optimizer; null: none.</param>
        public static State Of(IStateful model, [AllowNull] IStateful optimizer = null)
        {
            var state = new State().Add("model", model);
            return optimizer == null ? state : state.Add("optimizer", optimizer);
        }

        /// <summary>Adds a stateful object, which is kept alive as long as a state holds it.</summary>
        /// <param name="name">At most 32 bytes, no '.'; its groups are "name.group".</param>
        /// <param name="stateful">The object.</param>
        /// <returns>This state.</returns>
        public State Add(string name, IStateful stateful)
        {
            if (stateful == null) throw new ArgumentNullException("stateful");
            native.ckpt_state_add_stateful(Handle, name, new StatefulCalls { stateful = stateful });
            return this;
        }

        /// <summary>The keys that have a value, in order.</summary>
        public IReadOnlyList<string> Keys
        {
            get
            {
                var keys = new string[Get<long>(native.ckpt_state_get_key_count)];
                for (var i = 0; i < keys.Length; ++i) keys[i] = native.ckpt_state_get_key(Handle, i);
                return keys;
            }
        }

        /// <summary>Gets or sets the value of a key, as JSON.</summary>
        /// <param name="key">Not blank.</param>
        /// <returns>One JSON value; reading a key without one throws CkptNotFoundException.</returns>
        public string this[string key]
        {
            get { return native.ckpt_state_get_json(Handle, key); }
            set { native.ckpt_state_set_json(Handle, key, value); }
        }

        /// <summary>Returns the value of a key, or null.</summary>
        /// <param name="key">Not blank.</param>
        /// <returns>One JSON value, or null.</returns>
        [return: MaybeNull]
        public string Find(string key)
        {
            try
            {
                return this[key];
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Stores a value of any shape as a separate group, which replaces a value of this group: null, truth values,
        /// numbers, strings, byte[] (bytes), other arrays of numbers (copied), tensors (shared), and dictionaries and lists of
        /// these. Read it with Reader.Get; a load into this state fills its tensors and replaces everything else.</summary>
        /// <param name="group">Stored in a separate file; at most 64 bytes.</param>
        /// <param name="value">Copied, except for its tensors. A value that cannot be stored throws CkptUnsupportedException with
        /// its keys. DBNull represents null as a key.</param>
        /// <returns>This state.</returns>
        public State Set(string group, [AllowNull] object value)
        {
            Trees.Set(this, group, value);
            return this;
        }

        /// <summary>Returns the value of a group. Throws CkptNotFoundException when the group is not such a value.</summary>
        /// <typeparam name="T">As for Reader.Get.</typeparam>
        /// <param name="group">A group that Set stored.</param>
        /// <returns>The value, with the state's tensors.</returns>
        [return: MaybeNull]
        public T Get<T>(string group) => Trees.Get<T>(this, group);

        /// <summary>Returns a report of the last load: the missing, unexpected and unusable tensors, and the keys with values that
        /// differed between the ranks, so that each rank kept its own, as JSON.</summary>
        /// <returns>{"missing":[{"group":...,"name":...}],"unexpected":[],"skipped":[],"by_rank":[]}.</returns>
        public string GetLoadReport() => native.ckpt_state_get_load_report(Handle);
    }

    /// <summary>An object that lists its tensors and values for every save and load. Both methods run on the thread that saves or
    /// loads; if one throws, the save or load fails with CkptCallbackException. They must not use the states and checkpoints
    /// that are saving or loading.</summary>
    public interface IStateful
    {
        /// <summary>Adds tensors and values.</summary>
        /// <param name="into">An empty state, valid during the call only.</param>
        void List(State into);

        /// <summary>Called after a load has filled the tensors.</summary>
        /// <param name="loaded">Holds the values; valid during the call only.</param>
        void Restore(State loaded);
    }
}
