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
    /// The names of the channel groups to subscribe to.
    public var channelGroups: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        { PNSubscribeChannelsOrGroupsAPIBuilder(self.client, self.draft).channelGroups($0) }
    }
    /// The channels whose presence events the client receives. The user does not become present on these channels.
    public var presenceChannels: ([String]) -> PNSubscribeAPIBuilder { argument { $0.draft.presenceChannels = $1 } }
    /// Has no effect, because subscribe requests take no additional parameters. Exists for source compatibility with the Cocoa SDK.
    public var queryParam: ([AnyHashable: Any]) -> PNSubscribeAPIBuilder { argument { $0.query = $1 } }

    /// Subscribes to the channels, groups and presence channels that were passed to this builder. Listeners get the outcome as a status.
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
    /// The names of the channel groups to subscribe to.
    public var channelGroups: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.groups = $1 } }
    /// The channels whose presence events the client receives. The user does not become present on these channels.
    public var presenceChannels: ([String]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        argument { $0.draft.presenceChannels = $1 }
    }
    /// Whether to subscribe to the presence events of the given channels and groups as well; false by default.
    public var withPresence: (Bool) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.withPresence = $1 } }
    /// The timetoken from which to receive messages; by default the subscription's present position.
    public var withTimetoken: (NSNumber) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.draft.timetoken = $1 } }
    /// The user's presence state: for each channel or group, by its name, a dictionary with the state.
    public var state: ([AnyHashable: Any]) -> PNSubscribeChannelsOrGroupsAPIBuilder {
        argument { builder, state in
            for (name, value) in state { builder.draft.state[String(describing: name.base)] = value }
        }
    }
    /// Has no effect, because subscribe requests take no additional parameters. Exists for source compatibility with the Cocoa SDK.
    public var queryParam: ([AnyHashable: Any]) -> PNSubscribeChannelsOrGroupsAPIBuilder { argument { $0.query = $1 } }

    /// Subscribes to the channels, groups and presence channels that were passed to this builder. Listeners get the outcome as a status.
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
    /// The names of the channel groups to unsubscribe from.
    public var channelGroups: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder {
        { PNUnsubscribeChannelsOrGroupsAPICallBuilder(self.client, self.draft).channelGroups($0) }
    }
    /// The channels whose presence events the client stops receiving.
    public var presenceChannels: ([String]) -> PNUnsubscribeAPICallBuilder { argument { $0.draft.presenceChannels = $1 } }
    /// Has no effect, because leave requests take no additional parameters. Exists for source compatibility with the Cocoa SDK.
    public var queryParam: ([AnyHashable: Any]) -> PNUnsubscribeAPICallBuilder { argument { $0.query = $1 } }

    /// Unsubscribes from the channels, groups and presence channels that were passed to this builder. Listeners get the outcome as a
    /// status. If none was passed, nothing happens.
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
    /// The names of the channel groups to unsubscribe from.
    public var channelGroups: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.draft.groups = $1 } }
    /// The channels whose presence events the client stops receiving.
    public var presenceChannels: ([String]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder {
        argument { $0.draft.presenceChannels = $1 }
    }
    /// Whether to unsubscribe from the presence events of the given channels and groups as well; false by default.
    public var withPresence: (Bool) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.draft.withPresence = $1 } }
    /// Has no effect, because leave requests take no additional parameters. Exists for source compatibility with the Cocoa SDK.
    public var queryParam: ([AnyHashable: Any]) -> PNUnsubscribeChannelsOrGroupsAPICallBuilder { argument { $0.query = $1 } }

    /// Unsubscribes from the channels, groups and presence channels that were passed to this builder. Listeners get the outcome as a
    /// status.
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
