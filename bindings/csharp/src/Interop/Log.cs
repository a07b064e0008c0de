namespace Ckpt.Interop
{
    internal sealed class Log : LogListener
    {
        private readonly LogHandler handler;

        internal Log(LogHandler handler)
        {
            this.handler = handler;
        }

        public override void message(int level, string component, string message)
        {
            handler((LogLevel)level, component, message);
        }
    }
}
