import ServerStorage

/// The fields of a Pusher application. Rule SO-1.
enum ApplicationSetting {
    static let fields = ServiceFields(
        word: "application", prefix: "LIFELINE_APP_", all: all + limits + recovery, development: .development,
        blank: Application(id: "", key: "", secret: ""),
        keys: [.init(name: "id", field: \.id), .init(name: "key", field: \.key)], secretField: "secret")

    /// The line about an application in the report of `serve --check`.
    @Sendable static func line(_ application: Application, in settings: ServeSettings) -> String {
        var traits: [String] = application.isEnabled ? [] : ["disabled"]
        if application.allowsClientEvents { traits.append("client events") }
        if application.announcesSubscriptionCounts { traits.append("subscription counts") }
        if application.allowsUserAuthentication { traits.append("user authentication") }
        if application.requiresTLS { traits.append("TLS only") }
        if !application.allowedOrigins.isEmpty { traits.append("origins \(application.allowedOrigins.joined(separator: " "))") }
        if let limit = application.limits.connections { traits.append("at most \(limit) connections") }
        if application.previousSecret != nil { traits.append("two secrets") }
        if !application.webhooks.isEmpty { traits.append("webhooks \(application.webhooks.count)") }
        return "app \(application.id): " + (traits.isEmpty ? "nothing extra" : traits.joined(separator: ", "))
    }

    private static let all: [ServiceField<Application>] = [
        .name("id", \.id, option: .text(\.app.appID), "The app's id in the HTTP API"),
        .name("key", \.key, option: .text(\.app.key, name: "--key"), "The app's key"),
        .secret("secret", \.secret, option: .text(\.app.secret, name: "--secret"), "The app's secret"),
        .secret(
            "previousSecret", \.previousSecret, option: .text(\.app.previousSecret, "secret", name: "--previous-secret"),
            "An old secret that is accepted as well, while the secret is being changed"),
        .truth("enabled", \.isEnabled),
        .truth(
            "clientEvents", \.allowsClientEvents, option: .flag(\.app.clientEvents, name: "--client-events"),
            "Whether subscribers may send events to each other"),
        .truth(
            "subscriptionCounts", \.announcesSubscriptionCounts,
            option: .flag(\.app.subscriptionCounts, name: "--subscription-counts"),
            "Whether subscribers get the number of subscribers"),
        .truth("userAuthentication", \.allowsUserAuthentication),
        .truth("requireTLS", \.requiresTLS),
        .init(
            "allowedOrigins", option: .repeated(\.app.allowedOrigin, name: "--allowed-origin", "origin"), unset: .words("all"),
            "An origin whose web pages may connect, such as https://*.example.com; may be repeated",
            shown: { .strings($0.allowedOrigins) }
        ) { value, app throws(CommandFailure) in
            let origins = try value.strings()
            guard origins.allSatisfy({ OriginPattern($0) != nil }) else {
                throw value.wrong("a list of origins such as https://example.com, https://*.example.com or example.com")
            }
            app.allowedOrigins = origins
        },
        .seconds("authorizationTimeout", \.authorizationTimeout, in: 1...86_400),
        .init(
            "webhooks", option: .repeatedAddress(\.app.webhook, name: "--webhook"), unset: .nothing,
            "Posts events about channels to this address; may be repeated",
            shown: { .addresses($0.webhooks.map(\.url)) }
        ) { value, app throws(CommandFailure) in
            app.webhooks = try value.confidential.elements().map { webhook throws(CommandFailure) in
                try WebhookSetting.webhook(webhook)
            }
        },
    ]

    private static let limits: [ServiceField<Application>] = [
        limit("connections", \.limits.connections),
        .integer("limits.clientEventsPerSecond", \.limits.clientEventsPerSecond, in: 0...1_000_000),
        limit("publishesPerSecond", \.limits.publishesPerSecond),
        limit("queriesPerSecond", \.limits.queriesPerSecond),
        .integer("limits.watchlistUsers", \.limits.watchlistUsers, in: 0...100_000),
        .integer("limits.presenceMembers", \.limits.presenceMembers, in: 0...1_000_000),
        .integer("limits.presenceMemberBytes", \.limits.presenceMemberBytes, in: 0...1_048_576),
        .integer("limits.userIDBytes", \.limits.userIDBytes, in: 1...4_096),
        .integer("limits.channelNameBytes", \.limits.channelNameBytes, in: 1...4_096),
        .integer("limits.eventNameBytes", \.limits.eventNameBytes, in: 1...4_096),
        .integer("limits.eventDataBytes", \.limits.eventDataBytes, in: 0...16_777_216),
        .integer("limits.channelsPerPublish", \.limits.channelsPerPublish, in: 1...10_000),
        .integer("limits.eventsPerBatch", \.limits.eventsPerBatch, in: 1...10_000),
        .integer("limits.channelsPerConnection", \.limits.channelsPerConnection, in: 0...1_000_000),
        .integer("limits.channels", \.limits.channels, in: 0...100_000_000),
        .integer("limits.subscriptions", \.limits.subscriptions, in: 0...1_000_000_000),
        .integer("limits.cacheBytes", \.limits.cacheBytes, in: 0...1_099_511_627_776),
        .integer("limits.addressShare", \.limits.addressShare, in: 1...100),
        .seconds("limits.cacheLifetime", \.limits.cacheLifetime, in: 0...31_536_000),
    ]

    private static let recovery: [ServiceField<Application>] = [
        .integer("recovery.messages", \.recovery.messages, in: 0...10_000),
        .seconds("recovery.seconds", \.recovery.lifetime, in: 0...86_400),
        .integer("recovery.bytes", \.recovery.bytes, in: 0...1_099_511_627_776),
        .truth("recovery.clientEvents", \.recovery.includesClientEvents),
    ]

    /// An optional limit.
    private static func limit(
        _ name: String, _ field: any WritableKeyPath<Application, Int?> & Sendable
    ) -> ServiceField<Application> {
        .init("limits.\(name)", takesNull: true, shown: { .integer($0[keyPath: field]) }) { value, app throws(CommandFailure) in
            app[keyPath: field] = value.isNull ? nil : try value.integer(0...10_000_000)
        }
    }
}

extension ServeSection {
    static let pusher: ServeSection = {
        var section = make(
            ApplicationSetting.fields, .pusher, in: \.applications, members: ("app", "apps"), list: "LIFELINE_APPS",
            counted: "apps",
            read: { sources throws(CommandFailure) in
                try ServeSettings.applications(sources.options, environment: sources.environment, file: sources.file)
            },
            written: { sources throws(CommandFailure) in
                (sources.file.sections["app"], ServeSettings.applications(environment: sources.environment, file: sources.file))
            },
            isPublic: { $0.validSecrets.contains(Application.development.secret) },
            draft: [
                // The generated id has digits only, because some client libraries accept no other ids.
                ("id", .number), ("key", .random(bytes: 10)), ("secret", .random(bytes: 32)), ("clientEvents", .no),
            ], line: ApplicationSetting.line)
        // A reload replaces the Pusher applications in the server's registry, so it passes no settings to the service itself.
        section.reloaded = { _, _ in nil }
        return section
    }()
}
