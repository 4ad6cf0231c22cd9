import Foundation

/// The base of requests about one message's actions.
open class PNBaseMessageActionRequest: PNRequest {
    let channel: String
    let messageTimetoken: NSNumber

    init(baseChannel channel: String, messageTimetoken: NSNumber) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        super.init()
    }
}

/// Describes an action to add to a message.
public final class PNAddMessageActionRequest: PNBaseMessageActionRequest {
    /// The type of the action, such as `reaction`; up to 15 characters.
    public var type = ""
    /// The action's value.
    public var value = ""

    /// Adds an action to a message of a channel.
    public init(channel: String, messageTimetoken: NSNumber) {
        super.init(baseChannel: channel, messageTimetoken: messageTimetoken)
    }
}

/// Describes an action to remove from a message.
public final class PNRemoveMessageActionRequest: PNBaseMessageActionRequest {
    /// When the action was added.
    public var actionTimetoken: NSNumber = 0

    /// Removes an action from a message of a channel.
    public init(channel: String, messageTimetoken: NSNumber) {
        super.init(baseChannel: channel, messageTimetoken: messageTimetoken)
    }
}

/// Describes which actions of a channel to fetch.
public final class PNFetchMessageActionsRequest: PNRequest {
    /// Returns actions after this timetoken, exclusive.
    public var start: NSNumber?
    /// Returns actions up to this timetoken, inclusive.
    public var end: NSNumber?
    /// How many actions are returned at most, up to 100; 0, the default, for the service's setting.
    public var limit: UInt = 0
    let channel: String

    /// Fetches the actions of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}
