import Identifiers
import NIOCore
import ServerStorage

/// A keyset's state that is received in pieces outside the log, with the facts of the log that follow it.
struct IncomingState: Sendable {
    let snapshot: UInt64
    /// The index of the next piece.
    private(set) var index: UInt32 = 0
    /// The streams that replace the current ones; nil when the current ones continue.
    private var streams: MessageStreams<PubNubElement>?
    private var groups: [PubNubFact.GroupContent] = []
    private var access: [AccessEntry] = []
    private var dropped: [PubNubFact.DroppedMessages] = []
    /// Facts that arrived since the state was read.
    private(set) var facts: [ByteBuffer] = []
    private var bytes = 0

    /// The greatest size, in bytes, of the facts that wait for the rest of a state. Beyond it the node requests another state, which
    /// contains them.
    static let waitingBytes = 67_108_864

    /// - Parameters:
    ///   - since: the timetoken at which a complete state begins; nil for a state that continues the replica.
    ///   - keepsAll: whether a complete state's messages are kept, because the leader does not answer requests for them (rule CB-58).
    init(_ snapshot: UInt64, since: UInt64?, _ limits: StreamLimits, keepsAll: Bool) {
        self.snapshot = snapshot
        streams = since.map { MessageStreams(limits: limits, copyStartingAt: $0) }
        if keepsAll { streams?.stopRequesting() }
    }

    /// Keeps a fact of the log until the state is complete.
    ///
    /// - Returns: false when too many bytes wait.
    mutating func hold(_ fact: ByteBuffer) -> Bool {
        bytes += fact.readableBytes
        guard bytes <= Self.waitingBytes else { return false }
        facts.append(fact)
        return true
    }

    /// Adds one piece.
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
                // Polls request the messages that they lack.
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
