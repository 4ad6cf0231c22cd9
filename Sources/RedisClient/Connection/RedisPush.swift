import NIOCore

/// The target of a subscription: a channel, a pattern of channels, or a sharded channel of a cluster.
///
/// Names are compared by their bytes.
package struct RedisChannel: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        case channel, pattern, shard
    }

    package var kind: Kind
    package var name: ByteBuffer

    package init(_ kind: Kind = .channel, _ name: ByteBuffer) {
        self.kind = kind
        self.name = name
    }

    package init(_ kind: Kind = .channel, _ name: String) {
        self.init(kind, ByteBuffer(string: name))
    }
}

/// A published message.
package struct RedisMessage: Hashable, Sendable {
    /// The subscription that the message matched: a channel or a pattern.
    package var subscription: RedisChannel
    /// The channel of the message. It differs from the subscription's name if that is a pattern.
    package var channel: ByteBuffer
    package var payload: ByteBuffer

    package init(subscription: RedisChannel, channel: ByteBuffer, payload: ByteBuffer) {
        self.subscription = subscription
        self.channel = channel
        self.payload = payload
    }
}

/// A message that a server sends without a request.
package enum RedisPush: Hashable, Sendable {
    case message(RedisMessage)
    case subscribed(RedisChannel)
    case unsubscribed(RedisChannel)
    /// A push of a kind that this client does not use.
    case other(String)

    /// Parses the elements of a push. Nil if the elements do not match the push's kind.
    init?(_ elements: [RedisValue]) {
        guard let kind = elements.first?.text else { return nil }
        func bytes(_ index: Int) -> ByteBuffer? { elements.count > index ? elements[index].bytes : nil }
        switch kind {
        case "message", "smessage":
            guard let channel = bytes(1), let payload = bytes(2) else { return nil }
            let subscription = RedisChannel(kind == "message" ? .channel : .shard, channel)
            self = .message(RedisMessage(subscription: subscription, channel: channel, payload: payload))
        case "pmessage":
            guard let pattern = bytes(1), let channel = bytes(2), let payload = bytes(3) else { return nil }
            self = .message(RedisMessage(subscription: RedisChannel(.pattern, pattern), channel: channel, payload: payload))
        case "subscribe", "psubscribe", "ssubscribe":
            guard let name = bytes(1) else { return nil }
            self = .subscribed(RedisChannel(Self.kind(of: kind), name))
        case "unsubscribe", "punsubscribe", "sunsubscribe":
            guard let name = bytes(1) else { return nil }
            self = .unsubscribed(RedisChannel(Self.kind(of: kind), name))
        default: self = .other(kind)
        }
    }

    private static func kind(of word: String) -> RedisChannel.Kind {
        word.hasPrefix("p") ? .pattern : word.hasPrefix("ss") || word.hasPrefix("sun") ? .shard : .channel
    }
}

/// A subscribe or unsubscribe command. The server confirms it with one push for each channel instead of an answer.
package struct RedisSubscribing: Hashable, Sendable {
    package var kind: RedisChannel.Kind
    /// Whether the command subscribes (true) or unsubscribes (false).
    package var begins: Bool
    package var names: [ByteBuffer]

    package init(_ kind: RedisChannel.Kind, begins: Bool, names: [ByteBuffer]) {
        self.kind = kind
        self.begins = begins
        self.names = names
    }

    package var command: RedisCommand {
        let prefix =
            switch kind {
            case .channel: ""
            case .pattern: "P"
            case .shard: "S"
            }
        return RedisCommand(prefix + (begins ? "SUBSCRIBE" : "UNSUBSCRIBE"), names.map { .bytes($0) })
    }
}
