import Identifiers
import ServerRuntime

/// A call of the admin port about applications (rule AR-14).
package enum ApplicationCall: Hashable, Sendable {
    case list
    case create
    case change(Change, Target)

    /// A change of one application.
    package enum Change: String, CaseIterable, Hashable, Sendable {
        case rotate, finish, enable, disable, settings, remove
    }

    /// The application that a path names: `{service}/{app}`.
    package struct Target: Hashable, Sendable {
        package let service: String
        /// The id (Pusher), the subscribe key (PubNub) or the key (chat).
        package let name: Identifier

        package init(service: String, name: Identifier) {
            (self.service, self.name) = (service, name)
        }
    }

    /// Whether the call makes a change.
    package var isChange: Bool { self != .list }

    /// Parses a path. Throws 404 for an unknown path, and 405 for a known path with another method.
    ///
    /// - Parameter segments: the path after `/console/api/apps`.
    package init(method: String, segments: [String]) throws(HTTPProblem) {
        guard let service = segments.first else {
            switch method {
            case "GET", "HEAD": self = .list
            case "POST": self = .create
            default: throw .methodNotAllowed("GET, HEAD, POST")
            }
            return
        }
        guard segments.count == 2 || segments.count == 3, !segments[1].isEmpty else { throw .notFound }
        let target = Target(service: service, name: Identifier(segments[1]))
        guard segments.count == 3 else {
            guard method == "DELETE" else { throw .methodNotAllowed("DELETE") }
            self = .change(.remove, target)
            return
        }
        guard let change = Change(rawValue: segments[2]), change != .remove else { throw .notFound }
        guard method == "POST" else { throw .methodNotAllowed("POST") }
        self = .change(change, target)
    }
}
