import Foundation

/// Makes the builders of presence requests: for the users on channels, or for the channels of a user.
public final class PNPresenceAPICallBuilder: PNAPICallBuilder {
    /// Builds a request for the users who are present on channels or on channels of groups. Without channels and groups, the answer covers
    /// all channels.
    public var hereNow: () -> PNPresenceHereNowAPICallBuilder { { PNPresenceHereNowAPICallBuilder(self.client) } }
    /// A new builder of a request for the channels on which a user is present.
    public var whereNow: () -> PNPresenceWhereNowAPICallBuilder { { PNPresenceWhereNowAPICallBuilder(self.client) } }
}

/// Builds a request for the users on all channels. Naming channels or groups limits the request to the named channels and groups.
public final class PNPresenceHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var level = PNHereNowVerbosityLevel.state

    /// Limits the request to the users on one channel.
    public var channel: (String) -> PNPresenceChannelHereNowAPICallBuilder { { self.channels([$0]) } }
    /// Limits the request to the users on several channels.
    public var channels: ([String]) -> PNPresenceChannelHereNowAPICallBuilder {
        { PNPresenceChannelHereNowAPICallBuilder(self.client, names: $0, level: self.level, query: self.query) }
    }
    /// Limits the request to the users on the channels of one group.
    public var channelGroup: (String) -> PNPresenceChannelGroupHereNowAPICallBuilder { { self.channelGroups([$0]) } }
    /// Limits the request to the users on the channels of several groups.
    public var channelGroups: ([String]) -> PNPresenceChannelGroupHereNowAPICallBuilder {
        { PNPresenceChannelGroupHereNowAPICallBuilder(self.client, names: $0, level: self.level, query: self.query) }
    }
    /// The details that the answer includes about each user. By default ids and states.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceHereNowAPICallBuilder { argument { $0.level = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNGlobalHereNowCompletionBlock) -> Void {
        { self.client.hereNowAnywhere(self.level, query: self.query, $0) }
    }
}

/// Builds a request for the users on given channels.
public final class PNPresenceChannelHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String]
    private var level: PNHereNowVerbosityLevel

    init(_ client: PubNub, names: [String], level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?) {
        self.names = names
        self.level = level
        super.init(client)
        self.query = query
    }

    /// The details that the answer includes about each user. By default ids and states.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceChannelHereNowAPICallBuilder { argument { $0.level = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceChannelHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNHereNowCompletionBlock) -> Void {
        { self.client.hereNow(channels: self.names, self.level, query: self.query, $0) }
    }
}

/// Builds a request for the users on the channels of given groups.
public final class PNPresenceChannelGroupHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String]
    private var level: PNHereNowVerbosityLevel

    init(_ client: PubNub, names: [String], level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?) {
        self.names = names
        self.level = level
        super.init(client)
        self.query = query
    }

    /// The details that the answer includes about each user. By default ids and states.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceChannelGroupHereNowAPICallBuilder {
        argument { $0.level = $1 }
    }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceChannelGroupHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNChannelGroupHereNowCompletionBlock) -> Void {
        { self.client.hereNow(groups: self.names, self.level, query: self.query, $0) }
    }
}

/// Builds a request for the channels on which a user is present.
public final class PNPresenceWhereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?

    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNPresenceWhereNowAPICallBuilder { argument { $0.user = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceWhereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNWhereNowCompletionBlock) -> Void {
        { self.client.whereNow(self.user ?? self.client.uuid(), query: self.query, $0) }
    }
}

extension PubNub {
    /// Makes the builders of presence requests: for the users on channels, or for the channels of a user.
    public var presence: () -> PNPresenceAPICallBuilder { { PNPresenceAPICallBuilder(self) } }
}
