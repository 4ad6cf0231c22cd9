import ServerStorage

/// The fields of a chat application. Rule SO-1.
enum ChatSetting {
    static let fields = ServiceFields(
        word: "chat application", prefix: "LIFELINE_NEXCONN_", all: all + limits, development: .development,
        blank: ChatApplication(key: "", secret: ""), keys: [.init(name: "key", field: \.key)], secretField: "secret")

    /// The line about a chat application in the report of `serve --check`, with the application's key when there are several.
    @Sendable static func line(_ chat: ChatApplication, in settings: ServeSettings) -> String {
        let name = settings.chatApplications.count > 1 ? "chat \(chat.key)" : "chat"
        return "\(name): \(chat.isEnabled ? "" : "disabled, ")presence \(chat.hasPresence ? "on" : "off")"
            + HistoryBounds.text(chat.limits.historyMessages, chat.limits.historyBytes)
            + (chat.previousSecret == nil ? "" : ", two secrets")
    }

    private static let all: [ServiceField<ChatApplication>] = [
        // A key has at most 128 characters, the limit of the header of the server API that contains it.
        .name("key", \.key, length: 128, option: .text(\.nexconn.nexconnKey, "key"), "The app key of chat clients"),
        .secret("secret", \.secret, option: .text(\.nexconn.nexconnSecret, "key"), "The secret that signs the server API"),
        .secret(
            "previousSecret", \.previousSecret, option: .text(\.nexconn.nexconnPreviousSecret, "key"),
            "An old secret that is accepted as well, while the secret is being changed"),
        .truth("enabled", \.isEnabled),
        .truth(
            "syncDevices", \.syncsDevices, option: .flag(\.nexconn.nexconnSyncDevices),
            "Whether messages are sent to all devices of a user"),
        .truth("presence", \.hasPresence, option: .flag(\.nexconn.nexconnPresence), "Whether users may see who is online"),
        .truth(
            "ownRecalls", \.recallsOwnOnly, option: .flag(\.nexconn.nexconnOwnRecalls),
            "Whether only its sender may recall a message"),
        .truth(
            "createOpenChannels", \.createsOpenChannels, option: .flag(\.nexconn.nexconnCreateOpenChannels),
            "Whether entering an open channel that does not exist creates it"),
        .truth(
            "manyOpenChannels", \.allowsManyOpenChannels, option: .flag(\.nexconn.nexconnManyOpenChannels),
            "Whether a user may be in several open channels at a time"),
        .integer(
            "sendRate", \.limits.sendsPerSecond, in: 1...1_000_000, option: .text(\.nexconn.nexconnSendRate, "messages"),
            "Messages per second that a client may send"),
        .integer(
            "devices", \.limits.devicesPerClass, in: 1...100, option: .text(\.nexconn.nexconnDevices, "devices"),
            "Devices of each class that a user may have connected"),
        .seconds(
            "openGrace", \.limits.openGrace, in: 0...86_400, option: .text(\.nexconn.nexconnOpenGrace, "seconds"),
            "How long a user whose connection was lost stays in open channels"),
        .seconds(
            "tokenLifetime", \.tokenLifetime, in: 1...3_153_600_000, option: .text(\.nexconn.nexconnTokenLifetime, "seconds"),
            unset: .words("without end"), "How long tokens are valid"),
        // Histories must keep messages at least as long as inboxes do: 604,800 s.
        .seconds(
            "historyRetention", \.limits.historyRetention, in: 604_800...3_153_600_000,
            option: .text(\.nexconn.nexconnHistoryRetention, "seconds"), "How long histories keep messages"),
        .count(
            "historyMessages", \.limits.historyMessages, in: 1...1_000_000_000_000,
            option: .text(\.nexconn.nexconnHistoryMessages, "messages"),
            "How many messages all histories together may have; the oldest go"),
        .count(
            "historyBytes", \.limits.historyBytes, in: 1...1_000_000_000_000_000,
            option: .text(\.nexconn.nexconnHistoryBytes, "bytes"), "How many bytes these may have"),
        .init(
            "webhook", option: .text(\.nexconn.nexconnWebhook, "url"), unset: .words("nowhere"),
            "Posts messages and online status to this address",
            shown: { .addresses($0.webhook.map { [$0] } ?? []) }
        ) { value, chat throws(CommandFailure) in
            chat.webhook = try WebhookSetting.address(value)
        },
    ]

    private static let limits: [ServiceField<ChatApplication>] = [
        .integer("limits.connections", \.limits.connections, in: 0...10_000_000),
        .integer("limits.changesPerSecond", \.limits.changesPerSecond, in: 1...1_000_000),
        .integer("limits.queriesPerSecond", \.limits.queriesPerSecond, in: 1...1_000_000),
        .integer("limits.callsPerSecond", \.limits.callsPerSecond, in: 1...1_000_000),
        .integer("limits.users", \.limits.users, in: 0...100_000_000),
        .integer("limits.groups", \.limits.groups, in: 0...10_000_000),
        .integer("limits.groupMembers", \.limits.groupMembers, in: 1...1_000_000),
        .integer("limits.openChannels", \.limits.openChannels, in: 0...10_000_000),
        // The limit is the largest content that fits into a frame of a session.
        .integer("limits.contentBytes", \.limits.contentBytes, in: 1...131_072),
    ]
}

extension ServeSection {
    static let chat = make(
        ChatSetting.fields, .nexconn, in: \.chatApplications, members: ("nexconn", "nexconn"), list: "LIFELINE_NEXCONN",
        counted: "chat",
        read: { sources throws(CommandFailure) in
            try ServeSettings.chatApplications(sources.options, environment: sources.environment, file: sources.file)
        },
        written: { sources throws(CommandFailure) in
            try ServeSettings.oneOrSeveral(
                "LIFELINE_NEXCONN", environment: sources.environment, file: sources.file.sections["nexconn"])
        },
        isPublic: { $0.validSecrets.contains(ChatApplication.development.secret) },
        draft: [("key", .random(bytes: 8)), ("secret", .random(bytes: 32))], line: ChatSetting.line)
}

/// The text about `historyMessages` and `historyBytes` in the lines that a server logs when it starts.
enum HistoryBounds {
    static func text(_ messages: Int?, _ bytes: Int?) -> String {
        (messages.map { ", history of \($0) messages" } ?? "") + (bytes.map { ", history of \($0) bytes" } ?? "")
    }
}
