namespace Ckpt.Interop
{
    // Statuses of failed calls as exceptions; the text is the library's.
    internal static class Errors
    {
        internal static void Check(int status)
        {
            if (status != native.CKPT_OK) throw CkptException.Of(status, native.ckpt_last_error());
        }

        internal static void CheckFetched()
        {
            Check(native.ckpt_csharp_fetched_status());
        }
    }
}
