
namespace Ckpt
{
    /// <summary>Memory for tensors that is used again for the same size. Tensors keep their pool alive. Several threads may
    /// use it at once.</summary>
    public sealed partial class BufferPool : NativeObject
    {
    }
}
