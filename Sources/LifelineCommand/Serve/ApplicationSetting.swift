import RealtimeHub

/// One field of an application: what it is called, and how it gets its value. Rule SO-1.
struct ApplicationSetting: Sendable {
    /// With a point in it for fields of `limits`.
    let name: String
    /// Whether `null` takes something away. For all others it is the same as leaving the field out.
    let takesNull: Bool
    let set: @Sendable (SettingValue, inout Application) throws(CommandFailure) -> Void

    init(
        _ name: String, takesNull: Bool = false,
        _ set: @escaping @Sendable (SettingValue, inout Application) throws(CommandFailure) -> Void
    ) {
        self.name = name
        self.takesNull = takesNull
        self.set = set
    }

    /// The variable that holds it for the only application.
    var variable: String { SettingNames.variable(name, prefix: "LIFELINE_APP_") }

    static let all: [ApplicationSetting] = fields + limits

    private static let fields: [ApplicationSetting] = [
        .init("id") { value, app throws(CommandFailure) in app.id = try name(value) },
        .init("key") { value, app throws(CommandFailure) in app.key = try name(value) },
        .init("secret") { value, app throws(CommandFailure) in app.secret = Secret(try value.string()) },
        .truth("enabled", \.isEnabled),
        .truth("clientEvents", \.allowsClientEvents),
        .truth("subscriptionCounts", \.announcesSubscriptionCounts),
        .truth("userAuthentication", \.allowsUserAuthentication),
        .truth("requireTLS", \.requiresTLS),
        .init("allowedOrigins") { value, app throws(CommandFailure) in
            let origins = try value.strings()
            guard origins.allSatisfy({ OriginPattern($0) != nil }) else {
                throw value.wrong("a list of origins such as https://example.com, https://*.example.com or example.com")
            }
            app.allowedOrigins = origins
        },
        .init("authorizationTimeout", takesNull: true) { value, app throws(CommandFailure) in
            app.authorizationTimeout = value.isNull ? nil : try value.seconds(1...86_400)
        },
        .init("webhooks") { value, app throws(CommandFailure) in
            app.webhooks = try value.elements().map { webhook throws(CommandFailure) in try WebhookSetting.webhook(webhook) }
        },
    ]

    private static let limits: [ApplicationSetting] = [
        .limit("connections", \.connections),
        .limit("clientEventsPerSecond", \.clientEventsPerSecond, 0...1_000_000),
        .limit("publishesPerSecond", \.publishesPerSecond),
        .limit("queriesPerSecond", \.queriesPerSecond),
        .limit("watchlistUsers", \.watchlistUsers, 0...100_000),
        .limit("presenceMembers", \.presenceMembers, 0...1_000_000),
        .limit("presenceMemberBytes", \.presenceMemberBytes, 0...1_048_576),
        .limit("userIDBytes", \.userIDBytes, 1...4_096),
        .limit("channelNameBytes", \.channelNameBytes, 1...4_096),
        .limit("eventNameBytes", \.eventNameBytes, 1...4_096),
        .limit("eventDataBytes", \.eventDataBytes, 0...16_777_216),
        .limit("channelsPerPublish", \.channelsPerPublish, 1...10_000),
        .limit("eventsPerBatch", \.eventsPerBatch, 1...10_000),
        .limit("channelsPerConnection", \.channelsPerConnection, 0...1_000_000),
        .init("limits.cacheLifetime") { value, app throws(CommandFailure) in
            app.limits.cacheLifetime = try value.seconds(0...31_536_000)
        },
    ]

    /// Ids and keys are parts of paths and of signatures, so some characters cannot be in them.
    private static func name(_ value: SettingValue) throws(CommandFailure) -> String {
        let text = try value.string()
        guard text.utf8.count <= 200, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#%:&\"\\".utf8.contains($0) }) else {
            throw value.wrong("1 to 200 ASCII characters without spaces and without / ? # % : & \" and \\")
        }
        return text
    }

    private static func truth(
        _ name: String, _ field: any WritableKeyPath<Application, Bool> & Sendable
    ) -> ApplicationSetting {
        .init(name) { value, app throws(CommandFailure) in app[keyPath: field] = try value.truth() }
    }

    private static func limit(
        _ name: String, _ field: any WritableKeyPath<ApplicationLimits, Int> & Sendable, _ range: ClosedRange<Int>
    ) -> ApplicationSetting {
        .init("limits.\(name)") { value, app throws(CommandFailure) in app.limits[keyPath: field] = try value.integer(range) }
    }

    /// A limit that need not be there.
    private static func limit(
        _ name: String, _ field: any WritableKeyPath<ApplicationLimits, Int?> & Sendable
    ) -> ApplicationSetting {
        .init("limits.\(name)", takesNull: true) { value, app throws(CommandFailure) in
            app.limits[keyPath: field] = value.isNull ? nil : try value.integer(0...10_000_000)
        }
    }
}

extension ApplicationSetting {
    /// Puts the fields of an object into an application; returns which there were.
    @discardableResult
    static func apply(_ object: SettingValue, to application: inout Application) throws(CommandFailure) -> Set<String> {
        let top = all.map(\.name).filter { !$0.contains(".") } + ["limits"]
        var found: Set<String> = []
        for (key, value) in try object.members(of: top) {
            if key != "limits" {
                if try set(key, to: value, in: &application) { found.insert(key) }
            } else if !value.isNull {
                let known = all.map(\.name).filter { $0.hasPrefix("limits.") }.map { String($0.dropFirst(7)) }
                for (key, value) in try value.members(of: known) {
                    try set("limits.\(key)", to: value, in: &application)
                }
            }
        }
        return found
    }

    /// False when the value says nothing.
    @discardableResult
    private static func set(
        _ name: String, to value: SettingValue, in application: inout Application
    ) throws(CommandFailure) -> Bool {
        guard let setting = all.first(where: { $0.name == name }), setting.takesNull || !value.isNullJSON else { return false }
        try setting.set(value, &application)
        return true
    }
}
