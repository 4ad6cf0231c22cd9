import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

/// The state of a PubNub subscription that is kept when the connection is lost: keyset and user, the wanted channels and groups, and the
/// position.
public struct PubNubMemory: Sendable {
    /// The keys, the user and the client's ids. A change applies to all later requests.
    public internal(set) var settings: PubNubSettings
    public let options: PubNubOptions
    /// Returns the seconds since 1970 for the timestamp of signed requests; nil when no request is signed.
    private let unixTime: (@Sendable () -> Int)?
    /// How many seconds the service's clock is ahead of this machine's; 0 while unknown.
    private var clockOffset = 0
    /// Whether the service refused a signed request because of its timestamp. If so, the client has to request the service's time before it
    /// can sign again (rule PX-53).
    var needsServiceTime = false

    var wanted = PubNubNames()
    /// The channels and groups that the latest answer to a handshake has confirmed. A handshake is a subscribe request with timetoken 0.
    var confirmed = PubNubNames()
    /// The channels and groups for which heartbeats are sent, if the application manages presence itself
    /// (``PubNubOptions/managesPresenceManually``).
    var present = PubNubNames()
    /// The channels and groups of all subscribe requests so far, without those for which a leave request was sent later.
    var asked = PubNubNames()
    /// The channels and groups that were unsubscribed while no request could be sent. The next connection begins with a leave request for
    /// them (rule PX-52).
    var departed = PubNubNames()
    public internal(set) var filter: String?
    /// The user's presence state as JSON text, by the name of a channel or group.
    var state: OrderedDictionary<Identifier, String> = [:]
    /// The position that the next poll sends; `start` until an answer has been read.
    public internal(set) var cursor = PubNubCursor.start
    /// The position after which the latest answer to a handshake reported a gap; nil when it reported none. Reset to nil when the first
    /// poll from this position is answered.
    var toldGapAfter: Timetoken?
    /// The timetoken at which the user wants to begin; nil to continue at the subscription's position.
    var startAt: Timetoken?
    /// When the latest poll was answered. Up to this moment all messages have been received.
    var deliveredUntil: Moment?
    /// When the service sent its last answer before the connection was lost. Nil while the connection works, and as soon as a poll was
    /// answered after a loss.
    var lostAt: Moment?
    var seen: SeenMessages
    /// The number of consecutive polls with a malformed answer (rule PX-51).
    var malformedPolls = 0
    /// Whether the latest failure was a network failure. If so, the next attempt begins with a request for the service's time (rule PX-3).
    var needsTimeProbe = false
    var waiters: [Waiter] = []
    var lastExchange: UInt64 = 0
    private var random: SeededRandom

    /// A subscribe command whose caller waits until the service has confirmed its channels and groups.
    struct Waiter: Sendable {
        var id: RequestID
        var names: PubNubNames
    }

    /// The maximum number of channels and groups on which the user can have a presence state.
    static let mostStates = 1_000

    /// - Parameters:
    ///   - seed: the seed of the random request ids; it must differ between clients.
    ///   - unixTime: returns the seconds since 1970, for signatures; nil when no request is signed.
    public init(
        settings: PubNubSettings, options: PubNubOptions = PubNubOptions(), seed: UInt64, unixTime: (@Sendable () -> Int)? = nil
    ) {
        self.settings = settings
        self.options = options
        self.unixTime = unixTime
        seen = SeenMessages(capacity: options.dedupCapacity)
        random = SeededRandom(seed: seed)
    }

    /// The channels and groups that the application has subscribed to, including those that the service has not confirmed yet.
    public var list: PubNubList { wanted.list }

    /// The user's presence state as JSON text, by the name of a channel or group.
    public var states: [Identifier: String] { Dictionary(uniqueKeysWithValues: state.map { ($0.key, $0.value) }) }

    /// Whether the session needs no connection any more, because no channel or group is subscribed or has heartbeats.
    var isIdle: Bool { wanted.isEmpty && present.isEmpty && options.endsWhenEmpty }
}

extension PubNubMemory {
    /// Makes an HTTP exchange from a request: assigns its number, its request id and its signature.
    mutating func exchange(_ request: PubNubRequest, timeout: Duration) -> HTTPExchange {
        lastExchange += 1
        let target = request.target(
            settings, requestID: randomID(), timestamp: settings.secretKey == nil ? nil : unixTime.map { $0() + clockOffset })
        return HTTPExchange(id: lastExchange, method: request.method, target: target, body: request.body, timeout: timeout)
    }

    /// Stores the difference between the service's clock and this machine's clock. The timestamps of signed requests need this difference
    /// (rule PX-53).
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

    /// The user's presence states on the channels and groups `names` as one JSON object; nil when the user has no state on any of these
    /// names.
    func stateText(for names: PubNubNames) -> String? {
        var text = ""
        for (name, value) in state where names.contains(name) {
            text += (text.isEmpty ? "{" : ",") + JSONValue.string(name.text).text + ":" + value
        }
        return text.isEmpty ? nil : text + "}"
    }

    /// Whether the connection was lost for so long that the service may have dropped messages (rule PX-33).
    func wasAwayTooLong(at now: Moment) -> Bool {
        guard let lostAt, options.streamLifetime > .zero else { return false }
        return now.duration(since: lostAt) > options.streamLifetime
    }

    /// Resets the position in the service's stream. The next handshake then begins at the present end of the stream.
    mutating func forgetPosition() {
        confirmed = PubNubNames()
        cursor = .start
        malformedPolls = 0
        deliveredUntil = nil
        lostAt = nil
        needsTimeProbe = false
        seen.forgetAll()
    }

    /// Removes all channels, groups and presence states that the user has requested (rule PX-26).
    mutating func forgetWishes() {
        wanted = PubNubNames()
        present = PubNubNames()
        state = [:]
        startAt = nil
        waiters = []
        forgetPosition()
    }
}
