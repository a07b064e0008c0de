/* engine.h - layers on BLAS, chains of them, the profiler, the executor that runs any schedule, optimizers.
 *
 *   const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {8, 4}};           a batch of 8 samples of 4 numbers
 *   ckpt_step step = CKPT_STEP_INIT;
 *   ckpt_chain_create(0, &chain);
 *   ckpt_layer_create("linear", "linear:4,2", &linear);
 *   ckpt_layer_create("loss", "softmax_cross_entropy", &loss_layer);
 *   ckpt_chain_add(chain, linear);
 *   ckpt_chain_add(chain, loss_layer);
 *   ckpt_chain_initialize(chain, 1);
 *   ckpt_profile_create_from_chain(chain, &input, 0, NULL, &profile);
 *   ckpt_schedule_create(profile, "store-all", &schedule);                or "auto:512MiB", within a budget
 *   ckpt_schedule_executor_create(chain, schedule, &input, NULL, &executor);
 *   step.input = x, step.targets = classes;
 *   ckpt_schedule_executor_run(executor, &step, &loss);                   the parameters of chain have their gradients
 *
 * The contract: losses and gradients under every schedule equal those of store-all bit for bit, for any number of threads. Every
 * layer splits its work into parts that depend only on its shapes, and every BLAS call is single-threaded. Dropout is keyed by
 * (seed, step, layer, sample). So recomputing a layer produces the same bits.
 *
 * OpenBLAS is loaded at the first use of a layer that needs it; a process that never uses such a layer never loads a BLAS.
 *
 * A beginner needs:
 *
 *   ckpt_layer_create, ckpt_chain_create, ckpt_chain_add, ckpt_chain_initialize
 *   ckpt_schedule_executor_create, ckpt_schedule_executor_run
 *   ckpt_optimizer_create_adamw, ckpt_optimizer_step
 *   ckpt_schedule_executor_get_stats     memory and time of a step
 *   the release function of each
 */
#ifndef CKPT_ENGINE_H
#define CKPT_ENGINE_H

#include <ckpt/base.h>
#include <ckpt/memory.h>
#include <ckpt/plan.h>
#include <ckpt/storage.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- BLAS ---------------------------------------------------------------------------------------------------------------- */

/* Computes the row-major matrix product C = alpha * op(A) * op(B) + beta * C of floats, with the arguments of cblas_sgemm: order is
 * 101 (row-major), trans 111 (no) or 112 (yes). Must be single-threaded while the engine runs, and produce the same bits for the
 * same shapes. */
typedef void (*ckpt_sgemm_fn)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                              const float* b, int ldb, float beta, float* c, int ldc);

/* Computes the row-major matrix product C = alpha * op(A) * op(B) + beta * C of doubles, with the arguments of cblas_dgemm: order
 * is 101 (row-major), trans 111 (no) or 112 (yes). Must be single-threaded while the engine runs, and produce the same bits for the
 * same shapes. */
typedef void (*ckpt_dgemm_fn)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda,
                              const double* b, int ldb, double beta, double* c, int ldc);

/* A BLAS of the host program that is used instead of OpenBLAS. */
typedef struct ckpt_blas {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  ckpt_bool concurrent; /* 1: may be called from several threads at once; 0: calls are serialized */
  ckpt_sgemm_fn sgemm;  /* matrix product of 32-bit floating-point numbers */
  ckpt_dgemm_fn dgemm;  /* matrix product of 64-bit floating-point numbers */
  const char* name;     /* name of the BLAS, for display; copied; NULL: no name */
} ckpt_blas;

#define CKPT_BLAS_INIT \
  { sizeof(ckpt_blas), 0, 0, 0, 0 }

/* Uses the caller's BLAS in this process. Its functions must stay valid until the process ends. INVALID_STATE once a BLAS is in
 * use. */
CKPT_API ckpt_status ckpt_blas_set(const ckpt_blas* blas);

/* Loads the BLAS now (OpenBLAS: the file that the environment variable CKPT_OPENBLAS names, else libopenblas.so.0). Writes its
 * name, version and core as a string: (buffer, capacity, *needed) as in ckpt.h. If this processor can run a wider set of OpenBLAS's
 * kernels than the one in use, the string continues after a semicolon with the names of both. This does not depend on environment
 * variables. One warning is logged when the BLAS is loaded. Nothing is added for the BLAS of ckpt_blas_set. NOT_FOUND if OpenBLAS
 * is missing; the message lists the files that were tried. FORKED, as from every function that needs a matrix product, in a child
 * that was forked while another thread loaded the BLAS. */
CKPT_API ckpt_status ckpt_blas_get_info(char* buffer, int64_t capacity, int64_t* needed);

