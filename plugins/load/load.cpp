#include "load.h"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <ckpt/s3.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

namespace ckpt::load {
namespace {

namespace fs = std::filesystem;

template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  ((out += pieces), ...);
  return out;
}

constexpr const char* scheme = "s3";
constexpr const char* file_name = "libckpt-s3.so." CKPT_SOVERSION;

bool is_of_s3(const char* uri) { return uri != nullptr && (uri[0] == 's' || uri[0] == 'S') && uri[1] == '3' && uri[2] == ':'; }

// ---- Location of libckpt ----

// Returns the object that contains an address; nullptr if it is not known.
const void* object_of(const void* address, Dl_info& info) { return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase; }

// Returns the absolute path of the file that is mapped at an address, whatever the linker was given; "" if it is not known.
std::string file_mapped_at(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {  // "begin-end rwxp offset device inode   /path"
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const char* const last = line.data() + line.size();
    const auto [dash, of_begin] = std::from_chars(line.data(), last, begin, 16);
    if (of_begin != std::errc() || dash == last || *dash != '-') continue;
    if (std::from_chars(dash + 1, last, end, 16).ec != std::errc() || wanted < begin || wanted >= end) continue;
    const std::size_t path = line.find('/');
    return path == std::string::npos ? "" : line.substr(path);
  }
  return "";
}

// Returns an absolute path; "" if it is not known. For the program itself the linker reports the name with which it was started, so
// the system is queried instead. For a library it reports a relative path if LD_LIBRARY_PATH contains one, and the program may have
// changed its working directory since.
std::string file_of_libckpt() {
  Dl_info own{};
  Dl_info program{};
  const void* const object = object_of(ckpt_version_string(), own);  // an address inside libckpt
  if (object == nullptr || own.dli_fname == nullptr) return "";
  std::error_code error;
  if (object == object_of(reinterpret_cast<const void*>(getauxval(AT_PHDR)), program))  // linked statically
    return fs::read_symlink("/proc/self/exe", error).string();
  return own.dli_fname[0] == '/' ? own.dli_fname : file_mapped_at(ckpt_version_string());
}

// Returns the folder of the file itself, not of the target of a link to it. "" if it does not exist any more.
std::string folder_of(const std::string& file) {
  std::error_code error;
  return file.empty() ? "" : fs::canonical(fs::path(file).parent_path(), error).string();
}

// ---- The library ----

struct Library {
  void* handle = nullptr;
  std::string problem;  // set if handle is nullptr
  bool is_missing = false;
};

// Returns the plug-ins of other versions in a folder, separated by commas: each minor version has a different file name.
std::string other_versions_in(const std::string& folder) {
  constexpr std::string_view start = "libckpt-s3.so.";
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, start.size(), start) == 0) names.insert(name);
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string absence_of(const std::string& folder, const std::string& path) {
  const std::string rule = " (only the folder of libckpt is searched, not LD_LIBRARY_PATH)";
  if (folder.empty()) return cat(file_name, " was not found: the folder of libckpt is not known", rule);
  const std::string others = other_versions_in(folder);
  return cat(path, " was not found", rule,
             others.empty() ? "" : cat("; found ", others, " for other versions than libckpt ", ckpt_version_string()));
}

// Returns why an existing library cannot be loaded.
std::string failure_of(const std::string& path) {
  constexpr std::string_view undefined = "undefined symbol: ckpt_";
  const char* const error = dlerror();
  const std::string linker_error = error == nullptr ? "the linker reports no reason" : error;
  if (linker_error.find(undefined) == std::string::npos) return cat(path, " cannot be loaded: ", linker_error);
  return cat(path, " cannot be loaded: its version differs from libckpt ", ckpt_version_string(), ": ", linker_error);
}

Library open_library(const std::string& folder) {
  Library library;
  const std::string path = folder + "/" + file_name;
  std::error_code error;
  if (folder.empty() || !fs::exists(path, error)) {
    library.problem = absence_of(folder, path);
    library.is_missing = true;
    return library;
  }
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.problem = failure_of(path);
    return library;
  }
  for (const char* const name : {"ckpt_s3_register", "ckpt_s3_storage_create", "ckpt_s3_last_error"}) {
    if (dlsym(handle, name) != nullptr) continue;
    dlclose(handle);
    library.problem =
        cat(path, " is not libckpt-s3, or its version differs from libckpt ", ckpt_version_string(), ": it lacks ", name);
    return library;
  }
  // Its objects work only with the libckpt to which it is linked, and a process can contain two.
  const auto version = reinterpret_cast<decltype(&ckpt_version_string)>(dlsym(handle, "ckpt_version_string"));
  if (version == nullptr || version() != ckpt_version_string()) {  // the library stays loaded
    library.problem = path + " is linked to another copy of libckpt in this process";
    return library;
  }
  library.handle = handle;
  return library;
}

template <class Function>
Function function_of(const Library& library, const char* name) {
  return library.handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library.handle, name));
}

// ---- Synchronization ----

std::mutex loading;
std::atomic<std::thread::id> loader;  // the thread that holds it, while its function is registered
const std::string* loader_failure = nullptr;
std::atomic<decltype(&ckpt_s3_storage_create)> loaded_create = nullptr;
std::atomic<decltype(&ckpt_s3_last_error)> loaded_last_error = nullptr;

// Otherwise a child forked while another thread loads would wait for that thread forever.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { loading.lock(); }, [] { loading.unlock(); }, [] { loading.unlock(); });

// The function for s3: while the library is being loaded. Other threads wait until it is loaded. In the thread that failed to load
// it, this function passes the reason to libckpt.
std::int32_t create_while_loading(const char* uri, ckpt_storage** storage, void*) {
  if (loader.load() == std::this_thread::get_id()) {
    ckpt_callback_error(loader_failure->c_str());
    return CKPT_E_UNSUPPORTED;
  }
  { const std::lock_guard wait(loading); }
  const auto create = loaded_create.load();
  const auto last_error = loaded_last_error.load();
  if (create == nullptr || last_error == nullptr) {
    ckpt_callback_error("libckpt-s3 is missing or cannot be loaded");
    return CKPT_E_UNSUPPORTED;
  }
  const ckpt_status status = create(uri, nullptr, storage);
  if (status != CKPT_OK) ckpt_callback_error(last_error());
  return status;
}

// While it exists, create_while_loading is the function for s3:. If that fails, the program has registered its own function.
class Registration {
 public:
  Registration() : status_(ckpt_storage_register_scheme(scheme, create_while_loading, nullptr, nullptr)) {}
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
      if (library.handle == nullptr) {
        const std::string failure =
            (library.is_missing ? "the scheme 's3' requires the package libckpt-s3; " : "") + library.problem;
        loader_failure = &failure;
        loader = std::this_thread::get_id();
        return ckpt_storage_create_from_uri(uri, storage);
      }
      registration.end();
      loaded_create = function_of<decltype(&ckpt_s3_storage_create)>(library, "ckpt_s3_storage_create");
      loaded_last_error = function_of<decltype(&ckpt_s3_last_error)>(library, "ckpt_s3_last_error");
      // The program may have registered its own function first; that one is kept.
      function_of<decltype(&ckpt_s3_register)>(library, "ckpt_s3_register")();
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
    aborted.status = CKPT_E_UNSUPPORTED;
    aborted.reason = library.handle != nullptr ? "this version of libckpt-s3 cannot list unfinished uploads"
                     : library.is_missing      ? "unfinished uploads require the package libckpt-s3; " + library.problem
                                               : library.problem;
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
