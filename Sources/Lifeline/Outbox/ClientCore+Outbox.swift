import Identifiers

extension ClientCore {
    /// Publishes a stored message of an outbox, with the record's id as the client id, by which the service recognises a repetition.
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
                    "Only subscribers can publish to channel \(record.channel). The message waits until the channel is subscribed."
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
        "The signed-in user is not the user of the outbox. The outbox's messages wait until its user is signed in again.")
}
