import Foundation

/// Builds a request that publishes a message to subscribers, or to the service's functions only.
public final class PNPublishAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: PublishDraft

    init(_ client: PubNub, isFire: Bool = false) {
        draft = PublishDraft(isStored: !isFire, isReplicated: !isFire)
        super.init(client)
    }

    /// The name of the channel to publish to.
    public var channel: (String) -> PNPublishAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The message to publish: a dictionary, an array, a string, a number or a boolean.
    public var message: (Any) -> PNPublishAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata of the message. Subscribers' filter expressions can test it. It is never encrypted.
    public var metadata: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the service stores the message in the channel's history; true by default.
    public var shouldStore: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the history keeps the message; by default the keyset's setting.
    public var ttl: (UInt) -> PNPublishAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether the message is compressed and sent in the body of a POST request; false by default.
    public var compress: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isCompressed = $1 } }
    /// Whether the service copies the message to its other data centres; true by default.
    public var replicate: (Bool) -> PNPublishAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Payloads for push notifications, by the vendor's key, such as `aps`.
    public var payloads: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.payloads = $1 } }
    /// The custom type that receivers of the message see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public var customMessageType: (String) -> PNPublishAPICallBuilder { argument { $0.draft.customType = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNPublishCompletionBlock?) -> Void {
        { self.client.publish(self.draft, $0) }
    }
}

/// Sends a signal.
public final class PNSignalAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var channelName = ""
    private var content: Any?
    private var customType: String?

    /// The name of the channel to publish to.
    public var channel: (String) -> PNSignalAPICallBuilder { argument { $0.channelName = $1 } }
    /// The message of the signal: a JSON value of at most 64 bytes.
    public var message: (Any) -> PNSignalAPICallBuilder { argument { $0.content = $1 } }
    /// The custom type that receivers of the message see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public var customMessageType: (String) -> PNSignalAPICallBuilder { argument { $0.customType = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSignalAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNSignalCompletionBlock?) -> Void {
        { self.client.signal(self.content, self.channelName, customType: self.customType, query: self.query, $0) }
    }
}

/// Calculates the size of the request that would publish a message. Sends nothing.
public final class PNPublishSizeAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PublishDraft()

    /// The name of the channel to publish to.
    public var channel: (String) -> PNPublishSizeAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The message to publish: a dictionary, an array, a string, a number or a boolean.
    public var message: (Any) -> PNPublishSizeAPICallBuilder { argument { $0.draft.message = $1 } }
    /// Metadata of the message. Subscribers' filter expressions can test it. It is never encrypted.
    public var metadata: ([AnyHashable: Any]) -> PNPublishSizeAPICallBuilder { argument { $0.draft.metadata = $1 } }
    /// Whether the service would store the message in the channel's history; true by default.
    public var shouldStore: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isStored = $1 } }
    /// How many hours the history would keep the message; by default the keyset's setting.
    public var ttl: (UInt) -> PNPublishSizeAPICallBuilder { argument { $0.draft.ttl = $1 } }
    /// Whether the message would be compressed and sent in the body of a POST request; false by default.
    public var compress: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isCompressed = $1 } }
    /// Whether the service would copy the message to its other data centres; true by default.
    public var replicate: (Bool) -> PNPublishSizeAPICallBuilder { argument { $0.draft.isReplicated = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNPublishSizeAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Passes the size of the request in bytes to the block, on the callback queue; -1 when the message cannot be sent.
    public var performWithCompletion: (@escaping PNMessageSizeCalculationCompletionBlock) -> Void {
        { self.client.size(self.draft, $0) }
    }
}

/// Builds a request for the service's time.
public final class PNTimeAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNTimeAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
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
    /// A new builder that calculates the size of the request that would publish a message.
    public var size: () -> PNPublishSizeAPICallBuilder { { PNPublishSizeAPICallBuilder(self) } }
    /// A new builder of a request for the service's time.
    public var time: () -> PNTimeAPICallBuilder { { PNTimeAPICallBuilder(self) } }
}
