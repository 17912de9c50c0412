import Glibc

/// What `FUZZ` names: a parser of bytes that others write, and what is promised of it.
///
/// Each has its own seeds, its own corpus and its own inputs: plain files of what it reads.
private let modes: [String: @Sendable ([UInt8]) -> Void] = [
    // Documents
    "json": fuzzJSON,
    "markup": fuzzMarkup,
    "yaml": fuzzYAML,
    "tables": fuzzTables,
    "events": fuzzEvents,
    "multipart": fuzzMultipart,
    "bodies": fuzzBodies,
    "query": fuzzQuery,
    "search": fuzzSearch,
    "diff": fuzzDiff,
    // What a server says
    "heads": fuzzHeads,
    "fields": fuzzFields,
    "codings": fuzzCodings,
    "cookies": fuzzCookies,
    "caching": fuzzCaching,
    "ranges": fuzzRanges,
    "locations": fuzzLocations,
    "images": fuzzImages,
    "tokens": fuzzTokens,
    // What a client asks of a server of ours
    "requests": fuzzRequests,
    // Files
    "workspaces": fuzzWorkspaces,
    "templates": fuzzTemplates,
    "themes": fuzzThemes,
    "chains": fuzzChains,
    "rows": fuzzRows,
    "sessions": fuzzSessions,
    "archives": fuzzArchives,
    "folders": fuzzFolders,
    "openapi": fuzzOpenAPI,
    // Files of other programs
    "texts": fuzzTexts,
    "postman": fuzzPostman,
    "insomnia": fuzzInsomnia,
    "httparchives": fuzzHTTPArchives,
    "exports": fuzzExports,
    // What a person or a program types
    "commands": fuzzCommands,
    "pipe": fuzzPipe,
    "terminal": fuzzTerminal,
    "screen": fuzzScreen,
]

private let fuzzed: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ").map { String(cString: $0) } ?? ""
    guard let mode = modes[name] else {
        print("FUZZ is one of \(modes.keys.sorted().joined(separator: ", "))")
        exit(2)
    }
    return mode
}()

/// libFuzzer calls this with whatever reaches new code.
///
/// A crash, a hang, a finding of the address sanitizer and a broken promise (`expect`) all end the
/// run with the input in a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let begin = processorTime()
    fuzzed(input)
    // The processor's time, for the machine may be busy: libFuzzer's own limit is for what hangs.
    expect(processorTime() - begin < 1, "4 KB take less than a second")
    return 0
}

/// Ends the run when something is not as promised.
func expect(_ isSo: Bool, _ promise: @autoclosure () -> String) {
    if !isSo { fatalError(promise()) }
}

/// An input of two parts: its first line, and what follows.
func parts(_ input: [UInt8]) -> (first: String, rest: [UInt8]) {
    let end = input.firstIndex(of: 0x0A) ?? input.endIndex
    return (String(decoding: input[..<end], as: UTF8.self), Array(input[end...].dropFirst()))
}

/// The lines of an input, without their ends.
func lines(_ input: [UInt8]) -> [String] {
    input.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
        String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
}

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
