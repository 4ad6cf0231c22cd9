import NIOCore
import ServerRuntime
import WireCoding

/// The server whose data a console shows. May be used from any thread.
package protocol ConsoleSource: AnyObject, Sendable {
    /// Answers a query. Lists in the answer have at most the requested number of rows.
    func answer(_ query: ConsoleQuery, _ parameters: ConsoleParameters) async throws(HTTPProblem) -> JSONValue
    /// Performs an action. The caller has checked that the user's role permits changes.
    func perform(_ action: ConsoleAction, _ body: JSONValue) async throws(HTTPProblem) -> JSONValue
    /// Performs a call about applications, such as listing them or making one. The caller has checked that the user's role permits the
    /// call.
    ///
    /// - Parameter address: the address of the client, for the log.
    func answer(_ call: ApplicationCall, _ body: JSONValue, from address: String) async throws(HTTPProblem) -> JSONValue
    /// The metrics in the format of Prometheus.
    func metrics(on eventLoop: any EventLoop) -> EventLoopFuture<String>
    /// The reasons why the server is not ready for clients; empty when it is ready.
    var readiness: [Unreadiness] { get }
    var feed: LiveFeed { get }
    /// Takes a sample of the metrics for charts. Called about once per second.
    func sample()
}

/// The filters and limits of a request for a list.
package struct ConsoleParameters: Hashable, Sendable {
    package var service: String?
    package var application: String?
    package var channel: String?
    package var prefix = ""
    /// A text that the names in the list must contain; empty for all names.
    package var contains = ""
    /// In lists of chat channels `open` or `group`; in the live feed the kind of events.
    package var kind: String?
    /// The time span of a chart, such as `5m`.
    package var span: String?
    /// The last name or the position of the previous page; nil for the first page.
    package var after: String?
    package var limit = 100

    package static let limits = 1...500

    package init() {}

    package init(_ target: RequestTarget) throws(HTTPProblem) {
        service = try target.value(of: "service")
        application = try target.value(of: "app")
        channel = try target.value(of: "channel")
        prefix = try target.value(of: "prefix") ?? ""
        contains = try target.value(of: "contains") ?? ""
        kind = try target.value(of: "kind")
        after = try target.value(of: "after")
        span = try target.value(of: "span")
        if let text = try target.value(of: "limit") {
            guard let limit = Int(text), Self.limits.contains(limit) else {
                throw .badRequest("limit is a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound).")
            }
            self.limit = limit
        }
        for text in [service, application, channel, prefix, contains, kind, after, span] where (text?.utf8.count ?? 0) > 1_024 {
            throw .badRequest("A parameter of the request is longer than 1024 bytes.")
        }
    }
}
