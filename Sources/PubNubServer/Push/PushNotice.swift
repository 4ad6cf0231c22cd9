import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// The push notifications that a message requests, by push service: the values of `pn_apns`, `pn_fcm` or `pn_gcm`, and `pn_mpns` in
/// its payload (rules PU-20 to PU-23). A pure value.
struct PushNotice: Sendable {
    /// The payload for devices of one service.
    private struct Part: Sendable {
        /// The payload as the publisher wrote it.
        var payload: JSONText
        /// Tokens that the publisher excludes, in lowercase.
        var excluded: Set<Identifier>
    }

    private let apple: Part?
    private let google: Part?
    private let microsoft: Part?
    /// The targets of Apple's newer interface, each with its excluded tokens.
    private let targets: [PushDevice.Service: Set<Identifier>]

    /// The largest number of devices in one event; further devices go into further events.
    static let devicesPerEvent = 1000
    /// The largest number of targets that are used for one message: each target can be an event with the whole payload (rule PU-28).
    static let maximumTargets = 100

    /// Whether a message may request a push notification. This check is much faster than parsing the payload. Letters of keys may
    /// be escaped.
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

    /// Nil for a message that requests no push notification.
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
                // With several targets, a device is excluded only if each of them excludes it.
                found[service] = found[service]?.intersection(excluded) ?? excluded
            }
        }
        return found
    }

    /// The events for the keyset's webhook: one for each service, environment and topic that has devices, in a fixed order. They
    /// are made piece by piece, because a channel can have 100,000 devices.
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

/// The events of one message, made in steps that each process up to ``PushNotice/devicesPerEvent`` devices (rules PU-23 and PU-27).
struct PushEvents: Sendable {
    /// The devices of one service, and their payload.
    struct Group: Sendable {
        let service: PushDevice.Service
        let tokens: Set<Identifier>
        /// Excluded tokens, in lowercase.
        let excluded: Set<Identifier>
        /// The payload as the publisher wrote it.
        let payload: JSONText
    }

    private let message: StoredMessage
    private var groups: ArraySlice<Group>
    /// The position in the first group at which the next step begins; nil for the group's beginning.
    private var position: Set<Identifier>.Index?

    init(_ message: StoredMessage, _ groups: [Group]) {
        self.message = message
        self.groups = groups[...]
    }

    /// Whether all events have been made.
    var isFinished: Bool { groups.isEmpty }

    /// Processes the next devices.
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
