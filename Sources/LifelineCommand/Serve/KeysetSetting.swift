import LifelineServer
import ServerStorage

/// The fields of a PubNub keyset. Rule SO-1.
enum KeysetSetting {
    static let fields = ServiceFields(
        word: "keyset", prefix: "LIFELINE_PUBNUB_", all: all, development: .development,
        blank: Keyset(publishKey: "", subscribeKey: "", secretKey: ""),
        keys: [.init(name: "publishKey", field: \.publishKey), .init(name: "subscribeKey", field: \.subscribeKey)],
        secretField: "secret")

    /// The line about a keyset in the report of `serve --check`, with the keyset's key when there are several.
    @Sendable static func line(_ keyset: Keyset, in settings: ServeSettings) -> String {
        let hold = (keyset.pollHold ?? settings.server.pollHold).components.seconds
        let name = settings.keysets.count > 1 ? "pubnub \(keyset.subscribeKey)" : "pubnub"
        return "\(name): \(keyset.isEnabled ? "" : "disabled, ")access manager \(keyset.requiresGrants ? "on" : "off"), "
            + "polls held \(hold) s" + history(of: keyset, in: settings)
            + (keyset.previousSecretKey == nil ? "" : ", two secrets")
    }

    /// The limits of a keyset's history, as text. Without a limit only the memory of Redis bounds the history.
    private static func history(of keyset: Keyset, in settings: ServeSettings) -> String {
        let bounds = HistoryBounds.text(keyset.historyMessages, keyset.historyBytes)
        if let retention = keyset.historyRetention { return ", history of \(retention.components.seconds) s" + bounds }
        let isEndless = keyset.isHistoryEndless && settings.redis != nil && !settings.usesDatabase
        return isEndless ? ", history without historyRetention" : bounds
    }

    private static let all: [ServiceField<Keyset>] = [
        .name(
            "publishKey", \.publishKey, option: .text(\.pubnub.pubnubPublishKey, "key"), "The publish key of PubNub clients"),
        .name(
            "subscribeKey", \.subscribeKey, option: .text(\.pubnub.pubnubSubscribeKey, "key"),
            "The subscribe key of PubNub clients"),
        .secret(
            "secret", \.secretKey, option: .text(\.pubnub.pubnubSecret, "key"), "The secret key that signs PubNub grants"),
        .secret(
            "previousSecret", \.previousSecretKey, option: .text(\.pubnub.pubnubPreviousSecret, "key"),
            "An old secret key that is accepted as well, while it is being changed"),
        .truth("enabled", \.isEnabled),
        .truth(
            "accessManager", \.requiresGrants, option: .flag(\.pubnub.pubnubAccessManager), "Whether PubNub clients need grants"),
        // At most 300 s, because clients give up a poll soon after that time.
        .seconds(
            "pollHold", \.pollHold, in: 1...300, used: ServerConfiguration().pollHold,
            option: .text(\.pubnub.pubnubPollHold, "seconds"),
            "How long a poll is held while there are no messages, at most 300"),
        .integer(
            "announceMaximum", \.announceMaximum, in: 0...1_000_000_000, option: .text(\.pubnub.pubnubAnnounceMaximum, "users"),
            "Up to this number of users in a channel, each join and leave is an event of its own"),
        .seconds(
            "presenceInterval", \.presenceInterval, in: 1...3_600, option: .text(\.pubnub.pubnubPresenceInterval, "seconds"),
            "Above that number, how often a summary is sent"),
        .init(
            "pushWebhook", option: .text(\.pubnub.pubnubPushWebhook, "url"), unset: .words("none"),
            "A webhook for messages that are to be pushed to devices",
            shown: { .addresses($0.pushWebhook.map { [$0] } ?? []) }
        ) { value, keyset throws(CommandFailure) in
            keyset.pushWebhook = try WebhookSetting.address(value)
        },
        // At most 16 MiB, because several of the largest files must fit in memory at the same time.
        .integer(
            "fileBytes", \.fileBytes, in: 1...16_777_216, option: .text(\.pubnub.pubnubFileBytes, "bytes"),
            "The largest file that clients can send"),
        .integer(
            "fileStorage", \.fileStorage, in: 0...1_099_511_627_776, option: .text(\.pubnub.pubnubFileStorage, "bytes"),
            "How many bytes all files together may have; 0 for no files"),
        .seconds(
            "fileLifetime", \.fileLifetime, in: 60...3_153_600_000, option: .text(\.pubnub.pubnubFileLifetime, "seconds"),
            unset: .words("for ever"), "How long files are kept"),
        .seconds(
            "historyRetention", \.historyRetention, in: 60...3_153_600_000,
            option: .text(\.pubnub.pubnubHistoryRetention, "seconds"), unset: .words("as long as their publishers say"),
            "How long stored messages stay in the history at most"),
        .count(
            "historyMessages", \.historyMessages, in: 1...1_000_000_000_000,
            option: .text(\.pubnub.pubnubHistoryMessages, "messages"),
            "How many stored messages all channels together may have; the oldest go"),
        .count(
            "historyBytes", \.historyBytes, in: 1...1_000_000_000_000_000, option: .text(\.pubnub.pubnubHistoryBytes, "bytes"),
            "How many bytes these may have"),
    ]
}

extension ServeSection {
    static let pubnub: ServeSection = {
        var section = make(
            KeysetSetting.fields, .pubnub, in: \.keysets, members: ("pubnub", "pubnub"), list: "LIFELINE_PUBNUB",
            counted: "pubnub",
            read: { sources throws(CommandFailure) in
                try ServeSettings.keysets(sources.options, environment: sources.environment, file: sources.file)
            },
            written: { sources throws(CommandFailure) in
                try ServeSettings.oneOrSeveral(
                    "LIFELINE_PUBNUB", environment: sources.environment, file: sources.file.sections["pubnub"])
            },
            isPublic: { $0.validSecretKeys.contains(Keyset.development.secretKey) },
            draft: [
                ("publishKey", .random(bytes: 16, prefix: "pub-c-")), ("subscribeKey", .random(bytes: 16, prefix: "sub-c-")),
                ("secret", .random(bytes: 32, prefix: "sec-c-")), ("accessManager", .no),
            ], line: KeysetSetting.line)
        section.notice = { settings in
            let endless = settings.keysets.filter(\.isHistoryEndless).map(\.subscribeKey)
            guard settings.redis != nil, !settings.usesDatabase, !endless.isEmpty else { return nil }
            return (
                "keysets have no historyRetention, historyMessages or historyBytes: only the memory of Redis bounds their history",
                ["keysets": "\(endless.joined(separator: " "))"]
            )
        }
        return section
    }()
}

extension Keyset {
    /// Whether a history has no limit of age, number or size. With Redis only the memory of Redis bounds such a history.
    fileprivate var isHistoryEndless: Bool { historyRetention == nil && historyMessages == nil && historyBytes == nil }
}
