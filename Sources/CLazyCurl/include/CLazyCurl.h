#ifndef CLAZYCURL_H
#define CLAZYCURL_H

// This target defines libcurl's own functions (LazyCurl.c), which load libcurl when one is first called.

// Loads and initialises libcurl on a thread of its own, for who will call it soon. A call waits for the end of it.
void lazy_curl_begin_loading(void);

#endif
