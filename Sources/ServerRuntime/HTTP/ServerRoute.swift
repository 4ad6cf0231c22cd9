/// The server's own paths, which belong to no front.
package enum ServerRoute: Hashable, Sendable {
    /// Whether the process is running. Also under the paths that other servers use for this: `/`, `/up`.
    case health
    case ready
    case metrics
    /// The OpenAPI description of an API, by its file name (rule SV-87).
    case description(file: String)

    /// The paths that are also available without the server's prefix (rule SR-22).
    package static let outsidePrefix: Set<[String]> = [["health"], ["ready"], ["metrics"]]

    /// Throws 404 for an unknown path and 405 for a known path with another method.
    package init(method: String, segments: [String]) throws(HTTPProblem) {
        switch segments {
        case [""], ["up"], ["health"]: self = .health
        case ["ready"]: self = .ready
        case ["metrics"]: self = .metrics
        case let path where path.count == 2 && path.first == "openapi": self = .description(file: path.last ?? "")
        default: throw .notFound
        }
        guard method == "GET" || method == "HEAD" else { throw .methodNotAllowed("GET, HEAD") }
    }

    var kind: RequestKind {
        switch self {
        case .health: .health
        case .ready: .ready
        case .metrics: .metrics
        case .description: .description
        }
    }
}
