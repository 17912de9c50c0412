import Documents
import Workspaces

extension PostmanReader {
    func setBody(
        _ json: JSON,
        _ method: String,
        _ behavior: JSON,
        _ target: inout ImportedTarget,
        _ notes: inout PostmanNotes
    ) {
        guard json.kind == .object else {
            if let text = json.filledText {
                target.losses.append(ImportLoss("a body", "its kind is not said", text: text))
            }
            return
        }
        let modes = ["raw", "urlencoded", "formdata", "file", "graphql"]
        func hasContent(_ mode: String) -> Bool {
            json[mode].count > 0 || json[mode].filledText != nil
        }
        // Old exports say no mode, and some keep what another mode had.
        guard let mode = json["mode"].filledText ?? modes.first(where: hasContent) else { return }
        for other in modes where other != mode && hasContent(other) {
            target.losses.append(
                ImportLoss(
                    "a body that is not sent",
                    "the request is set to \(mode)",
                    text: json[other].looseText ?? json[other].text(.pretty) ?? ""
                )
            )
        }
        let content = json[mode]
        if json["disabled"].bool == true {
            if content.exists, !content.isNull {
                notes.add(
                    "Switched off: the body\n\n```\n\(content.looseText ?? content.text(.pretty) ?? "")\n```"
                )
            }
            return
        }
        let prunes = ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"].contains(method.uppercased())
        if prunes, behavior["disableBodyPruning"].bool == false {
            if content.count > 0 || content.filledText != nil {
                target.losses.append(
                    ImportLoss(
                        "a body",
                        "Postman does not send it with \(method) either",
                        text: content.looseText ?? content.text(.pretty) ?? ""
                    )
                )
            }
            return
        }
        switch mode {
        case "raw":
            let language = json["options"]["raw"]["language"].looseText
            setRaw(content.looseText ?? "", language, &target)
        case "urlencoded": setForm(content, &target, &notes)
        case "formdata": setParts(content, &target, &notes)
        case "file": setFile(content, &target)
        case "graphql": setGraphQL(content, &target)
        default:
            target.losses.append(
                ImportLoss(
                    "a body of the kind \(mode)",
                    "it is not known",
                    text: content.text() ?? ""
                )
            )
        }
    }

    func setRaw(_ text: String, _ language: String?, _ target: inout ImportedTarget) {
        guard !text.trimmingBlanks.isEmpty else { return }
        let types = [
            "json": "application/json", "xml": "application/xml", "html": "text/html",
            "javascript": "application/javascript", "text": "text/plain",
        ]
        let own = target.headerField("content-type")
        let type = own ?? types[language ?? "text"] ?? "text/plain"
        let isJSON = type.lowercased().contains("json")
        if isJSON, let value = ImportedBody.json(text, { variables.template($0) }) {
            target["json"] = value
        } else {
            target["body"] = .string(variables.template(text))
            // What looks like JSON is sent as JSON by versions that had no languages.
            if own == nil {
                let looksJSON = language == nil && "{[".contains(text.trimmingBlanks.first ?? " ")
                target.setHeader("Content-Type", looksJSON ? "application/json" : type)
            }
        }
    }

    private func setForm(_ json: JSON, _ target: inout ImportedTarget, _ notes: inout PostmanNotes)
    {
        if let text = json.filledText {
            target["body"] = .string(variables.template(text))
            if target.headerField("content-type") == nil {
                target.setHeader("Content-Type", "application/x-www-form-urlencoded")
            }
            return
        }
        var rows: [(name: String, value: String)] = []
        for row in json.elements where row.kind == .object {
            let name = row["key"].looseText ?? ""
            let value = row["value"].looseText ?? ""
            if notes.isOff(row, "form field", name, value) { continue }
            if name.isEmpty, value.isEmpty { continue }
            rows.append((name, value))
        }
        guard !rows.isEmpty else { return }
        if rows.contains(where: { $0.name.contains("{{") || $0.name.isEmpty || $0.name == "<<" }) {
            let text = rows.map { row in
                "\(Self.escaped(row.name))=\(Self.escaped(row.value))"
            }.joined(separator: "&")
            target["body"] = .string(variables.template(text))
            if target.headerField("content-type") == nil {
                target.setHeader("Content-Type", "application/x-www-form-urlencoded")
            }
            return
        }
        var members: [Value.Member] = []
        for row in rows { members.append(.string(variables.template(row.value)), for: row.name) }
        target["form"] = .object(members)
    }

