import DequeModule
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster

/// The keysets whose snapshots a node needs. The node requests only a few snapshots at a time, so that the leader prepares only a few at
/// once.
struct WantedStates: Sendable {
    private var waiting = Deque<Identifier>()
    private var underway: Set<Identifier> = []

    /// The number of snapshots that a node reads at the same time.
    private static let limit = 4

    /// - Returns: whether to request the keyset's snapshot from the leader now; false when the keyset has to wait until other snapshots
    ///   were read.
    mutating func add(_ keyset: Identifier) -> Bool {
        if underway.contains(keyset) { return true }
        guard underway.count < Self.limit else {
            if !waiting.contains(keyset) { waiting.append(keyset) }
            return false
        }
        waiting.removeAll { $0 == keyset }
        underway.insert(keyset)
        return true
    }

    /// - Returns: the waiting keyset whose snapshot to request from the leader next; nil when none waits.
    mutating func end(_ keyset: Identifier) -> Identifier? {
        guard underway.remove(keyset) != nil, let next = waiting.popFirst() else { return nil }
        underway.insert(next)
        return next
    }
}

// Reading of keyset snapshots, which arrive in pieces outside the log (rule CB-24).
extension ClusterStreams {
    /// Starts a replica anew, because it cannot continue from its present messages. The replica's polls wait until the leader has sent a
    /// snapshot.
    func restart(_ application: PubNubApplication) {
        application.isComplete = false
        let key = Identifier(application.subscribeKey)
        let asksNow = state.withLockedValue { state in
            state.incoming[key] = nil
            return state.wanted.add(key)
        }
        if asksNow { ask(for: application.subscribeKey) }
    }

    private func ask(for subscribeKey: String) {
        let request: PubNubClusterRequest =
            leaderAnswersMissed ? .stateWithoutMessages(subscribeKey: subscribeKey) : .state(subscribeKey: subscribeKey)
        relay.send(request, within: nil) { [weak self] result in
            // An empty answer has one of two causes. Either the leader does not have the keyset yet, or the leader is of the previous
            // version, which does not support the request and has already sent a `restart`.
            guard let self, case .success(let answer) = result, answer.readableBytes == 0 else { return }
            askNext(behind: Identifier(subscribeKey))
        }
    }

    private func askNext(behind keyset: Identifier) {
        guard let next = state.withLockedValue({ $0.wanted.end(keyset) }) else { return }
        ask(for: next.text)
    }

    /// Starts to read a snapshot that the leader has announced.
    func begin(_ incoming: IncomingState, of application: PubNubApplication) {
        state.withLockedValue { $0.incoming[Identifier(application.subscribeKey)] = incoming }
        read(incoming.snapshot, incoming.index, of: application)
    }

    /// Holds a fact (an entry of the cluster's log) back until the snapshot that precedes it has been read.
    ///
    /// - Returns: false when no snapshot is being read.
    func hold(_ fact: ByteBuffer, for application: PubNubApplication) -> Bool {
        let key = Identifier(application.subscribeKey)
        let fits: Bool? = state.withLockedValue { $0.incoming[key]?.hold(fact) }
        guard let fits else { return false }
        if !fits { restart(application) }
        return true
    }

    /// Requests the next piece of a snapshot. The answer arrives on the event loop of the bus.
    private func read(_ snapshot: UInt64, _ index: UInt32, of application: PubNubApplication) {
        relay.query(.piece(snapshot: snapshot, index: index), within: nil) { [weak self] result in
            guard let self, case .success(let bytes) = result else { return }
            take(bytes, snapshot: snapshot, index: index, of: application)
        }
    }

    private func take(_ bytes: ByteBuffer, snapshot: UInt64, index: UInt32, of application: PubNubApplication) {
        let key = Identifier(application.subscribeKey)
        let incoming = state.withLockedValue { state -> IncomingState? in
            // The piece is ignored when another snapshot has replaced this one since the piece was requested.
            guard let incoming = state.incoming[key], incoming.snapshot == snapshot, incoming.index == index else { return nil }
            state.incoming[key] = nil
            return incoming
        }
        guard var incoming else { return }
        guard let (_, fact) = try? PubNubFact.decode(bytes) else { return restart(application) }
        guard incoming.take(fact, for: application) else {
            let next = incoming
            state.withLockedValue { $0.incoming[key] = next }
            return read(snapshot, next.index, of: application)
        }
        for bytes in incoming.facts {
            if let (_, fact) = try? PubNubFact.decode(bytes) { follow(fact, application) }
        }
        // The leader may have announced, while the snapshot was being read, that it answers requests for messages.
        if leaderAnswersMissed { application.keepSubscribed() }
        askNext(behind: key)
    }

    /// Whether the replicas of all keysets are complete, and no snapshot is being read.
    var isComplete: Bool {
        state.withLockedValue { state in state.incoming.isEmpty && state.applications.values.allSatisfy { $0.isComplete } }
    }
}
