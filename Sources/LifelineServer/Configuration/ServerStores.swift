import HubStorage
import RealtimeHub

/// Where a server keeps what has to survive it: how each of its stores is opened.
///
/// ``memory`` and ``directory(_:)`` are ready. Stores of your own have to pass the rules in the product `LifelineTesting`:
/// `MessageStoreRule` and `ChatStoreRule`; docs/adding-a-store.md shows how.
public struct ServerStores: Sendable {
    /// Opens the store of PubNub's messages, message actions, channel groups and grants.
    ///
    /// Called once, before the server listens. The configuration has the clock, which decides what has expired, and
    /// ``ServerConfiguration/pollQueueLength``: a store should restore one message more of each channel, which shows that there
    /// were too many. The server closes the store when it stops, and when it cannot start.
    public var messages: @Sendable (ServerConfiguration) async throws -> any MessageStore
    /// Opens the store of chat, likewise.
    public var chat: @Sendable (ServerConfiguration) async throws -> any ChatStore

    public init(
        messages: @escaping @Sendable (ServerConfiguration) async throws -> any MessageStore,
        chat: @escaping @Sendable (ServerConfiguration) async throws -> any ChatStore
    ) {
        self.messages = messages
        self.chat = chat
    }

    /// Everything goes with the server.
    public static let memory = ServerStores(
        messages: { InMemoryMessageStore(now: $0.clock.unixTicks) }, chat: { InMemoryChatStore(now: $0.clock.unixTicks) })

    /// SQLite databases in a directory, which is created if need be and serves one server at a time.
    public static func directory(_ path: String) -> ServerStores {
        ServerStores(
            messages: { configuration in
                let settings = StoreSettings(recentPerChannel: max(1, configuration.pollQueueLength) + 1)
                return try SQLiteMessageStore(directory: path, settings: settings, now: configuration.clock.unixTicks)
            },
            chat: { try SQLiteChatStore(directory: path, now: $0.clock.unixTicks) })
    }
}
