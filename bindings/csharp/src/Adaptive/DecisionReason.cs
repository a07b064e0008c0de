using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>Why a controller answers as it does.</summary>
    public enum DecisionReason
    {
        /// <summary>No: it is too early.</summary>
        NotDue = native.CKPT_REASON_NOT_DUE,
        /// <summary>Yes: this poll is the nearest to the target.</summary>
        Due = native.CKPT_REASON_DUE,
        /// <summary>Yes: early, to learn what a save costs.</summary>
        FirstSave = native.CKPT_REASON_FIRST_SAVE,
        /// <summary>Yes, by the threshold rule.</summary>
        TaskIsLong = native.CKPT_REASON_TASK_IS_LONG,
        /// <summary>No, by the threshold rule, or it has no slot left.</summary>
        TaskIsShort = native.CKPT_REASON_TASK_IS_SHORT,
        /// <summary>No: the save before is not durable yet.</summary>
        SaveInFlight = native.CKPT_REASON_SAVE_IN_FLIGHT,
        /// <summary>No: not in this window.</summary>
        BudgetIsSpent = native.CKPT_REASON_BUDGET_IS_SPENT,
        /// <summary>Yes: the process will be ended.</summary>
        Preemption = native.CKPT_REASON_PREEMPTION,
        /// <summary>No: it will be ended before a save could be durable.</summary>
        PreemptionShort = native.CKPT_REASON_PREEMPTION_SHORT,
        /// <summary>No: it will be ended, and a save after the notice is durable.</summary>
        PreemptionSaved = native.CKPT_REASON_PREEMPTION_SAVED,
    }
}
