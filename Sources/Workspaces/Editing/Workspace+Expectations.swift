import Documents
import HTTPTypes

/// Writing what is expected of a target's responses to its file.
extension Workspace {
    /// Writes an expectation, in place of the target's own one of the same subject.
    func expect(
        _ typed: String,
        of subject: Expectation.Subject,
        in target: [String],
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        let value = try TypedExpectation.value(of: typed, for: subject)
        let path = Self.path(ofItem: target)
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            if editor.value(at: path)?.scalarText != nil {
                try editor.wrap(at: path, in: "request")
            }
            let place = editor.path(of: subject, in: path) ?? path + subject.path
            editor.opensMappings = true
            try editor.set(value, at: place)
        }
    }

    /// Removes a target's own expectation; of several comparisons of a value, the one that is given.
    func removeExpectation(
        of subject: Expectation.Subject,
        _ comparison: Expectation.Operator?,
        in target: [String],
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        let path = Self.path(ofItem: target)
        var isFound = false
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            guard var place = editor.path(of: subject, in: path) else { return }
            isFound = true
            if let comparison, case .object(let members)? = editor.value(at: place),
                members.contains(where: { $0.name == comparison.rawValue })
            {
                place.append(.key(comparison.rawValue))
            }
            // Nothing is left of what held it alone.
            while place.count > path.count + 1,
                case .object(let members)? = editor.value(at: Array(place.dropLast())),
                members.count == 1
            {
                place.removeLast()
            }
            try editor.remove(at: place)
        }
        guard isFound else {
            throw WorkspaceError([
                Problem(
                    file: files.first ?? name,
                    "the target does not say this itself: take it out where it stands"
                )
            ])
        }
    }
}

extension Expectation.Subject {
    fileprivate var path: [YAMLStep] { [.key("expect")] + keys.map { .key($0) } }

    /// Whether a key of the file means it: names of fields in any case, paths in any notation.
    fileprivate func isWritten(_ key: String) -> Bool {
        switch self {
        case .field(let name): HTTPField.Name(key) == name
        case .json(let path, _): (try? JSONPath(parsing: key)) == path
        default: key == keys.last
        }
    }
}

extension YAMLEditor {
    /// Where a target has an expectation of a subject; nil if it has none of its own.
    fileprivate func path(
        of subject: Expectation.Subject,
        in target: [YAMLStep]
    ) -> [YAMLStep]? {
        let parent = target + subject.path.dropLast()
        guard case .object(let members)? = value(at: parent),
            let key = members.first(where: { subject.isWritten($0.name) })?.name
        else { return nil }
        return parent + [.key(key)]
    }
}
