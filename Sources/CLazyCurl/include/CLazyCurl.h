#ifndef CLAZYCURL_H
#define CLAZYCURL_H

/// Loads libcurl now, from any thread; without this the first curl call does.
/// Gives 0, or -1 when libcurl cannot be loaded: `lazy_curl_error` says why.
int lazy_curl_preload(void);

/// Why libcurl could not be loaded; NULL when it was, or when nobody has tried yet.
/// The text lives as long as the program.
const char *_Nullable lazy_curl_error(void);

#endif
