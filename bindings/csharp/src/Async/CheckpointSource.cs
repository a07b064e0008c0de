using System;

namespace Ckpt
{
    /// <summary>Copies bytes of a tensor into buffer, for memory that the library cannot read itself. Called on the saving thread,
    /// or on others, several at once. What it throws fails the save.</summary>
    /// <param name="group">Of the tensor.</param>
    /// <param name="name">Of the tensor.</param>
    /// <param name="data">The tensor's address.</param>
    /// <param name="offset">Of the first byte.</param>
    /// <param name="buffer">To be filled; valid during the call only.</param>
    public delegate void CheckpointSource(string group, string name, IntPtr data, long offset, Span<byte> buffer);
}