/* Loads OpenBLAS now, with the given set of its kernels. Without this call OpenBLAS chooses a set when it is loaded, by the
 * environment variable OPENBLAS_CORETYPE or by its list of processor models; a version that is older than the processor may choose
 * its slowest set. Results of different sets differ in their last bits. The library itself never calls this function.
 *
 * name: "best", or the name of a core of OpenBLAS, in upper or lower case. "best" is the fastest set for products of floats and
 * doubles that the processor can run. It is one of those that every OpenBLAS 0.3 with several sets (DYNAMIC_ARCH) contains. The
 * names, and the instructions that the processor and the operating system must offer:
 * - "SkylakeX": AVX-512 F, CD, BW, DQ and VL; "Cooperlake": also VNNI and BF16; "SapphireRapids": also FP16 and AMX-BF16
 * - "Haswell": AVX2 and FMA; "Zen": the same, on processors of AMD and Hygon
 * - "Excavator", "Steamroller", "Piledriver", "Bulldozer": AMD's family 15h
 * - "Sandybridge": AVX; "Nehalem": SSE4.2; "Penryn", "Dunnington": SSE4.1; "Core2": SSSE3; "Prescott": SSE3
 * - "Barcelona": AMD's family 10h
 *
 * OpenBLAS belongs to the whole process: every other user of the same shared library gets these kernels, too. The function sets
 * OPENBLAS_CORETYPE while OpenBLAS is loaded and restores it before it returns. The C library does not synchronize the environment.
 * During the call no other thread may use it, neither directly (getenv, setenv) nor in a library: call this function before the
 * process starts threads.
 *
 * INVALID_ARGUMENT for an unknown name and for kernels that the processor cannot run; the message lists those that it can.
 * INVALID_STATE if a BLAS is in use, if ckpt_blas_set was called, or if the process has loaded that OpenBLAS before. The path does
 * not matter (a program that links it, another library, LD_PRELOAD); the message names the file and its kernels. NOT_FOUND as from
 * ckpt_blas_get_info. UNSUPPORTED on processors other than x86-64. These errors change nothing. UNSUPPORTED also if the installed
 * OpenBLAS lacks the named set, which is detected only after loading: OpenBLAS is then in use with the set that it chose instead,
 * which the message and ckpt_blas_get_info name; "best" succeeds in this case. FORKED as from ckpt_blas_get_info. */
CKPT_API ckpt_status ckpt_blas_set_kernels(const char* name);

/* ---- Layers -------------------------------------------------------------------------------------------------------------- */

/* One layer with its parameters. Shared by reference count; belongs to at most one chain. Not synchronized. Activations are F32 or
 * F64 tensors with samples as the first dimension. */
typedef struct ckpt_layer ckpt_layer;

