// A stand-in for every libcurl function that the program can call; the first call loads libcurl.
//
// Loading libcurl takes 5-8 ms (it brings OpenSSL, nghttp2, LDAP, Kerberos and more). A program linked with
// it pays that before main, even if it never sends a request. With these stand-ins, the executable is not
// linked with libcurl; the first call opens it.
#include "CLazyCurl.h"

// curl's own declarations, so that the compiler checks every stand-in against them.
#define CURL_DISABLE_TYPECHECK
#define CURL_NO_OLDIES
// It takes a CURLU * in older versions and a const CURLU * in newer ones; ours works with both.
#define curl_url_get declared_curl_url_get
#include <curl/curl.h>
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
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion age), (age), NULL)
FORWARD_VOID(curl_free, (void *memory), (memory))

// Easy
FORWARD(CURL *, curl_easy_init, (void), (), NULL)
FORWARD_OPTION(CURLcode, curl_easy_setopt, CURL, CURLoption, CURLE_FAILED_INIT)
FORWARD_OPTION(CURLcode, curl_easy_getinfo, CURL, CURLINFO, CURLE_FAILED_INIT)
FORWARD_VOID(curl_easy_cleanup, (CURL * easy), (easy))
FORWARD(CURL *, curl_easy_duphandle, (CURL * easy), (easy), NULL)
FORWARD(CURLcode, curl_easy_pause, (CURL * easy, int mask), (easy, mask), CURLE_FAILED_INIT)
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code), why_not())

// Multi
FORWARD(CURLM *, curl_multi_init, (void), (), NULL)
FORWARD_OPTION(CURLMcode, curl_multi_setopt, CURLM, CURLMoption, CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *easy), (multi, easy), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_poll,
        (CURLM * multi, struct curl_waitfd fds[], unsigned count, int timeout, int *ready),
        (multi, fds, count, timeout, ready), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi), CURLM_INTERNAL_ERROR)
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left), NULL)
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi), CURLM_INTERNAL_ERROR)
FORWARD(const char *, curl_multi_strerror, (CURLMcode code), (code), why_not())

// Share
FORWARD(CURLSH *, curl_share_init, (void), (), NULL)
FORWARD_OPTION(CURLSHcode, curl_share_setopt, CURLSH, CURLSHoption, CURLSHE_INVALID)
FORWARD(CURLSHcode, curl_share_cleanup, (CURLSH * share), (share), CURLSHE_INVALID)

// Lists
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text), NULL)
FORWARD_VOID(curl_slist_free_all, (struct curl_slist * list), (list))

// URLs
FORWARD(CURLU *, curl_url, (void), (), NULL)
FORWARD_VOID(curl_url_cleanup, (CURLU * url), (url))
FORWARD(CURLUcode, curl_url_get, (const CURLU *url, CURLUPart part, char **text, unsigned flags),
        (url, part, text, flags), CURLUE_OUT_OF_MEMORY)
FORWARD(CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned flags),
        (url, part, text, flags), CURLUE_OUT_OF_MEMORY)
