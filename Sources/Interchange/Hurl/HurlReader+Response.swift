import Documents
import Workspaces

/// What a hurl file says about responses.
extension HurlReader {
    mutating func readResponse(
        _ entry: HurlEntry,
        _ parts: inout RequestParts,
        _ captures: inout [Value.Member],
        _ file: String
    ) {
        var expected = ExpectedResponse()
        func lose(_ line: HurlEntry.Line, _ section: String) {
            parts.losses.append(
                ImportLoss(
                    "an assertion",
                    "a workspace cannot expect it",
                    text: section + line.text,
                    line: line.line
                )
            )
        }
        if let response = entry.response {
            let words = response.text.split(separator: " ")
            if words.count > 1, words[1] != "*",
                !expected.add(.status, "is", .number(String(words[1])))
            {
                lose(response, "")
            }
            if words[0].hasPrefix("HTTP/"), words[0] != "HTTP/*" {
                let text = String(words[0])
                parts.losses.append(
                    ImportLoss(
                        "an assertion",
                        "a workspace cannot expect a version of HTTP",
                        text: text,
                        line: response.line
                    )
                )
            }
        }
        for field in entry.responseFields {
            guard let pair = Self.pair(field.text),
                expected.add(.field(pair.name), "is", .string(translation.text(pair.value)))
            else {
                lose(field, "")
                continue
            }
        }
        for section in entry.responseSections {
            for line in section.lines {
                if section.name == "Asserts" {
                    if !HurlAssertion.add(line.text, to: &expected, translation) { lose(line, "") }
                } else if section.name == "Captures", let pair = Self.pair(line.text) {
                    let name = translation.names.name(of: pair.name)
                    translation.typed.insert(name)
                    if let capture = HurlAssertion.capture(
                        String(
                            line.text[(line.text.firstIndex(of: ":") ?? line.text.startIndex)...]
                                .dropFirst()
                        )
                    ) {
                        captures[name] = .string(capture)
                        captured.append(
                            ResponseVariable(name: name, target: count, capture: capture)
                        )
                    } else {
                        _ = translation.names.use(pair.name)
                        let reason =
                            "a workspace cannot find it in a response, so that it is asked for"
                        parts.losses.append(
                            ImportLoss("a captured value", reason, text: line.text, line: line.line)
                        )
                    }
                } else {
                    lose(line, "[\(section.name)] ")
                }
            }
        }
        if let body = entry.responseBody, !expect(body, &expected) {
            parts.losses.append(
                ImportLoss(
                    "an expected body",
                    "a workspace expects texts and JSON only",
                    text: body.text
                )
            )
        }
        if let value = expected.value { parts.settings["expect"] = value }
    }

    private func expect(_ body: HurlEntry.Body, _ expected: inout ExpectedResponse) -> Bool {
        switch body.kind {
        case .json: translation.json(body.text).map { expected.set("body", $0) } ?? false
        case .xml, .text, .graphQL: expected.add(.text, "is", .string(translation.text(body.text)))
        case .base64, .hex, .file: false
        }
    }
}
