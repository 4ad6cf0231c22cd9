import Identifiers
import RealtimeHub

/// A keyset's state that comes in pieces.
struct IncomingState: Sendable {
    /// The streams that take the place of those that are there; nil where those go on.
    private var streams: MessageStreams<PubNubElement>?
    private var groups: [PubNubFact.GroupContent] = []
    private var access: [AccessEntry] = []

    /// - Parameter since: where a whole state begins; nil for one that goes on.
    init(_ since: UInt64?, _ limits: StreamLimits) {
        streams = since.map { MessageStreams(limits: limits, startingAt: $0, forgotten: $0) }
    }

    /// Takes one piece.
    ///
    /// - Returns: whether it was the last; the keyset has the state then.
    mutating func take(_ fact: PubNubFact, for application: PubNubApplication) -> Bool {
        switch fact {
        case .stateMessages(let messages):
            guard streams != nil else {
                application.follow(messages, [])
                return false
            }
            for message in messages { _ = streams?.append(message, application.element(of: message)) }
        case .stateGroups(let groups): self.groups += groups
        case .stateAccess(let entries): access += entries
        case .stateEnds(let visible, let dropped):
            end(at: visible, dropped, for: application)
            return true
        case .decided, .access, .stateBegins: break
        }
        return false
    }

    private mutating func end(at visible: UInt64, _ dropped: [PubNubFact.DroppedMessages], for application: PubNubApplication) {
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
