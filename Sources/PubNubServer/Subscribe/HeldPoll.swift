import Identifiers
import NIOCore
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// The polls of one connection, one after the other: the current request and, while this request is held, its positions in the lists of
/// held polls. The object is small, and has no timer of its own.
///
/// Used on its event loop only.
final class HeldPoll: HeldExchange {
    let polls: PubNubPolls
    private(set) var connection: HTTPConnection?
    private(set) var sources: PollSources?
    var filter: PollFilter?
    /// The messages that have passed the filter so far, when filtering takes several turns of the event loop.
    var passed: StreamPage<PubNubElement>?
    /// The protocol version of the request and its answer.
    var form = SubscribeTarget.Form.second
    /// The rights that the poll needs while it is held; nil when none are needed.
    var access: HeldAccess?
    /// Whether the access rights of the request were checked. Also true for a signed request, although its ``access`` is nil.
    var isJudged = false
    var cursor: UInt64 = 0
    /// In a held handshake, the position after which the client asks whether messages are missing (rule CB-54); nil for other polls.
    var resumesAfter: UInt64?
    /// Whether messages before the cursor may be missing. If so, the answer has to report a gap (rule PV-112).
    var followsGap = false
    /// Whether the poll is in the queue of polls that are checked for messages in this turn of the event loop.
    var isWoken = false
    /// Whether the next check for messages answers the poll even if there are none.
    var mustAnswer = false

    /// The user who polls; nil when the request names none.
    private(set) var user: OccupancyUser?
    /// The bytes of the request with the user id; `instanceText` has the bytes with the connection id. The two texts are compared
    /// separately. Joined, the ids `user12` and `3` would equal the ids `user1` and `23` (rule PV-170).
    private var userText: [UInt8] = []
    private var instanceText: [UInt8] = []

    private var seats: ContiguousArray<Int> = []
    private(set) var isHeld = false

    /// The client address; nil when it is unknown or not limited. In polls without a token, the user's presence counts against the share of
    /// this address.
    private let address: Identifier?

    init(_ connection: HTTPConnection, _ polls: PubNubPolls) {
        self.connection = connection
        self.polls = polls
        address = connection.client([:]).map { PubNubAccess.owner(address: $0.text) }
    }

    /// Replaces the subscriptions by the subscriptions of the connection's next poll.
    func use(_ sources: PollSources) {
        guard sources !== self.sources else { return }
        sources.users += 1
        self.sources?.users -= 1
        self.sources = sources
    }

    /// Replaces the user by the user of the connection's next poll.
    ///
    /// - Parameter owner: the owner against whose share of the limits the user's presence counts; nil for the connection's address.
    func setUser(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer, owner: Identifier? = nil
    ) throws(PubNubErrorBody) {
        defer { user?.owner = owner ?? address }
        let id = target.user.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let instance =
            target.instance.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        if user != nil, userText.elementsEqual(id), instanceText.elementsEqual(instance) { return }
        guard let name = PercentDecoding.decode(id, plusIsSpace: true),
            let connection = PercentDecoding.decode(instance, plusIsSpace: true)
        else { throw .couldNotParse }
        guard PresenceLimits.isValid(user: name), PresenceLimits.isValid(user: connection) else { throw .invalidUser }
        userText = Array(id)
        instanceText = Array(instance)
        user = name.isEmpty ? nil : OccupancyUser(id: Identifier(name), connection: Identifier(connection))
    }

    func hold() {
        guard let sources, !isHeld else { return }
        isHeld = true
        seats.removeAll(keepingCapacity: true)
        for (slot, list) in sources.lists.enumerated() { seats.append(list.add(self, slot: slot)) }
        polls.counts.held += 1
    }

    func release() {
        guard isHeld, let sources else { return }
        isHeld = false
        mustAnswer = false
        passed = nil
        for (slot, list) in sources.lists.enumerated() { list.remove(at: seats[slot]) }
        seats.removeAll(keepingCapacity: true)
        polls.counts.held -= 1
    }

    func moveSeat(_ slot: Int, to index: Int) {
        seats[slot] = index
    }

    /// Answers the poll without messages, because its hold time has ended.
    func expire(at now: MonotonicInstant) {
        guard isHeld else { return }
        polls.expire(self, at: now)
    }

    /// Answers the poll when its hold time has ended, and refuses it when its rights have ended (rules PV-10 and PV-138).
    func sweep(held elapsed: Duration, at now: MonotonicInstant) {
        if elapsed >= polls.hold { expire(at: now) } else { _ = polls.endIfRefused(self) }
    }

    /// Releases the poll, because its connection has closed.
    func leave() {
        release()
        sources?.users -= 1
        sources = nil
        connection = nil
    }
}
