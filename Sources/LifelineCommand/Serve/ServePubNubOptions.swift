import ArgumentParser

/// The options of `lifeline serve` for a single PubNub keyset.
struct ServePubNubOptions: ParsableArguments {
    @Option(help: KeysetSetting.fields.help("publishKey"))
    var pubnubPublishKey: String?

    @Option(help: KeysetSetting.fields.help("subscribeKey"))
    var pubnubSubscribeKey: String?

    @Option(help: KeysetSetting.fields.help("secret"))
    var pubnubSecret: String?

    @Option(help: KeysetSetting.fields.help("previousSecret"))
    var pubnubPreviousSecret: String?

    @Flag(inversion: .prefixedNo, help: KeysetSetting.fields.help("accessManager"))
    var pubnubAccessManager: Bool?

    @Option(help: KeysetSetting.fields.help("pollHold"))
    var pubnubPollHold: String?

    @Option(help: KeysetSetting.fields.help("announceMaximum"))
    var pubnubAnnounceMaximum: String?

    @Option(help: KeysetSetting.fields.help("presenceInterval"))
    var pubnubPresenceInterval: String?

    @Option(help: KeysetSetting.fields.help("pushWebhook"))
    var pubnubPushWebhook: String?

    @Option(help: KeysetSetting.fields.help("fileBytes"))
    var pubnubFileBytes: String?

    @Option(help: KeysetSetting.fields.help("fileStorage"))
    var pubnubFileStorage: String?

    @Option(help: KeysetSetting.fields.help("fileLifetime"))
    var pubnubFileLifetime: String?

    @Option(help: KeysetSetting.fields.help("historyRetention"))
    var pubnubHistoryRetention: String?

    @Option(help: KeysetSetting.fields.help("historyMessages"))
    var pubnubHistoryMessages: String?

    @Option(help: KeysetSetting.fields.help("historyBytes"))
    var pubnubHistoryBytes: String?
}
