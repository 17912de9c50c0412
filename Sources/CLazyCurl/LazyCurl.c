// A stand-in for every libcurl function that the program can call; the first call loads libcurl.
//
// Loading libcurl takes 5-8 ms (it brings OpenSSL, nghttp2, LDAP, Kerberos and more). A program linked with
// it pays that before main, even if it never sends a request. With these stand-ins, the executable is not
// linked with libcurl; the first call opens it.
#include "CLazyCurl.h"

// curl's own declarations, so that the compiler checks every stand-in against them.
#define CURL_DISABLE_TYPECHECK
#define CURL_NO_OLDIES
// These two take a CURLU * in older versions and a const CURLU * in newer ones; ours work with both.
#define curl_url_dup declared_curl_url_dup
#define curl_url_get declared_curl_url_get
#include <curl/curl.h>
#undef curl_url_dup
#undef curl_url_get
#include <CLoader.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

// The header defines macros with these names.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

// The setopt and getinfo functions take one argument whose type depends on the option: long, pointer,
// function pointer or curl_off_t. All are 64 bits wide here and are passed in the same integer register, so
// they can all be forwarded as a uint64_t.
_Static_assert(sizeof(long) == 8 && sizeof(void *) == 8 && sizeof(void (*)(void)) == 8 && sizeof(curl_off_t) == 8,
               "curl options are forwarded as one 64-bit argument");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static const char *reason;

static void load(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", NULL};
  static char text[256];
  library = cloader_open(names, text, sizeof text);
  if (!library) __atomic_store_n(&reason, text, __ATOMIC_RELEASE);
}

static void *find(const char *name) {
  pthread_once(&once, load);
  return library ? dlsym(library, name) : NULL;
}

// No other call of curl can run before this ends, so the initialization need not be thread-safe.
static void load_and_initialise(void) {
  load();
  CURLcode (*initialise)(long) = library ? dlsym(library, "curl_global_init") : NULL;
  if (initialise) initialise(CURL_GLOBAL_DEFAULT);
}

static void *load_in_background(void *unused) {
  pthread_once(&once, load_and_initialise);
  return unused;
}

void lazy_curl_begin_loading(void) {
  // The new thread inherits this mask: signals must go to the threads that handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, load_in_background, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Why libcurl is not available, for the functions that return texts.
static const char *why_not(void) {
  const char *text = __atomic_load_n(&reason, __ATOMIC_ACQUIRE);
  return text ? text : "libcurl could not be loaded";
}

// Declares `found`: libcurl's own NAME, or NULL. Two threads may look it up at once; both find the same address.
#define FIND(NAME)                                                 \
  static __typeof__(&NAME) target;                                 \
  __typeof__(&NAME) found = __atomic_load_n(&target, __ATOMIC_ACQUIRE); \
  if (!found) {                                                    \
    found = (__typeof__(&NAME))find(#NAME);                        \
    __atomic_store_n(&target, found, __ATOMIC_RELEASE);            \
  }

// Defines RESULT NAME(PARAMETERS), which forwards ARGUMENTS; returns FAILURE if libcurl or the function is
// missing.
#define FORWARD(RESULT, NAME, PARAMETERS, ARGUMENTS, FAILURE) \
  RESULT NAME PARAMETERS {                                    \
    FIND(NAME)                                                \
    return found ? found ARGUMENTS : FAILURE;                 \
  }

#define FORWARD_VOID(NAME, PARAMETERS, ARGUMENTS) \
  void NAME PARAMETERS {                          \
    FIND(NAME)                                    \
    if (found) found ARGUMENTS;                   \
  }

// Defines RESULT NAME(handle, option, one argument).
#define FORWARD_OPTION(RESULT, NAME, HANDLE, OPTION, FAILURE)       \
  RESULT NAME(HANDLE *handle, OPTION option, ...) {                 \
    FIND(NAME)                                                      \
    if (!found) return FAILURE;                                     \
    va_list list;                                                   \
    va_start(list, option);                                         \
    uint64_t argument = va_arg(list, uint64_t);                     \
    va_end(list);                                                   \
    return found(handle, option, argument);                         \
  }

// Global
FORWARD(CURLcode, curl_global_init, (long flags), (flags), CURLE_FAILED_INIT)
FORWARD_VOID(curl_global_cleanup, (void), ())
FORWARD(char *, curl_version, (void), (), (char *)why_not())
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion age), (age), NULL)
FORWARD_VOID(curl_free, (void *memory), (memory))
FORWARD(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused), -1)

