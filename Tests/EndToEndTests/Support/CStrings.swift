import Glibc

/// Lends strings to C as an array of pointers that ends with NULL.
func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { pointers in
        guard let first = pointers.baseAddress else { preconditionFailure("an array with an end") }
        return body(first)
    }
}
