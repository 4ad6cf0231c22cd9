/// The first frame of a client (chat-protocol.md, section 2).
public struct ChatHello: Hashable, Sendable {
    public var version: Int
    public var appKey: String
    public var token: String
    public var device: ChatDevice
    /// The name and version of the client, for display.
    public var client: String
    public var resume: ChatPlace?
    public var isReconnect: Bool
    public var yields: Bool

    public init(
        version: Int = 1, appKey: String, token: String, device: ChatDevice, client: String = "lifeline/1",
        resume: ChatPlace? = nil, isReconnect: Bool = false, yields: Bool = false
    ) {
        self.version = version
        self.appKey = appKey
        self.token = token
        self.device = device
        self.client = client
        self.resume = resume
        self.isReconnect = isReconnect
        self.yields = yields
    }
}

public struct ChatDevice: Hashable, Sendable {
    public enum Class: String, CaseIterable, Hashable, Sendable {
        case mobile, desktop, web
    }

    /// The id of the device, with 1 to 64 characters.
    public var id: String
    public var `class`: Class
    /// The operating system, such as `iOS`, for webhooks.
    public var system: String

    public init(id: String, class: Class = .mobile, system: String) {
        self.id = id
        self.class = `class`
        self.system = system
    }
}

/// A position in a user's inbox: the epoch of the inbox's numbering, and the sequence number of an event in this epoch.
public struct ChatPlace: Hashable, Sendable {
    public var epoch: String
    public var sequence: UInt64

    public init(epoch: String, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

public struct ChatWelcome: Hashable, Sendable {
    public var user: String
    public var session: String
    /// The server's time, in ms since 1970.
    public var time: Int64
    /// The inbox position after which the server continues.
    public var place: ChatPlace
    public var isResumed: Bool
    /// Whether events after the device's position are lost.
    public var hasLost: Bool
    /// The time without received data after which the server sends a ping, in milliseconds.
    public var heartbeat: Int
    public var settings: ChatServerSettings

    public init(
        user: String, session: String, time: Int64, place: ChatPlace, isResumed: Bool, hasLost: Bool = false,
        heartbeat: Int = 30_000, settings: ChatServerSettings = .init()
    ) {
        self.user = user
        self.session = session
        self.time = time
        self.place = place
        self.isResumed = isResumed
        self.hasLost = hasLost
        self.heartbeat = heartbeat
        self.settings = settings
    }
}

/// The settings of an application that its clients need.
public struct ChatServerSettings: Hashable, Sendable {
    public var modifiableMinutes: Int
    public var syncsDevices: Bool
    public var hasPresence: Bool

    public init(modifiableMinutes: Int = 1440, syncsDevices: Bool = false, hasPresence: Bool = true) {
        self.modifiableMinutes = modifiableMinutes
        self.syncsDevices = syncsDevices
        self.hasPresence = hasPresence
    }
}

/// The frame with which the server ends a session.
public struct ChatBye: Hashable, Sendable {
    public var code: ChatErrorCode
    public var reason: String
    public var mayRetry: Bool
    /// The shortest pause before the next attempt, in ms; nil if the server gives none.
    public var after: Int?

    public init(code: ChatErrorCode, reason: String, mayRetry: Bool = false, after: Int? = nil) {
        self.code = code
        self.reason = reason
        self.mayRetry = mayRetry
        self.after = after
    }
}

/// An event with its position in the inbox.
public struct ChatInboxItem: Hashable, Sendable {
    public var sequence: UInt64
    public var event: ChatWireEvent

    public init(sequence: UInt64, event: ChatWireEvent) {
        self.sequence = sequence
        self.event = event
    }
}

/// The refusal of a request: an error code, and a reason for people.
public struct ChatRequestRefusal: Error, Hashable, Sendable {
    public var code: ChatErrorCode
    public var reason: String
    /// The pause before the next request, in milliseconds; nil if the server gives none.
    public var retryAfter: Int?

    public init(_ code: ChatErrorCode, _ reason: String, retryAfter: Int? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }
}

/// A frame that a client sends.
public enum ChatClientFrame: Hashable, Sendable {
    indirect case hello(ChatHello)
    /// A request. The server's answer has the same number.
    case request(ChatRequest, number: UInt64)
    case typing(to: String, type: String)
    case acknowledge(UInt64)
    case leave(disablePush: Bool)
}

/// A frame that a server sends, as a client decodes it.
public enum ChatInbound: Hashable, Sendable {
    indirect case welcome(ChatWelcome)
    indirect case bye(ChatBye)
    /// A positive answer. Read its members with ``ChatAnswer``.
    case answer(number: UInt64, ChatAnswer)
    indirect case refusal(number: UInt64, ChatRequestRefusal)
    case package([ChatInboxItem], hasMore: Bool)
    case event(ChatInboxItem)
    case transient(ChatWireEvent)
    /// The answer to a WebSocket ping.
    case pong([UInt8])
    case malformed(reason: String)
}

/// A positive answer, whose members are read on demand. A member that is missing or of another type is nil.
public struct ChatAnswer: Hashable, Sendable {
    /// The whole frame: a JSON object in UTF-8.
    public var json: [UInt8]

    public init(json: [UInt8]) {
        self.json = json
    }
}
