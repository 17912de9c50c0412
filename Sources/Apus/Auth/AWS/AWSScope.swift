import FoundationEssentials

/// What a signature is valid for: a day, a region and a service.
struct AWSScope: Sendable, Hashable {
    /// The algorithm's name, in signatures and in what is signed.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// `20130524T000000Z`.
    let timestamp: String
    let region: String
    let service: String

    init(at date: Date, region: String, service: String) {
        timestamp = Self.timestamp(of: date)
        self.region = region
        self.service = service
    }

    /// `20130524/us-east-1/s3/aws4_request`.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }

    private var day: Substring { timestamp.prefix(8) }

    /// What the signature is made of.
    func textToSign(canonicalRequest: String) -> String {
        let digest = ContentDigest.hex(of: canonicalRequest)
        return "\(Self.algorithm)\n\(timestamp)\n\(text)\n\(digest)"
    }

    /// A chain of HMACs from the secret key to the signature, in hexadecimal digits.
    func signature(of canonicalRequest: String, by secret: Secret) -> String {
        let parts = [String(day), region, service, "aws4_request"]
        let key = parts.reduce(Array("AWS4\(secret.value)".utf8)) { key, part in
            SHA256.authenticationCode(of: part, key: key)
        }
        let text = textToSign(canonicalRequest: canonicalRequest)
        return ContentDigest.hex(SHA256.authenticationCode(of: text, key: key))
    }

    private static func timestamp(of date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let civil = CivilDay(daysSince1970: days)
        let time = seconds - days * 86_400
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(civil.year, 4) + padded(civil.month) + padded(civil.day)
            + "T" + padded(time / 3600) + padded(time / 60 % 60) + padded(time % 60) + "Z"
    }
}
