import EngineRuntime
import Foundation
import PubNubProtocol

/// Declares the user present or absent on channels without subscribing to the channels. Heartbeats cover these channels until the user is
/// declared absent on them. Requires ``PNConfiguration/managePresenceListManually``.
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
    /// The names of channel groups: the user is declared present or absent on all channels of these groups.
    public var channelGroups: ([String]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.list.groups = $1 } }
    /// The user's presence state: for each channel or group, by its name, a dictionary with the state.
    public var state: ([String: [AnyHashable: Any]]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.content = $1 } }
    /// Has no effect, because heartbeats have the query parameters of the subscription. Exists for source compatibility with the Cocoa SDK.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceHeartbeatAPICallBuilder { argument { $0.query = $1 } }

    /// Applies the change at once. The block is called on the callback queue when the client has accepted the change.
    /// ``PNConfiguration/heartbeatNotificationOptions`` selects the later heartbeats whose outcomes listeners get.
    public var performWithCompletion: (PNStatusBlock?) -> Void {
        { self.client.setPresent(self.isConnected, self.list, state: self.content, $0) }
    }
}

extension PNPresenceAPICallBuilder {
    /// Makes a builder that declares the user present (true) or absent (false) on channels. Requires
    /// ``PNConfiguration/managePresenceListManually``.
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
                    "Presence was not changed, because it follows the subscription. To declare it, set managePresenceListManually in the configuration."
                ))
        }
        guard !list.isEmpty else {
            return refuse(.badArguments("The presence change names no channel and no group. Pass at least one."))
        }
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
