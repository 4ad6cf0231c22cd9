import PostgreSQLStorage

extension ServerStores {
    /// Tables in a PostgreSQL database, which are created if necessary. Only one server at a time can use them.
    ///
    /// The contents of files that PubNub's clients upload are not in the database:
    /// ``ServerConfiguration/fileDirectory`` is their place.
    public static func postgreSQL(_ settings: PostgreSQLSettings) -> ServerStores {
        var stores = ServerStores(
            messages: { configuration in
                var settings = settings
                settings.recentPerChannel = max(1, configuration.pollQueueLength) + 1
                return try await PostgreSQLMessageStore.open(settings, now: configuration.clock.unixTicks)
            },
            chat: { try await PostgreSQLChatStore.open(settings, now: $0.clock.unixTicks) })
        stores.applications = { try await PostgreSQLApplicationStore.open(settings) }
        return stores
    }
}

extension PostgreSQLMessageStore: StoreAvailability {
    var isAvailable: Bool { failure == nil }
}

extension PostgreSQLChatStore: StoreAvailability {
    var isAvailable: Bool { failure == nil }
}
