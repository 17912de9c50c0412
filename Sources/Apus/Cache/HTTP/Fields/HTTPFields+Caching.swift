import FoundationEssentials
import HTTPTypes

extension HTTPFields {
    /// The first of the field's lines as a date; nil if there is none or it is invalid.
    func date(_ name: HTTPField.Name, now: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate.parse(Substring($0).trimmingBlanks, now: now) }
    }

    /// The first member of `Age`; nil if it is invalid (RFC 9111, 5.1).
    var age: Duration? {
        ListMembers(.age, in: self).members.first.flatMap { DeltaSeconds.parse($0) }
    }

    /// The entity tag, if there is one.
    var entityTag: EntityTag? {
        self[values: .eTag].first.flatMap { value in
            let tag = EntityTag(value)
            return tag.description.isEmpty ? nil : tag
        }
    }

    /// Whether there is something to make a conditional request with.
    var hasValidator: Bool { entityTag != nil || contains(.lastModified) }

    /// Whether a request without `Cache-Control` says `Pragma: no-cache`.
    ///
    /// RFC 9111, 5.4 deprecates it; RFC 7234, 5.4 tells what it means.
    var isPragmaNoCache: Bool {
        guard !contains(.cacheControl) else { return false }
        let lines = filter { $0.name.canonicalName == "pragma" }.map(\.value)
        return ListMembers(lines).members.contains { $0.lowercased() == "no-cache" }
    }
}
