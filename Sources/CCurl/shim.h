#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

// curl_easy_setopt is variadic, which Swift cannot call, so there is one function for each argument type.

// The processor time of a thread's clock in nanoseconds; 0 if the thread has ended. In C, because Swift
// cannot see the members of timespec when its library is linked statically.
static inline int64_t ccurl_processor_time(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) ? 0 : time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline CURLcode ccurl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(
    CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(
    CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(
    CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

// CURLOPT_WRITEFUNCTION, HEADERFUNCTION and READFUNCTION share one callback type.
static inline CURLcode ccurl_set_data_callback(
    CURL *_Nonnull handle, CURLoption option,
    size_t (*_Nonnull callback)(char *_Nullable, size_t, size_t, void *_Nullable)) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode ccurl_set_seek_callback(
    CURL *_Nonnull handle, int (*_Nonnull callback)(void *_Nullable, curl_off_t, int)) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

// The callback is called once, after the last chunk of a body.
static inline CURLcode ccurl_set_trailer_callback(
    CURL *_Nonnull handle,
    int (*_Nonnull callback)(struct curl_slist *_Nullable *_Nullable, void *_Nullable),
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_TRAILERDATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_TRAILERFUNCTION, callback);
}

static inline CURLcode ccurl_set_socket_callback(
    CURL *_Nonnull handle,
    curl_socket_t (*_Nonnull callback)(
        void *_Nullable, curlsocktype, struct curl_sockaddr *_Nullable),
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_close_callback(
    CURL *_Nonnull handle, int (*_Nonnull callback)(void *_Nullable, curl_socket_t),
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_hop_callback(
    CURL *_Nonnull handle,
    int (*_Nonnull callback)(
        void *_Nullable, char *_Nullable, char *_Nullable, int, int),
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

// The callback is called before each TLS handshake, with the TLS library's own context.
static inline CURLcode ccurl_set_tls_callback(
    CURL *_Nonnull handle,
    CURLcode (*_Nonnull callback)(CURL *_Nullable, void *_Nullable, void *_Nullable),
    void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline int ccurl_hop_ok(void) { return CURL_PREREQFUNC_OK; }
static inline int ccurl_hop_abort(void) { return CURL_PREREQFUNC_ABORT; }

static inline CURLcode ccurl_set_progress_callback(
    CURL *_Nonnull handle,
    int (*_Nonnull callback)(void *_Nullable, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}

static inline CURLcode ccurl_set_debug_callback(
    CURL *_Nonnull handle,
    int (*_Nonnull callback)(
        CURL *_Nullable, curl_infotype, char *_Nullable, size_t, void *_Nullable)) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, callback);
}

// curl_easy_getinfo is variadic too, so there is one function for each result type.

static inline CURLcode ccurl_get_long(CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_offset(
    CURL *_Nonnull handle, CURLINFO info, curl_off_t *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_socket(CURL *_Nonnull handle, curl_socket_t *_Nonnull value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLcode ccurl_get_string(
    CURL *_Nonnull handle, CURLINFO info, char *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_context(
    CURL *_Nonnull handle, void *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, CURLINFO_PRIVATE, value);
}

static inline CURLcode ccurl_get_certificates(
    CURL *_Nonnull handle, struct curl_certinfo *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

// Whether libcurl uses OpenSSL (or a fork with the same functions), and its session (`SSL *`), which is there
// only during a callback of a transfer over TLS.
static inline int ccurl_get_openssl(CURL *_Nonnull handle, void *_Nullable *_Nonnull session) {
    struct curl_tlssessioninfo *info = NULL;
    *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &info) || !info) return 0;
    if (info->backend != CURLSSLBACKEND_OPENSSL) return 0;
    *session = info->internals;
    return 1;
}

static inline CURLcode ccurl_get_list(
    CURL *_Nonnull handle, CURLINFO info, struct curl_slist *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

// curl_share_setopt is variadic; only cookies are shared.
static inline CURLSHcode ccurl_share_cookies(
    CURLSH *_Nonnull share,
    void (*_Nonnull lock)(CURL *_Nullable, curl_lock_data, curl_lock_access, void *_Nullable),
    void (*_Nonnull unlock)(CURL *_Nullable, curl_lock_data, void *_Nullable),
    void *_Nonnull context) {
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock);
    curl_share_setopt(share, CURLSHOPT_USERDATA, context);
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

// curl_multi_setopt is variadic; only numbers are set.
static inline CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// CURL_GLOBAL_DEFAULT is a macro that expands to an expression.
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// CURLMsg keeps its result in a union.
static inline CURLcode ccurl_message_result(const CURLMsg *_Nonnull message) {
    return message->data.result;
}

// The special return values of callbacks are macros with casts.
static inline size_t ccurl_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }
static inline size_t ccurl_read_abort(void) { return CURL_READFUNC_ABORT; }
static inline size_t ccurl_read_pause(void) { return CURL_READFUNC_PAUSE; }

// The authentication schemes are macros with casts.
static inline long ccurl_auth_basic(void) { return (long)CURLAUTH_BASIC; }
static inline long ccurl_auth_digest(void) { return (long)CURLAUTH_DIGEST; }
static inline long ccurl_auth_ntlm(void) { return (long)CURLAUTH_NTLM; }
static inline long ccurl_auth_negotiate(void) { return (long)CURLAUTH_NEGOTIATE; }
static inline long ccurl_auth_any(void) { return (long)CURLAUTH_ANY; }

// The features that the library was built with; CURLVERSION_NOW is a macro for an enumerator.
static inline int ccurl_has_feature(int bits) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info && (info->features & bits) == bits;
}
static inline unsigned ccurl_version(void) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info ? info->version_num : 0;
}
static inline int ccurl_has_ntlm(void) { return ccurl_has_feature(CURL_VERSION_NTLM); }
static inline int ccurl_has_negotiate(void) { return ccurl_has_feature(CURL_VERSION_SPNEGO); }
static inline int ccurl_has_unix_sockets(void) {
    return ccurl_has_feature(CURL_VERSION_UNIX_SOCKETS);
}

// CURLPAUSE_CONT is a macro made of other macros.
static inline CURLcode ccurl_unpause(CURL *_Nonnull handle) {
    return curl_easy_pause(handle, CURLPAUSE_CONT);
}

// prctl is variadic, and pthread_setname_np is not in Swift's Glibc module.
static inline void ccurl_name_this_thread(const char *_Nonnull name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
