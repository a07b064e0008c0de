
namespace Ckpt
{
    /// <summary>Reuses the memory of tensors for others of the same size. Tensors keep their pool alive. Several threads may
    /// use it at once.</summary>
    public sealed partial class BufferPool : NativeObject
    {
    }
}
