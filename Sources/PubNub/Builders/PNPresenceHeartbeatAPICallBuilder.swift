import EngineRuntime
import Foundation
import PubNubProtocol

/// Declares the user present on channels, or absent, without subscribing to them. Heartbeats cover these channels until they are
/// declared absent. For clients with ``PNConfiguration/managePresenceListManually``.
public final class PNPresenceHeartbeatAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let isConnected: Bool
    private var list = PubNubList()
    private var content: [String: [AnyHashable: Any]] = [:]

    init(_ client: PubNub, isConnected: Bool) {
        self.isConnected = isConnected
        super.init(client)
    }

    /// The channels' names.
    public var channels: ([String]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.list.channels = $1 } }
    /// The names of the groups whose channels are meant.
    public var channelGroups: ([String]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.list.groups = $1 } }
    /// The user's state by channel or group.
    public var state: ([String: [AnyHashable: Any]]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.content = $1 } }
    /// Kept for source compatibility, without effect: heartbeats have the parameters of the subscription.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.query = $1 } }

    /// Takes effect at once. The block is called on the callback queue when the client has accepted it; listeners get the outcomes of
    /// heartbeats according to ``PNConfiguration/heartbeatNotificationOptions``.
    public var performWithCompletion: (PNStatusBlock?) -> Void {
        { self.client.setPresent(self.isConnected, self.list, state: self.content, $0) }
    }
}

extension PNPresenceAPICallBuilder {
    /// Declares the user present on channels, or absent. For clients with ``PNConfiguration/managePresenceListManually``.
    public var connected: (Bool) -> PNPresenceHeartbeatAPICallBuilder {
        { PNPresenceHeartbeatAPICallBuilder(self.client, isConnected: $0) }
    }
}

extension PubNub {
    func setPresent(
        _ isPresent: Bool, _ list: PubNubList, state: [String: [AnyHashable: Any]], _ block: PNStatusBlock?
    ) {
        let facts = ResultFacts(
            operation: isPresent ? .heartbeatOperation : .unsubscribeOperation, context: resultContext)
        func finish(_ status: StatusFacts) {
            guard let block else { return }
            let sink = CallerBlock(block)
            line.run { sink(PNStatus(status: status)) }
        }
        func refuse(_ problem: PubNubProblem) {
            finish(StatusFacts(problem, facts: facts))
        }
        guard configuration.managePresenceListManually else {
            return refuse(
                .badArguments(
                    "Presence follows the subscription. Set managePresenceListManually in the configuration to manage it by hand."
                ))
        }
        guard !list.isEmpty else { return refuse(.badArguments("There is neither a channel nor a group. Pass at least one.")) }
        var texts: [String: String] = [:]
        do throws(PubNubProblem) {
            for (name, value) in state { texts[name] = try JSONArguments.object(value, "state").text }
        } catch {
            return refuse(error)
        }
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { engine.perform(.setState(text, of: name)) }
        engine.perform(.setPresent(isPresent, list))
        if isPresent { engine.connect() }
        finish(StatusFacts(result: facts, category: .PNAcknowledgmentCategory))
    }
}
