public import Apus
public import Documents
public import HTTPTypes

extension ReplayTransport {
    /// Which recorded requests answer a request.
    ///
    /// ```swift
    /// // The time and the number of an order are new each time.
    /// .request.ignoring(members: ["createdAt", "nonce"], parameters: ["ts"])
    /// ```
    /// Several recorded requests may match: they answer in their order, and then the last one again. A mask in a
    /// recorded request matches any text. A 304 answers only a request with a condition, and a 206 only one with the
    /// same `Range`.
    public struct Matching: Sendable {
        /// Whether the scheme, host and port must be the same.
        public private(set) var comparesHost: Bool
        /// Whether the body must be the same, apart from what is ignored.
        public private(set) var comparesBody = true
        /// The header fields that must be the same.
        public private(set) var comparedFields: [HTTPField.Name]
        /// The parameters of the query, and of a form in the body, that may differ.
        public private(set) var ignoredParameters: Set<String> = []
        /// The names of members of a JSON body, at any depth, and of fields of a form, that may differ or be absent.
        public private(set) var ignoredMembers: Set<String> = []
        /// The values of a JSON body that may differ.
        public private(set) var ignoredPaths: [JSONPath] = []
        /// Whether method, path and query are compared.
        let comparesTarget: Bool
        /// What must be true besides.
        private(set) var rule: (@Sendable (PreparedRequest, PreparedRequest) -> Bool)?
        /// Whether anything was added to `request` or `path`, for which an index by digests suffices.
        private(set) var hasRules = false

        private init(comparesHost: Bool, comparesTarget: Bool, fields: [HTTPField.Name]) {
            self.comparesHost = comparesHost
            self.comparesTarget = comparesTarget
            comparedFields = fields
        }

        /// Those with the same method, URL, body, `Accept` and `Accept-Language`.
        public static let request = Matching(
            comparesHost: true,
            comparesTarget: true,
            fields: [.accept, .acceptLanguage]
        )

        /// Those with the same method, path, query and body, for any host and any header fields.
        public static let path = Matching(comparesHost: false, comparesTarget: true, fields: [])

        /// Those that a closure accepts, which is called for each recorded request in order.
        ///
        /// - Parameter accepts: gets the recorded request, in which secrets are masked, and the one to be sent.
        /// - Returns: the matching.
        public static func custom(
            _ accepts:
                @escaping @Sendable (
                    _ recorded: PreparedRequest,
                    _ request: PreparedRequest
                ) -> Bool
        ) -> Matching {
            var matching = Matching(comparesHost: false, comparesTarget: false, fields: [])
            matching.comparesBody = false
            matching.rule = accepts
            matching.hasRules = true
            return matching
        }

        /// Returns a matching that compares less.
        ///
        /// - Parameters:
        ///   - members: names of members of a JSON body at any depth, and of fields of a form.
        ///   - paths: values of a JSON body.
        ///   - parameters: parameters of the query, and of a form in the body.
        ///   - fields: header fields, of those that this matching compares.
        ///   - body: whether the whole body is ignored.
        /// - Returns: the matching.
        public func ignoring(
            members: Set<String> = [],
            paths: [JSONPath] = [],
            parameters: Set<String> = [],
            fields: [HTTPField.Name] = [],
            body: Bool = false
        ) -> Matching {
            var matching = self
            matching.ignoredMembers.formUnion(members)
            matching.ignoredPaths += paths
            matching.ignoredParameters.formUnion(parameters)
            matching.comparedFields.removeAll { fields.contains($0) }
            if body { matching.comparesBody = false }
            matching.hasRules = true
            return matching
        }

        /// Returns a matching that compares more: these header fields too.
        public func comparing(fields: [HTTPField.Name]) -> Matching {
            var matching = self
            matching.comparedFields += fields.filter { !comparedFields.contains($0) }
            matching.hasRules = true
            return matching
        }

        /// Returns a matching that also asks a closure, for requests that match otherwise.
        ///
        /// - Parameter accepts: gets the recorded request, in which secrets are masked, and the one to be sent.
        /// - Returns: the matching.
        public func and(
            _ accepts:
                @escaping @Sendable (
                    _ recorded: PreparedRequest,
                    _ request: PreparedRequest
                ) -> Bool
        ) -> Matching {
            var matching = self
            matching.rule = { [rule] recorded, request in
                rule?(recorded, request) != false && accepts(recorded, request)
            }
            matching.hasRules = true
            return matching
        }

        /// Adds the values of a document that are ignored.
        func ignore(in document: Document, _ nodes: inout NodeSet) {
            for path in ignoredPaths {
                var found = BoundedQuery(path, in: document)
                // A path that takes too long ignores less, so that the request matches nothing and the error says
                // what differs.
                while let node = try? found.next() { nodes.insert(node) }
            }
            guard !ignoredMembers.isEmpty else { return }
            for node in (0..<document.nodeCount).map({ NodeIndex($0) }) {
                guard let key = document.key(of: node), ignoredMembers.contains(key) else {
                    continue
                }
                nodes.insert(node)
            }
        }
    }
}
