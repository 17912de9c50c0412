import Interchange
import Testing

struct ImportNamesTests {
    @Test(arguments: [
        ("plain {text}", "plain {text}"), ("{{", "\\{{"), ("a {{ b }} c", "a \\{{ b }} c"),
        ("${HOME}", "\\${HOME}"), ("{{{x}}}", "\\{{{x}}}"), ("$ {x}", "$ {x}"),
    ])
    func literals(text: String, template: String) {
        #expect(ImportNames.literal(text) == template)
    }

    @Test func names() {
        var names = ImportNames()
        #expect(names.name(of: "base.url") == "base_url")
        #expect(names.name(of: "base url") == "base_url_2")
        #expect(names.name(of: "base.url") == "base_url")
        #expect(names.name(of: "uuid") == "uuid_")
        #expect(names.name(of: "1st") == "_1st")
        #expect(names.reference(to: "") == "{{ value }}")
        #expect(names.used == ["value"])
    }

    @Test func templates() {
        var names = ImportNames()
        let text = names.template("{{a}}/{{ $x }}/{{ b c }}{{") { names, name in
            name.hasPrefix("$") ? nil : names.reference(to: name)
        }
        #expect(text == "{{ a }}/\\{{ $x }}/{{ b_c }}\\{{")
    }
}
