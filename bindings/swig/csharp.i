// csharp.i - conversion of values between C and C#. Everything generated here is internal, for use by bindings/csharp. A failed
// call throws the CkptException of its status, out-parameters are out, handles NativeHandle (a SafeHandle) as arguments and IntPtr
// as results, strings UTF-8, numbers of 64 bits long and ulong, arrays pointers that the caller has pinned.
%include <std_string.i>

%csconst(1); // constants are compiled in, not queried
%pragma(csharp) moduleclassmodifiers="internal static unsafe class"
%pragma(csharp) imclassclassmodifiers="internal unsafe class"
%typemap(csclassmodifiers) SWIGTYPE, SWIGTYPE*, SWIGTYPE&, SWIGTYPE[], SWIGTYPE (CLASS::*) "internal unsafe class"

%{
namespace ckpt_csharp {

// Status of this thread's last call that fetched a result.
thread_local ckpt_status fetched_status = CKPT_OK;

// The last result of a director function of this thread that exceeds a register.
thread_local char result_place[sizeof(ckpt_swig::Spec) > sizeof(ckpt_swig::LayerBytes) ? sizeof(ckpt_swig::Spec)
                                                                                       : sizeof(ckpt_swig::LayerBytes)];

// A list for C#: its length, the size of an element, and the elements. Freed by ckpt_csharp_free.
struct List {
  int64_t count;
  int64_t element_bytes;
};
template <class Element>
void* list(const Element* elements, std::size_t count) {
  void* const created = malloc(sizeof(List) + count * sizeof(Element));
  if (!created) {
    fetched_status = CKPT_E_OUT_OF_MEMORY;
    return nullptr;
  }
  *static_cast<List*>(created) = List{static_cast<int64_t>(count), static_cast<int64_t>(sizeof(Element))};
  if (count) memcpy(static_cast<List*>(created) + 1, elements, count * sizeof(Element));
  return created;
}

// Memory borrowed from C#. A C# function releases it, which must not be called after the shutdown of the runtime.
struct Lent {
  ckpt_destroy_fn release;
  void* user_data;
};
void end_lent(void* user_data) {
  const std::unique_ptr<Lent> lent(static_cast<Lent*>(user_data));
  if (!ckpt_swig::machine_closed.load()) lent->release(lent->user_data);
}

}  // namespace ckpt_csharp
%}

// Maps a type to the types in C, in the imported functions, and in C#.
%define CKPT_AS(type, c_type, im_type, cs_type)
%typemap(ctype) type "c_type"
%typemap(imtype) type "im_type"
%typemap(cstype) type "cs_type"
%typemap(in) type "$1 = ($1_ltype)$input;"
%typemap(csin) type "$csinput"
%typemap(csout, excode=SWIGEXCODE) type {
    return $imcall;
  }
%enddef

// ---- Numbers ----
%apply long long { int64_t };
%apply unsigned long long { uint64_t, size_t };

// ---- Errors ----
%typemap(cstype) ckpt_status "void"
%typemap(cstype) ckpt_status status, ckpt_status unreported_status "int" // arguments and struct members are plain numbers
%typemap(csout, excode=SWIGEXCODE) ckpt_status {
    Errors.Check($imcall);
  }

%define CKPT_FAIL(status, message)
    ckpt_csharp::fetched_status = status;
    return $null;
%enddef
%typemap(csout, excode=SWIGEXCODE) std::string {
    string fetched = $imcall;
    Errors.CheckFetched();
    return fetched;
  }

// ---- Strings ----
%typemap(ctype) const char* "const char *"
%typemap(imtype) const char* "global::System.IntPtr"
%typemap(cstype) const char* "string"
%typemap(in) const char* "$1 = ($1_ltype)$input;"
%typemap(freearg) const char* ""
%typemap(out) const char* "$result = $1;"
%typemap(csin, pre="    fixed (byte* text_$csinput = Utf8.Bytes($csinput)) {", terminator="    }") const char*
    "(global::System.IntPtr)text_$csinput"
%typemap(csout, excode=SWIGEXCODE) const char* {
    return Utf8.Text($imcall);
  }
%typemap(directorin) const char* "$input = $1;"
%typemap(csdirectorin) const char* "Utf8.Text($iminput)"
CKPT_AS(const char**, const char **, out global::System.IntPtr, out global::System.IntPtr)
%typemap(csin) const char** "out $csinput"
// Members of structs are borrowed: the caller keeps the bytes alive until the struct was used (TextMemory).
%typemap(memberin) const char* "$1 = $input;"
%define CKPT_TEXT_MEMBER(member)
%typemap(cstype) const char* member "global::System.IntPtr"
%typemap(csin) const char* member "$csinput"
%typemap(csvarin) const char* member %{
    set { byte* text_value = (byte*)value; $imcall; } %}
%typemap(csvarout) const char* member %{
    get { return $imcall; } %}
%enddef
%include "../csharp/generated/members.i"

