import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

/// The state of a PubNub subscription that survives reconnects: the keyset and user, the wanted channels, and the position.
public struct PubNubMemory: Sendable {
    /// Credentials, user and client id. A change here applies to every request from then on.
    public internal(set) var settings: PubNubSettings
    public let options: PubNubOptions
    /// Returns the seconds since 1970, for signed requests.
    private let unixTime: (@Sendable () -> Int)?
    /// How many seconds the service's clock is ahead of this machine's; 0 while unknown.
    private var clockOffset = 0
    /// Whether the service refused a signed request because of its timestamp (rule PX-53).
    var needsServiceTime = false

    var wanted = PubNubNames()
    /// The names that the latest handshake has confirmed.
    var confirmed = PubNubNames()
    /// The names for which heartbeats are sent when presence is managed manually.
    var present = PubNubNames()
    /// The names that were requested and for which no leave has been sent.
    var asked = PubNubNames()
    /// Names that were unsubscribed while no request could be sent: the next connection begins with the leave (rule PX-52).
    var departed = PubNubNames()
    public internal(set) var filter: String?
    /// Presence state by name, as JSON text.
    var state: OrderedDictionary<Identifier, String> = [:]
    /// The position that the next poll sends; `start` until an answer has been read.
    public internal(set) var cursor = PubNubCursor.start
    /// The position after which a handshake has declared a gap, until the first poll from there is answered.
    var toldGapAfter: Timetoken?
    /// The timetoken at which the user wants to begin, instead of the subscription's position.
    var startAt: Timetoken?
    /// When the latest poll was answered: all messages up to `cursor` had arrived.
    var deliveredUntil: Moment?
    /// When the service last answered before the link was lost; nil once a poll has been answered again.
    var lostAt: Moment?
    var seen: SeenMessages
    /// The number of consecutive polls with a malformed answer (rule PX-51).
    var malformedPolls = 0
    /// Whether the latest failure was one of the network, so that the next attempt first requests the service's time (rule PX-3).
    var needsTimeProbe = false
    var waiters: [Waiter] = []
    var lastExchange: UInt64 = 0
    private var random: SeededRandom

    /// A subscription whose caller waits for the confirmation.
    struct Waiter: Sendable {
        var id: RequestID
        var names: PubNubNames
    }

    /// How many names can have presence state.
    static let mostStates = 1_000

    /// - Parameters:
    ///   - seed: the seed of request ids; it must differ between clients.
    ///   - unixTime: returns the seconds since 1970, for signatures; needed with a secret key only.
    public init(
        settings: PubNubSettings, options: PubNubOptions = PubNubOptions(), seed: UInt64, unixTime: (@Sendable () -> Int)? = nil
    ) {
        self.settings = settings
        self.options = options
        self.unixTime = unixTime
        seen = SeenMessages(capacity: options.dedupCapacity)
        random = SeededRandom(seed: seed)
    }

    /// The wanted channels and groups, confirmed or not.
    public var list: PubNubList { wanted.list }

    /// Presence state by channel or group, as JSON text.
    public var states: [Identifier: String] { Dictionary(uniqueKeysWithValues: state.map { ($0.key, $0.value) }) }

    /// Whether no connection is needed any more.
    var isIdle: Bool { wanted.isEmpty && present.isEmpty && options.endsWhenEmpty }
}

extension PubNubMemory {
    /// Assigns a number and an address to a request.
    mutating func exchange(_ request: PubNubRequest, timeout: Duration) -> HTTPExchange {
        lastExchange += 1
        let target = request.target(
            settings, requestID: randomID(), timestamp: settings.secretKey == nil ? nil : unixTime.map { $0() + clockOffset })
        return HTTPExchange(id: lastExchange, method: request.method, target: target, body: request.body, timeout: timeout)
    }

    /// Stores the service's time, which signatures need. Rule PX-53.
    mutating func learnTime(_ answer: [UInt8]) {
        guard needsServiceTime, let unixTime, let time = try? PubNubTimeCall().answer(answer) else { return }
        needsServiceTime = false
        guard let seconds = Int(exactly: time.rawValue / 10_000_000) else { return }
        clockOffset = seconds - unixTime()
    }

    /// A random UUID as text.
    private mutating func randomID() -> String {
        var high = random.next()
        var low = random.next()
        high = high & ~0xF000 | 0x4000
        low = low & ~(0b11 << 62) | 0b10 << 62
        return String(unsafeUninitializedCapacity: 36) { out in
            var at = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    out[at] = UInt8(ascii: "-")
                    at += 1
                }
                let half = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index % 16)) & 0xF)
                out[at] = (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) + digit
                at += 1
            }
            return at
        }
    }

    /// The presence state of `names`, one JSON object; nil when there is none.
    func stateText(for names: PubNubNames) -> String? {
        var text = ""
        for (name, value) in state where names.contains(name) {
            text += (text.isEmpty ? "{" : ",") + JSONValue.string(name.text).text + ":" + value
        }
        return text.isEmpty ? nil : text + "}"
    }

    /// Whether the service may have dropped messages that were published while the link was down. Rule PX-33.
    func wasAwayTooLong(at now: Moment) -> Bool {
        guard let lostAt, options.streamLifetime > .zero else { return false }
        return now.duration(since: lostAt) > options.streamLifetime
    }

    /// Resets the position: the next handshake begins at the present end of the stream.
    mutating func forgetPosition() {
        confirmed = PubNubNames()
        cursor = .start
        malformedPolls = 0
        deliveredUntil = nil
        lostAt = nil
        needsTimeProbe = false
        seen.forgetAll()
    }

    /// Removes all wanted channels and groups (rule PX-26).
    mutating func forgetWishes() {
        wanted = PubNubNames()
        present = PubNubNames()
        state = [:]
        startAt = nil
        waiters = []
        forgetPosition()
    }
}