/* Creates a layer from its kind and, after a colon, its values, separated by commas. Blanks around them are ignored. A value may
 * also be given by its name in lower case, after the positional ones: "attention:128,4,dropout=0.1".
 *
 * - "linear:INPUTS,OUTPUTS[,DTYPE]": y = x W + b, for each row. x: [samples, ..., INPUTS], of two dimensions or more, W: [INPUTS,
 *   OUTPUTS], b: [OUTPUTS], y: [samples, ..., OUTPUTS]. Parameters "weight" and "bias". DTYPE: F32 (default) or F64.
 * - "relu": max(x, 0), element by element.
 * - "gelu": GELU in the tanh form, x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
 *   Source: Hendrycks, Gimpel, "Gaussian error linear units", arXiv:1606.08415.
 * - "layer_norm:WIDTH[,EPSILON][,DTYPE]": each row minus its mean, divided by sqrt(variance + EPSILON), times weight plus bias.
 *   x, y: [samples, ..., WIDTH], weight (initially 1), bias: [WIDTH]. EPSILON: default 1e-5; at most 1, and a normal number of
 *   DTYPE. Tape: two numbers per row. Source: Ba, Kiros, Hinton, "Layer normalization", arXiv:1607.06450.
 * - "rms_norm:WIDTH[,EPSILON][,DTYPE]": each row divided by sqrt(mean of its squares + EPSILON), times weight. Otherwise as
 *   layer_norm, without a bias. Tape: one number per row. Source: Zhang, Sennrich, "Root mean square layer normalization",
 *   arXiv:1910.07467.
 * - "embedding:VOCABULARY,CONTEXT,WIDTH[,DTYPE]": looks up every token and concatenates the vectors of a sample.
 *   x: [samples, CONTEXT] of U8 or I32 tokens below VOCABULARY (else OUT_OF_RANGE when the step runs),
 *   table: [VOCABULARY, WIDTH], y: [samples, CONTEXT * WIDTH] of DTYPE. Parameter "table". Has no input gradient, so it is a
 *   chain's first layer.
 * - "token_embedding:VOCABULARY,CONTEXT,WIDTH[,POSITIONS][,DTYPE]": a vector for each token, plus one for its position.
 *   x: [samples, tokens] of U8 or I32 below VOCABULARY, 1 <= tokens <= CONTEXT, y: [samples, tokens, WIDTH]. Parameters
 *   "tokens.weight" [VOCABULARY, WIDTH] and "positions.weight" [CONTEXT, WIDTH]. POSITIONS: learned (default), or none, without
 *   "positions.weight". Has no input gradient, so it is a chain's first layer.
 * - "attention:WIDTH,HEADS[,KEY_HEADS][,NORM][,ROTARY_BASE][,DROPOUT][,DTYPE]": the attention half of a transformer block, causal:
 *   y = x + dropout(attention(norm(x) Wqkv + bqkv) Wout + bout). x, y: [samples, tokens, WIDTH]. HEADS divides WIDTH, D = WIDTH /
 *   HEADS; KEY_HEADS divides HEADS (default 0: HEADS), and HEADS / KEY_HEADS queries share a key and a value.
 *   A query attends to the keys of the same and earlier tokens; scores are scaled by 1/sqrt(D). NORM: layer_norm (default) or
 *   rms_norm, epsilon 1e-5. ROTARY_BASE: 0 (default), or above 1: elements 2i and 2i+1 of each query and key are rotated by
 *   token ROTARY_BASE^(-2i/D) radians; D must be even then. DROPOUT: default 0. Parameters: "norm.weight", "norm.bias"
 *   (layer_norm), "qkv.weight" [WIDTH, WIDTH + 2 KEY_HEADS D], with columns for the queries by head, the keys, the values,
 *   "qkv.bias", "out.weight" [WIDTH, WIDTH], "out.bias".
 *   With R rows (samples * tokens) and N numbers of statistics per row (layer_norm 2, rms_norm 1), the tape is in numbers of DTYPE:
 *   option 0: R (N + 2 WIDTH + 2 KEY_HEADS D + HEADS tokens), option 1: R (N + 2 WIDTH + 2 KEY_HEADS D + HEADS), option 2: R N;
 *   option 0 keeps probabilities, option 1 the log-sum-exp of each row instead, option 2 recomputes all of it. Only the memory of
 *   option 0 grows with the square of tokens. Every option produces the same bits.
 *   Sources: Vaswani et al., "Attention is all you need", arXiv:1706.03762; Dao et al., "FlashAttention", arXiv:2205.14135
 *   (order of the sums); Su et al., "RoFormer", arXiv:2104.09864; Ainslie et al., "GQA", arXiv:2305.13245.
 * - "dot_product_attention:HEADS[,KEY_HEADS]": attention without norm, projections and residual, in one of two forms. With one
 *   value x: [samples, tokens, (HEADS + 2 KEY_HEADS) D], its columns are those of "qkv.weight", and it is causal. In a graph with
 * two values, the second one contains keys and values: x: [samples, tokens, HEADS D], [samples, other tokens >= 1, 2 KEY_HEADS D],
 * and a query attends to all keys. y: [samples, tokens, HEADS D]. Tape: one number for each sample, head and token.
 * - "mlp:WIDTH,HIDDEN[,ACTIVATION][,NORM][,DROPOUT][,DTYPE]": the MLP half of a transformer block: y = x +
 *   dropout(activation(norm(x) Wup + bup) Wdown + bdown). x, y: [samples, ..., WIDTH]. ACTIVATION: gelu (default), with "up.weight"
 *   [WIDTH, HIDDEN], or swiglu, silu(g) u, with "up.weight" [WIDTH, 2 HIDDEN]: the first HIDDEN columns compute g, the others u.
 *   Also "norm.weight", "norm.bias" (layer_norm), "up.bias", "down.weight" [HIDDEN, WIDTH], "down.bias". NORM and DROPOUT as for
 *   attention. With U columns of "up.weight", the tape is in numbers of DTYPE: option 0: R (N + WIDTH + U + HIDDEN), option 1: R (N
 *   + WIDTH + U), option 2: R (N + U), option 3: R N; option 1 recomputes the activation's output, option 2 the norm's, too, option
 *   3 all of it. Every option produces the same bits. Sources: Hendrycks, Gimpel, arXiv:1606.08415; Shazeer, "GLU variants improve
 *   transformer", arXiv:2002.05202.
 * - "dropout:PROBABILITY": sets each element to 0 with the given probability (0 <= p < 1) and scales the others by 1/(1-p).
 *   Option 0 keeps the mask (one bit per element) for backward, option 1 keeps nothing and recomputes it. Randomness: Philox keyed
 *   by (seed, step, layer), counted by (element, sample). Source: Srivastava et al., "Dropout", JMLR 15 (2014).
 * - "add": the sum of two or more values of equal shape, in the order of the inputs: a layer of a graph
 * (ckpt_chain_add_with_inputs).
 * - "multiply": the product of two values of equal shape, element by element: a layer of a graph.
 * - "concatenate[:AXIS]": two or more values one after the other along dimension AXIS, 1 .. 7; default 0: the last dimension. The
 *   other dimensions are equal. A layer of a graph.
 * - "slice:BEGIN,END[,AXIS]": the elements BEGIN .. END-1 (0 <= BEGIN < END) along dimension AXIS, as for concatenate. Its gradient
 *   is 0 outside of the slice.
 * - "softmax_cross_entropy": the loss, the mean over the rows of -log softmax(x)[target]. x: [samples, ..., classes], y: [1],
 *   targets of the step: [samples, ...] of U8 or I32 below classes.
 *
 * name: not blank, unique in the layer's chain. NOT_FOUND for an unknown kind, with a list of the known ones. */
CKPT_API ckpt_status ckpt_layer_create(const char* name, const char* kind, ckpt_layer** layer);

/* Creates a head that shares its weight with an embedding: y = x W^T, for each row, with W the embedding's "tokens.weight"
 * [VOCABULARY, WIDTH], x: [samples, ..., WIDTH], y: [samples, ..., VOCABULARY]. The weight is a parameter of the embedding: it is
 * listed, clipped, updated and saved once, and its gradient is the sum of both uses, in any split of the chain. embedding: a layer
 * of kind token_embedding, kept alive; it belongs to the same chain, before the head (or to the chain that a pipeline splits).
 * Allocates memory for a separate gradient. INVALID_ARGUMENT for a layer of another kind. */
CKPT_API ckpt_status ckpt_layer_create_tied_head(const char* name, ckpt_layer* embedding, ckpt_layer** layer);

/* Writes the kinds of layers, one per line: syntax, description, and the range of each whole number.
 * (buffer, capacity, *needed) as in ckpt.h. Synchronized. */
CKPT_API ckpt_status ckpt_layer_get_known_kinds(char* buffer, int64_t capacity, int64_t* needed);

/* ---- Custom layers ------------------------------------------------------------------------------------------------------- */

