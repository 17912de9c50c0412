import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization

extension Provider where Target == MultiTarget {
    /// A provider without a disk cache.
    static func sending(over transport: any Transport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }
}

extension ChainPlan.Step {
    /// A step that sends `/name`, or what `path` makes of the values.
    static func make(
        _ name: String,
        needs: [String] = [],
        join: ChainPlan.Join = .all,
        uses: [String] = [],
        captures: [String: String] = [:],
        when condition: ChainCondition? = nil,
        forEach: ChainPlan.ForEach? = nil,
        accepts: Validation = .successAndRedirectCodes,
        path: (@Sendable (ChainValues) throws -> String)? = nil
    ) -> ChainPlan.Step {
        ChainPlan.Step(
            name,
            needs: needs,
            join: join,
            uses: uses,
            captures: captures.sorted { $0.key < $1.key }.compactMap { try? .init($0, $1) },
            when: condition,
            forEach: forEach,
            accepts: accepts
        ) { values in
            TestTarget(path: try path?(values) ?? "/\(name)", cachePolicy: .none)
        }
    }
}

extension ChainPlan {
    /// An object in an object, 60,000 levels deep: `..items..items` finds 1.8 billion values.
    static var nestedBody: String {
        String(repeating: #"{"items":"#, count: 60_000) + "1"
            + String(repeating: "}", count: 60_000)
    }
}
