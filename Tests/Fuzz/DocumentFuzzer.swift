@testable import Documents

/// libFuzzer calls this with whatever reaches new code.
///
/// The first byte says what reads the rest; a zero byte parts two texts. A crash, a hang, a finding
/// of the address sanitizer and a broken promise (`expect`) all end the run with the input in a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let mode = input.first else { return 0 }
    let text = Array(input.dropFirst())
    let parts = text.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let first = Array(parts.first ?? [])
    let second = Array(parts.dropFirst().first ?? [])
    switch mode % 8 {
    case 0: fuzzParsing(text)
    case 1: fuzzRecovery(text)
    case 2: fuzzWriting(text)
    case 3: fuzzFormats(text)
    case 4: fuzzQuery(String(decoding: first, as: UTF8.self), second)
    case 5: fuzzSearch(String(decoding: first, as: UTF8.self), second)
    case 6: fuzzDiff(first, second)
    default: fuzzDecoding(text)
    }
    return 0
}

/// Ends the run when something is not as promised.
func expect(_ isSo: Bool, _ promise: String) {
    if !isSo { fatalError(promise) }
}