/* Element type and shape of one activation. Frozen: 72 bytes in every version. */
typedef struct ckpt_tensor_spec {
  ckpt_dtype dtype; /* element type: one of CKPT_DTYPE_* */
  int32_t ndim;     /* number of dimensions, 0 .. 8 */
  int64_t shape[8]; /* lengths of the dimensions, each >= 0 */
} ckpt_tensor_spec;

/* Memory that a custom layer needs for one of its options. Frozen: 24 bytes in every version. */
typedef struct ckpt_layer_option {
  int64_t tape_bytes;               /* bytes that the layer records for its backward, >= 0 */
  int64_t forward_workspace_bytes;  /* bytes that the layer needs while forward runs, >= 0 */
  int64_t backward_workspace_bytes; /* bytes that the layer needs while backward runs, >= 0 */
} ckpt_layer_option;

/* The context of one run of a layer. Borrowed for the call. */
typedef struct ckpt_layer_context {
  uint32_t struct_size;           /* size of this struct in bytes, in the caller's build */
  int32_t option;                 /* option of the layer that is run, from 0 */
  int32_t micro_batch;            /* number of the micro-batch, from 0 */
  ckpt_bool recomputation;        /* 1 when this forward is a recomputation in the step, else 0 */
  int64_t layer;                  /* global number of the layer: the same in every split of the chain */
  int64_t step;                   /* number of the step, >= 0 */
  uint64_t seed;                  /* seed of the step's random numbers */
  int64_t first_sample;           /* global number of the batch's first sample within the step, >= 0 */
  const ckpt_tensor_spec* input;  /* element type and shape of the layer's input */
  const ckpt_tensor_spec* output; /* element type and shape of the layer's output */
  const ckpt_tensor* targets;     /* targets of the step, of the micro-batch's samples; NULL when the step has none */
  ckpt_worker_pool* pool;         /* threads that the step's layers share; NULL when only the running thread is used */
  ckpt_bool evaluation;           /* 1 in ckpt_schedule_executor_evaluate, without dropout; 0 in a step */
  int32_t reserved;               /* not used: 0 */
} ckpt_layer_context;

/* Sets *output to dtype and shape of the output for an input; refuses an input by returning non-zero. Called once when an executor,
 * a profile or a pipeline is created, and not in a step unless CKPT_RECOMPUTE_CHECK_METADATA is set: an invalid dtype or shape is
 * INVALID_ARGUMENT. Runs on the thread that creates or runs that object; may block; calls of that executor and its chain return
 * INVALID_STATE. A non-zero return fails the operation with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_output_fn)(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data);

/* Sets *out to the bytes that an option (0 .. options-1) needs for an input. Called once when an executor, a profile or a pipeline
 * is created, and not in a step unless CKPT_RECOMPUTE_CHECK_METADATA is set: a negative number of bytes is INVALID_ARGUMENT. Runs
 * on the thread that creates or runs that object; may block; calls of that executor and its chain return INVALID_STATE. A non-zero
 * return fails the operation with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_option_fn)(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data);

/* Computes output from input, and records tape for the backward. Buffers are 64-byte aligned and borrowed for the call; the
 * contents of output buffers are undefined. A pointer is NULL for 0 bytes, and tape is NULL if it is not wanted. Runs on the thread
 * that runs the executor (or the profiler), one at a time for one executor; may block; calls of that executor and its chain return
 * INVALID_STATE. A non-zero return fails the operation with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_forward_fn)(const ckpt_layer_context* context, const void* input, void* output, void* tape,
                                         void* workspace, void* user_data);

/* Computes grad_input from grad_output, and adds to the gradients of the layer's parameters. Buffers are 64-byte aligned and
 * borrowed for the call; the contents of output buffers are undefined. A pointer is NULL for 0 bytes, and for an input or output
 * that the flags do not request. Runs on the thread that runs the executor (or the profiler), one at a time for one executor; may
 * block; calls of that executor and its chain return INVALID_STATE. A non-zero return fails the operation with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_backward_fn)(const ckpt_layer_context* context, const void* input, const void* output,
                                          const void* tape, const void* grad_output, void* grad_input, void* workspace,
                                          void* user_data);

/* Writes the layer's ambient state, ambient_bytes bytes, to state. Runs on the thread that runs the executor (or the profiler); may
 * block; calls of that executor and its chain return INVALID_STATE. A non-zero return fails the operation with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_save_ambient_fn)(void* state, void* user_data);

/* Reads the layer's ambient state, ambient_bytes bytes, from state. Runs on the thread that runs the executor (or the profiler);
 * may block; calls of that executor and its chain return INVALID_STATE. A non-zero return fails the operation with
 * CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_layer_restore_ambient_fn)(const void* state, void* user_data);

/* The functions of a custom layer, and its properties for planning. All functions receive the same user_data. */
typedef struct ckpt_layer_callbacks {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* sum of CKPT_LAYER_FLAG_*; default CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC */
  ckpt_layer_flag flags;
  int32_t options;  /* number of options (ways to run the layer), 1 .. 64; default 1 */
  int32_t reserved; /* not used: 0 */
  /* bytes of state outside the arguments that forward reads (a random generator); 0: none */
  int64_t ambient_bytes;
  /* determines element type and shape of the output for an input; an input is refused by failing */
  ckpt_layer_output_fn output;
  /* determines the bytes that each option needs; may be NULL when they are 0 for every option */
  ckpt_layer_option_fn option;
  /* computes the output; must produce the same bits with and without tape, and in each run if the layer is deterministic */
  ckpt_layer_forward_fn forward;
  /* computes the gradient of the input; adds to the gradients of the layer's parameters */
  ckpt_layer_backward_fn backward;
  ckpt_layer_save_ambient_fn save_ambient;       /* writes the ambient state; needed when ambient_bytes > 0 */
  ckpt_layer_restore_ambient_fn restore_ambient; /* reads the ambient state back; needed when ambient_bytes > 0 */
  /* writes the tape as forward does, with forward's workspace, without computing the output, for which it has no buffer; NULL:
   * forward runs if only the tape is needed */
  ckpt_layer_forward_fn record;
} ckpt_layer_callbacks;

