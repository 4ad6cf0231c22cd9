import Foundation

/// Makes the builders of requests that change or read channel groups.
public final class PNStreamAPICallBuilder: PNAPICallBuilder {
    /// Adds channels to a channel group.
    public var add: () -> PNStreamModificationAPICallBuilder { { PNStreamModificationAPICallBuilder(self.client, .add) } }
    /// Removes channels from a channel group; without channels, removes the whole group.
    public var remove: () -> PNStreamModificationAPICallBuilder {
        { PNStreamModificationAPICallBuilder(self.client, .remove) }
    }
    /// Requests the names of the channels in a group.
    public var audit: () -> PNStreamAuditAPICallBuilder { { PNStreamAuditAPICallBuilder(self.client) } }
}

/// Builds a request that adds channels to a channel group, or removes channels from a channel group.
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

    /// The name of the channel group.
    public var channelGroup: (String) -> PNStreamModificationAPICallBuilder { argument { $0.group = $1 } }
    /// The names of the channels to add or remove, at most 200.
    public var channels: ([String]) -> PNStreamModificationAPICallBuilder { argument { $0.names = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNStreamModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
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

/// Builds a request for the names of the channels in a group.
public final class PNStreamAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var group = ""

    /// The name of the channel group.
    public var channelGroup: (String) -> PNStreamAuditAPICallBuilder { argument { $0.group = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNStreamAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNGroupChannelsAuditCompletionBlock) -> Void {
        { self.client.channels(ofGroup: self.group, query: self.query, $0) }
    }
}

extension PubNub {
    /// Makes the builders of requests that change or read channel groups.
    public var stream: () -> PNStreamAPICallBuilder { { PNStreamAPICallBuilder(self) } }
}
