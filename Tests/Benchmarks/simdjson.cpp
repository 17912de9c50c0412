// Parses FILE with simdjson's DOM and reused buffers, ROUNDS times after one that warms up: what
// `documents` sets beside our parser. Prints the gigabytes a second of each round, then the peak
// memory beyond the text in bytes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <simdjson.h>
#include <string>

static long peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::atol(line.c_str() + 6) * 1024;
    return 0;
}

int main(int count, char **arguments) {
    if (count != 3) return std::fprintf(stderr, "usage: simdjson FILE ROUNDS\n"), 2;
    simdjson::padded_string text;
    if (simdjson::padded_string::load(arguments[1]).get(text))
        return std::fprintf(stderr, "%s cannot be read\n", arguments[1]), 2;
    long before = peak_memory();
    simdjson::dom::parser parser;
    if (auto error = parser.allocate(text.size(), 4096))
        return std::fprintf(stderr, "%s\n", simdjson::error_message(error)), 1;
    int rounds = std::atoi(arguments[2]);
    long repeats = 1 + 20000000 / (long)(text.size() + 1);
    for (int round = -1; round < rounds; round++) {
        auto start = std::chrono::steady_clock::now();
        for (long repeat = 0; repeat < repeats; repeat++) {
            auto error = parser.parse(text.data(), text.size(), false).error();
            if (error) return std::printf("refused: %s\n", simdjson::error_message(error)), 1;
        }
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (round >= 0) std::printf("%.4f\n", (double)text.size() * repeats / taken.count() / 1e9);
    }
    std::printf("memory %ld\n", peak_memory() - before);
}
