import HTTPTransport

/// A message that the app has published.
public struct TestPublication: Hashable, Sendable {
    /// The channel.
    public var channel: String
    /// The event's name; `message` without one, and the message type for chat.
    public var event: String
    /// The payload as JSON text. For chat the content of the message.
    public var json: String
    /// The publisher, if the service knows it.
    public var user: String?
    /// Whether the service has accepted it.
    public var isAccepted: Bool

    /// A message, such as for comparisons.
    public init(channel: String, event: String, json: String, user: String? = nil, isAccepted: Bool = true) {
        self.channel = channel
        self.event = event
        self.json = json
        self.user = user
        self.isAccepted = isAccepted
    }
}

/// How messages that an app publishes are answered.
public enum Publishing: Hashable, Sendable {
    /// The service accepts them.
    case accepted
    /// The service refuses them for this reason.
    case refused(reason: String)
    /// The service accepts them, but the answer is lost. The app's call ends with its time limit (`advance(by:)`), or with the
    /// connection (`drop(_:)`).
    case unanswered
}

/// An HTTP request of a client.
public struct TestRequest: Hashable, Sendable {
    /// The HTTP method, such as `POST`.
    public var method: String
    /// The whole URL.
    public var url: String
    /// The header fields, in the order in which they were set.
    public var headers: [String]
    /// The body as text.
    public var body: String

    init(_ request: HTTPCall) {
        method = request.method
        url = request.url
        headers = request.headers.map { "\($0.name): \($0.value)" }
        body = String(decoding: request.body, as: UTF8.self)
    }
}

/// An HTTP answer to a client.
public struct TestAnswer: Hashable, Sendable {
    /// The HTTP status, such as 200.
    public var status: Int
    /// The header fields by name.
    public var headers: [String: String]
    /// The body as text.
    public var body: String

    /// An answer.
    public init(status: Int = 200, headers: [String: String] = ["Content-Type": "application/json"], body: String = "{}") {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
