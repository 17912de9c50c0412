import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// What an answer to a conditional request means (RFC 9111, 4.3.3 and 4.3.4).
    ///
    /// `stored` is all that is stored for the URL now: what has gone since the request was made
    /// is not updated.
    func validation(
        of stored: [StoredHead],
        by response: HTTPResponse,
        to conditional: ConditionalRequest,
        requestTime: Date,
        responseTime: Date
    ) -> ValidationPlan {
        var log = DecisionLog(mask)
        log.note(.status(response.status.code))
        if response.status == .notModified {
            return notModified(stored, response, conditional, requestTime, responseTime, log)
        }
        if Self.errorStatuses.contains(response.status.code) {
            let selected = stored.first { $0.id == conditional.selected }
            let failure = afterFailure(
                .status(response.status.code),
                selected: selected,
                for: conditional.original,
                at: responseTime
            )
            guard let answer = failure.answer else {
                return ValidationPlan(failure.decision, .deliver)
            }
            return ValidationPlan(failure.decision, .answer(answer))
        }
        return ValidationPlan(log.decide(.replaced, .fullAnswer), .deliver)
    }

    private func notModified(
        _ stored: [StoredHead],
        _ response: HTTPResponse,
        _ conditional: ConditionalRequest,
        _ requestTime: Date,
        _ responseTime: Date,
        _ log: DecisionLog
    ) -> ValidationPlan {
        var log = log
        let fields = response.headerFields
        if let tag = fields.entityTag { log.note(.field(name: "ETag", value: "\(tag)")) }
        let validated = conditional.validated.compactMap { id in stored.first { $0.id == id } }
        let confirmed = NotModifiedSelection(
            fields,
            among: validated,
            hasForeignTags: conditional.hasForeignTags(validated),
            receivedAt: responseTime
        ).confirmed
        guard !confirmed.isEmpty else { return unmatched(fields, conditional, &log) }
        // What would become too large stays as it is, and is asked for again.
        let updates = confirmed.compactMap {
            $0.updated(
                with: fields,
                in: conditional.original,
                requestTime: requestTime,
                responseTime: responseTime
            )
        }
        if log.consider(.headTooLarge, updates.count < confirmed.count), updates.isEmpty {
            return ValidationPlan(log.decide(.fetchAgain, .headTooLarge), .fetchAgain)
        }
        let selected = updates.first { $0.id == conditional.selected } ?? updates[0]
        var deliberation = ReuseEvaluation(
            rules: self,
            request: conditional.original,
            stored: updates,
            now: responseTime
        )
        deliberation.log = log
        _ = deliberation.log.consider(.notModified, true)
        let (answer, _) = deliberation.answer(from: selected)
        Freshness(of: selected, at: responseTime, self).report(to: &deliberation.log)
        // It answers once more, and goes: what is stored would be the answer that must not be.
        let isNoStore = control(fields).forbidsStoring(status: selected.response.status.code)
        if deliberation.log.consider(.responseNoStore, isNoStore) {
            return ValidationPlan(
                deliberation.log.decide(.invalidated, .responseNoStore),
                .answer(answer),
                removals: confirmed.map(\.id)
            )
        }
        // Nothing of the answer is stored then, and what is stored stays as it is (5.2.1.5).
        let isKept = CacheControl(conditional.original.headerFields).isNoStore
        return ValidationPlan(
            deliberation.log.decide(.updated, .notModified),
            .answer(answer),
            updates: isKept ? [] : updates,
            newVariant: isKept ? nil : selected.variant(for: conditional.original)
        )
    }

    /// A 304 about a version that only the caller has goes to it; one about none is a mistake
    /// of the origin's, or the version is gone from the store.
    private func unmatched(
        _ fields: HTTPFields,
        _ conditional: ConditionalRequest,
        _ log: inout DecisionLog
    ) -> ValidationPlan {
        _ = log.consider(.notModifiedUnmatched, true)
        if let tag = fields.entityTag,
            EntityTagCondition(conditional.original.headerFields)?.matches(tag) == true
        {
            return ValidationPlan(log.decide(.forwarded, .callerHasCurrent), .deliver)
        }
        return ValidationPlan(log.decide(.fetchAgain, .notModifiedUnmatched), .fetchAgain)
    }
}

extension ValidationPlan {
    fileprivate init(
        _ decision: CacheDecision,
        _ action: Action,
        updates: [StoredHead] = [],
        newVariant: StoredHead? = nil,
        removals: [Int] = []
    ) {
        self.init(
            decision: decision,
            action: action,
            updates: updates,
            newVariant: newVariant,
            removals: removals
        )
    }
}

extension ConditionalRequest {
    /// Whether the caller asked about versions that none of `validated` is.
    fileprivate func hasForeignTags(_ validated: [StoredHead]) -> Bool {
        guard case .tags(let tags) = EntityTagCondition(original.headerFields) else { return false }
        return !tags.allSatisfy { tag in
            validated.contains { $0.fields.entityTag?.isWeaklyEqual(to: tag) == true }
        }
    }
}

extension StoredHead {
    /// With the fields and times of an answer to `request` that confirms it (RFC 9111, 3.2); nil if
    /// its head would become too large.
    func updated(
        with fields: HTTPFields,
        in request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> StoredHead? {
        guard
            let merged = StorableFields.merged(self.fields, with: fields, receivedAt: responseTime)
        else { return nil }
        var updated = self
        updated.response.headerFields = merged
        updated.requestTime = requestTime
        updated.responseTime = responseTime
        updated.isInvalidated = false
        if updated.vary != vary {
            // The values of fields that Vary names only now are known for this request alone.
            updated.isInvalidated = !vary.matches(request.headerFields, selecting)
            updated.selecting = updated.vary.selecting(from: request.headerFields)
        }
        return updated
    }

    /// Itself for another request's fields; nil if it fits them already, or could never.
    fileprivate func variant(for request: HTTPRequest) -> StoredHead? {
        guard vary != .everything, !vary.matches(request.headerFields, selecting) else {
            return nil
        }
        var variant = self
        variant.selecting = vary.selecting(from: request.headerFields)
        return variant
    }
}

/// What becomes of the stored responses, and of the caller, once the origin has answered.
struct ValidationPlan: Sendable, Equatable {
    /// What the caller gets.
    enum Action: Sendable, Equatable {
        /// An answer made from a stored response, after the updates.
        case answer(StoredAnswer)
        /// The origin's answer; whether it is stored is another question.
        case deliver
        /// The answer to the caller's own request, without the cache's conditions.
        case fetchAgain
    }

    let decision: CacheDecision
    let action: Action
    /// Stored responses with their new fields and times, by their ids.
    let updates: [StoredHead]
    /// The updated response that is to be stored for this request's fields, too, with a new id:
    /// it was stored for other fields (RFC 9111, 4.1).
    let newVariant: StoredHead?
    /// The ids of stored responses that go once the caller is answered.
    let removals: [Int]
}

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
