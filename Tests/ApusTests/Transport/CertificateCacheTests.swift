import Testing

@testable import Apus

struct CertificateChainsTests {
    private static func chain(_ name: String, _ count: Int = 10) -> CertificateCache.Chain {
        let text = String(repeating: "a", count: count)
        return [
            .init(fields: [.init(name: "Subject", value: name), .init(name: "Cert", value: text)])
        ]
    }

    private static func isSame(_ a: CertificateCache.Chain, _ b: CertificateCache.Chain) -> Bool {
        a.withUnsafeBufferPointer(\.baseAddress) == b.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test("equal chains of several connections are one, and weigh as one")
    func sharing() {
        var chains = CertificateCache()
        let first = chains.add(Self.chain("a"), of: "1")
        let cost = chains.cost
        let second = chains.add(Self.chain("a"), of: "2")
        #expect(Self.isSame(first, second) && Self.isSame(chains["1"], chains["2"]))
        #expect(cost > 10 && chains.cost == cost)
        #expect(chains.add(Self.chain("b"), of: "1") == Self.chain("b"))
        #expect(chains["1"] == Self.chain("b") && chains["3"].isEmpty && chains.cost > cost)
    }

    @Test("however many and large the chains are, no more than the limit is held")
    func limit() {
        var chains = CertificateCache(costLimit: 1 << 20)
        for number in 0..<100 {
            let chain = Self.chain("\(number)", 100_000)
            #expect(chains.add(chain, of: "\(number)") == chain)
            #expect(chains["\(number)"] == chain && chains.cost <= 1 << 20)
        }
        let large = Self.chain("large", 2 << 20)
        #expect(chains.add(large, of: "99") == large)
        #expect(chains["99"].isEmpty && chains.cost <= 1 << 20)
    }

    @Test("connections are forgotten when there are too many")
    func connections() {
        var chains = CertificateCache(connectionLimit: 4)
        let all = (0..<9).map { "\($0)" }
        for connection in all { _ = chains.add(Self.chain("a"), of: connection) }
        #expect(all.filter { !chains[$0].isEmpty } == ["8"])
    }

    @Test("responses over connections of their own share the server's chain")
    func overTLS() async throws {
        let nginx = try TLSNginx.shared()
        let request = PreparedRequest.make(
            scheme: "https",
            nginx.authority(.good),
            "/unframed",
            options: TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        )
        let transport = CurlTransport()
        var shown: [CertificateCache.Chain] = []
        for _ in 0..<2 {
            let metrics = try #require(try await transport.send(request).metrics)
            #expect(!metrics.reusedConnection && !metrics.certificates.isEmpty)
            shown.append(metrics.certificates)
        }
        #expect(Self.isSame(shown[0], shown[1]))
    }
}
