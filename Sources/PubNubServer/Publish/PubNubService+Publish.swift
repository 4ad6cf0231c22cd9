import PubNubProtocol

/// Why a message of the server's own process was not published.
package enum PubNubPublishProblem: Error, Hashable, Sendable {
    case unknownKeyset
    /// An explanation of what is wrong with the message.
    case invalid(String)
    case notStored
}

extension PubNubService {
    /// Publishes a message of the server's own process, and returns its timetoken once the message is stored and visible.
    package func publish(
        subscribeKey: String, channel: String, message: String, metadata: String?, user: String?
    ) async throws(PubNubPublishProblem) -> UInt64 {
        guard let application = application(subscribeKey: subscribeKey) else { throw .unknownKeyset }
        let draft = try PubNubDraft(channel: channel, message: message, metadata: metadata, user: user)
        let outcome = await withCheckedContinuation { continuation in
            publish(draft, to: application, isBridged: false) { continuation.resume(returning: $0) }
        }
        switch outcome {
        case .published(let token): return token
        case .unknownKeyset: throw .unknownKeyset
        case .notStored: throw .notStored
        }
    }
}
