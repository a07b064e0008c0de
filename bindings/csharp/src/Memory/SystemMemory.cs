using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Physical memory that this process can have.</summary>
    public sealed class SystemMemory
    {
        private SystemMemory(ckpt_memory_system from)
        {
            TotalBytes = from.total_bytes;
            AvailableBytes = from.available_bytes;
            MachineBytes = from.machine_bytes;
            LimitBytes = from.limit_bytes == 0 ? (long?)null : from.limit_bytes;
        }

        /// <summary>Asks the system, control groups included.</summary>
        /// <returns>The numbers of this moment.</returns>
        public static SystemMemory Probe()
        {
            using (var system = new ckpt_memory_system())
            {
                native.ckpt_memory_probe(system);
                return new SystemMemory(system);
            }
        }

        /// <summary>Of the machine, at most the control group's limit.</summary>
        public long TotalBytes { get; }

        /// <summary>Can be had now without swapping.</summary>
        public long AvailableBytes { get; }

        /// <summary>Of the machine.</summary>
        public long MachineBytes { get; }

        /// <summary>The smallest limit of a control group that holds for this process; null: none.</summary>
        public long? LimitBytes { get; }
    }
}
