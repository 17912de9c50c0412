import Documents
package import FoundationEssentials
import Glibc

extension TransferMetrics.Certificate {
    /// Makes a certificate from its DER form, with the fields that libcurl would report, so that a certificate
    /// that was refused reads like one that was accepted.
    init(der: [UInt8]) {
        let text = CertificateText(der: der)
        self.init(fields: text?.fields ?? [])
        let lines = Data(der).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed]
        )
        let pem = "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
        fields.append(.init(name: "Cert", value: pem))
    }

    /// The certificate in DER form; nil if it is not among the fields.
    fileprivate var der: [UInt8]? {
        guard let pem = fields.last(where: { $0.name == "Cert" })?.value else { return nil }
        let body = pem.utf8.split(separator: UInt8(ascii: "\n"))
            .filter { $0.first != UInt8(ascii: "-") }.joined()
        return Data(base64Encoded: Data(body)).map(Array.init)
    }

    /// The certificate in short: whose it is, from whom, and until when.
    package var summary: CertificateSummary {
        let fields = der.flatMap(CertificateText.init(der:))?.fields ?? fields
        func value(_ name: String) -> String? {
            fields.first { $0.name.asciiLowercased == name }?.value
        }
        return CertificateSummary(
            subject: value("subject"),
            issuer: value("issuer"),
            names: (value(CertificateText.namesField.asciiLowercased) ?? "")
                .split(separator: ", ").map(CertificateSummary.Name.init),
            start: value("start date"),
            end: value("expire date"),
            key: value("public key algorithm")
        )
    }
}

