public import Documents

extension ChainPlan {
    /// A value of an answer, and the name that later steps have for it.
    public struct Capture: Sendable {
        /// The name.
        public var name: String
        /// Where the value is.
        public var path: CapturePath
        /// What it is if the answer does not have it; nil if the step fails then.
        public var fallback: JSON?

        /// Makes a capture.
        public init(_ name: String, _ path: CapturePath, fallback: JSON? = nil) {
            self.name = name
            self.path = path
            self.fallback = fallback
        }

        /// Makes a capture from a path as people write it.
        ///
        /// - Throws: `JSONPathError` if it is none.
        public init(
            _ name: String,
            _ path: String,
            fallback: JSON? = nil
        ) throws(JSONPathError) {
            self.init(name, try CapturePath(path), fallback: fallback)
        }
    }
}

extension ChainPlan.Capture {
    /// Whether it is a credential, by its name or by the name that it has in the answer.
    var isCredential: Bool {
        CredentialMask.isSecret(parameter: name) || path.namesCredential
    }
}
