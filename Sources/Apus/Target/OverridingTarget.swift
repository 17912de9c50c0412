package import FoundationEssentials
package import HTTPTypes

/// A target with some properties overridden for one call.
package struct OverridingTarget: TargetWrapper {
    package let wrapped: any TargetType
    package var method: HTTPRequest.Method
    package var task: RequestTask
    package var headerFields: HTTPFields
    package var cachePolicy: CachePolicy
    package var options: TransportOptions
    /// What is added to the query, encoded.
    package var addedQuery: String?
    /// The base URL to use instead; nil for the target's own.
    package var movedBase: URL?

    /// Makes a copy of the target, with nothing overridden.
    package init(_ target: some TargetType) {
        wrapped = target
        method = target.method
        task = target.task
        headerFields = target.headerFields
        cachePolicy = target.cachePolicy
        options = target.options
    }

    package var baseURL: URL { movedBase ?? wrapped.baseURL }
    package var cdn: URL? { movedBase == nil ? wrapped.cdn : nil }
    package var path: String {
        guard let addedQuery, !addedQuery.isEmpty else { return wrapped.path }
        let path = wrapped.path.prefix { $0 != "#" }
        return "\(path)\(path.contains("?") ? "&" : "?")\(addedQuery)"
    }

    /// Whether a call may find its response in the cache, or leave one there.
    package func usesCache(from source: DataSource) -> Bool {
        if case .server = source { cachePolicy.storage != nil } else { true }
    }
}

/// Header fields that are sent in place of a request's own, and names that are not sent at all.
package struct FieldOverrides: Sendable {
    private let pairs: [(name: HTTPField.Name, field: HTTPField?)]

    /// Makes overrides from fields in order; a name without a field is not sent.
    package init(_ pairs: [(name: HTTPField.Name, field: HTTPField?)] = []) { self.pairs = pairs }

    /// The names that are replaced or left out.
    package var names: Set<HTTPField.Name> { Set(pairs.map(\.name)) }
    /// The fields that are sent, in order.
    package var fields: HTTPFields { HTTPFields(pairs.compactMap(\.field)) }
    /// The names that are not sent, even if the engine would add them.
    package var omittedNames: Set<HTTPField.Name> {
        Set(pairs.filter { $0.field == nil }.map(\.name))
    }

    /// Whether a request's own fields of this name are removed.
    package func contains(_ name: HTTPField.Name) -> Bool { pairs.contains { $0.name == name } }

    /// Removes a request's own fields of these names.
    package func removeOverridden(from fields: inout HTTPFields) {
        fields.removeAll { contains($0.name) }
    }

    /// Replaces a request's own fields of these names.
    package func apply(to fields: inout HTTPFields) {
        removeOverridden(from: &fields)
        fields.append(contentsOf: pairs.compactMap(\.field))
    }
}

extension OverridingTarget {
    /// Overrides header fields, also those that the engine adds.
    package mutating func override(_ fields: FieldOverrides) {
        fields.apply(to: &headerFields)
        let omitted = fields.omittedNames
        if !omitted.isEmpty { options.omittedFields.formUnion(omitted) }
        // What is added from the credentials of a target is a field, too.
        if omitted.contains(.authorization) { options.credentials = nil }
    }

    /// Sends a user and a password (`user:password`, RFC 7617) in place of the target's credentials.
    package mutating func authorize(by userAndPassword: String) {
        let pair = Data(userAndPassword.utf8).base64EncodedString()
        headerFields[.authorization] = "Basic \(pair)"
        options.credentials = nil
    }

    /// Sends this `User-Agent`; nil to send none.
    package mutating func setUserAgent(_ field: HTTPField?) {
        headerFields[.userAgent] = nil
        if let field {
            headerFields.append(field)
        } else {
            options.omittedFields.insert(.userAgent)
        }
    }

    /// Sends the cookies of a jar, and keeps there what responses set.
    package mutating func useCookies(in jar: CookieJar) {
        options.cookieJar = jar
        options.sendsCookies = true
    }

    /// Follows redirects if the target does not follow any.
    package mutating func followRedirects() {
        if options.maximumRedirects == 0 {
            options.maximumRedirects = TransportOptions().maximumRedirects
        }
    }
}
