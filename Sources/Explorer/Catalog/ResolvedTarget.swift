public import Apus

/// A request, ready to be sent and shown.
public struct ResolvedTarget: Sendable {
    /// What is sent.
    public var target: any TargetType
    /// Where its answers come from, if it has a wish of its own.
    public var source: DataSource?
    /// The URL, secrets masked.
    public var url: String
    /// What else there is to know, in short pieces, most useful first.
    ///
    /// Header fields, credentials (masked), what is kept.
    public var details: [String]

    /// Makes a resolved target; credentials are masked where names tell them.
    public init(target: any TargetType, source: DataSource?, url: String, details: [String]) {
        self.target = target
        self.source = source
        let mask = CredentialMask()
        self.url = mask.masking(url: url)
        self.details = details.map { mask.masking(headerLine: $0) }
    }

    /// What the URL says after the host.
    public var requestTarget: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.isEmpty ? "/" : String(rest)
    }
}
