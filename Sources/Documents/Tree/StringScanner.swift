import CScan

/// Finds where runs of like bytes end.
protocol StringScanner {
    /// The first byte at or after `at` that is a quote, a backslash, a control character or not ASCII.
    static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int

    /// The first byte at or after `at` that is no digit.
    static func digitsEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int

    /// Goes past characters that are right from the begin of one on; it may stay where it is.
    static func textEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int
}

/// Sixteen or 32 bytes at once with SSE2, AVX2 or NEON.
enum VectorScanner: StringScanner {
    @inline(__always) static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_special_vector(text, at)
    }

    @inline(__always) static func digitsEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_digits_vector(text, at)
    }

    @inline(__always) static func textEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_text_vector(text, at)
    }
}

/// Eight bytes at once in a plain register.
enum PortableScanner: StringScanner {
    @inline(__always) static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_special_portable(text, at)
    }

    @inline(__always) static func digitsEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        cscan_digits_portable(text, at)
    }

    @inline(__always) static func textEnd(_: UnsafePointer<UInt8>, _ at: Int) -> Int { at }
}

#if arch(x86_64) || arch(arm64)
typealias FastestScanner = VectorScanner
#else
typealias FastestScanner = PortableScanner
#endif
