#ifndef CLAZYCURL_H
#define CLAZYCURL_H

// This target defines libcurl's functions (LazyCurl.c); the first call of one loads libcurl.

// Loads and initializes libcurl on a new thread, for programs that will soon call it. A call waits until
// loading has ended.
void lazy_curl_begin_loading(void);

#endif
