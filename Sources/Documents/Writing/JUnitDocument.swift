/// A test report in JUnit's XML, as CI servers read it.
///
/// It has only what the schema of Jenkins knows (`junit-10.xsd`), which refuses a file with other attributes.
package struct JUnitDocument: Sendable {
    /// A test of a report.
    package struct Case: Sendable {
        /// How it ended, other than well.
        package enum Fault: Sendable {
            /// Something is not as expected: a message, the type of the fault, and all of it.
            case failure(String, type: String, text: String)
            /// It could not be done.
            case error(String, type: String, text: String)
            /// It was left out.
            case skipped
        }

        /// What it belongs to; Jenkins reads the part before a dot as a package.
        package var group: String
        /// Its name.
        package var name: String
        /// How long it took.
        package var duration: Duration
        /// What was wrong; nil if nothing was.
        package var fault: Fault?

        /// Makes a test.
        package init(
            group: String,
            name: String,
            duration: Duration,
            fault: Fault?
        ) {
            self.group = group
            self.name = name
            self.duration = duration
            self.fault = fault
        }
    }

    /// The report.
    package let text: String

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - name: What made it, such as `apus run`.
    ///   - suite: What was tested.
    ///   - cases: The tests, in their order.
    ///   - duration: How long all of it took.
    ///   - timestamp: When it was made: `2026-11-27T20:00:00`.
    package init(
        name: String,
        suite: String,
        _ cases: [Case],
        _ duration: Duration,
        timestamp: some StringProtocol
    ) {
        func count(_ isCounted: (Case.Fault) -> Bool) -> Int {
            cases.count { $0.fault.map(isCounted) ?? false }
        }
        let failures = count { if case .failure = $0 { true } else { false } }
        let errors = count { if case .error = $0 { true } else { false } }
        let skipped = count { if case .skipped = $0 { true } else { false } }
        let counts = #"tests="\#(cases.count)" failures="\#(failures)" errors="\#(errors)""#
        let time = #"time="\#(Self.seconds(duration))""#
        text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(Self.escaped(name))" \(counts) \(time)>
              <testsuite name="\(Self.escaped(suite))" \(counts) skipped="\(skipped)" \(time) timestamp="\(timestamp)">
            \(cases.map(Self.text).joined())  </testsuite>
            </testsuites>

            """
    }

    private static func text(of item: Case) -> String {
        let start = """
                <testcase classname="\(escaped(item.group))" \
            name="\(escaped(item.name))" time="\(seconds(item.duration))"
            """
        switch item.fault {
        case nil: return start + "/>\n"
        case .skipped: return start + ">\n      <skipped/>\n    </testcase>\n"
        case .failure(let message, let type, let text):
            return start + element("failure", message, type, text)
        case .error(let message, let type, let text):
            return start + element("error", message, type, text)
        }
    }

    private static func element(
        _ name: String,
        _ message: String,
        _ type: String,
        _ text: String
    ) -> String {
        """
        >
              <\(name) message="\(escaped(message))" type="\(type)">\(escaped(text))</\(name)>
            </testcase>

        """
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Escapes text for XML 1.0; characters that are not allowed become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case "\0"..<" ", "\u{7F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
