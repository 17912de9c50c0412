#ifndef CLAZYCURL_H
#define CLAZYCURL_H

// Nothing to call: this target defines libcurl's own functions (LazyCurl.c).

#endif
