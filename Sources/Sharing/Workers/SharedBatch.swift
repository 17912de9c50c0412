package import Apus
import Documents

/// A batch that workers send together: what they must know to make its targets.
///
/// It has no target and no secret. Each worker makes the targets of its own copy of the workspace.
package struct SharedBatch: Sendable, Hashable {
    /// The id of this run of the batch.
    package let id: String
    /// The workspace's name.
    package let workspace: String
    /// The digest of the workspace's files, by which a worker knows that it has the same ones.
    package let digest: String
    /// The batch's name.
    package let name: String
    /// How many requests it sends.
    package let count: Int
    /// The environment's name.
    package let environment: String
    /// Values that override the workspace's variables; none of them is secret.
    package let values: [String: String]
    /// Where responses come from; nil for what the workspace says.
    package let source: SourceName?
    /// How many requests each worker runs at once; nil for what the workspace says.
    package let concurrency: Int?
    /// Whether targets with a sample are answered by it.
    package let usesSamples: Bool

    /// Makes a batch with an id of its own.
    package init(
        workspace: String,
        digest: String,
        name: String,
        count: Int,
        environment: String,
        values: [String: String],
        source: SourceName?,
        concurrency: Int?,
        usesSamples: Bool
    ) {
        id = SharedBatch.makeID()
        (self.workspace, self.digest) = (workspace, digest)
        (self.name, self.count) = (name, count)
        (self.environment, self.values, self.source) = (environment, values, source)
        (self.concurrency, self.usesSamples) = (concurrency, usesSamples)
    }

    /// An id that no other run has.
    static func makeID() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension SharedBatch {
    /// The version of what is written here.
    private static let version = 1

    func encoded() throws(RedisFault) -> [UInt8] {
        try JSON(members: [
            ("apusBatch", JSON(Self.version)), ("id", JSON(id)), ("workspace", JSON(workspace)),
            ("digest", JSON(digest)), ("name", JSON(name)), ("count", JSON(count)),
            ("environment", JSON(environment)),
            (
                "values",
                JSON(members: values.sorted { $0.key < $1.key }.map { ($0, JSON($1)) })
            ),
            ("source", source.map { JSON($0.rawValue) } ?? .null),
            ("concurrency", concurrency.map { JSON($0) } ?? .null), ("samples", JSON(usesSamples)),
        ]).message()
    }

    /// Reads a batch; nil if another version wrote it.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), json["apusBatch"].int == Self.version,
            let id = json["id"].string, let workspace = json["workspace"].string,
            let digest = json["digest"].string, let name = json["name"].string,
            let environment = json["environment"].string
        else { return nil }
        (self.id, self.workspace, self.digest) = (id, workspace, digest)
        (self.name, self.environment) = (name, environment)
        count = json["count"].int ?? 0
        values = json["values"].members.reduce(into: [:]) { $0[$1.key] = $1.value.string }
        source = json["source"].string.flatMap(SourceName.init)
        concurrency = json["concurrency"].int
        usesSamples = json["samples"].bool ?? false
    }
}

extension JSON {
    /// The text of what is made of numbers, names and short texts.
    func message() throws(RedisFault) -> [UInt8] {
        guard let bytes = try? bytes() else { throw RedisFault(.reply) }
        return bytes
    }
}
