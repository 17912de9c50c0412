import FoundationEssentials
import Interchange
import Testing

/// Scripts with curl commands in them.
struct CurlScriptTests {
    private static func file(_ source: String) throws -> ImportedFile {
        try ImportedFile(ImportSource(path: "requests.sh", bytes: Array(source.utf8)))
    }

    @Test(
        "every command of a line is a target",
        arguments: [
            "curl https://a.test/1 && curl https://a.test/2; curl https://a.test/3",
            "X=$(curl https://a.test/1); Y=`curl https://a.test/2` && curl https://a.test/3",
            "if curl -f https://a.test/1; then docker exec app curl -s https://a.test/2; fi || curl https://a.test/3",
            "curl https://a.test/1 --next https://a.test/2 -: https://a.test/3",
        ]
    )
    func commands(_ line: String) throws {
        let text = try Self.file(line).text
        for number in 1...3 { #expect(text.contains("https://a.test/\(number)")) }
        #expect(text.ranges(of: "request: GET").count == 3)
    }

    @Test("what a command reads from the script is its body")
    func hereDocuments() throws {
        let text = try Self.file(
            """
            NAME=ada
            curl https://a.test/1 -H 'Content-Type: application/json' -d @- <<EOF
            { "name": "$NAME" }
            EOF
            cat <<'EOF' | curl --data-binary @- https://a.test/2
            raw $NAME
            EOF
            curl -d @- https://a.test/3 <<< 'a text'
            """
        ).text
        #expect(text.contains("NAME: ada"))
        #expect(text.contains("json: { name: \"{{ NAME }}\" }"))
        #expect(text.contains("raw $NAME"))
        #expect(text.contains("body: a text"))
        #expect(!text.contains("Not carried over"))
    }

    @Test("assignments are variables, unless a shell makes their values")
    func assignments() throws {
        let text = try Self.file(
            """
            export BASE="https://a.test/v1"
            USERS=$BASE/users
            TOKEN=$(cat token)
            curl "$USERS" -H "Authorization: Bearer $TOKEN"
            """
        ).text
        #expect(text.contains("BASE: https://a.test/v1"))
        #expect(text.contains("USERS: \"{{ BASE }}/users\""))
        #expect(text.contains("TOKEN: { env: TOKEN }"))
        #expect(text.contains("TOKEN=$(cat token)"))
    }

    @Test(
        "schemes that need more than a password",
        arguments: [
            ("--ntlm -u ada:x", "ntlm: { user: ada, password: x }"),
            ("--negotiate -u :", "negotiate: true"),
            ("--aws-sigv4 aws:amz:eu-west-1:s3 -u id:key", "service: s3, region: eu-west-1"),
            ("--digest -u ada:x", "digest: { user: ada, password: x }"),
        ]
    )
    func schemes(_ options: String, _ expected: String) throws {
        let text = try Self.file("curl \(options) https://a.test/").text
        #expect(text.contains(expected))
    }

    @Test("files among other data are read into the text")
    func filesInData() throws {
        let text = try Self.file(
            "curl -d @a.txt -d b=c --data-urlencode n@d.txt https://a.test/\ncurl -F 't=<e.txt' https://a.test/2\n"
        ).text
        #expect(text.contains("{{ file('a.txt') }}"))
        #expect(text.contains("{{ file('d.txt') | url }}"))
        #expect(text.contains("{{ file('e.txt') }}"))
        #expect(text.contains("&b=c&n="))
    }

    @Test(
        "an option that has no place is listed with its value, which is no URL",
        arguments: [
            "--mail-from a@b.test", "--request-target /other", "--doh-url https://doh.test",
            "--retry-delay 5", "--trace t.log", "--proto =https", "--etag-save e.txt",
            "-w %{http_code}",
            "--tlsv1.2", "--ssl-no-revoke", "--proxy-header P:q", "--local-port 5000", "-P eth0",
        ]
    )
    func options(_ option: String) throws {
        let file = try Self.file("curl \(option) https://a.test/")
        #expect(file.losses.count == 1)
        let value = option.split(separator: " ").last.map(String.init) ?? option
        #expect(file.losses.first?.loss.reason.contains(value) == true)
        #expect(file.text.ranges(of: "request: GET").count == 1)
    }

    @Test("<< in quotes is a text, and one without its end swallows nothing")
    func noHereDocuments() throws {
        let text = try Self.file(
            """
            curl https://a.test/1 -d 'a << EOF'
            curl https://a.test/2 -d "x <<b" && curl https://a.test/3
            curl https://a.test/4 -d @- <<NEVER
            curl https://a.test/5
            """
        ).text
        for number in 1...5 { #expect(text.contains("https://a.test/\(number)")) }
        #expect(text.contains("a << EOF") && text.contains("x <<b"))
    }

    @Test(
        "a URL of which curl makes several is listed",
        arguments: [
            "https://a.test/{one,two}", "https://a.test/[1-3]", "https://a.test/{id}/{a,b}",
            "https://a.test/[id]/[001-100:10]",
        ]
    )
    func globs(url: String) throws {
        let file = try Self.file("curl '\(url)'")
        #expect(file.losses.contains { $0.loss.reason.contains("several URLs of \(url)") })
        #expect(try Self.file("curl -g '\(url)'").losses.isEmpty)
    }

    @Test("a command with many URLs is kept once, not for each of its requests")
    func manyURLs() throws {
        let urls = (0..<500).map { "a.test/\($0)" }.joined(separator: " ")
        let source = "curl --data x --bogus-option \(urls)"
        let text = try Self.file(source).text
        #expect(text.utf8.count < 100 * source.utf8.count)
    }
}
