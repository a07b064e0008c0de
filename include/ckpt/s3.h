/* s3.h - storages in the buckets of Amazon S3 and of what speaks its protocol: libckpt-s3, a library of its own beside libckpt.
 *
 *   ckpt_storage *storage = NULL;
 *   if (ckpt_s3_storage_create("s3://bucket/runs/7", NULL, &storage) != CKPT_OK) puts(ckpt_s3_last_error());
 *   ... ckpt_checkpoint_manager_create(storage, NULL, &checkpoint) ...
 *   ckpt_storage_release(storage);
 *
 * It is linked with -lckpt-s3 -lckpt (pkg-config: ckpt-s3). ckpt.h does not include this file. The rules at the top of ckpt.h hold.
 */
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

/* Where requests name the bucket. */
typedef int32_t ckpt_s3_path_style;

/* the bucket is in the host's name at Amazon, unless it can't be part of one, and in the path elsewhere */
#define CKPT_S3_PATH_STYLE_AUTO 0
#define CKPT_S3_PATH_STYLE_ON 1  /* the bucket is in the path: https://endpoint/bucket/key */
#define CKPT_S3_PATH_STYLE_OFF 2 /* the bucket is in the host's name: https://bucket.endpoint/key */

/* How a storage in a bucket is made. What is not given is looked for in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
 * AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL), then in the profile that AWS_PROFILE
 * names, or the usual one, of ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE). */
typedef struct ckpt_s3_options {
  uint32_t struct_size;          /* size of this struct in bytes, as the caller was compiled */
  ckpt_s3_path_style path_style; /* where requests name the bucket: CKPT_S3_PATH_STYLE_AUTO (the default), _ON or _OFF */
  /* host of the store, with or without a port, behind http:// or https://; https when neither is said; NULL: what the environment
   * or the profile says, else Amazon's of the region */
  const char* endpoint;
  const char* region;        /* region that requests are signed for; NULL: the environment's or the profile's, else "us-east-1" */
  const char* access_key;    /* access key's id; NULL: the environment's or the profile's */
  const char* secret_key;    /* secret access key, which is never sent; NULL: the environment's or the profile's */
  const char* session_token; /* token of temporary keys, when access_key and secret_key are such; NULL: they are not */
  const char* server_side_encryption; /* how the store encrypts what is written: "AES256", "aws:kms"; NULL: as the bucket says */
  const char* kms_key;                /* id of the key for "aws:kms"; NULL: the account's own for S3 */
  const char* storage_class;          /* class of what is written, for example "STANDARD_IA"; NULL: as the store says */
  /* size in bytes of the parts in which larger files are written, 8388608 (8 MiB) .. 67108864 (64 MiB); default 16 MiB; files that
   * would have more than 10,000 of them are written in larger ones. Smaller files are written by one request */
  int64_t part_bytes;
  /* parts of a file that are written, and pieces that are read, at the same time at most, 1 .. 64; default 8 */
  int32_t parts_in_flight;
  int32_t reserved;           /* not used: 0 */
  int64_t connect_timeout_ns; /* time for connecting in nanoseconds, > 0; default 10 s */
  /* time for one request and its answer in nanoseconds, > 0: a part must get through in it; default 5 min */
  int64_t request_timeout_ns;
} ckpt_s3_options;

#define CKPT_S3_OPTIONS_INIT                                                                                          \
  {                                                                                                                   \
    sizeof(ckpt_s3_options), CKPT_S3_PATH_STYLE_AUTO, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 16777216, 8, 0, \
        INT64_C(10000000000), INT64_C(300000000000)                                                                   \
  }

/* Sets *options to CKPT_S3_OPTIONS_INIT, and the bytes behind it, up to size, to zero. size: sizeof *options of the caller
 * (CKPT_INIT); NULL does nothing. */
CKPT_S3_API void ckpt_s3_options_init(ckpt_s3_options* options, uint32_t size);

/* Creates a storage in a bucket, with the flag CKPT_STORAGE_FLAG_OBJECTS. Sends nothing: whether there is such a bucket shows the
 * first use. uri: s3://bucket or s3://bucket/prefix, "%" and two hexadecimal digits for a byte; all names lie below the prefix.
 * options: NULL for the defaults; copied. INVALID_ARGUMENT for another URI, for components that are empty, "." or "..", for encoded
 * slashes and control characters, and for options that are not valid; PERMISSION when no keys are given or found, or there is no
 * such profile. The message of a failure is ckpt_s3_last_error's.
 *
 * A file is written in parts of part_bytes, parts_in_flight at a time (so much memory is used), and is there when it is synced; one
 * that is closed before leaves nothing. Writes must go from front to back: UNSUPPORTED for any other. A file that was opened and
 * then replaced by another is NOT_FOUND to later reads. Removing what is not there succeeds. put_if_absent is as atomic as the
 * store's If-None-Match; when the answer to it is lost, what is tried again may find its own file: compare.
 *
 * Errors: NOT_FOUND for names that are not there; INVALID_ARGUMENT for a bucket that is not there (NOT_FOUND from a load means
 * that there is nothing yet); PERMISSION for keys that are refused or have expired, and for a clock that is wrong; NO_SPACE for a
 * full quota; UNSUPPORTED for what the store does not do; and BUSY, IO and TIMEOUT for what may pass: overload, broken
 * connections, and whatever takes too long. ckpt_storage_create_retrying tries those again. Where the store says when to come back
 * (Retry-After), up to 5 s are waited inside; parts, and what makes a file of them, are tried again inside. No message has a key,
 * a token, a signature or a query. Keys of a profile are read again when its files change, and when the store says that they have
 * expired. In a forked child all its functions return FORKED; release it there, or make another. */
CKPT_S3_API ckpt_status ckpt_s3_storage_create(const char* uri, const ckpt_s3_options* options, ckpt_storage** storage);

/* Lets ckpt_storage_create_from_uri make storages for s3://, with the default options. Called again it does nothing. ALREADY_EXISTS
 * when the scheme is another plug-in's. Synchronised. */
CKPT_S3_API ckpt_status ckpt_s3_register(void);

/* An unfinished upload. path: the file's name below the prefix; borrowed for the call. age_ns: nanoseconds since it was begun, by
 * the store's clock, >= 0. Runs on the thread that calls ckpt_s3_abort_uploads. */
typedef void (*ckpt_s3_upload_fn)(const char* path, int64_t age_ns, void* user_data);

/* Aborts unfinished uploads of files below the prefix of the URI, and with them the room that their parts take: what a process that
 * was killed has left. uri, options: as for ckpt_s3_storage_create. older_than_ns: those that were begun at least so many
 * nanoseconds ago, by the store's clock, >= 0; an upload that a living process still writes is aborted as well, and its file fails,
 * so this is longer than any upload takes. dry_run: when 1, nothing is aborted. upload: called for each one that was aborted, or
 * would be; may be NULL. *count: how many these are. What another one aborts or completes meanwhile is not counted. After an error
 * those that it was called for are gone, and the others stay. The message of a failure is ckpt_s3_last_error's. Synchronised. */
CKPT_S3_API ckpt_status ckpt_s3_abort_uploads(const char* uri, const ckpt_s3_options* options, int64_t older_than_ns,
                                              ckpt_bool dry_run, ckpt_s3_upload_fn upload, void* user_data, int64_t* count);

/* One line of UTF-8 that says why the last failing function of this header failed on this thread; "" when none has. Never NULL. The
 * string stays valid until the next failure on the same thread. What storages report later is ckpt_last_error's. */
CKPT_S3_API const char* ckpt_s3_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_S3_H */
