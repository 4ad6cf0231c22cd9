import LifelineServer
import RealtimeHub

/// The fields of a PubNub keyset. Rule SO-1.
enum KeysetSetting {
    static let fields = ServiceFields(
        word: "keyset", prefix: "LIFELINE_PUBNUB_", all: all, development: .development,
        blank: Keyset(publishKey: "", subscribeKey: "", secretKey: ""),
        keys: [.init(name: "publishKey", field: \.publishKey), .init(name: "subscribeKey", field: \.subscribeKey)],
        secret: "secret")

    private static let all: [ServiceField<Keyset>] = [
        .name("publishKey", \.publishKey),
        .name("subscribeKey", \.subscribeKey),
        .secret("secret", \.secretKey),
        .secret("previousSecret", \.previousSecretKey),
        .truth("enabled", \.isEnabled),
        .truth("accessManager", \.requiresGrants),
        // Clients give up soon after 300 s.
        .seconds("pollHold", \.pollHold, 1...300, unset: ServerConfiguration().pollHold),
        .integer("announceMaximum", \.announceMaximum, 0...1_000_000_000),
        .seconds("presenceInterval", \.presenceInterval, 1...3_600),
        .init("pushWebhook", shown: { .addresses($0.pushWebhook.map { [$0] } ?? []) }) { value, keyset throws(CommandFailure) in
            keyset.pushWebhook = try WebhookSetting.address(value)
        },
        // Several of the largest have to fit into memory at a time.
        .integer("fileBytes", \.fileBytes, 1...16_777_216),
        .integer("fileStorage", \.fileStorage, 0...1_099_511_627_776),
        .seconds("fileLifetime", \.fileLifetime, 60...3_153_600_000),
        .seconds("historyRetention", \.historyRetention, 60...3_153_600_000),
    ]
}
