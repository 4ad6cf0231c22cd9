import NIOCore
import PubNubProtocol
import RealtimeHub

/// A connection that polls: what it asks for, and its places in lists while the poll is held. Small, and without a timer of its own.
///
/// Lives on its event loop and serves one poll of its connection after the other.
final class HeldPoll {
    let polls: PubNubPolls
    private(set) var connection: HTTPConnection?
    private(set) var sources: PollSources?
    var filter: PollFilter?
    var cursor: UInt64 = 0
    /// Whether the poll is to be looked after at the end of this turn.
    var isWoken = false
    /// Whether it is answered then even without a message.
    var mustAnswer = false

    /// Who polls; nil for nobody.
    private(set) var user: OccupancyUser?
    /// The bytes of the request that say so.
    private var userText: [UInt8] = []

    private var seats: ContiguousArray<Int> = []
    private(set) var isHeld = false

    init(_ connection: HTTPConnection, _ polls: PubNubPolls) {
        self.connection = connection
        self.polls = polls
    }

    /// Takes on what the next poll subscribes to.
    func use(_ sources: PollSources) {
        guard sources !== self.sources else { return }
        sources.users += 1
        self.sources?.users -= 1
        self.sources = sources
    }

    /// Takes on who polls next. False when it cannot be read.
    func setUser(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let id = target.user.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let instance =
            target.instance.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let isKnown =
            userText.count == id.count + instance.count
            && userText.withUnsafeBytes { known in
                known.prefix(id.count).elementsEqual(id) && known.dropFirst(id.count).elementsEqual(instance)
                    && user?.connection.isEmpty != !instance.isEmpty
            }
        if isKnown, !userText.isEmpty { return true }
        guard let name = PercentDecoding.decode(id, plusIsSpace: true),
            let connection = PercentDecoding.decode(instance, plusIsSpace: true)
        else { return false }
        userText = Array(id) + Array(instance)
        user = name.isEmpty ? nil : OccupancyUser(id: name, connection: connection)
        return true
    }

    func hold() {
        guard let sources, !isHeld else { return }
        isHeld = true
        seats.removeAll(keepingCapacity: true)
        for (slot, list) in sources.lists.enumerated() { seats.append(list.add(self, slot: slot)) }
        polls.heldCount += 1
    }

    func release() {
        guard isHeld, let sources else { return }
        isHeld = false
        mustAnswer = false
        for (slot, list) in sources.lists.enumerated() { list.remove(at: seats[slot]) }
        seats.removeAll(keepingCapacity: true)
        polls.heldCount -= 1
    }

    func moveSeat(_ slot: Int, to index: Int) {
        seats[slot] = index
    }

    /// The hold is over: nothing came (wire sheet 1.2, item 3).
    func expire(at now: HubInstant) {
        guard isHeld else { return }
        polls.expire(self, at: now)
    }

    /// The connection is gone.
    func leave() {
        release()
        sources?.users -= 1
        sources = nil
        connection = nil
    }
}
