import Foundation

/// Makes the builders of requests that set or read users' presence states on channels.
public final class PNStateAPICallBuilder: PNAPICallBuilder {
    /// Sets state.
    public var set: () -> PNStateModificationAPICallBuilder { { PNStateModificationAPICallBuilder(self.client) } }
    /// Reads state.
    public var audit: () -> PNStateAuditAPICallBuilder { { PNStateAuditAPICallBuilder(self.client) } }
}

/// Builds a request that sets a user's presence state on channels.
public final class PNStateModificationAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?
    private var names: [String] = []
    private var groups: [String] = []
    private var content: [AnyHashable: Any]?

    /// The id of the user; by default the client's own user id.
    public var uuid: (String) -> PNStateModificationAPICallBuilder { argument { $0.user = $1 } }
    /// The state, a dictionary of JSON values; nil for an empty state.
    public var state: ([AnyHashable: Any]?) -> PNStateModificationAPICallBuilder { argument { $0.content = $1 } }
    /// The name of the channel on which the user's state is set.
    @available(*, deprecated, message: "Use channels.")
    public var channel: (String) -> PNStateModificationAPICallBuilder { argument { $0.names = [$1] } }
    /// The names of the channels on which the user's state is set.
    public var channels: ([String]) -> PNStateModificationAPICallBuilder { argument { $0.names = $1 } }
    /// The name of the channel group; the user's state is set on all channels of this group.
    @available(*, deprecated, message: "Use channelGroups.")
    public var channelGroup: (String) -> PNStateModificationAPICallBuilder { argument { $0.groups = [$1] } }
    /// The names of the channel groups; the user's state is set on all channels of these groups.
    public var channelGroups: ([String]) -> PNStateModificationAPICallBuilder { argument { $0.groups = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNStateModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNSetStateCompletionBlock?) -> Void {
        { block in
            let draft = StateDraft(channels: self.names, groups: self.groups, uuid: self.user ?? self.client.uuid())
            self.client.setState(draft, self.content, query: self.query, block)
        }
    }
}

/// Builds a request for a user's presence state on channels.
public final class PNStateAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?
    private var names: [String] = []
    private var groups: [String] = []

    /// The id of the user; by default the client's own user id.
    public var uuid: (String) -> PNStateAuditAPICallBuilder { argument { $0.user = $1 } }
    /// The name of the channel on which the user's state is read.
    @available(*, deprecated, message: "Use channels.")
    public var channel: (String) -> PNStateAuditAPICallBuilder { argument { $0.names = [$1] } }
    /// The names of the channels on which the user's state is read.
    public var channels: ([String]) -> PNStateAuditAPICallBuilder { argument { $0.names = $1 } }
    /// The name of the channel group; the user's state is read on all channels of this group.
    @available(*, deprecated, message: "Use channelGroups.")
    public var channelGroup: (String) -> PNStateAuditAPICallBuilder { argument { $0.groups = [$1] } }
    /// The names of the channel groups; the user's state is read on all channels of these groups.
    public var channelGroups: ([String]) -> PNStateAuditAPICallBuilder { argument { $0.groups = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNStateAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNGetStateCompletionBlock) -> Void {
        { block in
            let draft = StateDraft(channels: self.names, groups: self.groups, uuid: self.user ?? self.client.uuid())
            self.client.state(draft, query: self.query, block)
        }
    }
}

extension PubNub {
    /// Makes the builders of requests that set or read users' presence states on channels.
    public var state: () -> PNStateAPICallBuilder { { PNStateAPICallBuilder(self) } }
}
