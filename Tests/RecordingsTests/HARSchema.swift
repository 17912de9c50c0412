import Documents
import FoundationEssentials

/// What the specification of HAR 1.2 asks of a file.
///
/// `http://www.softwareishard.com/blog/har-12-spec/`: each object's members with their types, those that
/// may be missing with a `?`; members of somebody's own begin with `_`.
struct HARSchema {
    private(set) var problems: [String] = []

    private enum Kind {
        case text, time, list, object
        /// At least this.
        case number(Double)
        case integer(Int)
    }

    private typealias Members = [String: (Kind, isOptional: Bool)]

    init(checking har: JSON) {
        check(har, "$", ["log": (.object, false)])
        let log = har["log"]
        check(
            log,
            "log",
            [
                "version": (.text, false), "creator": (.object, false), "browser": (.object, true),
                "pages": (.list, true), "entries": (.list, false), "comment": (.text, true),
            ]
        )
        if log["version"].string != "1.2" { problems.append("log.version is not 1.2") }
        check(log["creator"], "log.creator", ["name": (.text, false), "version": (.text, false)])
        for (place, entry) in log["entries"].arrayValue.enumerated() {
            check(entry: entry, "entries[\(place)]")
        }
    }

    private mutating func check(entry: JSON, _ path: String) {
        check(
            entry,
            path,
            [
                "pageref": (.text, true), "startedDateTime": (.time, false),
                "time": (.number(0), false),
                "request": (.object, false), "response": (.object, false),
                "cache": (.object, false),
                "timings": (.object, false), "serverIPAddress": (.text, true),
                "connection": (.text, true), "comment": (.text, true),
            ]
        )
        check(request: entry["request"], "\(path).request")
        check(response: entry["response"], "\(path).response")
        let timings = entry["timings"]
        check(
            timings,
            "\(path).timings",
            [
                "blocked": (.number(-1), true), "dns": (.number(-1), true),
                "connect": (.number(-1), true), "send": (.number(0), false),
                "wait": (.number(0), false), "receive": (.number(0), false),
                "ssl": (.number(-1), true), "comment": (.text, true),
            ]
        )
        // "time" is the sum of all that are not -1; "ssl" is in "connect".
        let sum = ["blocked", "dns", "connect", "send", "wait", "receive"].reduce(0.0) {
            sum,
            name in
            sum + max(0, timings[name].double ?? 0)
        }
        if abs(sum - (entry["time"].double ?? -1)) > 0.01 {
            problems.append("\(path).time is not the sum of timings, \(sum)")
        }
        if timings["ssl"].double ?? -1 > timings["connect"].double ?? -1 {
            problems.append("\(path).timings.ssl is not in connect")
        }
    }

    private mutating func check(request: JSON, _ path: String) {
        check(
            request,
            path,
            [
                "method": (.text, false), "url": (.text, false), "httpVersion": (.text, false),
                "cookies": (.list, false), "headers": (.list, false), "queryString": (.list, false),
                "postData": (.object, true), "headersSize": (.integer(-1), false),
                "bodySize": (.integer(-1), false), "comment": (.text, true),
            ]
        )
        checkLists(of: request, path, ["headers", "queryString"])
        checkCookies(of: request, path)
        let data = request["postData"]
        guard data.exists else { return }
        check(
            data,
            "\(path).postData",
            [
                "mimeType": (.text, false), "params": (.list, true), "text": (.text, true),
                "comment": (.text, true),
            ]
        )
        for param in data["params"].arrayValue {
            check(
                param,
                "\(path).postData.params",
                [
                    "name": (.text, false), "value": (.text, true), "fileName": (.text, true),
                    "contentType": (.text, true), "comment": (.text, true),
                ]
            )
        }
    }

    private mutating func check(response: JSON, _ path: String) {
        check(
            response,
            path,
            [
                "status": (.integer(0), false), "statusText": (.text, false),
                "httpVersion": (.text, false), "cookies": (.list, false), "headers": (.list, false),
                "content": (.object, false), "redirectURL": (.text, false),
                "headersSize": (.integer(-1), false), "bodySize": (.integer(-1), false),
                "comment": (.text, true),
            ]
        )
        checkLists(of: response, path, ["headers"])
        checkCookies(of: response, path)
        check(
            response["content"],
            "\(path).content",
            [
                "size": (.integer(0), false), "compression": (.integer(.min), true),
                "mimeType": (.text, false), "text": (.text, true), "encoding": (.text, true),
                "comment": (.text, true),
            ]
        )
    }

    private mutating func checkLists(of message: JSON, _ path: String, _ names: [String]) {
        for name in names {
            for pair in message[name].arrayValue {
                check(
                    pair,
                    "\(path).\(name)",
                    ["name": (.text, false), "value": (.text, false), "comment": (.text, true)]
                )
            }
        }
    }

    private mutating func checkCookies(of message: JSON, _ path: String) {
        for cookie in message["cookies"].arrayValue {
            let flags = ["httpOnly", "secure"].filter {
                cookie[$0].exists && cookie[$0].bool == nil
            }
            if !flags.isEmpty { problems.append("\(path).cookies: \(flags) are no booleans") }
            check(
                JSON(members: cookie.members.filter { !["httpOnly", "secure"].contains($0.key) }),
                "\(path).cookies",
                [
                    "name": (.text, false), "value": (.text, false), "path": (.text, true),
                    "domain": (.text, true), "expires": (.time, true), "comment": (.text, true),
                    // As Chrome and Firefox add it.
                    "sameSite": (.text, true),
                ]
            )
        }
    }

    private mutating func check(_ json: JSON, _ path: String, _ members: Members) {
        guard json.kind == .object else { return problems.append("\(path) is no object") }
        for (name, (kind, isOptional)) in members {
            let value = json[name]
            guard value.exists else {
                if !isOptional { problems.append("\(path).\(name) is missing") }
                continue
            }
            if !Self.is(value, kind) { problems.append("\(path).\(name) is \(value)") }
        }
        for (name, _) in json.members where members[name] == nil && !name.hasPrefix("_") {
            problems.append("\(path).\(name) is not known")
        }
    }

    private static func `is`(_ value: JSON, _ kind: Kind) -> Bool {
        switch kind {
        case .text: value.string != nil
        case .time:
            // YYYY-MM-DDThh:mm:ss.sTZD
            value.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)/)
                != nil
        case .list: value.kind == .array
        case .object: value.kind == .object
        case .number(let least): value.double.map { $0 >= least } ?? false
        case .integer(let least): value.int.map { $0 >= least } ?? false
        }
    }
}
