import ConnectionEngine
import DequeModule
import EngineRuntime
import Identifiers
import PubNubProtocol

/// The state of a test service, as a value.
struct ServiceState: Sendable {
    /// How attempts to connect and requests are handled.
    enum Mode: Sendable {
        case accepting
        case refusing(Refusal)
        /// Requests wait for ``TestService/accept()``.
        case holding
        /// No data gets through in either direction.
        case silent
    }

    var mode = Mode.accepting
    var isNetworkLost = false
    var sockets: [UInt64: TestSocket] = [:]
    var requests: [UInt64: TestExchange] = [:]
    var networkObservers: [UInt64: @Sendable (NetworkStatus) -> Void] = [:]
    var channels: [Identifier: TestChannel] = [:]
    var publications: [TestPublication] = []
    var publishing: [Identifier: Publishing] = [:]
    var publishingElsewhere = Publishing.accepted
    var answerRequest: (@Sendable (TestRequest) -> TestAnswer?)?
    var requestLog: [TestRequest] = []

    // PubNub: one stream for all channels.
    var stream: [TestPubNubMessage] = []
    var region = 1
    /// The history of channels, which is kept when the stream loses its messages.
    var stored: [TestPubNubMessage] = []
    /// Actions on messages of the history, oldest first.
    var actions: [TestAction] = []

    // Chat.
    var inboxes: [Identifier: TestInbox] = [:]
    var chatHistory: [ConversationKey: [ChatEntry]] = [:]
    /// The messages that were sent, by user and by the user's own id of the message.
    var sentChats: [[Identifier]: UInt64] = [:]

    /// Deliveries to clients, in order.
    var outbox: Deque<@Sendable () -> Void> = []
    var isDelivering = false
    var deliveryWaiters: [@Sendable () -> Void] = []

    private var lastID: UInt64 = 0
    private var lastTick: UInt64 = 0
    /// The clock's time at the latest change that read it.
    var now = Moment(nanoseconds: 1_000_000_000)

    /// A number that was never returned before.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// A time of day that is later than all earlier ones, in 100 ns since 1970.
    mutating func nextTick() -> UInt64 {
        lastTick = max(lastTick + 1, Self.ticks(at: now))
        return lastTick
    }

    /// The latest time of day that was used.
    var latestTick: UInt64 { max(lastTick, Self.ticks(at: now)) }

    /// The time of day of a moment. The manual clock begins on the 14th of November 2023.
    static func ticks(at moment: Moment) -> UInt64 {
        17_000_000_000_000_000 + UInt64(clamping: moment.nanoseconds / 100)
    }

    /// Sockets in the order in which they were opened.
    var openSockets: [TestSocket] {
        sockets.values.filter { $0.isOpen && !$0.isSilent }.sorted { $0.id < $1.id }
    }

    mutating func channel<Value>(_ name: String, _ body: (inout TestChannel) -> Value) -> Value {
        body(&channels[Identifier(Self.plain(name)), default: TestChannel()])
    }

    /// The name of a channel without the prefix of chat's open channels, so that a channel has one name for all services.
    static func plain(_ name: String) -> String {
        name.hasPrefix("open:") ? String(name.dropFirst(5)) : name
    }

    func isDenied(_ name: String) -> Bool { channels[Identifier(Self.plain(name))]?.isDenied ?? false }

    /// How messages that are published to a channel are answered.
    func outcome(on channel: String) -> Publishing { publishing[Identifier(Self.plain(channel))] ?? publishingElsewhere }
}

/// A channel of a test service.
struct TestChannel: Sendable {
    /// The members, in the order of arrival.
    var members: [TestMember] = []
    var isDenied = false
    /// Whether a client was ever subscribed to the channel.
    var isKnown = false

    func has(_ user: String) -> Bool { members.contains { $0.id.isExactly(user) } }

    func info(of user: String) -> String? { members.first { $0.id.isExactly(user) }?.info }
}

/// A member of a channel.
struct TestMember: Hashable, Sendable {
    var id: String
    /// The member's data as JSON text.
    var info: String?
}
