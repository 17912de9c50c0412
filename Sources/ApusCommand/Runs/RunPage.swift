import Apus
import Documents
import FoundationEssentials
import Glibc
import Workspaces

/// The page that `apus run --html` writes: a summary, a picture of the times, and every exchange.
///
/// It needs no network and runs no scripts. Exchanges wait in an unnamed file until the summary is known, so that a
/// run of any length takes no more memory.
struct RunPage {
    private let path: String
    private let waiting: UnnamedFile

    /// - Throws: `CommandError` if there is no room for temporary files.
    init(path: String) throws(CommandError) {
        self.path = path
        waiting = try UnnamedFile()
    }

    /// Adds a result and its exchange.
    func append(_ result: RunResult) throws(CommandError) {
        try waiting.write(Array(RunPageText.article(result).utf8))
    }

    /// Writes the page, whole or not at all.
    func write(
        _ results: [RunResult],
        _ counts: RunCounts,
        of workspace: String,
        _ duration: Duration
    ) throws {
        let now = Date().formatted(Date.ISO8601FormatStyle())
        try OutputFile(path: path, content: .text).write { output in
            try output.write(
                RunPageText.head(workspace, counts, results.map(\.duration), duration, at: now)
            )
            try waiting.copy(to: &output)
            try output.write("</main>\n</body>\n</html>\n")
        }
    }
}

/// The texts of the page.
enum RunPageText {
    /// The page up to its first exchange.
    static func head(
        _ workspace: String,
        _ counts: RunCounts,
        _ times: [Duration],
        _ duration: Duration,
        at date: String
    ) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width">
        <title>\(escaped(workspace)): \(escaped(counts.words))</title>
        <style>\(style)</style>
        </head>
        <body>
        <header class="\(counts.isGood ? "good" : "bad")">
        <h1>\(escaped(workspace))</h1>
        <p class="counts">\(escaped(counts.words))</p>
        <p>\(counts.checks) checks in \(escaped(Readable.duration(duration))), \(escaped(date))</p>
        \(picture(of: times))
        </header>
        <main>

        """
    }

    /// A result with its exchange, closed unless something is wrong.
    static func article(_ result: RunResult) -> String {
        let isOpen = result.ending == .failed || result.ending == .error
        let status = result.status.map { "\($0)" } ?? "---"
        var text = """
            <details class="\(result.ending.rawValue)"\(isOpen ? " open" : "")>
            <summary><b>\(escaped(result.name))</b> <span>\(status)</span> \
            <span>\(escaped(Readable.duration(result.duration)))</span></summary>
            <p class="request">\(escaped(result.request)) <i>\(escaped(result.location.description))</i></p>

            """
        for failure in result.failures {
            text +=
                "<pre class=\"failure\">\(escaped(failure.lines.joined(separator: "\n")))</pre>\n"
        }
        if let exchange = result.exchange {
            text += part("Request", exchange.requestFields, exchange.requestBody, nil)
            text += part(
                "Response",
                exchange.responseFields,
                exchange.responseBody,
                exchange.remark
            )
        }
        return text + "</details>\n"
    }

    private static func part(
        _ title: String,
        _ fields: [String],
        _ body: String?,
        _ remark: String?
    ) -> String {
        guard !fields.isEmpty || body != nil else { return "" }
        var text = "<h2>\(title)</h2>\n<pre>\(escaped(fields.joined(separator: "\n")))</pre>\n"
        if let body { text += "<pre class=\"body\">\(escaped(body))</pre>\n" }
        if let remark { text += "<p class=\"remark\">\(escaped(remark))</p>\n" }
        return text
    }

    /// A histogram of the times, as bars of SVG; empty without times.
    private static func picture(of times: [Duration]) -> String {
        let milliseconds = times.map { $0 / .milliseconds(1) }.filter { $0 > 0 }.sorted()
        guard let first = milliseconds.first, let last = milliseconds.last else { return "" }
        let count = 48
        let (low, high) = (log2(first), log2(max(last, first * 1.01)))
        var bars = [Int](repeating: 0, count: count)
        for time in milliseconds {
            let place = Int((log2(time) - low) / (high - low) * Double(count))
            bars[min(count - 1, max(0, place))] += 1
        }
        let most = Double(bars.max() ?? 1)
        let rects = bars.enumerated().filter { $0.element > 0 }.map { index, bar in
            let height = max(2, (Double(bar) / most * 80).rounded())
            return #"<rect x="\#(index * 10)" y="\#(80 - height)" width="9" height="\#(height)"/>"#
        }
        func quantile(_ part: Double) -> String {
            let index = min(milliseconds.count - 1, Int(Double(milliseconds.count) * part))
            return Readable.duration(.milliseconds(milliseconds[index]))
        }
        let words =
            "from \(Readable.duration(.milliseconds(first))), half within \(quantile(0.5)), "
            + "95 of a hundred within \(quantile(0.95)), all within \(quantile(1))"
        return """
            <figure><svg viewBox="0 0 480 80" role="img" aria-label="How long the responses took">\
            \(rects.joined())</svg><figcaption>Times, on a logarithmic scale: \(escaped(words))</figcaption></figure>
            """
    }

    /// Escapes text for HTML; control characters become visible.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{200E}"..."\u{200F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static let style = """
        :root{color-scheme:light dark;--fg:#1c2128;--bg:#fff;--soft:#6b7480;--line:#d8dee4;--good:#1a7f37;--bad:#cf222e}
        @media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--soft:#8d96a0;--line:#30363d;--good:#3fb950;--bad:#f85149}}
        body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.4rem;margin:0}h2{font-size:.9rem;margin:.8rem 0 .2rem;color:var(--soft)}
        header{border-left:.4rem solid var(--good);padding-left:1rem}header.bad{border-color:var(--bad)}
        .counts{font-weight:600;margin:.2rem 0}p{margin:.2rem 0}figure{margin:1rem 0}svg{width:100%;height:5rem}
        rect{fill:var(--soft)}figcaption,.remark,i{color:var(--soft);font-size:.85rem}
        details{border-bottom:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer}
        summary span{color:var(--soft);margin-left:.6rem}
        details.passed>summary b:before{content:"✔ ";color:var(--good)}
        details.failed>summary b:before,details.error>summary b:before{content:"✘ ";color:var(--bad)}
        details.skipped>summary b:before{content:"– ";color:var(--soft)}
        pre{margin:.2rem 0;padding:.5rem;background:color-mix(in srgb,var(--soft) 12%,transparent);overflow:auto;max-height:30rem;white-space:pre-wrap;overflow-wrap:anywhere}
        pre.failure{border-left:.2rem solid var(--bad)}
        """
}
