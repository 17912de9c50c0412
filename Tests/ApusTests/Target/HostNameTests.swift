import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("International hosts")
struct HostNameTests {
    @Test(
        "have one spelling, which is ASCII",
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com.", "EXAMPLE.com."),
            ("bücher.invalid", "xn--bcher-kva.invalid"),
            ("BÜCHER.Invalid", "xn--bcher-kva.invalid"),
            ("bu\u{308}cher.invalid", "xn--bcher-kva.invalid"),
            ("b%C3%BCcher.invalid", "xn--bcher-kva.invalid"),
            ("ex%61mple.com", "example.com"),
            ("bücher。invalid", "xn--bcher-kva.invalid"),
            ("bücher．invalid", "xn--bcher-kva.invalid"),
            ("bücher｡invalid.", "xn--bcher-kva.invalid."),
            // What other programs ask for, too: ß and ς are letters of their own.
            ("straße.de", "xn--strae-oqa.de"), ("βόλος.com", "xn--nxasmm1c.com"),
            ("日本語.jp", "xn--wgv71a119e.jp"), ("１２７.0.0.1", "127.0.0.1"),
            ("💩.la", "xn--ls8h.la"), ("i❤.ws", "xn--i-7iq.ws"), ("i❤️.ws", "xn--i-7iq.ws"),
            ("👍🏽.ws", "xn--on8h5e.ws"), ("straße.i❤.ws", "xn--strae-oqa.xn--i-7iq.ws"),
            ("a_ü.com", "xn--a_-yka.com"), ("a\u{200B}b.com", "ab.com"),
        ]
    )
    func spelling(host: String, ascii: String) throws {
        #expect(try HostName.ascii(host) == ascii)
        #expect(try HostName.authority("ü:p@\(host):80") == "ü:p@\(ascii):80")
        let url = try RequestURL(absolute: "http://\(host):81/ü?ü#ü")
        #expect(url.text == "http://\(ascii):81/%C3%BC?%C3%BC")
        #expect(HostName.comparable(host) == ascii.lowercased())
    }

    @Test(
        "that no DNS can have are refused in words, and never become another URL",
        arguments: [
            ("℀.com", "“/” cannot be part"), ("a／b.com", "“/” cannot be part"),
            ("a％2fb.com", "“%” cannot be part"), ("bücher：8080", ""), ("ü％.com", ""),
            ("a＃b.com", "“#” cannot be part"), ("a？b.com", "“?” cannot be part"),
            ("a%2Fb.com", "“/” cannot be part"), ("a%40b.com", "“@” cannot be part"),
            ("a%zz.com", "“%” cannot be part"), ("a%00ü.com", "control character"),
            ("ü%20b.com", "control character"), ("a%FFb.com", "not UTF-8"),
            (String(repeating: "ü", count: 60) + ".de", "longer than 63 bytes"),
            (String(repeating: "ü.", count: 60) + "de", "longer than 63 bytes"),
            ("ü..com", "empty label"), (".ü", "empty label"), ("%2e", "empty label"),
            ("\u{202E}ü.com", "not allowed"), ("\u{FFFD}.com", "not allowed"),
            ("👨\u{200D}👩\u{200D}👧.ws", "not allowed"), ("-ü.com", "hyphen"),
            ("xn--ü.com", ""),
        ]
    )
    func refused(host: String, words: String) throws {
        let fault = #expect(throws: HostNameError.self) { try HostName.ascii(host) }
        #expect(fault?.detail.isEmpty == false)
        #expect(words.isEmpty || fault?.detail.contains(words) == true, "\(fault?.detail ?? "")")
        let error = #expect(throws: ApusError.self) {
            try RequestURL(absolute: "http://\(host)/")
        }
        #expect(error?.code == 1008)
        #expect(error.map { "\($0.message)" }?.contains("cannot be used") == true)
        #expect(HostName.comparable(host) == host.lowercased())
    }

    @Test("a zone is no escape, and a user is no host")
    func addresses() throws {
        for url in ["http://[fe80::1%25eth0]:8/a", "http://ü%20:ü@[::1]/", "http://a%20:b@h/"] {
            #expect(try RequestURL(absolute: url).text == url)
        }
    }

    @Test("keys of caches and cookies see one spelling")
    func keys() throws {
        let spellings = [
            "bücher.invalid", "BÜCHER.invalid", "xn--bcher-kva.invalid", "XN--BCHER-KVA.invalid",
            "b%c3%bccher.invalid", "bücher。invalid", "bücher.invalid:80",
        ]
        for policy in [CachePolicy.http(in: .memory), .keep(in: .memory)] {
            let keys = spellings.map {
                CacheKey(for: PreparedRequest.make($0, "/a"), policy: policy)
            }
            #expect(Set(keys).count == 1)
        }
        let ids = ["bücher.invalid", ".BÜCHER.invalid", "xn--bcher-kva.invalid"].map {
            Cookie.ID(name: "a", domain: $0)
        }
        #expect(Set(ids).count == 1)
        #expect(URLOrigin.isSame("http://bücher.invalid/", "http://XN--BCHER-KVA.invalid:80/b"))
        let jar = CookieJar()
        try jar.set(Cookie("a", Secret("1"), domain: "bücher.invalid"))
        for host in spellings {
            let head = PreparedRequest.make(host, "/").head
            #expect(jar.cookies(for: head).map(\.name) == ["a"], "\(host)")
        }
    }

    private static func everywhere(_ server: RawServer) -> TransportOptions {
        TransportOptions().with {
            $0.addressOverrides = [
                AddressOverride(host: "", address: "127.0.0.1", toPort: Int(server.port))
            ]
        }
    }

    @Test(
        "are asked for by their ASCII names, also where a plugin has put them",
        arguments: ["http://bücher.invalid", "http://b%C3%BCcher。invalid"]
    )
    func sending(url: String) async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let target = TestTarget(
            base: "http://never.invalid",
            path: "\(url)/a",
            cachePolicy: .none,
            options: Self.everywhere(server)
        )
        let response = try await Provider<TestTarget>().response(for: target)
        #expect(response.finalURL == "http://xn--bcher-kva.invalid/a")
        let authority = String(url.dropFirst("http://".count))
        _ = try await CurlTransport().send(
            .make(authority, "/a", options: Self.everywhere(server)),
            progress: nil
        )
        let hosts = server.received.map { $0.value(of: "Host") }
        #expect(hosts == ["xn--bcher-kva.invalid", "xn--bcher-kva.invalid"])
    }

    @Test("redirects lead to them, libcurl's and the cache's", arguments: [false, true])
    func redirects(byCache: Bool) async throws {
        let server = try RawServer { request in
            guard request.value(of: "Host") == "a.invalid" else { return [RawServer.ok("there")] }
            return [
                .send(
                    "HTTP/1.1 302 F\r\nLocation: http://bücher.invalid/ü\r\nContent-Length: 0\r\n\r\n"
                )
            ]
        }
        let target = TestTarget(
            base: "http://a.invalid",
            path: "/",
            cachePolicy: byCache ? .http(in: .memory) : .none,
            options: Self.everywhere(server)
        )
        let response = try await Provider<TestTarget>().response(
            for: target,
            from: byCache ? .cacheIfPossible : .server
        )
        #expect(response.text == "there")
        #expect(response.finalURL == "http://xn--bcher-kva.invalid/%C3%BC")
        #expect(server.received.last?.value(of: "Host") == "xn--bcher-kva.invalid")
    }
}
