import FoundationEssentials
import HTTPTypes

/// Which stored responses a 304 is about (RFC 9111, 4.3.4).
struct NotModifiedSelection: Sendable, Equatable {
    /// In the order in which they were asked about; empty if it is about none.
    let confirmed: [StoredHead]

    /// Looks for what a 304 with these fields is about.
    ///
    /// `validated` are the stored responses that were asked about; `hasForeignTags` tells whether
    /// the caller asked about versions that are not stored, too.
    init(
        _ fields: HTTPFields,
        among validated: [StoredHead],
        hasForeignTags: Bool,
        receivedAt received: Date
    ) {
        if let tag = fields.entityTag {
            let same = validated.filter {
                let stored = $0.fields.entityTag
                return tag.isWeak
                    ? stored?.isWeaklyEqual(to: tag) == true
                    : stored?.isStronglyEqual(to: tag) == true
            }
            // A weak tag does not tell versions apart: the most recent counts.
            confirmed =
                tag.isWeak ? same.max { $0.date < $1.date }.map { [$0] } ?? [] : same
        } else if validated.count == 1, !hasForeignTags {
            let modified = fields.date(.lastModified, now: received)
            let stored = validated[0].fields.date(.lastModified, now: received)
            // A 304 without validator can only be about the one version that was asked about.
            confirmed = modified == nil || modified == stored ? validated : []
        } else {
            confirmed = []
        }
    }
}
