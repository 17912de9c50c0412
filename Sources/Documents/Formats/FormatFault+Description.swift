extension FormatFault: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .broken(_, let words): words
        case .openQuote: "the text ends in a quoted cell"
        case .textAfterQuote: "a delimiter was expected after the closing quote"
        case .missingBoundary: "no line is the boundary that the Content-Type names"
        case .missingFinalBoundary: "the closing boundary is missing"
        case .badHeader: "this line of a part's head has no colon"
        case .badPercentEscape: "% needs two hexadecimal digits"
        case .badEncoding(let name): "these bytes are not \(name)"
        case .unknownEncoding(let name): "the system does not know the encoding \(name)"
        case .unknownAlias(let name): "*\(name) names no anchor before it"
        case .tooLarge:
            "too large for a tree (limit 16 MiB + 64 times the text, and "
                + "\(TreeMemoryLimit.standardWords))"
        case .textTooLong(let format): "\(format.name) of more than 1 GiB is not read as a tree"
        case .missingLibrary(let reason): "the library libxml2 is missing (\(reason))"
        case .outOfMemory: "the system gave no memory for the tree"
        case .cancelled: "the reading was cancelled"
        }
    }
}
