import Apus

/// An exchange to import from a file or folder.
package struct ImportedExchange: Sendable {
    package var record: ExchangeRecord
    package var note: String?
    package var isMarked = false
    /// The run that it belongs to, with the run's number in the file; nil if it belongs to none.
    package var run: (number: Int, kind: RecordedRun.Kind, name: String)?

    package init(_ record: ExchangeRecord) { self.record = record }
}

/// The facts of an imported exchange that a `Result` of this process cannot express.
package struct ImportedFacts: Sendable {
    package var errorCode: Int?
    package var errorText: String?
    package var decision: String?
    package var source: String?
    /// The sizes of missing bodies, in bytes.
    package var unkeptSize: Int?
    package var unkeptRequestSize: Int?
    /// The trailers, and the header lines that are not valid fields.
    package var trailers: [String] = []
}

extension ExchangeRecord {
    /// Changes the response, if there is one.
    mutating func changeResponse(_ change: (inout Response) -> Void) {
        switch result {
        case .success(var response):
            change(&response)
            result = .success(response)
        case .failure(var error):
            guard var response = error.response else { return }
            change(&response)
            error.response = response
            result = .failure(error)
        }
    }

    mutating func changeMetrics(_ change: (inout TransferMetrics) -> Void) {
        changeResponse { response in
            var metrics = response.metrics ?? TransferMetrics()
            change(&metrics)
            response.metrics = metrics
        }
    }

    /// Completes the result of an imported exchange: sets its trailers, and makes it an error if it was one.
    mutating func settleResult() {
        if case let lines = imported.trailers, !lines.isEmpty {
            changeMetrics { $0.irregularHeaderLines = lines }
        }
        guard imported.errorCode != nil, case .success(let response) = result else { return }
        result = .failure(ApusError(.transport(code: 0, detail: ""), response: response))
    }
}
