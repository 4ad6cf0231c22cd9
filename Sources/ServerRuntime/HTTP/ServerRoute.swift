/// The paths that the server itself answers, for all services together.
package enum ServerRoute: Hashable, Sendable {
    /// `/health`: whether the process is running. `/` and `/up` mean the same, because other servers use these paths.
    case health
    case ready
    case metrics
    /// The OpenAPI description of an API, by its file name (rule SV-87).
    case description(file: String)

    /// The paths that are also available without the server's prefix (rule SR-22).
    package static let outsidePrefix: Set<[String]> = [["health"], ["ready"], ["metrics"]]

    /// Throws 404 for an unknown path, and 405 for a known path with a method that it does not allow.
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
