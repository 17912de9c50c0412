import Documents

/// What came of a request that a worker sent.
package struct WorkResult: Sendable, Hashable {
    /// Why there is no response, or none that the target accepts.
    package struct Failure: Error, Hashable {
        /// The shortest name: "timed out", or the status.
        package let name: String
        /// The exit status, the reason and the message that `apus send --json` has.
        package let code: Int
        package let reason: Int
        package let message: String

        /// Makes a failure.
        package init(name: String, code: Int, reason: Int, message: String) {
            (self.name, self.code) = (name, code)
            (self.reason, self.message) = (reason, message)
        }
    }

    /// The request's index in the batch.
    package let index: Int
    /// The method and the URL, with secrets masked; empty if it was not sent.
    package let method: String
    package let url: String
    /// The status of the response; nil if there is none.
    package let status: Int?
    package let failure: Failure?
    /// How long it took.
    package let duration: Duration
    /// The bytes of the response's body.
    package let size: Int

    /// Makes a result.
    package init(
        index: Int,
        method: String,
        url: String,
        status: Int?,
        failure: Failure?,
        duration: Duration,
        size: Int
    ) {
        (self.index, self.method, self.url) = (index, method, url)
        (self.status, self.failure) = (status, failure)
        (self.duration, self.size) = (duration, size)
    }

    /// A request of a rate that was not sent, because its time had passed.
    package static func missed(_ index: Int) -> WorkResult {
        WorkResult(
            index: index,
            method: "",
            url: "",
            status: nil,
            failure: nil,
            duration: .zero,
            size: 0
        )
    }

    /// Whether it was not sent.
    package var isMissed: Bool { status == nil && failure == nil }

    var json: JSON {
        var values = [
            JSON(index), JSON(Int(duration / .microseconds(1))), JSON(size),
            status.map { JSON($0) } ?? .null, JSON(method), JSON(url),
        ]
        if let failure {
            values += [
                JSON(failure.name), JSON(failure.code), JSON(failure.reason), JSON(failure.message),
            ]
        }
        return JSON(values)
    }

    init?(_ json: JSON) {
        let values = Array(json.elements)
        guard values.count == 6 || values.count == 10, let index = values[0].int, index >= 0,
            let time = values[1].int, let size = values[2].int, let method = values[4].string,
            let url = values[5].string
        else { return nil }
        var failure: Failure?
        if values.count == 10 {
            guard let name = values[6].string, let code = values[7].int,
                let reason = values[8].int, let message = values[9].string
            else { return nil }
            failure = Failure(name: name, code: code, reason: reason, message: message)
        }
        self.init(
            index: index,
            method: method,
            url: url,
            status: values[3].int,
            failure: failure,
            duration: .microseconds(max(0, time)),
            size: max(0, size)
        )
    }
}

/// What a worker tells about its work.
package struct WorkReport: Sendable, Hashable {
    /// The worker's name.
    package let worker: String
    /// Different for each start of a worker of that name.
    let instance: String
    /// Counted from 1, so that a report that is sent twice counts once.
    let number: Int
    /// How many requests it has under way, and how many it may have.
    package var running = 0
    package var concurrency = 0
    /// How many requests it took over from others, or leaves to them.
    package var again = 0
    /// Whether it leaves.
    package var isLast = false
    package var results: [WorkResult] = []

    /// Makes a report.
    init(worker: String, instance: String, number: Int) {
        (self.worker, self.instance, self.number) = (worker, instance, number)
    }

    func encoded() throws(RedisFault) -> [UInt8] {
        try JSON(members: [
            ("worker", JSON(worker)), ("instance", JSON(instance)), ("number", JSON(number)),
            ("running", JSON(running)), ("concurrency", JSON(concurrency)), ("again", JSON(again)),
            ("last", JSON(isLast)), ("results", JSON(results.map(\.json))),
        ]).message()
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let worker = json["worker"].string,
            let instance = json["instance"].string, let number = json["number"].int
        else { return nil }
        self.init(worker: worker, instance: instance, number: number)
        running = json["running"].int ?? 0
        concurrency = json["concurrency"].int ?? 0
        again = json["again"].int ?? 0
        isLast = json["last"].bool ?? false
        results = json["results"].elements.compactMap { WorkResult($0) }
    }
}
