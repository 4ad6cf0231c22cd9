import Crypto
import Identifiers
import OrderedCollections
import WireCoding

/// An access token: permissions that a server granted for a limited time, with the server's signature (rules PC-30 to PC-36).
public struct PubNubAccessToken: Hashable, Sendable {
    /// The maximum length of a token's text in bytes. Longer texts are refused.
    public static let maximumLength = 32_768

    public var version: Int
    /// When the token was granted, in seconds since 1970.
    public var issued: Int
    /// How long the token is valid after `issued`, in minutes.
    public var ttl: Int
    public var resources: PubNubGrants
    /// The permissions for resources whose names match a regular expression; see ``PubNubAccessPattern``.
    public var patterns: PubNubGrants
    /// The metadata that the granting server put into the token; empty for none.
    public var metadata: OrderedDictionary<String, JSONValue>
    /// The only user id that may use the token; nil when any user may.
    public var authorizedUser: String?
    /// Rights on all resources of a kind, by the names `chan` and `uuid`.
    public var categories: PubNubGrants.Rights
    /// The signature, 32 bytes; empty before the token is signed.
    public private(set) var signature: [UInt8] = []

    public init(
        issued: Int, ttl: Int, resources: PubNubGrants = .init(), patterns: PubNubGrants = .init(),
        metadata: OrderedDictionary<String, JSONValue> = [:], authorizedUser: String? = nil,
        categories: PubNubGrants.Rights = [:]
    ) {
        version = 2
        self.issued = issued
        self.ttl = ttl
        self.resources = resources
        self.patterns = patterns
        self.metadata = metadata
        self.authorizedUser = authorizedUser
        self.categories = categories
    }

    /// Reads a token in base64url, with or without padding. Does not check the signature, because clients do not have the secret key.
    public init(parsing text: String) throws(PubNubAccessTokenError) {
        guard text.utf8.count <= Self.maximumLength, let bytes = Base64URL.bytes(text) else { throw .malformed }
        try self.init(CBORReader.read(bytes))
    }

    /// The token encoded as base64url with padding.
    public var text: String {
        var out: [UInt8] = []
        value(isSigned: true).append(to: &out)
        return Base64URL.text(out)
    }

    /// Signs the token with HMAC-SHA256 over its CBOR without the signature. Later changes of the token make the signature invalid.
    public mutating func sign(with secretKey: String) {
        signature = code(secretKey)
    }

    /// Whether the signature matches the token's present contents. The comparison takes constant time.
    public func isSigned(with secretKey: String) -> Bool {
        ConstantTime.areEqual(signature, code(secretKey))
    }

    /// When the token expires, in seconds since 1970.
    public var expires: Int {
        let (length, tooLong) = ttl.multipliedReportingOverflow(by: 60)
        let (end, tooLate) = issued.addingReportingOverflow(length)
        return tooLong || tooLate ? .max : end
    }

    /// Whether the token has expired at the time `now`.
    ///
    /// - Parameter now: seconds since 1970.
    public func isExpired(at now: Int) -> Bool { now >= expires }

    private func code(_ secretKey: String) -> [UInt8] {
        var out: [UInt8] = []
        value(isSigned: false).append(to: &out)
        return Array(HMAC<SHA256>.authenticationCode(for: out, using: SymmetricKey(data: Array(secretKey.utf8))))
    }
}

/// The reason why a token cannot be read. The error contains no part of the token.
public enum PubNubAccessTokenError: Error, Hashable, Sendable {
    /// The text is not base64url, or the bytes are not the CBOR of a token.
    case malformed
}

extension PubNubAccessToken {
    private init(_ value: CBORValue) throws(PubNubAccessTokenError) {
        guard let version = value["v"]?.integer, let issued = value["t"]?.integer, let ttl = value["ttl"]?.integer else {
            throw .malformed
        }
        self.init(issued: issued, ttl: ttl)
        self.version = version
        resources = try Self.grants(value["res"])
        patterns = try Self.grants(value["pat"])
        categories = try Self.rights(value["cat"])
        if let user = value["uuid"] {
            guard let name = user.name else { throw .malformed }
            authorizedUser = name
        }
        if case .map(let pairs)? = value["meta"] {
            for pair in pairs {
                guard let key = pair.key.name else { throw .malformed }
                metadata[key] = try Self.json(pair.value)
            }
        }
        if let signature = value["sig"] {
            guard case .bytes(let bytes) = signature else { throw .malformed }
            self.signature = bytes
        }
    }

