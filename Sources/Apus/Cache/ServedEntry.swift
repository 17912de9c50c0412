import FoundationEssentials

/// What an answer has of the entry that it is made of; no more of an entry is touched by a hit.
struct ServedEntry: Sendable {
    let key: CacheKey
    let answer: Box<ReceivedAnswer>
    let life: EntryLife
    let hits: Int

    /// The entry as an answer to `request`, read at `now`.
    func response(
        for request: PreparedRequest,
        at now: Date,
        _ place: (CacheHit) -> ResponseSource
    ) -> Response {
        let hit = CacheHit(
            key: key,
            stored: life.stored,
            expires: life.expires,
            read: now,
            hits: hits
        )
        return Response(request: request, answer: answer, source: place(hit))
    }
}
