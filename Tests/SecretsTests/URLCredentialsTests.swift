import Testing

@testable import Secrets

@Suite("Credentials of URLs")
struct URLCredentialsTests {
    @Test(
        "they are told as they are written and decoded, of any URL in a text",
        arguments: [
            ("/b?page=2&access_token=abcd", ["abcd"]), ("/b#id_token=a%2Fbc", ["a%2Fbc", "a/bc"]),
            ("http://ada:s%40cret@h/", ["ada:s%40cret", "ada:s@cret", "s%40cret", "s@cret"]),
            ("//ada:secret@h/", ["ada:secret", "secret"]), ("http://token-12@h", ["token-12"]),
            ("ada:secret-1@h", ["secret-1"]), ("</b?token=abcd>; rel=next", ["abcd", "abcd>;"]),
            (
                "a\thttp://h/ http://ada:1234@h,http://bob:5678@h",
                [
                    "ada:1234", "1234", "bob:5678", "5678",
                ]
            ),
            ("/b?x=%2Fc%3Ftoken%3Dabcd%26y", ["abcd"]), ("%2Fb%3Ftoken%3Dabcd", ["abcd"]),
            ("/b?x=/c?token=abcd", ["abcd"]),
            ("/r/http%3A%2F%2Fada:1234%40h/?q", ["ada:1234", "1234"]),
            // Three times encoded, and once more than is read.
            ("?a=%25252Fb%25253Ftoken%25253Dabcd", ["abcd"]),
            ("?a=%2525252Fb%2525253Ftoken%2525253Dabcd", []),
            // Words that may well stand anywhere.
            ("?token=abc", []), ("?code=abcdefg", []), ("?code=abcdefgh", ["abcdefgh"]),
            ("http://git@h/", []), ("http://ada:123@h/", ["ada:123"]), ("at:12:30@h", []),
            ("see ada@h, bob@h: 100%? #1", []), ("?page_token=abcd&sort_key=abcdefgh", []),
            ("", []),
        ]
    )
    func texts(text: String, found: [String]) {
        #expect(Set(URLCredentials(in: text).texts) == Set(found))
    }

    @Test(
        "in a text each is masked where it stands, as deep as it is encoded",
        arguments: [
            ("/b?x=%2Fc%3Ftoken%3Da%252Fb%26y=1&z", "/b?x=%2Fc%3Ftoken%3D••••••%26y=1&z"),
            ("/r/http%3A%2F%2Fada%3As3%40h%2F/x?q", "/r/http%3A%2F%2Fada%3A••••••%40h%2F/x?q"),
            ("http://ada:s3@h,http://bob:s3@h", "http://ada:••••••@h,http://bob:••••••@h"),
            ("/c?to=http://ada:s3@h/", "/c?to=http://ada:••••••@h/"), ("//s3@h/", "//••••••@h/"),
            ("/c?to=/b?token=s3&a", "/c?to=/b?token=••••••&a"), ("?token=a?b=s3", "?token=••••••"),
            ("?token=http://ada:s3@h/#a", "?token=••••••#a"), ("#token=s3#s4", "#token=••••••"),
            ("a ?token=s3\n?token=s3\tb", "a ?token=••••••\n?token=••••••\tb"),
            ("?token=&a=%3Ftoken%3D", "?token=••••••&a=%3Ftoken%3D"), ("%3F%", "%3F%"),
            ("?q=a%3Fb%26c", "?q=a%3Fb%26c"), ("?%zz%4", "?%zz%4"), ("//", "//"), ("//@", "//@"),
            ("://", "://"), ("@", "@"), (":@", ":@"), ("?#&=", "?#&="),
        ]
    )
    func masked(text: String, shown: String) {
        #expect(CredentialMask().masking(line: text) == shown)
    }

    @Test(
        "looking for credentials asks whether to go on",
        arguments: ["http://u:p@", "?a=b&", "#token=a ", "http://u:p@h ", "x "]
    )
    func asks(piece: String) {
        var asked = 0
        let found = URLCredentials(
            in: "?" + String(repeating: piece, count: 1_000_000),
            for: .texts
        ) {
            asked += 1
            return asked < 3
        }
        #expect(asked == 3)
        #expect(found.places.isEmpty)
    }

    @Test("a text is gone through once, whatever it is made of")
    func linear() {
        // Were the rest looked through at each of them, this would take hours.
        for piece in [
            "://", "//@", "a:/", ";", ";a=", ";token", "?;", "?a", "&a=", "#", "%3F", "%25", "@",
            "a:b@", " ?", "?x=%2525",
        ] {
            let text = String(repeating: piece, count: 100_000)
            #expect(URLCredentials(in: "?" + text).texts.count < 2)
        }
        let tokens = String(repeating: "&token=abcd", count: 100_000)
        let found = URLCredentials(in: "?" + tokens)
        #expect(found.places.count == 100_000 && found.texts.count == 1000)
    }
}
