import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// The push notifications that a message requests: the values of `pn_apns`, `pn_fcm` or `pn_gcm`, and `pn_mpns` in its payload, by push
/// service (rules PU-20 to PU-23). A pure value.
struct PushNotice: Sendable {
    /// The notification for the devices of one push service.
    private struct Part: Sendable {
        /// The notification's JSON as the publisher wrote it.
        var payload: JSONText
        /// Tokens of devices that the publisher excludes, in lowercase.
        var excluded: Set<Identifier>
    }

    private let apple: Part?
    private let google: Part?
    private let microsoft: Part?
    /// The environments and topics that the message names for devices of API version 2, each with its excluded tokens.
    private let targets: [PushDevice.Service: Set<Identifier>]

    /// The largest number of devices in one webhook event. For more devices, several events are sent.
    static let devicesPerEvent = 1000
    /// The largest number of targets of one message. Further targets are ignored, because each target may cause an event that contains the
    /// whole payload (rule PU-28).
    static let maximumTargets = 100

    /// Whether a message may request a push notification. This check is much faster than parsing the payload. It also finds keys that are
    /// written with JSON escapes.
    static func isPossible(in message: StoredMessage) -> Bool {
        guard message.payload.first == UInt8(ascii: "{") else { return false }
        var previous: (UInt8, UInt8) = (0, 0)
        for byte in message.payload {
            if byte == UInt8(ascii: "_"), previous == (UInt8(ascii: "p"), UInt8(ascii: "n")) { return true }
            if byte == UInt8(ascii: "u"), previous.1 == UInt8(ascii: "\\") { return true }
            previous = (previous.1, byte)
        }
        return false
    }

    /// Reads the notifications from a message's payload; nil when it requests none.
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
    private static func targets(_ list: JSONText?) -> [PushDevice.Service: Set<Identifier>] {
        var found: [PushDevice.Service: Set<Identifier>] = [:]
        var left = maximumTargets
        for element in list?.elements ?? [] {
            for target in element["targets"]?.elements ?? [] {
                guard left > 0 else { return found }
                left -= 1
                guard let topic = target["topic"]?.string,
                    let environment = PushDevice.Environment(rawValue: target["environment"]?.string ?? "development")
                else { continue }
                let service = PushDevice.Service.apns2(environment, topic: Identifier(topic))
                let excluded = tokens(target["exclude_devices"])
                // When several targets have the same environment and topic, a device is excluded only if each of these targets excludes it.
                found[service] = found[service]?.intersection(excluded) ?? excluded
            }
        }
        return found
    }

    /// The events for the keyset's webhook, in a fixed order: one for each service, environment and topic that has devices. The result
    /// makes the events step by step, because a channel can have 100,000 devices.
    func events(_ message: StoredMessage, to devices: [PushDevice.Service: Set<Identifier>]) -> PushEvents {
        var groups: [PushEvents.Group] = []
        func add(_ service: PushDevice.Service, _ part: Part?, excluding excluded: Set<Identifier> = []) {
            guard let part, let tokens = devices[service] else { return }
            groups.append(
                PushEvents.Group(service: service, tokens: tokens, excluded: part.excluded.union(excluded), payload: part.payload)
            )
        }
        add(.apns, apple)
        let ordered = targets.map { (order: PushDevice(service: $0.key, token: "").recordKey, target: $0) }
        for item in ordered.sorted(by: { $0.order < $1.order }) {
            add(item.target.key, apple, excluding: item.target.value)
        }
        add(.fcm, google)
        add(.mpns, microsoft)
        return PushEvents(message, groups)
    }
}

/// The webhook events of one message. Each step makes at most one event, for at most ``PushNotice/devicesPerEvent`` devices (rules PU-23
/// and PU-27).
struct PushEvents: Sendable {
    /// The devices of one service, and the notification for them.
    struct Group: Sendable {
        let service: PushDevice.Service
        let tokens: Set<Identifier>
        /// Tokens of devices that the publisher excludes, in lowercase.
        let excluded: Set<Identifier>
        /// The notification's JSON as the publisher wrote it.
        let payload: JSONText
    }

    private let message: StoredMessage
    private var groups: ArraySlice<Group>
    /// The position among the first group's tokens at which the next step begins; nil for the beginning.
    private var position: Set<Identifier>.Index?

    init(_ message: StoredMessage, _ groups: [Group]) {
        self.message = message
        self.groups = groups[...]
    }

    /// Whether the events for all devices have been made.
    var isFinished: Bool { groups.isEmpty }

    /// Processes the next devices, at most ``PushNotice/devicesPerEvent``.
    ///
    /// - Returns: an event for the devices; nil when all of them are excluded.
    mutating func step() -> WebhookEvent? {
        guard let group = groups.first else { return nil }
        var index = position ?? group.tokens.startIndex
        var tokens: [Identifier] = []
        for _ in 0..<PushNotice.devicesPerEvent where index < group.tokens.endIndex {
            let token = group.tokens[index]
            if group.excluded.isEmpty || !group.excluded.contains(Identifier(token.text.lowercased())) { tokens.append(token) }
            group.tokens.formIndex(after: &index)
        }
        position = index
        if index == group.tokens.endIndex {
            groups = groups.dropFirst()
            position = nil
        }
        return tokens.isEmpty ? nil : event(group, tokens.sorted().texts)
    }

    private func event(_ group: Group, _ tokens: [String]) -> WebhookEvent {
        let body = JSONBody.object { body in
            body.member("name", "push")
            body.member("channel", message.channel.text)
            body.member("timetoken", String(message.timetoken))
            if let publisher = message.publisher { body.member("uuid", publisher) }
            switch group.service {
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
            body.json(Array(group.payload.text.utf8))
        }
        return WebhookEvent(topic: "", key: message.channel.text, body: body)
    }
}