/// What a reader of a certificate looks for first.
package struct CertificateSummary: Sendable, Hashable {
    /// A name for which a certificate is valid.
    package struct Name: Sendable, Hashable {
        /// "DNS", "IP Address", "email", "URI".
        package let kind: String
        /// The name as in the certificate, such as `*.example.com` or an address.
        package let text: String

        fileprivate init(_ field: Substring) {
            let parts = field.split(separator: ":", maxSplits: 1)
            kind = parts.count > 1 ? String(parts[0]) : ""
            text = String(parts.last ?? "")
        }
    }

    /// Whose it is: "CN = localhost, O = Example".
    package let subject: String?
    /// Who issued it, in the same form.
    package let issuer: String?
    /// The names of the servers for which it is valid.
    package let names: [Name]
    /// The first and the last moment at which it is valid, as text.
    package let start: String?
    package let end: String?
    /// The algorithm of its key.
    package let key: String?

    /// The first and the last moment at which it is valid; nil for a date in an unknown format.
    package var startDate: Date? { start.flatMap(Self.date) }
    package var endDate: Date? { end.flatMap(Self.date) }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Feb  6 12:00:00 2027 GMT` or `2027-02-06 12:00:00 GMT`, as TLS libraries write it.
    private static func date(_ text: String) -> Date? {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let words = text.split(separator: " ")
        let (day, time): (String, Substring)
        if words.count >= 4, let month = months.firstIndex(of: String(words[0])),
            let number = Int(words[1])
        {
            day = "\(words[3])-\(twoDigits(month + 1))-\(twoDigits(number))"
            time = words[2]
        } else if words.count >= 2 {
            (day, time) = (String(words[0]), words[1])
        } else {
            return nil
        }
        // nil if it is in neither format.
        return try? Date("\(day)T\(time)Z", strategy: .iso8601)
    }

    /// Whether it was issued by its own subject.
    package var isSelfSigned: Bool { subject != nil && subject == issuer }

    /// Whether it is valid for a host, as RFC 6125 and libcurl compare: a wildcard stands for the first label.
    ///
    /// nil if that cannot be decided, because the host is not in ASCII.
    package func covers(_ host: String) -> Bool? {
        let host = host.asciiLowercased
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let address = IPAddressText.normalized(host) {
            return names.contains {
                $0.kind == "IP Address" && IPAddressText.normalized($0.text) == address
            }
        }
        let hosts = names.filter { $0.kind == "DNS" }.map { $0.text.asciiLowercased }
        // Without such names, the subject's common name counts.
        let common = (subject ?? "").split(separator: ", ").last { $0.hasPrefix("CN = ") }
        return (hosts.isEmpty ? [String(common?.dropFirst(5) ?? "").asciiLowercased] : hosts)
            .contains { Self.matches(host, $0) }
    }

    private static func matches(_ host: String, _ pattern: String) -> Bool {
        func bare(_ name: String) -> Substring { name.hasSuffix(".") ? name.dropLast() : name[...] }
        let (host, pattern) = (bare(host), bare(pattern))
        guard pattern.hasPrefix("*.") else { return host == pattern }
        let rest = pattern.dropFirst()
        guard rest.dropFirst().contains("."), let dot = host.firstIndex(of: "."),
            dot != host.startIndex
        else { return false }
        return host[dot...] == rest
    }
}

/// The fields of a certificate, read from its DER form (RFC 5280, section 4.1).
private struct CertificateText {
    typealias Tag = DERReader.Value.Tag

    static let namesField = "X509v3 Subject Alternative Name"

    private(set) var fields: [TransferMetrics.Certificate.Field] = []

    /// nil if the bytes are not a certificate.
    init?(der: [UInt8]) {
        var outer = DERReader(der[...])
        guard var whole = outer.next(Tag.sequence)?.inside,
            var body = whole.next(Tag.sequence)?.inside
        else { return nil }
        let version = body.next(0xA0)?.bytes.last ?? 0
        guard let serial = body.next(Tag.integer), let signature = body.next(Tag.sequence),
            let issuer = body.next(Tag.sequence), let dates = body.next(Tag.sequence),
            let subject = body.next(Tag.sequence), let key = body.next(Tag.sequence)
        else { return nil }
        let times = dates.inside.values
        add("Subject", Self.name(subject))
        add("Issuer", Self.name(issuer))
        add("Version", "\(Int(version) + 1)")
        add("Serial Number", Self.hex(serial.bytes))
        add("Signature Algorithm", Self.algorithm(signature))
        add("Start date", times.first?.time)
        add("Expire date", times.dropFirst().first?.time)
        add("Public Key Algorithm", key.inside.values.first.map(Self.algorithm))
        var extensions = DERReader([])
        // The identifiers of issuer and subject may stand before the extensions.
        while let next = body.next() {
            guard next.tag == 0xA3 else { continue }
            var list = next.inside
            extensions = list.next(Tag.sequence)?.inside ?? extensions
        }
        for item in extensions.values { addNames(item) }
    }

    private mutating func add(_ name: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        fields.append(.init(name: name, value: value))
    }

    private mutating func addNames(_ item: DERReader.Value) {
        let parts = item.inside.values
        guard parts.first?.identifier == "2.5.29.17", let value = parts.last,
            value.tag == Tag.octetString
        else { return }
        var list = value.inside
        let names = (list.next(Tag.sequence)?.inside.values ?? []).compactMap(Self.alternative)
        add(Self.namesField, names.joined(separator: ", "))
    }

    /// A name of the extension, as OpenSSL writes it.
    private static func alternative(_ name: DERReader.Value) -> String? {
        switch name.tag {
        case 0x81: "email:\(plain(name.string))"
        case 0x82: "DNS:\(plain(name.string))"
        case 0x86: "URI:\(plain(name.string))"
        case 0x87: IPAddressText.text(of: Array(name.bytes)).map { "IP Address:\($0)" }
        default: nil
        }
    }

    /// A name within a list that commas divide.
    private static func plain(_ name: String) -> String { name.replacing(", ", with: ",\\ ") }

    /// "CN = localhost, O = Example".
    private static func name(_ value: DERReader.Value) -> String {
        value.inside.values.flatMap { $0.inside.values }.compactMap { pair in
            let parts = pair.inside.values
            guard parts.count == 2 else { return nil }
            let identifier = parts[0].identifier
            return "\(attributes[identifier] ?? identifier) = \(quoted(parts[1].string))"
        }.joined(separator: ", ")
    }

    /// A value within such a list.
    private static func quoted(_ value: String) -> String {
        value.utf8.contains(UInt8(ascii: ","))
            ? "\"\(value.replacing("\"", with: "\\\""))\"" : value
    }

    private static let attributes = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C",
        "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU",
        "2.5.4.12": "title", "2.5.4.17": "postalCode", "2.5.4.42": "GN",
        "1.2.840.113549.1.9.1": "emailAddress", "0.9.2342.19200300.100.1.25": "DC",
        "0.9.2342.19200300.100.1.1": "UID",
    ]

    private static func algorithm(_ value: DERReader.Value) -> String {
        let identifier = value.inside.values.first?.identifier ?? ""
        return algorithms[identifier] ?? identifier
    }

    private static let algorithms = [
        "1.2.840.113549.1.1.1": "rsaEncryption",
        "1.2.840.113549.1.1.5": "sha1WithRSAEncryption",
        "1.2.840.113549.1.1.10": "rsassaPss",
        "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
        "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
        "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
        "1.2.840.10045.2.1": "id-ecPublicKey",
        "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
        "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
        "1.2.840.10045.4.3.4": "ecdsa-with-SHA512",
        "1.3.101.112": "ED25519", "1.3.101.113": "ED448",
    ]

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
    }
}

/// Addresses in one form each, so that they can be compared as text.
enum IPAddressText {
    /// An address in its usual form, without brackets; nil for a host's name.
    static func normalized(_ host: String) -> String? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, bare, &bytes) == 1 { return text(of: Array(bytes.prefix(4))) }
        return inet_pton(AF_INET6, bare, &bytes) == 1 ? text(of: bytes) : nil
    }

    /// The text of an address of 4 or 16 bytes; nil for any other number.
    static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        // More than the longest address has.
        var text = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