// ---- Addresses and arrays, pinned by the caller ----
%define CKPT_POINTER(type, cs)
CKPT_AS(type, void *, cs, cs)
%typemap(out) type "$result = (void *)$1;"
%typemap(csvarin, excode=SWIGEXCODE2) type %{
    set { $imcall;$excode } %}
%typemap(csvarout, excode=SWIGEXCODE2) type %{
    get { return $imcall; } %}
%enddef
CKPT_POINTER(void*, global::System.IntPtr)
CKPT_POINTER(const void*, global::System.IntPtr)
CKPT_POINTER(ckpt_destroy_fn, global::System.IntPtr)
CKPT_POINTER(const ckpt_schedule_action*, global::System.IntPtr)
CKPT_POINTER(const int64_t*, long*)
CKPT_POINTER(const int32_t*, int*)
CKPT_POINTER(const double*, double*)
CKPT_POINTER(const char* const*, global::System.IntPtr*)
CKPT_POINTER(ckpt_strategy* const*, global::System.IntPtr*)
CKPT_POINTER(ckpt_schedule* const*, global::System.IntPtr*)
CKPT_POINTER(const uint32_t[ANY], uint*)
CKPT_POINTER(uint32_t[ANY], uint*)
CKPT_POINTER(int64_t[ANY], long*)
CKPT_POINTER(DLManagedTensor*, global::System.IntPtr)
CKPT_POINTER(DLManagedTensorVersioned*, global::System.IntPtr)
CKPT_POINTER(const ckpt_tensor_spec*, global::System.IntPtr)

// ---- Out-parameters ----
%define CKPT_OUT(type, cs)
CKPT_AS(type*, void *, out cs, out cs)
%typemap(csin) type* "out $csinput"
%enddef
CKPT_OUT(int32_t, int)
CKPT_OUT(int64_t, long)
CKPT_OUT(uint64_t, ulong)
CKPT_OUT(double, double)
CKPT_OUT(ckpt_dtype, int)
CKPT_OUT(ckpt_profile_flag, uint)
CKPT_OUT(DLManagedTensor*, global::System.IntPtr)
CKPT_OUT(DLManagedTensorVersioned*, global::System.IntPtr)

// ---- Handles: owned by NativeHandle, which releases them through a function of the same name here ----
%define CKPT_HANDLE(name)
CKPT_AS(%arg(name*, const name*), void *, NativeHandle, NativeHandle)
%typemap(imtype, out="global::System.IntPtr") name*, const name* "NativeHandle"
%typemap(out) name*, const name* "$result = (void *)$1;"
%typemap(csin) name*, const name* "NativeHandle.OrNone($csinput)"
%typemap(csvarin) name*, const name* %{
    set { $imcall; } %}
