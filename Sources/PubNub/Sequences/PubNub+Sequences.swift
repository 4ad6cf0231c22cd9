import EngineRuntime
import PubNubProtocol

// Async sequences as an alternative to listeners, an addition to the Cocoa SDK. A sequence only receives; subscribe to the channels
// separately.
extension PubNub {
    /// The messages of a channel, group or wildcard that are received from now on. For one consumer; each call returns an independent
    /// sequence.
    ///
    /// ```swift
    /// let messages = client.messages(on: "prices")
    /// client.subscribeToChannels(["prices"], withPresence: false)
    /// for await message in messages {
    ///     if let gap = message.precedingGap { await reload(since: gap.lastTimetoken) }
    ///     show(try message.content.decode(Price.self))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the channel, group or wildcard; nil for all channels.
    ///   - limit: how many answers of the service may wait, of up to 100 messages each; beyond that messages are dropped.
    public func messages(on name: String? = nil, limit: Int = 256) -> PNMessages {
        sequence(name, limit: limit, admits: { !$0.isPresence && $0.kind == .message }) { reading in
            if case .message(let result) = reading { result.data } else { nil }
        }
    }

    /// The signals of a channel, group or wildcard that are received from now on. For one consumer.
    public func signals(on name: String? = nil, limit: Int = 256) -> PNSignals {
        sequence(name, limit: limit, admits: { !$0.isPresence && $0.kind == .signal }) { reading in
            if case .signal(let result) = reading { result.data } else { nil }
        }
    }

    /// The presence events of a channel or group that are received from now on. For one consumer.
    ///
    /// - Parameters:
    ///   - name: the name of the channel or group, without `-pnpres`; nil for all channels.
    ///   - limit: how many answers of the service may wait; beyond that the oldest are dropped.
    public func presence(on name: String? = nil, limit: Int = 256) -> PNPresenceEvents {
        sequence(name?.withoutPresenceSuffix, limit: limit, admits: { $0.isPresence }) { reading in
            if case .presence(let result) = reading { result.data } else { nil }
        }
    }

    /// The statuses of the subscription from now on: connected, lost or denied, each with its cause and the delay of the next attempt. For
    /// one consumer.
    public var statuses: PNStatuses { PNStatuses(stream: statusDeliveries.stream()) }

    /// Each loss and return of this machine's network from now on, with or without a subscription. For one consumer.
    public var networkStatuses: PNNetworkStatuses { PNNetworkStatuses(stream: networkDeliveries.stream()) }

    private func sequence<Content: Sendable>(
        _ name: String?, limit: Int, admits: @escaping @Sendable (PubNubMessage) -> Bool,
        _ select: @escaping @Sendable (Reading) -> Content?
    ) -> PNSequence<Content> {
        PNSequence(
            stream: deliveries.stream(limit: limit), name: name, reader: reader, admits: admits, select: select)
    }
}
