/// A key of the workspace format: what a file may say under it.
package struct FormatKey: Sendable {
    /// The key as it is written.
    package let name: String
    /// What it takes.
    package let kind: FormatKind
    /// What holds without it; nil if that is nothing, or depends on another key.
    package let standard: String?
    /// Whether its mapping cannot do without it.
    package let isRequired: Bool
    /// The key that may stand for a required one; nil if none may.
    package let substitute: String?
    /// What it does, in a sentence or two.
    package let summary: String
    /// The key with a value, as a file has it.
    package let example: String

    init(
        _ name: String,
        _ kind: FormatKind,
        standard: String? = nil,
        isRequired: Bool = false,
        orElse substitute: String? = nil,
        _ summary: String,
        example: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.isRequired = isRequired
        self.substitute = substitute
        self.summary = summary
        self.example = example
    }
}

extension FormatKey {
    /// Values to offer where one is typed: the words that it takes, or else that of its example.
    package var completions: [String] {
        let words = kind.fixedWords
        guard words.isEmpty, example.hasPrefix("\(name): ") else { return words }
        return [String(example.dropFirst(name.count + 2))]
    }
}

extension FormatKind {
    /// The fixed words that it takes.
    fileprivate var fixedWords: [String] {
        switch self {
        case .word(let words): words
        case .boolean: ["true", "false"]
        case .either(let kinds): kinds.flatMap(\.fixedWords)
        default: []
        }
    }
}

/// What stands under a key.
package indirect enum FormatKind: Sendable {
    /// A string, in which `{{ name }}` is filled in.
    case template
    /// A string that is taken as it is.
    case text
    /// A scalar, a list or a mapping, in whose strings `{{ name }}` is filled in.
    case value
    /// `METHOD path`.
    case requestLine
    /// `true` or `false`.
    case boolean
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// One of some words.
    case word([String])
    /// A time with its unit: `500 ms`.
    case time
    /// A size with its unit: `8 MiB`.
    case size
    /// The path of a file, from the workspace file's folder.
    case path
    /// A string of a form of its own, in words, with a regular expression for it (ECMA-262).
    case form(String, pattern: String)
    /// A list of values.
    case list(FormatKind)
    /// A mapping whose keys are names that the author chooses.
    case names(FormatKind)
    /// A mapping with fixed keys.
    case section(FormatSection.ID)
    /// Groups and targets by their names.
    case targets
    /// Null.
    case null
    /// One of these.
    case either([FormatKind])
}

/// A mapping of the format with fixed keys.
package struct FormatSection: Sendable {
    /// Names a mapping, in the JSON Schema too.
    package enum ID: String, Sendable, CaseIterable {
        case workspace, environment, defaults, secret, question, response, mask
        case group, target, sample, part, upload, download, graphql
        case auth, credentials, apiKey, clientCertificate
        case oauth2, aws, custom
        case expect, comparison, batchExpect
        case cache, cacheKey, sharedCache, sharedSecret
        case batch, batchTarget
        case chain, step, forEach
    }

    /// Its name.
    package let id: ID
    /// What it is, as messages say it: "a batch".
    package let words: String
    /// The page of the reference that it is on.
    package let subject: FormatSubject
    /// The keys of its own, in the order in which one needs them.
    package let own: [FormatKey]
    /// Whether it also takes what targets, environments and `defaults` have in common.
    package let hasSettings: Bool
    /// All its keys.
    package let keys: [FormatKey]
    /// The names of all its keys.
    package let names: [String]

    init(
        _ id: ID,
        _ words: String,
        on subject: FormatSubject,
        hasSettings: Bool = false,
        _ own: [FormatKey]
    ) {
        self.id = id
        self.words = words
        self.subject = subject
        self.own = own
        self.hasSettings = hasSettings
        keys = hasSettings ? own + Self.settings : own
        names = keys.map(\.name)
    }

    /// The key with a name; nil if there is none.
    package func key(_ name: String) -> FormatKey? { keys.first { $0.name == name } }

    /// The section with a name.
    package static subscript(id: ID) -> FormatSection {
        table[id] ?? FormatSection(id, id.rawValue, on: .request, [])
    }

    private static let table = Dictionary(
        uniqueKeysWithValues: all.map { ($0.id, $0) }
    )

    /// All sections.
    package static let all: [FormatSection] =
        workspaceSections + targetSections + authSections + signingSections + expectSections
        + cacheSections
        + flowSections
}
