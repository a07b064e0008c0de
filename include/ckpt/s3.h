/* s3.h - storages in buckets of Amazon S3 and of compatible stores: libckpt-s3, a separate library that uses libckpt.
 *
 *   ckpt_storage *storage = NULL;
 *   if (ckpt_s3_storage_create("s3://bucket/runs/7", NULL, &storage) != CKPT_OK) puts(ckpt_s3_last_error());
 *   ... ckpt_checkpoint_manager_create(storage, NULL, &checkpoint) ...
 *   ckpt_storage_release(storage);
 *
 * Link with -lckpt-s3 -lckpt (pkg-config: ckpt-s3). ckpt.h does not include this file. The rules at the top of ckpt.h apply. */
#ifndef CKPT_S3_H
#define CKPT_S3_H

#include <ckpt/base.h>
#include <ckpt/storage.h>

#if defined(__GNUC__)
#define CKPT_S3_API __attribute__((visibility("default")))
#else
#define CKPT_S3_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The place of the bucket's name in requests. */
typedef int32_t ckpt_s3_path_style;

/* the bucket is in the host name for Amazon, unless it is not valid there, and in the path for other stores */
#define CKPT_S3_PATH_STYLE_AUTO 0
#define CKPT_S3_PATH_STYLE_ON 1  /* the bucket is in the path: https://endpoint/bucket/key */
#define CKPT_S3_PATH_STYLE_OFF 2 /* the bucket is in the host name: https://bucket.endpoint/key */

/* Options for creating a storage in a bucket. Missing values are taken from the environment (AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL), then from the
 * profile AWS_PROFILE, or the default profile, in ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE,
 * AWS_CONFIG_FILE). */
typedef struct ckpt_s3_options {
  uint32_t struct_size;          /* size of this struct in bytes, in the caller's build */
  ckpt_s3_path_style path_style; /* place of the bucket's name in requests: CKPT_S3_PATH_STYLE_AUTO (the default), _ON or _OFF */
  /* host of the store, with or without a port, after http:// or https://; https if neither is given; NULL: from the environment or
   * the profile, else Amazon's endpoint of the region */
  const char* endpoint;
  const char* region;        /* region for which requests are signed; NULL: from the environment or the profile, else "us-east-1" */
  const char* access_key;    /* id of the access key; NULL: from the environment or the profile */
  const char* secret_key;    /* secret access key, which is never sent; NULL: from the environment or the profile */
  const char* session_token; /* session token, if access_key and secret_key are temporary; NULL: they are permanent */
  /* encryption of written objects by the store: "AES256", "aws:kms"; NULL: the bucket's setting */
  const char* server_side_encryption;
  const char* kms_key;       /* id of the key for "aws:kms"; NULL: the account's default key for S3 */
  const char* storage_class; /* storage class of written objects, for example "STANDARD_IA"; NULL: as configured in the store */
  /* size in bytes of the parts in which larger files are written, 8388608 (8 MiB) .. 67108864 (64 MiB); default 16 MiB; files that
   * would need more than 10,000 parts are written in larger parts. Smaller files are written by one request */
  int64_t part_bytes;
  /* maximum number of parts of a file that are written, and of ranges that are read, at the same time, 1 .. 64; default 8 */
  int32_t parts_in_flight;
  int32_t reserved;           /* not used: 0 */
  int64_t connect_timeout_ns; /* time-out for connecting in nanoseconds, > 0; default 10 s */
  /* time-out for one request with its response in nanoseconds, > 0, long enough to transfer a part; default 5 min */
  int64_t request_timeout_ns;
} ckpt_s3_options;

#define CKPT_S3_OPTIONS_INIT                                                                                          \
  {                                                                                                                   \
    sizeof(ckpt_s3_options), CKPT_S3_PATH_STYLE_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 16777216, 8, 0, \
        INT64_C(10000000000), INT64_C(300000000000)                                                                   \
  }

/* Sets *options to CKPT_S3_OPTIONS_INIT, and the remaining bytes up to size to zero. size: sizeof *options in the caller's build.
 * INVALID_ARGUMENT, with nothing written, for a size below that of the first version, above 4096, or not a multiple of 4. */