#define CKPT_LAYER_CALLBACKS_INIT \
  { sizeof(ckpt_layer_callbacks), CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Creates a custom layer from callbacks: the caller owns its parameters and their gradients. callbacks: copied. destroy (may be
 * NULL) runs once with user_data, after the last call. */
CKPT_API ckpt_status ckpt_layer_create_custom(const char* name, const ckpt_layer_callbacks* callbacks, void* user_data,
                                              ckpt_destroy_fn destroy, ckpt_layer** layer);

/* Releases the layer. A chain that contains it keeps it alive. NULL does nothing. */
CKPT_API void ckpt_layer_release(ckpt_layer* layer);

/* ---- Chains -------------------------------------------------------------------------------------------------------------- */

/* A sequence of layers, or a graph of them (ckpt_chain_add_with_inputs). Not synchronized: one executor runs at a time. */
typedef struct ckpt_chain ckpt_chain;

/* Creates an empty chain. first_layer (>= 0): the global number of the chain's first layer; 0 unless the chain is part of a longer
 * one. */
CKPT_API ckpt_status ckpt_chain_create(int64_t first_layer, ckpt_chain** chain);

/* Appends a layer; the chain keeps it alive. INVALID_STATE if it belongs to a chain already or an executor of the chain was
 * created. ALREADY_EXISTS if the name exists. */
CKPT_API ckpt_status ckpt_chain_add(ckpt_chain* chain, ckpt_layer* layer);

/* Appends layer i (the number of layers so far) that reads the given values, which makes the chain a graph: value 0 is the input of
 * the chain, value k+1 the output of layer k. ckpt_chain_add appends a layer that reads value i. inputs: inputs_count (>= 1)
 * different values, each 0 .. i, in the order of the layer's inputs. The last value is the output of the chain; every other value
 * needs a reader, which is checked when a profile or an executor is created. A graph has no pipeline. Errors as from
 * ckpt_chain_add; INVALID_ARGUMENT for other values and duplicates, and the chain is unchanged. */
CKPT_API ckpt_status ckpt_chain_add_with_inputs(ckpt_chain* chain, ckpt_layer* layer, const int64_t* inputs, int64_t inputs_count);

/* Sets *layer_count to the number of layers. */
CKPT_API ckpt_status ckpt_chain_get_layer_count(const ckpt_chain* chain, int64_t* layer_count);

/* Sets every parameter to its initial value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al., arXiv:1502.01852),
 * in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard deviation of 0.02,
 * divided by sqrt(layer's number + 1) for "out.weight" and "down.weight". Weights of norms are 1 (Radford et al., "Language models
 * are unsupervised multitask learners", 2019). The values are the same on every machine. Sets gradients to 0. */
CKPT_API ckpt_status ckpt_chain_initialize(ckpt_chain* chain, uint64_t seed);

/* Sets *parameter_count to the number of parameters of the built-in layers. */
CKPT_API ckpt_status ckpt_chain_get_parameter_count(const ckpt_chain* chain, int64_t* parameter_count);

/* Reads a parameter by number (0 .. parameter_count-1): its name "<layer>.<parameter>" (borrowed from the chain), its value and its
 * gradient. Each out-pointer may be NULL; tensors are new references that the caller releases. */
CKPT_API ckpt_status ckpt_chain_get_parameter(const ckpt_chain* chain, int64_t parameter, const char** name, ckpt_tensor** value,
                                              ckpt_tensor** gradient);

/* Sets the threads for clipping, zeroing of gradients and optimizers of this chain: results have the same bits for any number of
 * threads. pool: kept alive; NULL (as in a new chain): only the calling thread. */
CKPT_API ckpt_status ckpt_chain_set_worker_pool(ckpt_chain* chain, ckpt_worker_pool* pool);

/* Scales all gradients so that their common 2-norm is at most max_norm (> 0); *norm (may be NULL) receives the norm before scaling.
 * OUT_OF_RANGE if that is not finite: no gradient is scaled. */
CKPT_API ckpt_status ckpt_chain_clip_gradients(ckpt_chain* chain, double max_norm, double* norm);

/* Creates a profile of the chain for planning, for inputs of this shape. Bytes are exact. measured_steps > 0 also times every layer
 * separately on zeros: the median of this number of runs; 0 leaves seconds 0. To measure layers within the chain, on given data,
 * use ckpt_profile_create_measured. pool NULL: a pool of ckpt_available_threads().
 * Changes no parameter and no gradient, but runs custom layers' callbacks when it measures. */
CKPT_API ckpt_status ckpt_profile_create_from_chain(ckpt_chain* chain, const ckpt_tensor_spec* input, int32_t measured_steps,
                                                    ckpt_worker_pool* pool, ckpt_profile** profile);

/* Releases the chain. Objects created with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_chain_release(ckpt_chain* chain);

/* ---- Executor ------------------------------------------------------------------------------------------------------------ */

/* Runs one schedule over one chain for one input shape, step after step, without allocating memory. Owns threads unless its options
 * have a pool. Not synchronized. */
typedef struct ckpt_schedule_executor ckpt_schedule_executor;

/* The check of recomputed forwards in a step. Each level includes the checks of the lower ones. */
typedef int32_t ckpt_recompute_check;

#define CKPT_RECOMPUTE_CHECK_NONE 0 /* no check */
/* the layer is asked again for element type and shape of its output, and for the bytes that its option needs; they must be as when
 * the executor was created */
#define CKPT_RECOMPUTE_CHECK_METADATA 1
/* the output must have the hash (XXH3-128) of the first run's output; needs 16 bytes for each output that is recomputed */
#define CKPT_RECOMPUTE_CHECK_HASH 2
/* the output must have the bits of the first run's output; needs memory outside of the arena for all outputs that are recomputed */
#define CKPT_RECOMPUTE_CHECK_BITWISE 3

/* Options for creating an executor. */
typedef struct ckpt_schedule_executor_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  int64_t budget_bytes; /* a schedule that reserves more bytes is refused with OVER_BUDGET; 0: no budget */
  /* threads that the executor uses; kept alive; NULL: a new pool with as many threads as the process may use */
  ckpt_worker_pool* pool;
  ckpt_memory_tracker* tracker; /* tracker that counts every buffer under its layer's name; kept alive; NULL: a new one */
  ckpt_follower* follower;      /* follower with a strategy that is notified of layers that run and of live bytes; NULL: none */
  /* check of recomputed forwards: one of CKPT_RECOMPUTE_CHECK_*; default CKPT_RECOMPUTE_CHECK_NONE. A difference fails the step
   * with CORRUPT; the message names the layer and the micro-batch. A RECORD without output is not checked */
  ckpt_recompute_check recompute_check;
  /* 1: after every run of a layer all bytes of the arena that it must not write are compared with their state before, and a change
   * fails the step with CORRUPT; the message names the layer; each run of a layer takes longer; 0: no check */
  ckpt_bool check_writes;
  /* storage for the items of tier 1: a file that only this executor can access, or memory, written while layers run; kept alive;
   * NULL: memory of the executor, each item copied synchronously */
  ckpt_storage* tier1_storage;
  ckpt_storage* tier2_storage; /* storage for the items of tier 2; kept alive; NULL: memory, each item copied synchronously */
  ckpt_storage* tier3_storage; /* storage for the items of tier 3; kept alive; NULL: memory, each item copied synchronously */
  /* 1: a layer's output of F32 or F64 that is not finite fails the step with OUT_OF_RANGE; the message names the first such layer,
   * the element and its value; each forward reads its output once more; 0: only the loss is checked */
  ckpt_bool check_finite;
  int32_t reserved2; /* not used: 0 */
} ckpt_schedule_executor_options;

