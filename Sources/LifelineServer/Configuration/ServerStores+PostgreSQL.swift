import PostgreSQLStorage

extension ServerStores {
    /// Tables in a PostgreSQL database, which are created if necessary. Only one server at a time, or the servers of one cluster, can use
    /// them.
    ///
    /// The contents of files that PubNub's clients upload are not in the database, but in ``ServerConfiguration/fileDirectory``.
    public static func postgreSQL(_ settings: PostgreSQLSettings) -> ServerStores {
        var stores = ServerStores(
            messages: { configuration in
                var settings = settings
                settings.recentPerChannel = max(1, configuration.pollQueueLength) + 1
                return try await PostgreSQLMessageStore.open(settings, now: configuration.clock.unixTicks)
            },
            chat: { try await PostgreSQLChatStore.open(settings, now: $0.clock.unixTicks) })
        stores.applications = { try await PostgreSQLApplicationStore.open(settings) }
        stores.shared = { configuration, cluster in
            var settings = settings
            settings.recentPerChannel = max(1, configuration.pollQueueLength) + 1
            let now = configuration.clock.unixTicks
            let messages = try await PostgreSQLSharedMessageStore.open(settings, cluster: cluster, now: now)
            do {
                return SharedStores(
                    messages: messages, chat: try await PostgreSQLSharedChatStore.open(settings, cluster: cluster, now: now))
            } catch {
                await messages.close()
                throw error
            }
        }
        return stores
    }
}

extension PostgreSQLMessageStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}

extension PostgreSQLSharedMessageStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}

extension PostgreSQLSharedChatStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}

extension PostgreSQLChatStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}
