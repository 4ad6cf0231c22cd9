import RealtimeHub

/// The fields of a chat application. Rule SO-1.
enum ChatSetting {
    static let fields = ServiceFields(
        word: "chat application", prefix: "LIFELINE_NEXCONN_", all: all + limits, development: .development,
        blank: ChatApplication(key: "", secret: ""), keys: [.init(name: "key", field: \.key)], secret: "secret")

    private static let all: [ServiceField<ChatApplication>] = [
        // No longer than the header of the server API that names it.
        .name("key", \.key, length: 128),
        .secret("secret", \.secret),
        .secret("previousSecret", \.previousSecret),
        .truth("enabled", \.isEnabled),
        .truth("syncDevices", \.syncsDevices),
        .truth("presence", \.hasPresence),
        .truth("ownRecalls", \.recallsOwnOnly),
        .truth("createOpenChannels", \.createsOpenChannels),
        .truth("manyOpenChannels", \.allowsManyOpenChannels),
        .integer("sendRate", \.limits.sendsPerSecond, 1...1_000_000),
        .integer("devices", \.limits.devicesPerClass, 1...100),
        .seconds("openGrace", \.limits.openGrace, 0...86_400),
        .seconds("tokenLifetime", \.tokenLifetime, 1...3_153_600_000),
        .init("webhook", shown: { .addresses($0.webhook.map { [$0] } ?? []) }) { value, chat throws(CommandFailure) in
            chat.webhook = try WebhookSetting.address(value)
        },
    ]

    private static let limits: [ServiceField<ChatApplication>] = [
        .integer("limits.connections", \.limits.connections, 0...10_000_000),
        .integer("limits.changesPerSecond", \.limits.changesPerSecond, 1...1_000_000),
        .integer("limits.queriesPerSecond", \.limits.queriesPerSecond, 1...1_000_000),
        .integer("limits.callsPerSecond", \.limits.callsPerSecond, 1...1_000_000),
        .integer("limits.users", \.limits.users, 0...100_000_000),
        .integer("limits.groups", \.limits.groups, 0...10_000_000),
        .integer("limits.groupMembers", \.limits.groupMembers, 1...1_000_000),
        .integer("limits.openChannels", \.limits.openChannels, 0...10_000_000),
        // No more than a frame of a session holds.
        .integer("limits.contentBytes", \.limits.contentBytes, 1...131_072),
    ]
}
