import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PubNubCipher {
    /// Encrypts a message. Takes JSON text and returns the JSON string to publish.
    ///
    /// - Parameter generator: a cryptographically secure generator.
    public func encrypt(
        message json: String, using generator: inout some RandomNumberGenerator
    ) throws(PubNubCipherError) -> String {
        let sealed = try encrypt(Array(json.utf8), using: &generator)
        return "\"" + Data(sealed).base64EncodedString() + "\""
    }

    /// Encrypts a message with the system's random number generator.
    public func encrypt(message json: String) throws(PubNubCipherError) -> String {
        var generator = SystemRandomNumberGenerator()
        return try encrypt(message: json, using: &generator)
    }

    /// Decrypts a received message. Takes and returns JSON text.
    ///
    /// In a message with push payloads, which is an object with `pn_other`, only the member `pn_other` is encrypted. If the decrypted value
    /// is an object, its members replace `pn_other`. Any other decrypted value stays in `pn_other` (rule PC-10).
    ///
    /// The cipher key is tried first, then the additional keys of ``reading(_:)`` in their order (rule PC-14).
    public func decrypt(message json: String) throws(PubNubCipherError) -> String {
        do throws(PubNubCipherError) {
            return try decryptAlone(message: json)
        } catch {
            guard error == .decryptionFailed else { throw error }
            for reader in readers {
                if let plain = try? reader.decryptAlone(message: json) { return plain }
            }
            throw error
        }
    }

    private func decryptAlone(message json: String) throws(PubNubCipherError) -> String {
        guard !json.isEmpty else { throw .empty }
        guard let message = try? JSONText(json) else { throw .notEncrypted }
        if let text = message.string { return try decrypt(base64: text).text }
        guard let members = message.members, let sealed = members.last(where: { $0.key == PubNubPushMessage.key }),
            let text = sealed.value.string
        else { throw .notEncrypted }
        let plain = try decrypt(base64: text)
        return PubNubPushMessage.unwrapped(members, content: plain)
    }

    /// Decrypts base64 and accepts only JSON as the result. A wrong key happens to give a valid padding for some texts, and then only this
    /// check detects the wrong key.
    ///
    /// When the Cocoa SDK adds push payloads, it encodes the encrypted text as a JSON string twice. Such a text begins with a quotation
    /// mark, which never occurs in base64 (rule PL-92).
    private func decrypt(base64 text: String) throws(PubNubCipherError) -> JSONText {
        let text = text.utf8.first == UInt8(ascii: "\"") ? (try? JSONText(text))?.string ?? text : text
        guard !text.isEmpty else { throw .empty }
        guard let sealed = Data(base64Encoded: text) else { throw .notBase64 }
        let bytes = try decrypt(Array(sealed))
        guard let plain = try? JSONText(bytes: bytes) else { throw .decryptionFailed }
        return plain
    }
}

/// Merges messages with payloads for push notifications (rule PC-10).
public enum PubNubPushMessage {
    /// The member that contains the message if it is encrypted or not an object.
    public static let key = "pn_other"

    /// Merges a message and payloads for push notifications into one JSON object.
    ///
    /// - Parameters:
    ///   - message: the message as JSON text, already encrypted if necessary. An encrypted message is a string and is stored in
    ///     `pn_other`.
    ///   - payload: the text of a JSON object, such as `{"pn_apns":{…}}`. Its members replace members of the message with the same
    ///     name.
    public static func text(message: String, payload: String) throws(JSONSyntaxError) -> String {
        let message = try JSONText(message)
        let added = pairs(try JSONText(payload).members ?? [])
        let own = message.members.map(pairs) ?? [(key, message)]
        return object(own.filter { member in !added.contains { $0.key == member.key } } + added)
    }

    static func unwrapped(_ members: [JSONText.Member], content: JSONText) -> String {
        guard let inner = content.members else {
            return object(members.map { ($0.key, $0.key == key ? content : $0.value) })
        }
        let others = members.filter { member in member.key != key && !inner.contains { $0.key == member.key } }
        return object(pairs(others + inner))
    }

    private static func pairs(_ members: [JSONText.Member]) -> [(key: String, value: JSONText)] {
        members.map { ($0.key, $0.value) }
    }

    private static func object(_ members: [(key: String, value: JSONText)]) -> String {
        var out: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(member.key, to: &out)
            out.append(UInt8(ascii: ":"))
            out.append(contentsOf: member.value.text.utf8)
        }
        out.append(UInt8(ascii: "}"))
        return String(decoding: out, as: UTF8.self)
    }
}
