import Identifiers
import NIOCore
import ServerStorage

/// A keyset's snapshot that a node receives in pieces outside the cluster's log, and the facts (log entries) that follow the snapshot.
struct IncomingState: Sendable {
    let snapshot: UInt64
    /// The index of the snapshot's next piece.
    private(set) var index: UInt32 = 0
    /// The message streams that replace the replica's current ones; nil when the snapshot continues the current ones.
    private var streams: MessageStreams<PubNubElement>?
    private var groups: [PubNubFact.GroupContent] = []
    private var access: [AccessEntry] = []
    private var dropped: [PubNubFact.DroppedMessages] = []
    /// The facts (entries of the cluster's log) that have arrived since the snapshot was announced, in order.
    private(set) var facts: [ByteBuffer] = []
    private var bytes = 0

    /// The largest size, in bytes, of the facts that wait for the rest of a snapshot. When it is exceeded, the node requests another
    /// snapshot, which includes these facts.
    static let waitingBytes = 67_108_864

    /// - Parameters:
    ///   - since: the timetoken at which a complete snapshot begins; nil for a snapshot that continues the replica.
    ///   - keepsAll: whether to keep all messages of a complete snapshot, because the leader does not answer requests for them (rule CB-58).
    init(_ snapshot: UInt64, since: UInt64?, _ limits: StreamLimits, keepsAll: Bool) {
        self.snapshot = snapshot
        streams = since.map { MessageStreams(limits: limits, copyStartingAt: $0) }
        if keepsAll { streams?.stopRequesting() }
    }

    /// Holds a fact (an entry of the cluster's log) back until the snapshot is complete.
    ///
    /// - Returns: false when the waiting facts exceed ``waitingBytes``.
    mutating func hold(_ fact: ByteBuffer) -> Bool {
        bytes += fact.readableBytes
        guard bytes <= Self.waitingBytes else { return false }
        facts.append(fact)
        return true
    }

    /// Adds one piece of the snapshot.
    ///
    /// - Returns: whether it was the last piece; the keyset then has the complete state.
    mutating func take(_ fact: PubNubFact, for application: PubNubApplication) -> Bool {
        index += 1
        switch fact {
        case .stateMessages(let messages):
            guard let keepsAll = streams?.keepsAll else {
                application.follow(messages, [])
                return false
            }
            if keepsAll {
                for message in messages { _ = streams?.append(message, application.element(of: message)) }
            } else if let last = messages.last {
                // The messages of the snapshot are skipped. This leader answers requests for messages, so polls request those that they
                // need.
                streams?.advance(to: last.timetoken)
            }
        case .stateGroups(let groups): self.groups += groups
        case .stateAccess(let entries): access += entries
        case .stateDropped(let dropped): self.dropped += dropped
        case .stateEnds(let visible):
            end(at: visible, for: application)
            return true
        case .decided, .access, .restart, .stateAt, .answersMissed: break
        }
        return false
    }

    private mutating func end(at visible: UInt64, for application: PubNubApplication) {
        application.grants.replace(with: access)
        guard var streams else {
            application.follow(to: visible, dropped)
            return application.replace(groups: groups)
        }
        for item in dropped { streams.noteDropped(item.timetoken, from: item.channel) }
        streams.advance(to: visible)
        application.begin(streams, groups)
    }
}
