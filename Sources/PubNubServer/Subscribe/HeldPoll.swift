import Identifiers
import NIOCore
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// A connection with a poll: its request, and its positions in lists while the poll is held. It is small, and has no timer of its own.
///
/// Used on its event loop only; it serves the polls of its connection one after the other.
final class HeldPoll: HeldExchange {
    let polls: PubNubPolls
    private(set) var connection: HTTPConnection?
    private(set) var sources: PollSources?
    var filter: PollFilter?
    /// The messages that have passed the filter so far, when filtering takes more than one turn of the loop.
    var passed: StreamPage<PubNubElement>?
    /// The form of the answer.
    var form = SubscribeTarget.Form.second
    /// The rights that must stay valid while the poll is held; nil when none are needed.
    var access: HeldAccess?
    /// Whether its access rights were checked, even if they do not end (``access`` is nil then).
    var isJudged = false
    var cursor: UInt64 = 0
    /// The position about which a held handshake asks (rule CB-54); nil for other polls.
    var resumesAfter: UInt64?
    /// Whether messages may be missing before the cursor. The answer has to report that gap (rule PV-112).
    var followsGap = false
    /// Whether the poll is checked at the end of this turn.
    var isWoken = false
    /// Whether the poll is then answered even without a message.
    var mustAnswer = false

    /// The user of the poll; nil without a user.
    private(set) var user: OccupancyUser?
    /// The bytes of the request with the user, and those with its connection. They are compared separately, because joined they
    /// would be equal for `user12` with `3` and for `user1` with `23` (rule PV-170).
    private var userText: [UInt8] = []
    private var instanceText: [UInt8] = []

    private var seats: ContiguousArray<Int> = []
    private(set) var isHeld = false

    /// The address of the connection, whose share counts the presence of polls without a token; nil when it is not known or not limited.
    private let address: Identifier?

    init(_ connection: HTTPConnection, _ polls: PubNubPolls) {
        self.connection = connection
        self.polls = polls
        address = connection.client([:]).map { PubNubAccess.owner(address: $0.text) }
    }

    /// Applies the subscriptions of the next poll.
    func use(_ sources: PollSources) {
        guard sources !== self.sources else { return }
        sources.users += 1
        self.sources?.users -= 1
        self.sources = sources
    }

    /// Applies the user of the next poll.
    ///
    /// - Parameter owner: the owner whose share counts the user's presence; nil for the connection's address.
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

    /// The hold time has ended without a message.
    func expire(at now: MonotonicInstant) {
        guard isHeld else { return }
        polls.expire(self, at: now)
    }

    /// Answers when the hold time has ended, and ends the poll when its rights have ended (rules PV-10 and PV-138).
    func sweep(held elapsed: Duration, at now: MonotonicInstant) {
        if elapsed >= polls.hold { expire(at: now) } else { _ = polls.endIfRefused(self) }
    }

    /// The connection has closed.
    func leave() {
        release()
        sources?.users -= 1
        sources = nil
        connection = nil
    }
}
