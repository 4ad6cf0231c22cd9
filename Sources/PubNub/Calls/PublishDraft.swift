import Foundation
import Identifiers
import PubNubProtocol
import WireCoding

/// The arguments of a publish request, which all publish methods and builders share.
struct PublishDraft {
    var channel = ""
    var message: Any?
    var metadata: [AnyHashable: Any]?
    /// Payloads for push notifications, by the vendor's key, such as `aps`.
    var payloads: [AnyHashable: Any]?
    var isStored = true
    /// How many hours the history keeps the message; 0 for the keyset's default.
    var ttl: UInt = 0
    var isCompressed = false
    var isReplicated = true
    var customType: String?
    var query: [AnyHashable: Any]?

    var extras: CallExtras { CallExtras(query: query, isCompressed: isCompressed) }

    /// Makes the call: encodes the message, encrypts it when there is a cipher key, and merges it with payloads for push notifications
    /// (rules PL-64 to PL-67).
    func call(_ cipher: PubNubCipher?, sequence: Int) throws(PubNubProblem) -> PubNubPublishCall {
        var metadataText: JSONText?
        if let metadata { metadataText = try JSONArguments.object(metadata, "metadata") }
        return PubNubPublishCall(
            channel: channel, message: try text(cipher), metadata: metadataText,
            isStored: isStored ? nil : false, ttl: ttl > 0 ? Int(clamping: ttl) : nil, isReplicated: isReplicated,
            customType: customType, sequence: sequence, usesPost: isCompressed)
    }

    private func text(_ cipher: PubNubCipher?) throws(PubNubProblem) -> JSONText {
        var content: JSONText?
        if let message { content = try JSONArguments.value(message, "message") }
        if let plain = content, let cipher { content = try plain.encrypted(with: cipher) }
        guard let payloads, !payloads.isEmpty else {
            guard let content else {
                throw .badArguments("There is nothing to publish. Pass a message or payloads for push notifications.")
            }
            return content
        }
        let push = try JSONArguments.object(PushPayloads.vendorKeys(payloads), "payloads for push notifications")
        guard let content else { return push }
        do {
            return JSONText(checked: try PubNubPushMessage.text(message: content.text, payload: push.text))
        } catch {
            throw .badArguments(
                "The message cannot be merged with the payloads for push notifications, because one is not valid JSON.")
        }
    }
}

extension JSONText {
    /// Encrypts the message. The result is the JSON string that is published in place of the message.
    func encrypted(with cipher: PubNubCipher) throws(PubNubProblem) -> JSONText {
        do {
            return JSONText(checked: try cipher.encrypt(message: text))
        } catch {
            throw .badArguments("The message could not be encrypted. \(error)")
        }
    }
}

/// Converts payloads for push notifications to the service's keys.
enum PushPayloads {
    /// Returns the payloads with the keys that the service uses: `aps` becomes `pn_apns`, with the payload below `aps`; `gcm` becomes
    /// `pn_gcm`. Keys that begin with `pn_` stay unchanged.
    static func vendorKeys(_ payloads: [AnyHashable: Any]) -> [AnyHashable: Any] {
        var known: [AnyHashable: Any] = [:]
        for (key, payload) in payloads {
            guard let name = key.base as? String, !name.hasBytePrefix("pn_") else {
                known[key] = payload
                continue
            }
            if name == "aps" { known["pn_apns"] = [name: payload] } else { known["pn_" + name] = payload }
        }
        return known
    }
}
