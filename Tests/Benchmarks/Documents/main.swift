import Glibc

// Measures one thing about Documents in a process of its own: `documents` runs it in turn with
// its rivals. Every line of output is a name and a figure, or a figure alone.

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.dropFirst().first) {
    case ("parse", let file?):
        try measureParsing(of: file, rounds: arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5)
    case ("rows", let file?): try measureRows(of: file)
    case ("search", let file?): try await measureSearch(of: file)
    case ("query", let file?): try measureQueries(of: file)
    case ("decode", let file?): try measureDecoding(of: file)
    case ("diff", let file?) where arguments.count > 2:
        try measureDiff(between: file, and: arguments[2])
    default:
        print("usage: DocumentBenchmarks parse|rows|search|query|decode|diff FILE [FILE|ROUNDS]")
        exit(2)
    }
} catch {
    print("\(error)")
    exit(1)
}
