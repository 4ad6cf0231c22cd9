import Identifiers

extension ClientCore {
    /// Publishes a message of an outbox.
    func publish(_ record: OutboxRecord) async -> PublishOutcome {
        do throws(LifelineError) {
            var publication = try Publication(
                channel: record.channel, event: record.event, json: record.json,
                options: PublishOptions(isStored: record.isStored))
            publication.id = record.id
            try requireEncryption(of: record.channel)
            let rooms = adapter.roomsOfPublishers(to: record.channel)
            if !rooms.isEmpty, rooms.allSatisfy({ hub.held($0) == nil }) {
                let reason =
                    "Only subscribers can publish to \(record.channel). The message waits until the channel is subscribed."
                return .refused(LifelineError(.notSubscribed, reason))
            }
            return try await publish(publication)
        } catch {
            return .refused(error)
        }
    }
}

extension LifelineError {
    static let otherUser = LifelineError(
        .refused,
        "The outbox belongs to another user than the one who is signed in. Its messages wait until its user is signed in again.")
}
