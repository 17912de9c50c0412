import Apus
import Testing

@Suite("Secrets are not shown")
struct SecretTests {
    @Test("printing, reflecting or dumping options shows no secret")
    func hidden() {
        var options = TransportOptions()
        options.credentials = ServerCredentials(.digest, user: "ada", password: "lovelace")
        options.proxyCredentials = ServerCredentials(.basic, user: "ada", password: "lovelace")
        options.clientCertificate = ClientCertificate(file: "/c", password: "lovelace")
        var dumped = ""
        dump(options, to: &dumped)
        dump(options.credentials, to: &dumped)
        for text in [dumped, "\(options)", String(reflecting: options), "\(Secret("lovelace"))"] {
            #expect(!text.contains("lovelace"))
        }
        #expect(options.credentials?.password.value == "lovelace")
    }

    @Test("options that differ in one thing are different, and setting a default back is none")
    func equality() {
        let changes: [(inout TransportOptions) -> Void] = [
            { $0.credentials = .negotiate }, { $0.usesNetrc = true }, { $0.netrcFile = "/n" },
            { $0.proxy = "" }, { $0.proxyCredentials = .negotiate },
            { $0.proxyExceptions = ["a"] }, { $0.pinnedPublicKeys = ["k"] },
            { $0.clientCertificate = ClientCertificate(file: "/c") },
            { $0.minimumTLSVersion = .tls13 }, { $0.interface = "lo" },
            { $0.unixSocket = "/s" }, { $0.addressFamily = .ipv4 },
            { $0.addressOverrides = [AddressOverride(host: "h", address: "a")] },
            { $0.sendsCookies = false }, { $0.certificateAuthorityFile = "/ca" },
        ]
        let all = changes.map { change in
            var options = TransportOptions()
            change(&options)
            return options
        }
        #expect(Set(all + [TransportOptions()]).count == changes.count + 1)
        var back = TransportOptions(proxy: "http://p")
        back.proxy = nil
        #expect(back == TransportOptions())
        #expect(back.hashValue == TransportOptions().hashValue)
    }
}