#define CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT \
  { sizeof(ckpt_schedule_executor_options), 0, 0, 0, 0, 0, CKPT_RECOMPUTE_CHECK_NONE, 0, 0, 0, 0, 0, 0 }

/* Creates an executor: verifies the schedule against the chain for this input, places its buffers and reserves the arena. Keeps
 * chain and schedule alive. options: NULL for the defaults. OUT_OF_RANGE for a schedule that runs layers more than 2^22 times in a
 * step, because an executor stores it as a list.
 *
 * A tier that has a storage and that the schedule uses reserves space for the longest item of each of its slots. In the file system
 * this is one file for each executor and tier, with mode 0600 and without a name, so that it disappears when the process ends in
 * any way. Each slot begins at a multiple of 4096. The storage's options determine how the file is written and at which rate;
 * bytes_per_second separately limits reads of such files, too. In memory it is a block of this size. Two threads for each such
 * tier, one for stores and one for loads, copy in the order of the schedule while layers run; an AWAIT waits for its copy.
 * UNSUPPORTED, with a message that names the tier, for a storage of callbacks; errors of the system if such a file cannot be
 * created. */
CKPT_API ckpt_status ckpt_schedule_executor_create(ckpt_chain* chain, ckpt_schedule* schedule, const ckpt_tensor_spec* input,
                                                   const ckpt_schedule_executor_options* options,
                                                   ckpt_schedule_executor** executor);

/* Data of one step of training. Tensors are borrowed for the call. */
typedef struct ckpt_step {
  uint32_t struct_size;         /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;            /* not used: 0 */
  int64_t step;                 /* number of the step, >= 0: a key of dropout's random numbers */
  uint64_t seed;                /* seed of the step's random numbers: a key of dropout */
  int64_t first_sample;         /* global number of the batch's first sample within the step, >= 0 */
  ckpt_tensor* input;           /* input of the chain, of the executor's input element type and shape */
  ckpt_tensor* targets;         /* targets of a loss layer; NULL when no layer needs them */
  ckpt_tensor* output_gradient; /* gradient of the chain's output; NULL: 1, only for a chain with an output of one element */
  ckpt_tensor* output;          /* receives the chain's output; NULL: it is not wanted */
  /* receives the gradient of the chain's input; NULL: it is not wanted. Refused if the first layer computes none */
  ckpt_tensor* input_gradient;
  ckpt_bool accumulate; /* 0: gradients are set to 0 first; 1: this step adds to them */
  int32_t reserved2;    /* not used: 0 */
} ckpt_step;