    /// A form's text with everything escaped but variables.
    private static func escaped(_ text: String) -> String {
        guard text.contains("{{") else { return PercentEncoding.form(text) }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "{{"),
            let end = rest[start.upperBound...].firstRange(of: "}}")
        {
            result += PercentEncoding.form(String(rest[..<start.lowerBound]))
            result += rest[start.lowerBound..<end.upperBound]
            rest = rest[end.upperBound...]
        }
        return result + PercentEncoding.form(String(rest))
    }

    private func setParts(_ json: JSON, _ target: inout ImportedTarget, _ notes: inout PostmanNotes)
    {
        var members: [Value.Member] = []
        for row in json.elements where row.kind == .object {
            let name = row["key"].looseText ?? ""
            let sources =
                row["src"].kind == .array
                ? row["src"].elements.compactMap(\.filledText)
                : [row["src"].filledText].compactMap(\.self)
            let isFile = row["type"].looseText == "file" || !sources.isEmpty
            let value = row["value"].looseText ?? ""
            if notes.isOff(row, "part", name, isFile ? "@" + sources.joined(separator: ",") : value)
            {
                continue
            }
            if name.isEmpty, value.isEmpty, sources.isEmpty { continue }
            guard !name.contains("{{"), name != "<<", !name.isEmpty else {
                let content = ([value] + sources).filter { !$0.isEmpty }.joined(separator: ", ")
                target.losses.append(
                    ImportLoss("a part of a form", "its name is none", text: "\(name)=\(content)")
                )
                continue
            }
            guard isFile else {
                members.append(.string(variables.template(value)), for: name)
                if let type = row["contentType"].filledText {
                    target.losses.append(
                        ImportLoss(
                            "the type of a part",
                            "only files have one",
                            text: "\(name): \(type)"
                        )
                    )
                }
                continue
            }
            if sources.isEmpty {
                target.losses.append(
                    ImportLoss(
                        "a file",
                        "the collection does not say which one is sent",
                        text: name
                    )
                )
            }
            for source in sources {
                var part = [Value.Member("file", .string(source))]
                if let type = row["contentType"].filledText {
                    part.append(Value.Member("type", .string(variables.template(type))))
                }
                members.append(.object(part), for: name)
            }
        }
        guard !members.isEmpty else { return }
        target["multipart"] = .object(members)
        // The boundary is made when it is sent.
        if target.headerField("content-type")?.lowercased().hasPrefix("multipart/form-data") == true
        {
            target.removeHeader("content-type")
        }
    }

    private func setFile(_ json: JSON, _ target: inout ImportedTarget) {
        if let path = json.filledText ?? json["src"].filledText {
            target["upload"] = .string(path)
        } else if let text = json["content"].filledText {
            target["body"] = .string(variables.template(text))
        } else if json.exists {
            target.losses.append(
                ImportLoss("a file", "the collection does not say which one is sent")
            )
        }
    }

    func setGraphQL(_ json: JSON, _ target: inout ImportedTarget) {
        guard json.kind == .object else {
            if let text = json.filledText { target["graphql"] = .string(variables.template(text)) }
            return
        }
        let query = json["query"].looseText ?? ""
        let text = json["variables"].looseText ?? ""
        guard !query.isEmpty || !text.isEmpty else { return }
        var members = [Value.Member("query", .string(variables.template(query)))]
        for (name, value) in json.members
        where !["query", "variables", "operationName"].contains(name) && !value.isNull {
            target.losses.append(
                ImportLoss(
                    "a member of a GraphQL request",
                    "a target has none such",
                    text: "\(name): \(value.text() ?? "")"
                )
            )
        }
        if let name = json["operationName"].filledText {
            members.append(Value.Member("operation", .string(variables.template(name))))
        }
        let value =
            json["variables"].kind == .object
            ? ImportedBody.value(json["variables"], { variables.template($0) })
            : ImportedBody.json(text, { variables.template($0) })
        if let value, case .object(let inner) = value {
            if !inner.isEmpty { members.append(Value.Member("variables", value)) }
        } else if !text.trimmingBlanks.isEmpty {
            // A variable that is no text stands in the JSON as it is.
            var quoted = "\"\""
            if let encoded = JSON(query).text() { quoted = encoded }
            let name = json["operationName"].filledText.flatMap { JSON($0).text() }
            let operation = name.map { ",\"operationName\":\($0)" } ?? ""
            target["body"] = .string(
                variables.template("{\"query\":\(quoted)\(operation),\"variables\":\(text)}")
            )
            target.setHeader("Content-Type", "application/json")
            return
        }
        target["graphql"] = .object(members)
    }
}

extension ImportedTarget {
    /// The value of a field, if there is one value.
    func headerField(_ name: String) -> String? {
        guard case .object(let fields)? = self["headers"] else { return nil }
        return fields.field(name)
    }

    /// Sets a field.
    mutating func setHeader(_ name: String, _ value: String) {
        removeHeader(name.lowercased())
        var fields: [Value.Member] = []
        if case .object(let present)? = self["headers"] { fields = present }
        fields.append(Value.Member(name, .string(value)))
        self["headers"] = .object(fields)
    }

    /// Removes a field by its name in small letters.
    mutating func removeHeader(_ name: String) {
        guard case .object(let fields)? = self["headers"] else { return }
        let rest = fields.filter { $0.name.lowercased() != name }
        self["headers"] = rest.isEmpty ? nil : .object(rest)
    }
}
