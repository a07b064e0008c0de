// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;

namespace Ckpt
{
    public abstract partial class CustomStorage
    {
        /// <summary>Creates a new, empty file and opens it for writing; <see cref="CkptStatus.AlreadyExists"/> if the name
        /// exists.</summary>
        public abstract object Create(string path);

        /// <summary>Opens an existing file for reading.</summary>
        public abstract object Open(string path);

        /// <summary>Closes a file; bytes that were not synced may be lost.</summary>
        public abstract void Close(object file);

        /// <summary>Returns the length of an open file.</summary>
        public abstract long FileSize(object file);

        /// <summary>Reads bytes at offset into buffer; returns the number of bytes read, fewer only at the end of the
        /// file.</summary>
        public abstract int Read(object file, long offset, Span<byte> buffer);

        /// <summary>Writes all bytes at offset, which may be before, at or after the end of the file.</summary>
        public abstract void Write(object file, long offset, ReadOnlySpan<byte> buffer);

        /// <summary>Makes all bytes written to the file durable: returns only when all of them are. Not called again after an
        /// error.</summary>
        public abstract void Sync(object file);

        /// <summary>Renames a file or directory atomically; replaces an existing file of the new name.</summary>
        public abstract void Rename(string from, string to);

        /// <summary>Removes a file.</summary>
        public abstract void Remove(string path);

        /// <summary>Removes an empty directory; <see cref="CkptStatus.AlreadyExists"/> if it is not empty.</summary>
        public abstract void RemoveDirectory(string path);

        /// <summary>Creates one directory; its parent exists.</summary>
        public abstract void MakeDirectory(string path);

        /// <summary>Makes created, renamed and removed names in a directory durable.</summary>
        public abstract void SyncDirectory(string path);

        /// <summary>Lists a directory: returns each name in the directory at path, in any order, without "." and "..". The
        /// operation fails with <see cref="CkptStatus.Callback"/> if a name is listed twice or is not a single path
        /// component.</summary>
        public abstract IEnumerable<StorageEntry> List(string path);

        /// <summary>Returns the length of the regular file at path; <see cref="CkptStatus.InvalidArgument"/> for anything
        /// else.</summary>
        public abstract long Size(string path);

        /// <summary>Takes an exclusive lock on a path; <see cref="CkptStatus.Busy"/> at once if another process or storage holds
        /// it.</summary>
        public abstract object Lock(string path);

        /// <summary>Releases a lock. Not called in a forked child: the lock remains with the parent.</summary>
        public abstract void Unlock(object held);
    }

    public abstract partial class CustomObjects
    {
        /// <summary>Creates a new file that is written without gaps from front to back, then synced once, and opens it.
        /// expectedBytes: estimated size of the file in bytes; 0: not known.</summary>
        public abstract object CreateStream(string path, long expectedBytes);

        /// <summary>Creates a complete, durable file of these bytes if path does not exist; <see cref="CkptStatus.AlreadyExists"/>
        /// if it does, and the existing file stays unchanged. Atomic: of several concurrent callers, in any process, one succeeds.
        /// <see cref="CkptStatus.Unsupported"/> if the storage cannot do this.</summary>
        public abstract void PutIfAbsent(string path, ReadOnlySpan<byte> buffer);

        /// <summary>Lists files by their full paths: returns each file with a path that begins with prefix and is greater than
        /// after ("": all), in ascending order of the paths' bytes, for at most limit (&gt;= 1) files. The operation fails with
        /// <see cref="CkptStatus.Callback"/> if a path is listed twice, out of order, or without the prefix, or leaves the
        /// root.</summary>
        public abstract IEnumerable<StorageObject> ListFrom(string prefix, string after, long limit);

        /// <summary>An object store has no Rename: not called.</summary>
        public sealed override void Rename(string from, string to)
        {
            throw new CkptUnsupportedException("an object store has no Rename");
        }

        /// <summary>An object store has no RemoveDirectory: not called.</summary>
        public sealed override void RemoveDirectory(string path)
        {
            throw new CkptUnsupportedException("an object store has no RemoveDirectory");
        }

        /// <summary>An object store has no MakeDirectory: not called.</summary>
        public sealed override void MakeDirectory(string path)
        {
            throw new CkptUnsupportedException("an object store has no MakeDirectory");
        }

        /// <summary>An object store has no SyncDirectory: not called.</summary>
        public sealed override void SyncDirectory(string path)
        {
            throw new CkptUnsupportedException("an object store has no SyncDirectory");
        }

        /// <summary>An object store has no List: not called.</summary>
        public sealed override IEnumerable<StorageEntry> List(string path)
        {
            throw new CkptUnsupportedException("an object store has no List");
        }

