import Identifiers
import PubNubProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

/// What a message asks to be pushed, by push service: the values of `pn_apns`, `pn_fcm` or `pn_gcm`, and `pn_mpns` in its payload
/// (rules PU-20 to PU-23). A pure value.
struct PushNotice: Sendable {
    /// What goes to devices of one service.
    private struct Part: Sendable {
        /// As the publisher wrote it.
        var payload: JSONText
        /// Tokens that the publisher leaves out, in lowercase.
        var excluded: Set<Identifier>
    }

    /// Which devices of Apple's newer interface are meant.
    private struct Target: Sendable {
        var environment: PushDevice.Environment
        var topic: Identifier
        var excluded: Set<Identifier>
    }

    private let apple: Part?
    private let google: Part?
    private let microsoft: Part?
    private let targets: [Target]

    /// An event names no more devices than this; others go into events of their own.
    static let devicesPerEvent = 1000

    /// Nil for a message that asks for no push notification.
    init?(_ message: StoredMessage) {
        guard message.kind == PubNubMessageKind.message.rawValue || message.kind == PubNubMessageKind.file.rawValue,
            message.payload.first == UInt8(ascii: "{"),
            let payload = try? JSONText(bytes: message.payload)
        else { return nil }
        var values: [String: JSONText] = [:]
        for member in payload.members ?? [] where member.key.hasBytePrefix("pn_") && member.value.kind == .object {
            values[member.key] = member.value
        }
        guard !values.isEmpty else { return nil }
        apple = values["pn_apns"].map { Part(payload: $0, excluded: Self.tokens($0["pn_exceptions"])) }
        google = (values["pn_fcm"] ?? values["pn_gcm"]).map { Part(payload: $0, excluded: Self.tokens($0["pn_exceptions"])) }
        microsoft = values["pn_mpns"].map { Part(payload: $0, excluded: Self.tokens($0["pn_exceptions"])) }
        targets = Self.targets(values["pn_apns"]?["pn_push"])
        guard apple != nil || google != nil || microsoft != nil else { return nil }
    }

    private static func tokens(_ list: JSONText?) -> Set<Identifier> {
        Set((list?.elements ?? []).compactMap { $0.string.map { Identifier($0.lowercased()) } })
    }

    /// `[{"targets":[{"topic":"…","environment":"…","exclude_devices":["…"]}]}]`
    private static func targets(_ list: JSONText?) -> [Target] {
        (list?.elements ?? []).flatMap { ($0["targets"]?.elements ?? []) }.compactMap { target in
            guard let topic = target["topic"]?.string,
                let environment = PushDevice.Environment(rawValue: target["environment"]?.string ?? "development")
            else { return nil }
            return Target(
                environment: environment, topic: Identifier(topic), excluded: tokens(target["exclude_devices"]))
        }
    }

    /// What the keyset's webhook is told: an event for each service, environment and topic that has devices, in a fixed order.
    func events(_ message: StoredMessage, to devices: Set<PushDevice>) -> [WebhookEvent] {
        var groups: [PushDevice.Service: [Identifier]] = [:]
        for device in devices where wants(device) { groups[device.service, default: []].append(device.token) }
        var events: [WebhookEvent] = []
        for (service, tokens) in groups.sorted(by: { Self.order($0.key) < Self.order($1.key) }) {
            guard let part = part(for: service) else { continue }
            var left = tokens.sorted()[...]
            while !left.isEmpty {
                let piece = left.prefix(Self.devicesPerEvent)
                left = left[piece.endIndex...]
                events.append(Self.event(message, service, piece.texts, part.payload))
            }
        }
        return events
    }

    private func part(for service: PushDevice.Service) -> Part? {
        switch service {
        case .apns, .apns2: apple
        case .fcm: google
        case .mpns: microsoft
        }
    }

    private func wants(_ device: PushDevice) -> Bool {
        let token = Identifier(device.token.text.lowercased())
        guard let part = part(for: device.service), !part.excluded.contains(token) else { return false }
        guard case .apns2(let environment, let topic) = device.service else { return true }
        return targets.contains { $0.environment == environment && $0.topic == topic && !$0.excluded.contains(token) }
    }

    private static func order(_ service: PushDevice.Service) -> String {
        PushDevice(service: service, token: "").recordKey
    }

    private static func event(
        _ message: StoredMessage, _ service: PushDevice.Service, _ tokens: [String], _ payload: JSONText
    ) -> WebhookEvent {
        let body = JSONBody.object { body in
            body.member("name", "push")
            body.member("channel", message.channel.text)
            body.member("timetoken", String(message.timetoken))
            if let publisher = message.publisher { body.member("uuid", publisher) }
            switch service {
            case .apns: body.member("service", "apns")
            case .apns2(let environment, let topic):
                body.member("service", "apns2")
                body.member("environment", environment.rawValue)
                body.member("topic", topic.text)
            case .fcm: body.member("service", "fcm")
            case .mpns: body.member("service", "mpns")
            }
            body.key("devices")
            body.strings(tokens)
            body.key("payload")
            body.json(Array(payload.text.utf8))
        }
        return WebhookEvent(topic: "", key: message.channel.text, body: body)
    }
}