// Easy
FORWARD(CURL *, curl_easy_init, (void), (), NULL)
FORWARD_OPTION(CURLcode, curl_easy_setopt, CURL, CURLoption, CURLE_FAILED_INIT)
FORWARD_OPTION(CURLcode, curl_easy_getinfo, CURL, CURLINFO, CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_easy_perform, (CURL * easy), (easy), CURLE_FAILED_INIT)
FORWARD_VOID(curl_easy_cleanup, (CURL * easy), (easy))
FORWARD_VOID(curl_easy_reset, (CURL * easy), (easy))
FORWARD(CURL *, curl_easy_duphandle, (CURL * easy), (easy), NULL)
FORWARD(CURLcode, curl_easy_pause, (CURL * easy, int mask), (easy, mask), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_easy_upkeep, (CURL * easy), (easy), CURLE_FAILED_INIT)
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code), why_not())
FORWARD(char *, curl_easy_escape, (CURL * easy, const char *text, int length), (easy, text, length), NULL)
FORWARD(char *, curl_easy_unescape, (CURL * easy, const char *text, int length, int *out), (easy, text, length, out),
        NULL)
FORWARD(CURLcode, curl_easy_send, (CURL * easy, const void *buffer, size_t length, size_t *sent),
        (easy, buffer, length, sent), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_easy_recv, (CURL * easy, void *buffer, size_t length, size_t *received),
        (easy, buffer, length, received), CURLE_FAILED_INIT)
#if LIBCURL_VERSION_NUM >= 0x075300
FORWARD(CURLHcode, curl_easy_header,
        (CURL * easy, const char *name, size_t index, unsigned origin, int request, struct curl_header **header),
        (easy, name, index, origin, request, header), CURLHE_NOT_BUILT_IN)
FORWARD(struct curl_header *, curl_easy_nextheader,
        (CURL * easy, unsigned origin, int request, struct curl_header *previous), (easy, origin, request, previous),
        NULL)
#endif

// Multi
FORWARD(CURLM *, curl_multi_init, (void), (), NULL)
FORWARD_OPTION(CURLMcode, curl_multi_setopt, CURLM, CURLMoption, CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *easy), (multi, easy), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_poll,
        (CURLM * multi, struct curl_waitfd fds[], unsigned count, int timeout, int *ready),
        (multi, fds, count, timeout, ready), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_wait,
        (CURLM * multi, struct curl_waitfd fds[], unsigned count, int timeout, int *ready),
        (multi, fds, count, timeout, ready), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_fdset, (CURLM * multi, fd_set *reading, fd_set *writing, fd_set *failing, int *highest),
        (multi, reading, writing, failing, highest), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_timeout, (CURLM * multi, long *milliseconds), (multi, milliseconds),
        CURLM_INTERNAL_ERROR)
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left), NULL)
FORWARD(CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int *running),
        (multi, socket, events, running), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_assign, (CURLM * multi, curl_socket_t socket, void *context), (multi, socket, context),
        CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi), CURLM_INTERNAL_ERROR)
FORWARD(const char *, curl_multi_strerror, (CURLMcode code), (code), why_not())

// Share
FORWARD(CURLSH *, curl_share_init, (void), (), NULL)
FORWARD_OPTION(CURLSHcode, curl_share_setopt, CURLSH, CURLSHoption, CURLSHE_INVALID)
FORWARD(CURLSHcode, curl_share_cleanup, (CURLSH * share), (share), CURLSHE_INVALID)
FORWARD(const char *, curl_share_strerror, (CURLSHcode code), (code), why_not())

// Lists and forms
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text), NULL)
FORWARD_VOID(curl_slist_free_all, (struct curl_slist * list), (list))
FORWARD(curl_mime *, curl_mime_init, (CURL * easy), (easy), NULL)
FORWARD_VOID(curl_mime_free, (curl_mime * mime), (mime))
FORWARD(curl_mimepart *, curl_mime_addpart, (curl_mime * mime), (mime), NULL)
FORWARD(CURLcode, curl_mime_name, (curl_mimepart * part, const char *name), (part, name), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_filename, (curl_mimepart * part, const char *name), (part, name), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_type, (curl_mimepart * part, const char *type), (part, type), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_encoder, (curl_mimepart * part, const char *encoding), (part, encoding),
        CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_data, (curl_mimepart * part, const char *data, size_t length), (part, data, length),
        CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_filedata, (curl_mimepart * part, const char *path), (part, path), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_data_cb,
        (curl_mimepart * part, curl_off_t length, curl_read_callback reader, curl_seek_callback seeker,
         curl_free_callback freer, void *context),
        (part, length, reader, seeker, freer, context), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_subparts, (curl_mimepart * part, curl_mime *parts), (part, parts), CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_mime_headers, (curl_mimepart * part, struct curl_slist *headers, int takes),
        (part, headers, takes), CURLE_FAILED_INIT)

// URLs
FORWARD(CURLU *, curl_url, (void), (), NULL)
FORWARD_VOID(curl_url_cleanup, (CURLU * url), (url))
FORWARD(CURLU *, curl_url_dup, (const CURLU *url), (url), NULL)
FORWARD(CURLUcode, curl_url_get, (const CURLU *url, CURLUPart part, char **text, unsigned flags),
        (url, part, text, flags), CURLUE_OUT_OF_MEMORY)
FORWARD(CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned flags),
        (url, part, text, flags), CURLUE_OUT_OF_MEMORY)
#if LIBCURL_VERSION_NUM >= 0x075000
FORWARD(const char *, curl_url_strerror, (CURLUcode code), (code), why_not())
#endif