        /// <summary>An object store has no Lock: not called.</summary>
        public sealed override object Lock(string path)
        {
            throw new CkptUnsupportedException("an object store has no Lock");
        }

        /// <summary>An object store has no Unlock: not called.</summary>
        public sealed override void Unlock(object held)
        {
            throw new CkptUnsupportedException("an object store has no Unlock");
        }
    }

    public abstract partial class CustomLayer
    {
        /// <summary>Returns dtype and shape of the output for an input; refuses an input by an exception. Called once when an
        /// executor, a profile or a pipeline is created, and not in a step unless <see cref="RecomputeCheck.Metadata"/> is set: an
        /// invalid dtype or shape is <see cref="CkptStatus.InvalidArgument"/>. Runs on the thread that creates or runs that object;
        /// may block; calls of that executor and its chain return <see cref="CkptStatus.InvalidState"/>. An exception fails the
        /// operation with <see cref="CkptStatus.Callback"/>.</summary>
        public abstract TensorSpec Output(TensorSpec input);

        /// <summary>Computes the output; must produce the same bits with and without tape, and in each run if the layer is
        /// deterministic.</summary>
        public abstract void Forward(LayerContext context, ReadOnlySpan<byte> input, Span<byte> output, Span<byte> tape,
            Span<byte> workspace);

        /// <summary>Computes gradInput from gradOutput, and adds to the gradients of the layer's parameters. Buffers are 64-byte
        /// aligned and borrowed for the call; the contents of output buffers are undefined. A reference is null for 0 bytes, and
        /// for an input or output that the flags do not request. Runs on the thread that runs the executor (or the profiler), one
        /// at a time for one executor; may block; calls of that executor and its chain return
        /// <see cref="CkptStatus.InvalidState"/>. An exception fails the operation with
        /// <see cref="CkptStatus.Callback"/>.</summary>
        public abstract void Backward(LayerContext context, ReadOnlySpan<byte> input, ReadOnlySpan<byte> output,
            ReadOnlySpan<byte> tape, ReadOnlySpan<byte> gradOutput, Span<byte> gradInput, Span<byte> workspace);
    }

    public abstract partial class CustomCoordinator
    {
        /// <summary>Waits until every process has called it. <see cref="CkptStatus.Timeout"/> if not all have called it within
        /// timeout.</summary>
        public abstract void Barrier(TimeSpan timeout);

        /// <summary>Sends root's bytes to all processes: data is read on root and written on the others.
        /// <see cref="CkptStatus.Timeout"/> if not all have called it within timeout.</summary>
        public abstract void Broadcast(Span<byte> data, long root, TimeSpan timeout);

        /// <summary>Sends the bytes of every process to all: received holds <c>WorldSize</c> * bytes bytes, in the order of ranks.
        /// <see cref="CkptStatus.Timeout"/> if not all have called it within timeout.</summary>
        public abstract void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout);
    }

    public abstract partial class Framework<T>
    {
        /// <summary>Runs layers first .. last-1 forward under one option, recording nothing; input is
        /// <see cref="Item.Input"/>(first). Returns <see cref="Item.Input"/>(last), a handle that is not live (input itself only
        /// with TAKE_INPUT). Runs on the thread that runs the step; may block; calls of its driver, other than to cancel, finalize
        /// or release it, return <see cref="CkptStatus.InvalidState"/>. An exception fails the step with
        /// <see cref="CkptStatus.Callback"/>.</summary>
        public abstract T Forward(DriveCall call, T input);

        /// <summary>Runs layer first backward. input is <see cref="Item.Input"/>(first) and output is
        /// <see cref="Item.Input"/>(last), each null if it does not exist. The callback takes over tape and gradOutput,
        /// <see cref="Item.Grad"/>(last), also if it fails; each may be null, as it was passed to the driver. Returns
        /// <see cref="Item.Grad"/>(first), null for none. Threads, calls and failure as for forward.</summary>
        public abstract T Backward(DriveCall call, T input, T output, T tape, T gradOutput);

        /// <summary>Ends the forward part in <c>Driver.Run</c>: output is the chain's, <see cref="Item.Input"/>(n). Returns
        /// <see cref="Item.Grad"/>(n), null for none. Threads, calls and failure as for forward.</summary>
        public virtual T Turn(DriveCall call, T output)
        {
            throw new NotSupportedException("Turn is not implemented");
        }

        /// <summary>Begins to copy an item into (tier, slot). The handle stays valid until the <see cref="ActionKind.Await"/> of
        /// this transfer has returned. Threads, calls and failure as for forward; a failed call has begun no transfer.</summary>
        public virtual void Store(DriveCall call, T item)
        {
            throw new NotSupportedException("Store is not implemented");
        }

        /// <summary>Begins to copy the item in (tier, slot) back into memory: returns the new handle, which is used after the
        /// <see cref="ActionKind.Await"/> of this transfer. The slot keeps its item. Threads, calls and failure as for forward; a
        /// failed call has begun no transfer.</summary>
        public virtual T Load(DriveCall call)
        {
            throw new NotSupportedException("Load is not implemented");
        }

        /// <summary>Waits until a transfer has ended: called exactly once for each transfer that was begun, also in a step that
        /// fails (its return value is then ignored). Threads, calls and failure as for forward.</summary>
        public virtual void Await(DriveCall call)
        {
            throw new NotSupportedException("Await is not implemented");
        }
    }
}

