import Foundation

/// Changes or reads channel groups.
public final class PNStreamAPICallBuilder: PNAPICallBuilder {
    /// Adds channels to a group.
    public var add: () -> PNStreamModificationAPICallBuilder { { PNStreamModificationAPICallBuilder(self.client, .add) } }
    /// Removes channels from a group, or the group when no channels are given.
    public var remove: () -> PNStreamModificationAPICallBuilder {
        { PNStreamModificationAPICallBuilder(self.client, .remove) }
    }
    /// Reads a group's channels.
    public var audit: () -> PNStreamAuditAPICallBuilder { { PNStreamAuditAPICallBuilder(self.client) } }
}

/// Changes a channel group.
public final class PNStreamModificationAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    enum Change {
        case add, remove
    }

    private let change: Change
    private var group = ""
    private var names: [String] = []

    init(_ client: PubNub, _ change: Change) {
        self.change = change
        super.init(client)
    }

    /// The name of the group.
    public var channelGroup: (String) -> PNStreamModificationAPICallBuilder { argument { $0.group = $1 } }
    /// The channels' names, at most 200.
    public var channels: ([String]) -> PNStreamModificationAPICallBuilder { argument { $0.names = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNStreamModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNChannelGroupChangeCompletionBlock?) -> Void {
        { block in
            switch self.change {
            case .add: self.client.change(self.group, .add, channels: self.names, query: self.query, block)
            case .remove where self.names.isEmpty: self.client.removeGroup(self.group, query: self.query, block)
            case .remove: self.client.change(self.group, .remove, channels: self.names, query: self.query, block)
            }
        }
    }
}

/// Reads a group's channels.
public final class PNStreamAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var group = ""

    /// The name of the group.
    public var channelGroup: (String) -> PNStreamAuditAPICallBuilder { argument { $0.group = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNStreamAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNGroupChannelsAuditCompletionBlock) -> Void {
        { self.client.channels(ofGroup: self.group, query: self.query, $0) }
    }
}

extension PubNub {
    /// Changes or reads channel groups.
    public var stream: () -> PNStreamAPICallBuilder { { PNStreamAPICallBuilder(self) } }
}
