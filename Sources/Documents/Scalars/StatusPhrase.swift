/// The reason phrases of status codes.
package enum StatusPhrase {
    /// The IANA registry of HTTP status codes.
    package static let registered: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        104: "Upload Resumption Supported",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
        204: "No Content", 205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
        208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect",
        308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
        425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        506: "Variant Also Negotiates", 507: "Insufficient Storage", 508: "Loop Detected",
        510: "Not Extended", 511: "Network Authentication Required",
    ]

    /// Codes that are not registered but in use.
    package static let unregistered: [Int: String] = [
        418: "I'm a teapot",
        419: "Page Expired", 420: "Enhance Your Calm", 430: "Security Rejection",
        440: "Login Time-out", 444: "No Response", 449: "Retry With",
        450: "Blocked by Windows Parental Controls", 460: "Client Closed Connection",
        463: "Too Many Forwarded Addresses", 494: "Request Header Too Large",
        495: "SSL Certificate Error", 496: "SSL Certificate Required",
        497: "HTTP Request Sent to HTTPS Port", 498: "Invalid Token",
        499: "Client Closed Request", 509: "Bandwidth Limit Exceeded",
        520: "Web Server Returned an Unknown Error", 521: "Web Server Is Down",
        522: "Connection Timed Out", 523: "Origin Is Unreachable", 524: "A Timeout Occurred",
        525: "SSL Handshake Failed", 526: "Invalid SSL Certificate", 527: "Railgun Error",
        529: "Site Is Overloaded", 530: "Site Is Frozen", 540: "Temporarily Disabled",
        561: "Unauthorized by the Load Balancer", 598: "Network Read Timeout",
        599: "Network Connect Timeout",
    ]
}
