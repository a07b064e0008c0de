#include "load.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>

#include <ckpt/s3.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

namespace ckpt::load {
namespace {

namespace fs = std::filesystem;

constexpr const char* scheme = "s3";
constexpr const char* file_name = "libckpt-s3.so.0";

bool is_of_s3(const char* uri) { return uri != nullptr && (uri[0] == 's' || uri[0] == 'S') && uri[1] == '3' && uri[2] == ':'; }

// ---- Where libckpt is ----

// The object that an address is in; nullptr when nobody knows.
const void* object_of(const void* address, Dl_info& info) { return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase; }

// Absolute; "" when it cannot be known. What the linker calls a program is what that was started as: the system knows it better.
std::string file_of_libckpt() {
  Dl_info own{};
  Dl_info program{};
  const void* const object = object_of(ckpt_version_string(), own);  // a text of its own
  if (object == nullptr || own.dli_fname == nullptr) return "";
  std::error_code error;
  if (object == object_of(reinterpret_cast<const void*>(getauxval(AT_PHDR)), program))  // linked statically
    return fs::read_symlink("/proc/self/exe", error).string();
  return own.dli_fname[0] == '/' ? own.dli_fname : "";
}

// Its folder, without links: not that of what a link to the file points to. "" where it is gone.
std::string folder_of(const std::string& file) {
  std::error_code error;
  return file.empty() ? "" : fs::canonical(fs::path(file).parent_path(), error).string();
}

// ---- The library ----

struct Library {
  void* handle = nullptr;
  std::string why_not;  // "" without a handle: it is not there
};

Library open_library(const std::string& folder) {
  Library library;
  const std::string path = folder + "/" + file_name;
  std::error_code error;
  if (folder.empty() || !fs::exists(path, error)) return library;
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) {
    const char* const said = dlerror();
    library.why_not = path + " does not load: " + (said == nullptr ? "the linker does not say why" : said);
    return library;
  }
  // What it makes is of use to the libckpt that it is linked to, and there can be two in a process.
  const auto version = reinterpret_cast<decltype(&ckpt_version_string)>(dlsym(library.handle, "ckpt_version_string"));
  if (version != nullptr && version() == ckpt_version_string()) return library;
  library.handle = nullptr;  // it stays in memory
  library.why_not = path + " does not work for this copy of libckpt, but for another one in the process";
  return library;
}

template <class Function>
Function function_of(const Library& library, const char* name) {
  return library.handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library.handle, name));
}

// ---- One at a time ----

std::mutex loading;
std::atomic<std::thread::id> loader;  // the thread that has it, while its function is registered
const std::string* loader_failure = nullptr;
std::atomic<decltype(&ckpt_s3_storage_create)> loaded_create = nullptr;
std::atomic<decltype(&ckpt_s3_last_error)> loaded_last_error = nullptr;

// A child that is forked while another thread loads would wait for that one for ever.
[[maybe_unused]] const int forks_wait = pthread_atfork([] { loading.lock(); }, [] { loading.unlock(); }, [] { loading.unlock(); });

// What s3: is while the library is being loaded. Others wait until it is; for the thread that has failed this is how libckpt comes
// to know the reason.
std::int32_t create_meanwhile(const char* uri, ckpt_storage** storage, void*) {
  if (loader.load() == std::this_thread::get_id()) {
    ckpt_callback_error(loader_failure->c_str());
    return CKPT_E_UNSUPPORTED;
  }
  { const std::lock_guard wait(loading); }
  const auto create = loaded_create.load();
  const auto last_error = loaded_last_error.load();
  if (create == nullptr || last_error == nullptr) {
    ckpt_callback_error("libckpt-s3 is not there, or does not load");
    return CKPT_E_UNSUPPORTED;
  }
  const ckpt_status status = create(uri, nullptr, storage);
  if (status != CKPT_OK) ckpt_callback_error(last_error());
  return status;
}

// As long as it lives, s3: is create_meanwhile; that tells whether the program has a function of its own.
class Registration {
 public:
  Registration() : status_(ckpt_storage_register_scheme(scheme, create_meanwhile, nullptr, nullptr)) {}
  ~Registration() { end(); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  ckpt_status status() const { return status_; }
  void end() {
    loader = std::thread::id();
    if (status_ == CKPT_OK) ckpt_storage_unregister_scheme(scheme);
    status_ = CKPT_E_INVALID_STATE;
  }

 private:
  ckpt_status status_;
};

ckpt_status create_of_s3(const char* uri, const std::string& folder, ckpt_storage** storage) {
  {
    const std::lock_guard lock(loading);
    Registration registration;
    if (registration.status() == CKPT_OK) {
      const Library library = open_library(folder.empty() ? folder_of(file_of_libckpt()) : folder);
      if (!library.why_not.empty()) {
        loader_failure = &library.why_not;
        loader = std::this_thread::get_id();
        return ckpt_storage_create_from_uri(uri, storage);
      }
      registration.end();
      if (const auto register_it = function_of<decltype(&ckpt_s3_register)>(library, "ckpt_s3_register")) {
        loaded_create = function_of<decltype(&ckpt_s3_storage_create)>(library, "ckpt_s3_storage_create");
        loaded_last_error = function_of<decltype(&ckpt_s3_last_error)>(library, "ckpt_s3_last_error");
        register_it();  // the program's own function may have come first: then that one stays
      }
    } else if (registration.status() != CKPT_E_ALREADY_EXISTS) {
      return registration.status();
    }
  }
  return ckpt_storage_create_from_uri(uri, storage);
}

}  // namespace

ckpt_status create_storage(const char* uri, const std::string& folder, ckpt_storage** storage) noexcept {
  if (!is_of_s3(uri)) return ckpt_storage_create_from_uri(uri, storage);
  try {
    return create_of_s3(uri, folder, storage);
  } catch (...) {
    return CKPT_E_OUT_OF_MEMORY;
  }
}

AbortedUploads abort_uploads(const std::string& uri, std::int64_t older_than_ns, bool dry_run) {
  AbortedUploads aborted;
  const Library library = open_library(folder_of(file_of_libckpt()));
  const auto abort = function_of<decltype(&ckpt_s3_abort_uploads)>(library, "ckpt_s3_abort_uploads");
  const auto last_error = function_of<decltype(&ckpt_s3_last_error)>(library, "ckpt_s3_last_error");
  if (abort == nullptr || last_error == nullptr) {
    const bool is_there = library.handle != nullptr;
    aborted.status = CKPT_E_UNSUPPORTED;
    aborted.reason = !library.why_not.empty() ? library.why_not
                     : is_there               ? "this version of libckpt-s3 does not find unfinished uploads"
                                              : "unfinished uploads are found by the package libckpt-s3, which is not there";
    return aborted;
  }
  const ckpt_s3_upload_fn add = [](const char* path, int64_t age_ns, void* uploads) {
    static_cast<std::vector<Upload>*>(uploads)->push_back({path, age_ns});
  };
  int64_t count = 0;
  aborted.status = abort(uri.c_str(), nullptr, older_than_ns, dry_run ? 1 : 0, add, &aborted.uploads, &count);
  if (aborted.status != CKPT_OK) aborted.reason = last_error();
  return aborted;
}

}  // namespace ckpt::load
