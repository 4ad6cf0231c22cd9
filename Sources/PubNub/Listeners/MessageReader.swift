import Foundation
import PubNubProtocol

/// The result or status that listeners get for one message or event of the service.
enum Reading {
    case message(PNMessageResult)
    case signal(PNSignalResult)
    case action(PNMessageActionResult)
    case presence(PNPresenceEventResult)
    case object(PNObjectEventResult)
    case file(PNFileEventResult)
    /// An error status for a message that could not be decrypted.
    case status(PNErrorStatus)
}

/// Makes listeners' results from the messages and events of the service, and decrypts them.
struct MessageReader {
    /// The cipher of the client; nil when messages are not encrypted.
    let cipher: PubNubCipher?
    /// Returns the download URL of a file. The arguments are the file's id, name and channel.
    let downloadURL: @Sendable (String, String, String) -> URL?

    func read(_ message: PubNubMessage, _ batch: MessageBatch) -> Reading {
        if message.isPresence { return .presence(PNPresenceEventResult(PNPresenceEventData(message, batch: batch))) }
        switch message.kind {
        case .signal:
            return .signal(PNSignalResult(PNSignalData(message, batch: batch)))
        case .action:
            return .action(PNMessageActionResult(PNMessageActionData(message, batch: batch)))
        case .object:
            return .object(PNObjectEventResult(PNObjectEventData(message, batch: batch)))
        case .file:
            return file(message, batch)
        default:
            return published(message, batch)
        }
    }

    private func published(_ message: PubNubMessage, _ batch: MessageBatch) -> Reading {
        guard let cipher else { return .message(PNMessageResult(PNMessageData(message, batch: batch))) }
        guard let opened = try? cipher.decrypt(message: message.payload) else { return unreadable(message, batch) }
        return .message(PNMessageResult(PNMessageData(message, batch: batch, opened: opened)))
    }

    private func file(_ message: PubNubMessage, _ batch: MessageBatch) -> Reading {
        var payload = message.payload
        if let cipher {
            guard let opened = try? cipher.decrypt(message: payload) else { return unreadable(message, batch) }
            payload = opened
        }
        let data = PNFileEventData(message, batch: batch, payload: payload) { id, name in
            downloadURL(id, name, message.channel)
        }
        return .file(PNFileEventResult(data))
    }

    /// Makes the status that replaces a message that could not be decrypted. It contains the encrypted message (rule PK-30).
    private func unreadable(_ message: PubNubMessage, _ batch: MessageBatch) -> Reading {
        let facts = StatusFacts(
            result: ResultFacts(operation: .subscribeOperation, context: batch.context),
            category: .PNDecryptionErrorCategory, isError: true,
            errorData: PNErrorData(information: "A received message could not be decrypted. Check the cipher key."))
        return .status(PNErrorStatus(status: facts, associatedObject: PNMessageData(message, batch: batch)))
    }
}
