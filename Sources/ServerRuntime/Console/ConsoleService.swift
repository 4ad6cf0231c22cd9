/// Calls of the console that need a service's state. In a cluster, the leader answers them (rules CO-94 and CO-96).
package protocol ConsoleCalls: Sendable {
    /// Returns a page of the channels of an application, sorted by name: those after the name ``ConsoleListing/after``.
    func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows
    /// Returns the members of `channel` in the listing's application.
    func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers
    /// Publishes a message with the checks and limits of the service's HTTP API; returns a sentence about what was done.
    func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String
    /// Ends all connections of a user, on all servers; returns a sentence about what was done.
    func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String
}

/// What the console shows of one service, and what an operator can do there. The service answers from its own state (rules CO-92 to CO-95).
///
/// Methods may be called from any thread, except the methods about one event loop. A listing's limit bounds the length of the returned
/// list.
package protocol ConsoleService: ConsoleCalls {
    /// The service's name in the console, in metrics and in logs.
    var service: ServiceName { get }

    /// The applications that the service serves.
    func applicationRows() -> [ApplicationRow]
    /// Returns the users that the service stores independently of connections; nil when its only users are those of open connections.
    func userRows(_ listing: ConsoleListing) async throws -> UserRows?

    /// Whether the service has WebSockets, which ``reports(on:from:count:)`` lists.
    var hasConnections: Bool { get }
    /// Describes the connections of an event loop, beginning at an index of its list. Call it on that event loop.
    ///
    /// - Returns: a description of each connection, in the order of the list, and the index at which the next page begins. The index is nil
    ///   for the last page.
    func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?)
    /// Returns at most `limit` of the requests, such as long polls, that an event loop holds open. Call it on that event loop.
    func heldRows(on loop: Int, limit: Int) -> [HeldRow]

    /// The deliveries that this server makes to the webhooks of each application, also to webhooks that were removed.
    var webhookReports: [(application: String, receivers: [WebhookReport])] { get }
    /// All configured webhooks with their deliveries, including webhooks to which nothing was sent yet.
    func webhookRows() -> [(application: String, receivers: [WebhookReport])]

    /// The reason, as a part of a sentence, why an operator cannot end a user's connections in this service; nil when that is possible.
    var endingObstacle: String? { get }

    /// Explains the code with which connections of the service were refused or ended; nil for a code without explanation.
    func sentence(ofCode code: Int) -> String?
}

extension ConsoleService {
    package func userRows(_ listing: ConsoleListing) async throws -> UserRows? { nil }
    package var hasConnections: Bool { true }
    package func heldRows(on loop: Int, limit: Int) -> [HeldRow] { [] }
    package var webhookReports: [(application: String, receivers: [WebhookReport])] { [] }
    package func webhookRows() -> [(application: String, receivers: [WebhookReport])] { webhookReports }
    package var endingObstacle: String? { nil }
    package func sentence(ofCode code: Int) -> String? { nil }
}

/// The filter and the size limit of a list in the console.
package struct ConsoleListing: Hashable, Sendable, Codable {
    /// The id of the application whose entries are listed, as in ``ApplicationRow/id``.
    package var application: String?
    /// The kind of channels to list, for a service with several kinds; nil for others.
    package var kind: String?
    package var prefix = ""
    /// A text that the listed names contain; empty for all names.
    package var contains = ""
    /// The last name of the previous page; nil for the first page.
    package var after: String?
    package var limit = 100

    package init() {}

    /// Whether a name has the prefix and contains the text.
    package var isWanted: @Sendable (String) -> Bool {
        let (search, prefix) = (NameSearch(contains), prefix)
        return { $0.utf8.starts(with: prefix.utf8) && search.takes($0) }
    }
}

/// A message that an operator publishes.
package struct ConsoleMessage: Hashable, Sendable, Codable {
    /// The id of the application, as in ``ApplicationRow/id``.
    package var application: String?
    /// The kind of channel, for a service with several kinds; nil for others.
    package var kind: String?
    package var channel: String
    /// The name of an event, or the type of a message; nil without one.
    package var event: String?
    /// The user in whose name the message is sent; nil without one.
    package var user: String?
    package var data: String

    package init(channel: String, data: String) {
        self.channel = channel
        self.data = data
    }

    /// Returns `text`; throws 400 when it is missing, empty or too long.
    ///
    /// - Parameter limit: the largest length in bytes.
    package static func needed(_ text: String?, _ name: String, upTo limit: Int = 1_024) throws(HTTPProblem) -> String {
        guard let text, !text.isEmpty, text.utf8.count <= limit else {
            throw HTTPProblem(400, "\(name) must be a text of 1 to \(limit) bytes.")
        }
        return text
    }
}
