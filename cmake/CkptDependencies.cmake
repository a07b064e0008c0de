# The dependencies of the library: threads, Boost's headers, nlohmann-json and xxHash. Targets that a surrounding project already
# defines are used as they are.
find_package(Threads REQUIRED)

if(NOT TARGET nlohmann_json::nlohmann_json)
  find_package(nlohmann_json REQUIRED)
endif()

add_library(ckpt_boost INTERFACE)
if(NOT TARGET Boost::headers)
  if(POLICY CMP0167) # FindBoost was removed: use Boost's own configuration file
    cmake_policy(SET CMP0167 NEW)
  endif()
  find_package(Boost QUIET)
endif()
if(TARGET Boost::headers)
  target_link_libraries(ckpt_boost INTERFACE Boost::headers)
else() # headers only, without a configuration file
  find_path(CKPT_BOOST_INCLUDE_DIR boost/lockfree/queue.hpp REQUIRED DOC "Boost's headers")
  mark_as_advanced(CKPT_BOOST_INCLUDE_DIR)
  target_include_directories(ckpt_boost SYSTEM INTERFACE "${CKPT_BOOST_INCLUDE_DIR}")
endif()

find_path(CKPT_XXHASH_INCLUDE_DIR xxhash.h REQUIRED DOC "xxHash's headers")
find_library(CKPT_XXHASH_LIBRARY xxhash REQUIRED DOC "xxHash")
mark_as_advanced(CKPT_XXHASH_INCLUDE_DIR CKPT_XXHASH_LIBRARY)
add_library(ckpt_xxhash INTERFACE)
target_include_directories(ckpt_xxhash SYSTEM INTERFACE "${CKPT_XXHASH_INCLUDE_DIR}")
target_link_libraries(ckpt_xxhash INTERFACE "${CKPT_XXHASH_LIBRARY}")
