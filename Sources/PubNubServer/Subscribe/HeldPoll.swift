import Identifiers
import NIOCore
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// The polls of one connection, one after the other: the current request and, while it is held, its positions in the lists of polls. The
/// object is small, and has no timer of its own.
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
    /// Whether the access rights of the request were checked. This is also true for a signed request, whose ``access`` is nil.
    var isJudged = false
    var cursor: UInt64 = 0
    /// In a held handshake, the position after which the client asks whether messages are missing (rule CB-54); nil for other polls.
    var resumesAfter: UInt64?
    /// Whether messages before the cursor may be missing. The answer then has to report a gap (rule PV-112).
    var followsGap = false
    /// Whether the poll is queued to be checked for messages in this turn of the event loop.
    var isWoken = false
    /// Whether the poll is answered even without a message when it is next checked for messages.
    var mustAnswer = false

    /// The user who polls; nil when the request names none.
    private(set) var user: OccupancyUser?
    /// The bytes of the request with the user id; `instanceText` has those with the connection id. They are compared separately, because
    /// joined they would be equal for `user12` with `3` and for `user1` with `23` (rule PV-170).
    private var userText: [UInt8] = []
    private var instanceText: [UInt8] = []

    private var seats: ContiguousArray<Int> = []
    private(set) var isHeld = false

    /// The client address, as the owner of the user's presence in polls without a token; nil when it is unknown or not limited.
    private let address: Identifier?

    init(_ connection: HTTPConnection, _ polls: PubNubPolls) {
        self.connection = connection
        self.polls = polls
        address = connection.client([:]).map { PubNubAccess.owner(address: $0.text) }
    }

    /// Replaces the subscriptions by those of the connection's next poll.
    func use(_ sources: PollSources) {
        guard sources !== self.sources else { return }
        sources.users += 1
        self.sources?.users -= 1
        self.sources = sources
    }

    /// Replaces the user by that of the connection's next poll.
    ///
    /// - Parameter owner: the owner whose share of the limits the user's presence uses; nil for the connection's address.
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