#define CKPT_STEP_INIT \
  { sizeof(ckpt_step), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Runs the schedule once: forward, backward, gradients added to the layers' parameters. *loss (may be NULL) receives x_n if it has
 * one element, else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0.
 * OUT_OF_RANGE for a loss that is not finite, before any layer runs backward: check_finite finds the layer that caused it.
 *
 * A copy through a tier's storage that fails also fails the step, after other copies have ended, and the message names tier and
 * slot: NO_SPACE if the space for the tier's file is exhausted, IO also if the file has become shorter than the stored bytes. A
 * storage of ckpt_storage_create_retrying has retried it by then. FORKED in a forked child if a tier has a storage. */
CKPT_API ckpt_status ckpt_schedule_executor_run(ckpt_schedule_executor* executor, const ckpt_step* step, double* loss);

/* Runs the first layer_count layers forward once, without backward: keeps no tape, disables dropout, and changes no gradient and no
 * parameter. layer_count: 1 .. number of layers of the chain. Reads step, seed, first_sample, input and output of step, and targets
 * if one of the layers needs them; other fields are ignored. output receives the output of the last of these layers. *result (may
 * be NULL) receives the same if it has one element, else NaN. The first call allocates memory outside of the arena: for the
 * activations that exist at once (in a chain two of the largest, at most) and the largest workspace. Does not count as a step. */
CKPT_API ckpt_status ckpt_schedule_executor_evaluate(ckpt_schedule_executor* executor, const ckpt_step* step, int64_t layer_count,
                                                     double* result);

/* Measurements of an executor since it was created. */
typedef struct ckpt_schedule_executor_stats {
  uint32_t struct_size;        /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;           /* not used: 0 */
  int64_t steps;               /* number of successful steps */
  int64_t forwards;            /* number of layer forwards, recomputed ones included */
  int64_t recomputed_forwards; /* number of layer forwards beyond the first of each layer in a step */
  int64_t live_bytes;          /* bytes that are live now; 0 between steps */
  int64_t peak_live_bytes;     /* maximum number of live bytes: equals the verifier's peak of tier 0 to the byte */
  int64_t reserved_bytes;      /* bytes of the arena that the executor reserved when it was created */
  int64_t run_ns;              /* duration of all steps in nanoseconds */
  int64_t transfer_wait_ns; /* duration in nanoseconds that steps waited for copies through the storages of tiers; part of run_ns */
  int64_t stored_bytes[CKPT_TIERS]; /* bytes that were copied into each tier; 0 for tier 0 */
  int64_t loaded_bytes[CKPT_TIERS]; /* bytes that were copied back from each tier; 0 for tier 0 */
} ckpt_schedule_executor_stats;

#define CKPT_SCHEDULE_EXECUTOR_STATS_INIT                                       \
  {                                                                             \
    sizeof(ckpt_schedule_executor_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, { 0 } \
  }

/* Fills *stats with the measurements of the executor since it was created. */
CKPT_API ckpt_status ckpt_schedule_executor_get_stats(const ckpt_schedule_executor* executor, ckpt_schedule_executor_stats* stats);

/* Releases the executor. NULL does nothing. */
CKPT_API void ckpt_schedule_executor_release(ckpt_schedule_executor* executor);

/* ---- Measured profiles --------------------------------------------------------------------------------------------------- */

/* Creates a profile of the chain with every layer timed within the chain: each option's seconds are the median over measured_steps
 * (1 .. 32) steps of the whole chain, forward and backward, on the step's input, targets and output_gradient, after one warm-up
 * step. Also reads step, seed and first_sample of step; input determines the shape. Needs as much memory as storing everything: if
 * that is too much, see ckpt_schedule_executor_refine. pool NULL: a pool of ckpt_available_threads(). Changes no parameter and no
 * gradient, but runs custom layers' callbacks. It creates executors, so no layers can be added to the chain afterwards. */
CKPT_API ckpt_status ckpt_profile_create_measured(ckpt_chain* chain, const ckpt_step* step, int32_t measured_steps,
                                                  ckpt_worker_pool* pool, ckpt_profile** profile);

/* Creates a profile with the seconds that the executor's layers take in its steps: a copy of profile (of the executor's chain and
 * input). In it, the forward_seconds, record_seconds and backward_seconds of the options that the schedule runs are the medians
 * over the last successful steps, up to 32. Other options are unchanged. INVALID_STATE before the first step, INVALID_ARGUMENT for
 * the profile of another chain. */
CKPT_API ckpt_status ckpt_schedule_executor_refine(const ckpt_schedule_executor* executor, const ckpt_profile* profile,
                                                   ckpt_profile** refined);

/* ---- Optimizers ---------------------------------------------------------------------------------------------------------- */

/* Updates a chain's parameters from their gradients. Not synchronized. */
typedef struct ckpt_optimizer ckpt_optimizer;

/* Creates a stochastic gradient descent optimizer: v = momentum v + g; w = w - learning_rate v. learning_rate > 0, 0 <= momentum <
 * 1. State: one tensor per parameter, "<name>.momentum". Keeps the chain alive. */
CKPT_API ckpt_status ckpt_optimizer_create_sgd(ckpt_chain* chain, double learning_rate, double momentum,
                                               ckpt_optimizer** optimizer);

/* Options for creating an AdamW optimizer. Its state: "<name>.m" and "<name>.v" for every parameter, and the number of steps.
 * Source: Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101. */
typedef struct ckpt_adamw_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  double learning_rate; /* size of a step, > 0; default 1e-3 */
  double beta1;         /* decay of the mean of gradients, 0 <= beta1 < 1; default 0.9 */
  double beta2;         /* decay of the mean of squared gradients, 0 <= beta2 < 1; default 0.999 */
  double epsilon;       /* added to the root of the mean of squared gradients, > 0; default 1e-8 */
  /* decoupled weight decay, >= 0: each step subtracts learning_rate * weight_decay times a weight from it; default 0.01 */
  double weight_decay;
  ckpt_bool decay_matrices_only; /* 1: only parameters of two dimensions or more decay, biases and norms do not; 0: all decay */
  int32_t reserved2;             /* not used: 0 */
} ckpt_adamw_options;

#define CKPT_ADAMW_OPTIONS_INIT \
  { sizeof(ckpt_adamw_options), 0, 1e-3, 0.9, 0.999, 1e-8, 0.01, 0, 0 }

/* Creates an AdamW optimizer. options: NULL for the defaults. Keeps the chain alive.
 * Source: Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101. */
CKPT_API ckpt_status ckpt_optimizer_create_adamw(ckpt_chain* chain, const ckpt_adamw_options* options, ckpt_optimizer** optimizer);

/* Updates the parameters once with the current gradients. */
CKPT_API ckpt_status ckpt_optimizer_step(ckpt_optimizer* optimizer);

/* Does ckpt_chain_clip_gradients(max_norm) and ckpt_optimizer_step, with the same bits, and sets all gradients to 0, so that the
 * next step can run with accumulate 1. After the computation of the norm, one pass over the gradients scales, uses and clears each
 * part while it is in the processor's caches. max_norm: > 0; INFINITY scales nothing. *norm (may be NULL) receives the norm before
 * scaling. OUT_OF_RANGE if that is not finite: gradients, parameters and state are unchanged. */
CKPT_API ckpt_status ckpt_optimizer_step_and_zero(ckpt_optimizer* optimizer, double max_norm, double* norm);

/* Sets *learning_rate to the size of the next steps. */
CKPT_API ckpt_status ckpt_optimizer_get_learning_rate(const ckpt_optimizer* optimizer, double* learning_rate);

/* Sets the size of the next steps, >= 0 and finite. It is not part of the saved state: set it again when a run is resumed. */
CKPT_API ckpt_status ckpt_optimizer_set_learning_rate(ckpt_optimizer* optimizer, double learning_rate);

/* The decay of a learning rate after its warm-up. */
typedef int32_t ckpt_learning_rate_kind;

#define CKPT_LEARNING_RATE_KIND_CONSTANT 0 /* stays at its peak */
#define CKPT_LEARNING_RATE_KIND_LINEAR 1   /* decays linearly */
#define CKPT_LEARNING_RATE_KIND_COSINE 2   /* decays along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983 */

/* A learning rate for each step: increases linearly over warm_up_steps, then decays to last_rate at step_count. */
typedef struct ckpt_learning_rate_schedule {
  uint32_t struct_size;         /* size of this struct in bytes, in the caller's build */
  ckpt_learning_rate_kind kind; /* kind of decay: one of CKPT_LEARNING_RATE_KIND_*; default CKPT_LEARNING_RATE_KIND_CONSTANT */
  double peak_rate;             /* the highest rate, >= 0: of the first step after the warm-up; default 1e-3 */
  double last_rate;             /* the rate at step_count and later, 0 .. peak_rate; not read when the kind is constant */
  int64_t warm_up_steps;        /* number of steps before the peak, >= 0: step i of them has peak_rate (i + 1) / (steps + 1) */
  int64_t step_count;           /* number of steps of the run, >= warm_up_steps; not read when the kind is constant */
} ckpt_learning_rate_schedule;

#define CKPT_LEARNING_RATE_SCHEDULE_INIT \
  { sizeof(ckpt_learning_rate_schedule), CKPT_LEARNING_RATE_KIND_CONSTANT, 1e-3, 0, 0, 0 }

/* Sets *learning_rate to the rate of a step (>= 0, from 0); pass it to ckpt_optimizer_set_learning_rate before that step. The
 * result depends only on the arguments, so a resumed run continues with the same rates. Synchronized. */
CKPT_API ckpt_status ckpt_learning_rate_at(const ckpt_learning_rate_schedule* schedule, int64_t step, double* learning_rate);

/* Sets *step_count to the number of updates so far; part of AdamW's state. */
CKPT_API ckpt_status ckpt_optimizer_get_step_count(const ckpt_optimizer* optimizer, int64_t* step_count);

/* Sets the number of updates so far (>= 0), for restoring a state. */
CKPT_API ckpt_status ckpt_optimizer_set_step_count(ckpt_optimizer* optimizer, int64_t step_count);

/* Sets *tensor_count to the number of state tensors. */
CKPT_API ckpt_status ckpt_optimizer_get_tensor_count(const ckpt_optimizer* optimizer, int64_t* tensor_count);

/* Reads a state tensor by number (0 .. tensor_count-1): its name (borrowed from the optimizer) and a new reference. Either may be
 * NULL. */
CKPT_API ckpt_status ckpt_optimizer_get_tensor(const ckpt_optimizer* optimizer, int64_t tensor, const char** name,
                                               ckpt_tensor** value);

/* Releases the optimizer. NULL does nothing. */
CKPT_API void ckpt_optimizer_release(ckpt_optimizer* optimizer);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_ENGINE_H */
