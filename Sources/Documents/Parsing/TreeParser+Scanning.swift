import CScan

/// The parts of the parser that look at single bytes.
extension TreeParser {
    /// Moves to the closing quote; sets `escapes` to 1 if there is a backslash.
    @inline(always) mutating func scanString(_ escapes: inout UInt64) -> Bool {
        while true {
            at = Scanner.next(text, at)
            let byte = text[at]
            if byte == 0x22 { return true }
            if byte >= 0x80 {
                guard skipMultibyte() else { return false }
            } else if byte == 0x5C {
                escapes = 1
                guard skipEscape() else { return false }
            } else {
                outcome = .fault(at >= end ? .unexpectedEnd : .controlCharacter)
                return false
            }
        }
    }

    @inline(always) private mutating func skipMultibyte() -> Bool {
        // A single character, as in a name, is not worth the call of `textEnd`.
        let length = Self.multibyteLength(Self.load32(text, at))
        at &+= length
        guard length == 0 || text[at] >= 0x80 else { return true }
        if length != 0 { at = Scanner.textEnd(text, at) }
        while text[at] >= 0x80 {
            let length = Self.multibyteLength(Self.load32(text, at))
            if length == 0 {
                let isCutOff = Self.endsInSequence(text, at, end)
                outcome = .fault(isCutOff ? .unexpectedEnd : .badUTF8)
                return false
            }
            at &+= length
        }
        return true
    }

    @inline(always) private mutating func skipEscape() -> Bool {
        switch text[at &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            at &+= 2
            return true
        case 0x75:
            let digits = Self.hexDigits(text, at &+ 2)
            if digits == 4 {
                at &+= 6
                return true
            }
            outcome = .fault(at &+ 2 &+ digits >= end ? .unexpectedEnd : .badUnicodeEscape)
        default:
            outcome = .fault(at &+ 1 >= end ? .unexpectedEnd : .badEscape)
        }
        return false
    }

    @inline(always) mutating func skipWhitespace() {
        if text[at] > 0x20 { return }
        at = cscan_blanks(text, at)
    }

    /// Skips the white space after a colon: usually none or one space.
    @inline(always) mutating func skipBlank() {
        if text[at] > 0x20 { return }
        if text[at] == 0x20 && text[at &+ 1] > 0x20 {
            at &+= 1
        } else {
            at = cscan_blanks(text, at)
        }
    }

    /// Skips white space, which often has the same length as the previous time.
    ///
    /// If so, the processor need not wait for the scan before it reads on.
    @inline(always) mutating func skipIndent() {
        let length = cscan_blanks(text, at) &- at
        if length == indent {
            at &+= cscan_opaque(indent)
        } else {
            indent = length
            at &+= length
        }
    }

    /// Skips an integer's digits; false if there are none.
    @inline(always) mutating func skipDigits() -> Bool {
        let start = at
        at = Scanner.digitsEnd(text, at)
        return at != start
    }

    /// Skips the digits of a fraction or an exponent; false if there are none.
    ///
    /// Fractions are mostly of equal length, and for those eight bytes at once are faster than sixteen.
    @inline(always) mutating func skipFraction() -> Bool {
        let start = at
        at = PortableScanner.digitsEnd(text, at)
        return at != start
    }

    @inline(always) static func load32(_ text: UnsafePointer<UInt8>, _ at: Int) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(text + at).loadUnaligned(as: UInt32.self))
    }

    /// The length of a sequence of two to four bytes; 0 if it is not valid UTF-8 (RFC 3629).
    @inline(always) static func multibyteLength(_ bytes: UInt32) -> Int {
        if bytes & 0x00C0_C0F0 == 0x0080_80E0 {
            let significant = bytes & 0x200F
            return significant != 0 && significant != 0x200D ? 3 : 0
        }
        if bytes & 0x0000_C0E0 == 0x0000_80C0 { return bytes & 0x1E != 0 ? 2 : 0 }
        if bytes & 0xC0C0_C0F8 == 0x8080_80F0 {
            let significant = bytes & 0x3007
            let isInPlanes = significant & 4 == 0 || significant & 0x3003 == 0
            return significant != 0 && isInPlanes ? 4 : 0
        }
        return 0
    }

    /// Whether the text ends inside a sequence that is valid so far.
    @inline(never) static func endsInSequence(
        _ text: UnsafePointer<UInt8>,
        _ at: Int,
        _ end: Int
    ) -> Bool {
        let lead = text[at]
        guard lead >= 0xC2 && lead <= 0xF4, at &+ (lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2) > end
        else { return false }
        guard at &+ 1 < end else { return true }
        let second = text[at &+ 1]
        // The second byte's range depends on the first: no overlong forms, no surrogates.
        let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard second >= lowest && second <= highest else { return false }
        return at &+ 2 >= end || text[at &+ 2] & 0xC0 == 0x80
    }

    @inline(always) static func hexDigits(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int {
        var count = 0
        while count < 4 && HexDigit.value(text[at &+ count]) != nil { count &+= 1 }
        return count
    }

    /// The offset of the first byte that differs from the four bytes of a literal.
    @inline(never) static func firstMismatch(
        _ text: UnsafePointer<UInt8>,
        _ at: Int,
        _ word: UInt32
    ) -> Int {
        at + (load32(text, at) ^ word).trailingZeroBitCount / 8
    }
}

/// Finds the ends of runs of similar bytes.
protocol StringScanner {
    /// The first byte at or after `at` that is a quote, a backslash, a control character or not ASCII.
    static func next(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int

    /// The first byte at or after `at` that is not a digit.
    static func digitsEnd(_ text: UnsafePointer<UInt8>, _ at: Int) -> Int

    /// Skips valid characters, starting at the beginning of one; may skip none.
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
