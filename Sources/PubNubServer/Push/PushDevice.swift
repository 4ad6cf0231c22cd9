import Identifiers

/// A device that receives push notifications. Tokens and topics are compared by their bytes (rule PU-1). A pure value.
struct PushDevice: Hashable, Sendable {
    /// The push service of the device's vendor.
    enum Service: Hashable, Sendable {
        /// Apple's push service (APNs), as version 1 of the API names it.
        case apns
        /// Apple's push service (APNs) with environment and topic, as version 2 of the API names it.
        case apns2(Environment, topic: Identifier)
        /// Google's push service; requests name it `fcm` or `gcm`.
        case fcm
        /// Microsoft's push service.
        case mpns
    }

    enum Environment: String, Hashable, Sendable {
        case development
        case production
    }

    var service: Service
    /// The device token. The hexadecimal digits of an Apple token are in lowercase.
    var token: Identifier

    /// The allowed numbers of digits of an Apple token at registration. Apple documents no length; 16 digits are the shortest token that
    /// PubNub's service was recorded to accept.
    static let appleDigits = 16...200
    /// The largest length of a token in bytes; a topic may have `maximumTopic` bytes.
    static let maximumToken = 1024
    static let maximumTopic = 255

    init(service: Service, token: Identifier) {
        self.service = service
        self.token = token
    }
}

// MARK: - Requests

/// Why a request for a device is refused, in the format of PubNub's service.
enum PushProblem: String, Error, Hashable, Sendable {
    case invalidToken = "Invalid device token"
    case invalidType = "Invalid type argument"
    case invalidEnvironment = "Invalid environment argument"
    case invalidTopic = "Invalid topic argument"
}

extension PushDevice {
    /// Makes a device of API version 1. The parameter `type` names its push service.
    ///
    /// - Parameter isRegistered: whether the request registers the device. The form of the token is checked only in this case (rule PU-1).
    init(type: String?, token: String, isRegistered: Bool = true) throws(PushProblem) {
        switch type {
        case "apns": self.init(service: .apns, token: try Self.apple(token, isRegistered))
        case "gcm", "fcm": self.init(service: .fcm, token: try Self.other(token, isRegistered))
        case "mpns": self.init(service: .mpns, token: try Self.other(token, isRegistered))
        default: throw .invalidType
        }
    }

    /// Makes a device of API version 2. The environment is `development` when the request names none.
    init(environment: String?, topic: String?, token: String, isRegistered: Bool = true) throws(PushProblem) {
        guard let environment = Environment(rawValue: environment ?? Environment.development.rawValue) else {
            throw .invalidEnvironment
        }
        guard let topic, Self.isText(topic, maximum: Self.maximumTopic) else { throw .invalidTopic }
        self.init(
            service: .apns2(environment, topic: Identifier(topic)), token: try Self.apple(token, isRegistered))
    }

    /// An Apple token with lowercase digits. Client libraries send upper or lower case, and without the conversion a device could be
    /// registered twice.
    private static func apple(_ token: String, _ isRegistered: Bool) throws(PushProblem) -> Identifier {
        let isHex = token.utf8.allSatisfy { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        }
        if isRegistered { guard isHex, appleDigits.contains(token.utf8.count) else { throw .invalidToken } }
        return isHex && !token.isEmpty ? Identifier(token.lowercased()) : try other(token, isRegistered)
    }

    private static func other(_ token: String, _ isRegistered: Bool) throws(PushProblem) -> Identifier {
        guard isText(token, maximum: maximumToken, hasSpaces: !isRegistered) else { throw .invalidToken }
        return Identifier(token)
    }

    private static func isText(_ text: String, maximum: Int, hasSpaces: Bool = false) -> Bool {
        !text.isEmpty && text.utf8.count <= maximum
            && text.utf8.allSatisfy { ($0 > 0x20 || (hasSpaces && $0 == 0x20)) && $0 != 0x7F }
    }
}

// MARK: - Records

extension PushDevice {
    /// The key of the device's record: service, environment, topic and token, one per line. These values contain no line breaks.
    var recordKey: String {
        switch service {
        case .apns: "apns\n\n\n\(token.text)"
        case .apns2(let environment, let topic): "apns2\n\(environment.rawValue)\n\(topic.text)\n\(token.text)"
        case .fcm: "fcm\n\n\n\(token.text)"
        case .mpns: "mpns\n\n\n\(token.text)"
        }
    }

    /// Reads a device from the key of a record. Nil for an unknown service, which a later version of the server may have stored.
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
