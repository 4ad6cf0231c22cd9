import ConsolePages
import ServerRuntime

/// The page or call that a path of the admin port names.
package enum ConsoleRoute: Hashable, Sendable {
    case page(ConsolePage)
    case metrics
    case ready
    case session
    case login
    case logout
    case feed
    case query(ConsoleQuery)
    case action(ConsoleAction)
    /// A call about applications, of the configuration or made at run time.
    case applications(ApplicationCall)

    package enum ConsoleAction: String, CaseIterable, Hashable, Sendable {
        case publish, terminate
    }

    package enum ConsoleQuery: String, CaseIterable, Hashable, Sendable {
        case overview, history, applications, channels, channel, users, connections, ended, webhooks, polls, errors
    }

    /// Parses a path. Throws 404 for an unknown path, and 405 for a known path with another method. No part of a path is used as a file
    /// name.
    package init(method: String, segments: [String]) throws(HTTPProblem) {
        if segments.starts(with: ["console", "api", "apps"]) {
            self = .applications(try ApplicationCall(method: method, segments: Array(segments.dropFirst(3))))
            return
        }
        let (route, changes) = try Self.route(segments)
        let allowed = changes ? ["POST"] : route == .feed ? ["GET"] : ["GET", "HEAD"]
        guard allowed.contains(method) else { throw .methodNotAllowed(allowed.joined(separator: ", ")) }
        self = route
    }

    private static func route(_ segments: [String]) throws(HTTPProblem) -> (ConsoleRoute, changes: Bool) {
        switch segments {
        case ["metrics"]: return (.metrics, false)
        case ["ready"]: return (.ready, false)
        case ["console"], ["console", ""]: return (.page(.index), false)
        case ["console", "api", "session"]: return (.session, false)
        case ["console", "api", "login"]: return (.login, true)
        case ["console", "api", "logout"]: return (.logout, true)
        case ["console", "api", "feed"]: return (.feed, false)
        default: break
        }
        guard segments.first == "console" else { throw .notFound }
        if segments.count == 2, let page = ConsolePage(rawValue: segments[1]), page != .index { return (.page(page), false) }
        guard segments.count == 3, segments[1] == "api" else { throw .notFound }
        if let query = ConsoleQuery(rawValue: segments[2]) { return (.query(query), false) }
        if let action = ConsoleAction(rawValue: segments[2]) { return (.action(action), true) }
        throw .notFound
    }

    /// Whether a path belongs to the console. The console also answers errors for such a path.
    package static func owns(_ segments: [String]) -> Bool {
        ["console", "metrics", "ready"].contains(segments.first)
    }
}

package typealias ConsoleQuery = ConsoleRoute.ConsoleQuery
package typealias ConsoleAction = ConsoleRoute.ConsoleAction
