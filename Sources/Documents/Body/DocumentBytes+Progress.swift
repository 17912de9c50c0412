extension DocumentBytes {
    /// How much is there of what is to come.
    var loadProgress: ParseProgress {
        let count = count
        return ParseProgress(parsedBytes: count, totalBytes: max(count, expectedCount ?? count))
    }

    /// Reads everything that is to come, off the calling actor; returns early when cancelled.
    @concurrent func finishLoading(onProgress: (@Sendable (ParseProgress) -> Void)?) async {
        while !Task.isCancelled, await loadMore(4 << 20) { onProgress?(loadProgress) }
    }
}
