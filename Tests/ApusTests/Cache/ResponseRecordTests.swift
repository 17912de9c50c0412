import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

struct ResponseRecordTests {
    private let record = ResponseRecord(
        head: Response.fromServer().head,
        received: Date(timeIntervalSinceReferenceDate: 799_999_999.1234567),
        metrics: .full
    )

    @Test("a record comes back equal, duplicate fields in their order")
    func roundTrip() {
        let bytes = record.encoded
        #expect(bytes.withUnsafeBytes { ResponseRecord($0) } == record)
        let bare = ResponseRecord(head: HTTPResponse(status: 204), received: Date(), metrics: nil)
        #expect(bare.encoded.withUnsafeBytes { ResponseRecord($0) } == bare)
    }

    @Test("the TLS session of a response is stored with it, whether it has redirects or not")
    func session() throws {
        for hops in [[], [TransferMetrics.Redirect(status: 302, location: "/a")]] {
            var metrics = TransferMetrics(redirects: hops)
            metrics.tls = .init(version: "TLSv1.3", isVerified: false, fault: .otherHost)
            let record = ResponseRecord(head: record.head, received: Date(), metrics: metrics)
            let read = try #require(record.encoded.withUnsafeBytes { ResponseRecord($0) })
            #expect(read.metrics == metrics)
        }
    }

