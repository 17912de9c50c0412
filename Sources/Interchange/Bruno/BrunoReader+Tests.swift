import Documents
import Workspaces

extension BrunoReader {
    /// Reads assertions, scripts and what is captured after the response.
    mutating func readTests(_ request: BrunoRequest, _ parts: inout RequestParts) {
        var expected = ExpectedResponse()
        for entry in request.assertions {
            guard entry.isEnabled else {
                parts.losses.append(Self.disabled("a test", entry))
                continue
            }
            if !BrunoAssertion.add(entry.name, entry.value, to: &expected, translation) {
                parts.losses.append(
                    ImportLoss(
                        "a test",
                        "a workspace cannot expect it",
                        text: "\(entry.name): \(entry.value)"
                    )
                )
            }
        }
        for script in request.scripts {
            var isWhole = false
            if script.kind != "script:pre-request" {
                let read = HandlerScript(script.text, expected: expected)
                (expected, isWhole) = (read.expected, read.isWhole)
                for assignment in read.assignments {
                    workspace.assign(assignment, ofTarget: count, translation, &captured)
                }
            }
            if !isWhole {
                parts.losses.append(
                    ImportLoss("a script", "a workspace runs no JavaScript", text: script.text)
                )
            }
        }
        for entry in request.after {
            var text = entry.value
            if text.hasPrefix("{{"), text.hasSuffix("}}") {
                text = String(text.dropFirst(2).dropLast(2)).trimmingBlanks
            }
            if text.hasPrefix("$res") { text = String(text.dropFirst()) }
            let setter = HandlerScript(
                "bru.setVar(\(Value.string(entry.name).json), \(text))",
                expected: ExpectedResponse()
            )
            guard entry.isEnabled, let assignment = setter.assignments.first else {
                parts.losses.append(
                    ImportLoss(
                        "a captured value",
                        "a workspace cannot find it in a response",
                        text: "\(entry.name): \(entry.value)"
                    )
                )
                continue
            }
            workspace.assign(assignment, ofTarget: count, translation, &captured)
        }
        if let value = expected.value { parts.settings["expect"] = value }
    }
}
