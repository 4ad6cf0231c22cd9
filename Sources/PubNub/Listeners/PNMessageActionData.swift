import Foundation
import PubNubProtocol
import WireCoding

/// An action that a user added to a message, such as a reaction or a receipt.
public final class PNMessageAction: Sendable {
    /// The type of the action, such as `reaction`.
    public let type: String
    /// The action's value.
    public let value: String
    /// The id of the user who added the action to the message.
    public let uuid: String
    private let message: Timetoken
    private let added: Timetoken

    init(type: String, value: String, uuid: String, message: Timetoken, action: Timetoken) {
        self.type = type
        self.value = value
        self.uuid = uuid
        self.message = message
        added = action
    }

    /// The timetoken of the message that the action belongs to.
    public var messageTimetoken: NSNumber { NSNumber(value: message.rawValue) }

    /// The timetoken at which the action was added.
    public var actionTimetoken: NSNumber { NSNumber(value: added.rawValue) }
}

/// An action that was added to a message or removed from it.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNMessageActionData: PNSubscriberData, @unchecked Sendable {
    /// The action.
    public let action: PNMessageAction
    /// `added` or `removed`.
    public let event: String

    override init(_ raw: PubNubMessage, batch: MessageBatch) {
        let payload = try? JSONText(raw.payload)
        let data = payload?["data"]
        func timetoken(_ key: String) -> Timetoken { data?[key]?.identifier.flatMap { Timetoken($0) } ?? .zero }
        action = PNMessageAction(
            type: data?["type"]?.string ?? "", value: data?["value"]?.string ?? "", uuid: raw.publisher ?? "",
            message: timetoken("messageTimetoken"), action: timetoken("actionTimetoken"))
        event = payload?["event"]?.string ?? ""
        super.init(raw, batch: batch)
    }
}
