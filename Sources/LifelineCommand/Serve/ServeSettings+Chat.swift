import Configuration
import Foundation
import LifelineServer
import RealtimeHub

// The chat application. Rule CL-18.
extension ServeSettings {
    static func chat(
        _ options: ServeNexconnOptions, _ reader: ConfigReader
    ) async throws(CommandFailure) -> ChatApplication {
        var chat = ChatApplication.development
        chat.key = try await string(options.nexconnKey, "nexconn.key", in: reader) ?? chat.key
        if let secret = try await string(options.nexconnSecret, "nexconn.secret", in: reader) { chat.secret = Secret(secret) }
        chat.syncsDevices = try await truth(options.nexconnSyncDevices, "nexconn.syncDevices", in: reader) ?? chat.syncsDevices
        chat.hasPresence = try await truth(options.nexconnPresence, "nexconn.presence", in: reader) ?? chat.hasPresence
        chat.recallsOwnOnly = try await truth(options.nexconnOwnRecalls, "nexconn.ownRecalls", in: reader) ?? chat.recallsOwnOnly
        chat.createsOpenChannels =
            try await truth(options.nexconnCreateOpenChannels, "nexconn.createOpenChannels", in: reader)
            ?? chat.createsOpenChannels
        chat.allowsManyOpenChannels =
            try await truth(options.nexconnManyOpenChannels, "nexconn.manyOpenChannels", in: reader)
            ?? chat.allowsManyOpenChannels
        chat.webhook = try await webhook(options, reader)
        if let rate = try await number(options.nexconnSendRate, "nexconn.sendRate", 1...1_000_000, in: reader) {
            chat.limits.sendsPerSecond = rate
        }
        if let devices = try await number(options.nexconnDevices, "nexconn.devices", 1...100, in: reader) {
            chat.limits.devicesPerClass = devices
        }
        if let grace = try await number(options.nexconnOpenGrace, "nexconn.openGrace", 0...86_400, in: reader) {
            chat.limits.openGrace = .seconds(grace)
        }
        if let lifetime = try await number(
            options.nexconnTokenLifetime, "nexconn.tokenLifetime", 1...3_153_600_000, in: reader)
        {
            chat.tokenLifetime = .seconds(lifetime)
        }
        return chat
    }

    private static func webhook(
        _ options: ServeNexconnOptions, _ reader: ConfigReader
    ) async throws(CommandFailure) -> String? {
        guard let text = try await string(options.nexconnWebhook, "nexconn.webhook", in: reader) else { return nil }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false
        else {
            throw CommandFailure("The webhook is no address. Write it like https://example.com/hook.", .usage)
        }
        return text
    }
}
