import Identifiers

/// A device as a push service knows it. Tokens and topics are compared by their bytes (rule PU-1). A pure value.
struct PushDevice: Hashable, Sendable {
    /// The push service that reaches the device.
    enum Service: Hashable, Sendable {
        /// Apple, by version 1 of the API.
        case apns
        /// Apple, by version 2 of the API.
        case apns2(Environment, topic: Identifier)
        /// Google, under both of its names.
        case fcm
        /// Microsoft.
        case mpns
    }

    enum Environment: String, Hashable, Sendable {
        case development
        case production
    }

    var service: Service
    /// Apple's as lowercase hexadecimal digits.
    var token: Identifier

    /// The longest token and the longest topic, in bytes.
    static let maximumToken = 1024
    static let maximumTopic = 255

    init(service: Service, token: Identifier) {
        self.service = service
        self.token = token
    }
}

// MARK: - Requests

/// Why a request for a device is refused, in the words of PubNub's service.
enum PushProblem: String, Error, Hashable, Sendable {
    case invalidToken = "Invalid device token"
    case invalidType = "Invalid type argument"
    case invalidAppleToken = "Expected 32 or 100 byte hex device token"
    case invalidEnvironment = "Invalid environment argument"
    case invalidTopic = "Invalid topic argument"
}

extension PushDevice {
    /// A device of version 1, whose service the parameter `type` names.
    init(type: String?, token: String) throws(PushProblem) {
        switch type {
        case "apns": self.init(service: .apns, token: try Self.apple(token))
        case "gcm", "fcm": self.init(service: .fcm, token: try Self.other(token))
        case "mpns": self.init(service: .mpns, token: try Self.other(token))
        default: throw .invalidType
        }
    }

    /// A device of version 2. Without an environment it is the one for development.
    init(environment: String?, topic: String?, token: String) throws(PushProblem) {
        guard let environment = Environment(rawValue: environment ?? Environment.development.rawValue) else {
            throw .invalidEnvironment
        }
        guard let topic, Self.isText(topic, maximum: Self.maximumTopic) else { throw .invalidTopic }
        self.init(service: .apns2(environment, topic: Identifier(topic)), token: try Self.apple(token))
    }

    /// 32 or 100 bytes. Libraries write the digits in either case, so one device would otherwise be two.
    private static func apple(_ token: String) throws(PushProblem) -> Identifier {
        let isHex = token.utf8.allSatisfy { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        }
        guard isHex, [64, 200].contains(token.utf8.count) else { throw .invalidAppleToken }
        return Identifier(token.lowercased())
    }

    private static func other(_ token: String) throws(PushProblem) -> Identifier {
        guard isText(token, maximum: maximumToken) else { throw .invalidToken }
        return Identifier(token)
    }

    private static func isText(_ text: String, maximum: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= maximum && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

// MARK: - Records

extension PushDevice {
    /// What names the device in a store: service, environment, topic and token on a line each. None of them has a line break.
    var recordKey: String {
        switch service {
        case .apns: "apns\n\n\n\(token.text)"
        case .apns2(let environment, let topic): "apns2\n\(environment.rawValue)\n\(topic.text)\n\(token.text)"
        case .fcm: "fcm\n\n\n\(token.text)"
        case .mpns: "mpns\n\n\n\(token.text)"
        }
    }

    /// Nil for a key of a later version, which may know other services.
    init?(recordKey: String) {
        let parts = recordKey.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 4, !parts[3].isEmpty else { return nil }
        switch (parts[0], Environment(rawValue: parts[1])) {
        case ("apns", nil): service = .apns
        case ("apns2", let environment?): service = .apns2(environment, topic: Identifier(parts[2]))
        case ("fcm", nil): service = .fcm
        case ("mpns", nil): service = .mpns
        default: return nil
        }
        token = Identifier(parts[3])
    }
}