    private static func grants(_ value: CBORValue?) throws(PubNubAccessTokenError) -> PubNubGrants {
        guard let value else { throw .malformed }
        return PubNubGrants(
            channels: try rights(value["chan"]), groups: try rights(value["grp"]), users: try rights(value["uuid"]),
            legacyUsers: try rights(value["usr"]), legacySpaces: try rights(value["spc"]))
    }

    private static func rights(_ value: CBORValue?) throws(PubNubAccessTokenError) -> PubNubGrants.Rights {
        guard let value else { return [:] }
        guard case .map(let pairs) = value else { throw .malformed }
        var rights: PubNubGrants.Rights = [:]
        for pair in pairs {
            guard let name = pair.key.name.map({ Identifier($0) }), let bits = pair.value.integer, rights[name] == nil else {
                throw .malformed
            }
            rights[name] = PubNubRights(rawValue: bits)
        }
        return rights
    }

    private static func json(_ value: CBORValue) throws(PubNubAccessTokenError) -> JSONValue {
        switch value {
        case .unsigned(let number): return .number(JSONNumber(checked: String(number)))
        case .negative(let number):
            guard let integer = value.integer else { return JSONNumber(-1 - Double(number)).map { .number($0) } ?? .null }
            return .number(JSONNumber(integer))
        case .bytes, .text:
            guard let text = value.name else { throw .malformed }
            return .string(text)
        case .array(let elements):
            var values: [JSONValue] = []
            for element in elements { values.append(try json(element)) }
            return .array(values)
        case .map(let pairs):
            var members: OrderedDictionary<String, JSONValue> = [:]
            for pair in pairs {
                guard let key = pair.key.name else { throw .malformed }
                members[key] = try json(pair.value)
            }
            return .object(members)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .double(let number): return JSONNumber(number).map { .number($0) } ?? .null
        }
    }
}

extension PubNubAccessToken {
    private func value(isSigned: Bool) -> CBORValue {
        var pairs = [
            Self.pair("v", CBORValue(version)), Self.pair("t", CBORValue(issued)), Self.pair("ttl", CBORValue(ttl)),
            Self.pair("res", Self.value(resources)), Self.pair("pat", Self.value(patterns)),
            Self.pair("meta", Self.map(metadata.map { ($0.key, Self.value($0.value)) })),
        ]
        if let authorizedUser { pairs.append(Self.pair("uuid", .text(authorizedUser))) }
        if !categories.isEmpty {
            pairs.append(Self.pair("cat", .map(categories.map { Self.pair($0.key.text, CBORValue($0.value.rawValue)) })))
        }
        if isSigned { pairs.append(Self.pair("sig", .bytes(signature))) }
        return .map(pairs)
    }

    /// The token's fixed keys are byte strings in CBOR. Names that users choose are text strings.
    private static func pair(_ key: String, _ value: CBORValue) -> CBORValue.Pair {
        CBORValue.Pair(key: .bytes(Array(key.utf8)), value: value)
    }

    private static func map(_ members: [(String, CBORValue)]) -> CBORValue {
        .map(members.map { CBORValue.Pair(key: .text($0.0), value: $0.1) })
    }

    private static func value(_ grants: PubNubGrants) -> CBORValue {
        func rights(_ rights: PubNubGrants.Rights) -> CBORValue {
            map(rights.map { ($0.key.text, CBORValue($0.value.rawValue)) })
        }
        return .map([
            pair("chan", rights(grants.channels)), pair("grp", rights(grants.groups)), pair("usr", rights(grants.legacyUsers)),
            pair("spc", rights(grants.legacySpaces)), pair("uuid", rights(grants.users)),
        ])
    }

    private static func value(_ json: JSONValue) -> CBORValue {
        switch json {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .number(let number): number.integer.map { CBORValue($0) } ?? .double(number.double)
        case .string(let text): .text(text)
        case .array(let elements): .array(elements.map { value($0) })
        case .object(let members): map(members.map { ($0.key, value($0.value)) })
        }
    }
}