    @Test("a record with more fields than there may be is damaged")
    func tooManyFields() {
        var writer = RecordWriter()
        writer.add(65_536)
        for _ in 0..<65_536 {
            writer.add(0)
            writer.add("a")
            writer.add("")
        }
        writer.bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            #expect(throws: (any Error).self) { try reader.fields() }
        }
    }

    @Test("names of fields keep their letters, usual or not")
    func names() {
        var head = HTTPResponse(status: 200)
        for name in ["ETag", "etag", "Etag", "X-Own-Name", "Content-Type", "content-type"] {
            if let name = HTTPField.Name(name) {
                head.headerFields.append(HTTPField(name: name, value: name.rawName))
            }
        }
        let record = ResponseRecord(head: head, received: Date(), metrics: nil)
        let read = record.encoded.withUnsafeBytes { ResponseRecord($0) }
        #expect(read?.head.headerFields.map(\.name.rawName) == head.headerFields.map(\.value))
    }

    @Test(
        "a date that no clock gives makes no record",
        arguments: [.nan, -.nan, .infinity, -.infinity, 1e300, -1e12] as [Double]
    )
    func impossibleDate(seconds: Double) {
        let received = Date(timeIntervalSinceReferenceDate: seconds)
        let record = ResponseRecord(head: record.head, received: received, metrics: nil)
        #expect(record.encoded.withUnsafeBytes { ResponseRecord($0) } == nil)
    }

    @Test("a number that no name has makes no record", arguments: [-1, 1000, Int.min, Int.max])
    func unknownName(number: Int) {
        var writer = RecordWriter()
        writer.add(ResponseRecord.version)
        writer.add(record.received)
        writer.add(200)
        writer.add("OK")
        writer.add(1)
        writer.add(number)
        writer.add("value")
        writer.add("")
        #expect(writer.bytes.withUnsafeBytes { ResponseRecord($0) } == nil)
    }

    @Test("a head is read right whatever head is known")
    func knownHeads() {
        let heads: [[(String, String)]] = [
            [("ETag", "\"1\""), ("Age", "1")], [("ETag", "\"22\""), ("Age", "1")],
            [("etag", "\"22\""), ("Age", "1")], [("ETag", "\"1\"")], [],
            [("ETag", "\"1\""), ("Age", "1"), ("Age", "1")], [("Age", "1"), ("ETag", "\"1\"")],
            [("X-Own", "a"), ("Age", "333")], [("X-Own", "b"), ("Age", "")],
            [("X-Own", "bäd"), ("Age", "4")], [("X-Own", "ba\u{308}d"), ("Age", "4")],
            [("Date", "1"), ("Age", "4")],
        ]
        let records = heads.enumerated().flatMap { index, fields in
            [200, 200 + index].map { status in
                var head = HTTPResponse(status: .init(code: status, reasonPhrase: "OK"))
                for (name, value) in fields {
                    guard let name = HTTPField.Name(name) else { continue }
                    head.headerFields.append(HTTPField(name: name, value: value))
                }
                return ResponseRecord(head: head, received: Date(), metrics: nil)
            }
        }
        for first in records {
            for second in records {
                var known = KnownHead()
                for record in [first, second, first, second, second] {
                    let read = record.encoded.withUnsafeBytes {
                        ResponseRecord($0, body: [], known: &known)
                    }
                    #expect(read == record)
                    #expect(read.map(Self.bytes) == Self.bytes(record))
                }
            }
        }
    }

    // Names that differ in case are equal, and so are texts that only look the same.
    private static func bytes(_ record: ResponseRecord) -> [[UInt8]] {
        record.head.headerFields.map { field in
            Array(field.name.rawName.utf8) + field.withUnsafeBytesOfValue { Array($0) }
        }
    }

    @Test("a record of another version is none", arguments: [0, 1, 3, 5, -1, Int.max])
    func otherVersions(version: Int) {
        var writer = RecordWriter()
        writer.add(version)
        let rest = record.encoded.dropFirst()
        let bytes = writer.bytes + rest
        #expect(bytes.withUnsafeBytes { ResponseRecord($0) } == nil)
        writer = RecordWriter()
        writer.add(4)
        #expect((writer.bytes + rest).withUnsafeBytes { ResponseRecord($0) } == record)
    }

    @Test("damaged bytes leave what is known right")
    func damagedKnown() {
        var random = SeededNumbers(state: 11)
        var known = KnownHead()
        let bytes = record.encoded
        for _ in 0..<5_000 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= 1
            _ = damaged.withUnsafeBytes { ResponseRecord($0, body: [], known: &known) }
            #expect(bytes.withUnsafeBytes { ResponseRecord($0, body: [], known: &known) } == record)
        }
    }

    @Test("metrics that cannot be read are none, and the rest of the record is there")
    func damagedMetrics() throws {
        var writer = RecordWriter()
        writer.add(4)
        writer.add(record.received)
        writer.add(record.head)
        [UInt8](repeating: 0xFF, count: 9).withUnsafeBufferPointer { writer.add($0) }
        let read = try #require(writer.bytes.withUnsafeBytes { ResponseRecord($0) })
        #expect(read.head == record.head)
        #expect(read.metrics == nil)
    }

    @Test("what a redirect left behind comes back; metrics without it are as they were")
    func withheld() throws {
        var metrics = TransferMetrics.full
        let earlier = LazyMetrics.read(metrics).encoded
        metrics.redirects.append(
            .init(status: 307, location: "/b", withheldFields: ["X-Api-Key", "Cookie"])
        )
        metrics.redirects.append(.init(status: 307, location: "/c"))
        let record = ResponseRecord(head: record.head, received: record.received, metrics: metrics)
        let read = try #require(record.encoded.withUnsafeBytes { ResponseRecord($0) })
        #expect(read.metrics == metrics)
        // As the versions before wrote them, none of which had an end like this.
        var writer = RecordWriter()
        writer.add(TransferMetrics.full)
        #expect(writer.bytes == earlier)
        #expect(earlier.withUnsafeBytes { TransferMetrics(recorded: $0) } == .full)
        let bytes = LazyMetrics.read(metrics).encoded
        for count in 0..<bytes.count {
            let cut = bytes[..<count].withUnsafeBytes { TransferMetrics(recorded: $0) }
            #expect(cut == nil || cut?.redirects.allSatisfy { $0.withheldFields.isEmpty } == true)
        }
    }

    @Test("a record cut anywhere is none")
    func cut() {
        let bytes = record.encoded
        for count in 0..<bytes.count {
            #expect(bytes[..<count].withUnsafeBytes { ResponseRecord($0) } == nil)
        }
    }

    @Test("damaged bytes never trap")
    func damage() {
        var random = SeededNumbers(state: 7)
        for _ in 0..<20_000 {
            var bytes = record.encoded
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            _ = bytes.withUnsafeBytes { ResponseRecord($0) }
        }
    }
}
