import ConsolePages
import ServerRuntime
import WireCoding

extension HTTPAnswer {
    /// The header fields of every answer of the console (rule CO-19).
    static let consoleFields: [(name: String, value: String)] = [
        (
            "content-security-policy",
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
        ),
        ("x-frame-options", "DENY"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ]

    static func console(_ value: JSONValue, status: Int = 200) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .json, Array(value.text.utf8))
        answer.fields = consoleFields
        return answer
    }

    static func console(_ problem: HTTPProblem) -> HTTPAnswer {
        var answer = console(["error": .string(problem.message)], status: problem.status)
        if let seconds = problem.retryAfter { answer.fields.append(("retry-after", String(seconds))) }
        if problem == .passwordNeeded {
            answer.fields.append(("www-authenticate", "Basic realm=\"lifeline\", charset=\"UTF-8\""))
        }
        return answer
    }

    static func page(_ page: ConsolePage) -> HTTPAnswer {
        var answer = HTTPAnswer(ContentType(rawValue: "\(page.contentType)"), page.bytes)
        answer.fields = consoleFields
        return answer
    }
}

extension HTTPAnswer.ContentType {
    static let events = HTTPAnswer.ContentType(rawValue: "text/event-stream")
}

extension HTTPProblem {
    static let foreignHost = HTTPProblem(
        403,
        "The console answers only to IP addresses, localhost, and the names in adminNames (LIFELINE_ADMIN_NAMES). Add "
            + "the host name that you use to adminNames."
    )
    static let notOverTLS = HTTPProblem(
        403,
        "This port accepts other machines only through a proxy that terminates TLS: open the address of the proxy. The "
            + "proxy must be listed in adminTrustProxy (LIFELINE_ADMIN_TRUST_PROXY) and send X-Forwarded-Proto: https.")
    static let noConsole = HTTPProblem(
        503,
        "The console is off, because it has no password. Set LIFELINE_ADMIN_PASSWORD, or start the server once in a "
            + "terminal, where it generates a password and shows it.")
    static let notLoggedIn = HTTPProblem(401, "Log in first.")
    static let wrongPassword = HTTPProblem(401, "The password is wrong. Enter the console's password.")
    static let passwordNeeded = HTTPProblem(
        401, "This request needs the console's password, by basic authentication with any user name.")
    static let foreignPage = HTTPProblem(
        403, "The request was refused, because it does not come from the console's own page. Load the page again.")
    static let notJSON = HTTPProblem(
        403, "The request has no JSON body. Send JSON with the header field Content-Type: application/json.")
    static let readOnly = HTTPProblem(
        403,
        "You are logged in with the read-only password, which does not permit changes. Log in with the password with all rights.")
    static let notAnObject = HTTPProblem(
        400, "The body of the request must be a JSON object with the members that the call needs.")
    static let tooManyWatchers = HTTPProblem(
        503, "The largest number of pages with a live feed is open. Close another page of the console.", retryAfter: 5)
    static let stopping = HTTPProblem(503, "The server is shutting down.", retryAfter: 1)

    static func tooManyLogins(_ seconds: Int) -> HTTPProblem {
        HTTPProblem(429, "Too many passwords have been tried. Try again in \(seconds) s.", retryAfter: seconds)
    }
}
