import ServerStorage
import WireCoding

@testable import PubNubProtocol

/// Filters, patterns, access tokens and encrypted messages of PubNub.
enum PubNubTargets {
    static let all = [
        FuzzTarget(name: "filter", run: filter), FuzzTarget(name: "pattern", run: pattern), FuzzTarget(name: "cbor", run: cbor),
        FuzzTarget(name: "cipher", run: cipher),
    ]

    /// A filter, the metadata and the payload of a message, one line each.
    @Sendable private static func filter(_ input: FuzzInput) {
        var input = input
        let (text, metadata, data) = (input.line().text, input.line().array, input.array)
        _ = FilterWildcard(text).matches(String(decoding: data, as: UTF8.self))
        guard let filter = try? PubNubFilter(text) else { return }
        require((try? PubNubFilter(filter.description)) != nil, "The filter is not read as it is written.")
        var subject = PubNubFilterSubject(metadata: metadata, data: data, customType: "type")
        _ = filter.matches(&subject)
        var object = PubNubFilterSubject(object: data)
        _ = filter.matches(&object)
    }

    /// A pattern and a name, one line each.
    @Sendable private static func pattern(_ input: FuzzInput) {
        var input = input
        let (text, name) = (input.line().text, input.text)
        _ = try? PubNubAccessPattern(text).matches(name)
        _ = OriginPattern(text)?.matches(name)
        _ = OriginPattern.allow(name, by: [text])
    }

    /// An access token.
    @Sendable private static func cbor(_ input: FuzzInput) {
        if let value = try? CBORReader.read(input.array) {
            var written: [UInt8] = []
            value.append(to: &written)
            // A double that is not a number equals nothing, itself included; its bytes do.
            var again: [UInt8] = []
            (try? CBORReader.read(written))?.append(to: &again)
            require(again == written, "The value is not read as it is written.")
        }
        _ = try? PubNubAccessToken(parsing: input.text)
        guard let token = try? PubNubAccessToken(parsing: Base64URL.text(input.array)) else { return }
        _ = token.isSigned(with: "secret")
        _ = token.isExpired(at: 1_763_710_000)
        _ = token.isExpired(at: .max)
    }

    /// An encrypted message, in both forms.
    @Sendable private static func cipher(_ input: FuzzInput) {
        for form in [PubNubCipher.Form.legacy, .current] {
            let cipher = PubNubCipher(key: "key", form: form)
            _ = try? cipher.decrypt(input.array)
            _ = try? cipher.decrypt(message: input.text)
            var stream = PubNubCipherStream.decrypting(with: cipher)
            for piece in input.pieces(of: 13) {
                guard (try? stream.update(piece.readableBytesView)) != nil else { break }
            }
            _ = try? stream.finish()
        }
    }
}
