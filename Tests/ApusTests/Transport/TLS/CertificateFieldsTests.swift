import FoundationEssentials
import TestSupport
import Testing

@testable import Apus

@Suite("Certificates, read from their DER form")
struct CertificateFieldsTests {
    private func der(_ name: String) throws -> [UInt8] {
        let path = "\(try TLSNginx.shared().folder)/\(name).pem"
        let pem = try #require(Temporary.text(path))
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }

    @Test("a certificate reads as OpenSSL reads it")
    func reads() throws {
        let certificate = TransferMetrics.Certificate(der: try der("self"))
        let summary = certificate.summary
        #expect(summary.subject == "CN = localhost" && summary.issuer == "CN = localhost")
        #expect(summary.names.map(\.kind) == ["DNS"] && summary.names.map(\.text) == ["localhost"])
        #expect(summary.key == "rsaEncryption")
        let names = certificate.fields.map(\.name)
        #expect(names.contains("Serial Number") && names.last == "Cert")
        let end = try #require(summary.end)
        #expect(end.hasSuffix(" GMT") && end.count == 23)
    }

    @Test("no damage of a certificate makes its reader fail")
    func damaged() throws {
        let whole = try der("good")
        for count in 0..<whole.count {
            _ = TransferMetrics.Certificate(der: Array(whole.prefix(count))).summary
        }
        for index in whole.indices {
            for byte: UInt8 in [0x00, 0x7F, 0x80, 0x84, 0xFF] {
                var damaged = whole
                damaged[index] = byte
                let certificate = TransferMetrics.Certificate(der: damaged)
                _ = certificate.summary.covers("localhost")
            }
        }
        #expect(TransferMetrics.Certificate(der: []).fields.map(\.name) == ["Cert"])
        #expect(TransferMetrics.Certificate(fields: []).summary.subject == nil)
    }

    @Test(
        "names are compared as libcurl compares them",
        arguments: [
            ("DNS:example.com", "example.com", true), ("DNS:example.com", "EXAMPLE.com", true),
            ("DNS:example.com", "example.com.", true),
            ("DNS:example.com", "www.example.com", false),
            ("DNS:*.example.com", "www.example.com", true),
            ("DNS:*.example.com", "example.com", false),
            ("DNS:*.example.com", "a.b.example.com", false), ("DNS:*.com", "example.com", false),
            ("DNS:a.test, DNS:b.test", "b.test", true),
            ("IP Address:127.0.0.1", "127.0.0.1", true), ("DNS:127.0.0.1", "127.0.0.1", false),
            ("IP Address:0:0:0:0:0:0:0:1", "::1", true), ("IP Address:10.0.0.1", "::1", false),
            ("DNS:b\u{FC}cher.test", "b\u{FC}cher.test", nil),
        ]
    )
    func covers(names: String, host: String, expected: Bool?) {
        let certificate = TransferMetrics.Certificate(fields: [
            .init(name: "Subject", value: "CN = elsewhere.test"),
            .init(name: "X509v3 Subject Alternative Name", value: names),
        ])
        #expect(certificate.summary.covers(host) == expected)
    }

    @Test("without names, the subject's common name counts, and another field cannot pose as it")
    func commonName() {
        func certificate(_ subject: String) -> CertificateSummary {
            TransferMetrics.Certificate(fields: [.init(name: "Subject", value: subject)]).summary
        }
        #expect(certificate("C = DE, CN = h.test").covers("h.test") == true)
        #expect(certificate("CN = a.test, O = \"x, CN = h.test\"").covers("h.test") == false)
    }
}
