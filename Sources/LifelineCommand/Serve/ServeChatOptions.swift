import ArgumentParser

/// The options of `lifeline serve` for a single chat application.
struct ServeChatOptions: ParsableArguments {
    @Option(help: ChatSetting.fields.help("key"))
    var nexconnKey: String?

    @Option(help: ChatSetting.fields.help("secret"))
    var nexconnSecret: String?

    @Option(help: ChatSetting.fields.help("previousSecret"))
    var nexconnPreviousSecret: String?

    @Flag(inversion: .prefixedNo, help: ChatSetting.fields.help("syncDevices"))
    var nexconnSyncDevices: Bool?

    @Flag(inversion: .prefixedNo, help: ChatSetting.fields.help("presence"))
    var nexconnPresence: Bool?

    @Flag(inversion: .prefixedNo, help: ChatSetting.fields.help("ownRecalls"))
    var nexconnOwnRecalls: Bool?

    @Flag(inversion: .prefixedNo, help: ChatSetting.fields.help("createOpenChannels"))
    var nexconnCreateOpenChannels: Bool?

    @Flag(inversion: .prefixedNo, help: ChatSetting.fields.help("manyOpenChannels"))
    var nexconnManyOpenChannels: Bool?

    @Option(help: ChatSetting.fields.help("sendRate"))
    var nexconnSendRate: String?

    @Option(help: ChatSetting.fields.help("devices"))
    var nexconnDevices: String?

    @Option(help: ChatSetting.fields.help("openGrace"))
    var nexconnOpenGrace: String?

    @Option(help: ChatSetting.fields.help("tokenLifetime"))
    var nexconnTokenLifetime: String?

    @Option(help: ChatSetting.fields.help("historyRetention"))
    var nexconnHistoryRetention: String?

    @Option(help: ChatSetting.fields.help("historyMessages"))
    var nexconnHistoryMessages: String?

    @Option(help: ChatSetting.fields.help("historyBytes"))
    var nexconnHistoryBytes: String?

    @Option(help: ChatSetting.fields.help("webhook"))
    var nexconnWebhook: String?
}
