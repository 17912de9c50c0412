/// HAR as programs write it, with what is odd about each.
enum HARFixtures {
    /// Pseudo-headers, lines of one field in one value, `-1`, a `data:` URL, a WebSocket, an entry that was
    /// blocked, one of the memory cache; entries out of order.
    static let chrome = #"""
        {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [
          {"startedDateTime": "2026-11-23T09:00:00.000Z", "id": "page_1", "title": "https://shop.example/",
           "pageTimings": {"onContentLoad": 120.5, "onLoad": null}}], "entries": [
         {"_connectionId": "41", "_initiator": {"type": "script", "stack": {"callFrames": []}},
          "_priority": "High", "_resourceType": "fetch", "cache": {}, "connection": "41", "pageref": "page_1",
          "request": {"method": "POST", "url": "https://shop.example/cart#top", "httpVersion": "h2",
           "headers": [{"name": ":authority", "value": "shop.example"}, {"name": ":method", "value": "POST"},
            {"name": ":path", "value": "/cart"}, {"name": ":scheme", "value": "https"},
            {"name": "content-type", "value": "application/json"}, {"name": "accept", "value": "*/*"}],
           "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 15,
           "postData": {"mimeType": "application/json", "text": "{\"item\":\"book\"}"}},
          "response": {"status": 200, "statusText": "", "httpVersion": "h2",
           "headers": [{"name": "content-type", "value": "application/json; charset=utf-8"},
            {"name": "x-list", "value": "one\ntwo"}], "cookies": [],
           "content": {"size": 11, "mimeType": "application/json", "text": "{\"count\":1}"},
           "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 211, "_error": null},
          "serverIPAddress": "[2a00:1450::5e]", "startedDateTime": "2026-11-23T09:00:02.500Z",
          "time": 120.25, "timings": {"blocked": 1.25, "dns": 4, "ssl": 20, "connect": 35, "send": 0.5,
           "wait": 78, "receive": 1.5, "_blocked_queueing": 1.1}},
         {"_fromCache": "memory", "_resourceType": "image", "cache": {},
          "request": {"method": "GET", "url": "https://shop.example/logo.png", "httpVersion": "http/2.0",
           "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
          "response": {"status": 200, "statusText": "OK", "httpVersion": "http/2.0", "headers": [],
           "cookies": [], "content": {"size": 3, "mimeType": "image/png", "text": "iVBO", "encoding": "base64"},
           "redirectURL": "", "headersSize": -1, "bodySize": 0, "_transferSize": 0, "_error": null},
          "serverIPAddress": "", "startedDateTime": "2026-11-23T09:00:01.000Z", "time": 0.05,
          "timings": {"blocked": -1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0.03,
           "receive": 0.02}},
         {"request": {"method": "GET", "url": "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
           "httpVersion": "data", "headers": [], "queryString": [], "cookies": [], "headersSize": -1,
           "bodySize": 0}, "response": {"status": 200}, "startedDateTime": "2026-11-23T09:00:01.100Z",
          "time": 0, "timings": {"send": 0, "wait": 0, "receive": 0}},
         {"_resourceType": "websocket", "_webSocketMessages": [{"type": "send", "time": 1.5, "opcode": 1,
           "data": "hello"}], "request": {"method": "GET", "url": "wss://shop.example/live",
           "httpVersion": "HTTP/1.1", "headers": [{"name": "Upgrade", "value": "websocket"}],
           "queryString": [], "cookies": [], "headersSize": 500, "bodySize": 0},
          "response": {"status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1",
           "headers": [], "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"},
           "redirectURL": "", "headersSize": 120, "bodySize": 0, "_transferSize": 120, "_error": null},
          "startedDateTime": "2026-11-23T09:00:03.000Z", "time": 12, "timings": {"send": 0, "wait": 12,
           "receive": 0}},
         {"request": {"method": "GET", "url": "https://ads.example/x", "httpVersion": "", "headers": [],
           "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
          "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
           "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1,
           "bodySize": -1, "_transferSize": 0, "_error": "net::ERR_BLOCKED_BY_CLIENT"},
          "startedDateTime": "2026-11-23T09:00:04.000Z", "time": 1.5, "timings": {"blocked": 1.5,
           "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}}
        ]}}
        """#

    /// A zone in the times, a body that was not kept, parameters without their text.
    static let firefox = #"""
        {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "133.0"},
         "browser": {"name": "Firefox", "version": "133.0"}, "pages": [], "entries": [
          {"startedDateTime": "2026-11-23T10:00:00.250+01:00", "request": {"bodySize": 9,
            "method": "POST", "url": "http://shop.example:8080/login", "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Host", "value": "shop.example:8080"},
             {"name": "Content-Type", "value": "application/x-www-form-urlencoded"}],
            "cookies": [{"name": "lang", "value": "de"}], "queryString": [], "headersSize": 300,
            "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [
             {"name": "user", "value": "ada b"}, {"name": "x", "value": "&"}], "text": ""}},
           "response": {"status": 302, "statusText": "Found", "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Location", "value": "/home"}], "cookies": [],
            "content": {"mimeType": "text/html", "size": 0, "text": ""}, "redirectURL": "/home",
            "headersSize": 100, "bodySize": 100}, "cache": {}, "timings": {"blocked": 0, "dns": 0,
            "connect": 0, "ssl": 0, "send": 0, "wait": 15, "receive": 0}, "time": 15, "_securityState":
            "insecure", "serverIPAddress": "127.0.0.1", "connection": "8080"},
          {"startedDateTime": "2026-11-23T10:00:00.300+01:00", "request": {"bodySize": 0, "method": "GET",
            "url": "http://shop.example:8080/home", "httpVersion": "HTTP/2", "headers": [], "cookies": [],
            "queryString": [], "headersSize": 300},
           "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [],
            "cookies": [], "content": {"mimeType": "text/html; charset=utf-8", "size": 52428800,
            "comment": "Response bodies are not included."}, "redirectURL": "", "headersSize": 100,
            "bodySize": 1000}, "cache": {}, "timings": {"blocked": 0, "dns": 0, "connect": 0, "ssl": 0,
            "send": 0, "wait": 5, "receive": 1}, "time": 6}
         ]}}
        """#

    /// Times that are no numbers, no response at all, null where there is nothing.
    static let safari = #"""
        {"log": {"version": "1.2", "creator": {"name": "WebKit Web Inspector", "version": "1.0"},
         "pages": [{"id": "page_0", "title": "Shop", "startedDateTime": "2026-11-23T09:00:00.000Z",
          "pageTimings": {}}], "entries": [
          {"pageref": "page_0", "startedDateTime": "2026-11-23T09:00:00.125Z", "time": 31.062,
           "request": {"method": "GET", "url": "https://shop.example/?q=caf%C3%A9", "httpVersion": "",
            "cookies": [], "headers": [{"name": "Accept", "value": "text/html"}, {"name": "X-Empty"}],
            "queryString": [{"name": "q", "value": "café"}], "headersSize": -1, "bodySize": -1},
           "response": {"status": 200, "statusText": "OK", "httpVersion": "", "cookies": [], "headers": [
            {"name": "Content-Type", "value": "text/html"}], "content": {"size": 2, "compression": -1,
            "mimeType": "text/html", "text": "hi"}, "redirectURL": null, "headersSize": -1,
            "bodySize": -1, "_transferSize": 120}, "cache": {}, "timings": {"blocked": -1, "dns": null,
            "connect": -1, "ssl": -1, "send": "0", "wait": 30, "receive": 1.062},
           "serverIPAddress": "93.184.216.34", "connection": "1", "_fetchType": "Network Load"},
          {"startedDateTime": "2026-11-23T09:00:01Z", "request": {"method": "GET",
            "url": "https://shop.example/cancelled"}}
         ]}}
        """#

    /// Microseconds, repeated fields, a request body in Base64, the certificates of a server.
    static let mitmproxy = #"""
        {"log": {"version": "1.2", "creator": {"name": "mitmproxy", "version": "11.0.0", "comment": ""},
         "pages": [], "entries": [{"startedDateTime": "2026-11-23T09:00:00.123456+00:00",
          "time": 77.5, "request": {"method": "PATCH", "url": "https://api.example/blob", "httpVersion":
           "HTTP/2.0", "cookies": [], "headers": [{"name": "accept", "value": "a"},
           {"name": "accept", "value": "b"}], "queryString": [], "headersSize": 32, "bodySize": 4,
           "postData": {"mimeType": "application/octet-stream", "text": "abcd", "params": []}},
          "response": {"status": 200, "statusText": "", "httpVersion": "HTTP/2.0", "cookies": [],
           "headers": [{"name": "set-cookie", "value": "a=1"}, {"name": "set-cookie", "value": "b=2"}],
           "content": {"size": 3, "compression": 0, "mimeType": "application/octet-stream",
            "text": "/wD+", "encoding": "base64"}, "redirectURL": "", "headersSize": 50, "bodySize": 3},
          "cache": {}, "timings": {"connect": 12.5, "ssl": 25.0, "send": 5.0, "receive": 10.0,
           "wait": 25.0}, "serverIPAddress": "10.0.0.1"}]}}
        """#
}
