import Foundation

/// The base class of requests that add an action to a message or remove one.
open class PNBaseMessageActionRequest: PNRequest {
    let channel: String
    let messageTimetoken: NSNumber

    init(baseChannel channel: String, messageTimetoken: NSNumber) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        super.init()
    }
}

/// A request that adds an action, such as a reaction, to a message.
public final class PNAddMessageActionRequest: PNBaseMessageActionRequest {
    /// The type of the action, such as `reaction`; up to 15 characters.
    public var type = ""
    /// The action's value.
    public var value = ""

    /// A request that adds an action to the message with this channel and timetoken. Set the action's type and value as properties.
    public init(channel: String, messageTimetoken: NSNumber) {
        super.init(baseChannel: channel, messageTimetoken: messageTimetoken)
    }
}

/// A request that removes an action from a message.
public final class PNRemoveMessageActionRequest: PNBaseMessageActionRequest {
    /// The timetoken of the action: when the service added it.
    public var actionTimetoken: NSNumber = 0

    /// A request that removes an action from the message with this channel and timetoken. Set the action's timetoken as a property.
    public init(channel: String, messageTimetoken: NSNumber) {
        super.init(baseChannel: channel, messageTimetoken: messageTimetoken)
    }
}

/// A request for the actions of a channel's messages.
public final class PNFetchMessageActionsRequest: PNRequest {
    /// Only actions older than this timetoken are returned (exclusive); nil for the newest ones.
    public var start: NSNumber?
    /// Only actions at or after this timetoken are returned (inclusive); nil for actions of any age.
    public var end: NSNumber?
    /// The maximum number of actions in the answer, up to 100; 0, the default, for the service's setting.
    public var limit: UInt = 0
    let channel: String

    /// A request for the newest actions of the messages of `channel`.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}
