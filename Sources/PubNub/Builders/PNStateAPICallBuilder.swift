import Foundation

/// Sets or reads the state of users on channels.
public final class PNStateAPICallBuilder: PNAPICallBuilder {
    /// Sets state.
    public var set: () -> PNStateModificationAPICallBuilder { { PNStateModificationAPICallBuilder(self.client) } }
    /// Reads state.
    public var audit: () -> PNStateAuditAPICallBuilder { { PNStateAuditAPICallBuilder(self.client) } }
}

/// Sets a user's state.
public final class PNStateModificationAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?
    private var names: [String] = []
    private var groups: [String] = []
    private var content: [AnyHashable: Any]?

    /// The user id; the client's user by default.
    public var uuid: (String) -> PNStateModificationAPICallBuilder { argument { $0.user = $1 } }
    /// The state; nil for none.
    public var state: ([AnyHashable: Any]?) -> PNStateModificationAPICallBuilder { argument { $0.content = $1 } }
    /// The channel that the state belongs to.
    @available(*, deprecated, message: "Use channels.")
    public var channel: (String) -> PNStateModificationAPICallBuilder { argument { $0.names = [$1] } }
    /// The channels that the state belongs to.
    public var channels: ([String]) -> PNStateModificationAPICallBuilder { argument { $0.names = $1 } }
    /// The group to whose channels the state belongs.
    @available(*, deprecated, message: "Use channelGroups.")
    public var channelGroup: (String) -> PNStateModificationAPICallBuilder { argument { $0.groups = [$1] } }
    /// The groups to whose channels the state belongs.
    public var channelGroups: ([String]) -> PNStateModificationAPICallBuilder { argument { $0.groups = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNStateModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNSetStateCompletionBlock?) -> Void {
        { block in
            let draft = StateDraft(channels: self.names, groups: self.groups, uuid: self.user ?? self.client.uuid())
            self.client.setState(draft, self.content, query: self.query, block)
        }
    }
}

/// Reads a user's state.
public final class PNStateAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?
    private var names: [String] = []
    private var groups: [String] = []

    /// The user id; the client's user by default.
    public var uuid: (String) -> PNStateAuditAPICallBuilder { argument { $0.user = $1 } }
    /// The channel that the state belongs to.
    @available(*, deprecated, message: "Use channels.")
    public var channel: (String) -> PNStateAuditAPICallBuilder { argument { $0.names = [$1] } }
    /// The channels that the state belongs to.
    public var channels: ([String]) -> PNStateAuditAPICallBuilder { argument { $0.names = $1 } }
    /// The group to whose channels the state belongs.
    @available(*, deprecated, message: "Use channelGroups.")
    public var channelGroup: (String) -> PNStateAuditAPICallBuilder { argument { $0.groups = [$1] } }
    /// The groups to whose channels the state belongs.
    public var channelGroups: ([String]) -> PNStateAuditAPICallBuilder { argument { $0.groups = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNStateAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNGetStateCompletionBlock) -> Void {
        { block in
            let draft = StateDraft(channels: self.names, groups: self.groups, uuid: self.user ?? self.client.uuid())
            self.client.state(draft, query: self.query, block)
        }
    }
}

extension PubNub {
    /// Sets or reads the state of users.
    public var state: () -> PNStateAPICallBuilder { { PNStateAPICallBuilder(self) } }
}