%typemap(csvarout) name*, const name* ""
CKPT_OUT(name*, global::System.IntPtr)
%ignore name##_release;
%rename(name##_release) name##_give_back;
%inline %{
static void name##_give_back(void* handle) { name##_release(static_cast<name*>(handle)); }
%}
%enddef
%define CKPT_SHARED_HANDLE(name)
CKPT_HANDLE(name)
%ignore name##_retain;
%rename(name##_retain) name##_take;
%inline %{
static void name##_take(void* handle) { name##_retain(static_cast<name*>(handle)); }
%}
%enddef
%include "generated/handles.i"

// ---- Lists ----
%define CKPT_RETURNED(type, member)
CKPT_AS(ckpt_swig::type, void *, global::System.IntPtr, global::System.IntPtr)
%typemap(out) ckpt_swig::type "$result = ckpt_csharp::list($1.member.data(), $1.member.size());"
%typemap(csout, excode=SWIGEXCODE) ckpt_swig::type {
    global::System.IntPtr fetched = $imcall;
    Errors.CheckFetched();
    return fetched;
  }
%enddef
CKPT_RETURNED(ByteString, bytes)
CKPT_RETURNED(Actions, list)
CKPT_RETURNED(DriveCalls, list)
CKPT_RETURNED(Integers, list)
CKPT_RETURNED(Numbers, list)
%define CKPT_LIST(type, element)
%ignore ckpt_swig::type;
CKPT_RETURNED(type, list)
%enddef
%define CKPT_ROWS(type, element)
CKPT_LIST(type, element)
%enddef
#define CKPT_QUICK(name)
#define CKPT_HOLDER(name) name

// ---- Directors ----
// Every function of a director runs inside a guard: an exception becomes the callback's failure.
%typemap(csdirectorout) void "try { $cscall; } catch (global::System.Exception error) { Callbacks.Failed(error); }"
%typemap(csdirectorout) int64_t, bool "Callbacks.Guard(() => $cscall)"
%typemap(directorout) int64_t %{
  ckpt_swig::throw_stored_failure();
  $result = $input;
%}
%typemap(directorout) bool %{
  ckpt_swig::throw_stored_failure();
  $result = $input ? true : false;
%}
%typemap(csdirectorout) ckpt_strategy*, ckpt_storage*, ckpt_tensor* "Callbacks.Guard(() => $cscall)"
%typemap(directorout) ckpt_strategy*, ckpt_storage*, ckpt_tensor* %{
  ckpt_swig::throw_stored_failure();
  $result = ($1_ltype)$input;
%}
%typemap(cstype) ckpt_strategy* ckpt_swig::StrategyFactory::make, ckpt_storage* ckpt_swig::StorageFactory::make,
    ckpt_tensor* ckpt_swig::StageForward::forward
    "global::System.IntPtr" // one reference, handed over
// Handles in directors are borrowed.
%define CKPT_BORROWED(parameter)
%typemap(imtype) parameter "global::System.IntPtr"
%typemap(cstype) parameter "global::System.IntPtr"
%typemap(csin) parameter "$csinput"
%typemap(directorin) parameter "$input = (void *)$1;"
%typemap(csdirectorin) parameter "$iminput"
%enddef
CKPT_BORROWED(ckpt_state* into)
CKPT_BORROWED(const ckpt_state* loaded)
CKPT_BORROWED(ckpt_tensor* given_input)
// Structs by value are passed as pointers that are valid during the call; results are stored per thread.
%define CKPT_VALUE(type)
CKPT_AS(ckpt_swig::type, void *, global::System.IntPtr, global::System.IntPtr)
%typemap(in) ckpt_swig::type "$1 = *($&1_ltype)$input;"
%typemap(out) ckpt_swig::type "*($&1_ltype)ckpt_csharp::result_place = $1; $result = ckpt_csharp::result_place;"
%typemap(directorin) ckpt_swig::type "$input = &$1;"
%typemap(csdirectorin) ckpt_swig::type "$iminput"
%enddef
CKPT_EACH(CKPT_VALUE, Bytes, Spec, Shape, DriveCall, LayerContext, LayerBytes)
%typemap(csdirectorout) ckpt_swig::Spec, ckpt_swig::LayerBytes "Callbacks.Guard(() => $cscall)"
%typemap(directorout) ckpt_swig::Spec, ckpt_swig::LayerBytes %{
  ckpt_swig::throw_stored_failure();
  $result = *($&1_ltype)$input;
%}

// The library owns a director after the call, and C# keeps its own object alive until the library releases the director.
%define CKPT_HANDED_OVER(name)
%typemap(csin) ckpt_swig::name* "Callbacks.HandOver($csinput, $csclassname.getCPtr($csinput).Handle)"
%typemap(csbody) ckpt_swig::name %{
  private global::System.Runtime.InteropServices.HandleRef swigCPtr;
  protected bool swigCMemOwn;

  internal $csclassname(global::System.IntPtr cPtr, bool cMemoryOwn) {
    swigCMemOwn = cMemoryOwn;
    swigCPtr = new global::System.Runtime.InteropServices.HandleRef(this, cPtr);
  }

  internal static global::System.Runtime.InteropServices.HandleRef getCPtr($csclassname obj) {
    return (obj == null) ? new global::System.Runtime.InteropServices.HandleRef(null, global::System.IntPtr.Zero) : obj.swigCPtr;
  }

  void IHandedOver.NoLongerOwned() {
    swigCMemOwn = false;
  }
%}
%typemap(csinterfaces) ckpt_swig::name "global::System.IDisposable, IHandedOver"
%enddef

// Callbacks get structs by address: C# copies each in one step.
%typemap(directorin) const void* "$input = const_cast<void*>($1);"
%typemap(csdirectorin) const void* "$iminput"

// ---- Functions used only by bindings/csharp ----
%ignore ckpt_swig::stored_failure;
%ignore ckpt_swig::before_delete;
%ignore ckpt_tensor_create_borrowed;
%rename(ckpt_tensor_create_borrowed) ckpt_csharp_tensor_borrow;
%inline %{
static int32_t ckpt_csharp_fetched_status() {
  const ckpt_status status = ckpt_csharp::fetched_status;
  ckpt_csharp::fetched_status = CKPT_OK;
  return status;
}
static void ckpt_csharp_free(void* list) { free(list); }
static void* ckpt_csharp_result_place() { return ckpt_csharp::result_place; }
static void ckpt_csharp_leave_failure(int32_t number, const char* text) {
  delete ckpt_swig::stored_failure;
  ckpt_swig::stored_failure = new ckpt_swig::CallbackFailure(number, text);
}
static void ckpt_csharp_tell_before_delete(void* function) {
  ckpt_swig::before_delete = reinterpret_cast<void (*)(void*)>(function);
}
static void ckpt_csharp_close_machine() { ckpt_swig::machine_closed = true; }
static ckpt_status ckpt_csharp_tensor_borrow(void* data, ckpt_dtype dtype, const int64_t* shape, int32_t ndim, void* user_data,
                                             ckpt_destroy_fn destroy, ckpt_tensor** tensor) {
  std::unique_ptr<ckpt_csharp::Lent> lent(new ckpt_csharp::Lent{destroy, user_data});
  const ckpt_status status = ckpt_tensor_create_borrowed(data, dtype, shape, ndim, lent.get(), ckpt_csharp::end_lent, tensor);
  if (status == CKPT_OK) lent.release();
  return status;
}
%}
