package import Documents
package import FoundationEssentials

/// The reports of a run: JUnit's XML, TAP, and lines of JSON.
package enum RunReports {
    /// JUnit's XML, as CI servers read it.
    package static func junit(
        _ results: [RunResult],
        of workspace: String,
        _ duration: Duration,
        at date: Date
    ) -> String {
        JUnitDocument(
            name: "apus run",
            suite: workspace,
            results.map(testCase),
            duration,
            timestamp: date.formatted(Date.ISO8601FormatStyle()).dropLast()
        ).text
    }

    private static func testCase(_ result: RunResult) -> JUnitDocument.Case {
        // The schema has no attributes for the request and its place.
        let place = "in \(result.location)"
        let end = result.request.isEmpty ? [place] : [result.request, place]
        let text = (result.failures.flatMap(\.lines) + end).joined(separator: "\n")
        let message =
            result.failures.count == 1
            ? result.failures[0].line : "\(result.failures.count) expectations are not met"
        let fault: JUnitDocument.Case.Fault? =
            switch result.ending {
            case .passed: nil
            case .failed: .failure(message, type: "expectation", text: text)
            case .error: .error(message, type: "error", text: text)
            case .skipped: .skipped
            }
        let slash = result.name.lastIndex(of: "/")
        return JUnitDocument.Case(
            // Jenkins reads what is before a dot as a package.
            group: slash.map { "apus.\(result.name[..<$0].replacing(".", with: "_"))" } ?? "apus",
            name: result.name,
            duration: result.duration,
            fault: fault
        )
    }

    /// The first line of a report in TAP (testanything.org).
    ///
    /// Not 14: `prove` and others refuse a version that is newer than they are, and nothing here needs it.
    package static let tapVersion = "TAP version 13"

    /// The last line of a report in TAP: the number of its results, or that it was interrupted.
    package static func tapEnd(_ count: Int, isInterrupted: Bool) -> String {
        isInterrupted ? "Bail out! interrupted" : "1..\(count)"
    }

    /// A name in a line of TAP, where a `#` begins a directive and a `\` escapes.
    private static func tapName(_ name: String) -> String {
        let plain = name.map { $0.isNewline ? " " : String($0) }.joined()
        var result = ""
        for index in plain.unicodeScalars.indices {
            let scalar = plain.unicodeScalars[index]
            switch scalar {
            case "\\": result += "\\\\"
            case "#":
                // Not every parser knows the escape, and none may read a failure as one that is allowed: fullwidth.
                let next = plain[index...].dropFirst().drop(while: \.isWhitespace).prefix(4)
                    .lowercased()
                result += ["skip", "todo"].contains(next) ? "\u{FF03}" : "\\#"
            case "\0"..<" ", "\u{7F}"..<"\u{A0}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A result in TAP: a line, and a block of YAML for what is not as expected.
    package static func tap(_ result: RunResult, number: Int) -> [String] {
        let word = result.ending == .failed || result.ending == .error ? "not ok" : "ok"
        let skip = result.ending == .skipped ? " # SKIP not sent" : ""
        let line = "\(word) \(number) - \(tapName(result.name))\(skip)"
        guard !result.failures.isEmpty else { return [line] }
        let members: [(String, JSON)] = [
            ("message", JSON(result.failures.flatMap(\.lines).joined(separator: "\n"))),
            ("request", JSON(result.request)),
            ("at", JSON(result.location.description)),
            ("duration_ms", milliseconds(result.duration)),
        ]
        // Each value as JSON, which is YAML too.
        return [line, "  ---"] + members.map { "  \($0.0): \($0.1.text() ?? "")" } + ["  ..."]
    }

    /// A result as an object of JSON.
    package static func members(of result: RunResult) -> [(String, JSON)] {
        [
            ("version", 1), ("name", JSON(result.name)), ("outcome", JSON(result.ending.rawValue)),
            ("file", JSON(result.location.file)), ("line", JSON(result.location.line)),
            ("request", JSON(result.request)),
            ("status", result.status.map { JSON($0) } ?? .null),
            ("milliseconds", milliseconds(result.duration)), ("checks", JSON(result.checks)),
            ("failures", JSON(result.failures.map(object))),
        ]
    }

    private static func object(_ failure: RunFailure) -> JSON {
        JSON(members: [
            ("expected", JSON(failure.expected)),
            ("actual", failure.actual.map { JSON($0) } ?? .null),
            ("file", failure.location.map { JSON($0.file) } ?? .null),
            ("line", failure.location.map { JSON($0.line) } ?? .null),
            ("differences", JSON(failure.differences.map { JSON($0) })),
        ])
    }

    private static func milliseconds(_ duration: Duration) -> JSON {
        JSON((duration / .milliseconds(1) * 1000).rounded() / 1000)
    }
}

/// How many results of a run ended how.
package struct RunCounts: Sendable {
    private var counts: [RunResult.Ending: Int] = [:]
    /// How many expectations were checked.
    package private(set) var checks = 0

    /// Counts nothing yet.
    package init() {}

    /// Counts a result.
    package mutating func count(_ result: RunResult) {
        counts[result.ending, default: 0] += 1
        checks += result.checks
    }

    /// How many ended so.
    package subscript(ending: RunResult.Ending) -> Int { counts[ending, default: 0] }

    /// How many results there are.
    package var total: Int { counts.values.reduce(0, +) }

    /// Whether nothing is wrong.
    package var isGood: Bool { self[.failed] == 0 && self[.error] == 0 }

    /// The counts in a line: `12 passed, 1 failed`.
    package var words: String {
        let endings: [(RunResult.Ending, String)] = [
            (.passed, "passed"), (.failed, "failed"), (.error, "without a response"),
            (.skipped, "skipped"),
        ]
        let parts = endings.filter { self[$0.0] > 0 || $0.0 == .passed }
            .map { "\(Readable.count(self[$0.0])) \($0.1)" }
        return parts.joined(separator: ", ")
    }
}
