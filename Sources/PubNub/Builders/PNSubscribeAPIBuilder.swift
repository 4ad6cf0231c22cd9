import Foundation
import PubNubProtocol

/// The arguments that a subscription builder has collected.
private final class SubscriptionDraft {
    var channels: [String] = []
    var groups: [String] = []
    var presenceChannels: [String] = []
    var withPresence = false
    var timetoken: NSNumber?
    var state: [String: Any] = [:]

    var list: PubNubList {
        PubNubList(
            channels: channels.named(withPresence: withPresence)
                + presenceChannels.filter { !$0.isEmpty }.map(\.withPresenceSuffix),
            groups: groups.named(withPresence: withPresence))
    }
}

/// Subscribes to channels, groups and presence channels at once.
public final class PNSubscribeAPIBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let draft = SubscriptionDraft()

    /// The channels' names.
    public var channels: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        { PNSubscribeChannelsOrGroupsAPIBuilder(self.client, self.draft).channels($0) }
    }
    /// The channel groups' names.
    public var channelGroups: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        { PNSubscribeChannelsOrGroupsAPIBuilder(self.client, self.draft).channelGroups($0) }
    }
    /// The channels whose presence events are received, without being present there.
    public var presenceChannels: ([String]) -> PNSubscribeAPIBuilder { argument { $0.draft.presenceChannels = $1 } }
    /// Kept for source compatibility, without effect: polls have their own parameters.
    public var queryParam: ([AnyHashable: Any]) -> PNSubscribeAPIBuilder { argument { $0.query = $1 } }

    /// Subscribes. Listeners get the result.
    public var perform: () -> Void {
        { self.client.subscribe(self.draft.list, timetoken: nil, state: [:]) }
    }
}

/// Subscribes to channels and groups at once.
public final class PNSubscribeChannelsOrGroupsAPIBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let draft: SubscriptionDraft

    fileprivate init(_ client: PubNub, _ draft: SubscriptionDraft) {
        self.draft = draft
        super.init(client)
    }

    /// The channels' names.
    public var channels: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.channels = $1 } }
    /// The channel groups' names.
    public var channelGroups: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.groups = $1 } }
    /// The channels whose presence events are received, without being present there.
    public var presenceChannels: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        argument { $0.draft.presenceChannels = $1 }
    }
    /// Whether presence events are received, too; false by default.
    public var withPresence: (Bool) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.withPresence = $1 } }
    /// The timetoken from which to receive, instead of the subscription's position.
    public var withTimetoken: (NSNumber) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.timetoken = $1 } }
    /// The user's state by channel or group.
    public var state: ([AnyHashable: Any]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        argument { builder, state in
            for (name, value) in state { builder.draft.state[String(describing: name.base)] = value }
        }
    }
    /// Kept for source compatibility, without effect: polls have their own parameters.
    public var queryParam: ([AnyHashable: Any]) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.query = $1 } }

    /// Subscribes. Listeners get the result.
    public var perform: () -> Void {
        {
            self.client.subscribe(
                self.draft.list, timetoken: Timetoken(self.draft.timetoken), state: self.client.stateTexts(self.draft.state))
        }
    }
}

/// Unsubscribes from channels, groups and presence channels at once.
public final class PNUnsubscribeAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let draft = SubscriptionDraft()

    /// The channels' names.
    public var channels: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder {
        { PNUnsubscribeChannelsOrGroupsAPICallBuilder(self.client, self.draft).channels($0) }
    }
    /// The channel groups' names.
    public var channelGroups: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder {
        { PNUnsubscribeChannelsOrGroupsAPICallBuilder(self.client, self.draft).channelGroups($0) }
    }
    /// The channels whose presence events are no longer received.
    public var presenceChannels: ([String]) -> PNUnsubscribeAPICallBuilder { argument { $0.draft.presenceChannels = $1 } }
    /// Kept for source compatibility, without effect: polls have their own parameters.
    public var queryParam: ([AnyHashable: Any]) -> PNUnsubscribeAPICallBuilder { argument { $0.query = $1 } }

    /// Unsubscribes. Listeners get the result. Does nothing without a name.
    public var perform: () -> Void {
        {
            guard !self.draft.list.isEmpty else { return }
            self.client.unsubscribe(self.draft.list)
        }
    }
}

/// Unsubscribes from channels and groups at once.
public final class PNUnsubscribeChannelsOrGroupsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private let draft: SubscriptionDraft

    fileprivate init(_ client: PubNub, _ draft: SubscriptionDraft) {
        self.draft = draft
        super.init(client)
    }

    /// The channels' names.
    public var channels: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.draft.channels = $1 } }
    /// The channel groups' names.
    public var channelGroups: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.draft.groups = $1 } }
    /// The channels whose presence events are no longer received.
    public var presenceChannels: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder {
        argument { $0.draft.presenceChannels = $1 }
    }
    /// Whether presence events are no longer received, either; false by default.
    public var withPresence: (Bool) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.draft.withPresence = $1 } }
    /// Kept for source compatibility, without effect: polls have their own parameters.
    public var queryParam: ([AnyHashable: Any]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.query = $1 } }

    /// Unsubscribes. Listeners get the result.
    public var perform: () -> Void {
        {
            guard !self.draft.list.isEmpty else { return }
            self.client.unsubscribe(self.draft.list)
        }
    }
}

extension PubNub {
    /// Subscribes to channels, groups and presence channels at once.
    public var subscribe: () -> PNSubscribeAPIBuilder { { PNSubscribeAPIBuilder(self) } }
    /// Unsubscribes from channels, groups and presence channels at once.
    public var unsubscribe: () -> PNUnsubscribeAPICallBuilder { { PNUnsubscribeAPICallBuilder(self) } }
}
