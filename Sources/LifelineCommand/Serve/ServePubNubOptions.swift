import ArgumentParser

/// The options of `lifeline serve` for a single PubNub keyset.
struct ServePubNubOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The publish key of PubNub clients (default: demo).", valueName: "key"))
    var pubnubPublishKey: String?

    @Option(help: ArgumentHelp("The subscribe key of PubNub clients (default: demo).", valueName: "key"))
    var pubnubSubscribeKey: String?

    @Option(help: ArgumentHelp("The secret key that signs PubNub grants (default: demo-secret).", valueName: "key"))
    var pubnubSecret: String?

    @Option(
        help: ArgumentHelp(
            "An old secret key that is accepted as well, while it is being changed (default: none).", valueName: "key"))
    var pubnubPreviousSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether PubNub clients need grants (default: no).")
    var pubnubAccessManager: Bool?

    @Option(
        help: ArgumentHelp(
            "How long a poll is held while there are no messages, at most 300 (default: 280).", valueName: "seconds"))
    var pubnubPollHold: String?

    @Option(
        help: ArgumentHelp(
            "Up to this number of users in a channel, each join and leave is an event of its own (default: 20).",
            valueName: "users"))
    var pubnubAnnounceMaximum: String?

    @Option(help: ArgumentHelp("Above that number, how often a summary is sent (default: 10).", valueName: "seconds"))
    var pubnubPresenceInterval: String?

    @Option(
        help: ArgumentHelp(
            "The address that is told what messages ask to be pushed to devices (default: none).", valueName: "url"))
    var pubnubPushWebhook: String?

    @Option(help: ArgumentHelp("The largest file that clients can send (default: 5242880).", valueName: "bytes"))
    var pubnubFileBytes: String?

    @Option(
        help: ArgumentHelp(
            "How many bytes all files together may have; 0 for no files (default: 1073741824).", valueName: "bytes"))
    var pubnubFileStorage: String?

    @Option(help: ArgumentHelp("How long files are kept (default: for ever).", valueName: "seconds"))
    var pubnubFileLifetime: String?

    @Option(
        help: ArgumentHelp(
            "How long stored messages stay in the history at most (default: as long as their publishers say).",
            valueName: "seconds"))
    var pubnubHistoryRetention: String?

    /// The options that were given, by the names of their settings.
    var given: [(name: String, option: String, text: String)] {
        let texts: [(String, String, String?)] = [
            ("publishKey", "--pubnub-publish-key", pubnubPublishKey),
            ("subscribeKey", "--pubnub-subscribe-key", pubnubSubscribeKey),
            ("secret", "--pubnub-secret", pubnubSecret), ("previousSecret", "--pubnub-previous-secret", pubnubPreviousSecret),
            ("accessManager", "--pubnub-access-manager", pubnubAccessManager.map { "\($0)" }),
            ("pollHold", "--pubnub-poll-hold", pubnubPollHold),
            ("announceMaximum", "--pubnub-announce-maximum", pubnubAnnounceMaximum),
            ("presenceInterval", "--pubnub-presence-interval", pubnubPresenceInterval),
            ("pushWebhook", "--pubnub-push-webhook", pubnubPushWebhook),
            ("fileBytes", "--pubnub-file-bytes", pubnubFileBytes),
            ("fileStorage", "--pubnub-file-storage", pubnubFileStorage),
            ("fileLifetime", "--pubnub-file-lifetime", pubnubFileLifetime),
            ("historyRetention", "--pubnub-history-retention", pubnubHistoryRetention),
        ]
        return texts.compactMap { name, option, text in text.map { (name, option, $0) } }
    }
}
