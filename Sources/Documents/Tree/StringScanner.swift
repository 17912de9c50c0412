import CScan

/// Finds where the fast part of a string ends.
protocol StringScanner {
    /// The first byte at or after `at` that is a quote, a backslash, a control character or not ASCII.
    static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int
}

/// Sixteen bytes at once with SSE2 or NEON.
enum VectorScanner: StringScanner {
    @inline(__always) static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_special_vector(text, at)
    }
}

/// Eight bytes at once in a plain register.
enum PortableScanner: StringScanner {
    @inline(__always) static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_special_portable(text, at)
    }
}

#if arch(x86_64) || arch(arm64)
typealias FastestScanner = VectorScanner
#else
typealias FastestScanner = PortableScanner
#endif
