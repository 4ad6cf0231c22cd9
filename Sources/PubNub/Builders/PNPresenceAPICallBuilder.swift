import Foundation

/// Requests presence: the users on channels, or the channels of a user.
public final class PNPresenceAPICallBuilder: PNAPICallBuilder {
    /// Lists the users who are present on channels or in groups, or on all channels when neither is given.
    public var hereNow: () -> PNPresenceHereNowAPICallBuilder { { PNPresenceHereNowAPICallBuilder(self.client) } }
    /// Requests the channels on which a user is present.
    public var whereNow: () -> PNPresenceWhereNowAPICallBuilder { { PNPresenceWhereNowAPICallBuilder(self.client) } }
}

/// Requests the users on all channels, unless channels or groups follow.
public final class PNPresenceHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var level = PNHereNowVerbosityLevel.state

    /// The users on a channel.
    public var channel: (String) -> PNPresenceChannelHereNowAPICallBuilder { { self.channels([$0]) } }
    /// The users on several channels.
    public var channels: ([String]) -> PNPresenceChannelHereNowAPICallBuilder {
        { PNPresenceChannelHereNowAPICallBuilder(self.client, names: $0, level: self.level, query: self.query) }
    }
    /// The users on a group's channels.
    public var channelGroup: (String) -> PNPresenceChannelGroupHereNowAPICallBuilder { { self.channelGroups([$0]) } }
    /// The users on several groups' channels.
    public var channelGroups: ([String]) -> PNPresenceChannelGroupHereNowAPICallBuilder {
        { PNPresenceChannelGroupHereNowAPICallBuilder(self.client, names: $0, level: self.level, query: self.query) }
    }
    /// The details of the answer; with state by default.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceHereNowAPICallBuilder { argument { $0.level = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNGlobalHereNowCompletionBlock) -> Void {
        { self.client.hereNowAnywhere(self.level, query: self.query, $0) }
    }
}

/// Requests the users on channels.
public final class PNPresenceChannelHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String]
    private var level: PNHereNowVerbosityLevel

    init(_ client: PubNub, names: [String], level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?) {
        self.names = names
        self.level = level
        super.init(client)
        self.query = query
    }

    /// The details of the answer; with state by default.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceChannelHereNowAPICallBuilder { argument { $0.level = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceChannelHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNHereNowCompletionBlock) -> Void {
        { self.client.hereNow(channels: self.names, self.level, query: self.query, $0) }
    }
}

/// Requests the users on the channels of groups.
public final class PNPresenceChannelGroupHereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String]
    private var level: PNHereNowVerbosityLevel

    init(_ client: PubNub, names: [String], level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?) {
        self.names = names
        self.level = level
        super.init(client)
        self.query = query
    }

    /// The details of the answer; with state by default.
    public var verbosity: (PNHereNowVerbosityLevel) -> PNPresenceChannelGroupHereNowAPICallBuilder {
        argument { $0.level = $1 }
    }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceChannelGroupHereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNChannelGroupHereNowCompletionBlock) -> Void {
        { self.client.hereNow(groups: self.names, self.level, query: self.query, $0) }
    }
}

/// Requests the channels on which a user is present.
public final class PNPresenceWhereNowAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var user: String?

    /// The user's id; the client's own by default.
    public var uuid: (String) -> PNPresenceWhereNowAPICallBuilder { argument { $0.user = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPresenceWhereNowAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNWhereNowCompletionBlock) -> Void {
        { self.client.whereNow(self.user ?? self.client.uuid(), query: self.query, $0) }
    }
}

extension PubNub {
    /// Requests presence: the users on channels, or the channels of a user.
    public var presence: () -> PNPresenceAPICallBuilder { { PNPresenceAPICallBuilder(self) } }
}
