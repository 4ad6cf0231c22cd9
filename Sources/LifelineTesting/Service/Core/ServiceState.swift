import ConnectionEngine
import DequeModule
import EngineRuntime
import Identifiers
import PubNubProtocol

/// The whole state of a test service. A value.
struct ServiceState: Sendable {
    /// How the service handles connection attempts and requests.
    enum Mode: Sendable {
        case accepting
        case refusing(Refusal)
        /// Connection attempts and requests wait for ``TestService/accept()``.
        case holding
        /// All data is lost, in both directions, and nothing is answered.
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

    // PubNub: one message stream for all channels, from which polls are answered.
    var stream: [TestPubNubMessage] = []
    var region = 1
    /// The history of PubNub channels. It stays when ``TestService/loseMessages()`` empties the stream.
    var stored: [TestPubNubMessage] = []
    /// Message actions on messages of the history, oldest first.
    var actions: [TestAction] = []

    // Chat.
    var inboxes: [Identifier: TestInbox] = [:]
    var chatHistory: [ConversationKey: [ChatEntry]] = [:]
    /// The ids of sent chat messages, by user id and client message id; used to recognise repeated requests.
    var sentChats: [[Identifier]: UInt64] = [:]

    /// Deliveries to clients that are not made yet, in order.
    var outbox: Deque<@Sendable () -> Void> = []
    var isDelivering = false
    var deliveryWaiters: [@Sendable () -> Void] = []

    private var lastID: UInt64 = 0
    private var lastTick: UInt64 = 0
    /// The time on the manual clock. It is updated at each step of the test's script, and when a client connects, makes a request or sends
    /// a frame; between these events the value may be behind the clock.
    var now = Moment(nanoseconds: 1_000_000_000)

    /// Returns a new number for a socket or a request: one more than the last number.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Returns a time of day that is later than all times returned before, in 100 ns since 1970.
    mutating func nextTick() -> UInt64 {
        lastTick = max(lastTick + 1, Self.ticks(at: now))
        return lastTick
    }

    /// The latest time of day that was returned or has passed, in 100 ns since 1970.
    var latestTick: UInt64 { max(lastTick, Self.ticks(at: now)) }

    /// The time of day of a moment, in 100 ns since 1970. The manual clock begins on the 14th of November 2023.
    static func ticks(at moment: Moment) -> UInt64 {
        17_000_000_000_000_000 + UInt64(clamping: moment.nanoseconds / 100)
    }

    /// The open sockets, in the order in which they were dialled. Silent sockets are left out.
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

    /// How the service answers a message that the app publishes to a channel.
    func outcome(on channel: String) -> Publishing { publishing[Identifier(Self.plain(channel))] ?? publishingElsewhere }
}

/// The members and settings of one channel of a test service.
struct TestChannel: Sendable {
    /// The members, in the order in which they joined.
    var members: [TestMember] = []
    var isDenied = false
    /// Whether a client was ever subscribed to the channel.
    var isKnown = false

    func has(_ user: String) -> Bool { members.contains { $0.id.isExactly(user) } }

    func info(of user: String) -> String? { members.first { $0.id.isExactly(user) }?.info }
}

/// A user who is present in a channel of a test service.
struct TestMember: Hashable, Sendable {
    var id: String
    /// The member's data as JSON text; nil for none.
    var info: String?
}
