import Apus
import Sharing
import Workspaces

/// How the requests of a batch ended, by cause, failures first.
///
/// Counts every request. Lists the first of each cause and keeps some of their responses; the history has the rest.
struct BatchOutcomes {
    /// What requests are grouped by.
    struct Cause: Hashable, Comparable {
        /// nil for requests without a response.
        var status: Int?
        /// "503 Service Unavailable", "timed out".
        var name: String
        /// Whether the response is not as expected, whatever its status.
        var isUnexpected = false
        /// The status alone, or what there is without one.
        var shortName: String { isUnexpected ? name : status.map(String.init) ?? name }
        /// Whether it is a failure: no response, one that was not accepted, or a status of 400 or more.
        var isBad: Bool

        /// Failures come first: no response, then 5xx, then 4xx.
        static func < (a: Cause, b: Cause) -> Bool {
            guard a.isBad == b.isBad else { return a.isBad }
            guard a.isUnexpected == b.isUnexpected else { return a.isUnexpected }
            guard a.status != b.status else { return a.name < b.name }
            guard let one = a.status, let other = b.status else { return a.status == nil }
            return a.isBad ? (other / 100, one) < (one / 100, other) : one < other
        }
    }

    /// A request that has ended.
    struct Row {
        /// Its index in the batch.
        var index: Int
        var title: String
        /// The target's name; nil if there is none.
        var name: String?
        var duration: Duration
        var size: Int
        /// nil if it was not kept.
        var result: Result<Response, ApusError>?
        /// What the response is checked against; nil if nothing is expected, or it was not kept.
        var target: WorkspaceTarget?
    }

    /// The requests of a cause.
    struct Group {
        let cause: Cause
        var count = 0
        /// The first few of them.
        var rows: [Row] = []
    }

    /// The most requests that are listed: of one cause, and of all.
    static let rowLimit = 200
    static let allRowsLimit = 1_000
    /// The most bytes of all bodies that are kept.
    static let memoryLimit = 4 << 20

    /// Sorted by cause.
    private(set) var groups: [Group] = []
    private(set) var goodCount = 0
    private(set) var badCount = 0
    private var rowCount = 0
    private var memory = 0
    /// Whether the request at each index succeeded; one byte each, because there may be a million.
    private var wells: [Bool] = []

    /// Records how the request at an index ended.
    mutating func record(
        _ summary: ExchangeSummary,
        of index: Int,
        title: String,
        name: String? = nil,
        isExpected: Bool? = nil,
        target: WorkspaceTarget? = nil
    ) {
        let size = summary.result.response?.body.count ?? 0
        var row = Row(
            index: index,
            title: title,
            name: name,
            duration: summary.duration,
            size: size
        )
        let isKept = memory + size <= Self.memoryLimit
        if isKept { (row.result, row.target) = (summary.result, target) }
        if record(row, Cause(summary.result, isExpected: isExpected)), isKept { memory += size }
    }

    /// Records a request whose response is elsewhere.
    mutating func record(_ result: WorkResult) {
        record(
            Row(
                index: result.index,
                title: result.title,
                duration: result.duration,
                size: result.size
            ),
            Cause(result)
        )
    }

    /// Counts a request by its cause; returns whether it is listed, too.
    @discardableResult private mutating func record(_ row: Row, _ cause: Cause) -> Bool {
        let group = group(of: cause)
        groups[group].count += 1
        if cause.isBad { badCount += 1 } else { goodCount += 1 }
        if wells.count <= row.index {
            wells += repeatElement(false, count: row.index + 1 - wells.count)
        }
        wells[row.index] = !cause.isBad
        guard groups[group].rows.count < Self.rowLimit, rowCount < Self.allRowsLimit else {
            return false
        }
        rowCount += 1
        groups[group].rows.append(row)
        return true
    }

    /// Whether the request at an index is to be sent again: it has not ended, or it failed.
    func isWanted(_ index: Int) -> Bool { !wells.indices.contains(index) || !wells[index] }

    /// Counts left-out requests as successful: an earlier run has sent them.
    mutating func leaveOut(_ isLeftOut: (Int) -> Bool, of count: Int) {
        wells = (0..<count).map(isLeftOut)
    }

    /// Drops the responses; the lists stay.
    mutating func dropResponses() {
        for group in groups.indices {
            for row in groups[group].rows.indices {
                groups[group].rows[row].result = nil
                groups[group].rows[row].target = nil
            }
        }
        memory = 0
    }

    private mutating func group(of cause: Cause) -> Int {
        var index = 0
        while index < groups.count, groups[index].cause < cause { index += 1 }
        if index == groups.count || groups[index].cause != cause {
            groups.insert(Group(cause: cause), at: index)
        }
        return index
    }
}

extension BatchOutcomes.Cause {
    init(_ result: Result<Response, ApusError>, isExpected: Bool? = nil) {
        if let isExpected, let response = result.response, response.isComplete {
            self.init(response, isBad: !isExpected)
            guard !isExpected, status.map({ $0 < 400 }) == true else { return }
            (name, isUnexpected) = ("\(response.status) not as expected", true)
            return
        }
        switch result {
        case .success(let response): self.init(response, isBad: response.status >= 400)
        case .failure(let error):
            // A status that the target does not accept.
            if let response = error.response, error.reason.shortName == "\(response.status)" {
                self.init(response, isBad: true)
            } else {
                self.init(status: nil, name: error.reason.shortName, isBad: true)
            }
        }
    }

    init(_ result: WorkResult) {
        if let status = result.status {
            self.init(
                status: status,
                name: HTTPStatus(status).description,
                isBad: result.failure != nil || status >= 400
            )
        } else {
            self.init(status: nil, name: result.failure?.name ?? "not sent", isBad: true)
        }
    }

    private init(_ response: Response, isBad: Bool) {
        self.init(status: response.status, name: response.httpStatus.description, isBad: isBad)
    }
}

/// The lines of a batch's endings, for a number of rows.
///
/// Every cause has a line, which the rows of other causes never hide. Failures are unfolded as far as there is
/// room, and whatever the user unfolds is shown in full.
struct BatchLines {
    /// A line of the list.
    enum Line: Equatable {
        /// A cause with more than one request, by the group's index.
        case group(Int, isOpen: Bool)
        case row(group: Int, row: Int)
        /// The number of a cause's requests that are not shown.
        case more(group: Int, Int)
    }

    private(set) var lines: [Line] = []

    init(_ endings: BatchOutcomes, open: [BatchOutcomes.Cause: Bool], height: Int) {
        var room = height - endings.groups.count
        for (index, group) in endings.groups.enumerated() {
            guard group.count > 1 || group.rows.isEmpty else {
                lines.append(.row(group: index, row: 0))
                continue
            }
            var shown = 0
            switch open[group.cause] {
            case true?: shown = group.rows.count
            case false?: break
            case nil where group.cause.isBad:
                shown = min(group.rows.count, room)
                // The line with the number of further requests takes one row.
                if shown < group.count { shown = max(0, min(group.rows.count, room - 1)) }
            case nil: break
            }
            lines.append(.group(index, isOpen: shown > 0))
            lines += (0..<shown).map { .row(group: index, row: $0) }
            guard shown > 0 else { continue }
            room -= shown
            if shown < group.count {
                lines.append(.more(group: index, group.count - shown))
                room -= 1
            }
        }
    }
}
