using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Kinds of actions of a schedule. Memory changes only at actions.</summary>
    public enum ActionKind
    {
        /// <summary>No action.</summary>
        None = 0,
        /// <summary>Runs layers without recording; keeps nothing between.</summary>
        Forward = native.CKPT_ACTION_KIND_FORWARD,
        /// <summary>The same, recording: makes the tape and the output of each layer.</summary>
        ForwardTape = native.CKPT_ACTION_KIND_FORWARD_TAPE,
        /// <summary>Layers backwards, from the last to the first.</summary>
        Backward = native.CKPT_ACTION_KIND_BACKWARD,
        /// <summary>Begins to copy an item into a slot of a tier.</summary>
        StoreBegin = native.CKPT_ACTION_KIND_STORE_BEGIN,
        /// <summary>Begins to copy it back.</summary>
        LoadBegin = native.CKPT_ACTION_KIND_LOAD_BEGIN,
        /// <summary>Waits for a transfer.</summary>
        Await = native.CKPT_ACTION_KIND_AWAIT,
        /// <summary>Ends an item, or what a slot holds.</summary>
        Drop = native.CKPT_ACTION_KIND_DROP,
        /// <summary>Hands a copy of an item to a neighbour stage.</summary>
        Send = native.CKPT_ACTION_KIND_SEND,
        /// <summary>Takes an item from a neighbour stage.</summary>
        Receive = native.CKPT_ACTION_KIND_RECEIVE,
        /// <summary>The forward part ends.</summary>
        Turn = native.CKPT_ACTION_KIND_TURN,
        /// <summary>The step ends.</summary>
        End = native.CKPT_ACTION_KIND_END,
    }
}
