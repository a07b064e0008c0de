using System;

namespace Ckpt.Interop
{
    // Calls that every rank of a run makes.
    internal static class Collective
    {
        // Converts the arguments of a call. If that throws, refuse makes the call with invalid arguments, so that the other ranks
        // fail at once; they would wait for this rank until their timeout.
        internal static void Prepare(Action convert, Action refuse)
        {
            try
            {
                convert();
            }
            catch (Exception)
            {
                try
                {
                    refuse();
                }
                catch (Exception)
                {
                    // The caller gets the error of the conversion.
                }
                throw;
            }
        }
    }
}
