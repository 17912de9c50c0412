extension WriteFault: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .incomplete: "this value is not complete"
        case .duplicateKey: "canonical JSON allows a key only once in an object"
        case .loneSurrogate: "half of a surrogate pair is no character"
        case .numberTooLarge: "this number is too large for canonical JSON"
        }
    }
}
