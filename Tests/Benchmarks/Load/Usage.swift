import Glibc

/// What this process has used.
enum Usage {
    /// Prints a rate, the processor's seconds and the peak of memory in bytes.
    static func print(rate: Double) {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let processor = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        Swift.print(rate, processor, usage.ru_maxrss * 1024)
    }
}
