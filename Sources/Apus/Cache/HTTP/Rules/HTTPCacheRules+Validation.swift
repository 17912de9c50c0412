import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Decides what a response to a conditional request means (RFC 9111, 4.3.3 and 4.3.4).
    ///
    /// `stored` is what is stored for the URL now; what has gone since the request was sent is not updated.
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
                return ValidationPlan(decision: failure.decision, action: .deliver)
            }
            return ValidationPlan(decision: failure.decision, action: .answer(answer))
        }
        return ValidationPlan(decision: log.decide(.replaced, .fullResponse), action: .deliver)
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
        // Responses that would become too large stay unchanged and are requested again.
        let updates = confirmed.compactMap {
            $0.updated(
                with: fields,
                in: conditional.original,
                requestTime: requestTime,
                responseTime: responseTime
            )
        }
        if log.consider(.headTooLarge, updates.count < confirmed.count), updates.isEmpty {
            let decision = log.decide(.fetchAgain, .headTooLarge)
            return ValidationPlan(decision: decision, action: .fetchAgain)
        }
        let ids = confirmed.map(\.id)
        return answering(from: updates, confirming: ids, fields, conditional, responseTime, log)
    }

    /// Answers from the updated heads of stored responses; the 304 has confirmed those with these ids.
    private func answering(
        from updates: [StoredHead],
        confirming confirmed: [Int],
        _ fields: HTTPFields,
        _ conditional: ConditionalRequest,
        _ responseTime: Date,
        _ log: DecisionLog
    ) -> ValidationPlan {
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
        // Served once more and then removed, because the updated response must not be stored.
        let isNoStore = control(fields).forbidsStoring(status: selected.response.status.code)
        if deliberation.log.consider(.responseNoStore, isNoStore) {
            return ValidationPlan(
                decision: deliberation.log.decide(.invalidated, .responseNoStore),
                action: .answer(answer),
                removals: confirmed
            )
        }
        // The request forbids storing any part of the response, so what is stored stays unchanged (5.2.1.5).
        let isKept = CacheControl(conditional.original.headerFields).isNoStore
        return ValidationPlan(
            decision: deliberation.log.decide(.updated, .notModified),
            action: .answer(answer),
            updates: isKept ? [] : updates,
            newVariant: isKept ? nil : selected.variant(for: conditional.original)
        )
    }

    /// Handles a 304 that matches no stored response.
    ///
    /// If it is about a version that the caller has, it is delivered. Otherwise the origin made a mistake, or
    /// the version has been removed meanwhile.
    private func unmatched(
        _ fields: HTTPFields,
        _ conditional: ConditionalRequest,
        _ log: inout DecisionLog
    ) -> ValidationPlan {
        _ = log.consider(.notModifiedUnmatched, true)
        if let tag = fields.entityTag,
            EntityTagCondition(conditional.original.headerFields)?.matches(tag) == true
        {
            let decision = log.decide(.forwarded, .callerHasCurrent)
            return ValidationPlan(decision: decision, action: .deliver)
        }
        let decision = log.decide(.fetchAgain, .notModifiedUnmatched)
        return ValidationPlan(decision: decision, action: .fetchAgain)
    }
}

extension ConditionalRequest {
    /// Whether the caller's condition names versions that are not in `validated`.
    fileprivate func hasForeignTags(_ validated: [StoredHead]) -> Bool {
        guard case .tags(let tags) = EntityTagCondition(original.headerFields) else { return false }
        return !tags.allSatisfy { tag in
            validated.contains { $0.fields.entityTag?.isWeaklyEqual(to: tag) == true }
        }
    }
}

extension StoredHead {
    /// The head updated by a confirming response (RFC 9111, 3.2); nil if it would become too large.
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
            // The values of fields that `Vary` names only now are known for this request alone.
            updated.isInvalidated = !vary.matches(request.headerFields, selecting)
            updated.selecting = updated.vary.selecting(from: request.headerFields)
        }
        return updated
    }

    /// The head for another request's fields; nil if it matches them already or can never match.
    fileprivate func variant(for request: HTTPRequest) -> StoredHead? {
        guard vary != .everything, !vary.matches(request.headerFields, selecting) else {
            return nil
        }
        var variant = self
        variant.selecting = vary.selecting(from: request.headerFields)
        return variant
    }
}

/// What the caller gets and how the stored responses change, once the origin has answered.
struct ValidationPlan: Sendable, Equatable {
    /// What the caller gets.
    enum Action: Sendable, Equatable {
        /// A response made from a stored one, after the updates.
        case answer(ServedResponse)
        /// The origin's response; storing it is decided separately.
        case deliver
        /// The response to the caller's own request, which is sent without the cache's conditions.
        case fetchAgain
    }

    let decision: CacheDecision
    let action: Action
    /// The updated heads, with the ids of the stored responses.
    var updates: [StoredHead] = []
    /// The updated response to store for this request's fields too, with a new id; nil if it is already
    /// stored for them (RFC 9111, 4.1).
    var newVariant: StoredHead?
    /// The ids of the stored responses to remove once the caller has been answered.
    var removals: [Int] = []
}

/// The stored responses that a 304 confirms (RFC 9111, 4.3.4).
struct NotModifiedSelection: Sendable, Equatable {
    /// In the order of validation; empty if it confirms none.
    let confirmed: [StoredHead]

    /// Selects the responses that a 304 with these fields confirms.
    ///
    /// `validated` are the stored responses being validated. `hasForeignTags` says whether the caller also
    /// asked about versions that are not stored.
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
            // A weak tag does not distinguish versions, so the most recent one counts.
            confirmed =
                tag.isWeak ? same.max { $0.date < $1.date }.map { [$0] } ?? [] : same
        } else if validated.count == 1, !hasForeignTags {
            let modified = fields.date(.lastModified, now: received)
            let stored = validated[0].fields.date(.lastModified, now: received)
            // A 304 without a validator can only be about the one version being validated.
            confirmed = modified == nil || modified == stored ? validated : []
        } else {
            confirmed = []
        }
    }
}
