import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PubNubCipher {
    /// Encrypts a message: JSON text in, the JSON string to publish out.
    ///
    /// - Parameter generator: has to be a cryptographic one.
    public func encrypt(
        message json: String, using generator: inout some RandomNumberGenerator
    ) throws(PubNubCipherError) -> String {
        let sealed = try encrypt(Array(json.utf8), using: &generator)
        return "\"" + Data(sealed).base64EncodedString() + "\""
    }

    /// Encrypts a message with the system's random numbers.
    public func encrypt(message json: String) throws(PubNubCipherError) -> String {
        var generator = SystemRandomNumberGenerator()
        return try encrypt(message: json, using: &generator)
    }

    /// Decrypts a message as it was received: JSON text in, JSON text out.
    ///
    /// Of an object with `pn_other`, which is how messages with push payloads look, only that is encrypted. An object in it takes
    /// its place member by member; anything else stays in `pn_other` (rule PC-10).
    ///
    /// The key for writing is tried first, then those for reading in their order (rule PC-14).
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

    /// Nothing but JSON passes for a message: after decryption with another key that is the only sign left when the padding happens
    /// to be right.
    ///
    /// The Cocoa SDK writes the encrypted text as a JSON string once more before it puts that beside push payloads, so that its text
    /// begins with a quotation mark, which base64 never does (rule PL-92).
    private func decrypt(base64 text: String) throws(PubNubCipherError) -> JSONText {
        let text = text.utf8.first == UInt8(ascii: "\"") ? (try? JSONText(text))?.string ?? text : text
        guard !text.isEmpty else { throw .empty }
        guard let sealed = Data(base64Encoded: text) else { throw .notBase64 }
        let bytes = try decrypt(Array(sealed))
        guard let plain = try? JSONText(bytes: bytes) else { throw .decryptionFailed }
        return plain
    }
}

/// Messages that carry payloads for push notifications beside what subscribers read (rule PC-10).
public enum PubNubPushMessage {
    /// Where the message itself is, when it is not an object or encrypted.
    public static let key = "pn_other"

    /// Puts a message and push payloads together.
    ///
    /// - Parameters:
    ///   - message: JSON text, encrypted already when it has to be: a string then, so that it ends up in `pn_other`.
    ///   - payload: the text of a JSON object, such as `{"pn_apns":{…}}`. Its members win over equal ones of the message.
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
