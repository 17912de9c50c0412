import Documents
import Foundation

/// Decoding a list of records, parse included, beside Foundation's decoder in the same process:
/// milliseconds, the best of some rounds each.
func measureDecoding(of file: String) throws {
    let text = try Data(contentsOf: URL(fileURLWithPath: file))
    let bytes = try DocumentBytes.reading(file: file)
    var times = ["apus": Double.infinity, "lenient": .infinity, "JSONDecoder": .infinity]
    var results: [[Record]] = [[], [], []]
    for _ in 0..<max(3, 1_000_000 / text.count) {
        let decoder = DocumentDecoder()
        let ours = try seconds { results[0] = try decoder.decode([Record].self, from: bytes) }
        let lenient = try seconds {
            results[1] = try decoder.decodeLeniently([Record].self, from: bytes).value
        }
        let theirs = try seconds {
            results[2] = try JSONDecoder().decode([Record].self, from: text)
        }
        times["apus"] = min(times["apus"] ?? 0, ours)
        times["lenient"] = min(times["lenient"] ?? 0, lenient)
        times["JSONDecoder"] = min(times["JSONDecoder"] ?? 0, theirs)
    }
    guard results[0] == results[2] && results[1] == results[2] else {
        throw MeasurementError("the decoders disagree")
    }
    for (name, time) in times.sorted(by: { $0.key < $1.key }) {
        print("\(name)-ms \(rounded(time * 1000, 3))")
    }
    print("ratio \(rounded((times["JSONDecoder"] ?? 0) / (times["apus"] ?? 1)))")
}

/// One record as `generate-documents` writes it.
struct Record: Decodable, Equatable {
    let id: Int
    let guid: String
    let active: Bool
    let name: String
    let email: String
    let age: Int
    let score: Double
    let balance: String
    let tags: [String]
    let geo: Place
    let address: Address
    let note: String
    let created: String
    let seq: UInt64

    struct Place: Decodable, Equatable {
        let lat: Double
        let lon: Double
    }

    struct Address: Decodable, Equatable {
        let street: String
        let city: String
        let zip: String
        let country: String?
    }
}
