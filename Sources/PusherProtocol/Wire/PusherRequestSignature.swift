import Crypto
import WireCoding

/// The signature of requests to the HTTP API. Pusher documentation, HTTP API, Authentication; rules PW-14 and PW-15.
public enum PusherRequestSignature {
    /// A query parameter: name and value, without percent-encoding.
    public typealias Parameter = (name: String, value: String)

    /// The MD5 of a request's body, in lowercase hexadecimal. The protocol requires this parameter. MD5 itself gives no security; the
    /// security is in the request's signature, which covers the parameter.
    public static func bodyMD5(_ body: [UInt8]) -> String {
        Hex.text(Insecure.MD5.hash(data: body))
    }

    /// The lowercase form of a parameter's name, in which names are compared and signed. Only ASCII letters are changed: in Unicode, the
    /// Kelvin sign also becomes k, which would allow another spelling of `auth_key`.
    public static func lowercased(_ name: String) -> String {
        guard name.utf8.contains(where: isUppercase) else { return name }
        return String(decoding: name.utf8.map { isUppercase($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

    /// The text that is signed: method, path, and all parameters except the signature, sorted by lowercase name. Values are unchanged.
    public static func text(method: String, path: String, parameters: [Parameter]) -> String {
        let sorted = parameters.map { (name: lowercased($0.name), value: $0.value) }
            .filter { !$0.name.utf8.elementsEqual("auth_signature".utf8) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var text = method.uppercased() + "\n" + path + "\n"
        text.reserveCapacity(sorted.reduce(text.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
        for (index, parameter) in sorted.enumerated() {
            if index > 0 { text += "&" }
            text += parameter.name
            text += "="
            text += parameter.value
        }
        return text
    }

    /// All parameters of a signed request: those of the caller, and those that authenticate the request.
    ///
    /// - Parameter timestamp: the time of the request, in seconds since 1970.
    public static func signed(
        method: String, path: String, parameters: [Parameter] = [], body: [UInt8] = [], key: String, secret: String,
        timestamp: Int
    ) -> [Parameter] {
        var all = parameters
        all.append(("auth_key", key))
        all.append(("auth_timestamp", String(timestamp)))
        all.append(("auth_version", "1.0"))
        if !body.isEmpty { all.append(("body_md5", bodyMD5(body))) }
        let signature = PusherSignature.sign(text(method: method, path: path, parameters: all), secret: secret)
        all.append(("auth_signature", signature))
        return all
    }

    /// Checks the authentication of a request on a server.
    ///
    /// The parameter `body_md5` is checked when there is a body. Without a body the parameter may be missing; if it is sent nevertheless,
    /// as one official SDK does, it must be right.
    ///
    /// - Parameters:
    ///   - parameters: all parameters of the query, decoded.
    ///   - now: the current time, in seconds since 1970.
    public static func check(
        method: String, path: String, parameters: [Parameter], body: [UInt8], key: String, secret: String, now: Int
    ) throws(PusherRequestSignatureError) {
        try check(method: method, path: path, parameters: parameters, body: body, key: key, secrets: [secret], now: now)
    }

    /// Checks the authentication of a request for an application with several valid secrets. The request may be signed with any of these
    /// secrets. Otherwise like ``check(method:path:parameters:body:key:secret:now:)``.
    public static func check(
        method: String, path: String, parameters: [Parameter], body: [UInt8], key: String, secrets: [String], now: Int
    ) throws(PusherRequestSignatureError) {
        func value(_ name: String) -> String? {
            parameters.last { lowercased($0.name).utf8.elementsEqual(name.utf8) }?.value
        }
        guard let givenKey = value("auth_key") else { throw .missing("auth_key") }
        guard let timestamp = value("auth_timestamp") else { throw .missing("auth_timestamp") }
        guard let version = value("auth_version") else { throw .missing("auth_version") }
        guard let signature = value("auth_signature") else { throw .missing("auth_signature") }
        guard ConstantTime.areEqual(givenKey, key) else { throw .unknownKey }
        guard version == "1.0" else { throw .unknownVersion }
        guard let seconds = Int(timestamp) else { throw .timestampOutOfRange }
        let (difference, overflow) = seconds.subtractingReportingOverflow(now)
        guard !overflow, difference.magnitude <= PusherLimits.timestampWindow else { throw .timestampOutOfRange }
        let text = text(method: method, path: path, parameters: parameters)
        let isRight = ConstantTime.anyIsRight(secrets) {
            ConstantTime.areEqual(signature, PusherSignature.sign(text, secret: $0))
        }
        guard isRight else { throw .wrongSignature }
        if let given = value("body_md5") {
            guard ConstantTime.areEqual(given.lowercased(), bodyMD5(body)) else { throw .wrongBodyMD5 }
        } else if !body.isEmpty {
            throw .missing("body_md5")
        }
    }
}

/// The reason why a request is not authenticated. It contains neither the expected nor the received values.
public enum PusherRequestSignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing(String)
    case unknownKey
    case unknownVersion
    /// The timestamp differs from the server's clock by more than ``PusherLimits/timestampWindow``, or is not a number.
    case timestampOutOfRange
    case wrongBodyMD5
    case wrongSignature

    public var description: String {
        switch self {
        case .missing(let name): "The query parameter \(name) is missing."
        case .unknownKey: "auth_key is not the key of the app."
        case .unknownVersion: "auth_version has to be 1.0."
        case .timestampOutOfRange:
            "auth_timestamp has to be within \(PusherLimits.timestampWindow) seconds of the server's clock."
        case .wrongBodyMD5: "body_md5 is not the MD5 of the body."
        case .wrongSignature: "auth_signature is wrong."
        }
    }
}
