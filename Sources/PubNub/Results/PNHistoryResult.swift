import Foundation
import PubNubProtocol
import WireCoding

/// Stored messages of one channel or several channels.
///
/// When the request asks for details of the messages, each element is a dictionary. Its keys are those of `message`, `timetoken`,
/// `metadata`, `uuid`, `messageType` and `actions` that were requested and are available. Otherwise each element is the message itself.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNHistoryData: PNServiceData, @unchecked Sendable {
    /// The messages of one channel, oldest first; empty when several channels were requested.
    public let messages: [Any]
    /// The messages by channel; empty unless several channels or message actions were requested.
    public let channels: [String: [Any]]
    /// The timetoken of the oldest message; 0 when there is none.
    public let start: NSNumber
    /// The timetoken of the newest message; 0 when there is none.
    public let end: NSNumber

    init(_ content: HistoryContent) {
        var byChannel: [String: [Any]] = [:]
        for channel in content.channels {
            byChannel[channel.name] = channel.messages.map { message in
                content.isDetailed ? Self.details(message) : Self.value(message.payload)
            }
        }
        messages = content.isSingle ? content.channels.first.flatMap { byChannel[$0.name] } ?? [] : []
        channels = content.isByChannel ? byChannel : [:]
        start = content.first.number
        end = content.last.number
    }

    private static func value(_ text: JSONText) -> Any {
        FoundationJSON.value(text.text) ?? NSNull()
    }

    private static func details(_ message: PubNubStoredMessage) -> [String: Any] {
        var details: [String: Any] = ["message": value(message.payload)]
        details["timetoken"] = message.timetoken?.number
        details["metadata"] = message.metadata.map(value)
        details["uuid"] = message.publisher
        details["messageType"] = message.kind.map { NSNumber(value: $0.rawValue) }
        details["customMessageType"] = message.customType
        if let actions = message.actions { details["actions"] = Self.actions(actions) }
        return details
    }

    /// Groups a message's actions by type and value: `[type: [value: [["uuid": …, "actionTimetoken": …]]]]`.
    private static func actions(_ actions: [PubNubMessageAction]) -> [String: [String: [[String: Any]]]] {
        var byType: [String: [String: [[String: Any]]]] = [:]
        for action in actions {
            byType[action.type, default: [:]][action.value, default: []].append([
                "uuid": action.publisher, "actionTimetoken": action.timetoken.number,
            ])
        }
        return byType
    }
}

/// The answer to a request for stored messages.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNHistoryResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNHistoryData

    init(_ facts: ResultFacts, _ content: HistoryContent) {
        data = PNHistoryData(content)
        super.init(facts: facts)
    }
}

/// The number of stored messages of each requested channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNMessageCountData: PNServiceData, @unchecked Sendable {
    /// The number of messages by channel; the service counts up to 10,000.
    public let channels: [String: NSNumber]

    init(_ counts: [String: Int]) {
        channels = counts.mapValues { NSNumber(value: $0) }
    }
}

/// The answer to a request for the number of stored messages.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNMessageCountResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNMessageCountData

    init(_ facts: ResultFacts, _ counts: [String: Int]) {
        data = PNMessageCountData(counts)
        super.init(facts: facts)
    }
}