namespace Ckpt.Interop
{
    // Forwards the library's calls to a CustomStorage.
    internal sealed unsafe partial class StorageCalls : StorageFunctions
    {
        private readonly CustomStorage functions;
        private readonly CustomObjects objects; // null: none

        internal StorageCalls(CustomStorage functions)
        {
            this.functions = functions;
            objects = functions as CustomObjects;
        }

        public override long create(string path)
        {
            return Number(functions.Create(path));
        }

        public override long open(string path)
        {
            return Number(functions.Open(path));
        }

        public override void close(long file)
        {
            functions.Close(Taken(file));
        }

        public override long file_size(long file)
        {
            return functions.FileSize(files[file]);
        }

        public override long read(long file, long offset, IntPtr buffer)
        {
            return functions.Read(files[file], offset, NativeBytes.Of(buffer));
        }

        public override void write(long file, long offset, IntPtr buffer)
        {
            functions.Write(files[file], offset, NativeBytes.Of(buffer));
        }

        public override void sync(long file)
        {
            functions.Sync(files[file]);
        }

        public override void rename(string from, string to)
        {
            functions.Rename(from, to);
        }

        public override void remove(string path)
        {
            functions.Remove(path);
        }

        public override void remove_directory(string path)
        {
            functions.RemoveDirectory(path);
        }

        public override void make_directory(string path)
        {
            functions.MakeDirectory(path);
        }

        public override void sync_directory(string path)
        {
            functions.SyncDirectory(path);
        }

        public override void list(string path, Listing listing)
        {
            foreach (var one in functions.List(path))
            {
                listing.add(one.Name, one.IsDirectory);
                Errors.CheckFetched();
            }
        }

        public override long size(string path)
        {
            return functions.Size(path);
        }

        public override long lock_(string path)
        {
            return Number(functions.Lock(path));
        }

        public override void unlock(long file)
        {
            functions.Unlock(Taken(file));
        }

        public override long create_stream(string path, long expectedBytes)
        {
            return Number(objects.CreateStream(path, expectedBytes));
        }

        public override void put_if_absent(string path, IntPtr buffer)
        {
            objects.PutIfAbsent(path, NativeBytes.Of(buffer));
        }

        public override void read_ranges(long file, RangeList ranges)
        {
            var pieces = new StorageRange[ranges.count()];
            for (var i = 0; i < pieces.Length; ++i) pieces[i] = new StorageRange(ranges.offset(i), *(NativeBytes*)ranges.buffer(i));
            objects.ReadRanges(files[file], pieces);
        }

        public override void list_from(string prefix, string after, long limit, ObjectListing listing)
        {
            foreach (var one in objects.ListFrom(prefix, after, limit))
            {
                listing.add(one.Path, one.Bytes);
                Errors.CheckFetched();
            }
        }

        public override void remove_many(PathList paths)
        {
            var pieces = new string[paths.count()];
            for (var i = 0; i < pieces.Length; ++i) pieces[i] = paths.path(i);
            objects.RemoveMany(pieces);
        }
    }

    // Forwards the library's calls to a CustomCoordinator.
    internal sealed unsafe partial class CoordinatorCalls : CoordinatorFunctions
    {
        private readonly CustomCoordinator functions;

        internal CoordinatorCalls(CustomCoordinator functions)
        {
            this.functions = functions;
        }

        public override void barrier(long timeout)
        {
            functions.Barrier(Times.OfNanoseconds(timeout));
        }

        public override void broadcast(IntPtr data, long root, long timeout)
        {
            functions.Broadcast(NativeBytes.Of(data), root, Times.OfNanoseconds(timeout));
        }

        public override void all_gather(IntPtr sent, IntPtr received, long timeout)
        {
            functions.AllGather(NativeBytes.Of(sent), NativeBytes.Of(received), Times.OfNanoseconds(timeout));
        }

        public override void gather(IntPtr sent, IntPtr received, long root, long timeout)
        {
            functions.Gather(NativeBytes.Of(sent), NativeBytes.Of(received), root, Times.OfNanoseconds(timeout));
        }
    }
}
