import HubStorage
import ServerRuntime
import ServerStorage

/// The durable stores of a server, as functions that open them.
///
/// ``memory`` and ``directory(_:)`` are built in. Custom stores have to pass the rules in the product `LifelineTesting`:
/// `MessageStoreRule` and `ChatStoreRule`. `docs/adding-a-store.md` shows how.
public struct ServerStores: Sendable {
    /// Opens the store of PubNub's messages, message actions, channel groups and grants.
    ///
    /// Called once, in the task that starts the server, before the server listens. The configuration contains the clock, which determines
    /// expiry, and ``ServerConfiguration/pollQueueLength``. For each channel, a store should restore one message more than
    /// `pollQueueLength`, so that the server notices when the store has more messages. The server closes the store when it stops, and when
    /// it cannot start.
    public var messages: @Sendable (ServerConfiguration) async throws -> any MessageStore
    /// Opens the store of chat. It is called and closed in the same way as ``messages``.
    public var chat: @Sendable (ServerConfiguration) async throws -> any ChatStore
    /// Opens the store of the applications that are made at run time, before the other stores. Nil if these stores cannot store
    /// applications.
    package var applications: (@Sendable () async throws -> any ApplicationStore)?
    /// Opens the stores for a server of a cluster, given the cluster's name. Nil for stores that only one server at a time can use.
    package var shared: (@Sendable (ServerConfiguration, String) async throws -> SharedStores)?

    /// Makes custom stores. Both closures are called in the task that starts the server; if one throws, the start fails.
    public init(
        messages: @escaping @Sendable (ServerConfiguration) async throws -> any MessageStore,
        chat: @escaping @Sendable (ServerConfiguration) async throws -> any ChatStore
    ) {
        self.messages = messages
        self.chat = chat
    }

    /// Stores in memory. Their data are lost when the server stops.
    public static let memory = ServerStores(
        messages: { InMemoryMessageStore(now: $0.clock.unixTicks) }, chat: { InMemoryChatStore(now: $0.clock.unixTicks) })

    /// SQLite databases in a directory, which is created if necessary. Only one server at a time can use a directory.
    public static func directory(_ path: String) -> ServerStores {
        var stores = ServerStores(
            messages: { configuration in
                let settings = StoreSettings(recentPerChannel: max(1, configuration.pollQueueLength) + 1)
                return try SQLiteMessageStore(directory: path, settings: settings, now: configuration.clock.unixTicks)
            },
            chat: { try SQLiteChatStore(directory: path, now: $0.clock.unixTicks) })
        stores.applications = { try SQLiteApplicationStore(directory: path) }
        return stores
    }
}

/// The database stores that a cluster uses in addition to Redis (rule CR-60).
package struct SharedStores: Sendable {
    package var messages: any SharedMessageStore
    package var chat: any SharedChatStore

    package init(messages: any SharedMessageStore, chat: any SharedChatStore) {
        self.messages = messages
        self.chat = chat
    }

    /// The reason why these stores make their servers unready; nil when they do not.
    var unreadiness: Unreadiness? {
        let all: [Any] = [messages, chat]
        return all.lazy.compactMap { ($0 as? any StoreAvailability)?.unreadiness }.first
    }

    func close() async {
        await messages.close()
        await chat.close()
    }
}

extension ServerConfiguration {
    /// The stores that a server without Redis opens: ``stores``, else the data directory, else memory.
    var openedStores: ServerStores { stores ?? dataDirectory.map { .directory($0) } ?? .memory }

    /// Opens the store of applications made at run time, for a server without Redis. Nil if the server has neither a directory nor a
    /// database.
    func openApplications() async throws -> (any ApplicationStore)? {
        let open = stores?.applications ?? dataDirectory.flatMap { ServerStores.directory($0).applications }
        return try await open?()
    }
}