CKPT_S3_API ckpt_status ckpt_s3_options_init(ckpt_s3_options* options, uint32_t size);

/* Creates a storage in a bucket, with the flag CKPT_STORAGE_FLAG_OBJECTS. Sends no request: a missing bucket is reported at the
 * first use. uri: s3://bucket or s3://bucket/prefix, "%" and two hexadecimal digits for a byte; all names are below the prefix.
 * options: NULL for the defaults; copied. INVALID_ARGUMENT for another URI, for components that are empty, "." or "..", for encoded
 * slashes and control characters, and for invalid options; PERMISSION if no keys are given or found, or the profile does not exist.
 * ckpt_s3_last_error returns the message of a failure.
 *
 * A file is written in parts of part_bytes, parts_in_flight at a time (this is also the memory needed), and becomes visible when it
 * is synced; a file that is closed before leaves no object. Writes must be sequential from the start: UNSUPPORTED for any other.
 * Reads of an open file fail with NOT_FOUND after it was replaced by another. Removing a missing file succeeds. put_if_absent is as
 * atomic as the store's If-None-Match; if the response is lost, a retry may find the file that it has written itself: compare the
 * contents.
 *
 * Errors: NOT_FOUND for missing names; INVALID_ARGUMENT for a missing bucket (because NOT_FOUND from a load means that no
 * checkpoint exists yet); PERMISSION for refused or expired keys, and for a wrong clock; NO_SPACE for a full quota; UNSUPPORTED for
 * operations that the store does not support; and BUSY, IO and TIMEOUT for transient errors: overload, broken connections and
 * time-outs. ckpt_storage_create_retrying retries those. If the store asks for a delay (Retry-After), the storage waits for up to 5
 * s itself; it also retries parts and the completion of a multipart upload itself. Messages never contain a key, a token, a
 * signature or a query. Keys of a profile are read again when its files change, and when the store reports that they have expired.
 * In a forked child all its functions return FORKED; release it there, or create another. */
CKPT_S3_API ckpt_status ckpt_s3_storage_create(const char* uri, const ckpt_s3_options* options, ckpt_storage** storage);

/* Registers the scheme s3:// for ckpt_storage_create_from_uri, with the default options. Further calls do nothing. ALREADY_EXISTS
 * if another plug-in has registered the scheme. Synchronized. */
CKPT_S3_API ckpt_status ckpt_s3_register(void);

/* Receives one unfinished upload. path: the file's name below the prefix; borrowed for the call. age_ns: nanoseconds since it was
 * begun, by the store's clock, >= 0. Runs on the thread that calls ckpt_s3_abort_uploads. */
typedef void (*ckpt_s3_upload_fn)(const char* path, int64_t age_ns, void* user_data);

/* Aborts unfinished uploads of files below the prefix of the URI, which killed processes have left, and frees the space of their
 * parts. uri, options: as for ckpt_s3_storage_create. older_than_ns: minimum age of the uploads in nanoseconds, by the store's
 * clock, >= 0; an upload of a running process is aborted as well, and its file fails, so choose more than the longest duration of
 * an upload. dry_run: if 1, nothing is aborted. upload: called for each upload that was aborted, or would be; may be NULL. *count:
 * number of these uploads. Uploads that another process aborts or completes during the call are not counted. After an error, the
 * uploads for which it was called have been aborted, and the others remain. ckpt_s3_last_error returns the message of a failure.
 * Synchronized. */
CKPT_S3_API ckpt_status ckpt_s3_abort_uploads(const char* uri, const ckpt_s3_options* options, int64_t older_than_ns,
                                              ckpt_bool dry_run, ckpt_s3_upload_fn upload, void* user_data, int64_t* count);

/* Returns why the last failing function of this header failed on this thread: one line of UTF-8; "" when none has. Never NULL. The
 * string stays valid until the next failure on the same thread. Later errors of the storages are reported by ckpt_last_error. */
CKPT_S3_API const char* ckpt_s3_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_S3_H */
