import Foundation

/// Publishes a message to subscribers, or to the service's functions only.
public final class PNPublishAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: PublishDraft

    init(_ client: PubNub, isFire: Bool = false) {
        draft = PublishDraft(isStored: !isFire, isReplicated: !isFire)
        super.init(client)
    }

    /// The channel to publish to.
    public var channel: (String) -> PNPublishAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The message: a dictionary, an array, a string, a number or a boolean.
    public var message: (Any) -> PNPublishAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata that subscribers' filters can use. Never encrypted.
    public var metadata: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the message is kept in the history; true by default.
    public var shouldStore: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the message is kept.
    public var ttl: (UInt) -> PNPublishAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether to compress the message; false by default.
    public var compress: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isCompressed = $1 } }
    /// Whether other data centres get the message; true by default.
    public var replicate: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Payloads for push notifications by vendor.
    public var payloads: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.payloads = $1 } }
    /// The type that receivers see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public var customMessageType: (String) -> PNPublishAPICallBuilder { argument { $0.draft.customType = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNPublishCompletionBlock?) -> Void {
        { self.client.publish(self.draft, $0) }
    }
}

/// Sends a signal.
public final class PNSignalAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var channelName = ""
    private var content: Any?
    private var customType: String?

    /// The channel to publish to.
    public var channel: (String) -> PNSignalAPICallBuilder { argument { $0.channelName = $1 } }
    /// The message, at most 64 bytes of JSON.
    public var message: (Any) -> PNSignalAPICallBuilder { argument { $0.content = $1 } }
    /// The type that receivers see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public var customMessageType: (String) -> PNSignalAPICallBuilder { argument { $0.customType = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNSignalAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNSignalCompletionBlock?) -> Void {
        { self.client.signal(self.content, self.channelName, customType: self.customType, query: self.query, $0) }
    }
}

/// Calculates the size of the request that would publish a message.
public final class PNPublishSizeAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PublishDraft()

    /// The channel to publish to.
    public var channel: (String) -> PNPublishSizeAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The message: a dictionary, an array, a string, a number or a boolean.
    public var message: (Any) -> PNPublishSizeAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata that subscribers' filters can use.
    public var metadata: ([AnyHashable: Any]) -> PNPublishSizeAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the message would be kept in the history.
    public var shouldStore: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the message would be kept.
    public var ttl: (UInt) -> PNPublishSizeAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether the message would be compressed.
    public var compress: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isCompressed = $1 } }
    /// Whether other data centres would get the message.
    public var replicate: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishSizeAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Passes the size in bytes to the block, on the callback queue; -1 when the message cannot be sent.
    public var performWithCompletion: (@escaping PNMessageSizeCalculationCompletionBlock) -> Void {
        { self.client.size(self.draft, $0) }
    }
}

/// Requests the service's time.
public final class PNTimeAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNTimeAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNTimeCompletionBlock) -> Void {
        { self.client.time(query: self.query, $0) }
    }
}

extension PubNub {
    /// Publishes a message.
    public var publish: () -> PNPublishAPICallBuilder { { PNPublishAPICallBuilder(self) } }
    /// Publishes a message to the service's functions only; neither subscribers nor the history get it.
    public var fire: () -> PNPublishAPICallBuilder { { PNPublishAPICallBuilder(self, isFire: true) } }
    /// Sends a signal.
    public var signal: () -> PNSignalAPICallBuilder { { PNSignalAPICallBuilder(self) } }
    /// Calculates the size of the request that would publish a message.
    public var size: () -> PNPublishSizeAPICallBuilder { { PNPublishSizeAPICallBuilder(self) } }
    /// Requests the service's time.
    public var time: () -> PNTimeAPICallBuilder { { PNTimeAPICallBuilder(self) } }
}
