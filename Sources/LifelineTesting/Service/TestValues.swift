import HTTPTransport

/// A message that the app has published to a test service.
public struct TestPublication: Hashable, Sendable {
    /// The channel.
    public var channel: String
    /// The event's name: `message` for a message without an event, and the message type for chat.
    public var event: String
    /// The payload as JSON text; for chat the content of the message.
    public var json: String
    /// The user id of the publisher; nil when the service does not get it.
    public var user: String?
    /// Whether the service has accepted the message.
    public var isAccepted: Bool

    /// Makes a message, such as for comparisons in a test.
    public init(channel: String, event: String, json: String, user: String? = nil, isAccepted: Bool = true) {
        self.channel = channel
        self.event = event
        self.json = json
        self.user = user
        self.isAccepted = isAccepted
    }
}

/// How a test service answers messages that an app publishes.
public enum Publishing: Hashable, Sendable {
    /// The service accepts the messages.
    case accepted
    /// The service refuses the messages for this reason.
    case refused(reason: String)
    /// The service accepts the messages, but its answers are lost. The app's call ends after its time limit (`advance(by:)`), or with the
    /// connection (`drop(_:)`).
    case unanswered
}

/// An HTTP request that a client has made.
public struct TestRequest: Hashable, Sendable {
    /// The HTTP method, such as `POST`.
    public var method: String
    /// The whole URL.
    public var url: String
    /// The header fields, each as `Name: value`, in the order in which they were set.
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

/// An HTTP answer that a test gives to a client's request.
public struct TestAnswer: Hashable, Sendable {
    /// The HTTP status, such as 200.
    public var status: Int
    /// The header fields of the answer, by name.
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
