/* multi [--anew] [--buffer BYTES] URL COUNT CONCURRENCY

   Sends COUNT GETs to URL, CONCURRENCY at a time, through libcurl's multi interface and nothing else: the least that
   such a program can be. Its options are set once, and it sends the bytes that our engine sends, in the way that costs
   libcurl least. With --anew each handle is reset and set up again for each request, as in a program whose requests
   differ. Bodies are collected in memory, as our engine does. Prints requests a second, libcurl's initialisation
   included, the processor's seconds, and the peak of memory in bytes. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct body {
    char *bytes;
    size_t count, capacity;
};

static size_t collect(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t more = size * count;
    if (body->count + more > body->capacity) {
        body->capacity = (body->count + more) * 2;
        body->bytes = realloc(body->bytes, body->capacity);
        if (!body->bytes) return 0;
    }
    memcpy(body->bytes + body->count, bytes, more);
    body->count += more;
    return more;
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static const char *url;
static long buffer;
static struct curl_slist *lines;

static void set_up(CURL *easy, struct body *body) {
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
    if (buffer) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
}

int main(int argc, char **argv) {
    int anew = argc > 1 && strcmp(argv[1], "--anew") == 0;
    argv += anew, argc -= anew;
    if (argc == 6 && strcmp(argv[1], "--buffer") == 0) buffer = atol(argv[2]), argv += 2, argc -= 2;
    if (argc != 4) return fprintf(stderr, "usage: multi [--anew] [--buffer BYTES] URL COUNT CONCURRENCY\n"), 2;
    url = argv[1];
    double start = now(CLOCK_MONOTONIC);
    long count = atol(argv[2]), concurrency = atol(argv[3]), begun = 0, ended = 0;
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, concurrency + 8);
    /* What libcurl can decode, in its own order. */
    lines = curl_slist_append(NULL, "Accept-Encoding: deflate, gzip, br, zstd");
    lines = curl_slist_append(lines, "User-Agent: apus/0.1.0");
    for (; begun < concurrency && begun < count; begun++) {
        CURL *easy = curl_easy_init();
        set_up(easy, calloc(1, sizeof(struct body)));
        curl_multi_add_handle(multi, easy);
    }
    while (ended < count) {
        int running, left;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            struct body *body;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
            if (message->data.result != CURLE_OK || status != 200) return fprintf(stderr, "a request failed\n"), 1;
            ended++;
            /* Who asked keeps its response: the next one has a body of its own. */
            free(body->bytes);
            *body = (struct body){0};
            curl_multi_remove_handle(multi, easy);
            if (begun == count) continue;
            if (anew) curl_easy_reset(easy), set_up(easy, body);
            begun++, curl_multi_add_handle(multi, easy);
        }
        if (ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    double taken = now(CLOCK_MONOTONIC) - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.1f %.3f %ld\n", count / taken, now(CLOCK_PROCESS_CPUTIME_ID), usage.ru_maxrss * 1024);
    return 0;
}
