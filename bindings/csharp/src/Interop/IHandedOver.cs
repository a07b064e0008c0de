namespace Ckpt.Interop
{
    // A director whose native half the library deletes.
    internal interface IHandedOver
    {
        void NoLongerOwned();
    }
}
