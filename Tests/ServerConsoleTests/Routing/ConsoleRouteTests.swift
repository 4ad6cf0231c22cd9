import ConsolePages
import ServerConsole
import ServerRuntime
import Testing

@Suite("Paths of the admin port (CO-20)")
struct ConsoleRouteTests {
    private func route(_ method: String, _ path: String) throws -> ConsoleRoute {
        try ConsoleRoute(method: method, segments: RequestTarget(parsing: path).segments)
    }

    @Test("Every page, question and action has its path")
    func paths() throws {
        #expect(try route("GET", "/console") == .page(.index) && route("HEAD", "/console/") == .page(.index))
        for page in ConsolePage.allCases where page != .index {
            #expect(try route("GET", "/console/" + page.rawValue) == .page(page))
        }
        for query in ConsoleQuery.allCases { #expect(try route("GET", "/console/api/" + query.rawValue) == .query(query)) }
        for action in ConsoleAction.allCases { #expect(try route("POST", "/console/api/" + action.rawValue) == .action(action)) }
        #expect(try route("GET", "/metrics") == .metrics && route("GET", "/ready") == .ready)
        #expect(try route("POST", "/console/api/login") == .login && route("POST", "/console/api/logout") == .logout)
        #expect(try route("GET", "/console/api/feed") == .feed && route("GET", "/console/api/session") == .session)
    }

    @Test("What changes something takes POST only, and everything else no POST")
    func methods() {
        for path in ["/console/api/login", "/console/api/logout", "/console/api/publish", "/console/api/terminate"] {
            for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] {
                #expect(throws: HTTPProblem.methodNotAllowed("POST")) { try route(method, path) }
            }
        }
        for path in ["/console", "/console/app.js", "/console/api/overview", "/metrics"] {
            for method in ["POST", "PUT", "OPTIONS"] {
                #expect(throws: HTTPProblem.methodNotAllowed("GET, HEAD")) { try route(method, path) }
            }
        }
        #expect(throws: HTTPProblem.methodNotAllowed("GET")) { try route("HEAD", "/console/api/feed") }
    }

    @Test(
        "Nothing of a path names a file",
        arguments: [
            "/", "/console/index.html", "/console/../app.js", "/console/%2e%2e/app.js", "/console/..%2fapp.js",
            "/console/app.js/",
            "/console/app.js%00", "/console/files/app.js", "/console/api", "/console/api/", "/console/api/overview/x",
            "/consolex",
            "/console/api/..%2f..%2fetc%2fpasswd", "/apps/1/channels",
        ])
    func unknown(_ path: String) {
        #expect(throws: HTTPProblem.notFound) { try route("GET", path) }
    }

    @Test("Every file is in the program, and no page has a script or style in its text (CO-19)")
    func files() {
        for page in ConsolePage.allCases {
            let text = String(decoding: page.bytes, as: UTF8.self)
            #expect(text.utf8.count > 100, "\(page.rawValue)")
            for part in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "javascript:", "http://", "https://",
            ]
            where page != .icon {
                let isNamespace =
                    part == "http://" && text.components(separatedBy: part).count == 2 && text.contains("www.w3.org/2000/svg")
                #expect(!text.contains(part) || isNamespace, "\(page.rawValue) has \(part)")
            }
        }
        let index = String(decoding: ConsolePage.index.bytes, as: UTF8.self)
        #expect(!index.contains("style=") && !index.contains("<style") && index.contains("<script type=\"module\" src="))
    }

    @Test("Parameters are bounded")
    func parameters() throws {
        func parameters(_ query: String) throws -> ConsoleParameters {
            try ConsoleParameters(RequestTarget(parsing: "/?" + query))
        }
        #expect(try parameters("service=pusher&app=a%2fb&prefix=x&after=y&limit=7&channel=c").limit == 7)
        #expect(try parameters("app=a%2fb").application == "a/b" && parameters("").limit == 100)
        for wrong in [
            "limit=0", "limit=501", "limit=-1", "limit=1e2", "app=a&app=b", "prefix=" + String(repeating: "x", count: 1_025),
        ] {
            #expect(throws: HTTPProblem.self) { try parameters(wrong) }
        }
    }
}

extension String {
    fileprivate func components(separatedBy part: String) -> [String] {
        var (rest, found) = (self[...], [String]())
        while let range = rest.firstRange(of: part) {
            found.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return found + [String(rest)]
    }
}
