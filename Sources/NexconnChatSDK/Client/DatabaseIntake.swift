import ConnectionEngine
import NexconnProtocol

/// Keeps what must not be lost, and tells nobody.
struct DatabaseIntake: ChatIntake {
    func received(
        _ items: [NexconnInboxItem], place: NexconnPlace, isOffline: Bool, hasMore: Bool, client: ChatClient
    ) throws {
        _ = try client.database?.receive(items, place: place)
    }

    func caughtUp(client: ChatClient) {}
    func received(_ event: NexconnEvent, client: ChatClient) {}
    func missed(since: Moment?, client: ChatClient) {}
    func missed(in openChannel: String, since: Moment?, client: ChatClient) {}
    func reentered(_ entrance: NexconnOpenEntrance, client: ChatClient) {}
    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient) {}
}
