import Crypto
import WireCoding

/// The signature of requests with the secret key (rules PC-20 to PC-24).
public enum PubNubSignature {
    /// The maximum difference between a request's timestamp and the server's clock, in seconds.
    public static let timestampWindow = 60

    /// The query in the form in which it is signed: all parameters except `signature`, sorted by name. Names and values are
    /// percent-encoded, including `~`.
    ///
    /// - Parameter parameters: the parameters, not percent-encoded, including `timestamp`.
    public static func query(_ parameters: [PubNubRequest.Parameter]) -> String {
        var out: [UInt8] = []
        for parameter in parameters.filter({ $0.name != "signature" }).sorted(by: { precedes($0.name, $1.name) }) {
            if !out.isEmpty { out.append(UInt8(ascii: "&")) }
            append(parameter.name, to: &out)
            out.append(UInt8(ascii: "="))
            append(parameter.value, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The query in the form that some clients sign: the parameters exactly as the client sent them, without `signature`, sorted by the
    /// bytes of their names.
    ///
    /// - Parameter rawQuery: the query as received, still percent-encoded.
    static func query(asSent rawQuery: String) -> String {
        rawQuery.split(separator: "&").filter { !$0.hasPrefix("signature=") }
            .sorted { precedes($0.prefix { $0 != "=" }, $1.prefix { $0 != "=" }) }.joined(separator: "&")
    }

    /// The value of `signature` for a request. PubNub has two forms: a POST to `/publish` gets the first form, which does not sign the
    /// method and the body; every other request gets the second form, with the prefix `v2.`.
    ///
    /// - Parameters:
    ///   - path: the path as it is sent, percent-encoded, with its leading slash.
    ///   - parameters: all parameters of the query, not percent-encoded, including `timestamp`.
    ///   - body: the body as text before compression.
    public static func signature(
        method: String, path: String, parameters: [PubNubRequest.Parameter], body: [UInt8] = [], publishKey: String,
        subscribeKey: String, secretKey: String
    ) -> String {
        let query = query(parameters)
        return usesFirstForm(method: method, path: path)
            ? first(path: path, query: query, publishKey: publishKey, subscribeKey: subscribeKey, secretKey: secretKey)
            : second(method: method, path: path, query: query, body: body, publishKey: publishKey, secretKey: secretKey)
    }

    /// Returns the parameters that a client sends: the given parameters with `timestamp` and `signature` added.
    ///
    /// - Parameter timestamp: seconds since 1970.
    public static func signed(
        method: String, path: String, parameters: [PubNubRequest.Parameter], body: [UInt8] = [], publishKey: String,
        subscribeKey: String, secretKey: String, timestamp: Int
    ) -> [PubNubRequest.Parameter] {
        var all = parameters.filter { $0.name != "timestamp" && $0.name != "signature" }
        all.append(PubNubRequest.Parameter("timestamp", String(timestamp)))
        let signature = signature(
            method: method, path: path, parameters: all, body: body, publishKey: publishKey, subscribeKey: subscribeKey,
            secretKey: secretKey)
        all.append(PubNubRequest.Parameter("signature", signature))
        return all
    }

    /// Checks the signature and timestamp of a request, for servers. Signatures are compared in constant time.
    ///
    /// - Parameters:
    ///   - path: the path as received, still percent-encoded.
    ///   - parameters: all parameters of the query, decoded.
    ///   - rawQuery: the query as received, for clients that sign the query exactly as they send it; nil when only `parameters` are known.
    ///   - body: the body as text, after decompression.
    ///   - secretKeys: the secret keys of the keyset. A keyset may have several; the signature may be made with any of them.
    ///   - now: seconds since 1970.
    public static func check(
        method: String, path: String, parameters: [PubNubRequest.Parameter], rawQuery: String? = nil, body: [UInt8] = [],
        publishKey: String, subscribeKey: String, secretKeys: [String], now: Int
    ) throws(PubNubSignatureError) {
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        guard let signature = value("signature") else { throw .missing }
        guard let timestamp = value("timestamp").flatMap({ Int($0) }) else { throw .timestampOutOfRange }
        let (difference, overflow) = timestamp.subtractingReportingOverflow(now)
        guard !overflow, difference.magnitude <= timestampWindow else { throw .timestampOutOfRange }
        let isSecondForm = signature.hasPrefix("v2.")
        let isPublish = path.hasPrefix("/publish") && ["GET", "POST"].contains(method.uppercased())
        guard isSecondForm || isPublish else { throw .wrong }
        // When a client sends a POST to `/publish`, some SDKs sign the method POST with the body, and other SDKs sign the method GET
        // without a body. Both signatures are accepted.
        var signed = [(method: method, body: body)]
        if isPublish, method.uppercased() == "POST" { signed.append((method: "GET", body: [])) }
        let queries = [query(parameters), rawQuery.map { query(asSent: $0) }].compactMap { $0 }
        let isRight = ConstantTime.anyIsRight(secretKeys) { secretKey in
            queries.contains { query in
                guard isSecondForm else {
                    let expected = first(
                        path: path, query: query, publishKey: publishKey, subscribeKey: subscribeKey, secretKey: secretKey)
                    return ConstantTime.areEqual(signature, expected)
                }
                return signed.contains { method, body in
                    let expected = second(
                        method: method, path: path, query: query, body: body, publishKey: publishKey, secretKey: secretKey)
                    return ConstantTime.areEqual(signature, expected)
                }
            }
        }
        guard isRight else { throw .wrong }
    }

    /// Whether this client signs the request in PubNub's first form of signatures, without the prefix `v2.`. Only a POST to `/publish` is
    /// signed in this form.
    private static func usesFirstForm(method: String, path: String) -> Bool {
        method.uppercased() == "POST" && path.hasPrefix("/publish")
    }

    private static func first(
        path: String, query: String, publishKey: String, subscribeKey: String, secretKey: String
    ) -> String {
        Base64URL.text(code("\(subscribeKey)\n\(publishKey)\n\(path)\n\(query)", body: [], secretKey: secretKey))
    }

    private static func second(
        method: String, path: String, query: String, body: [UInt8], publishKey: String, secretKey: String
    ) -> String {
        let text = "\(method.uppercased())\n\(publishKey)\n\(path)\n\(query)\n"
        return "v2." + Base64URL.text(code(text, body: body, secretKey: secretKey), isPadded: false)
    }

    private static func code(_ text: String, body: [UInt8], secretKey: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: Array(secretKey.utf8)))
        code.update(data: Array(text.utf8))
        code.update(data: body)
        return Array(code.finalize())
    }

    private static func precedes(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Appends a percent-encoded text. Unlike the usual percent encoding, this one also encodes `~`.
    private static func append(_ text: String, to out: inout [UInt8]) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "~") {
                out.append(contentsOf: "%7E".utf8)
            } else {
                PercentEncoding.append(CollectionOfOne(byte), to: &out)
            }
        }
    }
}

/// The reason why a request's signature is not accepted. Contains neither the expected nor the received signature.
public enum PubNubSignatureError: Error, Hashable, Sendable {
    case missing
    /// The timestamp differs from the server's clock by more than ``PubNubSignature/timestampWindow``, is missing, or is not a number.
    case timestampOutOfRange
    case wrong
}
